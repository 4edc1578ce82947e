"""What the operations of TTNN say in a ``.ttnn`` file, table by table."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Protocol, TypeAlias

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, SSAValue

from ttmlir.attributes.tt import DeviceType
from ttmlir.attributes.ttnn import TTNNLayoutAttr
from ttmlir.flatbuffer.kernel_program import program_table
from ttmlir.layouts.enums import DataType, PageLayout
from ttmlir.layouts.layout import MemoryConfigRecord, TTNNLayout
from ttmlir.layouts.values import LayoutError
from ttmlir.operations import elementwise, ttnn
from ttmlir.operations.operation import RowOperation
from ttmlir.operations.stages import Stage, on
from ttmlir.operations.verify_tt_lang import request_of_generic

Fields = dict[str, Any]
# Data types that operations cannot ask for, and what to ask for instead.
_NO_FIELD: Mapping[DataType, DataType] = MappingProxyType(
    {
        DataType.Float16: DataType.BFloat16,
        DataType.BFP_Float8: DataType.BFP_BFloat8,
        DataType.BFP_Float4: DataType.BFP_BFloat4,
        DataType.BFP_Float2: DataType.BFP_BFloat4,
        DataType.BFP_BFloat2: DataType.BFP_BFloat4,
    }
)


class References(Protocol):
    """What gives tensors and devices their tables."""

    def reference(self, value: SSAValue, op: Operation) -> Fields: ...
    def device(self, value: SSAValue) -> Fields: ...
    def mesh(self) -> dict[str, int]: ...
    def rows_and_columns(self) -> tuple[int, int]: ...


_OfOne: TypeAlias = (
    ttnn.TTNNFromDeviceOp | ttnn.TTNNSoftmaxOp | ttnn.TTNNTransposeOp | ttnn.TTNNReshapeOp | ttnn.TTNNSliceOp
)


def _layout_of(op: RowOperation) -> TTNNLayout:
    type_ = op.result.type
    assert isinstance(type_, TensorType)
    assert isinstance(type_.encoding, TTNNLayoutAttr)
    return type_.encoding.data


def _memory_config(config: MemoryConfigRecord | None) -> Fields:
    if config is None:
        return {}
    return {
        "memcfg": {
            "tensor_memory_layout": int(config.memory_layout),
            "buffer_type": int(config.buffer_type),
            "shard_spec": {"shard_shape": list(config.shard_shape)},
        }
    }


def _data_type(type_: DataType) -> int:
    """The number of a data type as a field of its own. Raises ``LayoutError`` for those that TTNN's operations do not make."""
    if type_ in _NO_FIELD:
        raise LayoutError(
            f"TTNN makes no tensors of {type_.keyword}; use {_NO_FIELD[type_].keyword}, which it makes"
        )
    return int(type_)


def _device(op: ttnn.TTNNToLayoutOp | ttnn.TTNNEmptyOp | ttnn.TTNNMeshShardOp, write: References) -> Fields:
    device = op.device
    return {} if device is None else {"device": write.device(device)}


def _of_one(op: _OfOne, write: References) -> Fields:
    """An operation of one tensor, with its attributes as fields of the same names."""
    return {"in": write.reference(op.input, op), "out": write.reference(op.result, op), **_numbers(op)}


def _get_device(op: ttnn.TTNNGetDeviceOp, write: References) -> Fields:
    type_ = op.result.type
    assert isinstance(type_, DeviceType)
    return {"mesh": write.mesh(), "chip_ids": list(type_.data.chip_ids), "out": write.device(op.result)}


def _to_memory_config(op: ttnn.TTNNToMemoryConfigOp, write: References) -> Fields:
    return {
        "in0": write.reference(op.input, op),
        **_memory_config(op.memory_config),
        "out": write.reference(op.result, op),
    }


def _to_layout(op: ttnn.TTNNToLayoutOp, write: References) -> Fields:
    dtype = op.dtype
    return {
        "in": write.reference(op.input, op),
        "layout": int(op.layout),
        **({} if dtype is None else {"dtype": _data_type(dtype)}),
        **_memory_config(op.memory_config),
        **_device(op, write),
        "out": write.reference(op.result, op),
    }


def _typecast(op: ttnn.TTNNTypecastOp, write: References) -> Fields:
    return {
        "in": write.reference(op.input, op),
        "dtype": _data_type(op.dtype),
        "out": write.reference(op.result, op),
    }


