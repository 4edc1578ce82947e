"""The decision table for the steps of the runtime that take a tensor from one layout to another, without IR.

The device tilizes ``bf16`` only, casts tiles only, and never untilizes; the host does these steps otherwise. A table
has a row for each combination of changes, and each row lists its steps by letters:

``D`` to_device with the memory configuration of the result, ``D0`` to_device without one, ``F`` from_device, ``L`` to_layout,
``C`` typecast, ``M`` to_memory_config. A step in brackets is left out if it is not needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from tt_model.layouts.enums import BufferType, DataType, TensorMemoryLayout
from tt_model.layouts.layout import TTNNLayout


class LayoutStep(StrEnum):
    """A step, by its letters in the tables."""

    TO_DEVICE = "D"
    TO_DEVICE_AS_IT_IS = "D0"
    FROM_DEVICE = "F"
    TO_LAYOUT = "L"
    TYPECAST = "C"
    TO_MEMORY_CONFIG = "M"


# How the pages change: not at all, from tiles to rows, from rows to tiles.
Pages = Literal["same", "untile", "tile"]

# (pages, cast, case) -> steps, of a tensor on the host.
_ON_HOST: dict[tuple[Pages, bool, str], str] = {
    ("same", False, ""): "[D]",
    ("untile", False, ""): "L [D]",
    ("tile", False, "bf16"): "[D] L",
    ("tile", False, "other"): "L [D]",
    ("same", True, "to tiles"): "[D] C",
    ("same", True, "to rows"): "C [D]",
    ("untile", True, ""): "C L [D]",
    ("tile", True, "from bf16"): "[D] L C",
    ("tile", True, "to bf16"): "C [D] L",
    ("tile", True, "other"): "C L [D]",
}

# The same for a tensor on the device.
_ON_DEVICE: dict[tuple[Pages, bool, str], str] = {
    ("same", False, ""): "[M] [F]",
    ("untile", False, "leaves"): "F L",
    ("untile", False, "stays"): "F L D0 [M]",
    ("tile", False, "bf16"): "L [M] [F]",
    ("tile", False, "leaves"): "F L",
    ("tile", False, "stays"): "F L D0 [M]",
    ("same", True, "to tiles"): "C [M] [F]",
    (
        "same",
        True,
        "to rows",
    ): "F C D0 [M]",  # rows that leave are "untile": the host makes them, whatever the IR says
    ("untile", True, "leaves"): "C F L",
    ("untile", True, "stays"): "C F L D0 [M]",
    ("tile", True, "from bf16"): "L C [M] [F]",
    ("tile", True, "leaves"): "F L C",
    ("tile", True, "stays"): "F L D0 C [M]",
}


@dataclass(frozen=True, slots=True)
class LayoutSide:
    """The properties of a layout that decide the steps. ``dimensions``: those of a shard, in tiles if it is tiled."""

    buffer_type: BufferType
    is_tiled: bool
    data_type: DataType
    memory_layout: TensorMemoryLayout
    dimensions: tuple[int, ...]

    @classmethod
    def of(cls, layout: TTNNLayout) -> LayoutSide:
        """Return the deciding properties of a layout."""
        return cls(
            layout.buffer_type,
            layout.is_tiled,
            layout.data_type,
            layout.memory_layout,
            layout.memref.shape,
        )

    @property
    def is_host(self) -> bool:
        """Whether the tensor lies in memory of the host."""
        return self.buffer_type.is_host


@dataclass(frozen=True, slots=True)
class LayoutChange:
    """The change from one layout to another."""

    source: LayoutSide
    target: LayoutSide

    @property
    def to_device(self) -> bool:
        """Whether the tensor goes from the host to the device."""
        return self.source.is_host and self.source.buffer_type != self.target.buffer_type

    @property
    def from_device(self) -> bool:
        """Whether the tensor goes from the device to the host."""
        return self.target.is_host and self.source.buffer_type != self.target.buffer_type

    @property
    def cast(self) -> bool:
        """Whether the data type changes."""
        return self.source.data_type != self.target.data_type

    @property
    def pages(self) -> Pages:
        """How the pages change. The host untilizes a tensor that leaves the device as rows, whatever its type says."""
        if self.source.is_tiled == self.target.is_tiled and not (
            self.from_device and not self.target.is_tiled
        ):
            return "same"
        return "tile" if self.target.is_tiled else "untile"

    @property
    def memory_config(self) -> bool:
        """Whether a tensor on the device gets another memory configuration there.

        The dimensions of a shard in tiles and of the same shard in rows differ: tilizing on the device needs this step,
        too.
        """
        source, target = self.source, self.target
        if self.to_device or target.is_host:
            return False
        return (
            (
                source.memory_layout != target.memory_layout
                and target.memory_layout != TensorMemoryLayout.None_
            )
            or {source.buffer_type, target.buffer_type} == {BufferType.DRAM, BufferType.L1}
            or source.dimensions != target.dimensions
        )

    def steps(self) -> list[LayoutStep]:
        """The steps in order; empty if nothing has to change."""
        if not (
            self.to_device or self.from_device or self.cast or self.memory_config or self.pages != "same"
        ):
            return []
        table = _ON_HOST if self.source.is_host else _ON_DEVICE
        pattern = table[self.pages, self.cast, self._case()]
        needed = {"[D]": self.to_device, "[M]": self.memory_config, "[F]": self.from_device}
        return [LayoutStep(letter.strip("[]")) for letter in pattern.split() if needed.get(letter, True)]

    def _case(self) -> str:
        bf16 = DataType.BFloat16
        source, target = self.source, self.target
        leaves = "leaves" if self.from_device else "stays"
        if self.pages == "same":
            return "" if not self.cast else "to tiles" if target.is_tiled else "to rows"
        if source.is_host:
            if self.pages == "untile":
                return ""
            if not self.cast:
                return "bf16" if source.data_type == bf16 else "other"
            if source.data_type == bf16:
                return "from bf16"
            return "to bf16" if target.data_type == bf16 else "other"
        if self.pages == "untile":
            return leaves
        if source.data_type == bf16:
            return "from bf16" if self.cast else "bf16"
        return leaves
