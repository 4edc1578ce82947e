"""Operations that work element by element, of which TTIR and TTNN have the same.

One entry is both rows: they differ in the operand constraints, which only TTIR has. The arithmetic is that of
``ttmlir.reference.elementwise``, by the same name.
"""

from __future__ import annotations

from dataclasses import dataclass

from ttmlir.operations import kinds
from ttmlir.operations.row import (
    AttributeDefinition,
    Dialect,
    Flatbuffer,
    Lowering,
    OperandDefinition,
    ResultDefinition,
    Row,
    Same,
    Written,
)

_BINARY = "Operands are repeated along dimensions of extent one, as in NumPy."
_SAME = Same()
_TRUTH = "What is not zero is true. The result is one or zero, in the element type of the result."
_COMPARISON = f"The result is one or zero, in the element type of the result. {_BINARY}"


@dataclass(frozen=True, kw_only=True, slots=True)
class _Entry:
    """``code`` is the member of ``EltwiseOpType`` in the TTNN file; empty: there is no such operation in TTNN."""

    mnemonic: str
    class_name: str
    code: str
    summary: str
    doc: str = ""
    attributes: tuple[AttributeDefinition, ...] = ()
    lowering: Lowering = _SAME


def _entry(
    mnemonic: str, class_name: str, code: str, summary: str, doc: str = "", lowering: Lowering = _SAME
) -> _Entry:
    return _Entry(
        mnemonic=mnemonic, class_name=class_name, code=code, summary=summary, doc=doc, lowering=lowering
    )


_ENTRIES = (
    _entry("abs", "Abs", "Abs", "Absolute value."),
    _entry("add", "Add", "Add", "Sum of two tensors.", _BINARY),
    _entry("cbrt", "Cbrt", "Cbrt", "Cube root, which negative numbers have, too."),
    _entry("ceil", "Ceil", "Ceil", "Least integer that is not less."),
    _entry("cos", "Cos", "Cos", "Cosine of an angle in radians."),
    _entry("div", "Div", "Div", "Quotient of two tensors.", _BINARY),
    _entry("eq", "Equal", "Equal", "Whether elements are equal.", _COMPARISON),
    _entry("exp", "Exp", "Exp", "Exponential function."),
    _entry(
        "expm1", "Expm1", "Expm1", "Exponential function less one.", "Exact near zero, where `exp` is not."
    ),
    _entry("floor", "Floor", "Floor", "Greatest integer that is not greater."),
    _entry(
        "ge",
        "GreaterEqual",
        "GreaterEqual",
        "Whether elements are greater than others or equal.",
        _COMPARISON,
    ),
    _entry(
        "gelu",
        "Gelu",
        "Gelu",
        "Gaussian error linear unit.",
        "The element times the probability that a standard normal variable is less than it.",
    ),
    _entry("gt", "GreaterThan", "GreaterThan", "Whether elements are greater than others.", _COMPARISON),
    _entry(
        "isfinite",
        "IsFinite",
        "IsFinite",
        "Whether elements are finite.",
        "One for numbers, zero for infinities and what is not a number.",
    ),
    _entry("le", "LessEqual", "LessEqual", "Whether elements are less than others or equal.", _COMPARISON),
    _Entry(
        mnemonic="leaky_relu",
        class_name="LeakyRelu",
        code="LeakyRelu",
        summary="Rectifier with a slope for negative numbers.",
        doc="`parameter` is the slope: a positive element stays, another one is multiplied by it.",
        attributes=(AttributeDefinition(name="parameter", kind=kinds.F32),),
    ),
    _entry("log", "Log", "Log", "Natural logarithm."),
    _entry(
        "log1p",
        "Log1p",
        "Log1p",
        "Natural logarithm of the element and one.",
        "Exact near zero, where `log` of a sum is not.",
    ),
    _entry("logical_and", "LogicalAnd", "LogicalAnd", "Whether both elements are true.", _TRUTH),
    _entry("logical_not", "LogicalNot", "LogicalNot", "Whether the element is not true.", _TRUTH),
    _entry("logical_or", "LogicalOr", "LogicalOr", "Whether one of the elements is true, or both.", _TRUTH),
    _entry("logical_xor", "LogicalXor", "LogicalXor", "Whether exactly one of the elements is true.", _TRUTH),
    _entry("lt", "LessThan", "LessThan", "Whether elements are less than others.", _COMPARISON),
    _entry("maximum", "Maximum", "Maximum", "Greater of two elements.", _BINARY),
    _entry("minimum", "Minimum", "Minimum", "Lesser of two elements.", _BINARY),
    _entry("multiply", "Multiply", "Multiply", "Product of two tensors, element by element.", _BINARY),
    _entry("ne", "NotEqual", "NotEqual", "Whether elements differ.", _COMPARISON),
    _entry("neg", "Neg", "Neg", "Opposite number."),
    _entry("reciprocal", "Reciprocal", "Reciprocal", "One divided by the element."),
    _entry("relu", "Relu", "Relu", "Rectifier: negative elements become zero."),
    _entry(
        "remainder",
        "Remainder",
        "Remainder",
        "Remainder of a division that is rounded towards zero.",
        f"It has the sign of the dividend. {_BINARY}",
    ),
    _entry("rsqrt", "Rsqrt", "Rsqrt", "One divided by the square root."),
    _entry("sigmoid", "Sigmoid", "Sigmoid", "Logistic function."),
    _entry("sign", "Sign", "Sign", "Sign: one, zero or minus one."),
    _entry("sin", "Sin", "Sin", "Sine of an angle in radians."),
    _entry("sqrt", "Sqrt", "Sqrt", "Square root."),
    _entry(
        "subtract",
        "Subtract",
        "Subtract",
        "Difference of two tensors.",
        f"{_BINARY} Where the shapes differ, it becomes a sum with the opposite on the way to TTNN.",
        Written("subtract"),
    ),
    _entry(
        "typecast",
        "Typecast",
        "",
        "Conversion to the element type of the result.",
        "",
        Written("typecast"),
    ),
    _entry(
        "where",
        "Where",
        "Where",
        "Choice between two tensors by a third.",
        "Operands: the condition, what is taken where it is not zero, what is taken elsewhere.",
    ),
)


def elementwise_rows(dialect: Dialect, constraints: tuple[AttributeDefinition, ...] = ()) -> tuple[Row, ...]:
    """The rows of a dialect: with its lowering in TTIR, with its code in the file in TTNN."""
    is_source = dialect == "ttir"
    return tuple(
        Row(
            name=f"{dialect}.{entry.mnemonic}",
            class_name=entry.class_name,
            summary=entry.summary,
            doc=entry.doc,
            operands=(
                OperandDefinition(name="inputs", kind=kinds.TENSOR, arity="variadic"),
                OperandDefinition(name="outputs", kind=kinds.TENSOR, arity="variadic"),
            ),
            attributes=(*entry.attributes, *constraints),
            results=(ResultDefinition(name="results", kind=kinds.TENSOR, arity="variadic"),),
            inits="outputs",
            segments=True,
            elementwise=True,
            lowering=entry.lowering if is_source else None,
            layout="all" if is_source else None,
            flatbuffer=None if is_source else Flatbuffer("EltwiseOp", entry.code),
            reference="elementwise" if entry.code else "typecast",
        )
        for entry in _ENTRIES
        if is_source or entry.code
    )