def _to_device(op: ttnn.TTNNToDeviceOp, write: References) -> Fields:
    return {
        "in": write.reference(op.input, op),
        "device": write.device(op.device),
        **_memory_config(op.memory_config),
        "out": write.reference(op.result, op),
    }


def _empty(op: ttnn.TTNNEmptyOp, write: References) -> Fields:
    layout = _layout_of(op)
    dtype, page = op.dtype, op.layout
    on_device = op.device is not None
    return {
        "shape": list(op.shape),
        "dtype": _data_type(layout.data_type if dtype is None else dtype),
        "layout": int(
            (PageLayout.Tile if layout.is_tiled else PageLayout.RowMajor) if page is None else page
        ),
        "num_shards": 1,
        **_device(op, write),
        **(_memory_config(op.memory_config) if on_device else {}),
        "strategy": {},
        "out": write.reference(op.result, op),
    }


def _full(op: ttnn.TTNNFullOp, write: References) -> Fields:
    return {
        "device": write.device(op.device),
        "fill_value": op.fill_value,
        "num_shards": 1,
        "strategy": {},
        "out": write.reference(op.result, op),
    }


def _eltwise(op: elementwise.TTNNElementwiseOp | ttnn.TTNNClampOp, write: References) -> Fields:
    flatbuffer = op.ROW.flatbuffer
    assert flatbuffer is not None
    return {
        "type": flatbuffer.type,
        "ins": [write.reference(value, op) for value in op.inputs],
        "out": write.reference(op.result, op),
    }


def _clamp(op: ttnn.TTNNClampOp, write: References) -> Fields:
    limits = {"min": op.min, "max": op.max}
    return _eltwise(op, write) | {"params_type": "ClampOpParams", "params": limits}


def _leaky_relu(op: elementwise.TTNNLeakyReluOp, write: References) -> Fields:
    parameter = {"parameter": op.parameter}
    return _eltwise(op, write) | {"params_type": "EltwiseOpWithFloatParams", "params": parameter}


def _reduction(op: ttnn.TTNNReductionOp, write: References) -> Fields:
    flatbuffer = op.ROW.flatbuffer
    assert flatbuffer is not None
    dims = op.dim_arg
    return {
        "type": flatbuffer.type,
        "in": write.reference(op.input, op),
        "out": write.reference(op.result, op),
        **({} if dims is None else {"dim_arg": list(dims)}),
        "keep_dim": op.keep_dim,
    }


def _embedding(op: ttnn.TTNNEmbeddingOp, write: References) -> Fields:
    return {
        "input": write.reference(op.input, op),
        "weight": write.reference(op.weight, op),
        "out": write.reference(op.result, op),
    }


def _concat(op: ttnn.TTNNConcatOp, write: References) -> Fields:
    return {
        "inputs": [write.reference(value, op) for value in op.inputs],
        "out": write.reference(op.result, op),
        "dim": op.dim,
    }


def _matmul(op: ttnn.TTNNMatmulOp, write: References) -> Fields:
    return {
        "in0": write.reference(op.a, op),
        "in1": write.reference(op.b, op),
        "out": write.reference(op.result, op),
    }


def _conv2d(op: ttnn.TTNNConv2dOp, write: References) -> Fields:
    bias = op.bias
    return {
        "input": write.reference(op.input, op),
        "weight": write.reference(op.weight, op),
        **({} if bias is None else {"bias": write.reference(bias, op)}),
        "out": write.reference(op.result, op),
        "device": write.device(op.device),
        **_numbers(op),
    }


def _max_pool2d(op: ttnn.TTNNMaxPool2dOp, write: References) -> Fields:
    return {
        "in": write.reference(op.input, op),
        "out": write.reference(op.result, op),
        "device": write.device(op.device),
        **_numbers(op),
    }


def _numbers(op: RowOperation) -> Fields:
    """The attributes of an operation that are there, as fields of the same names."""
    values = {attribute.name: op.value_of(attribute) for attribute in op.ROW.attributes}
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in values.items()
        if value is not None
    }


def _deallocate(op: ttnn.TTNNDeallocateOp, write: References) -> Fields:
    return {"in": write.reference(op.input, op), "force": op.force}


def _all_gather(op: ttnn.TTNNAllGatherOp, write: References) -> Fields:
    type_ = op.input.type
    assert isinstance(type_, TensorType)
    dim = op.dim
    return {
        "in": write.reference(op.input, op),
        "out": write.reference(op.result, op),
        "dim": dim + len(type_.get_shape()) if dim < 0 else dim,
        "num_links": op.num_links,
        **_cluster_axis(op, write),
    }


