"""Masks that replace the padding of blocks by elements that do not change a sum or a maximum; each is written once.

A mask is a block of bfloat16 that a data movement kernel writes at its start. Where padding is zero, a mask of zeros
and minus infinity is added, which the matrix unit does while it reads; where padding may be anything, infinity and NaN
too, the vector unit chooses between elements and the neutral number. Every mask is zero at elements, since a node
copies zeros fast.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Block as Body
from xdsl.ir import Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint

from ttl.analysis.padding import BlockPadding
from ttl.dialects import ttl as dialect
from ttl.dialects.compute import COMPUTE
from ttl.dialects.elements import RetypeOp
from ttl.dialects.filled import WriteMaskOp
from ttl.dialects.structure import kernel_of
from ttl.ir.locations import synthetic
from ttl.passes.compute.modes import compute_mode
from ttl.passes.compute.temporaries import Temporaries, insert
from ttl.passes.compute.views import type_of
from ttl.passes.marks import INITIAL, WHY
from ttl.rows.dtypes import BFLOAT16
from ttl.rows.row import Op
from ttl.rows.table import ADD, BROADCAST, FILL, SQUEEZE, UNSQUEEZE, WHERE
from ttl.rows.types import TILE, BlockType


class _Mask(NamedTuple):
    kind: str
    # In tiles.
    shape: tuple[int, int]
    # Elements that are no padding.
    valid: tuple[int, int]


class Masks:
    """The masks of one operation."""

    def __init__(self, operation: dialect.OperationOp) -> None:
        self._operation = operation
        self._written: dict[tuple[dialect.UserKernelOp, _Mask], dialect.DfbWaitOp] = {}

    def put_in(
        self, op: dialect.BlockComputeOp, at: int, padding: BlockPadding, reduced: tuple[int, ...]
    ) -> None:
        """Replace the padding of an operand by elements that do not change the result of a reduction along dimensions.

        That is minus infinity for a maximum, else 0. The amount of padding along these dimensions has to be known.
        """
        value = op.operands[at]
        block = type_of(value)
        is_maximum = op.row.pool == "max"
        kind = "lowest" if is_maximum and padding.is_zero else "select"
        assert padding.valid is not None
        rows, columns = (
            valid if axis in reduced else TILE * extent
            for axis, valid, extent in zip((-2, -1), padding.valid, block.shape[-2:], strict=True)
        )
        # If the mask is the same for all rows of tiles, it has one row of tiles.
        height = 1 if rows == TILE * block.shape[-2] else block.shape[-2]
        mask = _Mask(kind, (height, block.shape[-1]), (min(rows, TILE * height), columns))
        writer = _MaskWriter(op)
        seen = writer.spread(self._read(op, mask), block)
        if kind == "lowest":
            masked = writer.compute(ADD, (value, writer.typed(seen, block)), (), block)
        else:
            number: float = -math.inf if is_maximum else 0
            fill = writer.filled(number, block)
            masked = writer.compute(WHERE, (seen, fill, value), (), block)
        masked_by = masked.owner
        assert isinstance(masked_by, Operation)
        masked_by.attributes[WHY] = StringAttr(
            f"padding of a tensor becomes {'minus infinity' if is_maximum else '0'}, so that it does not count"
        )
        op.operands[at] = masked

    def _read(self, op: dialect.BlockComputeOp, mask: _Mask) -> SSAValue:
        kernel = kernel_of(op)
        key = (kernel, mask)
        if key not in self._written:
            self._written[key] = self._write(kernel, mask)
        wait = self._written[key]
        read = dialect.BlockReadOp(wait.result)
        insert([read], InsertPoint.before(op), op.location)
        return read.result

    def _write(self, kernel: dialect.UserKernelOp, mask: _Mask) -> dialect.DfbWaitOp:
        """Make a buffer with a mask; the kernel waits for it at its start."""
        place = synthetic("mask of padding")
        rows, columns = mask.valid
        dfb = Temporaries(self._operation, compute_mode(self._operation)).buffer(
            BlockType.of(mask.shape, BFLOAT16),
            1,
            "padding_mask",
            f"{_counted(mask)} of a block are no padding",
            place,
        )
        dfb.attributes[INITIAL] = StringAttr(f"padding_mask {mask.kind} {rows} {columns}")
        wait = dialect.DfbWaitOp(dfb.result)
        insert([wait], InsertPoint.at_start(kernel.body.block), place)
        writer = writer_of(self._operation, "write_mask")
        insert(
            [WriteMaskOp(dfb.result, mask.kind, rows, columns)],
            InsertPoint.at_start(writer.body.block),
            place,
        )
        return wait


def writer_of(operation: dialect.OperationOp, otherwise: str) -> dialect.UserKernelOp:
    """Return the kernel in which masks and scalers are written: the last data movement kernel, else a new one.

    The last one has time at its start, where it waits for results. A new one is called ``otherwise``.
    """
    for kernel in reversed(operation.kernels):
        if kernel.kind == "data movement":
            return kernel
    writer = dialect.DataMovementKernelOp(name=otherwise, body=Region(Body()))
    insert([writer], InsertPoint.at_end(operation.body.block), synthetic("what is written once"))
    return writer


class _MaskWriter:
    """Inserts operations of the table before another operation."""

    def __init__(self, op: dialect.BlockComputeOp) -> None:
        self._op = op

    def compute(
        self, row: Op, operands: tuple[SSAValue, ...], params: tuple[object, ...], result: BlockType
    ) -> SSAValue:
        """Insert an operation of the table, and return its result."""
        op = COMPUTE[row.name](operands, params, result)
        insert([op], InsertPoint.before(self._op), self._op.location)
        return op.result

    def typed(self, value: SSAValue, block: BlockType) -> SSAValue:
        """The mask with the element type of a block."""
        if type_of(value) == block:
            return value
        op = RetypeOp(value, block)
        insert([op], InsertPoint.before(self._op), self._op.location)
        return op.result

    def filled(self, number: float, block: BlockType) -> SSAValue:
        """A block filled with a number."""
        params = (number, block.shape, block.layout)
        block_type = FILL.infer((), params)
        assert isinstance(block_type, BlockType)
        return self.compute(FILL, (), params, block_type)

    def spread(self, mask: SSAValue, block: BlockType) -> SSAValue:
        """A mask whose tiles are repeated to the shape of a block."""
        *outer, rows, columns = block.shape
        given = type_of(mask)
        if given.shape == block.shape:
            return mask
        if given.shape[0] == rows:
            return self._repeated(mask, tuple(outer), (rows, columns))
        # Whole rows of tiles are repeated, not the first row of elements of a tile.
        lines = self._repeated(mask, (*outer, rows), (1, columns))
        return self.compute(SQUEEZE, (lines,), ((-2,),), given.with_shape(block.shape))

    def _repeated(self, mask: SSAValue, outer: tuple[int, ...], inner: tuple[int, int]) -> SSAValue:
        dims = tuple(range(len(outer)))
        given = type_of(mask)
        lifted = given.with_shape((*(1 for _ in outer), *inner))
        value = self.compute(UNSQUEEZE, (mask,), (dims,), lifted)
        if all(extent == 1 for extent in outer):
            return value
        return self.compute(BROADCAST, (value,), (dims, (*outer, *inner)), given.with_shape((*outer, *inner)))


def _counted(mask: _Mask) -> str:
    """The numbers of rows and columns that are not padding, in words; a dimension without padding is left out."""
    words = (
        f"{valid} {name}"
        for valid, extent, name in zip(mask.valid, mask.shape, ("rows", "columns"), strict=True)
        if valid < extent * TILE
    )
    return " and ".join(words)
