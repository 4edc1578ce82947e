"""The tree of regions: the nesting of operations, their order, and the values that dominate an operation.

Control flow is structured, so an operation dominates those behind it in its block, and all that are nested in those.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from itertools import chain
from typing import TypeVar, cast

from xdsl.ir import Block, BlockArgument, Operation, SSAValue

OpT = TypeVar("OpT", bound=Operation)


def ancestors(op: Operation) -> Iterator[Operation]:
    """Yield an operation and its ancestors, innermost first."""
    current: Operation | None = op
    while current is not None:
        yield current
        current = current.parent_op()


def ancestor_in(op: Operation, block: Block) -> Operation | None:
    """Return the operation of a block that is, or contains, an operation."""
    return next((ancestor for ancestor in ancestors(op) if ancestor.parent is block), None)


def precedes(first: Operation, second: Operation) -> bool:
    """Whether an operation precedes another one in the text; neither may contain the other."""
    for op in ancestors(first):
        block = op.parent
        if block is not None and (other := ancestor_in(second, block)) is not None:
            return comes_before(op, other)
    return False


def comes_before(one: Operation, other: Operation) -> bool:
    """Whether one operation of a block comes before another of the same block.

    It searches forwards from both at once, and stops after as many steps as the smaller of two distances: that between
    them, and that from the later one to the end of the block.
    """
    if one is other or one.parent is not other.parent:
        return False
    after_one, after_other = one.next_op, other.next_op
    while after_one is not None and after_other is not None:
        if after_one is other:
            return True
        if after_other is one:
            return False
        after_one, after_other = after_one.next_op, after_other.next_op
    return after_other is None


def defined_in(value: SSAValue) -> Block:
    """Return the block in which a value is defined."""
    if isinstance(value, BlockArgument):
        return value.block
    owner = value.owner
    assert isinstance(owner, Operation) and owner.parent is not None
    return owner.parent


def is_available(value: SSAValue, at: Operation) -> bool:
    """Whether a value is defined before an operation, in a block that the operation is in."""
    place = ancestor_in(at, defined_in(value))
    if place is None:
        return False
    owner = value.owner
    return not isinstance(owner, Operation) or comes_before(owner, place)


def inside(op: Operation) -> list[Operation]:
    """Return the operations in the regions of an operation, each before those inside it, in the order of the program.

    The list is made at once, so its operations can be erased and moved. xDSL's own ``walk`` is a tower of generators,
    and compiling is mostly walking.
    """
    kept = _KEPT.get()
    if kept is not None:
        return [*kept[op].ops]
    ops: list[Operation] = []
    _collect(op, ops)
    return ops


class _Nested:
    """The operations inside one that does not change: all of them, and by class."""

    __slots__ = ("ops", "places")

    def __init__(self, ops: list[Operation]) -> None:
        self.ops = ops
        self.places: dict[type[Operation], list[int]] = defaultdict(list)
        for place, kind in enumerate(map(type, ops)):
            self.places[kind].append(place)

    def of(self, is_wanted: Mapping[type[Operation], bool]) -> list[Operation]:
        """Return the operations of some classes, in program order."""
        places = [self.places[kind] for kind in filter(is_wanted.__getitem__, self.places)]
        ordered = places[0] if len(places) == 1 else sorted(chain.from_iterable(places))
        return [self.ops[place] for place in ordered]


class _KeptNested(dict[Operation, _Nested]):
    """The operations inside each operation, collected at the first request."""

    def __missing__(self, op: Operation) -> _Nested:
        ops: list[Operation] = []
        _collect(op, ops)
        nested = self[op] = _Nested(ops)
        return nested


_KEPT: ContextVar[_KeptNested | None] = ContextVar("operations inside others", default=None)


@contextmanager
def unchanged() -> Iterator[None]:
    """Cache the results of ``inside`` until the context ends: its body may not add, move or erase operations."""
    token = _KEPT.set(_KeptNested())
    try:
        yield
    finally:
        _KEPT.reset(token)


def walked(op: Operation) -> list[Operation]:
    """Return an operation and every one ``inside`` it."""
    return [op, *inside(op)]


class _Kinds(dict[type[Operation], bool]):
    """A table that tells for each class of operations whether it is, or derives from, one of some classes."""

    def __init__(self, classes: tuple[type[Operation], ...]) -> None:
        super().__init__()
        self._classes = classes

    def __missing__(self, kind: type[Operation]) -> bool:
        self[kind] = issubclass(kind, self._classes)
        return self[kind]


@cache
def kinds(*classes: type[Operation]) -> Mapping[type[Operation], bool]:
    """Return a table of classes of operations that are one of these, or derived from one: ``kinds(A, B)[type(op)]``.

    ``isinstance`` gives the same answer in five times the time: classes of operations are abstract base classes.
    """
    return _Kinds(classes)


def of_kinds(op: Operation, *classes: type[OpT]) -> list[OpT]:
    """Return the operations of these classes in the regions of one, in program order."""
    is_wanted = kinds(*classes)
    kept = _KEPT.get()
    if kept is not None:
        return cast(list[OpT], kept[op].of(is_wanted))
    return [cast(OpT, item) for item in inside(op) if is_wanted[type(item)]]


def outermost(op: Operation, kind: type[OpT]) -> list[OpT]:
    """Return the operations of a kind in an operation's regions that are in no other one of that kind, in order."""
    ops: list[OpT] = []
    for region in op.regions:
        block = region.first_block
        while block is not None:
            item = block.first_op
            while item is not None:
                if isinstance(item, kind):
                    ops.append(item)
                elif item.regions:
                    ops += outermost(item, kind)
                item = item.next_op
            block = block.next_block
    return ops


def _collect(op: Operation, ops: list[Operation]) -> None:
    for region in op.regions:
        block = region.first_block
        while block is not None:
            item = block.first_op
            while item is not None:
                ops.append(item)
                if item.regions:
                    _collect(item, ops)
                item = item.next_op
            block = block.next_block
