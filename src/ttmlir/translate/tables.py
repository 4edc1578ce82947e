"""What the operations of TTNN say in a ``.ttnn`` file, table by table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Protocol

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, SSAValue

from ttmlir.attributes.tt import DeviceType
from ttmlir.attributes.ttnn import TTNNLayoutAttr
from ttmlir.flatbuffer.kernel_program import program_table
from ttmlir.layouts.enums import DataType, PageLayout
from ttmlir.layouts.layout import MemoryConfig, TTNNLayout
from ttmlir.layouts.values import LayoutError
from ttmlir.operations.operation import RowOperation
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


Write = Callable[[References, RowOperation], Fields]


def _layout_of(op: RowOperation) -> TTNNLayout:
    type_ = op.result.type
    assert isinstance(type_, TensorType)
    assert isinstance(type_.encoding, TTNNLayoutAttr)
    return type_.encoding.data


def _memory_config(config: MemoryConfig | None) -> Fields:
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


def _device(write: References, op: RowOperation) -> Fields:
    device = op.optional_operand("device")
    return {} if device is None else {"device": write.device(device)}


def _of_one(source: str, target: str, *names: str) -> Write:
    """An operation of one tensor: ``source`` is its operand, ``target`` its field, ``names`` are attributes."""

    def write_table(write: References, op: RowOperation) -> Fields:
        fields: Fields = {
            target: write.reference(op.operand(source), op),
            "out": write.reference(op.result, op),
        }
        return fields | {name: _plain(op.value(name)) for name in names if op.value(name) is not None}

    return write_table


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _get_device(write: References, op: RowOperation) -> Fields:
    type_ = op.result.type
    assert isinstance(type_, DeviceType)
    return {"mesh": write.mesh(), "chip_ids": list(type_.data.chip_ids), "out": write.device(op.result)}


def _to_memory_config(write: References, op: RowOperation) -> Fields:
    return {
        "in0": write.reference(op.operand("input"), op),
        **_memory_config(op.value("memory_config")),
        "out": write.reference(op.result, op),
    }


def _to_layout(write: References, op: RowOperation) -> Fields:
    dtype = op.value("dtype")
    return {
        "in": write.reference(op.operand("input"), op),
        "layout": int(op.value("layout")),
        **({} if dtype is None else {"dtype": _data_type(dtype)}),
        **_memory_config(op.value("memory_config")),
        **_device(write, op),
        "out": write.reference(op.result, op),
    }


def _typecast(write: References, op: RowOperation) -> Fields:
    return {
        "in": write.reference(op.operand("input"), op),
        "dtype": _data_type(op.value("dtype")),
        "out": write.reference(op.result, op),
    }


def _to_device(write: References, op: RowOperation) -> Fields:
    return {
        "in": write.reference(op.operand("input"), op),
        "device": write.device(op.operand("device")),
        **_memory_config(op.value("memory_config")),
        "out": write.reference(op.result, op),
    }


def _empty(write: References, op: RowOperation) -> Fields:
    layout = _layout_of(op)
    dtype, page = op.value("dtype"), op.value("layout")
    on_device = op.optional_operand("device") is not None
    return {
        "shape": list(op.value("shape")),
        "dtype": _data_type(layout.data_type if dtype is None else dtype),
        "layout": int(
            (PageLayout.Tile if layout.is_tiled else PageLayout.RowMajor) if page is None else page
        ),
        "num_shards": 1,
        **_device(write, op),
        **(_memory_config(op.value("memory_config")) if on_device else {}),
        "strategy": {},
        "out": write.reference(op.result, op),
    }


def _full(write: References, op: RowOperation) -> Fields:
    return {
        "device": write.device(op.operand("device")),
        "fill_value": op.number("fillValue"),
        "num_shards": 1,
        "strategy": {},
        "out": write.reference(op.result, op),
    }


def _eltwise(write: References, op: RowOperation) -> Fields:
    flatbuffer = op.ROW.flatbuffer
    assert flatbuffer is not None
    fields: Fields = {
        "type": flatbuffer.type,
        "ins": [write.reference(value, op) for value in op.group("inputs")],
        "out": write.reference(op.result, op),
    }
    match flatbuffer.type:
        case "Clamp":
            limits = {"min": op.number("min"), "max": op.number("max")}
            fields |= {"params_type": "ClampOpParams", "params": limits}
        case "LeakyRelu":
            parameter = {"parameter": op.number("parameter")}
            fields |= {"params_type": "EltwiseOpWithFloatParams", "params": parameter}
    return fields


def _reduction(write: References, op: RowOperation) -> Fields:
    flatbuffer = op.ROW.flatbuffer
    assert flatbuffer is not None
    dims = op.optional_integers("dim_arg")
    return {
        "type": flatbuffer.type,
        "in": write.reference(op.operand("input"), op),
        "out": write.reference(op.result, op),
        **({} if dims is None else {"dim_arg": list(dims)}),
        "keep_dim": op.flag("keep_dim"),
    }


def _embedding(write: References, op: RowOperation) -> Fields:
    return {
        "input": write.reference(op.operand("input"), op),
        "weight": write.reference(op.operand("weight"), op),
        "out": write.reference(op.result, op),
    }


def _concat(write: References, op: RowOperation) -> Fields:
    return {
        "inputs": [write.reference(value, op) for value in op.group("inputs")],
        "out": write.reference(op.result, op),
        "dim": op.integer("dim"),
    }


def _matmul(write: References, op: RowOperation) -> Fields:
    return {
        "in0": write.reference(op.operand("a"), op),
        "in1": write.reference(op.operand("b"), op),
        "out": write.reference(op.result, op),
    }


def _conv2d(write: References, op: RowOperation) -> Fields:
    bias = op.optional_operand("bias")
    return {
        "input": write.reference(op.operand("input"), op),
        "weight": write.reference(op.operand("weight"), op),
        **({} if bias is None else {"bias": write.reference(bias, op)}),
        "out": write.reference(op.result, op),
        "device": write.device(op.operand("device")),
        **_numbers(op),
    }


def _max_pool2d(write: References, op: RowOperation) -> Fields:
    return {
        "in": write.reference(op.operand("input"), op),
        "out": write.reference(op.result, op),
        "device": write.device(op.operand("device")),
        **_numbers(op),
    }


def _numbers(op: RowOperation) -> Fields:
    """The attributes of an operation as fields of the same names."""
    return {attribute.name: op.value(attribute.name) for attribute in op.ROW.attributes}


def _deallocate(write: References, op: RowOperation) -> Fields:
    return {"in": write.reference(op.operand("input"), op), "force": op.flag("force")}


def _all_gather(write: References, op: RowOperation) -> Fields:
    type_ = op.operand("input").type
    assert isinstance(type_, TensorType)
    dim = op.integer("dim")
    return {
        "in": write.reference(op.operand("input"), op),
        "out": write.reference(op.result, op),
        "dim": dim + len(type_.get_shape()) if dim < 0 else dim,
        "num_links": op.integer("num_links"),
        **_cluster_axis(write, op),
    }


def _reduce_scatter(write: References, op: RowOperation) -> Fields:
    dim = op.integer("scatter_split_dim")
    type_ = op.operand("input").type
    assert isinstance(type_, TensorType)
    return {
        "in": write.reference(op.operand("input"), op),
        "out": write.reference(op.result, op),
        "scatter_split_dim": dim + len(type_.get_shape()) if dim < 0 else dim,
        "math_op": op.integer("math_op"),
        "num_links": op.integer("num_links"),
        **_cluster_axis(write, op),
    }


def _mesh_shard(write: References, op: RowOperation) -> Fields:
    dims = list(op.integers("shard_dims"))
    rows, columns = write.rows_and_columns()
    if len(dims) == 2 and columns == 1 and rows > 1:  # a row there
        dims.reverse()
    return {
        "in": write.reference(op.operand("input"), op),
        "out": write.reference(op.result, op),
        **_device(write, op),
        "shard_direction": int(op.value("shard_direction")),
        "shard_type": int(op.value("shard_type")),
        "shard_shape": list(op.integers("shard_shape")),
        "shard_dims": dims,
    }


def _cluster_axis(write: References, op: RowOperation) -> Fields:
    """The axis of the mesh as the file has it: one whose columns are one chip is a row there."""
    axis = op.value("cluster_axis")
    if axis is None:
        return {}
    rows, columns = write.rows_and_columns()
    if axis not in (0, 1):
        raise LayoutError(f"cluster_axis is {axis}, and a mesh has the axes 0 and 1")
    return {"cluster_axis": 1 - axis if columns == 1 and rows > 1 else axis}


def _tt_lang(write: References, op: RowOperation) -> Fields:
    out, *further = (write.reference(result, op) for result in op.results)
    names = ("kernel_id", "version_tag", "arg_roles", "shard_spec", "kernel_artifact")
    return {
        "inputs": [write.reference(value, op) for value in op.group("inputs")],
        "out": out,
        "further_outs": further,
        **{name: op.value(name) for name in names if op.value(name) is not None},
    }


def _generic(write: References, op: RowOperation) -> Fields:
    try:
        artifact, _ = request_of_generic(op)
        program = program_table(artifact)
    except ValueError as problem:
        raise LayoutError(str(problem)) from None
    out, *further = (write.reference(result, op) for result in op.results)
    return {
        "inputs": [write.reference(value, op) for value in op.group("inputs")],
        "out": out,
        "further_outs": further,
        "program": program,
    }


TABLES: Mapping[str, Write] = MappingProxyType(
    {
        "GetDeviceOp": _get_device,
        "ToMemoryConfigOp": _to_memory_config,
        "ToLayoutOp": _to_layout,
        "TypecastOp": _typecast,
        "ToDeviceOp": _to_device,
        "FromDeviceOp": _of_one("input", "in"),
        "EmptyOp": _empty,
        "FullOp": _full,
        "EltwiseOp": _eltwise,
        "MatmulOp": _matmul,
        "ReductionOp": _reduction,
        "EmbeddingOp": _embedding,
        "SoftmaxOp": _of_one("input", "in", "dimension"),
        "TransposeOp": _of_one("input", "in", "dim0", "dim1"),
        "Conv2dOp": _conv2d,
        "ConcatOp": _concat,
        "ReshapeOp": _of_one("input", "in", "shape"),
        "SliceOp": _of_one("input", "in", "begins", "ends", "step"),
        "MaxPool2dOp": _max_pool2d,
        "DeallocateOp": _deallocate,
        "AllGatherOp": _all_gather,
        "MeshShardOp": _mesh_shard,
        "ReduceScatterOp": _reduce_scatter,
        "TTLangOp": _tt_lang,
        "GenericOp": _generic,
    }
)
