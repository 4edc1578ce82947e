"""The library's requirements on operands, which the class of a TTNN operation states for each of them.

The compiler uses them where it chooses the layouts of tensors and inserts changes of layout before an operation
(``ttmlir.transforms.operand_layouts``), the runtime where it reads an operand (``tt_model.runtime.pool``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tt_model.layouts.elements import TILE_SHAPE
from tt_model.layouts.enums import DataType, TensorMemoryLayout

INTEGERS = (DataType.UInt32, DataType.UInt16, DataType.UInt8)


@dataclass(frozen=True, kw_only=True, slots=True)
class OperandRequirement:
    """The requirements on an operand; the operation may refuse an operand that does not meet them.

    ``memory`` is the place of the operand. ``pages`` is its page layout on the device: tiles, either, or alike for all operands
    of the group. ``prefers_rows``: a tensor that is moved to the device for this operation arrives in rows. ``data_types`` are
    the allowed types; empty allows all. ``shards``: whether the operand may be sharded in L1; otherwise it must be interleaved.
    """

    memory: Literal["device", "host", "either"] = "device"
    pages: Literal["tiles", "either", "alike"] = "either"
    prefers_rows: bool = False
    data_types: tuple[DataType, ...] = ()
    shards: bool = False

    def memory_of(self, on_device: bool) -> bool:
        """Whether the operand may be on the device (or on the host)."""
        return self.memory == "either" or (self.memory == "device") == on_device

    def pages_of(self, on_device: bool, tiled: bool) -> bool:
        """Whether an operand by itself may be in tiles (or in rows), on the device (or on the host)."""
        return tiled or not on_device or self.pages != "tiles"

    def layout_of(self, memory_layout: TensorMemoryLayout) -> bool:
        """Whether the operand may have this distribution over banks."""
        return self.shards or not memory_layout.is_sharded

    def type_of(self, data_type: DataType) -> bool:
        """Whether the operand may have elements of this type."""
        return not self.data_types or data_type in self.data_types


ON_DEVICE = OperandRequirement()
IN_TILES = OperandRequirement(pages="tiles")
IN_TILES_OR_SHARDS = OperandRequirement(pages="tiles", shards=True)
IN_ROWS_RATHER = OperandRequirement(prefers_rows=True)
ALIKE = OperandRequirement(pages="alike")
ON_DEVICE_OR_IN_SHARDS = OperandRequirement(shards=True)
ANYWHERE = OperandRequirement(memory="either")
WHEREVER_IT_IS = OperandRequirement(memory="either", shards=True)
ON_HOST = OperandRequirement(memory="host")
NUMBER_ON_HOST = OperandRequirement(memory="host", data_types=INTEGERS)


def ends_within_a_tile(rank: int, dim: int, extent: int) -> bool:
    """Whether parts of ``extent`` elements along a dimension, which chips exchange, are not whole tiles.

    ``dim`` may count from the end.
    """
    from_end = dim % rank - rank
    return from_end >= -2 and extent % TILE_SHAPE[from_end] != 0
