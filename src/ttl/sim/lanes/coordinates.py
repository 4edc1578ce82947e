"""Numbers that stand for one number on each lane, and variants of Python's own functions that can take them.

A lane number is the number of the first lane and a *shift*: the distances of the other lanes' numbers from it. Shifts
are interned, so computing with a coordinate costs as much as with two numbers, however many lanes there are.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce
from types import CellType, CodeType, FunctionType
from typing import Any, NoReturn

from ttl.sim.numbers import TracedNumberError
from ttl.source.spans import is_our_file


class NodeLanes:
    """Nodes that are run as one, by index; the first is the one that is run."""

    def __init__(self, nodes: tuple[int, ...]) -> None:
        self.nodes = nodes
        self._shifts: dict[tuple[int, ...], LaneShift] = {}

    def number(self, values: Sequence[int]) -> int | LaneNumber:
        """The number with these values, lane by lane; a plain integer where they are the same."""
        first = values[0]
        shift = self.shift(tuple([value - first for value in values]))
        return first if shift is None else LaneNumber(first, shift)

    def shift(self, by: tuple[int, ...]) -> LaneShift | None:
        """The shift with these distances; None where they are all 0."""
        known = self._shifts.get(by)
        if known is None:
            if not any(by):
                return None
            known = self._shifts[by] = LaneShift(self, by)
        return known

    def part(self, answers: Sequence[Any]) -> NoReturn:
        """Part the lanes into groups with the same answer. Raises ``TracedNumberError`` with these groups."""
        groups: dict[Any, list[int]] = {}
        for node, answer in zip(self.nodes, answers, strict=True):
            groups.setdefault(answer, []).append(node)
        raise TracedNumberError([tuple(nodes) for nodes in groups.values()])


class LaneShift:
    """The differences of the lanes' numbers from that of the first lane."""

    __slots__ = ("_products", "_sums", "by", "high", "lanes", "low")

    def __init__(self, lanes: NodeLanes, by: tuple[int, ...]) -> None:
        self.lanes = lanes
        self.by = by
        self.low, self.high = min(by), max(by)
        self._sums: dict[LaneShift, LaneShift | None] = {}
        self._products: dict[int, LaneShift | None] = {}

    def plus(self, other: LaneShift) -> LaneShift | None:
        """The sum of two shifts."""
        if other not in self._sums:
            self._sums[other] = self.lanes.shift(tuple(map(operator.add, self.by, other.by)))
        return self._sums[other]

    def times(self, factor: int) -> LaneShift | None:
        """The shift multiplied by a factor."""
        if factor not in self._products:
            self._products[factor] = self.lanes.shift(tuple([factor * by for by in self.by]))
        return self._products[factor]


def _general(function: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
    """The result of an operator on integers, lane by lane; other results must be the same on all lanes.

    Raises ``TracedNumberError`` where they are not.
    """
    numbers = left if type(left) is LaneNumber else right
    lanes = numbers.shift.lanes
    pairs = zip(_values(left, lanes), _values(right, lanes), strict=True)
    values = [function(a, b) for a, b in pairs]
    if type(values[0]) is int:
        return lanes.number(values)
    if len(set(values)) > 1:
        lanes.part(values)
    return values[0]


def _values(number: Any, lanes: NodeLanes) -> Sequence[int]:
    if type(number) is not LaneNumber:
        return (number,) * len(lanes.nodes)
    first = number.first
    return [first + by for by in number.shift.by]


def _operator(function: Callable[[Any, Any], Any]) -> tuple[Any, Any]:
    def forward(self: LaneNumber, other: Any) -> Any:
        if type(other) is not int and type(other) is not LaneNumber and type(other) is not bool:
            return NotImplemented
        return _general(function, self, other)

    def backward(self: LaneNumber, other: Any) -> Any:
        return (
            NotImplemented
            if type(other) is not int and type(other) is not bool
            else _general(function, other, self)
        )

    return forward, backward


def _asked(name: str) -> Callable[..., Any]:
    """A method that returns the result of the method ``name`` of each lane's number, if that is the same for all."""

    def answer(self: LaneNumber, *args: Any) -> Any:
        lanes = self.shift.lanes
        answers = [getattr(value, name)(*args) for value in _values(self, lanes)]
        if len(set(answers)) > 1:
            lanes.part(answers)
        return answers[0]

    return answer


class LaneNumber:
    """A whole number that is not the same on all lanes."""

    __slots__ = ("first", "shift")
    __array_ufunc__ = None

    def __init__(self, value: int, shift: LaneShift) -> None:
        self.first = value
        self.shift = shift

    def __add__(self, other: Any) -> Any:
        if type(other) is int:
            return LaneNumber(self.first + other, self.shift)
        if type(other) is LaneNumber:
            shift = self.shift.plus(other.shift)
            value = self.first + other.first
            return value if shift is None else LaneNumber(value, shift)
        return NotImplemented

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        if type(other) is int:
            return LaneNumber(self.first - other, self.shift)
        if type(other) is LaneNumber:
            return self.first - other.first if other.shift is self.shift else self + -other
        return NotImplemented

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __neg__(self) -> Any:
        return self * -1

    def __mul__(self, other: Any) -> Any:
        if type(other) is int:
            shift = self.shift.times(other)
            return self.first * other if shift is None else LaneNumber(self.first * other, shift)
        return _general(operator.mul, self, other) if type(other) is LaneNumber else NotImplemented

    __rmul__ = __mul__

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> Any:
        return other // self, other % self

    __floordiv__, __rfloordiv__ = _operator(operator.floordiv)
    __mod__, __rmod__ = _operator(operator.mod)
    __truediv__, __rtruediv__ = _operator(operator.truediv)
    __pow__, __rpow__ = _operator(operator.pow)
    __and__, __rand__ = _operator(operator.and_)
    __or__, __ror__ = _operator(operator.or_)
    __xor__, __rxor__ = _operator(operator.xor)
    __lshift__, __rlshift__ = _operator(operator.lshift)
    __rshift__, __rrshift__ = _operator(operator.rshift)
    __lt__, _ = _operator(operator.lt)
    __le__, _ = _operator(operator.le)
    __gt__, _ = _operator(operator.gt)
    __ge__, _ = _operator(operator.ge)
    __eq__, _ = _operator(operator.eq)
    __ne__, _ = _operator(operator.ne)
    del _
    __hash__ = _asked("__hash__")
    __index__ = _asked("__index__")
    __int__ = _asked("__int__")
    __float__ = _asked("__float__")
    __bool__ = _asked("__bool__")
    __str__ = _asked("__str__")
    __repr__ = _asked("__repr__")
    __format__ = _asked("__format__")

    def __pos__(self) -> LaneNumber:
        return self

    def __invert__(self) -> Any:
        return -self - 1

    def __abs__(self) -> Any:
        return self if self >= 0 else -self


class LaneRange(Sequence[Any]):
    """A range that begins or ends at another number on each lane, and has the same length on all."""

    def __init__(self, start: int | LaneNumber, length: int, step: int) -> None:
        self.start = start
        self.step = step
        self._length = length

    @property
    def stop(self) -> Any:
        raise AttributeError("where a range of lanes was to stop is not kept")

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, index: Any) -> Any:
        places = range(self._length)[index]
        if isinstance(places, int):
            return self.start + places * self.step
        return LaneRange(self.start + places.start * self.step, len(places), places.step * self.step)

    def __iter__(self) -> Iterator[Any]:
        for place in range(self._length):
            yield self.start + place * self.step

    def __eq__(self, other: object) -> bool:
        raise TracedNumberError

    def __repr__(self) -> str:
        raise TracedNumberError

    __hash__ = None  # type: ignore[assignment]


