"""The extent of data in every value, buffer and net of pipes of an operation, and the contents of its padding.

A forward analysis to its fixed point: the edges of tensors bring in padding; copies, stores and expressions keep it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

from xdsl.dialects import affine, scf
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, SSAValue

from ttl.analysis.arithmetic import integer_of
from ttl.analysis.dominance import of_kinds, walked
from ttl.dialects import ttl as dialect
from ttl.dialects.elements import RetypeOp
from ttl.rows.lowering import is_elementwise, value_of_numbers
from ttl.rows.row import Valid
from ttl.rows.table import MUL
from ttl.rows.types import TILE, BlockType, Layout


@dataclass(frozen=True, slots=True)
class BlockPadding:
    """The numbers of data rows and columns of a block, whether each of the two is constant, and the padding's content.

    If a number varies, ``valid`` has the least.
    """

    valid: Valid
    fixed: tuple[bool, bool] = (True, True)
    # The number that fills the padding, if known; and whether it is finite, None if not known.
    number: float | None = 0
    is_finite: bool | None = True

    @property
    def is_zero(self) -> bool:
        """Whether padding consists of zeros."""
        return self.number == 0


NO_PADDING = BlockPadding(None)


def either(one: BlockPadding, other: BlockPadding) -> BlockPadding:
    """Join the padding of a block on two paths; where ``valid`` differs, the result has the lesser one."""
    if one == other:
        return one
    number = one.number if one.number == other.number else None
    finite = one.is_finite if one.is_finite == other.is_finite else None
    if one.valid is None or other.valid is None:
        known = other if one.valid is None else one
        return BlockPadding(known.valid, (False, False), known.number, known.is_finite)
    rows, columns = (
        first and second and here == there
        for first, second, here, there in zip(one.fixed, other.fixed, one.valid, other.valid, strict=True)
    )
    least = (min(one.valid[0], other.valid[0]), min(one.valid[1], other.valid[1]))
    return BlockPadding(least, (rows, columns), number, finite)


def touches(padding: BlockPadding, block: BlockType, reduced: tuple[int, ...]) -> bool:
    """Whether there is padding along a reduced dimension."""
    assert padding.valid is not None
    return any(
        axis in reduced and (not padding.fixed[axis] or padding.valid[axis] < block.elements[axis])
        for axis in (-2, -1)
    )


def is_padded(op: dialect.TensorSliceOp) -> bool:
    """Whether a tensor has padding."""
    accessor = op.accessor.type
    assert isinstance(accessor, dialect.AccessorType)
    return accessor.layout is Layout.TILE and any(extent % TILE for extent in accessor.shape[-2:])


def padding_of_slice(op: dialect.TensorSliceOp) -> BlockPadding:
    """Return the padding in blocks that a slice of a tensor is copied to."""
    if not is_padded(op):
        return NO_PADDING
    accessor = op.accessor.type
    assert isinstance(accessor, dialect.AccessorType)
    rows, columns = (
        _along(extent, integer_of(offset), size)
        for extent, offset, size in zip(
            accessor.shape[-2:], list(op.offsets)[-2:], list(op.size_values)[-2:], strict=True
        )
    )
    return BlockPadding((rows[0], columns[0]), (rows[1], columns[1]))


def _along(extent: int, first: int | None, size: object) -> tuple[int, bool]:
    """Return the number of data rows (or columns), and whether it is constant; if it varies, the least number."""
    tiles = -(-extent // TILE)
    count = size if isinstance(size, int) else tiles
    if extent % TILE == 0 or (first is not None and first + count < tiles):
        return count * TILE, True
    if first is not None and isinstance(size, int):
        return extent - first * TILE, True
    if count == tiles:
        return extent, True
    return count * TILE - TILE + extent % TILE, False


def computed(op: dialect.BlockComputeOp, paddings: Sequence[BlockPadding]) -> BlockPadding:
    """Return the padding of a result, from that of the operands that are blocks."""
    if all(padding.valid is None for padding in paddings):
        return NO_PADDING
    result = _type_of(op.result)
    valid = op.row.valid_rule([padding.valid for padding in paddings], op.params, result)
    if valid is None and all(all(padding.fixed) for padding in paddings):
        return NO_PADDING
    number = _number(op, paddings, result)
    if number is not None and math.isnan(number):
        return BlockPadding(valid or (0, 0), _fixed(op, paddings, result), None, False)
    finite = _stays_finite(op, paddings, result) if number is None else math.isfinite(number)
    return BlockPadding(valid or (0, 0), _fixed(op, paddings, result), number, finite)


def _fixed(
    op: dialect.BlockComputeOp, paddings: Sequence[BlockPadding], result: BlockType
) -> tuple[bool, bool]:
    """Return whether the rows and the columns of a result are constant, although those of the operands may vary.

    The rows and columns of a result grow with those of the operands: if the least and the most agree, so does
    everything between.
    """
    if all(all(padding.fixed) for padding in paddings):
        return (True, True)
    least = op.row.valid_rule([padding.valid for padding in paddings], op.params, result)
    all_ = op.row.valid_rule([_with_unknown(padding, 1 << 30) for padding in paddings], op.params, result)
    if least is None or all_ is None:
        return (False, False)
    return (least[0] == all_[0], least[1] == all_[1])


def _with_unknown(padding: BlockPadding, extent: int) -> Valid:
    if padding.valid is None:
        return None
    rows, columns = (
        known if fixed else extent for known, fixed in zip(padding.valid, padding.fixed, strict=True)
    )
    return rows, columns


def _number(op: dialect.BlockComputeOp, paddings: Sequence[BlockPadding], result: BlockType) -> float | None:
    """Return the number in the padding of a result; None if it depends on more than padding."""
    numbers = [padding.number for padding in paddings if padding.valid is not None]
    if all(number == 0 for number in numbers) and (op.row.is_view or op.row.adds_up or op.row is MUL):
        return 0
    if op.row.is_view:
        return numbers[0]
    if len({padding.valid for padding in paddings}) > 1 or any(
        _type_of(op.result).shape != _type_of(operand).shape
        for operand in op.operands
        if isinstance(operand.type, TensorType)
    ):
        return None
    if not is_elementwise(op.row) and any(numbers):
        return None
    tiles = iter(paddings)
    operands = [
        next(tiles).number if isinstance(operand.type, TensorType) else dialect.constant_of(operand)
        for operand in op.operands
    ]
    given = [operand for operand in operands if operand is not None]
    return value_of_numbers(op.row, given, op.params, result) if len(given) == len(operands) else None


# Sample values of operands.
_SAMPLES = (-1000.0, -1.5, 0.0, 0.5, 1000.0)


def _stays_finite(
    op: dialect.BlockComputeOp, paddings: Sequence[BlockPadding], result: BlockType
) -> bool | None:
    """Whether the padding of a result is finite if the operands' padding is; None if it may not be."""
    if not all(padding.is_finite for padding in paddings if padding.valid is not None):
        return None
    if not is_elementwise(op.row):
        return True
    choices = [
        _SAMPLES if isinstance(operand.type, TensorType) else (dialect.constant_of(operand),)
        for operand in op.operands
    ]
    for numbers in product(*choices):
        given = [number for number in numbers if number is not None]
        if len(given) < len(numbers) or not math.isfinite(value_of_numbers(op.row, given, op.params, result)):
            return None
    return True


