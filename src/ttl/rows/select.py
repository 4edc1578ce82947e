"""Fill, masks, where and typecast (specification, Appendix B, "Fill, mask and where functions")."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ttl.diag.model import Diagnostic, error
from ttl.diag.remedies import Argument
from ttl.rows.build import CLOSED, EXACTLY, EXPR
from ttl.rows.dtypes import REAL_NUMBER, UINT8, WHOLE_NUMBER, Array
from ttl.rows.hardware import EXACT, INTEGERS, OUT, SHORT, UNARY, WORDS, bits, both, tile, whole, word
from ttl.rows.params import dtype as dtype_param
from ttl.rows.params import layout, number, only, shape
from ttl.rows.row import FLOATS, Op, Operand, OperandType, Params, Slot, Valid, is_whole
from ttl.rows.rules import blocks_of, elementwise, elementwise_valid
from ttl.rows.types import WHOLE_TILE, BlockType, Layout

_ANCHOR = "appendix-b-fill-mask-where"
_MASK = Operand(name="mask", doc="Where it is 1 the element is replaced.")


def _fill_rule(operands: tuple[OperandType, ...], params: Params) -> BlockType | Diagnostic:
    value, extents, wanted = params
    unit = wanted or (Layout.TILE if len(extents) > 1 else Layout.ROW_MAJOR)
    if unit is Layout.TILE and len(extents) < 2:
        return error(
            "TTL0427",
            f"ttl.block.fill: a tiled block has at least two dimensions, shape is {extents}",
            help=f"write shape={(1, *extents)}",
        ).remedied_by(Argument(name="shape", value=str((1, *extents)), position=1))
    return BlockType.of(extents, WHOLE_NUMBER if is_whole(value) else REAL_NUMBER, unit)


def _fill(arrays: Sequence[Any], params: Params, result: BlockType) -> Array:
    value = params[0]
    exact = type(value) is int and abs(value) > 1 << 24 and is_whole(value)
    return np.broadcast_to(np.int64(value) if exact else np.float32(value), result.elements)


def _mask(replacement: float) -> Any:
    def reference(arrays: Sequence[Any], params: Params, result: BlockType) -> Array:
        x, mask = arrays
        value: Array = np.where(mask == 1, x.dtype.type(replacement), x)
        return value

    return reference


def _where(arrays: Sequence[Any], params: Params, result: BlockType) -> Array:
    condition, true_value, false_value = arrays
    value: Array = np.where(np.not_equal(condition, 0), true_value, false_value)
    if (
        result.dtype is WHOLE_NUMBER
        and value.dtype == np.int64
        and max(np.abs(array).max() for array in arrays[1:]) > 1 << 24
    ):
        return value  # numbers that float32 cannot represent
    kind = np.float32 if result.dtype.is_float else np.int64
    return value if value.dtype == kind else value.astype(kind)


def _typecast_rule(operands: tuple[OperandType, ...], params: Params) -> BlockType | Diagnostic:
    (operand,) = blocks_of(operands)
    return operand.with_dtype(params[0])


def _typecast(arrays: Sequence[Any], params: Params, result: BlockType) -> Array:
    return result.dtype.load(result.dtype.store(arrays[0]))


def _no_valid(valids: Sequence[Valid], params: Params, result: BlockType) -> Valid:
    return None


_WHERE_CALL = tile(
    "where_tile",
    UNARY + "where.h",
    template=(OUT,),
    init="where_tile_init",
    form="ternary",
    dtypes=FLOATS | WORDS,
)
# where_tile does not support UInt16; with Float16_b it selects between any values of 16 bits.
_WHERE_SHORT = tile(
    "where_tile",
    UNARY + "where.h",
    template=(word("DataFormat::Float16_b"),),
    init="where_tile_init",
    form="ternary",
    dtypes=SHORT,
)

SELECTION: tuple[Op, ...] = (
    Op(
        name="fill",
        family="fill",
        traits=EXACTLY,
        namespace="block",
        spellings=("ttl.block.fill",),
        anchor=_ANCHOR,
        summary="A block of one value.",
        operands=(),
        params=(
            number("value", "The value, any real number."),
            shape("Shape of the block, in tiles or, for one dimension, in elements."),
            layout("ttnn.ROW_MAJOR_LAYOUT for a row-major block of several dimensions."),
        ),
        options=(
            dtype_param(
                "Element type of the block, to which the value is rounded as by `ttl.math.typecast`.",
                default=None,
            ),
            only(
                "tile",
                "tuple[int, int]",
                "Size of a tile: (32, 32).",
                WHOLE_TILE,
                "write a number in the place of the block: it takes the tiles of the block it is combined with",
            ),
        ),
        optional=lambda params, options: () if options[0] is None else (("typecast", (options[0],)),),
        rule=_fill_rule,
        reference=_fill,
        valid_rule=_no_valid,
        hardware=both(
            tile(
                "fill_tile",
                UNARY + "fill.h",
                Slot("float", "value"),
                form="fill",
                serves=lambda params: math.isfinite(params[0]),
            ),
            tile("fill_tile_bitcast", UNARY + "fill.h", bits("value"), init="fill_tile_init", form="fill"),
            tile(
                "fill_tile_int",
                UNARY + "fill.h",
                whole("value"),
                template=(OUT,),
                init="fill_tile_init",
                form="fill",
                dtypes=INTEGERS,
            ),
        ),
        tolerance=EXACT,
        doc="Without `dtype`, takes the element type of whatever it is combined with. A shape of one dimension is row-major.",
        example="ttl.block.fill(0.5, shape=(2, 2))",
        deprecated_spellings=("ttl.math.fill", "ttl.fill"),
    ),
    Op(
        name="mask",
        traits=EXACTLY,
        conditions=(1,),
        namespace="block",
        spellings=("ttl.block.mask",),
        anchor=_ANCHOR,
        summary="0 where the mask is 1, else the element.",
        operands=(EXPR, _MASK),
        rule=elementwise("ttl.block.mask", ("expr", "mask"), any_dtype=(1,)),
        reference=_mask(0),
        valid_rule=elementwise_valid,
        coerces=False,
        hardware=both(),
        tolerance=EXACT,
        doc="Composed of `where_tile` on the hardware: its own mask_tile replaces where the mask is 0.",
        example="ttl.block.mask(a, ttl.math.gt(b, 0))",
        deprecated_spellings=("ttl.math.mask", "ttl.mask"),
    ),
    Op(
        name="mask_posinf",
        traits=EXACTLY,
        conditions=(1,),
        namespace="block",
        spellings=("ttl.block.mask_posinf",),
        anchor=_ANCHOR,
        summary="Positive infinity where the mask is 1, else the element.",
        operands=(EXPR, _MASK),
        rule=elementwise("ttl.block.mask_posinf", ("expr", "mask"), "float", any_dtype=(1,)),
        reference=_mask(np.inf),
        valid_rule=elementwise_valid,
        coerces=False,
        accepts="float",
        hardware=both(),
        tolerance=EXACT,
        doc="Composed of `where_tile` on the hardware: its own mask_posinf_tile replaces where the mask is 0.",
        example="ttl.block.mask_posinf(a, ttl.math.gt(b, 0))",
        deprecated_spellings=("ttl.math.mask_posinf", "ttl.mask_posinf"),
    ),
    Op(
        name="where",
        traits=CLOSED,
        conditions=(0,),
        namespace="block",
        spellings=("ttl.block.where",),
        anchor=_ANCHOR,
        summary="The element of one of two, by a condition.",
        operands=(
            Operand(name="condition", doc="0 is false, anything else, usually 1, is true."),
            Operand(
                name="true_value", doc="Taken where the condition is true, a block or a number.", scalar=True
            ),
            Operand(
                name="false_value",
                doc="Taken where the condition is false, a block or a number.",
                scalar=True,
            ),
        ),
        rule=elementwise("ttl.block.where", ("condition", "true_value", "false_value"), any_dtype=(0,)),
        reference=_where,
        valid_rule=elementwise_valid,
        coerces=False,
        hardware=both(_WHERE_CALL, _WHERE_SHORT),
        tolerance=EXACT,
        doc="The condition usually comes from a comparison, `ttl.block.where(a > b, a, b)`. Both values are computed "
        "everywhere; NaN is true.",
        example="ttl.block.where(a > b, a, 0)",
        deprecated_spellings=("ttl.math.where", "ttl.where"),
    ),
    Op(
        name="typecast",
        family="conversion",
        namespace="math",
        spellings=("ttl.math.typecast",),
        anchor="typecast",
        summary="Converted to another element type.",
        operands=(EXPR,),
        params=(dtype_param("The element type of the result, such as ttnn.float32."),),
        rule=_typecast_rule,
        reference=_typecast,
        valid_rule=elementwise_valid,
        coerces=False,
        hardware=both(
            tile(
                "typecast_tile",
                UNARY + "typecast.h",
                template=(Slot("format_number", "in"), Slot("format_number", "out")),
                instructions=6,
                form="unary",
                dtypes=FLOATS | INTEGERS | frozenset({UINT8}),
            )
        ),
        tolerance=EXACT,
        doc="Rounds at once (to nearest, ties to even) where an expression would keep float32. A float becomes an "
        "integer by dropping its fraction, then modulo the integer's width. Needed wherever floats meet integers; "
        "never needed just to store into a buffer of another float type.",
        example="ttl.math.typecast(a, ttnn.float32)",
    ),
)
