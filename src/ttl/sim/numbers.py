"""Numbers that a launch computes with but never inspects: recorded once, and replayed with other values.

A program may call an operation sixty times, each time with another step size. The tasks of these calls differ only in that
number, if the kernels only compute with it: add, subtract, multiply and divide it, and pass the result to blocks. Therefore such
a call is recorded with *traced* numbers in the place of its floats. They compute as floats do, and record the operations; any
other use (comparing, rounding, printing, ``math.sqrt``) stops the launch, which then runs with the floats themselves, and calls
of its form are distinguished by every number as before.

A launch that is stopped has had no visible effect: replay has read its code, which has no effects, and no ``except`` that could
notice.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NoReturn

from ttl import control
from ttl.sim.native.nodes import number_class

_OPERATORS: Mapping[str, Callable[[Any, Any], Any]] = MappingProxyType(
    {name: getattr(operator, name) for name in ("add", "sub", "mul", "truediv")}
)


class TracedNumberError(BaseException):
    """A traced number, or a number that differs between lanes, was inspected.

    ``groups``: the nodes, grouped by the result of the inspection. It is no ``Exception``, so that no handler on the
    way catches it.
    """

    def __init__(self, groups: Sequence[tuple[int, ...]] = ()) -> None:
        self.groups = groups


class NumberTrace:
    """The computation of one launch's numbers from its floats.

    Each number has an id; equal computations have the same id. ``steps`` are by id: ``("given", position, None)``, or
    an operator and its operands: ids, in a tuple of their own, or constants.
    """

    def __init__(self) -> None:
        self.steps: list[tuple[str, Any, Any]] = []
        self._ids: dict[Any, int] = {}
        self._given = 0

    def given(self, value: float) -> TracedNumber:
        """Return a traced number for a float of the arguments; called in the order of ``floats_of``."""
        self._given += 1
        return self._number(value, ("given", self._given - 1, None))

    def combined(
        self, name: str, left: int | float | TracedNumber, right: int | float | TracedNumber
    ) -> TracedNumber:
        """The result of an operator."""
        value = _OPERATORS[name](_plain(left), _plain(right))
        if type(value) is not float:
            raise TracedNumberError
        return self._number(value, (name, _reference(left), _reference(right)))

    def _number(self, value: float, step: tuple[str, Any, Any]) -> TracedNumber:
        key = tuple((type(part), repr(part)) for part in step)  # 1 and 1.0, 0.0 and -0.0 are distinguished
        id = self._ids.setdefault(key, len(self.steps))
        if id == len(self.steps):
            self.steps.append(step)
        return TracedNumber(value, id, self)

    def values(self, floats: Sequence[float]) -> list[float] | None:
        """The numbers by id, for other floats; None where Python would raise an error instead."""
        values: list[float] = []
        for name, left, right in self.steps:
            if name == "given":
                values.append(floats[left])
                continue
            operands = (values[part[0]] if type(part) is tuple else part for part in (left, right))
            try:
                values.append(_OPERATORS[name](*operands))
            except ArithmeticError:
                return None
        return values


class TracedNumber(control.base("Number", ("id", "value"))):  # type: ignore[misc]
    """A float that records the computation from which it results. Its ``value`` is for the simulator."""

    __slots__ = ("_trace",)

    def __init__(self, value: float, id: int, trace: NumberTrace) -> None:
        super().__init__(value, id)
        self._trace = trace

    @property  # type: ignore[misc]
    def __class__(self) -> Any:  # for ``isinstance``
        return float

    def __add__(self, other: Any) -> Any:
        return self._combined("add", self, other, other)

    def __radd__(self, other: Any) -> Any:
        return self._combined("add", other, self, other)

    def __sub__(self, other: Any) -> Any:
        return self._combined("sub", self, other, other)

    def __rsub__(self, other: Any) -> Any:
        return self._combined("sub", other, self, other)

    def __mul__(self, other: Any) -> Any:
        return self._combined("mul", self, other, other)

    def __rmul__(self, other: Any) -> Any:
        return self._combined("mul", other, self, other)

    def __truediv__(self, other: Any) -> Any:
        return self._combined("truediv", self, other, other)

    def __rtruediv__(self, other: Any) -> Any:
        return self._combined("truediv", other, self, other)

    def __neg__(self) -> Any:
        return self._trace.combined("mul", self, -1.0)

    def __pos__(self) -> TracedNumber:
        return self

    def _combined(self, name: str, left: Any, right: Any, other: Any) -> Any:
        if type(other) in (int, float, TracedNumber):
            return self._trace.combined(name, left, right)
        return NotImplemented

    def __getattr__(self, name: str) -> NoReturn:
        if hasattr(float, name):
            raise TracedNumberError
        raise AttributeError(f"'float' object has no attribute '{name}'")


def _refuse(self: TracedNumber, *arguments: Any) -> NoReturn:
    raise TracedNumberError


for _name in (
    "abs", "bool", "ceil", "complex", "divmod", "eq", "float", "floor", "floordiv", "format", "ge", "gt", "hash", "int", "le",
    "lt", "mod", "ne", "pow", "rdivmod", "repr", "rfloordiv", "rmod", "round", "rpow", "str", "trunc",
):  # fmt: skip
    setattr(TracedNumber, f"__{_name}__", _refuse)


def look_at_numbers(operands: Sequence[Any]) -> None:
    """Stop a launch with traced numbers among the operands of an operation that depends on their values."""
    if any(type(operand) is TracedNumber for operand in operands):
        raise TracedNumberError


def floats_of(arguments: Sequence[Any]) -> list[float]:
    """The floats of a call, those in lists and tuples among them, in order."""
    floats: list[float] = []
    _traced(arguments, floats.append)
    return floats


def traced(arguments: Sequence[Any], trace: NumberTrace) -> Any:
    """Return the arguments with traced numbers for floats."""
    return _traced(arguments, trace.given)


def _traced(value: Any, number: Callable[[float], Any]) -> Any:
    kind = type(value)
    if kind is float:
        return number(value)
    if kind is tuple or kind is list:
        return kind([_traced(item, number) for item in value])
    return value


def form_of(content: Any) -> Any:
    """The content of a call's arguments (``replay.key.arguments``) without the values of its floats."""
    if type(content) is not tuple:
        return content
    if len(content) == 2 and content[0] is float:
        return float
    return tuple(map(form_of, content))


class NumberForm:
    """The data that calls of one form need besides a tape: how its numbers are computed, and their classes."""

    def __init__(self, trace: NumberTrace, floats: Sequence[float], used: Mapping[int, bool]) -> None:
        """``used``: whether the format of a number matters, by the number's id."""
        self.trace = trace
        values = trace.values(floats)
        assert values is not None  # they were computed a moment ago
        self._classes = {
            id: (closely, number_class(values[id], closely=closely)) for id, closely in used.items()
        }

    def numbers(self, floats: Sequence[float]) -> dict[int, float] | None:
        """The numbers that the tape uses, for these floats; None where they would need other code."""
        values = self.trace.values(floats)
        if values is None:
            return None
        for id, (closely, name) in self._classes.items():
            if number_class(values[id], closely=closely) != name:
                return None
        return {id: values[id] for id in self._classes}


def _plain(operand: int | float | TracedNumber) -> int | float:
    return operand.value if type(operand) is TracedNumber else operand


def _reference(operand: int | float | TracedNumber) -> Any:
    return (operand.id,) if type(operand) is TracedNumber else operand
