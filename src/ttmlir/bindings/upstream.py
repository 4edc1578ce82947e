"""Operations of MLIR's own dialects under MLIR's Python names; results are inferred from operands.

xDSL defines the operations; where it calls something otherwise than MLIR's Python does, a line here says so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from xdsl.dialects.builtin import IndexType, TensorType, VectorType, i1
from xdsl.ir import Attribute as XdslAttribute

from ttmlir.bindings.signatures import Signature

# Infers the types of results from those of the operands.
Infer = Callable[[Sequence[XdslAttribute]], list[XdslAttribute]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Adapted:
    """The Python form of an MLIR operation: its class, the operand and result names that differ, its result types."""

    class_name: str
    operands: tuple[str, ...] = ()
    results: tuple[str, ...] = ()
    infer: Infer | None = None
    # Attributes come before the operands.
    attributes_first: bool = False


def _first(types: Sequence[XdslAttribute]) -> list[XdslAttribute]:
    return [types[0]]


def _second(types: Sequence[XdslAttribute]) -> list[XdslAttribute]:
    return [types[1]]


def _truth(types: Sequence[XdslAttribute]) -> list[XdslAttribute]:
    """Return ``i1``, with the shape of the operand if it has one."""
    match types[0]:
        case TensorType() as tensor:
            return [TensorType(i1, tensor.get_shape(), tensor.encoding)]
        case VectorType() as vector:
            return [VectorType(i1, vector.get_shape())]
    return [i1]


def _element(types: Sequence[XdslAttribute]) -> list[XdslAttribute]:
    return [getattr(types[0], "element_type", types[0])]


def _index(types: Sequence[XdslAttribute]) -> list[XdslAttribute]:
    return [IndexType()]


def _arith() -> dict[str, Adapted]:
    of_two = [
        "AddI",
        "SubI",
        "MulI",
        "AndI",
        "OrI",
        "XOrI",
        "ShLI",
        "ShRSI",
        "ShRUI",
        "DivSI",
        "DivUI",
        "CeilDivSI",
        "CeilDivUI",
        "FloorDivSI",
        "RemSI",
        "RemUI",
        "MaxSI",
        "MaxUI",
        "MinSI",
        "MinUI",
        "AddF",
        "SubF",
        "MulF",
        "DivF",
        "RemF",
        "MaximumF",
        "MinimumF",
        "MaxNumF",
        "MinNumF",
        "NegF",
    ]
    casts = ["ExtF", "ExtSI", "ExtUI", "TruncF", "TruncI", "SIToFP", "UIToFP", "FPToSI", "FPToUI", "Bitcast"]
    known = {f"arith.{name.lower()}": Adapted(class_name=f"{name}Op", infer=_first) for name in of_two}
    for name in casts:
        known[f"arith.{name.lower()}"] = Adapted(class_name=f"{name}Op", operands=("in",), results=("out",))
    known["arith.index_cast"] = Adapted(class_name="IndexCastOp", operands=("in",), results=("out",))
    for name in ("CmpI", "CmpF"):
        known[f"arith.{name.lower()}"] = Adapted(class_name=f"{name}Op", infer=_truth, attributes_first=True)
    known["arith.select"] = Adapted(
        class_name="SelectOp", operands=("condition", "true_value", "false_value"), infer=_second
    )
    return known


def _tensor() -> dict[str, Adapted]:
    return {
        "tensor.extract": Adapted(class_name="ExtractOp", infer=_element),
        "tensor.insert": Adapted(
            class_name="InsertOp", operands=("scalar", "dest", "indices"), infer=_second
        ),
        "tensor.dim": Adapted(class_name="DimOp", infer=_index),
        "tensor.empty": Adapted(class_name="EmptyOp"),
        "tensor.cast": Adapted(class_name="CastOp", results=("dest",)),
    }


def adapted(signature: Signature) -> Signature:
    """Adapt a signature made from xDSL's definition to MLIR's Python."""
    dialect = signature.name.partition(".")[0]
    table = _arith() if dialect == "arith" else _tensor() if dialect == "tensor" else {}
    known = table.get(signature.name)
    if known is None:
        return signature
    operands = signature.operands
    if known.operands:
        operands = tuple(replace(group, name=name) for group, name in zip(operands, known.operands))
    results = signature.results
    if known.results:
        results = tuple(replace(group, name=name) for group, name in zip(results, known.results))
    return replace(
        signature,
        class_name=known.class_name,
        operands=operands,
        results=results,
        infer=known.infer,
        attributes_first=known.attributes_first,
    )
