"""The names in the code of a kernel, read from its bytecode: for reports, never while kernels run.

A kernel is its function, the functions defined inside it and the user's functions it can reach by name.
"""

from __future__ import annotations

import builtins
import dis
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, is_dataclass
from enum import Enum
from numbers import Number
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

from ttl.lang.visible import MISSING, cell_content, is_special, reachable
from ttl.session import cached
from ttl.source.code import names_in as code_names

_LOADS = ("LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_DEREF")
_ATTRIBUTES = ("LOAD_ATTR", "LOAD_METHOD")
_CHANGES = (
    "STORE_GLOBAL", "DELETE_GLOBAL", "STORE_ATTR", "DELETE_ATTR", "STORE_SUBSCR", "DELETE_SUBSCR", "STORE_SLICE",
    "IMPORT_NAME",
)  # fmt: skip
_ASSIGNMENTS = ("STORE_DEREF", "DELETE_DEREF")
_MUTATORS = frozenset(
    (
        "append",
        "extend",
        "insert",
        "remove",
        "clear",
        "update",
        "setdefault",
        "add",
        "discard",
        "popitem",
        "sort",
        "reverse",
    )
)
_HARMLESS = frozenset(
    (
        "abs", "all", "any", "bool", "dict", "divmod", "enumerate", "filter", "float", "int", "isinstance", "len",
        "list", "map", "max", "min", "pow", "print", "range", "repr", "reversed", "round", "set", "slice", "sorted",
        "str", "sum", "tuple", "zip", "True", "False", "None",
    )
)  # fmt: skip
_MODULES = ("ttl", "ttnn", "math", "operator", "itertools", "functools")
_DEPTH = 3


@dataclass(frozen=True, slots=True)
class CodePart:
    """A piece of code, and the values of its free and global names as far as they are known.

    ``captured`` are the variables of those enclosing functions that live longer than the kernel.
    """

    code: CodeType
    captured: frozenset[str]
    known: Mapping[str, Any]


def parts(function: FunctionType) -> Iterator[CodePart]:
    """The code of a function, of those inside it and of the user's functions it may come to call.

    Methods that Python calls by itself are left out: a class is judged as a whole, where it is mentioned.
    """
    for current in reachable(function)[0]:
        if current is not function and is_special(current.__name__):
            continue
        cells = {
            name: value
            for name, cell in zip(current.__code__.co_freevars, current.__closure__ or (), strict=False)
            if (value := cell_content(cell)) is not MISSING
        }
        nested = [current.__code__]
        while nested:
            code = nested.pop()
            known = {name: current.__globals__[name] for name in code.co_names if name in current.__globals__}
            yield CodePart(code, frozenset(current.__code__.co_freevars), known | cells)
            nested.extend(constant for constant in code.co_consts if isinstance(constant, CodeType))


def names_in(function: Any) -> frozenset[str]:
    """All global and attribute names in a kernel's code, and in that of all functions that it may call."""
    if not isinstance(function, FunctionType):
        return frozenset()
    functions, _ = reachable(function)
    return frozenset(name for item in functions for name in code_names(item.__code__))


def may_call(function: Any, target: object, method: str) -> bool:
    """Whether a kernel's code may call ``method`` on ``target``. False only if it certainly never does."""
    if not isinstance(function, FunctionType):
        return True
    functions, is_all = reachable(function)
    named = not is_all or any(method in code_names(item.__code__) for item in functions)
    handed_on = False
    for part in parts(function):
        for name, attribute in _loads(part.code):
            value = part.known.get(name)
            if value is target:
                if attribute == method:
                    return True
                handed_on = handed_on or attribute is None
            elif _holds(value, target, _DEPTH):
                handed_on = True
    return handed_on and named


def calls(function: Any, target: object, method: str) -> bool:
    """Whether a kernel's code loads a name of ``target`` and directly takes the attribute ``method`` of it."""
    return isinstance(function, FunctionType) and any(
        attribute == method and part.known.get(name) is target
        for part in parts(function)
        for name, attribute in _loads(part.code)
    )


def leaves_no_trace(function: Any) -> bool:
    """Whether running a kernel changes nothing outside its launch, as far as its code shows.

    Output through ``print`` does not count; the caller suppresses it.
    """
    if not isinstance(function, FunctionType):
        return False
    for part in parts(function):
        if any(
            name in _CHANGES or (name in _ASSIGNMENTS and variable in part.captured)
            for name, variable in _operations(part.code)
        ):
            return False
        keeps = False
        for name, _ in _loads(part.code):
            if name in part.known:
                value = part.known[name]
                if not _is_harmless(value, _DEPTH):
                    return False
                keeps = keeps or isinstance(value, list | dict | set)
            elif hasattr(builtins, name) and name not in _HARMLESS:
                return False
        if keeps and _MUTATORS.intersection(part.code.co_names):
            return False
    return True


@cached(maxsize=1024)
def _loads(code: CodeType) -> tuple[tuple[str, str | None], ...]:
    """The names that a piece of code loads, each with the attribute that the next instruction takes of it, if any."""
    result: list[tuple[str, str | None]] = []
    before: str | None = None
    for instruction in dis.get_instructions(code):
        if before is not None:
            result.append((before, instruction.argval if instruction.opname in _ATTRIBUTES else None))
        before = instruction.argval if instruction.opname in _LOADS else None
    return tuple(result)


@cached(maxsize=1024)
def _operations(code: CodeType) -> frozenset[tuple[str, str | None]]:
    """The operations of a piece of code, those on variables of enclosing functions with their names."""
    return frozenset(
        (instruction.opname, instruction.argval if instruction.opname in _ASSIGNMENTS else None)
        for instruction in dis.get_instructions(code)
    )


def _holds(value: Any, target: object, depth: int) -> bool:
    if isinstance(value, dict):
        value = tuple(value.values())
    if not isinstance(value, list | tuple) or depth == 0:
        return False
    return any(entry is target or _holds(entry, target, depth - 1) for entry in value)


def _only_holds_data(kind: type) -> bool:
    return not any(callable(member) and not name.startswith("__") for name, member in vars(kind).items())


def _is_harmless(value: Any, depth: int) -> bool:
    if value is None or isinstance(value, Number | str | bytes | slice | range | Enum | FunctionType):
        return True
    kind = value if isinstance(value, type) else type(value)
    is_ours = kind.__module__.split(".")[0] in _MODULES
    if is_dataclass(value) and kind is not value and not is_ours:
        return _only_holds_data(kind)
    if isinstance(value, ModuleType):
        return value.__name__.split(".")[0] in _MODULES
    if isinstance(value, BuiltinFunctionType):
        return value.__module__ in _MODULES or value.__name__ in _HARMLESS
    if isinstance(value, dict):
        value = tuple(value.values())
    if isinstance(value, list | tuple | set | frozenset):
        return depth > 0 and all(_is_harmless(entry, depth - 1) for entry in value)
    return is_ours or kind.__module__ == "builtins"
