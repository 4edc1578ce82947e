"""Binary operators and functions (specification, Appendix B, "Binary operators and math functions")."""

from __future__ import annotations

import math
from types import MappingProxyType
from typing import Any

import numpy as np

from ttl.diag.model import Diagnostic, error
from ttl.diag.remedies import Wrap
from ttl.rows.build import CLOSED, binary_function, binary_operator, larger, smaller
from ttl.rows.dtypes import UINT16, UINT32, Array, DType
from ttl.rows.hardware import (
    COMPUTE,
    EXACT,
    INTEGERS,
    NARROW,
    OUT,
    SCALAR,
    SFPU,
    SHORT,
    SIGNED,
    UNARY,
    UNSIGNED,
    WORDS,
    Hardware,
    bits,
    both,
    generations,
    on_buffers,
    scalar,
    sfpu_binary,
    whole,
    word,
)
from ttl.rows.row import Op, Operand, OperandType, Params, TileCall, Trait
from ttl.rows.rules import elementwise, elementwise_valid
from ttl.rows.types import BlockType

_MAX_MIN = "api/compute/binary_max_min.h"
_COMPARE_INT = "api/compute/binary_comp.h"
_BY_NUMBER = UNARY + "comp.h"
# With these operations, integers are a ring or a group modulo a power of two.
_RING: frozenset[Trait] = frozenset({"commutative", "modular"})
_SCALAR_INIT = "binop_with_scalar_tile_init"


def _fpu(name: str) -> Hardware:
    """Calls of add, sub and mul: for operands in circular buffers, for operands in DST, and for a number."""
    is_product = name == "mul"
    init = None if is_product else f"{name}_int_tile_init"
    calls: tuple[TileCall, ...] = (
        on_buffers(f"{name}_tiles", dtypes=NARROW, accumulates=is_product),
        sfpu_binary(f"{name}_binary"),
        scalar(f"{name}_unary_tile", SCALAR, bits("b"), init=_SCALAR_INIT),
        sfpu_binary(
            f"{name}_int", f"api/compute/{name}_int_sfpu.h", template=(OUT,), init=init, dtypes=INTEGERS
        ),
    )
    if not is_product:
        calls = (
            *calls,
            scalar(f"{name}_unary_tile_int32", SCALAR, whole("b"), init=_SCALAR_INIT, dtypes=WORDS),
        )
    return both(*calls)


def _extremum(name: str) -> Hardware:
    return both(
        sfpu_binary(f"binary_{name}", _MAX_MIN, by_faces=True),
        scalar(f"unary_{name}_tile", COMPUTE, bits("b")),
        sfpu_binary(f"binary_{name}_int32", _MAX_MIN, dtypes=SIGNED),
        sfpu_binary(f"binary_{name}_uint32", _MAX_MIN, dtypes=UNSIGNED),
        scalar(f"unary_{name}_int32_tile", COMPUTE, whole("b"), dtypes=SIGNED),
        scalar(f"unary_{name}_uint32_tile", COMPUTE, whole("b"), dtypes=UNSIGNED),
    )


def _remainder(a: Any, b: Any) -> Array:
    rest: Array = np.remainder(a, b)
    signless: Array = rest + rest.dtype.type(0)  # a zero is +0
    return signless


def _power(base: Any, exponent: Any) -> Array:
    value: Array
    if type(exponent) not in (int, float) or exponent not in (1, 2, 3, 4):
        if np.asarray(base).dtype.kind == np.asarray(exponent).dtype.kind == "i":
            # A power with a negative exponent is a quotient, rounded towards zero: 0, except for bases 1 and -1.
            none = np.less(exponent, 0) & (np.abs(base) != 1)
            value = np.where(none, 0, np.power(base, np.abs(exponent)))
            return value
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


