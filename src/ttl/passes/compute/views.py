"""Values that are views of blocks: no tile function computes them, only the indices of the tiles read change.

A view is described relative to the iteration space of the region that uses it: ``axes`` says for each dimension of the
value which dimension of the space moves along it, or None if its index is constant. Squeezing, unsqueezing, repeating
whole tiles and transposing change only the axes. A broadcast or a transposition within tiles is done by the read that
unpacks them (its mode).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import NamedTuple

from xdsl.dialects.builtin import TensorType
from xdsl.ir import SSAValue

from ttl.dialects import ttl as dialect
from ttl.passes.compute.modes import is_wide
from ttl.rows.dtypes import FLOAT32, REAL_NUMBER, DType
from ttl.rows.rules import negative
from ttl.rows.table import SQUEEZE
from ttl.rows.types import TILE, BlockType, Layout

TILE_ELEMENTS = TILE * TILE

Axes = tuple[int | None, ...]


class ViewedRead(NamedTuple):
    """The read of a block, the axes of its dimensions, and the mode in which its tiles are unpacked."""

    read: dialect.BlockReadOp
    axes: Axes
    mode: str


def type_of(value: SSAValue) -> BlockType:
    """The type of a block's value."""
    assert isinstance(value.type, TensorType)
    return dialect.block_type_of(value.type)


def number_as(value: SSAValue, dtype: DType) -> DType:
    """The element type of a value in an operation that computes in ``dtype``: float32 for a fraction among integers."""
    return FLOAT32 if type_of(value).dtype is REAL_NUMBER and not dtype.is_float else dtype


def tile_shape(block: BlockType) -> tuple[int, ...]:
    """The extents in tiles; a row-major block is one row of as many tiles as its elements fill."""
    if block.layout is Layout.TILE:
        return block.shape
    return (-(-prod(block.shape) // TILE_ELEMENTS),)


def identity(block: BlockType) -> Axes:
    """The axes of a value that has the shape of the space."""
    return tuple(range(len(tile_shape(block))))


@dataclass(frozen=True, slots=True)
class ViewStep:
    """The operand of a view: a value, its axes, and the mode that the view requires."""

    value: SSAValue
    axes: Axes
    mode: str = "plain"


def under(value: SSAValue, axes: Axes) -> ViewStep | None:
    """Return the operand of a view; None where the value is no view."""
    op = value.owner
    if isinstance(op, dialect.RetypeOp):
        return ViewStep(op.value, axes)
    if not isinstance(op, dialect.BlockComputeOp):
        return None
    match op.row.family:
        case "reshape" if type_of(value).layout is Layout.ROW_MAJOR:
            return ViewStep(op.operands[0], axes)
        case "reshape" if op.row is SQUEEZE:
            rank = len(type_of(op.operands[0]).shape)
            removed = negative(op.params[0], rank)
            kept = iter(axes)
            return ViewStep(
                op.operands[0], tuple(None if dim - rank in removed else next(kept) for dim in range(rank))
            )
        case "reshape":
            rank = len(axes)
            added = negative(op.params[0], rank)
            return ViewStep(
                op.operands[0], tuple(axis for dim, axis in enumerate(axes) if dim - rank not in added)
            )
        case "repetition":
            rank = len(axes)
            spread = negative(op.params[0], rank)
            modes = {(True, True): "scalar", (True, False): "row", (False, True): "column"}
            return ViewStep(
                op.operands[0],
                tuple(None if dim - rank in spread else axis for dim, axis in enumerate(axes)),
                modes.get((-2 in spread, -1 in spread), "plain"),
            )
        case "transposition":
            return ViewStep(op.operands[0], (axes[1], axes[0]), "transposed")
    return None


def reduced_in_registers(op: dialect.BlockComputeOp) -> bool:
    """Whether the vector unit computes a reduction: of elements of 32 bits, which the matrix unit would cut."""
    return is_wide(type_of(op.operands[0]).dtype) or not type_of(op.operands[0]).dtype.is_float


def reduced_within(value: SSAValue) -> str | None:
    """Return which elements of a tile a reduction combines: those of its rows, its columns or all; None for other values."""
    op = value.owner
    if not isinstance(op, dialect.BlockComputeOp) or op.row.family != "reduction":
        return None
    reduced = negative(op.params[0], len(type_of(op.operands[0]).shape))
    words = {(True, True): "all", (False, True): "columns", (True, False): "rows"}
    return words.get((-2 in reduced, -1 in reduced))


# The mode that does two modes after each other in one step; pairs that are missing take two steps.
_COMBINED = {
    ("row", "column"): "scalar",
    ("column", "row"): "scalar",
    ("row", "scalar"): "scalar",
    ("column", "scalar"): "scalar",
    ("scalar", "row"): "scalar",
    ("scalar", "column"): "scalar",
    ("scalar", "transposed"): "scalar",
    ("transposed", "scalar"): "scalar",
}


def read_of(value: SSAValue, axes: Axes) -> ViewedRead | None:
    """The read that a value is a view of; None if the value is computed, or one mode cannot do all of its views."""
    mode = "plain"
    while (step := under(value, axes)) is not None:
        if step.mode != "plain":
            combined = step.mode if mode in ("plain", step.mode) else _COMBINED.get((mode, step.mode))
            if combined is None or mode == step.mode == "transposed":
                return None
            mode = combined
        value, axes = step.value, step.axes
    return ViewedRead(value.owner, axes, mode) if isinstance(value.owner, dialect.BlockReadOp) else None


def strides_of(
    shape: Sequence[int], axes: Axes, rank: int, within: Sequence[int] | None = None
) -> tuple[int, ...]:
    """The tiles from one point to the next along each of ``rank`` dimensions of a space, in a block seen with ``axes``.

    If the block is a part of a larger one, ``within`` is the shape of that.
    """
    strides = [0] * rank
    step = 1
    around = shape if within is None else within
    for extent, axis, whole in zip(reversed(shape), reversed(axes), reversed(around), strict=True):
        if axis is not None and extent > 1:
            strides[axis] += step
        step *= whole
    return tuple(strides)


def shape_around(block: SSAValue) -> tuple[int, ...]:
    """The shape in tiles of a block in memory; for a view, the shape of the whole block."""
    while isinstance(block.owner, dialect.BlockViewOp):
        block = block.owner.block
    assert isinstance(block.type, dialect.BlockMemoryType)
    return tile_shape(block.type.block_type)
