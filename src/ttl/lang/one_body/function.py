"""The function of an operation written as one body, converted to an ordinary function with kernels."""

from __future__ import annotations
import __future__

import ast
import dis
from collections.abc import Mapping
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any

from ttl.diag import ProgramError
from ttl.lang import kernels
from ttl.lang.one_body.composing import names_in
from ttl.lang.one_body.names import DefinedFunction, LiveNames
from ttl.lang.one_body.projected_kernels import COMPUTE, DATAMOVEMENT
from ttl.lang.one_body.separating import separated
from ttl.session import cached
from ttl.source.trees import definition

_FUTURES = __future__.annotations.compiler_flag
_LOADS = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF", "LOAD_ATTR", "LOAD_METHOD")
_DECORATORS = {COMPUTE: kernels.compute, DATAMOVEMENT: kernels.datamovement}


def with_kernels(function: FunctionType) -> FunctionType:
    """Return the function of an operation, with kernels.

    It is the same function if it defines kernels, has no statement for any thread, or its source is not found. Raises
    ``ProgramError`` with every reason why a statement has no thread.
    """
    if _defines_kernels(function):
        return function
    known = definition(function)
    if known is None:
        return function
    result = separated(DefinedFunction(*known, LiveNames(function)))
    if result is None:
        return function
    if result.operation is None:
        raise ProgramError(*result.findings)
    called: dict[str, Any] = {}
    for part in result.called:
        composed = part.composed
        called |= composed.objects
        called[composed.name] = compiled(part.definition, composed.called.function, called)
    return compiled(result.operation, function, called)


def _defines_kernels(function: FunctionType) -> bool:
    """Return whether the code loads ``ttl.compute`` or ``ttl.datamovement``, as almost every operation does.

    This does not read its source.
    """
    free = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    owner: object = None
    for instruction, name in _loads(function.__code__):
        value: object = None
        if instruction in ("LOAD_GLOBAL", "LOAD_NAME"):
            value = function.__globals__.get(name)
        elif instruction == "LOAD_DEREF" and name in free:
            value = _content(free[name])
        elif instruction in ("LOAD_ATTR", "LOAD_METHOD") and isinstance(owner, ModuleType):
            value = vars(owner).get(name)
            if value is None and owner.__name__ == "ttl" and name in ("compute", "datamovement"):
                return True
        if value is kernels.compute or value is kernels.datamovement:
            return True
        owner = value
    return False


@cached(maxsize=256)
def _loads(code: CodeType) -> tuple[tuple[str, str], ...]:
    """The instructions of code in order: the operation and name of each load, and two empty texts for any other.

    A program may make thousands of operations from the same code.
    """
    return tuple(
        (step.opname, step.argval) if step.opname in _LOADS else ("", "")
        for step in dis.get_instructions(code)
    )


def _content(cell: CellType) -> object:
    try:
        return cell.cell_contents
    except ValueError:  # the variable has no value yet
        return None


def compiled(operation: ast.FunctionDef, function: FunctionType, called: Mapping[str, Any]) -> FunctionType:
    """Return a function for a definition, with the variables around another function, and the objects that it names.

    It is compiled inside a function that has these variables, and that is never called. Lines and columns are the
    program's.
    """
    code = function.__code__
    free = dict(zip(code.co_freevars, function.__closure__ or (), strict=True))
    own_names = names_in(operation)
    for name, value in (*_DECORATORS.items(), *called.items()):
        if name in own_names:
            free[name] = CellType(value)
    around = ast.FunctionDef(
        "around",
        ast.arguments([], [ast.arg(name) for name in free], None, [], [], None, []),
        [operation],
        [],
        None,
    )
    module = ast.Module([ast.fix_missing_locations(ast.copy_location(around, operation))], [])
    whole = compile(module, code.co_filename, "exec", dont_inherit=True, flags=code.co_flags & _FUTURES)
    own = _code_named(_code_named(whole, "around"), operation.name)
    own = _requalified(own, own.co_qualname, code.co_qualname)
    result = FunctionType(
        own,
        function.__globals__,
        function.__name__,
        function.__defaults__,
        tuple(free[name] for name in own.co_freevars),
    )
    result.__kwdefaults__ = function.__kwdefaults__
    result.__qualname__, result.__module__ = function.__qualname__, function.__module__
    result.__doc__ = function.__doc__
    result.__annotations__ = function.__annotations__
    result.__dict__.update(function.__dict__)
    return result


def _code_named(code: CodeType, name: str) -> CodeType:
    return next(inner for inner in code.co_consts if isinstance(inner, CodeType) and inner.co_name == name)


def _requalified(code: CodeType, before: str, now: str) -> CodeType:
    """Return the code with another qualified name, also in nested functions."""
    constants = tuple(
        _requalified(inner, before, now) if isinstance(inner, CodeType) else inner for inner in code.co_consts
    )
    return code.replace(co_consts=constants, co_qualname=code.co_qualname.replace(before, now, 1))