def _type_of(value: SSAValue) -> BlockType:
    return dialect.block_type_of(value.type)


# --- the whole of an operation --------------------------------------------------------------------------------


class PaddingFlow:
    """The padding in all blocks of an operation."""

    def __init__(self, operation: dialect.OperationOp) -> None:
        self._operation = operation
        # The padding of buffers, nets of pipes, and values.
        self._known: dict[SSAValue, BlockPadding] = {}
        self._changed = True

    def run(self) -> bool:
        """Find the padding of all values and buffers. Return False if no tensor has padding."""
        if not any(is_padded(op) for op in of_kinds(self._operation, dialect.TensorSliceOp)):
            return False
        while self._changed:
            self._changed = False
            for op in walked(self._operation):
                self._visit(op)
        return True

    def of(self, value: SSAValue) -> BlockPadding:
        """Return the padding of a value, or of the blocks of a buffer."""
        return self._known.get(value, NO_PADDING)

    def _learn(self, value: SSAValue, padding: BlockPadding | None) -> None:
        """Join a padding with the known one of a value; None changes nothing."""
        if padding is None:
            return
        before = self._known.get(value)
        after = padding if before is None else either(before, padding)
        if after != before:
            self._known[value] = after
            self._changed = True

    def _visit(self, op: Operation) -> None:
        match op:
            case dialect.CopyOp():
                self._copy(op)
            case dialect.BlockReadOp():
                self._learn(op.result, of_part(self._known.get(buffer_of(op.block)), op))
            case dialect.BlockStoreOp() | dialect.BlockAccumulateOp():
                self._learn(buffer_of(op.block), into_part(self._known.get(op.value), op))
            case RetypeOp():
                self._learn(op.result, self._known.get(op.value))
            case dialect.BlockComputeOp():
                self._learn(op.result, self._computed(op))
        if isinstance(op, scf.ForOp | affine.ForOp):
            body = op.regions[0].block
            end = body.last_op
            assert end is not None
            count = len(op.results)
            initial = op.operands[len(op.operands) - count :]
            for result, argument, first, last in zip(
                op.results, body.args[len(body.args) - count :], initial, end.operands, strict=True
            ):
                if isinstance(result.type, TensorType):
                    for block_padding in (self._known.get(first), self._known.get(last)):
                        self._learn(argument, block_padding)
                        self._learn(result, block_padding)
        elif isinstance(op, scf.IfOp):
            for region in op.regions:
                end = region.block.last_op if region.blocks else None
                for result, value in zip(op.results, end.operands if end is not None else (), strict=False):
                    if isinstance(result.type, TensorType):
                        self._learn(result, self._known.get(value))

    def _copy(self, op: dialect.CopyOp) -> None:
        source, target = op.src, op.dst
        if isinstance(source.owner, dialect.TensorSliceOp):
            self._learn(buffer_of(target), padding_of_slice(source.owner))
        elif isinstance(target.type, dialect.PipeType):
            self._learn(net_of(target), self._known.get(buffer_of(source)))
        elif isinstance(source.type, dialect.PipeType):
            self._learn(buffer_of(target), self._known.get(net_of(source)))

    def _computed(self, op: dialect.BlockComputeOp) -> BlockPadding | None:
        tiles = [operand for operand in op.operands if isinstance(operand.type, TensorType)]
        paddings = [self._known[operand] for operand in tiles if operand in self._known]
        return computed(op, paddings) if len(paddings) == len(tiles) else None


