"""New operations in the place of old ones: an ``OpBuilder`` inserts them, a ``BlockConversion`` converts a block.

New operations have the location of the operation that they come from. An operation that cannot be converted is refused and the
conversion continues, so that one run lists everything. Patterns that are applied until nothing changes are ``ttl.ir.rewriting``."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from xdsl.dialects.builtin import LocationAttr, UnknownLoc
from xdsl.ir import Block, Operation, SSAValue

from ttl.ir.refusals import Refusal, Refused


class OpBuilder:
    """Inserts operations before ``anchor``, or at the end of ``block``; they get ``location``."""

    def __init__(
        self, block: Block, *, anchor: Operation | None = None, location: LocationAttr | None = None
    ) -> None:
        self.block = block
        self.location: LocationAttr = UnknownLoc() if location is None else location
        self._anchor = anchor

    def add(self, op: Operation) -> Operation:
        """Insert an operation. Operations in its regions have their locations already."""
        op.location = self.location
        self.move(op)
        return op

    def move(self, op: Operation) -> None:
        """Insert an operation that has a location already."""
        if self._anchor is None:
            self.block.add_op(op)
        else:
            self.block.insert_op_before(op, self._anchor)


class BlockConversion(OpBuilder, ABC):
    """Converts the operations of a block into another one. A subclass defines the conversion of an operation by its type."""

    def __init__(self, block: Block) -> None:
        super().__init__(block)
        # The new value of each old value.
        self.became: dict[SSAValue, SSAValue] = {}
        self.refused: list[tuple[Operation, Refusal]] = []

    @abstractmethod
    def convert(self, op: Operation) -> Sequence[SSAValue] | None:
        """Build the operations that replace an operation. Return the values that replace its results, unless they are unused.
        Raises ``Refused``."""

    def stand_in(self, value: SSAValue) -> SSAValue:
        """Return a value for a result of a refused operation, so that its users are converted, too, and one report is enough."""
        raise NotImplementedError(f"a result of type {value.type}")

    def convert_block(self, source: Block) -> None:
        """Convert every operation of a block, in order."""
        outer = self.location
        for op in source.ops:
            self.location = op.location
            try:
                results = self.convert(op)
            except Refused as problem:
                self.refused.append((op, problem.refusal))
                results = [self.stand_in(result) for result in op.results]
            if results is not None:
                self.become(op.results, results)
        self.location = outer

    def become(self, old: Sequence[SSAValue], new: Sequence[SSAValue]) -> None:
        """Replace old values by new ones in later operations."""
        self.became.update(zip(old, new, strict=True))

    def use(self, value: SSAValue) -> SSAValue:
        """Return the value that replaces a value."""
        return self.became[value]

    def uses(self, values: Sequence[SSAValue]) -> list[SSAValue]:
        """Return the values that replace some values."""
        return [self.use(value) for value in values]

    @contextmanager
    def inside(self, block: Block) -> Iterator[None]:
        """Inside, insert into another block. Operations without a source operation have no location there."""
        outer = self.block, self.location, self._anchor
        self.block, self.location, self._anchor = block, UnknownLoc(), None
        yield
        self.block, self.location, self._anchor = outer
