"""The conditions that MLIR verifies for an operation of valid structure: those of its class, and of its interfaces.

Operations of TTIR and TTNN share two interfaces: destination style, and elementwise with broadcasting. A class names
the conditions that apply to operations of any class (``verify``); conditions for one class are registered for it here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from xdsl.dialects.builtin import MemRefType, TensorType, UnrankedTensorType

from tt_model.operations import shared, ttir, ttmetal, ttnn
from tt_model.operations.conditions import (
    verify_compute,
    verify_memory,
    verify_mesh,
    verify_regions,
    verify_results,
    verify_shapes,
    verify_tt_lang,
    verify_windows,
)
from tt_model.operations.elementwise import TTNNElementwiseOp
from tt_model.operations.operation import RowOperation
from tt_model.operations.result_shapes import broadcast_shapes
from tt_model.operations.row import Check
from tt_model.operations.stages import PerClass

OperationT = TypeVar("OperationT", bound=RowOperation)


def conditions_of(kind: type[RowOperation]) -> Iterator[Check]:
    """Yield the conditions of the operations of a class, in the order of the checks: each may rely on those before it."""
    yield from _INVARIANTS.of(kind) or ()
    if kind.ROW.inits is not None:
        yield check_destination_style
    if kind.ROW.elementwise and kind.ROW.dialect == "ttir":
        yield check_broadcast
    yield from kind.ROW.verify
    yield from _CONDITIONS.of(kind) or ()


def check_destination_style(op: RowOperation) -> str | None:
    """Check that every tensor result has a destination of the same type, layout included."""
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


def check_broadcast(op: RowOperation) -> str | None:
    """Check that the operands, destinations included, repeat to one shape, which is the result's."""
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


def _of(
    kind: type[OperationT], *conditions: Callable[[OperationT], str | None]
) -> tuple[type[OperationT], tuple[Check, ...]]:
    """The conditions of a class, each of which takes operations of the class."""
    return kind, conditions


