"""Operations that work element by element, which TTIR and TTNN have in common.

One line defines both classes, which differ in the operand constraints: only TTIR has them. The arithmetic is that of
``tt_model.reference.elementwise``, by the same name.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType, new_class
from typing import Any, TypeAlias

from xdsl.dialects import arith, math
from xdsl.ir import Operation

from tt_model.operations import kinds
from tt_model.operations.fields import TENSORS, attribute, operands
from tt_model.operations.operation import RowOperation, TTIRTensorOp, TTNNOperation
from tt_model.operations.row import FlatbufferTable, Lowering, SameOperation
from tt_model.operations.takes import IN_TILES_OR_SHARDS

_BINARY = "Operands are repeated along dimensions of extent one, as in NumPy."
_TRUTH = "Elements that are not zero are true. The result is one or zero, in the element type of the result."
_SAME = SameOperation()
_COMPARISON = f"The result is one or zero, in the element type of the result. {_BINARY}"


class TTIRElementwiseOp(
    TTIRTensorOp, results=TENSORS, inits="outputs", elementwise=True, lowering=SameOperation()
):
    """An operation of TTIR that works element by element."""

    inputs = operands()
    outputs = operands()


class TTNNElementwiseOp(
    TTNNOperation,
    results=TENSORS,
    inits="outputs",
    elementwise=True,
    makes_shards=True,
    pages="tiles",
    flatbuffer=FlatbufferTable("EltwiseOp"),
):
    """An operation of TTNN that works element by element."""

    inputs = operands(takes=IN_TILES_OR_SHARDS)
    outputs = operands()


_Classes: TypeAlias = tuple[type[TTIRElementwiseOp], type[TTNNElementwiseOp]]


def _both(
    mnemonic: str,
    class_name: str,
    summary: str,
    doc: str = "",
    *,
    takes: int = 1,
    function: str | None = None,
    lowering: Lowering | None = _SAME,
    free: bool = False,
    exact: bool = False,
    jumps: bool = False,
) -> _Classes:
    """The classes of both dialects. In the TTNN file, ``class_name`` is the member of ``EltwiseOpType``, too.

    The operation takes ``takes`` tensors. ``function`` is the row of the language that it computes, if that has another
    name than the operation; empty if there is no such row. ``free``: the library makes the result in the data type that
    is requested. ``exact`` and ``jumps`` are those of ``Row``.
    """

    def documented(namespace: dict[str, Any]) -> None:
        namespace |= {"__doc__": f"{summary}\n\n{doc}", "__module__": __name__}

    facts = {"takes": takes, "function": mnemonic if function is None else function}
    source: dict[str, Any] = {"name": f"ttir.{mnemonic}", "lowering": lowering, **facts}
    target: dict[str, Any] = {"name": f"ttnn.{mnemonic}", "result_type_is_free": free, **facts}
    target |= {"exact": exact, "jumps": jumps}
    return (
        new_class(f"TTIR{class_name}Op", (TTIRElementwiseOp,), source, documented),
        new_class(f"TTNN{class_name}Op", (TTNNElementwiseOp,), target, documented),
    )


def _comparison(mnemonic: str, class_name: str, summary: str) -> _Classes:
    return _both(mnemonic, class_name, summary, _COMPARISON, takes=2, free=True, exact=True, jumps=True)


def _logical(mnemonic: str, class_name: str, summary: str, *, takes: int = 2) -> _Classes:
    """The classes of a logical operation; all but that of one tensor are ``free``."""
    return _both(
        mnemonic,
        class_name,
        summary,
        _TRUTH,
        takes=takes,
        function="",
        free=takes > 1,
        exact=True,
        jumps=True,
    )


TTIRAbsOp, TTNNAbsOp = _both("abs", "Abs", "Absolute value.", exact=True)
TTIRAddOp, TTNNAddOp = _both("add", "Add", "Sum of two tensors.", _BINARY, free=True, takes=2)
TTIRCbrtOp, TTNNCbrtOp = _both("cbrt", "Cbrt", "Cube root, also of negative numbers.", function="")
TTIRCeilOp, TTNNCeilOp = _both(
    "ceil", "Ceil", "The least integer that is not less than the element.", exact=True, jumps=True
)
TTIRCosOp, TTNNCosOp = _both("cos", "Cos", "Cosine of an angle in radians.", jumps=True)
TTIRDivOp, TTNNDivOp = _both(
    "div", "Div", "Quotient of two tensors.", _BINARY, free=True, jumps=True, takes=2, function="truediv"
)
TTIREqualOp, TTNNEqualOp = _comparison("eq", "Equal", "Whether elements are equal.")
TTIRExpOp, TTNNExpOp = _both("exp", "Exp", "Exponential function.")
TTIRExpm1Op, TTNNExpm1Op = _both(
    "expm1", "Expm1", "Exponential function less one.", "Exact near zero, where `exp` is not."
)
TTIRFloorOp, TTNNFloorOp = _both(
    "floor", "Floor", "The greatest integer that is not greater than the element.", exact=True, jumps=True
)
TTIRGreaterEqualOp, TTNNGreaterEqualOp = _comparison(
    "ge", "GreaterEqual", "Whether elements are greater than others or equal."
)
TTIRGeluOp, TTNNGeluOp = _both(
    "gelu",
    "Gelu",
    "Gaussian error linear unit.",
    "The element times the probability that a standard normal variable is less than it.",
)
TTIRGreaterThanOp, TTNNGreaterThanOp = _comparison(
    "gt", "GreaterThan", "Whether elements are greater than others."
)
TTIRIsFiniteOp, TTNNIsFiniteOp = _both(
    "isfinite",
    "IsFinite",
    "Whether elements are finite.",
    "One for finite numbers, zero for infinities and NaN.",
    exact=True,
    jumps=True,
    function="",
)
TTIRLessEqualOp, TTNNLessEqualOp = _comparison(
    "le", "LessEqual", "Whether elements are less than others or equal."
)
TTIRLogOp, TTNNLogOp = _both("log", "Log", "Natural logarithm.", jumps=True)
TTIRLog1pOp, TTNNLog1pOp = _both(
    "log1p",
    "Log1p",
    "Natural logarithm of the element and one.",
    "Exact near zero, where `log` of a sum is not.",
    jumps=True,
    function="logp1",
)
TTIRLogicalAndOp, TTNNLogicalAndOp = _logical("logical_and", "LogicalAnd", "Whether both elements are true.")
TTIRLogicalNotOp, TTNNLogicalNotOp = _logical(
    "logical_not", "LogicalNot", "Whether the element is not true.", takes=1
)
TTIRLogicalOrOp, TTNNLogicalOrOp = _logical(
    "logical_or", "LogicalOr", "Whether one of the elements is true, or both."
)
TTIRLogicalXorOp, TTNNLogicalXorOp = _logical(
    "logical_xor", "LogicalXor", "Whether exactly one of the elements is true."
)
TTIRLessThanOp, TTNNLessThanOp = _comparison("lt", "LessThan", "Whether elements are less than others.")
TTIRMaximumOp, TTNNMaximumOp = _both(
    "maximum", "Maximum", "Greater of two elements.", _BINARY, exact=True, takes=2, function="max"
)
TTIRMinimumOp, TTNNMinimumOp = _both(
    "minimum", "Minimum", "Lesser of two elements.", _BINARY, exact=True, takes=2, function="min"
)
TTIRMultiplyOp, TTNNMultiplyOp = _both(
    "multiply",
    "Multiply",
    "Product of two tensors, element by element.",
    _BINARY,
    free=True,
    takes=2,
    function="mul",
)
TTIRNotEqualOp, TTNNNotEqualOp = _comparison("ne", "NotEqual", "Whether elements differ.")
TTIRNegOp, TTNNNegOp = _both("neg", "Neg", "Opposite number.", exact=True, lowering=None)
TTIRReciprocalOp, TTNNReciprocalOp = _both(
    "reciprocal", "Reciprocal", "One divided by the element.", jumps=True, function="recip"
)
TTIRReluOp, TTNNReluOp = _both("relu", "Relu", "Rectifier: negative elements become zero.", exact=True)
TTIRRemainderOp, TTNNRemainderOp = _both(
    "remainder",
    "Remainder",
    "Remainder of a division that is rounded towards zero.",
    f"It has the sign of the dividend. {_BINARY}",
    jumps=True,
    takes=2,
    function="",
)
TTIRRsqrtOp, TTNNRsqrtOp = _both("rsqrt", "Rsqrt", "One divided by the square root.", jumps=True)
TTIRSigmoidOp, TTNNSigmoidOp = _both("sigmoid", "Sigmoid", "Logistic function.")
TTIRSignOp, TTNNSignOp = _both("sign", "Sign", "Sign: one, zero or minus one.", exact=True, jumps=True)
TTIRSinOp, TTNNSinOp = _both("sin", "Sin", "Sine of an angle in radians.", jumps=True)
TTIRSqrtOp, TTNNSqrtOp = _both("sqrt", "Sqrt", "Square root.", jumps=True)
TTIRSubtractOp, TTNNSubtractOp = _both(
    "subtract",
    "Subtract",
    "Difference of two tensors.",
    f"{_BINARY} If the shapes differ, the conversion to TTNN adds the negated second operand.",
    lowering=None,
    free=True,
    takes=2,
    function="sub",
)
TTIRWhereOp, TTNNWhereOp = _both(
    "where",
    "Where",
    "Choice between two tensors by a third.",
    "Operands: the condition, the values where it is not zero, the values elsewhere.",
    exact=True,
    jumps=True,
    takes=3,
)


class LeakyReluOperation(RowOperation, function="leaky_relu"):
    """Rectifier with a slope for negative numbers.

    `parameter` is the slope: a positive element stays, another one is multiplied by it.
    """

    parameter = attribute(kinds.F32)


class TTIRLeakyReluOp(LeakyReluOperation, TTIRElementwiseOp, name="ttir.leaky_relu"): ...


class TTNNLeakyReluOp(LeakyReluOperation, TTNNElementwiseOp, name="ttnn.leaky_relu"): ...


class TTIRTypecastOp(TTIRElementwiseOp, name="ttir.typecast", function="typecast", lowering=None):
    """Conversion to the element type of the result."""


# Operations of MLIR in bodies of generics of 2024-11-21, and the mnemonics of the same operations in TTIR. Others are
# kernels by name.
BODIES_OF_MLIR: Mapping[type[Operation], str] = MappingProxyType(
    {
        arith.AddfOp: TTIRAddOp.ROW.mnemonic,
        arith.MulfOp: TTIRMultiplyOp.ROW.mnemonic,
        arith.DivfOp: TTIRDivOp.ROW.mnemonic,
        math.ExpOp: TTIRExpOp.ROW.mnemonic,
    }
)
