"""Functions that make rows of the common kinds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ttl.diag.model import Diagnostic
from ttl.rows.dtypes import Array
from ttl.rows.hardware import SFPU
from ttl.rows.params import limits, number
from ttl.rows.row import Accepts, Op, Operand, OperandType, Param, Params, Tolerance, Trait
from ttl.rows.rules import Rule, checked_numbers, elementwise, elementwise_valid
from ttl.rows.types import BlockType

EXACTLY: frozenset[Trait] = frozenset({"exact"})
CLOSED: frozenset[Trait] = frozenset({"exact", "closed"})
EXPR = Operand(name="expr", doc="The block or block expression.")
LEFT = Operand(name="a", doc="First operand, a block expression or a number.", scalar=True)
RIGHT = Operand(name="b", doc="Second operand, a block expression or a number.", scalar=True)
LIMITS = (number("min", "Smallest value of the result."), number("max", "Largest value of the result."))


def unary(
    name: str,
    summary: str,
    function: Callable[..., Array],
    *,
    params: tuple[Param, ...] = (),
    anchor: str = "appendix-b-basic-unary",
    accepts: Accepts = "float",
    tolerance: Mapping[str, Tolerance] = SFPU,
    spellings: tuple[str, ...] = (),
    example: str = "",
    **rest: Any,
) -> Op:
    """``ttl.math.name(expr, *params)``, element by element. ``function`` takes the array, then the parameters.

    ``rest``: other fields of the row.
    """
    label = f"ttl.math.{name}"

    def plain(arrays: Any, params: Params, result: BlockType) -> Array:
        return function(arrays[0])

    def with_params(arrays: Any, params: Params, result: BlockType) -> Array:
        if not result.dtype.is_float:
            params = tuple(int(param) if type(param) is float else param for param in params)
        return function(arrays[0], *params)

    rule = elementwise(label, ("expr",), accepts)
    if params and accepts == "all":
        rule = _with_whole_params(label, rule)
    return Op(
        name=name,
        namespace="math",
        spellings=(label, *spellings),
        anchor=anchor,
        summary=summary,
        operands=(EXPR,),
        params=params,
        rule=rule,
        reference=with_params if params else plain,
        valid_rule=elementwise_valid,
        tolerance=tolerance,
        accepts=accepts,
        example=example or f"{label}(a)",
        **rest,
    )


def binary_operator(
    name: str,
    symbol: str,
    summary: str,
    function: Callable[..., Array],
    *,
    anchor: str = "appendix-b-binary-operators",
    accepts: Accepts = "all",
    **rest: Any,
) -> Op:
    """``a symbol b``, element by element; either operand may be a number. ``rest``: other fields of the row."""
    label = f"a {symbol} b"
    return Op(
        name=name,
        namespace="operator",
        spellings=(label,),
        anchor=anchor,
        summary=summary,
        operands=(LEFT, RIGHT),
        rule=elementwise(label, ("a", "b"), accepts),
        reference=lambda arrays, params, result: function(arrays[0], arrays[1]),
        valid_rule=elementwise_valid,
        accepts=accepts,
        example=label,
        **rest,
    )


def binary_function(
    name: str,
    summary: str,
    function: Callable[[Any, Any, BlockType], Array],
    *,
    operands: tuple[Operand, Operand] = (LEFT, RIGHT),
    anchor: str = "appendix-b-binary-operators",
    spellings: tuple[str, ...] = (),
    accepts: Accepts = "all",
    example: str = "",
    **rest: Any,
) -> Op:
    """``ttl.math.name(a, b)``, element by element; either operand may be a number.

    ``rest``: other fields of the row.
    """
    label = f"ttl.math.{name}"
    return Op(
        name=name,
        namespace="math",
        spellings=(label, *spellings),
        anchor=anchor,
        summary=summary,
        operands=operands,
        rule=elementwise(label, tuple(operand.name for operand in operands), accepts),
        reference=lambda arrays, params, result: function(arrays[0], arrays[1], result),
        valid_rule=elementwise_valid,
        accepts=accepts,
        example=example or f"{label}(a, b)",
        **rest,
    )


def larger(a: Array, b: Array | float) -> Array:
    """The larger of two values, element by element: NaN where either is NaN, and +0 is larger than -0."""
    value: Array = np.maximum(a, b)
    if value.dtype.kind == "f" and not value.all():
        # The sum of two zeros is -0 only where both are -0.
        value = np.where(np.equal(a, b) & (value == 0), np.add(a, value.dtype.type(b)), value)
    return value


def smaller(a: Array, b: Array | float) -> Array:
    """The smaller of two values, element by element: NaN where either is NaN, and -0 is smaller than +0."""
    value: Array = np.minimum(a, b)
    if value.dtype.kind == "f" and not value.all():
        both = np.add(np.negative(a), np.negative(value.dtype.type(b)))
        value = np.where(np.equal(a, b) & (value == 0), np.negative(both), value)
    return value


def clip(x: Array, minimum: float, maximum: float) -> Array:
    """Limit values to a range; NaN stays NaN."""
    return smaller(larger(x, minimum), maximum)


def with_limits(op: Op) -> Op:
    """Return the row with a check that its parameter ``min`` is not above ``max``."""
    check = limits(op.label, "min", "max")
    inner = op.rule

    def rule(operands: tuple[OperandType, ...], params: Params) -> BlockType | Diagnostic:
        return check(params[0], params[1]) or inner(operands, params)

    return replace(op, rule=rule)


def _with_whole_params(label: str, inner: Rule) -> Rule:
    def rule(operands: tuple[OperandType, ...], params: Params) -> BlockType | Diagnostic:
        result = inner(operands, params)
        if isinstance(result, Diagnostic):
            return result
        return checked_numbers(label, result.dtype, params) or result

    return rule
