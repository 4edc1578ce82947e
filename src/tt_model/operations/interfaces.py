"""The two interfaces that operations of TTIR and TTNN share: destination style, and elementwise with broadcasting."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.dialects.builtin import MemRefType, TensorType, UnrankedTensorType

if TYPE_CHECKING:
    from tt_model.operations.operation import RowOperation


def check_destination_style(op: RowOperation) -> str | None:
    """Every tensor result has a destination of the same type, layout included."""
    assert op.ROW.inits is not None
    start, end = op.init_bounds
    tensors = []
    for position in range(start, end):
        type = op.operands[position].type
        if isinstance(type, TensorType | UnrankedTensorType):
            tensors.append((position, type))
        elif not isinstance(type, MemRefType):
            return f"expected that operand #{position} is a ranked tensor or a ranked memref"
    results = [
        result.type for result in op.results if isinstance(result.type, TensorType | UnrankedTensorType)
    ]
    if len(results) != len(tensors):
        return (
            f"expected the number of tensor results ({len(results)}) to be equal to the number of output tensors "
            f"({len(tensors)})"
        )
    for position, type in tensors:
        result = op.results[position - start].type
        if result is not type and result != type:
            return f"expected type of operand #{position} ('{type}') to match type of corresponding result ('{result}')"
    return None


def broadcast_shapes(first: tuple[int, ...], second: tuple[int, ...]) -> tuple[int, ...] | None:
    """The shape that both can be repeated to, by NumPy's rule, or None."""
    if first == second:
        return first
    longer, shorter = (first, second) if len(first) >= len(second) else (second, first)
    shape = list(longer)
    offset = len(longer) - len(shorter)
    for index, extent in enumerate(shorter):
        other = longer[offset + index]
        if extent == other or extent == 1:
            continue
        if other != 1:
            return None
        shape[offset + index] = extent
    return tuple(shape)


def check_broadcast(op: RowOperation) -> str | None:
    """Operands, destinations included, repeat to one shape, which is the result's."""
    shape: tuple[int, ...] = ()
    for operand in op.operands:
        type = operand.type
        assert isinstance(type, TensorType)
        combined = broadcast_shapes(shape, type.get_shape())
        if combined is None:
            return "Operands are not broadcast compatible"
        shape = combined
    if not op.results:
        return None
    result = op.results[0].type
    assert isinstance(result, TensorType)
    if shape != result.get_shape():
        return "Result shape must match operand shapes after broadcasting"
    return None
