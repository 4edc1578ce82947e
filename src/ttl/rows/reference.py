"""The texts of a row: docstrings, stubs and the reference page."""

from __future__ import annotations

import math
import textwrap

from ttl.rows.row import Op, Param


def signature(op: Op) -> str:
    """The public signature with annotations, for stubs and the reference."""
    parts = [
        f"{operand.name}: {'BlockExpr | float' if operand.scalar else 'BlockExpr'}" for operand in op.operands
    ]
    for param in op.parameters:
        default = "" if param.default is ... else f" = {default_text(param)}"
        parts.append(f"{param.name}: {param.annotation}{default}")
    return f"{op.name}({', '.join(parts)}) -> BlockExpr"


def default_text(param: Param) -> str:
    """The default of a parameter as Python text."""
    return repr(param.default)


def docstring(op: Op) -> str:
    """Docstring of the public function."""
    lines = [op.summary]
    if op.doc:
        lines += ["", *_wrapped(op.doc)]
    described = [(operand.name, operand.doc) for operand in op.operands]
    described += [(param.name, param.doc) for param in op.parameters]
    if described:
        lines += ["", "Args:", *(f"    {name}: {text}" for name, text in described)]
    lines += ["", f"Example: ``{op.example}``"]
    lines += ["", *_wrapped(f"Element types: {accepted(op)}. Layouts: {layouts(op)}. Source: {source(op)}.")]
    return "\n".join(lines)


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, 96, break_long_words=False, break_on_hyphens=False)


def accepted(op: Op) -> str:
    """The element types an operation is defined on, in words."""
    return {"all": "floats and integers", "float": "floats", "integer": "integers"}[op.accepts]


def layouts(op: Op) -> str:
    """The layouts an operation is defined on, in words."""
    return "tiled and row-major" if len(op.layouts) > 1 else "tiled"


_SOURCES = {
    "appendix-b-binary-operators": "specification, Appendix B, binary operators and math functions",
    "appendix-b-basic-unary": "specification, Appendix B, basic unary math functions",
    "appendix-b-trigonometric": "specification, Appendix B, trigonometric unary math functions",
    "appendix-b-activation": "specification, Appendix B, activation functions",
    "appendix-b-reduction": "specification, Appendix B, reduction, broadcast and transpose functions",
    "appendix-b-rounding": "specification, Appendix B, rounding functions",
    "appendix-b-fill-mask-where": "specification, Appendix B, fill, mask and where functions",
    "appendix-b-shape": "specification, Appendix B, shape manipulation functions",
    "appendix-d": "specification, Appendix D, built-in binary operators",
    "comparisons": "beyond the specification: comparisons",
    "typecast": "beyond the specification: typecast",
}


def source(op: Op) -> str:
    """The section of the specification that defines an operation, in words."""
    return _SOURCES.get(op.anchor, op.anchor)


def tolerance_text(value: float) -> str:
    """A tolerance as text: as a power of two if possible, else with three digits."""
    if value == 0:
        return "0"
    mantissa, exponent = math.frexp(value)
    return f"2^{exponent - 1}" if mantissa == 0.5 else f"{value:.3g}"
