"""Values that loops carry and branches choose: which can be values of the IR, and the conversions from and to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

from xdsl.ir import Attribute, SSAValue

from ttl.dialects import ttl as ir
from ttl.dialects.elements import RetypeOp
from ttl.frontend.kernel.builder import INDEX, TRUTH
from ttl.frontend.kernel.objects import TracedBlock, TracedExpr
from ttl.frontend.kernel.tracer import Tracer
from ttl.frontend.reals import DOUBLE, FloatBounds, NodeFloat, as_real, constant
from ttl.frontend.scalars import NodeCondition, NodeInteger, NodeRatio, bounds_of
from ttl.rows.dtypes import promote
from ttl.rows.types import BlockType


@dataclass(frozen=True, slots=True)
class CarriedKind:
    """The form in which a value passes through the IR."""

    kind: Literal["index", "truth", "real", "expr"]
    type: BlockType | None = None

    @property
    def attribute(self) -> Attribute:
        """The kind's type in the IR."""
        if self.type is not None:
            return ir.value_type(self.type)
        return {"index": INDEX, "truth": TRUTH, "real": DOUBLE}[self.kind]


_INDEX, _TRUTH, _REAL = CarriedKind("index"), CarriedKind("truth"), CarriedKind("real")
# The placeholder of each kind for a value that is never used.
NOTHING_OF: Mapping[str, Any] = MappingProxyType({"index": 0, "truth": False, "real": 0.0})


def kind_of(value: Any) -> CarriedKind | None:
    """The kind of a value; None if it cannot be a value of the IR."""
    if isinstance(value, bool | NodeCondition):
        return _TRUTH
    if isinstance(value, int | NodeInteger):
        return _INDEX
    if isinstance(value, NodeFloat | NodeRatio):
        return _REAL
    if isinstance(value, TracedExpr):
        return CarriedKind("expr", value.type)
    return None


def common(first: CarriedKind | None, second: CarriedKind | None) -> CarriedKind | None:
    """The kind that can hold both of two values, or None."""
    if first is None or second is None:
        return None
    if first == second:
        return first
    if first.type is None or second.type is None:
        if first.type is not second.type:
            return None
        return _REAL if _REAL in (first, second) else _INDEX
    type = common_type(first.type, second.type)
    return None if type is None else CarriedKind("expr", type)


def common_type(first: BlockType, second: BlockType) -> BlockType | None:
    """The type that can hold both of two block expressions, or None."""
    if first.shape != second.shape or first.layout is not second.layout:
        return None
    dtype = promote(first.dtype, second.dtype)
    return None if dtype is None else first.with_dtype(dtype)


def to_ir(tracer: Tracer, value: Any, kind: CarriedKind) -> SSAValue:
    """A value as a value of the IR, at the current place."""
    builder = tracer.builder
    if kind.kind == "truth":
        return value.ssa() if isinstance(value, NodeCondition) else builder.truth(bool(value))
    if kind.kind == "real":
        return _real_to_ir(tracer, value)
    if kind.kind == "index":
        if isinstance(value, NodeCondition):
            from xdsl.dialects import arith

            chosen: SSAValue = builder.emit(
                arith.SelectOp(value.ssa(), builder.constant(1), builder.constant(0))
            ).result
            return chosen
        return builder.index(value)
    assert kind.type is not None
    if isinstance(value, TracedBlock):
        value = tracer.read(value)
    if value.type is kind.type:
        return value.ssa  # type: ignore[no-any-return]
    retyped: SSAValue = tracer.emit(RetypeOp(value.ssa, kind.type)).result
    return retyped


def _real_to_ir(tracer: Tracer, value: Any) -> SSAValue:
    if isinstance(value, NodeCondition):
        value = tracer.builder.atom(to_ir(tracer, value, _INDEX))
    if isinstance(value, bool | int | float):
        return constant(tracer.builder, float(value))
    node_float = as_real(value)
    assert node_float is not None
    return node_float.ssa


def from_ir(
    tracer: Tracer,
    ssa: SSAValue,
    kind: CarriedKind,
    loops: frozenset[int],
    bounds: tuple[int | None, int | None] = (None, None),
    real: FloatBounds | None = None,
) -> Any:
    """A value of the IR as a value of the evaluation. ``bounds`` are those of an integer, ``real`` those of a float."""
    if kind.kind == "expr":
        assert kind.type is not None
        return TracedExpr(tracer, ssa, kind.type, merged=True)
    if kind.kind == "truth":
        return NodeCondition(tracer.builder, ("value", id(ssa)), loops, lambda: ssa, operands=(ssa,))
    if kind.kind == "real":
        return NodeFloat(tracer.builder, ssa, loops, real)
    return tracer.builder.atom(ssa, *bounds, loops=loops)


def hull(first: Any, second: Any) -> tuple[int | None, int | None]:
    """Bounds that contain both of two integers."""
    if isinstance(first, NodeCondition) or isinstance(second, NodeCondition):
        return None, None
    low, high = bounds_of(first) | bounds_of(second)
    return low, high