def _reduce_scatter(op: ttnn.TTNNReduceScatterOp, write: References) -> Fields:
    dim = op.scatter_split_dim
    type_ = op.input.type
    assert isinstance(type_, TensorType)
    return {
        "in": write.reference(op.input, op),
        "out": write.reference(op.result, op),
        "scatter_split_dim": dim + len(type_.get_shape()) if dim < 0 else dim,
        "math_op": op.math_op,
        "num_links": op.num_links,
        **_cluster_axis(op, write),
    }


def _mesh_shard(op: ttnn.TTNNMeshShardOp, write: References) -> Fields:
    dims = list(op.shard_dims)
    rows, columns = write.rows_and_columns()
    if len(dims) == 2 and columns == 1 and rows > 1:  # a row there
        dims.reverse()
    return {
        "in": write.reference(op.input, op),
        "out": write.reference(op.result, op),
        **_device(op, write),
        "shard_direction": int(op.shard_direction),
        "shard_type": int(op.shard_type),
        "shard_shape": list(op.shard_shape),
        "shard_dims": dims,
    }


def _cluster_axis(op: ttnn.TTNNAllGatherOp | ttnn.TTNNReduceScatterOp, write: References) -> Fields:
    """The axis of the mesh as the file has it: one whose columns are one chip is a row there."""
    axis = op.cluster_axis
    if axis is None:
        return {}
    rows, columns = write.rows_and_columns()
    if axis not in (0, 1):
        raise LayoutError(f"cluster_axis is {axis}, and a mesh has the axes 0 and 1")
    return {"cluster_axis": 1 - axis if columns == 1 and rows > 1 else axis}


def _tt_lang(op: ttnn.TTNNTTLangOp, write: References) -> Fields:
    out, *further = (write.reference(result, op) for result in op.results)
    return {
        "inputs": [write.reference(value, op) for value in op.inputs],
        "out": out,
        "further_outs": further,
        **_numbers(op),
    }


def _generic(op: ttnn.TTNNGenericOp, write: References) -> Fields:
    try:
        artifact, _ = request_of_generic(op)
        program = program_table(artifact)
    except ValueError as problem:
        raise LayoutError(str(problem)) from None
    out, *further = (write.reference(result, op) for result in op.results)
    return {
        "inputs": [write.reference(value, op) for value in op.inputs],
        "out": out,
        "further_outs": further,
        "program": program,
    }


TABLES = Stage(
    on(ttnn.TTNNGetDeviceOp, _get_device),
    on(ttnn.TTNNToMemoryConfigOp, _to_memory_config),
    on(ttnn.TTNNToLayoutOp, _to_layout),
    on(ttnn.TTNNTypecastOp, _typecast),
    on(ttnn.TTNNToDeviceOp, _to_device),
    on(ttnn.TTNNFromDeviceOp, _of_one),
    on(ttnn.TTNNEmptyOp, _empty),
    on(ttnn.TTNNFullOp, _full),
    on(elementwise.TTNNElementwiseOp, _eltwise),
    on(elementwise.TTNNLeakyReluOp, _leaky_relu),
    on(ttnn.TTNNClampOp, _clamp),
    on(ttnn.TTNNMatmulOp, _matmul),
    on(ttnn.TTNNReductionOp, _reduction),
    on(ttnn.TTNNEmbeddingOp, _embedding),
    on(ttnn.TTNNSoftmaxOp, _of_one),
    on(ttnn.TTNNTransposeOp, _of_one),
    on(ttnn.TTNNConv2dOp, _conv2d),
    on(ttnn.TTNNConcatOp, _concat),
    on(ttnn.TTNNReshapeOp, _of_one),
    on(ttnn.TTNNSliceOp, _of_one),
    on(ttnn.TTNNMaxPool2dOp, _max_pool2d),
    on(ttnn.TTNNDeallocateOp, _deallocate),
    on(ttnn.TTNNAllGatherOp, _all_gather),
    on(ttnn.TTNNMeshShardOp, _mesh_shard),
    on(ttnn.TTNNReduceScatterOp, _reduce_scatter),
    on(ttnn.TTNNTTLangOp, _tt_lang),
    on(ttnn.TTNNGenericOp, _generic),
    absent={ttnn.TTNNAllocOp: "files of 2024-11-21 have no table for it"},
)
