"""Live ranges of the buffers that a compute kernel keeps for itself, and their interference.

Such a buffer is filled and read by the same kernel. Its live range consists of operations of one block of the IR: the
innermost block that contains all its uses, from the first reserve to the last pop. Where that block is the body of a
loop, the buffer is empty between the iterations.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from xdsl.ir import Block, Operation, SSAValue

from ttl.analysis.dominance import ancestor_in, comes_before, walked
from ttl.analysis.effects import writes
from ttl.dialects import ttl as dialect
from ttl.dialects.effects import BUFFERS
from ttl.dialects.structure import kernel_of


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class LiveRange:
    """The operations from ``first`` to ``last``, both in ``block``."""

    block: Block
    first: Operation
    last: Operation
    kernel: Operation


class Interference:
    """Determines which live ranges overlap, as long as no operation is inserted or moved."""

    def __init__(self) -> None:
        self._places: dict[Block, dict[Operation, int]] = {}
        self._ranges: dict[LiveRange, tuple[int, int]] = {}

    def overlap(self, one: LiveRange, other: LiveRange) -> bool:
        """Whether two buffers of one kernel may hold data at the same time."""
        if one.block is other.block:
            a, b = self._own_range(one), self._own_range(other)
            return not (a[1] < b[0] or b[1] < a[0])
        block = common_block((one.first, other.first))
        if block is None:
            return True
        first, second = self._range(one, block), self._range(other, block)
        return first is None or second is None or not (first[1] < second[0] or second[1] < first[0])

    def _own_range(self, of: LiveRange) -> tuple[int, int]:
        if of not in self._ranges:
            places = self._places_in(of.block)
            self._ranges[of] = places[of.first], places[of.last]
        return self._ranges[of]

    def _range(self, of: LiveRange, block: Block) -> tuple[int, int] | None:
        first, last = ancestor_in(of.first, block), ancestor_in(of.last, block)
        places = self._places_in(block)
        return None if first is None or last is None else (places[first], places[last])

    def _places_in(self, block: Block) -> dict[Operation, int]:
        if block not in self._places:
            self._places[block] = {op: place for place, op in enumerate(block.ops)}
        return self._places[block]


def live_range(buffer: SSAValue) -> LiveRange | None:
    """Return the live range of a buffer; None where several kernels use it, or where it may hold blocks all the time."""
    ops = [use.operation for use in buffer.uses]
    for op in tuple(ops):
        if isinstance(op, dialect.AcquireOp):
            ops += _with_block(op.result)
    acquires = [op for op in ops if isinstance(op, dialect.AcquireOp)]
    kernels = {kernel_of(op) for op in acquires}
    if len(kernels) != 1 or len(acquires) != len(list(buffer.uses)):
        return None
    block = common_block(ops)
    if block is None:
        return None
    levels = dict.fromkeys(level for op in ops if (level := ancestor_in(op, block)) is not None)
    first, last = _ends(list(levels))
    if not (_starts_empty(first) and _ends_empty(last)):
        return None
    return LiveRange(block=block, first=first, last=last, kernel=kernel_of(first))


def common_block(ops: Iterable[Operation]) -> Block | None:
    """Return the innermost block that contains all of some operations."""
    chains = [list(_blocks(op)) for op in ops]
    if not chains:
        return None
    shared = set(chains[0]).intersection(*chains[1:])
    return next((block for block in chains[0] if block in shared), None)


def _with_block(block: SSAValue) -> list[Operation]:
    """Return the operations that use an acquired block or a value read from it."""
    ops: list[Operation] = []
    for use in block.uses:
        ops.append(use.operation)
        if isinstance(use.operation, dialect.BlockReadOp):
            ops += [item.operation for item in use.operation.result.uses]
    return ops


def _blocks(op: Operation) -> Iterable[Block]:
    block = op.parent
    while block is not None:
        yield block
        parent = block.parent_op()
        block = None if parent is None else parent.parent


def _ends(ops: Sequence[Operation]) -> tuple[Operation, Operation]:
    """Return the first and the last of operations in one block."""
    first = last = ops[0]
    for op in ops[1:]:
        first = op if comes_before(op, first) else first
        last = op if comes_before(last, op) else last
    return first, last


def _starts_empty(op: Operation) -> bool:
    """Whether the first access fills a block, and does not read one that was filled before."""
    return isinstance(_acquire_or_release(op, first=True), dialect.DfbReserveOp)


def _ends_empty(op: Operation) -> bool:
    return isinstance(_acquire_or_release(op, first=False), dialect.DfbPopOp)


def _acquire_or_release(op: Operation, *, first: bool) -> Operation | None:
    """Return the first, or the last, operation that changes buffers, of an operation and those inside it, or None."""
    ops = [item for item in walked(op) if writes(item, BUFFERS)]
    return None if not ops else ops[0 if first else -1]
