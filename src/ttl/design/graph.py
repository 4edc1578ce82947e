"""A tile program as a graph: loads, computations, stores, in loops whose indices are linear in the loops around them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from ttl.analysis.polynomials import Polynomial
from ttl.rows.dtypes import DType
from ttl.rows.row import Op, Params
from ttl.rows.types import TILE, BlockType
from ttl.source.spans import Span


@dataclass(eq=False, slots=True)
class GraphValue:
    """The result of a load or computation, or a value that a loop carries. ``extents`` are in elements."""

    extents: tuple[int, ...]
    dtype: DType
    name: str = ""
    """The name of the variable in the program."""

    @property
    def type(self) -> BlockType:
        """The type of its block."""
        return BlockType.of(tiles_of(self.extents), self.dtype)


Operand = GraphValue | int | float


class Partial(int):
    """An extent of a block that differs in the last iteration, or for another step that the designer may choose.

    Extents with equal ``keys`` are always equal.
    """

    key: Any

    @staticmethod
    def of(extent: int, key: Any) -> Partial:
        """Return the extent for the current step."""
        partial = Partial(extent)
        partial.key = key
        return partial


def are_equal(first: int, second: int) -> bool:
    """Whether two extents are equal in every iteration and with every step."""
    return first == second and getattr(first, "key", None) == getattr(second, "key", None)


def tiles_of(extents: tuple[int, ...]) -> tuple[int, ...]:
    """Return a block's shape in tiles."""
    return (*extents[:-2], *(-(-extent // TILE) for extent in extents[-2:]))


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """Part of a dimension: its start, in tiles or elements, and its size."""

    start: Polynomial
    size: int
    single: bool = False
    """Whether it is a single number, which removes the dimension."""


Index = tuple[IndexEntry, ...]


def loops_in(index: Index) -> frozenset[Any]:
    """The keys of the loops that an index depends on."""
    return frozenset(term.key for entry in index for term in entry.start.indeterminates)


@dataclass(eq=False, slots=True)
class Load:
    """A load of part of a tensor."""

    value: GraphValue
    tensor: str
    index: Index
    span: Span


@dataclass(eq=False, slots=True)
class KeptPart:
    """A value that is part of the block of a larger load; ``index`` is the part of the tensor."""

    value: GraphValue
    load: Load
    index: Index
    span: Span


@dataclass(eq=False, slots=True)
class Compute:
    """An operation of the table applied to values and numbers."""

    value: GraphValue
    op: Op
    operands: tuple[Operand, ...]
    params: Params
    span: Span


@dataclass(eq=False, slots=True)
class Store:
    """A store of a value to part of a tensor."""

    value: GraphValue
    tensor: str
    index: Index
    span: Span


@dataclass(eq=False, slots=True)
class CarriedValue:
    """A value that a loop hands from one iteration to the next."""

    name: str
    before: Operand
    inside: GraphValue
    after: GraphValue
    """Its value at the end of an iteration."""
    result: GraphValue
    """Its value after the loop."""


@dataclass(eq=False, slots=True)
class Loop:
    """A loop of ``count`` iterations, of ``step`` tiles or elements each; its variable is the start of the block."""

    number: int
    name: str
    kind: str
    """``spatial``, ``temporal``, or ``spread``: spatial if possible."""
    units: int
    step: int
    span: Span
    what: str
    """The description of its range in messages."""
    carried: list[CarriedValue] = field(default_factory=list)
    body: list[Item] = field(default_factory=list)

    @property
    def count(self) -> int:
        """The number of iterations."""
        return self.units // self.step


@dataclass(eq=False, slots=True)
class Sum:
    """Partial sums of a loop whose iterations are divided over parts of the grid.

    The first part adds up the sums of all, and then executes ``body``.
    """

    sums: list[tuple[CarriedValue, Op]]
    """Each sum with the operation that accumulates it."""
    parts: int
    body: list[Item]
    span: Span


Item = Load | KeptPart | Compute | Store | Loop | Sum


@dataclass(frozen=True, kw_only=True, slots=True)
class Knob:
    """A choice of the designer: the step of a loop, whether it is spread, or one of the author's values."""

    key: Any
    name: str
    values: tuple[int, ...]
    what: Literal["step", "spread", "value"]
    share: float | None = None
    """The largest share of a node's L1 that the buffers of a plan with the step may take; None for no limit."""
    span: Span | None = None


@dataclass(eq=False, slots=True)
class Graph:
    """A tile program for certain arguments and choices."""

    name: str
    tensors: dict[str, Any]
    """The tensors among its parameters."""
    body: list[Item]
    knobs: tuple[Knob, ...]
    choices: dict[Any, int]
    span: Span


def items(body: list[Item]) -> Iterator[Item]:
    """Yield all items; the items in a loop come after the loop."""
    for item in body:
        yield item
        if isinstance(item, Loop | Sum):
            yield from items(item.body)


def operands_of(item: Item) -> Iterator[GraphValue]:
    """Yield the values that an item itself uses; for a loop its initial values."""
    match item:
        case Compute():
            yield from (operand for operand in item.operands if isinstance(operand, GraphValue))
        case Store():
            yield item.value
        case Loop():
            yield from (carried.before for carried in item.carried if isinstance(carried.before, GraphValue))


def uses(body: list[Item]) -> dict[GraphValue, int]:
    """Return how often each value is used."""
    count: dict[GraphValue, int] = {}
    for item in items(body):
        for value in operands_of(item):
            count[value] = count.get(value, 0) + 1
        if isinstance(item, Loop):
            for carried in item.carried:
                count[carried.after] = count.get(carried.after, 0) + 1
    return count


def without_unused(body: list[Item]) -> list[Item]:
    """Remove the items on which no store depends."""
    needed = {item.value for item in items(body) if isinstance(item, Store)}
    before = -1
    while before != len(needed):
        before = len(needed)
        for item in items(body):
            if isinstance(item, Compute) and item.value in needed:
                needed.update(operands_of(item))
            if isinstance(item, Loop):
                for carried in item.carried:
                    if carried.result in needed or carried.inside in needed:
                        needed |= {carried.result, carried.inside, carried.after}
                        needed |= {carried.before} if isinstance(carried.before, GraphValue) else set()
    return _kept(body, needed)


def _kept(body: list[Item], needed: set[GraphValue]) -> list[Item]:
    kept: list[Item] = []
    for item in body:
        if isinstance(item, Loop):
            item.body = _kept(item.body, needed)
            item.carried = [carried for carried in item.carried if carried.result in needed]
            if item.body or item.carried:
                kept.append(item)
        elif not isinstance(item, Sum) and item.value in needed:
            kept.append(item)
    return kept