def _repeats(exponent: float) -> bool:
    """Whether the power is computed by repeated products: the exponent is a whole number from 3 to 65535."""
    return exponent == int(exponent) and 3 <= exponent < 1 << 16 if math.isfinite(exponent) else False


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
        ).remedied_by(Wrap(template="ttl.math.typecast({}, ttnn.float32)", operand=0))
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
        scalar("power_iterative_tile", COMPUTE, whole("exponent"), numbers=_repeats),
        scalar("power_tile", COMPUTE, bits("exponent"), instructions=44),
        sfpu_binary("power_binary", instructions=44),
    ),
    tolerance=SFPU,
    traits=frozenset({"rules_first"}),
    doc="The specification's exponent is a natural number; negative and fractional numbers, and a block, work on "
    "float blocks. On integers the exponent must not be negative; a negative element of a block of exponents gives 0, "
    "but for the bases 1 and -1.",
    example="a ** 2",
)

ARITHMETIC: tuple[Op, ...] = (
    binary_operator(
        "add", "+", "Sum, element by element.", np.add,
        hardware=_fpu("add"), tolerance=EXACT, traits=_RING, dunder="__add__", reflected="__radd__",
    ),
    binary_operator(
        "sub", "-", "Difference, element by element.", np.subtract,
        hardware=_fpu("sub"), tolerance=EXACT, traits=frozenset({"modular"}), exchanged="rsub", identity=0, dunder="__sub__", reflected="__rsub__",
    ),
    binary_operator(
        "mul", "*", "Product, element by element.", np.multiply,
        hardware=_fpu("mul"), tolerance=EXACT, traits=_RING, identity=1, dunder="__mul__", reflected="__rmul__",
    ),
    binary_operator(
        "truediv", "/", "Quotient, element by element.", np.divide,
        hardware=both(
            sfpu_binary("div_binary", note="the matrix unit does not divide"),
        ),
        tolerance=SFPU, identity=1, dunder="__truediv__", reflected="__rtruediv__", accepts="float",
        doc="Division by zero gives an infinity, or NaN for 0 / 0. Many divisions by the same block are cheaper as "
        "one `ttl.math.recip` and products.",
    ),
    binary_operator(
        "floordiv", "//", "Quotient rounded down, element by element.", np.floor_divide,
        hardware=both(
            sfpu_binary(
                "div_int32_floor",
                "api/compute/div_int32_floor.h",
                dtypes=SIGNED,
                instructions=34,
                note="int32; of floats, (a - a % b) / b is rounded",
            ),
        ),
        tolerance=SFPU, traits=frozenset({"rules_first"}), dunder="__floordiv__", reflected="__rfloordiv__", anchor="appendix-d",
        doc="Rounds towards minus infinity, as Python does. An integer divided by zero is 0.",
    ),
    binary_operator(
        "mod", "%", "Remainder with the sign of the divisor, element by element.", _remainder,
        hardware=both(
            sfpu_binary("remainder_binary", "api/compute/binary_remainder.h", instructions=34),
            sfpu_binary("remainder_int32", "api/compute/binary_remainder.h", dtypes=SIGNED, instructions=34),
        ),
        tolerance=SFPU, traits=frozenset({"rules_first"}), dunder="__mod__", reflected="__rmod__", anchor="appendix-d",
        doc="`a == (a // b) * b + a % b`, as in Python, and a remainder of zero is +0. An integer remainder by zero is 0.",
    ),
    binary_operator(
        "xor", "^", "Exclusive or of the bits of integers, element by element.", np.bitwise_xor,
        hardware=both(
            sfpu_binary(
                "bitwise_xor_binary",
                "api/compute/binary_bitwise_sfpu.h",
                template=(OUT,),
                init="binary_bitwise_tile_init",
                dtypes=INTEGERS,
            ),
        ),
        tolerance=EXACT, traits=_RING, dunder="__xor__", reflected="__rxor__", accepts="integer", anchor="appendix-d",
        doc="As in Python, `^` is not a power: that is `**`. Defined on integer blocks.",
    ),
    binary_function(
        "max", "The larger of two, element by element.", lambda a, b, result: larger(a, b),
        hardware=_extremum("max"),
        tolerance=EXACT, traits=CLOSED | {"commutative"},
        doc="NaN if either is NaN. Python's own `max` compares truth values and is an error on blocks.",
    ),
    binary_function(
        "min", "The smaller of two, element by element.", lambda a, b, result: smaller(a, b),
        hardware=_extremum("min"),
        tolerance=EXACT, traits=CLOSED | {"commutative"},
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
            scalar("rsub_unary_tile", SCALAR, bits("b"), init=_SCALAR_INIT),
            sfpu_binary("rsub_binary"),
            scalar("rsub_unary_int32_tile", UNARY + "rsub.h", whole("b"), dtypes=WORDS),
            sfpu_binary(
                "rsub_int", "api/compute/sub_int_sfpu.h", template=(OUT,), init="rsub_int_tile_init", dtypes=INTEGERS
            ),
        ),
        tolerance=EXACT, traits=frozenset({"modular"}), exchanged="sub", anchor="appendix-b-basic-unary",
        example="ttl.math.rsub(a, 1)",
    ),
)  # fmt: skip

