"""Operations that work element by element, of which TTIR and TTNN have the same.

One line is both classes: they differ in the operand constraints, which only TTIR has. The arithmetic is that of
``ttmlir.reference.elementwise``, by the same name.
"""

from __future__ import annotations

from types import new_class
from typing import Any

from ttmlir.operations import kinds
from ttmlir.operations.fields import TENSORS, attribute, operands
from ttmlir.operations.operation import TTIRTensorOp, TTNNOperation
from ttmlir.operations.row import FlatbufferTable, Lowering, Same

_BINARY = "Operands are repeated along dimensions of extent one, as in NumPy."
_TRUTH = "What is not zero is true. The result is one or zero, in the element type of the result."
_SAME = Same()
_COMPARISON = f"The result is one or zero, in the element type of the result. {_BINARY}"


class TTIRElementwiseOp(TTIRTensorOp, results=TENSORS, inits="outputs", elementwise=True, lowering=Same()):
    """An operation of TTIR that works element by element."""

    inputs = operands()
    outputs = operands()


class TTNNElementwiseOp(
    TTNNOperation, results=TENSORS, inits="outputs", elementwise=True, makes_shards=True, pages="tiles"
):
    """An operation of TTNN that works element by element."""

    inputs = operands()
    outputs = operands()


def _both(
    mnemonic: str,
    class_name: str,
    summary: str,
    doc: str = "",
    *,
    lowering: Lowering | None = _SAME,
    free: bool = False,
) -> tuple[type[TTIRElementwiseOp], type[TTNNElementwiseOp]]:
    """The classes of both dialects. The name is that of the member of ``EltwiseOpType`` in the TTNN file, too.

    ``free``: the library makes the result in the data type that is asked for.
    """

    def documented(namespace: dict[str, Any]) -> None:
        namespace |= {"__doc__": f"{summary}\n\n{doc}", "__module__": __name__}

    source: dict[str, Any] = {"name": f"ttir.{mnemonic}", "lowering": lowering}
    target: dict[str, Any] = {
        "name": f"ttnn.{mnemonic}",
        "flatbuffer": FlatbufferTable("EltwiseOp", class_name),
        "result_type_is_free": free,
    }
    return (
        new_class(f"TTIR{class_name}Op", (TTIRElementwiseOp,), source, documented),
        new_class(f"TTNN{class_name}Op", (TTNNElementwiseOp,), target, documented),
    )