def _range(*args: Any) -> Any:
    if LaneNumber not in map(type, args):
        return range(*args)
    start, stop, step = (0, args[0], 1) if len(args) == 1 else args if len(args) == 3 else (*args, 1)
    step = operator.index(step)
    lanes = next(arg.shift.lanes for arg in args if type(arg) is LaneNumber)
    if type(stop - start) is int:
        length = len(range(0, stop - start, step))
    else:
        pairs = zip(_values(start, lanes), _values(stop, lanes), strict=True)
        lengths = [len(range(first, last, step)) for first, last in pairs]
        if len(set(lengths)) > 1:
            lanes.part(lengths)
        length = lengths[0]
    return LaneRange(start, length, step)


def _extreme(function: Callable[..., Any]) -> Callable[..., Any]:
    def of(*args: Any, **named: Any) -> Any:
        if len(args) < 2 or named or LaneNumber not in map(type, args):
            return function(*args, **named)
        return reduce(lambda left, right: _of_two(function, left, right), args)

    return of


def _of_two(function: Callable[..., Any], left: Any, right: Any) -> Any:
    if {type(left), type(right)} <= {int, LaneNumber} and (
        type(left) is LaneNumber or type(right) is LaneNumber
    ):
        return _general(function, left, right)
    return function(left, right)


def _isinstance(value: Any, kind: Any) -> bool:
    stands_for = {LaneNumber: int, LaneRange: range}.get(type(value))
    return isinstance(value, kind) if stands_for is None else issubclass(stands_for, kind)


_OWN = {"range": _range, "min": _extreme(min), "max": _extreme(max), "isinstance": _isinstance}


class Prepared:
    """Copies of functions in which the names of Python's own functions stand for variants that take lane numbers.

    The user's helpers that they name or capture are copied, too; code that is reached in another way keeps Python's own
    functions, which ask lane numbers for more than they need.
    """

    def __init__(self) -> None:
        self._functions: dict[int, FunctionType] = {}
        self._globals: dict[int, dict[str, Any]] = {}

    def copy(self, function: FunctionType) -> FunctionType:
        """The copy of a function."""
        known = self._functions.get(id(function))
        if known is not None:
            return known
        names = self._names_of(function)
        closure = function.__closure__
        cells = None if closure is None else tuple(CellType() for _ in closure)
        copy = FunctionType(function.__code__, names, function.__name__, function.__defaults__, cells)
        copy.__kwdefaults__ = function.__kwdefaults__
        self._functions[id(function)] = copy
        for name in _names_in(function.__code__):
            value: Any = function.__globals__.get(name)
            if _is_of_the_user(value):
                names[name] = self.copy(value)
        for cell, own in zip(closure or (), cells or (), strict=True):
            try:
                value = cell.cell_contents
            except ValueError:  # a variable that has no value yet
                continue
            own.cell_contents = self.copy(value) if _is_of_the_user(value) else value
        return copy

    def _names_of(self, function: FunctionType) -> dict[str, Any]:
        names = self._globals.get(id(function.__globals__))
        if names is None:
            of: Any = function
            builtins: dict[str, Any] = dict(of.__builtins__)
            builtins.update({name: own for name, own in _OWN.items() if name in builtins})
            names = self._globals[id(function.__globals__)] = {
                **function.__globals__,
                "__builtins__": builtins,
            }
        return names


def _names_in(code: CodeType) -> Iterable[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names_in(constant)


def _is_of_the_user(value: Any) -> bool:
    return type(value) is FunctionType and not is_our_file(value.__code__.co_filename)
