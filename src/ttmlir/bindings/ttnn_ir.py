"""``ttnn.ir``: the attributes of the ``ttnn`` dialect. ``ttnn.ttnn_layout`` has no class, as in the real bindings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tt_model.attributes import memory, tt, ttnn
from tt_model.layouts.enums import BufferType, PageLayout, TensorMemoryLayout
from tt_model.layouts.layout import MemoryConfigRecord
from tt_model.layouts.records import CoreRangeRecord
from ttmlir.bindings.dialect_attributes import (
    DialectAttribute,
    PartField,
    RecordField,
    data_of,
    enumeration,
    integers_of,
    member,
    refusing,
)
from ttmlir.bindings.scope import Attribute, Context, wrap_attribute

LayoutAttr = enumeration(
    "LayoutAttr", ttnn.TTNNPageLayoutAttr, PageLayout, "value", "The form of a tensor's pages."
)
TensorMemoryLayoutAttr = enumeration(
    "TensorMemoryLayoutAttr",
    ttnn.TTNNTensorMemoryLayoutAttr,
    TensorMemoryLayout,
    "value",
    "How shards are spread.",
)
BufferTypeAttr = enumeration(
    "BufferTypeAttr", memory.TTNNBufferTypeAttr, BufferType, "value", "Where a tensor lies."
)


class CoreRangeAttr(DialectAttribute):
    """A rectangle of cores."""

    OF = ttnn.TTNNCoreRangeAttr

    @staticmethod
    def get(ctx: Context, offset: Sequence[int], size: Sequence[int]) -> Attribute:
        return wrap_attribute(
            ttnn.TTNNCoreRangeAttr(CoreRangeRecord(integers_of(offset), integers_of(size))), ctx
        )

    @staticmethod
    def get_with_grid(ctx: Context, grid: Any, offset: Sequence[int] = (0, 0)) -> Attribute:
        """The cores of a grid."""
        shape = data_of(grid, tt.GridAttr, "a tt.grid").shape
        return CoreRangeAttr.get(ctx, offset, shape)

    offset = RecordField(list[int])
    size = RecordField(list[int])


class ShapeAttr(DialectAttribute):
    """The shape of a tensor."""

    OF = ttnn.TTNNShapeAttr

    @staticmethod
    def get(ctx: Context, shape: Sequence[int]) -> Attribute:
        return wrap_attribute(ttnn.TTNNShapeAttr(integers_of(shape)), ctx)

    @property
    def shape(self) -> list[int]:
        return list(self.data)


class ShardSpecAttr(DialectAttribute):
    """The shape of a shard."""

    OF = ttnn.TTNNShardSpecAttr

    @staticmethod
    def get(ctx: Context, shard_shape: Any) -> Attribute:
        return wrap_attribute(
            ttnn.TTNNShardSpecAttr(data_of(shard_shape, ttnn.TTNNShapeAttr, "a ttnn.shape")), ctx
        )

    shard_shape = PartField(ShapeAttr, ".")


class MeshShapeAttr(DialectAttribute):
    """The shape of a mesh of chips."""

    OF = ttnn.TTNNMeshShapeAttr

    @staticmethod
    def get(ctx: Context, y: int, x: int) -> Attribute:
        return wrap_attribute(ttnn.TTNNMeshShapeAttr((y, x)), ctx)

    @property
    def y(self) -> int:
        return int(self.data[0])

    @property
    def x(self) -> int:
        return int(self.data[1])


class MemoryConfigAttr(DialectAttribute):
    """The layout and memory of a tensor."""

    OF = ttnn.TTNNMemoryConfigAttr

    @staticmethod
    def get(ctx: Context, tensor_memory_layout: Any, buffer_type: Any, shard_spec: Any) -> Attribute:
        config = MemoryConfigRecord(
            data_of(tensor_memory_layout, ttnn.TTNNTensorMemoryLayoutAttr, "a ttnn.tensor_memory_layout"),
            data_of(buffer_type, memory.TTNNBufferTypeAttr, "a ttnn.buffer_type"),
            data_of(shard_spec, ttnn.TTNNShardSpecAttr, "a ttnn.shard_spec"),
        )
        return wrap_attribute(ttnn.TTNNMemoryConfigAttr(config), ctx)

    @staticmethod
    def get_by_value(
        ctx: Context, tensor_memory_layout: int, buffer_type: int, shard_shape: Sequence[int]
    ) -> Attribute:
        """Return the attribute from the numbers of the enumerations."""
        config = refusing(
            MemoryConfigRecord,
            member(TensorMemoryLayout, tensor_memory_layout),
            member(BufferType, buffer_type),
            integers_of(shard_shape),
        )
        return wrap_attribute(ttnn.TTNNMemoryConfigAttr(config), ctx)

    tensor_memory_layout = PartField(TensorMemoryLayoutAttr, "memory_layout")

    buffer_type = PartField(BufferTypeAttr)

    shard_spec = PartField(ShardSpecAttr, "shard_shape")