TTIRAbsOp, TTNNAbsOp = _both("abs", "Abs", "Absolute value.")
TTIRAddOp, TTNNAddOp = _both("add", "Add", "Sum of two tensors.", _BINARY, free=True)
TTIRCbrtOp, TTNNCbrtOp = _both("cbrt", "Cbrt", "Cube root, which negative numbers have, too.")
TTIRCeilOp, TTNNCeilOp = _both("ceil", "Ceil", "Least integer that is not less.")
TTIRCosOp, TTNNCosOp = _both("cos", "Cos", "Cosine of an angle in radians.")
TTIRDivOp, TTNNDivOp = _both("div", "Div", "Quotient of two tensors.", _BINARY, free=True)
TTIREqualOp, TTNNEqualOp = _both("eq", "Equal", "Whether elements are equal.", _COMPARISON, free=True)
TTIRExpOp, TTNNExpOp = _both("exp", "Exp", "Exponential function.")
TTIRExpm1Op, TTNNExpm1Op = _both(
    "expm1", "Expm1", "Exponential function less one.", "Exact near zero, where `exp` is not."
)
TTIRFloorOp, TTNNFloorOp = _both("floor", "Floor", "Greatest integer that is not greater.")
TTIRGreaterEqualOp, TTNNGreaterEqualOp = _both(
    "ge", "GreaterEqual", "Whether elements are greater than others or equal.", _COMPARISON, free=True
)
TTIRGeluOp, TTNNGeluOp = _both(
    "gelu",
    "Gelu",
    "Gaussian error linear unit.",
    "The element times the probability that a standard normal variable is less than it.",
)
TTIRGreaterThanOp, TTNNGreaterThanOp = _both(
    "gt", "GreaterThan", "Whether elements are greater than others.", _COMPARISON, free=True
)
TTIRIsFiniteOp, TTNNIsFiniteOp = _both(
    "isfinite",
    "IsFinite",
    "Whether elements are finite.",
    "One for numbers, zero for infinities and what is not a number.",
)
TTIRLessEqualOp, TTNNLessEqualOp = _both(
    "le", "LessEqual", "Whether elements are less than others or equal.", _COMPARISON, free=True
)
TTIRLogOp, TTNNLogOp = _both("log", "Log", "Natural logarithm.")
TTIRLog1pOp, TTNNLog1pOp = _both(
    "log1p",
    "Log1p",
    "Natural logarithm of the element and one.",
    "Exact near zero, where `log` of a sum is not.",
)
TTIRLogicalAndOp, TTNNLogicalAndOp = _both(
    "logical_and", "LogicalAnd", "Whether both elements are true.", _TRUTH, free=True
)
TTIRLogicalNotOp, TTNNLogicalNotOp = _both(
    "logical_not", "LogicalNot", "Whether the element is not true.", _TRUTH
)
TTIRLogicalOrOp, TTNNLogicalOrOp = _both(
    "logical_or", "LogicalOr", "Whether one of the elements is true, or both.", _TRUTH, free=True
)
TTIRLogicalXorOp, TTNNLogicalXorOp = _both(
    "logical_xor", "LogicalXor", "Whether exactly one of the elements is true.", _TRUTH, free=True
)
TTIRLessThanOp, TTNNLessThanOp = _both(
    "lt", "LessThan", "Whether elements are less than others.", _COMPARISON, free=True
)
TTIRMaximumOp, TTNNMaximumOp = _both("maximum", "Maximum", "Greater of two elements.", _BINARY)
TTIRMinimumOp, TTNNMinimumOp = _both("minimum", "Minimum", "Lesser of two elements.", _BINARY)
TTIRMultiplyOp, TTNNMultiplyOp = _both(
    "multiply", "Multiply", "Product of two tensors, element by element.", _BINARY, free=True
)
TTIRNotEqualOp, TTNNNotEqualOp = _both("ne", "NotEqual", "Whether elements differ.", _COMPARISON, free=True)
TTIRNegOp, TTNNNegOp = _both("neg", "Neg", "Opposite number.")
TTIRReciprocalOp, TTNNReciprocalOp = _both("reciprocal", "Reciprocal", "One divided by the element.")
TTIRReluOp, TTNNReluOp = _both("relu", "Relu", "Rectifier: negative elements become zero.")
TTIRRemainderOp, TTNNRemainderOp = _both(
    "remainder",
    "Remainder",
    "Remainder of a division that is rounded towards zero.",
    f"It has the sign of the dividend. {_BINARY}",
)
TTIRRsqrtOp, TTNNRsqrtOp = _both("rsqrt", "Rsqrt", "One divided by the square root.")
TTIRSigmoidOp, TTNNSigmoidOp = _both("sigmoid", "Sigmoid", "Logistic function.")
TTIRSignOp, TTNNSignOp = _both("sign", "Sign", "Sign: one, zero or minus one.")
TTIRSinOp, TTNNSinOp = _both("sin", "Sin", "Sine of an angle in radians.")
TTIRSqrtOp, TTNNSqrtOp = _both("sqrt", "Sqrt", "Square root.")
TTIRSubtractOp, TTNNSubtractOp = _both(
    "subtract",
    "Subtract",
    "Difference of two tensors.",
    f"{_BINARY} Where the shapes differ, it becomes a sum with the opposite on the way to TTNN.",
    lowering=None,
    free=True,
)
TTIRWhereOp, TTNNWhereOp = _both(
    "where",
    "Where",
    "Choice between two tensors by a third.",
    "Operands: the condition, what is taken where it is not zero, what is taken elsewhere.",
)


class TTIRLeakyReluOp(TTIRElementwiseOp, name="ttir.leaky_relu"):
    """Rectifier with a slope for negative numbers.

    `parameter` is the slope: a positive element stays, another one is multiplied by it.
    """

    parameter = attribute(kinds.F32)


class TTNNLeakyReluOp(
    TTNNElementwiseOp, name="ttnn.leaky_relu", flatbuffer=FlatbufferTable("EltwiseOp", "LeakyRelu")
):
    """Rectifier with a slope for negative numbers.

    `parameter` is the slope: a positive element stays, another one is multiplied by it.
    """

    parameter = attribute(kinds.F32)


class TTIRTypecastOp(TTIRElementwiseOp, name="ttir.typecast", lowering=None):
    """Conversion to the element type of the result."""
