"""Functions of Python and of the language that mean something of their own while source is read."""

from __future__ import annotations

import ast
import builtins
import functools
import itertools
import math
from collections.abc import Callable
from types import MethodType
from typing import TYPE_CHECKING, Any

import numpy as np

from ttl.diag import Diagnostic
from ttl.dialects import ttl as ir
from ttl.frontend.objects import (
    TracedBlock,
    TracedBuffer,
    TracedExpr,
    TracedGroup,
    TracedSignpost,
)
from ttl.frontend.reals import Real, as_real
from ttl.frontend.scalars import Condition, Ratio, Scalar, both, compare, either, largest, smallest
from ttl.frontend.stop import Reject, StaticNeeded
from ttl.frontend.values import (
    Enumerated,
    KernelFunction,
    RangeValue,
    Reversed,
    Sequential,
    UserFunction,
    Zipped,
    is_symbolic,
    sequential,
)
from ttl.host.tensor import Tensor
from ttl.lang import debug, grid, kernels, program
from ttl.lang.copy import GroupTransfer
from ttl.lang.deprecated import note_current_core, note_print_options, note_program
from ttl.lang.pipe import PipeNet
from ttl.lang.semaphore import Semaphore
from ttl.rules.debugging import OLDER_OPTIONS, match_options, match_print
from ttl.rules.kernels import not_a_kernel
from ttl.rules.launches import dimensions
from ttl.rules.semaphores import initial_varies, semaphore_value

if TYPE_CHECKING:
    from ttl.frontend.calls import Calls

Handler = Callable[["Calls", list[Any], dict[str, Any]], Any]
# Functions that may be called with what is known: they have no effect, and the same result every time.
_PURE_MODULES = frozenset({"math", "_operator", "operator", "itertools", "cmath", "fractions"})
_PURE = frozenset(
    {
        functools.reduce,
        builtins.chr, builtins.ord, builtins.hex, builtins.bin, builtins.oct, builtins.hash, builtins.callable,
        builtins.format, builtins.ascii,
    }
)  # fmt: skip
# Functions of NumPy on shapes and the like.
_OF_NUMPY = frozenset(
    {"prod", "ceil", "floor", "min", "max", "sum", "gcd", "lcm", "array", "arange", "cumsum", "ndindex"}
)
_TYPES = (
    bool, float, complex, str, bytes, frozenset, tuple, list, dict, set, slice, object,
    functools.partial, itertools.chain, itertools.product, itertools.repeat, itertools.islice, itertools.accumulate, itertools.count,
    itertools.permutations, itertools.combinations, itertools.starmap, itertools.takewhile, itertools.pairwise,
)  # fmt: skip


def is_pure(function: Any) -> bool:
    """Whether a function of a library may be called while source is read."""
    module = getattr(function, "__module__", None)
    if isinstance(function, type) and issubclass(function, np.generic):
        return True
    if isinstance(function, np.ufunc) or (
        module == "numpy" and getattr(function, "__name__", "") in _OF_NUMPY
    ):
        return True
    if module in _PURE_MODULES and not isinstance(function, type):
        return True
    return _hashable(function) and (function in _PURE or function in _TYPES)


def find(function: Any) -> Handler | None:
    """The handler of a function that has a meaning of its own here."""
    if isinstance(function, MethodType) and function.__func__ is PipeNet.is_active:
        return _is_active
    if isinstance(function, MethodType) and getattr(function.__func__, "__name__", "") == "has_current_core":
        return _has_current_core
    return HANDLERS.get(function) if _hashable(function) else None


def _hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


class Decorator:
    """``@ttl.compute()`` or ``@ttl.datamovement()``."""

    __slots__ = ("kind",)

    def __init__(self, kind: str) -> None:
        self.kind = kind


# --- the language ---------------------------------------------------------------------------------------------


