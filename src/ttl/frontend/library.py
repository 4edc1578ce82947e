"""Functions of Python that have a meaning of their own while source is read."""

from __future__ import annotations

import builtins
import collections
import dataclasses
import enum
import functools
import itertools
import typing
from collections.abc import Callable, Iterator
from types import BuiltinFunctionType, MethodType
from typing import Any

import numpy as np

from ttl import control
from ttl.frontend import number_functions
from ttl.frontend.classes import OF_NAMED_TUPLES, Instance, as_dict, as_tuple, given_fields
from ttl.frontend.evaluator import Evaluator
from ttl.frontend.function_calls import apply
from ttl.frontend.limits import is_hashable
from ttl.frontend.mutable import as_made
from ttl.frontend.number_functions import Handler as Handler
from ttl.frontend.number_functions import handler
from ttl.frontend.reals import NodeFloat
from ttl.frontend.scalars import NodeCondition, NodeInteger, NodeRatio, bounds_of, smallest
from ttl.frontend.special_methods import all_members, is_instance
from ttl.frontend.stop import static_needed
from ttl.frontend.values import END, PrintedText, RangeValue, Sequential, sequential

# Modules whose functions may be called with known values: they have no effects, and always the same result.
_PURE_MODULES = frozenset({"math", "_operator", "operator", "itertools", "cmath", "fractions"})
_PURE = frozenset(
    {
        functools.reduce, collections.namedtuple,
        builtins.chr, builtins.ord, builtins.hex, builtins.bin, builtins.oct, builtins.hash, builtins.callable,
        builtins.format, builtins.ascii, builtins.next,
    }
)  # fmt: skip
# Functions of NumPy on shapes and the like.
_OF_NUMPY = frozenset(
    {"prod", "ceil", "floor", "min", "max", "sum", "gcd", "lcm", "array", "arange", "cumsum", "ndindex"}
)
_TYPES = (
    enum.auto, typing.TypeVar, bool, float, complex, str, bytes, frozenset, tuple, list, dict, set, slice, object,
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
    return is_hashable(function) and (function in _PURE or function in _TYPES)


def may_run(function: Any) -> bool:
    """Whether a function that is not the program's may be called while source is read: it is the language's, or pure."""
    if control.FUNCTION is not None and isinstance(function, control.FUNCTION):
        return True
    owner = getattr(function, "__self__", None)
    if isinstance(function, BuiltinFunctionType | MethodType) or owner is not None:
        if type(owner) in (list, tuple, dict, set, frozenset, str, range, slice, int, float):
            return True
        if type(owner).__module__.startswith("ttl."):
            return True
        if isinstance(owner, tuple) and getattr(function, "__name__", "") in OF_NAMED_TUPLES:
            return True
    module = getattr(function, "__module__", None) or ""
    if module.partition(".")[0] == "ttl":
        return True
    return (isinstance(function, type) and _is_data(function)) or is_pure(function)


def _is_data(kind: type) -> bool:
    """Whether constructing an object of a class only stores values: a dataclass, a named tuple, an enumeration."""
    if issubclass(kind, enum.Enum):
        return True
    if hasattr(kind, "__dataclass_fields__"):
        return "__post_init__" not in dir(kind)
    return issubclass(kind, tuple) and hasattr(kind, "_fields")


def find(function: Any) -> Handler | None:
    """The handler of a function of Python that has a meaning of its own here; None for other functions."""
    return HANDLERS.get(function) if is_hashable(function) else None


def _range(reader: Evaluator, *arguments: Any) -> Any:
    if not any(isinstance(argument, NodeInteger) for argument in arguments):
        _refuse_fractions(arguments)
        return NotImplemented
    known = [0 if isinstance(argument, NodeInteger) else argument for argument in arguments]
    if len(known) > 3 or not all(isinstance(value, int) for value in known):
        _refuse_fractions(arguments)
        return reader.domain.python(range, *known)
    start, stop, step = {1: (0, *arguments, 1), 2: (*arguments, 1), 3: arguments}[len(arguments)]
    if isinstance(step, NodeInteger):
        raise static_needed("the step of a range")
    if step == 0:
        return reader.domain.python(range, 0, 1, 0)
    return RangeValue(start, stop, int(step))


def _refuse_fractions(arguments: tuple[Any, ...]) -> None:
    for argument in arguments:
        if isinstance(argument, NodeRatio | NodeFloat | NodeCondition):
            raise static_needed("an integer")


def _len(reader: Evaluator, value: Any, /) -> Any:
    return value.length if isinstance(value, Sequential) else NotImplemented


def _enumerate(reader: Evaluator, iterable: Any, /, start: Any = 0) -> Any:
    given = reader.domain.taken(iterable)
    of = sequential(given)
    if of is None:
        steps = reader.domain.steps(given, reader.place)
        return reader.domain.drawn(reader.domain.python(enumerate, steps, start), "enumerate", given)
    numbered = Sequential(of.length, lambda position: (start + position, of.at(position)))
    return reader.domain.drawn(numbered, "enumerate")


def _zip(reader: Evaluator, *iterables: Any, strict: Any = False) -> Any:
    given = [reader.domain.taken(iterable) for iterable in iterables]
    parts = [sequential(iterable) for iterable in given]
    if parts and all(part is not None for part in parts) and strict is False:
        of = [part for part in parts if part is not None]
        length = functools.reduce(smallest, (part.length for part in of))
        zipped = Sequential(length, lambda position: tuple(part.at(position) for part in of))
        return reader.domain.drawn(zipped, "zip")
    steps = [reader.domain.steps(iterable, reader.place) for iterable in given]
    if any(part is not None and not isinstance(part.length, int) for part in parts) and strict is False:
        return reader.domain.drawn(_zipped(given, steps), "zip", *given)
    return reader.domain.drawn(reader.domain.python(zip, *steps, strict=strict), "zip", *given)


def _zipped(arguments: list[Any], steps: list[Iterator[Any]]) -> Iterator[tuple[Any, ...]]:
    """``zip`` if the node knows the length of some arguments.

    Where such an argument may end, ``zip`` certainly ends if the next argument has no further members.
    """
    for position in itertools.count():
        members = []
        for number, (argument, step) in enumerate(zip(arguments, steps, strict=True)):
            low = bounds_of(argument.length)[0] if isinstance(argument, Sequential) else None
            behind = arguments[number + 1 : number + 2]
            if (
                low == position
                and behind
                and isinstance(behind[0], list | tuple)
                and len(behind[0]) <= position
            ):
                return
            member = next(step, END)
            if member is END:
                return
            members.append(member)
        yield tuple(members)


def _reversed(reader: Evaluator, sequence: Any, /) -> Any:
    of = sequential(sequence)
    if of is None:
        steps = reader.domain.steps(reader.domain.python(reversed, sequence), reader.place)
        return reader.domain.drawn(steps, "reversed")
    backwards = Sequential(of.length, lambda position: of.at(of.length - 1 - position))
    return reader.domain.drawn(backwards, "reversed")


def _iter(reader: Evaluator, iterable: Any, /) -> Any:
    given = reader.domain.taken(iterable)
    of = sequential(given)
    if of is None and hasattr(type(given), "__next__"):
        return given
    return reader.domain.drawn(of or reader.domain.steps(given, reader.place), "iter", given)


_STANDS_FOR: dict[type, Any] = {
    NodeInteger: 0, NodeCondition: False, NodeRatio: 0.5, NodeFloat: 0.5, RangeValue: range(0), PrintedText: "",
}  # fmt: skip


def _type(reader: Evaluator, value: Any, /) -> Any:
    return type(_STANDS_FOR[type(value)]) if type(value) in _STANDS_FOR else NotImplemented


def _id(reader: Evaluator, value: Any, /) -> Any:
    if type(value) in _STANDS_FOR:
        raise static_needed("the identity of a number")
    return NotImplemented


def _has_attribute(reader: Evaluator, value: Any, name: Any, /) -> Any:
    return reader.domain.python(hasattr, _STANDS_FOR.get(type(value), value), name)


def _isinstance(reader: Evaluator, value: Any, kinds: Any, /) -> Any:
    return is_instance(_STANDS_FOR.get(type(value), value), kinds, reader.domain.python)


def _container(kind: type) -> Handler:
    def handler(reader: Evaluator, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        if len(arguments) == 1 and not keywords:
            given = reader.domain.unlisted(arguments[0]) if kind in (list, tuple) else None
            if given is not None:
                return given
            if isinstance(arguments[0], Instance) and kind in (list, tuple):
                arguments = [all_members(reader, arguments[0], reader.place)]
            elif sequential(arguments[0]) is not None or isinstance(arguments[0], Instance):
                arguments = [reader.domain.members(arguments[0], reader.place)]
        result = reader.domain.python(kind, *arguments, **keywords)
        return result if kind is tuple else reader.domain.born(result)

    return handler


def _map(reader: Evaluator, function: Any, first: Any, /, *others: Any) -> Any:
    steps = [reader.domain.steps(sequence, reader.place) for sequence in (first, *others)]
    results = (apply(reader, function, list(member), {}) for member in zip(*steps, strict=False))
    return reader.domain.drawn(results, "map", function, first, *others)


def _filter(reader: Evaluator, function: Any, sequence: Any, /) -> Any:
    steps = reader.domain.steps(sequence, reader.place)

    def is_kept(member: Any) -> bool:
        truth = reader.domain.truth(member if function is None else apply(reader, function, [member], {}))
        if isinstance(truth, NodeCondition):
            raise static_needed("what a filter keeps")
        return bool(truth)

    kept = (member for member in steps if is_kept(member))
    return reader.domain.drawn(kept, "filter", function, sequence)


def _text(reader: Evaluator, value: Any, /) -> Any:
    """``str`` or ``repr``: for a value that only the node knows, an object to print."""
    return reader.domain.text([value]) if reader.domain.is_opaque(value) else NotImplemented


def _replace(reader: Evaluator, instance: Any, /, **changes: Any) -> Any:
    """A new object of a dataclass, made by its constructor."""
    if not isinstance(instance, Instance) or instance.ttl_kind.ttl_fields is None:
        return NotImplemented
    given = {name: instance.ttl_values[name] for name in given_fields(instance.ttl_kind)}
    return reader.domain.apply(instance.ttl_kind, [], given | changes)


def _set_attribute(reader: Evaluator, holder: Any, name: Any, value: Any, /) -> None:
    reader.domain.set_attribute(holder, name, value)


def _pythons_own(reader: Evaluator, *arguments: Any, **keywords: Any) -> Any:
    """Leave the call to Python's function itself, because values of this package have the operators that it uses."""
    return NotImplemented


def _of_object(read: Callable[..., Any], function: Callable[..., Any]) -> Handler:
    """Apply a function to objects: ``read`` to those that are only read, Python's own function to others."""

    def handler(reader: Evaluator, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        is_read = bool(arguments) and isinstance(arguments[0], Instance)
        result = reader.domain.python(read if is_read else function, *arguments, **keywords)
        return as_made(reader, result, function, (*arguments, *keywords.values()))

    return handler


_MEANINGS: dict[Callable[..., Any], Callable[..., Any]] = {
    type: _type,
    id: _id,
    hasattr: _has_attribute,
    iter: _iter,
    dataclasses.replace: _replace,
    setattr: _set_attribute,
    object.__setattr__: _set_attribute,
    str: _text,
    repr: _text,
    range: _range,
    len: _len,
    enumerate: _enumerate,
    zip: _zip,
    reversed: _reversed,
    isinstance: _isinstance,
    map: _map,
    filter: _filter,
    getattr: _pythons_own,
    slice: _pythons_own,
}
HANDLERS: dict[Any, Handler] = {
    **number_functions.HANDLERS,
    **{function: handler(function, compute) for function, compute in _MEANINGS.items()},
    **{kind: _container(kind) for kind in (list, tuple, set, dict)},
    dataclasses.asdict: _of_object(as_dict, dataclasses.asdict),
    dataclasses.astuple: _of_object(as_tuple, dataclasses.astuple),
    breakpoint: lambda reader, arguments, keywords: None,
}
