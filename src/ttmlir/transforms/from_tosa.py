"""``convert-tosa-to-ttir``: models in TOSA become TTIR."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, TensorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.dialects.tensor import EmptyOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from ttl.ir.failure import NotLegalized, not_legalized
from ttl.ir.reports import Report
from ttmlir.operations.emission import Emission, constraints_of_tiles
from ttmlir.operations.operation import TTIROperation

# TTIR's operations by those of TOSA. All are elementwise, and repeat operands as TOSA does.
_CONVERTED: Mapping[str, str] = MappingProxyType(
    {
        "tosa.abs": "ttir.abs",
        "tosa.add": "ttir.add",
        "tosa.greater_equal": "ttir.ge",
        "tosa.mul": "ttir.multiply",
        "tosa.negate": "ttir.neg",
        "tosa.sub": "ttir.subtract",
    }
)


@dataclass(frozen=True)
class ConvertTosaToTTIR(ModulePass):
    """Convert TOSA to TTIR.

    Expects: functions of TOSA's abs, add, greater_equal, mul, negate and sub, and of TTIR. Guarantees: TTIR,
    ``tensor.empty``, functions and returns only. Each operation writes to a ``tensor.empty`` of its own and wants tiles on the
    device of all its operands; types stay, so a comparison gives i1. What cannot be converted is reported, all of it.
    """

    name = "convert-tosa-to-ttir"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if reports := list(_refused(op)):
            raise NotLegalized(reports)
        for inner in [inner for inner in op.walk() if inner.name in _CONVERTED]:
            emission = Emission(inner)
            type = inner.results[0].type
            assert isinstance(type, TensorType)
            empty = emission.empty(type)
            converted = emission.make(
                _CONVERTED[inner.name],
                [tuple(inner.operands), empty],
                type,
                operand_constraints=constraints_of_tiles(len(inner.operands) + 1),
            )
            emission.replace([converted])


def _refused(module: ModuleOp) -> Iterator[Report]:
    for op in module.walk():
        if op.name in _CONVERTED:
            if (condition := _condition(op)) is not None:
                yield not_legalized(op, condition, explicitly=True)
        elif op.name.startswith("tosa."):
            names = ", ".join(name.removeprefix("tosa.") for name in _CONVERTED)
            yield not_legalized(op, f"TTIR is made of these operations of TOSA: {names}", explicitly=True)
        elif not _is_legal(op):
            yield not_legalized(op, "beside TOSA there may be TTIR, tensor.empty, functions and returns")


def _is_legal(op: Operation) -> bool:
    return isinstance(op, ModuleOp | FuncOp | ReturnOp | EmptyOp | TTIROperation)


def _condition(op: Operation) -> str | None:
    """What TTIR's operation cannot do of it."""
    count = 1 if op.name in ("tosa.abs", "tosa.negate") else 2
    if len(op.operands) != count or len(op.results) != 1:
        return (
            f"it has to have {count} operand{'s' if count > 1 else ''} and a result, and has {len(op.operands)} and "
            f"{len(op.results)}: the form is that of LLVM 19, in which a shift is an attribute"
        )
    shift = op.attributes.get("shift", op.properties.get("shift"))
    if isinstance(shift, IntegerAttr) and shift.value.data:
        return f"shift has to be 0, and is {shift.value.data}: ttir.multiply does not shift its products"
    return None
