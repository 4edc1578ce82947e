"""Reductions (specification, Appendix B, "Reduction, broadcast and transpose functions").

On tiles, a reduction has two steps: whole tiles are combined element by element along the reduced dimensions; then
each tile keeps its result in column 0 if the innermost dimension is reduced, in row 0 if the next one is, and in
element (0, 0) if both are. The other lanes are undefined; the reference leaves zeros there, as the hardware's packer
does, and the sanitizer poisons them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ttl.diag.model import Diagnostic, error
from ttl.diag.remedies import Argument
from ttl.rows.build import EXPR
from ttl.rows.dtypes import Array
from ttl.rows.hardware import (
    ACCUMULATED,
    COMPUTE,
    EXACT,
    OUT,
    WORDS,
    Hardware,
    both,
    on_buffers,
    tile,
    word,
)
from ttl.rows.params import dims, shape
from ttl.rows.row import FLOATS, Op, OperandType, Params, TileCall, TileFunction, Valid
from ttl.rows.rules import Rule, blocks_of, checked_dims, negative, row_major_unsupported
from ttl.rows.types import BlockType, Layout

_ANCHOR = "appendix-b-reduction"


def _rule(label: str) -> Rule:
    def rule(operands: tuple[OperandType, ...], params: Params) -> BlockType | Diagnostic:
        (operand,) = blocks_of(operands)
        if operand.layout is not Layout.TILE:
            return row_major_unsupported(label, operand)
        given, wanted = params
        rank = len(operand.shape)
        reduced = checked_dims(label, given, rank)
        if isinstance(reduced, Diagnostic):
            return reduced
        shape = tuple(1 if dim - rank in reduced else extent for dim, extent in enumerate(operand.shape))
        if wanted is not None and wanted != shape:
            return error(
                "TTL0408",
                f"{label}: shape={wanted} does not fit dims={list(given)} of a block of {operand.describe()}",
                notes=("the shape has 1 in the reduced dimensions and the block's extents in the others",),
                help=f"write shape={shape}, or leave shape out: it follows from dims",
            ).remedied_by(Argument(name="shape", value=str(shape), position=2))
        return operand.with_shape(shape)

    return rule


def _reduced(dims: tuple[int, ...], result: BlockType) -> tuple[tuple[int, ...], bool, bool]:
    numbers = negative(dims, len(result.shape))
    return numbers, -2 in numbers, -1 in numbers


def _reference(
    reduce: Callable[..., Array],
) -> Callable[[Sequence[Any], Params, BlockType], Array]:
    def reference(arrays: Sequence[Any], params: Params, result: BlockType) -> Array:
        (x,) = arrays
        axes, rows, columns = _reduced(params[0], result)
        value = reduce(x, axis=axes, keepdims=True)
        if not rows and not columns:
            return value
        batch = x.shape[: x.ndim - len(result.elements)]
        out = np.zeros((*batch, *result.elements), value.dtype)
        if rows and columns:
            out[..., 0:1, 0:1] = value
        elif columns:
            out[..., 0:1] = value
        else:
            out[..., 0:1, :] = value
        return out

    return reference


def _valid(valids: Sequence[Valid], params: Params, result: BlockType) -> Valid:
    (valid,) = valids
    if valid is None:
        return None
    # The lanes beside the result are undefined; they are not padding, so that a reduced dimension has no padding.
    _, rows, columns = _reduced(params[0], result)
    return (result.elements[-2] if rows else valid[0], result.elements[-1] if columns else valid[1])


def _undefined(params: Params, result: BlockType) -> Array | None:
    _, rows, columns = _reduced(params[0], result)
    if not rows and not columns:
        return None
    mask = np.zeros(result.elements[-2:], np.bool_)
    if columns:
        mask[:, np.arange(mask.shape[1]) % result.tile[1] != 0] = True
    if rows:
        mask[np.arange(mask.shape[0]) % result.tile[0] != 0, :] = True
    return mask


def _hardware(pool: str) -> Hardware:
    note = (
        "REDUCE_ROW for dims -1, REDUCE_COL for -2, REDUCE_SCALAR for both; needs a scaler tile of ones; outer "
        "dimensions combine whole tiles"
    )
    return both(on_buffers("reduce_tile", "cb", note=note), *(_vector(pool, dim) for dim in (-1, -2)))


def _vector(pool: str, dim: int) -> TileCall:
    """The sum or maximum of the columns (-1) or rows of a tile in DST: of float32 with all bits, and sums of integers.

    The hardware also has a maximum of integers, but in 0.69 it is wrong for negative numbers: it compares magnitudes.
    """
    along = word("ReduceDim::REDUCE_ROW" if dim == -1 else "ReduceDim::REDUCE_COL")
    template = (word(f"PoolType::{pool}"), OUT)
    return tile(
        "sfpu_reduce",
        COMPUTE,
        template=(*template, along),
        init=TileFunction("sfpu_reduce_init", template),
        form="unary",
        dtypes=FLOATS | WORDS if pool == "SUM" else FLOATS,
        serves=lambda params: params[0] == (dim,),
        note="where the tile is in DST, as integers and float32 are: leaves the result in column 0, or row 0",
    )


_DOC = (
    "`dims` count from the outermost (0) or the innermost (-1). Reducing -1 leaves the result in column 0 of each "
    "tile, -2 in row 0, both in element (0, 0); the other lanes are undefined, `ttl.block.broadcast` over the same "
    "dims reads the right ones. Reducing an outer dimension combines whole tiles. `shape` is the shape of the "
    "result in tiles and may be left out. Padding never enters: it counts as {neutral}."
)


def _reduction(name: str, summary: str, reduce: Callable[..., Array], **rest: Any) -> Op:
    label = f"ttl.math.{name}"
    return Op(
        name=name,
        namespace="math",
        spellings=(label,),
        anchor=_ANCHOR,
        summary=summary,
        operands=(EXPR,),
        params=(
            dims("The dimensions to reduce."),
            shape("Shape of the result in tiles, 1 in the reduced dimensions.", default=None),
        ),
        rule=_rule(label),
        reference=_reference(reduce),
        valid_rule=_valid,
        family="reduction",
        undefined=_undefined,
        layouts=frozenset({Layout.TILE}),
        example=f"{label}(a, dims=[-1])",
        older_forms=True,
        **rest,
    )


REDUCTIONS: tuple[Op, ...] = (
    _reduction(
        "reduce_sum", "Sum over dimensions.", np.add.reduce, neutral=0.0, pool="sum", pairwise="add", hardware=_hardware("SUM"),
        tolerance=ACCUMULATED, doc=_DOC.format(neutral="0"),
    ),
    _reduction(
        "reduce_max", "Maximum over dimensions.", np.maximum.reduce, neutral=-np.inf, pool="max", pairwise="max", traits=frozenset({"exact"}),
        hardware=_hardware("MAX"),
        tolerance=EXACT, doc=_DOC.format(neutral="minus infinity"),
    ),
)  # fmt: skip