def of_part(padding: BlockPadding | None, op: dialect.BlockReadOp) -> BlockPadding | None:
    """Return the padding of a part of a block that is read, from that of the block."""
    if padding is None or padding.valid is None or not op.offsets:
        return padding
    extents = dialect.block_type_of(op.result.type).elements[-2:]
    starts = _starts(op.offsets)
    if starts is None:
        least = tuple(
            0 if valid < whole else extent
            for valid, whole, extent in zip(padding.valid, _whole(op), extents, strict=True)
        )
        return replace(padding, valid=(least[0], least[1]), fixed=(False, False))
    rows, columns = (
        min(max(valid - start, 0), extent)
        for valid, start, extent in zip(padding.valid, starts, extents, strict=True)
    )
    if (rows, columns) == extents and all(padding.fixed):
        return NO_PADDING
    return replace(padding, valid=(rows, columns))


def into_part(
    padding: BlockPadding | None, op: dialect.BlockStoreOp | dialect.BlockAccumulateOp
) -> BlockPadding | None:
    """Return the padding of a block after a value is stored into it, or into a part of it."""
    if padding is None or padding.valid is None or not op.offsets:
        return padding
    starts = _starts(op.offsets)
    if starts is None:
        return replace(padding, fixed=(False, False))
    rows, columns = (start + valid for start, valid in zip(starts, padding.valid, strict=True))
    return replace(padding, valid=(rows, columns), fixed=(False, False))


def _starts(offsets: Sequence[SSAValue]) -> list[int] | None:
    """Return the offsets of a part in the last two dimensions, in elements; None if they are not known."""
    known = [dialect.constant_of(offset) for offset in offsets[-2:]]
    return None if None in known else [int(start) * TILE for start in known if start is not None]


def _whole(op: dialect.BlockReadOp) -> tuple[int, ...]:
    assert isinstance(op.block.type, dialect.BlockMemoryType)
    return op.block.type.block_type.elements[-2:]


def buffer_of(block: SSAValue) -> SSAValue:
    """Return the buffer of a block; the block itself if that is not known."""
    return dialect.dfb_of(block) or block


def net_of(pipe: SSAValue) -> SSAValue:
    """The net of a pipe."""
    owner = pipe.owner if isinstance(pipe.owner, Operation) else pipe.owner.parent_op()
    return owner.net if isinstance(owner, dialect.IfPipeOp) else pipe
