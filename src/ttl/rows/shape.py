"""Broadcast, transpose, squeeze and unsqueeze (specification, Appendix B)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ttl.diag.model import Diagnostic, Remedy, error
from ttl.diag.remedies import Argument, Rewrite, Wrap
from ttl.rows.build import EXACTLY, EXPR
from ttl.rows.dtypes import Array
from ttl.rows.hardware import EXACT, both, generations, on_buffers
from ttl.rows.params import dims, shape
from ttl.rows.row import Op, OperandType, Params, Valid
from ttl.rows.rules import OTHER_TILES, blocks_of, checked_dims, negative, row_major_unsupported
from ttl.rows.types import TILE_HEIGHTS, TILE_WIDTHS, BlockType, Layout

_BROADCAST = "ttl.block.broadcast"
_TRANSPOSE = "ttl.block.transpose"


def _broadcast_rule(operands: tuple[OperandType, ...], params: Params) -> BlockType | Diagnostic:
    (operand,) = blocks_of(operands)
    if operand.layout is not Layout.TILE:
        return row_major_unsupported(_BROADCAST, operand)
    given, wanted = params
    rank = len(operand.shape)
    if len(wanted) != rank:
        missing = len(wanted) - rank
        advice = (
            f"add the missing ones first: ttl.block.unsqueeze(expr, dims={list(range(missing))})"
            if missing > 0
            else ""
        )
        return error(
            "TTL0409",
            f"{_BROADCAST}: shape={wanted} has {len(wanted)} dimensions, the block {rank}: {operand.describe()}",
            help=advice or (),
        ).remedied_by(
            Wrap(template=f"ttl.block.unsqueeze({{}}, dims={list(range(missing))})", operand=0)
            if missing > 0
            else None
        )
    spread = checked_dims(_BROADCAST, given, rank)
    if isinstance(spread, Diagnostic):
        return spread
    for dim in given:
        if operand.shape[dim] != 1:
            return error(
                "TTL0409",
                f"{_BROADCAST}: dims={list(given)}: the block has {operand.shape[dim]}, not 1, in dimension {dim}: "
                f"{operand.describe()}",
                notes=("a broadcast repeats dimensions of extent 1",),
                help=_suggestion(operand, wanted),
            ).remedied_by(_other_dims(operand, wanted))
    expected = tuple(
        wanted[dim] if dim - rank in spread else extent for dim, extent in enumerate(operand.shape)
    )
    if wanted != expected:
        return error(
            "TTL0409",
            f"{_BROADCAST}: shape={wanted} differs from the block outside dims={list(given)}: {operand.describe()}",
            notes=("outside dims the shape is the block's",),
            help=_suggestion(operand, wanted) or (f"write shape={expected}",),
        ).remedied_by(_other_dims(operand, wanted) or Argument(name="shape", value=str(expected), position=2))
    return operand.with_shape(wanted)


def _suggestion(operand: BlockType, wanted: tuple[int, ...]) -> tuple[str, ...]:
    changed = _changed_dims(operand, wanted)
    return (f"write dims={changed}, shape={wanted}",) if changed else ()


def _other_dims(operand: BlockType, wanted: tuple[int, ...]) -> Remedy | None:
    changed = _changed_dims(operand, wanted)
    return Argument(name="dims", value=str(changed), position=1) if changed else None


def _changed_dims(operand: BlockType, wanted: tuple[int, ...]) -> list[int]:
    """The dimensions that a broadcast to ``wanted`` repeats; empty if the broadcast is impossible."""
    rank = len(operand.shape)
    changed = [dim - rank for dim in range(rank) if operand.shape[dim] != wanted[dim]]
    return [] if any(operand.shape[dim] != 1 for dim in changed) else changed


def _broadcast(arrays: Sequence[Any], params: Params, result: BlockType) -> Array:
    (x,) = arrays
    rank = len(result.elements)
    for dim in negative(params[0], rank):
        if dim == -1:
            x = x[..., 0:1]
        elif dim == -2:
            x = x[..., 0:1, :]
    batch = x.shape[: x.ndim - rank]
    return np.broadcast_to(x, (*batch, *result.elements))


def _broadcast_valid(valids: Sequence[Valid], params: Params, result: BlockType) -> Valid:
    (valid,) = valids
    if valid is None:
        return None
    spread = negative(params[0], len(result.elements))
    extent = (
        result.elements[-2] if -2 in spread else valid[0],
        result.elements[-1] if -1 in spread else valid[1],
    )
    return None if extent == result.elements[-2:] else extent


def _transpose_rule(operands: tuple[OperandType, ...], params: Params) -> BlockType | Diagnostic:
    (operand,) = blocks_of(operands)
    if operand.layout is not Layout.TILE:
        return row_major_unsupported(_TRANSPOSE, operand)
    if len(operand.shape) != 2:
        ones = [dim for dim, extent in enumerate(operand.shape[:-2]) if extent == 1]
        squeezed = len(ones) == len(operand.shape) - 2
        return error(
            "TTL0413",
            f"{_TRANSPOSE}: defined on blocks of two dimensions, this has {len(operand.shape)}: {operand.describe()}",
            help=f"remove the outer ones first: ttl.block.squeeze(expr, dims={ones})" if squeezed else (),
        ).remedied_by(_of_the_inner_two(ones) if squeezed else None)
    height, width = operand.tile
    if width not in TILE_HEIGHTS or height not in TILE_WIDTHS:
        return error(
            OTHER_TILES,
            f"{_TRANSPOSE}: tiles of {height}x{width} would become tiles of {width}x{height}, which there are not",
            help="tiles are 16 or 32 elements wide: make the buffer with tile=(16, 16), (16, 32), (32, 16) or (32, 32)",
        )
    return BlockType.of(operand.shape[::-1], operand.dtype, operand.layout, (width, height))


def _of_the_inner_two(ones: list[int]) -> Remedy:
    """A remedy for a block whose outer dimensions are 1: squeeze them, transpose, and unsqueeze them."""
    inner = f"ttl.block.transpose(ttl.block.squeeze({{0}}, dims={ones}))"
    return Rewrite(template=f"ttl.block.unsqueeze({inner}, dims={ones})")


def _transpose(arrays: Sequence[Any], params: Params, result: BlockType) -> Array:
    value: Array = np.swapaxes(arrays[0], -1, -2)
    return value


def _transpose_valid(valids: Sequence[Valid], params: Params, result: BlockType) -> Valid:
    (valid,) = valids
    return None if valid is None else (valid[1], valid[0])


def _squeeze_rule(operands: tuple[OperandType, ...], params: Params) -> BlockType | Diagnostic:
    label = "ttl.block.squeeze"
    (operand,) = blocks_of(operands)
    rank = len(operand.shape)
    (given,) = params
    removed = checked_dims(label, given, rank)
    if isinstance(removed, Diagnostic):
        return removed
    for dim in given:
        if operand.shape[dim] != 1:
            return error(
                "TTL0414",
                f"{label}: dims={list(given)}: the block has {operand.shape[dim]}, not 1, in dimension {dim}: "
                f"{operand.describe()}",
                help="only dimensions of extent 1 can be removed; to combine the values of others use "
                "ttl.math.reduce_sum or ttl.math.reduce_max",
            )
    shape = tuple(extent for dim, extent in enumerate(operand.shape) if dim - rank not in removed)
    least = 2 if operand.layout is Layout.TILE else 1
    if len(shape) < least:
        return error(
            "TTL0418",
            f"{label}: dims={list(given)} leaves {len(shape)} of the dimensions of {operand.describe()}",
            notes=("a tiled block has at least two dimensions, a row-major block one",),
            help="keep as many dimensions of extent 1 as needed",
        )
    return operand.with_shape(shape)


def _unsqueeze_rule(operands: tuple[OperandType, ...], params: Params) -> BlockType | Diagnostic:
    label = "ttl.block.unsqueeze"
    (operand,) = blocks_of(operands)
    (given,) = params
    rank = len(operand.shape) + len(given)
    added = checked_dims(label, given, rank, "the result")
    if isinstance(added, Diagnostic):
        return added
    extents = iter(operand.shape)
    return operand.with_shape(tuple(1 if dim - rank in added else next(extents) for dim in range(rank)))


def _regroup(x: Array, old: tuple[int, ...], result: BlockType) -> Array:
    """Return the same tiles in the same order, in the shape of the result."""
    batch = x.shape[: x.ndim - len(old)]
    *outer, rows, columns = old
    tiles = x.reshape(*batch, *outer, rows, result.tile[0], columns, result.tile[1])
    tiles = np.swapaxes(tiles, -3, -2)
    *outer, rows, columns = result.shape
    tiles = tiles.reshape(*batch, *outer, rows, columns, *result.tile)
    value: Array = np.swapaxes(tiles, -3, -2).reshape(*batch, *result.elements)
    return value


def _reshape(x: Array, old: tuple[int, ...], result: BlockType) -> Array:
    batch = x.shape[: x.ndim - len(old)]
    if result.layout is Layout.ROW_MAJOR or old[-2:] == result.shape[-2:]:
        return x.reshape(*batch, *result.elements)
    return _regroup(x, old, result)


def _before_squeeze(params: Params, result: BlockType) -> tuple[int, ...]:
    rank = len(result.shape) + len(params[0])
    removed = negative(params[0], rank)
    extents = iter(result.shape)
    return tuple(1 if dim - rank in removed else next(extents) for dim in range(rank))


def _before_unsqueeze(params: Params, result: BlockType) -> tuple[int, ...]:
    rank = len(result.shape)
    added = negative(params[0], rank)
    return tuple(extent for dim, extent in enumerate(result.shape) if dim - rank not in added)


def _squeeze(arrays: Sequence[Any], params: Params, result: BlockType) -> Array:
    return _reshape(arrays[0], _before_squeeze(params, result), result)


def _unsqueeze(arrays: Sequence[Any], params: Params, result: BlockType) -> Array:
    return _reshape(arrays[0], _before_unsqueeze(params, result), result)


def _kept(old: tuple[int, ...], rank: int, dims: tuple[int, ...], valid: Valid, result: BlockType) -> Valid:
    """The extent of data after dimensions come or go: kept for outer dimensions and single tiles, else None."""
    if valid is None or result.layout is Layout.ROW_MAJOR:
        return None
    moved = any(dim >= -2 for dim in negative(dims, rank))
    return None if moved and not old[-2:] == result.shape[-2:] == (1, 1) else valid


def _squeeze_valid(valids: Sequence[Valid], params: Params, result: BlockType) -> Valid:
    old = _before_squeeze(params, result)
    return _kept(old, len(old), params[0], valids[0], result)


def _unsqueeze_valid(valids: Sequence[Valid], params: Params, result: BlockType) -> Valid:
    return _kept(_before_unsqueeze(params, result), len(result.shape), params[0], valids[0], result)


_BCAST_NOTE = (
    "COL for dims -1, ROW for -2, SCALAR for both; outer dimensions and whole tiles are a choice of index"
)

SHAPES: tuple[Op, ...] = (
    Op(
        name="broadcast",
        family="repetition",
        traits=EXACTLY,
        namespace="block",
        spellings=(_BROADCAST,),
        anchor="appendix-b-reduction",
        summary="Repeated along dimensions of extent 1.",
        operands=(EXPR,),
        params=(
            dims("The dimensions to repeat along, in which the block has extent 1."),
            shape("Shape of the result in tiles; the block's outside `dims`."),
        ),
        rule=_broadcast_rule,
        reference=_broadcast,
        valid_rule=_broadcast_valid,
        hardware=both(on_buffers("unary_bcast", "cb", note=_BCAST_NOTE)),
        tolerance=EXACT,
        layouts=frozenset({Layout.TILE}),
        doc="Broadcasting -1 repeats column 0 of each tile, -2 repeats row 0, both repeat element (0, 0): exactly the "
        "lanes a reduction over the same dims leaves its result in, and where a vector or scalar tensor has its "
        "values. Then whole tiles are repeated to the shape.",
        example="ttl.block.broadcast(ttl.math.reduce_max(a, dims=[-1]), dims=[-1], shape=(2, 2))",
        deprecated_spellings=("ttl.math.broadcast", "ttl.broadcast"),
        older_forms=True,
    ),
    Op(
        name="transpose",
        family="transposition",
        traits=EXACTLY,
        namespace="block",
        spellings=(_TRANSPOSE,),
        anchor="appendix-b-reduction",
        summary="Rows and columns exchanged.",
        operands=(EXPR,),
        rule=_transpose_rule,
        reference=_transpose,
        valid_rule=_transpose_valid,
        hardware=generations((on_buffers("transpose_wh_tile", "cb"),), (on_buffers("transpose_tile", "cb"),)),
        tolerance=EXACT,
        layouts=frozenset({Layout.TILE}),
        doc="Shape (M, N) becomes (N, M), elements within tiles too. Defined on two dimensions.",
        example="ttl.block.transpose(a)",
        deprecated_spellings=("ttl.math.transpose", "ttl.transpose"),
    ),
    Op(
        name="squeeze",
        family="reshape",
        traits=EXACTLY,
        namespace="block",
        spellings=("ttl.block.squeeze",),
        anchor="appendix-b-shape",
        summary="Dimensions of extent 1 removed.",
        operands=(EXPR,),
        params=(dims("The dimensions to remove, of extent 1."),),
        rule=_squeeze_rule,
        reference=_squeeze,
        valid_rule=_squeeze_valid,
        hardware=both(),
        tolerance=EXACT,
        doc="Costs nothing: the same tiles in the same order under another shape.",
        example="ttl.block.squeeze(ttl.block.unsqueeze(a, dims=[0]), dims=[0])",
    ),
    Op(
        name="unsqueeze",
        family="reshape",
        traits=EXACTLY,
        namespace="block",
        spellings=("ttl.block.unsqueeze",),
        anchor="appendix-b-shape",
        summary="Dimensions of extent 1 added.",
        operands=(EXPR,),
        params=(dims("Where the new dimensions are, as positions in the result."),),
        rule=_unsqueeze_rule,
        reference=_unsqueeze,
        valid_rule=_unsqueeze_valid,
        hardware=both(),
        tolerance=EXACT,
        doc="Costs nothing: the same tiles in the same order under another shape.",
        example="ttl.block.squeeze(ttl.block.unsqueeze(a, dims=[0]), dims=[0])",
    ),
)
