"""Binary operators and functions (specification, Appendix B, "Binary operators and math functions")."""

from __future__ import annotations

from typing import Any

import numpy as np

from ttl.diag.model import Diagnostic, error
from ttl.ops.build import binary_function, binary_operator
from ttl.ops.dtypes import Array
from ttl.ops.hardware import (
    BINARY,
    BINARY_SFPU,
    COMPUTE,
    EXACT,
    SCALAR,
    SFPU,
    UNARY,
    both,
    cycles,
    generations,
    sfpu,
    sfpu_binary,
    tile,
)
from ttl.ops.row import Op, Operand, OperandType, Params, TileCall
from ttl.ops.rules import elementwise, elementwise_valid
from ttl.ops.types import BlockType


def _fpu(name: str) -> tuple[tuple[TileCall, ...], tuple[TileCall, ...]]:
    """Calls of add, sub and mul: operands in circular buffers, in DST, and a number."""
    note = "accumulates into DST" if name == "mul" else ""
    call = f"{name}_tiles({{cb0}}, {{cb1}}, {{i0}}, {{i1}}, {{d}})"
    rest = (
        sfpu_binary(f"{name}_binary"),
        tile(SCALAR, f"{name}_unary_tile({{d}}, {{n:b}})", "binop_with_scalar_tile_init();"),
    )
    old = tile(BINARY, call, f"{name}_tiles_init({{cb0}}, {{cb1}});", where="cb", note=note)
    new = tile(BINARY, call, f"{name}_init({{cb0}}, {{cb1}});", where="cb", note=note)
    return (old, *rest), (new, *rest)


def _power(base: Any, exponent: Any) -> Array:
    value: Array
    if type(exponent) not in (int, float) or exponent not in (1, 2, 3, 4):
        value = np.power(base, exponent)
        return value
    if exponent == 1:
        value = base
        return value
    square: Array = np.multiply(base, base)
    if exponent == 2:
        return square
    value = np.multiply(square, base if exponent == 3 else square)
    return value


def _power_rule(operands: tuple[OperandType, ...], params: Params) -> BlockType | Diagnostic:
    label, names = "ttl.math.pow", ("expr", "exponent")
    result = elementwise(label, names)(operands, params)
    if isinstance(result, Diagnostic) or result.dtype.is_float:
        return result
    exponent = operands[1]
    if not isinstance(exponent, BlockType) and exponent < 0:
        return error(
            "TTL0424",
            f"{label}: exponent {exponent} of {result.dtype} blocks must not be negative",
            help="convert the block first: ttl.math.typecast(x, ttnn.float32)",
        )
    return result


_POW = Op(
    name="pow",
    namespace="math",
    spellings=("ttl.math.pow", "expr ** exponent"),
    anchor="appendix-b-basic-unary",
    summary="Power, element by element.",
    operands=(
        Operand(name="expr", doc="The base, a block expression or a number.", scalar=True),
        Operand(name="exponent", doc="The exponent, a number or a block expression.", scalar=True),
    ),
    rule=_power_rule,
    reference=lambda arrays, params, result: _power(arrays[0], arrays[1]),
    valid_rule=elementwise_valid,
    dunder="__pow__",
    reflected="__rpow__",
    hardware=both(
        sfpu("square", COMPUTE, note="exponent 2"),
        sfpu(
            "power_iterative", COMPUTE, ", {i:exponent}", note="whole exponents from 3 on, passed as they are"
        ),
        sfpu("power", COMPUTE, ", {n:exponent}", note="other exponents, as float32 bits"),
        sfpu_binary("power_binary", note="both operands in DST"),
    ),
    tolerance=SFPU,
    doc="The specification's exponent is a natural number; negative and fractional numbers, and a block, work on "
    "float blocks. On integers the exponent must not be negative.",
    example="a ** 2",
)

