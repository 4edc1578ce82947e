"""The properties of tensors that determine costs: shape, data type, pages, and place in memory."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Protocol

from tt_model.layouts.device import DeviceRecord
from tt_model.layouts.enums import DataType, TensorMemoryLayout
from tt_model.layouts.layout import MemoryConfigRecord, TTNNLayout


class CostedTensor(Protocol):
    """A tensor.

    ``config`` is None for a tensor of the host; ``cores`` (rows, columns) is the rectangle of cores that holds its
    shards.
    """

    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def data_type(self) -> DataType: ...
    @property
    def tiled(self) -> bool: ...
    @property
    def config(self) -> MemoryConfigRecord | None: ...
    @property
    def cores(self) -> tuple[int, int]: ...


@dataclass(frozen=True, slots=True)
class TensorOfLayout:
    """A tensor of a module, described by its layout."""

    shape: tuple[int, ...]
    data_type: DataType
    tiled: bool
    config: MemoryConfigRecord | None
    cores: tuple[int, int]

    @classmethod
    def of(cls, layout: TTNNLayout, shape: tuple[int, ...], device: DeviceRecord) -> TensorOfLayout:
        """Describe a tensor of a shape in a layout.

        Raises ``LayoutError`` for shards that are not a rectangle of cores.
        """
        config = None if layout.buffer_type.is_host else layout.memory_config
        cores = device.rectangle(layout.grid.shape) if layout.memory_layout.is_sharded else (1, 1)
        return cls(shape, layout.data_type, layout.is_tiled, config, cores)


def is_sharded(tensor: CostedTensor) -> bool:
    """Whether a tensor lies in shards of L1."""
    return tensor.config is not None and tensor.config.memory_layout.is_sharded


def shard_grid(tensor: CostedTensor) -> tuple[int, int]:
    """The numbers of rows and columns of shards that a tensor is cut into."""
    assert tensor.config is not None
    match tensor.config.memory_layout:
        case TensorMemoryLayout.HeightSharded:
            return prod(tensor.cores), 1
        case TensorMemoryLayout.WidthSharded:
            return 1, prod(tensor.cores)
    return tensor.cores