# Conditions that are checked before those of the interfaces.
_INVARIANTS = PerClass[tuple[Check, ...]](
    _of(shared.TTLangOperation, *verify_tt_lang.ROLES),
    _of(ttir.TTIRConstantOp, verify_shapes.value_has_the_result_s_shape),
    _of(ttir.TTIRFillOp, verify_shapes.value_has_the_result_s_shape),
)
_CONDITIONS = PerClass[tuple[Check, ...]](
    # Both dialects.
    _of(shared.TTIRReductionOp, *verify_results.REDUCTION),
    _of(shared.TTNNReductionOp, *verify_results.REDUCTION_ON_DEVICE),
    _of(shared.ConcatOperation, *verify_shapes.CONCAT, verify_results.CONCAT),
    _of(shared.UpdateCacheOperation, *verify_memory.UPDATE_CACHE),
    _of(shared.FillCacheOperation, *verify_memory.FILL_CACHE),
    _of(shared.MatmulOperation, *verify_compute.MATMUL),
    _of(shared.TTIRMeshShardOp, *verify_mesh.MESH_SHARD_OF_HOST),
    _of(shared.TTNNMeshShardOp, *verify_mesh.MESH_SHARD),
    _of(shared.ReshapeOperation, *verify_shapes.RESHAPE),
    _of(shared.SliceOperation, *verify_shapes.SLICE),
    _of(shared.SoftmaxOperation, *verify_shapes.SOFTMAX),
    _of(shared.TransposeOperation, *verify_shapes.TRANSPOSE, verify_results.TRANSPOSE),
    _of(shared.TTNNTTLangOp, *verify_tt_lang.TILED),
    # TTIR.
    _of(ttir.TTIRAllGatherOp, *verify_shapes.ALL_GATHER, *verify_results.ALL_GATHER),
    _of(ttir.TTIRAllReduceOp, *verify_shapes.ALL_REDUCE),
    _of(ttir.TTIRAllocOp, *verify_memory.ALLOC),
    _of(ttir.TTIRBroadcastOp, *verify_results.BROADCAST),
    _of(ttir.TTIRClampOp, *verify_shapes.LIMITS),
    _of(ttir.TTIRConv2dOp, *verify_compute.CONV2D, *verify_windows.CONV2D),
    _of(ttir.TTIRConvolutionOp, *verify_compute.CONVOLUTION, *verify_windows.CONVOLUTION),
    _of(ttir.TTIREmbeddingOp, *verify_shapes.EMBEDDING, verify_results.EMBEDDING),
    _of(ttir.TTIRGatherOp, *verify_results.GATHER),
    _of(ttir.TTIRGenericOp, *verify_regions.GENERIC),
    _of(ttir.TTIRGetDimensionSizeOp, *verify_shapes.GET_DIMENSION_SIZE, verify_results.ONE_NUMBER),
    _of(ttir.TTIRIndexOp, *verify_shapes.INDEX, verify_results.INDEX),
    _of(ttir.TTIRMaxPool2dOp, *verify_compute.MAX_POOL2D, *verify_windows.MAX_POOL2D),
    _of(ttir.TTIRPoolingOp, *verify_compute.POOLING, *verify_windows.POOLING),
    _of(ttir.TTIRReduceScatterOp, *verify_shapes.REDUCE_SCATTER, *verify_results.REDUCE_SCATTER),
    _of(ttir.TTIRSqueezeOp, *verify_shapes.SQUEEZE),
    _of(ttir.TTIRUnsqueezeOp, *verify_shapes.UNSQUEEZE),
    # TTNN.
    _of(TTNNElementwiseOp, *verify_results.ELEMENTWISE),
    _of(ttnn.TTNNAllGatherOp, *verify_shapes.ALL_GATHER, *verify_results.ALL_GATHER),
    _of(ttnn.TTNNAllocOp, *verify_memory.ALLOC),
    _of(ttnn.TTNNClampOp, *verify_shapes.LIMITS_OF_MANY),
    _of(ttnn.TTNNConv2dOp, *verify_compute.CONV2D_ON_DEVICE, *verify_windows.CONV2D_ON_DEVICE),
    _of(ttnn.TTNNCopyOp, *verify_results.SAME),
    _of(ttnn.TTNNEmbeddingOp, *verify_shapes.EMBEDDING, verify_results.EMBEDDING),
    _of(ttnn.TTNNEmptyOp, *verify_memory.EMPTY),
    _of(ttnn.TTNNFromDeviceOp, *verify_results.SAME),
    _of(ttnn.TTNNGenericOp, *verify_tt_lang.GENERIC),
    _of(ttnn.TTNNMaxPool2dOp, *verify_compute.MAX_POOL2D_ON_DEVICE, *verify_windows.MAX_POOL2D_ON_DEVICE),
    _of(ttnn.TTNNReduceScatterOp, *verify_shapes.REDUCE_SCATTER_ON_DEVICE, *verify_results.REDUCE_SCATTER),
    _of(ttnn.TTNNToDeviceOp, *verify_results.SAME),
    _of(ttnn.TTNNToLayoutOp, *verify_results.SAME),
    _of(ttnn.TTNNToMemoryConfigOp, *verify_memory.TO_MEMORY_CONFIG, *verify_results.SAME),
    _of(ttnn.TTNNTypecastOp, *verify_results.SAME),
    # TTMetal.
    _of(ttmetal.TTMetalAllocOp, *verify_memory.ALLOC),
    _of(ttmetal.TTMetalDispatchOp, *verify_memory.DISPATCH, *verify_regions.DISPATCH),
    _of(ttmetal.TTMetalHostReadOp, *verify_memory.HOST_READ),
    _of(ttmetal.TTMetalHostWriteOp, *verify_memory.HOST_WRITE),
)
