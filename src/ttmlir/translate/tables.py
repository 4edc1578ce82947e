"""The tables of TTNN operations in a ``.ttnn`` file.

A table follows from the class of an operation and the schema: tensors are the operands and results in their order, other fields
the attributes of their names. Each field that deviates has a function here.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType
from typing import Any, Protocol

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, SSAValue

from tt_model.attributes.tt import DeviceType
from tt_model.attributes.ttnn import TTNNLayoutAttr
from tt_model.flatbuffer.kernel_program import program_table
from tt_model.layouts.enums import DataType, PageLayout
from tt_model.layouts.layout import MemoryConfigRecord
from tt_model.layouts.values import LayoutError
from tt_model.operations import kinds, shared, ttnn
from tt_model.operations.conditions.verify_tt_lang import request_of_generic
from tt_model.operations.file_fields import FieldParameters, Part, Word, fields_of
from tt_model.operations.operation import TTNNOperation
from tt_model.operations.row import AttributeDefinition, OperandDefinition
from tt_model.operations.stages import Stage, on
from tt_model.operations.tensors import shape_of

Fields = dict[str, Any]
# Data types that operations cannot request, and the types to request instead.
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
    """The source of the tables of tensors and devices."""

    def reference(self, value: SSAValue, op: Operation) -> Fields: ...
    def device(self, value: SSAValue) -> Fields: ...
    def mesh(self) -> dict[str, int]: ...
    def rows_and_columns(self) -> tuple[int, int]: ...


def of_class(op: TTNNOperation, write: References) -> Fields:
    """Return the fields that follow from the class.

    Raises ``LayoutError`` for attributes without a field in the table, and for values that no field holds.
    """
    said = ((one.name, _said(one.part, op, write)) for one in fields_of(type(op)))
    return {name: value for name, value in said if value is not None}


def _said(part: Part, op: TTNNOperation, write: References) -> Any:
    """Return the value of a field for an operation; None where it is absent."""
    match part:
        case "result":
            return write.reference(op.result, op)
        case "further results":
            return [write.reference(value, op) for value in op.results[1:]]
        case OperandDefinition(kind=kinds.DEVICE):
            return next((write.device(value) for value in op.operands_of(part)), None)
        case OperandDefinition():
            references = [write.reference(value, op) for value in op.operands_of(part)]
            return references if part.arity == "variadic" else next(iter(references), None)
        case AttributeDefinition():
            return _plain(op.value_of(part))
        case FieldParameters():
            return {name: _plain(op.value_of(one)) for name, one in part.attributes.items()}
        case Word():
            return part.text


def _plain(value: Any) -> Any:
    """The value of an attribute as that of a field."""
    match value:
        case DataType() if value in _NO_FIELD:
            raise LayoutError(f"TTNN cannot make tensors of {value.keyword}; use {_NO_FIELD[value].keyword}")
        case MemoryConfigRecord():
            return {
                "tensor_memory_layout": int(value.memory_layout),
                "buffer_type": int(value.buffer_type),
                "shard_spec": {"shard_shape": list(value.shard_shape)},
            }
        case Enum():
            return int(value.value)
        case tuple():
            return list(value)
    return value


# Fields that deviate.


def _get_device(op: ttnn.TTNNGetDeviceOp, write: References) -> Fields:
    type_ = op.result.type
    assert isinstance(type_, DeviceType)
    return {"mesh": write.mesh(), "chip_ids": list(type_.data.chip_ids), "out": write.device(op.result)}


def _empty(op: ttnn.TTNNEmptyOp, write: References) -> Fields:
    type_ = op.result.type
    assert isinstance(type_, TensorType) and isinstance(type_.encoding, TTNNLayoutAttr)
    layout = type_.encoding.data
    fields = of_class(op, write)
    if op.device is None:
        fields.pop("memcfg", None)
    usual = {
        "dtype": _plain(layout.data_type if op.dtype is None else op.dtype),
        "layout": int(PageLayout.Tile if layout.is_tiled else PageLayout.RowMajor),
    }
    return {**usual, **fields, "num_shards": 1, "strategy": {}}


def _full(op: ttnn.TTNNFullOp, write: References) -> Fields:
    return {**of_class(op, write), "num_shards": 1, "strategy": {}}


def _all_gather(op: ttnn.TTNNAllGatherOp, write: References) -> Fields:
    dim = op.dim % len(shape_of(op.input))
    return {**of_class(op, write), "dim": dim, **_cluster_axis(op, write)}


def _reduce_scatter(op: ttnn.TTNNReduceScatterOp, write: References) -> Fields:
    dim = op.scatter_split_dim % len(shape_of(op.input))
    return {**of_class(op, write), "scatter_split_dim": dim, **_cluster_axis(op, write)}


def _mesh_shard(op: shared.TTNNMeshShardOp, write: References) -> Fields:
    dims = list(op.shard_dims)
    rows, columns = write.rows_and_columns()
    if len(dims) == 2 and columns == 1 and rows > 1:  # a row there
        dims.reverse()
    return {**of_class(op, write), "shard_dims": dims}


def _cluster_axis(op: ttnn.TTNNAllGatherOp | ttnn.TTNNReduceScatterOp, write: References) -> Fields:
    """The axis of the mesh in the file: a mesh whose columns are one chip is a row there."""
    axis = op.cluster_axis
    if axis is None:
        return {}
    rows, columns = write.rows_and_columns()
    if axis not in (0, 1):
        raise LayoutError(f"cluster_axis is {axis}, and a mesh has the axes 0 and 1")
    return {"cluster_axis": 1 - axis if columns == 1 and rows > 1 else axis}


def _generic(op: ttnn.TTNNGenericOp, write: References) -> Fields:
    try:
        artifact, _ = request_of_generic(op)
        program = program_table(artifact)
    except ValueError as problem:
        raise LayoutError(str(problem)) from None
    return {**of_class(op, write), "program": program}


TABLES = Stage(
    on(TTNNOperation, of_class),
    on(ttnn.TTNNGetDeviceOp, _get_device),
    on(ttnn.TTNNEmptyOp, _empty),
    on(ttnn.TTNNFullOp, _full),
    on(ttnn.TTNNAllGatherOp, _all_gather),
    on(shared.TTNNMeshShardOp, _mesh_shard),
    on(ttnn.TTNNReduceScatterOp, _reduce_scatter),
    on(ttnn.TTNNGenericOp, _generic),
    absent={ttnn.TTNNAllocOp: "files of 2024-11-21 cannot hold it"},
)