ARITHMETIC: tuple[Op, ...] = (
    binary_operator(
        "add", "+", "Sum, element by element.", np.add,
        hardware=generations(*_fpu("add")), tolerance=EXACT, dunder="__add__", reflected="__radd__",
        cost=cycles(blackhole=38),
    ),
    binary_operator(
        "sub", "-", "Difference, element by element.", np.subtract,
        hardware=generations(*_fpu("sub")), tolerance=EXACT, dunder="__sub__", reflected="__rsub__",
        cost=cycles(blackhole=38),
    ),
    binary_operator(
        "mul", "*", "Product, element by element.", np.multiply,
        hardware=generations(*_fpu("mul")), tolerance=EXACT, dunder="__mul__", reflected="__rmul__",
        cost=cycles(blackhole=83),
    ),
    binary_operator(
        "truediv", "/", "Quotient, element by element.", np.divide,
        hardware=both(
            sfpu_binary("div_binary", note="the matrix unit does not divide"),
            tile(SCALAR, "div_unary_tile({d}, {n:b})", "binop_with_scalar_tile_init();"),
        ),
        tolerance=SFPU, dunder="__truediv__", reflected="__rtruediv__", accepts="float",
        cost=cycles(wormhole=1475),
        doc="Division by zero gives an infinity, or NaN for 0 / 0. Many divisions by the same block are cheaper as "
        "one `ttl.math.recip` and products.",
    ),
    binary_operator(
        "floordiv", "//", "Quotient rounded down, element by element.", np.floor_divide,
        hardware=both(
            sfpu_binary("div_binary", note="then floor_tile on the result"),
            tile(
                "api/compute/div_int32_floor.h", "div_int32_floor_tile({d0}, {d1}, {d})", note="int32 blocks"
            ),
        ),
        tolerance=SFPU, dunder="__floordiv__", reflected="__rfloordiv__", anchor="appendix-d",
        doc="Rounds towards minus infinity, as Python does. An integer divided by zero is 0.",
    ),
    binary_operator(
        "mod", "%", "Remainder with the sign of the divisor, element by element.", np.remainder,
        hardware=both(
            sfpu_binary("remainder_binary", "api/compute/binary_remainder.h"),
            tile(
                "api/compute/binary_remainder.h", "remainder_int32_tile({d0}, {d1}, {d})", note="int32 blocks"
            ),
        ),
        tolerance=SFPU, dunder="__mod__", reflected="__rmod__", anchor="appendix-d",
        doc="`a == (a // b) * b + a % b`, as in Python. An integer remainder by zero is 0.",
    ),
    binary_operator(
        "xor", "^", "Exclusive or of the bits of integers, element by element.", np.bitwise_xor,
        hardware=both(
            tile(
                "api/compute/binary_bitwise_sfpu.h",
                "bitwise_xor_binary_tile<DataFormat::{fmt:out}>({d0}, {d1}, {d})",
                "binary_bitwise_tile_init();",
            ),
        ),
        tolerance=EXACT, dunder="__xor__", reflected="__rxor__", accepts="integer", anchor="appendix-d",
        doc="As in Python, `^` is not a power: that is `**`. Defined on integer blocks.",
    ),
    binary_function(
        "max", "The larger of two, element by element.", lambda a, b, result: np.maximum(a, b),
        hardware=both(
            sfpu_binary("binary_max", "api/compute/binary_max_min.h"),
            tile(COMPUTE, "unary_max_tile({d}, {n:b})", note="one operand a number"),
            sfpu_binary("binary_max_int32", "api/compute/binary_max_min.h", note="int32 blocks"),
        ),
        tolerance=EXACT,
        doc="NaN if either is NaN. Python's own `max` compares truth values and is an error on blocks.",
    ),
    binary_function(
        "min", "The smaller of two, element by element.", lambda a, b, result: np.minimum(a, b),
        hardware=both(
            sfpu_binary("binary_min", "api/compute/binary_max_min.h"),
            tile(COMPUTE, "unary_min_tile({d}, {n:b})", note="one operand a number"),
            sfpu_binary("binary_min_int32", "api/compute/binary_max_min.h", note="int32 blocks"),
        ),
        tolerance=EXACT,
        doc="NaN if either is NaN. Python's own `min` compares truth values and is an error on blocks.",
    ),
    _POW,
    binary_function(
        "rsub", "Reversed difference `b - a`, element by element.", lambda a, b, result: np.subtract(b, a),
        operands=(
            Operand(name="a", doc="The block expression to subtract."),
            Operand(name="b", doc="What to subtract it from, usually a number.", scalar=True),
        ),
        hardware=both(
            tile(SCALAR, "rsub_unary_tile({d}, {n:b})", "binop_with_scalar_tile_init();"),
            sfpu_binary("rsub_binary", BINARY_SFPU, note="both operands in DST"),
        ),
        tolerance=EXACT, anchor="appendix-b-basic-unary",
        example="ttl.math.rsub(a, 1)",
    ),
)  # fmt: skip

_COMPARE = (
    ("eq", "equal", np.equal, None),
    ("ne", "different", np.not_equal, None),
    ("lt", "less", np.less, "__lt__"),
    ("le", "less or equal", np.less_equal, "__le__"),
    ("gt", "greater", np.greater, "__gt__"),
    ("ge", "greater or equal", np.greater_equal, "__ge__"),
)
_SYMBOLS = {"lt": "a < b", "le": "a <= b", "gt": "a > b", "ge": "a >= b"}


def _comparison(name: str, words: str, function: Any, dunder: str | None) -> Op:
    def compare(a: Any, b: Any, result: BlockType) -> Array:
        value: Array = function(a, b).astype(np.float32 if result.dtype.is_float else np.int64)
        return value

    if dunder is None:
        doc = (
            f"There is no operator: Python's `==` and `!=` keep their meaning for blocks, identity, so that a block "
            f"can be looked up in a list or a dictionary. Write `ttl.math.{name}(a, b)`."
        )
    else:
        doc = f"Also written `{_SYMBOLS[name]}`. A comparison is a block, not a truth value: choose with `ttl.block.where`."
    integer = (
        (tile("api/compute/binary_comp.h", f"{name}_int32_tile({{d0}}, {{d1}}, {{d}})", note="int32 blocks"),)
        if dunder is not None
        else ()
    )
    newer = tile(
        "api/compute/binary_comp.h",
        f"{name}_int_tile<DataFormat::Int32>({{d0}}, {{d1}}, {{d}})",
        note="int32 blocks",
    )
    common = (
        sfpu_binary(f"{name}_binary"),
        tile(UNARY + "comp.h", f"unary_{name}_tile({{d}}, {{n:b}})", note="one operand a number"),
    )
    return binary_function(
        name,
        f"1 where the first is {words}, else 0, element by element.",
        compare,
        hardware=generations((*common, *integer), (*common, newer)),
        tolerance=EXACT,
        anchor="comparisons",
        spellings=(_SYMBOLS[name],) if dunder else (),
        dunder=dunder,
        doc="Comparisons with NaN are 0, except `ne` which is 1. " + doc,
    )


COMPARISONS: tuple[Op, ...] = tuple(_comparison(*each) for each in _COMPARE)
