"""Floats that are known on the node only: results of computations with coordinates, loop variables and fractions.

They are computed as in Python, in 64 bits, and rounded to float32 when they enter a block.
"""

from __future__ import annotations

import ast
import operator
from math import isfinite
from typing import TYPE_CHECKING, Any

from xdsl.dialects import arith
from xdsl.dialects.builtin import Float64Type, FloatAttr, IndexType, i32, i64

from ttl.frontend.scalars import Emitter, NodeCondition, NodeInteger, NodeRatio, ValueOfNode
from ttl.frontend.stop import static_needed

if TYPE_CHECKING:
    from xdsl.ir import SSAValue


DOUBLE = Float64Type()
_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div)
FloatBounds = tuple[float, float]
_WORD = 1 << 31
_BEYOND = 1 << 1000
"""Integers beyond this may be too large for a float."""


class NodeFloat(ValueOfNode):
    """A float: a value of the IR, the loops with which it varies, and its bounds if they are known."""

    is_number_of_node = True

    __slots__ = ("bounds", "builder", "loops", "ssa")

    def __init__(
        self, builder: Emitter, ssa: SSAValue, loops: frozenset[int], bounds: FloatBounds | None = None
    ) -> None:
        self.builder = builder
        self.ssa = ssa
        self.loops = loops
        self.bounds = bounds

    def __add__(self, other: Any) -> Any:
        return _combined(arith.AddfOp, self, other)

    def __radd__(self, other: Any) -> Any:
        return _combined(arith.AddfOp, other, self)

    def __sub__(self, other: Any) -> Any:
        return _combined(arith.SubfOp, self, other)

    def __rsub__(self, other: Any) -> Any:
        return _combined(arith.SubfOp, other, self)

    def __mul__(self, other: Any) -> Any:
        return _combined(arith.MulfOp, self, other)

    def __rmul__(self, other: Any) -> Any:
        return _combined(arith.MulfOp, other, self)

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, int | float) and other == 0:
            raise ZeroDivisionError("float division by zero")
        return _combined(arith.DivfOp, self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return _combined(arith.DivfOp, other, self)

    def __neg__(self) -> NodeFloat:
        bounds = None if self.bounds is None else (-self.bounds[1], -self.bounds[0])
        return NodeFloat(self.builder, self.builder.emit(arith.NegfOp(self.ssa)).result, self.loops, bounds)

    def __pos__(self) -> NodeFloat:
        return self

    def __repr__(self) -> str:
        return "a fraction computed on the node"


def as_real(value: Any) -> NodeFloat | None:
    """An integer or fraction of the node as a float; None for anything else."""
    match value:
        case NodeFloat():
            return value
        case NodeInteger():
            builder, (low, high) = value.builder, value.bounds
            is_long = (low is not None and low < -_WORD) or (high is not None and high >= _WORD)
            word = builder.emit(arith.IndexCastOp(value.ssa(), i64 if is_long else i32)).result
            real = builder.emit(arith.SIToFPOp(word, DOUBLE)).result
            return NodeFloat(builder, real, value.loops, real_bounds(value))
        case NodeRatio():
            # Python rounds the quotient of two integers once, like a division of floats that represent both exactly.
            above, below = as_real(value.above), as_real(value.below)
            first: Any = float(value.above) if above is None else above
            divided: NodeFloat = first / (float(value.below) if below is None else below)
            return divided
    return None


def real_operands(how: ast.operator, left: Any, right: Any) -> tuple[Any, Any]:
    """The operands of an operator. Of ``+ - * /``, numbers of the node become floats beside a float or quotient."""
    if not isinstance(how, _OPERATORS):
        return left, right
    floats = (float, NodeFloat, NodeRatio)
    if isinstance(left, floats) or isinstance(right, floats):
        return _real(left), _real(right)
    return left, right


def _real(value: Any) -> Any:
    node_float = as_real(value)
    return value if node_float is None else node_float


def _combined(kind: Any, left: Any, right: Any) -> Any:
    reals = [as_real(left), as_real(right)]
    known = next(node_float for node_float in reals if node_float is not None)
    builder = known.builder
    operands: list[SSAValue] = []
    for given, real in zip((left, right), reals, strict=True):
        if real is None and not isinstance(given, int | float):
            return NotImplemented
        operands.append(constant(builder, float(given)) if real is None else real.ssa)
    loops = frozenset().union(*(node_float.loops for node_float in reals if node_float is not None))
    limits = [
        (float(given), float(given)) if real is None else real.bounds
        for given, real in zip((left, right), reals, strict=True)
    ]
    return NodeFloat(builder, builder.emit(kind(*operands)).result, loops, _bounds(kind, *limits))


def _bounds(kind: Any, first: FloatBounds | None, second: FloatBounds | None) -> FloatBounds | None:
    """Return the bounds of an operator's result for floats within bounds; None if they are unknown or not finite.

    The operator is monotone in each operand, and rounding preserves that.
    """
    if first is None or second is None or (kind is arith.DivfOp and second[0] <= 0 <= second[1]):
        return None
    how = {
        arith.AddfOp: operator.add,
        arith.SubfOp: operator.sub,
        arith.MulfOp: operator.mul,
        arith.DivfOp: operator.truediv,
    }[kind]
    corners = [how(a, b) for a in first for b in second]
    return (min(corners), max(corners)) if all(map(isfinite, corners)) else None


def real_bounds(value: Any) -> FloatBounds | None:
    """The smallest and largest float that a number can be, if both are known."""
    match value:
        case NodeFloat():
            return value.bounds
        case NodeInteger():
            low, high = value.bounds
            if low is None or high is None or max(-low, high) >= _BEYOND:
                return None
            return float(low), float(high)
        case NodeRatio():
            return _bounds(arith.DivfOp, real_bounds(value.above), real_bounds(value.below))
        case NodeCondition():
            return 0.0, 1.0
        case float() if isfinite(value):
            return value, value
        case int() if abs(value) < _BEYOND:
            return float(value), float(value)
    return None


def real_hull(first: Any, second: Any) -> FloatBounds | None:
    """Bounds that contain both of two numbers."""
    one, other = real_bounds(first), real_bounds(second)
    return None if one is None or other is None else (min(one[0], other[0]), max(one[1], other[1]))


def truncated(value: NodeFloat) -> NodeInteger:
    """``int(value)``. Raises ``Reject`` unless the result is known to fit in 32 bits."""
    if value.bounds is None or not -_WORD < value.bounds[0] <= value.bounds[1] < _WORD:
        raise static_needed("a float that an integer is made of, and that may not fit 32 bits,")
    builder: Any = value.builder
    word = builder.emit(arith.FPToSIOp(value.ssa, i32)).result
    index = builder.emit(arith.IndexCastOp(word, IndexType())).result
    result: NodeInteger = builder.atom(index, *map(int, value.bounds), loops=value.loops)
    return result


def constant(builder: Emitter, number: float) -> SSAValue:
    """A known float as a value of the IR."""
    value: SSAValue = builder.emit(arith.ConstantOp(FloatAttr(number, DOUBLE))).result
    return value