def _parameters_of(public: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorate a function that has the parameters of a public one: messages about a wrong call name that."""

    def named(function: Callable[..., Any]) -> Callable[..., Any]:
        function.__qualname__ = public
        return function

    return named


def _node(reader: Calls, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    dims = reader.python(_dims, *arguments, **keywords)
    found = dimensions("node", dims)
    if isinstance(found, Diagnostic):
        raise Reject(found)
    return reader.tracer.node(found)


@_parameters_of("node")
def _dims(dims: Any = 2) -> Any:
    return dims


def _kernel(kind: str) -> Handler:
    def handler(reader: Calls, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        if arguments and isinstance(arguments[0], UserFunction):
            return reader.register(arguments[0], kind)  # type: ignore[attr-defined]
        if arguments or keywords:
            function = kernels.compute if kind == "compute" else kernels.datamovement
            return reader.python(function, *arguments, **keywords)
        return Decorator(kind)

    return handler


def _semaphore(reader: Calls, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    value = reader.python(_value, *arguments, **keywords)
    if isinstance(value, Scalar):
        raise Reject(initial_varies())
    found = semaphore_value(value)
    if isinstance(found, Diagnostic):
        raise Reject(found)
    return reader.python(reader.tracer.semaphore, found)


@_parameters_of("Semaphore")
def _value(value: Any = 0) -> Any:
    return value


def _group(reader: Calls, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    reader.python(GroupTransfer, *arguments, **keywords)
    return TracedGroup(reader.tracer)


def _signpost(reader: Calls, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    return reader.python(TracedSignpost, reader.tracer, *arguments, **keywords)


def _print(reader: Calls, arguments: list[Any], keywords: dict[str, Any]) -> None:
    from ttl.frontend.applying import Text

    older = tuple(name for name in keywords if name in OLDER_OPTIONS)
    if older:
        reader.python(note_print_options, older)
        keywords = {name: value for name, value in keywords.items() if name not in older}
        if not arguments:
            return
    pages = keywords.get("num_pages")
    shown = [each for each in arguments if isinstance(each, Tensor | TracedExpr | TracedBlock | TracedBuffer)]
    others = {name: value for name, value in keywords.items() if name != "num_pages"}
    finding = match_options(others) or match_print(
        len(shown), pages, tensor=bool(shown) and isinstance(shown[0], Tensor)
    )
    if finding is not None:
        raise Reject(finding)
    separator = str(keywords.get("sep", " "))
    parts: list[Any] = []
    for position, each in enumerate(arguments):
        if position:
            parts.append(separator)
        parts.extend(each.parts if isinstance(each, Text) else (each,))
    pieces, operands = [""], []
    for part in parts:
        operand = _printed(reader, part)
        if operand is None:
            pieces[-1] += str(part)
        else:
            operands.append(operand)
            pieces.append("")
    if reader.tracer.kernel is not None:
        reader.tracer.emit(ir.PrintOp(pieces, operands, num_pages=pages))


def _printed(reader: Calls, value: Any) -> Any:
    if isinstance(value, TracedExpr | TracedBlock | TracedBuffer):
        return value.ssa
    if isinstance(value, Scalar | Condition):
        return value.ssa()
    if isinstance(value, Real | Ratio):
        return reader.python(as_real, value).ssa
    if isinstance(value, Tensor):
        return reader.tracer.accessor(value)
    return None


def _is_active(reader: Calls, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """``net.is_active()``, read as the ``or`` that it is. The net is what the call is made on."""
    assert isinstance(reader.called, MethodType)
    net: Any = reader.called.__self__
    return either(reader.tracer.is_pipe(net, "src"), reader.tracer.is_pipe(net, "dst"))


def _has_current_core(reader: Calls, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """``pipe.has_current_core()``: the coordinates of the node are those of an end."""
    assert isinstance(reader.called, MethodType)
    pipe: Any = reader.called.__self__
    reader.python(note_current_core)
    found: Any = False
    for end in (pipe.src, pipe.dst):
        entries = end if isinstance(end, tuple | list) else (end,)
        here = reader.tracer.node(len(entries))
        inside: Any = True
        for entry, coordinate in zip(entries, here if len(entries) > 1 else (here,), strict=True):
            if isinstance(entry, slice):
                inside = both(inside, compare("ge", coordinate, entry.start or 0))
                inside = inside if entry.stop is None else both(inside, compare("lt", coordinate, entry.stop))
            else:
                inside = both(inside, compare("eq", coordinate, entry))
        found = either(found, inside)
    return found


def _nothing(reader: Calls, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """``ttl.Program(...)``, which does nothing: neither it nor what it returns."""
    reader.python(note_program)
    for each in arguments:
        if not isinstance(each, KernelFunction):
            raise Reject(not_a_kernel(each))
    return _ignored


def _ignored(*arguments: Any) -> None:
    del arguments


# --- Python ---------------------------------------------------------------------------------------------------


def _range(reader: Calls, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    if not any(isinstance(each, Scalar) for each in arguments) or keywords:
        _refuse_fractions(arguments)
        return reader.python(range, *arguments, **keywords)
    known = [0 if isinstance(each, Scalar) else each for each in arguments]
    if len(known) > 3 or not all(isinstance(each, int) for each in known):
        _refuse_fractions(arguments)
        return reader.python(range, *known)
    start, stop, step = {1: (0, *arguments, 1), 2: (*arguments, 1), 3: tuple(arguments)}[len(arguments)]
    if isinstance(step, Scalar):
        raise StaticNeeded(step.loops, "the step of a range")
    if step == 0:
        return reader.python(range, 0, 1, 0)
    return RangeValue(start, stop, int(step))


def _refuse_fractions(arguments: list[Any]) -> None:
    for each in arguments:
        if isinstance(each, Ratio | Real | Condition):
            raise StaticNeeded(getattr(each, "loops", frozenset()), "an integer")


def _len(reader: Calls, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    if len(arguments) == 1 and isinstance(arguments[0], Sequential):
        return arguments[0].length
    return reader.python(len, *arguments, **keywords)


def _enumerate(reader: Calls, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    of = sequential(arguments[0]) if arguments else None
    if of is None:
        members = reader.members(arguments[0], reader.place)
        return list(reader.python(enumerate, members, *arguments[1:], **keywords))
    return Enumerated(of, keywords.get("start", arguments[1] if len(arguments) > 1 else 0))


def _zip(reader: Calls, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    parts = [sequential(each) for each in arguments]
    if parts and all(part is not None for part in parts) and not keywords:
        of = [part for part in parts if part is not None]
        return Zipped(of, functools.reduce(smallest, (part.length for part in of)))
    if any(part is not None and not isinstance(part.length, int) for part in parts):
        known = [len(each) for each, part in zip(arguments, parts, strict=True) if part is None]
        shortest = min(known)
        listed = [
            [part.at(i) for i in range(shortest)] if part is not None else each
            for each, part in zip(arguments, parts, strict=True)
        ]
        return list(zip(*listed, strict=False))
    return reader.python(_zipped, *[reader.members(each, reader.place) for each in arguments], **keywords)


def _zipped(*parts: Any, strict: bool = False) -> list[Any]:
    return list(zip(*parts, strict=strict))


def _reversed(reader: Calls, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    of = sequential(arguments[0]) if arguments else None
    if of is not None:
        return Reversed(of)
    return list(reader.python(reversed, *arguments, **keywords))


def _extreme(which: Callable[..., Any], two: Callable[[Any, Any], Any]) -> Handler:
    def handler(reader: Calls, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        given = arguments if len(arguments) != 1 else reader.members(arguments[0], reader.place)
        if keywords or not any(isinstance(each, Scalar) for each in given):
            return reader.python(which, *arguments, **keywords)
        if not all(isinstance(each, Scalar | int) for each in given):
            raise StaticNeeded(frozenset(), "a number")
        return functools.reduce(two, given)

    return handler


def _sum(reader: Calls, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    if not arguments:
        return reader.python(sum, *arguments, **keywords)
    members = reader.members(arguments[0], reader.place)
    start = keywords.get("start", arguments[1] if len(arguments) > 1 else 0)
    return functools.reduce(lambda total, each: reader.operated(ast.Add(), total, each), members, start)


def _quantified(how: Callable[[Any, Any], Any], empty: bool) -> Handler:
    def handler(reader: Calls, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        members = reader.members(arguments[0], reader.place)
        return functools.reduce(how, (reader.truth(each) for each in members), empty)

    return handler


def _int(reader: Calls, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    match arguments:
        case [Scalar() as value]:
            return value
        case [Ratio() as ratio]:
            whole = ratio.truncated()
            if whole is None:
                raise StaticNeeded(frozenset(), "the sign of a fraction")
            return whole
        case [Condition() as condition]:
            return reader.chosen(condition, lambda: 1, lambda: 0, reader.place)
    return reader.python(int, *arguments, **keywords)


def _float(reader: Calls, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    if len(arguments) == 1 and not keywords:
        given = arguments[0]
        if isinstance(given, Condition):
            given = reader.chosen(given, lambda: 1, lambda: 0, reader.place)
        found = reader.python(as_real, given)
        if found is not None:
            return found
    return reader.python(float, *arguments, **keywords)


def _bool(reader: Calls, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    return reader.truth(arguments[0]) if len(arguments) == 1 else reader.python(bool, *arguments, **keywords)


def _rounding(method: str, function: Callable[..., Any]) -> Handler:
    def handler(reader: Calls, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        match arguments:
            case [Scalar() as value]:
                return value
            case [Ratio() as ratio]:
                found = getattr(ratio, method)()
                if found is not None:
                    return found
        return reader.python(function, *arguments, **keywords)

    return handler


def _product(reader: Calls, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    members = reader.members(arguments[0], reader.place)
    if is_symbolic(members):
        start = keywords.get("start", 1)
        return functools.reduce(lambda total, each: reader.operated(ast.Mult(), total, each), members, start)
    return reader.python(math.prod, members, **keywords)


def _isinstance(reader: Calls, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    stand_in: dict[type, Any] = {Scalar: 0, Condition: False, Ratio: 0.5, Real: 0.5, RangeValue: range(0)}
    if arguments and type(arguments[0]) in stand_in:
        arguments = [stand_in[type(arguments[0])], *arguments[1:]]
    return reader.python(isinstance, *arguments, **keywords)


def _container(kind: type) -> Handler:
    def handler(reader: Calls, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        if len(arguments) == 1 and not keywords and sequential(arguments[0]) is not None:
            given = sequential(arguments[0])
            if given is not None and not isinstance(given.length, int) and kind in (list, tuple):
                return given  # as good as a list, as long as nothing changes it
            arguments = [reader.members(arguments[0], reader.place)]
        made = reader.python(kind, *arguments, **keywords)
        return made if kind is tuple else reader.born(made)

    return handler


def _sorted(reader: Calls, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    key = keywords.pop("key", None)
    members = reader.members(arguments[0], reader.place)
    if key is None:
        return reader.born(reader.python(sorted, members, **keywords))
    pairs = [(reader.apply(key, [each], {}), position) for position, each in enumerate(members)]
    return reader.born([members[position] for _, position in reader.python(sorted, pairs, **keywords)])


def _map(reader: Calls, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    function, *sequences = arguments
    members = zip(*(reader.members(each, reader.place) for each in sequences), strict=False)
    return reader.born([reader.apply(function, list(each), dict(keywords)) for each in members])


def _filter(reader: Calls, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    function, sequence = arguments
    kept = []
    for each in reader.members(sequence, reader.place):
        truth = reader.truth(each if function is None else reader.apply(function, [each], {}))
        if isinstance(truth, Condition):
            raise StaticNeeded(truth.loops, "what a filter keeps")
        if truth:
            kept.append(each)
    return reader.born(kept)


def _text(function: Callable[..., Any]) -> Handler:
    """``str`` or ``repr``: of what only the node knows, something to print."""

    def handler(reader: Calls, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        from ttl.frontend.applying import Text

        shown = (Scalar, Condition, Ratio, Real, TracedExpr, TracedBlock, TracedBuffer, Tensor)
        if len(arguments) == 1 and not keywords and isinstance(arguments[0], shown):
            return Text((arguments[0],))
        return reader.python(function, *arguments, **keywords)

    return handler


def _direct(function: Callable[..., Any]) -> Handler:
    """Python's function itself, whose operators our values have."""

    def handler(reader: Calls, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        return reader.python(function, *arguments, **keywords)

    return handler


HANDLERS: dict[Any, Handler] = {
    grid.node: _node,
    kernels.compute: _kernel("compute"),
    kernels.datamovement: _kernel("data movement"),
    Semaphore: _semaphore,
    GroupTransfer: _group,
    debug.signpost: _signpost,
    program.Program: _nothing,
    _ignored: lambda reader, arguments, keywords: None,
    print: _print,
    str: _text(str),
    repr: _text(repr),
    breakpoint: lambda reader, arguments, keywords: None,
    range: _range,
    len: _len,
    enumerate: _enumerate,
    zip: _zip,
    reversed: _reversed,
    min: _extreme(min, smallest),
    max: _extreme(max, largest),
    sum: _sum,
    any: _quantified(either, False),
    all: _quantified(both, True),
    int: _int,
    bool: _bool,
    float: _float,
    isinstance: _isinstance,
    list: _container(list),
    tuple: _container(tuple),
    set: _container(set),
    dict: _container(dict),
    sorted: _sorted,
    map: _map,
    filter: _filter,
    math.prod: _product,
    math.floor: _rounding("floor", math.floor),
    math.ceil: _rounding("ceil", math.ceil),
    math.trunc: _rounding("truncated", math.trunc),
    **{each: _direct(each) for each in (abs, divmod, pow, round, getattr, hasattr, type, slice, id)},
}