# The comparison that has the same result with exchanged operands.
EXCHANGED = MappingProxyType({"eq": "eq", "ne": "ne", "lt": "gt", "gt": "lt", "le": "ge", "ge": "le"})
_COMPARE = (
    ("eq", "equal", np.equal, "__eq__"),
    ("ne", "different", np.not_equal, "__ne__"),
    ("lt", "less", np.less, "__lt__"),
    ("le", "less or equal", np.less_equal, "__le__"),
    ("gt", "greater", np.greater, "__gt__"),
    ("ge", "greater or equal", np.greater_equal, "__ge__"),
)
_INT32, _UINT16 = (word("DataFormat::Int32"),), (word("DataFormat::UInt16"),)
_SYMBOLS = {"eq": "a == b", "ne": "a != b", "lt": "a < b", "le": "a <= b", "gt": "a > b", "ge": "a >= b"}


def _with_zero(name: str, dtype: DType) -> TileCall:
    return scalar(
        f"{name}_tile_{dtype.name}",
        _BY_NUMBER,
        init=f"{name}_tile_init",
        dtypes=frozenset({dtype}),
        numbers=lambda number: number == 0,
    )


def _comparison(name: str, words: str, function: Any, dunder: str) -> Op:
    is_equality = name in ("eq", "ne")

    def compare(a: Any, b: Any, result: BlockType) -> Array:
        value: Array = function(a, b).astype(np.float32 if result.dtype.is_float else np.int64)
        return value

    doc = f"Also written `{_SYMBOLS[name]}`. A comparison is a block, not a truth value: choose with `ttl.block.where`."
    if is_equality:
        doc += " `in`, lists and dictionaries still ask which block it is, and so does `is`."
    common: tuple[TileCall, ...] = (
        sfpu_binary(f"{name}_binary"),
        scalar(f"unary_{name}_tile", _BY_NUMBER, bits("b")),
        scalar(
            f"unary_{name}_tile_int32", _BY_NUMBER, whole("b"), init=f"unary_{name}_tile_init", dtypes=SIGNED
        ),
    )
    old: tuple[TileCall, ...] = ()
    new: tuple[TileCall, ...] = ()
    if is_equality:
        common = (*common, *(_with_zero(f"{name}z", dtype) for dtype in (UINT32, UINT16)))
    else:
        old = (sfpu_binary(f"{name}_int32", _COMPARE_INT, dtypes=SIGNED),)
        new = (sfpu_binary(f"{name}_int", _COMPARE_INT, template=_INT32, dtypes=SIGNED),)
    if name in ("lt", "gt"):
        old = (*old, sfpu_binary(f"{name}_uint16", _COMPARE_INT, dtypes=SHORT))
        new = (*new, sfpu_binary(f"{name}_int", _COMPARE_INT, template=_UINT16, dtypes=SHORT))
    return binary_function(
        name,
        f"1 where the first is {words}, else 0, element by element.",
        compare,
        hardware=generations((*common, *old), (*common, *new)),
        tolerance=EXACT,
        traits=frozenset({"exact", "comparison", *(("commutative",) if is_equality else ())}),
        exchanged=EXCHANGED[name],
        anchor="comparisons",
        spellings=(_SYMBOLS[name],),
        dunder=dunder,
        doc="Comparisons with NaN are 0, except `ne` which is 1. " + doc,
    )


COMPARISONS: tuple[Op, ...] = tuple(_comparison(*item) for item in _COMPARE)
