"""Tensors of a running program: their values, their places, and their descriptions in a binary."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any

from tt_model.layouts.enums import BufferType, DataType, TensorMemoryLayout
from tt_model.layouts.layout import MemoryConfigRecord
from tt_model.runtime.allocator import Allocation
from tt_model.runtime.distribution import MeshShards, Replicate, Strategy, strategy_of
from tt_model.runtime.problems import RuntimeProblem

if TYPE_CHECKING:
    import torch

    from tt_model.runtime.devices import SimulatedChip

_MOST_ELEMENTS = 1 << 60
_SPACES = {"DeviceDRAM": BufferType.DRAM, "DeviceL1": BufferType.L1}
_LAYOUTS = {member.name.rstrip("_"): member for member in TensorMemoryLayout}
_BUFFERS = {member.name: member for member in BufferType}


@dataclass(slots=True, eq=False)
class DeviceStorage:
    """Memory of a tensor and of its views. It is freed when the last of them is released.

    ``allocations`` has one for each chip of ``mesh``. ``writes`` is the number of writes after the first one.
    """

    allocations: tuple[Allocation, ...]
    mesh: tuple[SimulatedChip, ...]
    users: int = 1
    writes: int = 0

    def release(self, force: bool) -> bool:
        """Release one tensor, or with ``force`` all of them; return whether the memory was freed."""
        self.users = 0 if force else self.users - 1
        if self.users > 0:
            return False
        for allocation in self.allocations:
            if allocation.is_live:
                allocation.memory.free(allocation)
        return True

    @property
    def is_live(self) -> bool:
        """Whether the memory is still allocated; ``force`` frees it for views, too."""
        return all(allocation.is_live for allocation in self.allocations)


@dataclass(slots=True, eq=False)
class RuntimeTensor:
    """A tensor. ``config`` and ``storage`` are None on the host.

    ``values`` are the values on each chip. If they differ between chips, ``shards`` has all of them, and ``values`` are
    those of the first chip. ``seen`` is the number of writes to the storage that the values include.
    """

    values: torch.Tensor
    data_type: DataType
    tiled: bool
    config: MemoryConfigRecord | None = None
    storage: DeviceStorage | None = None
    shards: MeshShards | None = None
    seen: int = 0

    @property
    def shape(self) -> tuple[int, ...]:
        """The logical shape, on one chip."""
        return tuple(self.values.shape)

    @property
    def on_device(self) -> bool:
        """Whether the tensor is in memory of a chip."""
        return self.storage is not None

    @property
    def mesh(self) -> tuple[SimulatedChip, ...]:
        """The chips that the tensor is on; empty on the host."""
        return () if self.storage is None else self.storage.mesh

    @property
    def held(self) -> torch.Tensor | MeshShards:
        """The values of each chip: one tensor for all chips, or shards."""
        return self.values if self.shards is None else self.shards

    @property
    def strategy(self) -> Strategy | None:
        """How the parts on the chips make up one tensor; None if that is not known."""
        return Replicate() if self.shards is None else self.shards.strategy

    def whole(self) -> torch.Tensor:
        """The tensor that the parts of all chips make up.

        Raises ``RuntimeProblem`` if it is not known how they are joined.
        """
        return self.values if self.shards is None else self.shards.whole()

    def describe(self) -> str:
        """Shape, type, layout and memory as text, for errors."""
        shape = "x".join(map(str, self.shape)) or "scalar"
        layout = "tiles" if self.tiled else "row-major"
        place = "host" if self.config is None else self.config.buffer_type.keyword.upper()
        parts = ""
        if self.shards is not None:
            known = "" if self.shards.strategy is None else f", {self.shards.strategy}"
            parts = f", one of {len(self.shards.parts)} shards{known}"
        return f"{shape} {self.data_type.keyword}, {layout}, {place}{parts}"


@dataclass(frozen=True, slots=True)
class TensorDescription:
    """The description of a tensor in a binary. ``config`` is None for a tensor of the host.

    ``shape`` is the shape on one chip. ``strategy`` is the tensor's distribution over the chips of a mesh, None if the
    binary does not state it; ``rectangles`` are the cores of its grid, each (y, x, rows, columns).
    """

    id: int
    shape: tuple[int, ...]
    data_type: DataType
    tiled: bool
    config: MemoryConfigRecord | None
    strategy: Strategy | None = None
    rectangles: tuple[tuple[int, int, int, int], ...] = ()

    @property
    def cores(self) -> tuple[int, int]:
        """Rows and columns of the first rectangle of cores; (1, 1) without one."""
        return self.rectangles[0][2:] if self.rectangles else (1, 1)

    def __str__(self) -> str:
        return f"tensor {self.id}"


def description_of(reference: Mapping[str, Any]) -> TensorDescription:
    """The description in a ``TensorRef`` of a binary. Raises ``RuntimeProblem`` if it lacks information."""
    try:
        desc = reference["desc"]
        memory = desc["layout"]["memory_desc"]
        tile = memory.get("tile_shape", {"y": 1, "x": 1})
        tiled = (tile["y"], tile["x"]) == (32, 32)
        if not tiled and (tile["y"], tile["x"]) != (1, 1):
            raise RuntimeProblem(
                f"tensor {reference['global_id']} has tiles of {tile['y']}x{tile['x']}; known are 32x32"
            )
        space = _SPACES.get(memory["memory_space"])
        config = None
        if space is not None:
            config = MemoryConfigRecord(
                _LAYOUTS[memory["memory_layout"]], space, tuple(memory.get("shape", ()))
            )
        data_type = DataType[memory["data_type"]]
        return TensorDescription(
            reference["global_id"],
            _checked_shape(f"tensor {reference['global_id']}", desc, tiled),
            data_type,
            tiled,
            config,
            strategy_of(desc["layout"].get("strategy")),
            tuple(map(_rectangle, desc["layout"].get("core_range_set", ()))),
        )
    except KeyError as problem:
        number = reference.get("global_id", "?")
        raise RuntimeProblem(f"tensor {number} of the binary has no {problem.args[0]}") from None


def _rectangle(written: Mapping[str, Any]) -> tuple[int, int, int, int]:
    start, size = written["loc"], written["size"]
    return start["y"], start["x"], size["y"], size["x"]


def _checked_shape(owner: str, desc: Mapping[str, Any], tiled: bool) -> tuple[int, ...]:
    """The shape of a tensor in a binary.

    Raises ``RuntimeProblem`` if it has extents below zero, or if the layout has no room for it.
    """
    shape = tuple(desc.get("shape", ()))
    if any(extent < 0 for extent in shape):
        raise RuntimeProblem(f"{owner}: TensorDesc.shape is {list(shape)}, with an extent below zero")
    # If one extent is zero, strides still depend on the others.
    if prod(extent or 1 for extent in shape) > _MOST_ELEMENTS:
        raise RuntimeProblem(
            f"{owner}: TensorDesc.shape has {len(shape)} extents, {list(shape[:8])} and so on, which is too many"
        )
    layout = desc["layout"]
    rectangles = layout.get("core_range_set")
    if rectangles:
        held = list(layout["memory_desc"].get("shape", ()))
        cores = sum(one["size"]["y"] * one["size"]["x"] for one in rectangles)
        room = prod(held) * cores * (1024 if tiled else 1)
        if prod(shape) > room:
            unit = "tiles" if tiled else "elements"
            raise RuntimeProblem(
                f"{owner}: TensorDesc.shape is {list(shape)}, {prod(shape):,} elements, and its MemoryDesc.shape says that "
                f"{cores:,} {'core holds' if cores == 1 else 'cores hold'} {held} {unit}, {room:,} elements: one of them is wrong"
            )
    return shape


def config_of(written: Mapping[str, Any] | None) -> MemoryConfigRecord | None:
    """The configuration in a ``MemoryConfigDesc`` of a binary; None without one, or for memory of the host."""
    if written is None:
        return None
    buffer_type = _BUFFERS[written["buffer_type"]]
    if buffer_type.is_host:
        return None
    shard = tuple(written.get("shard_spec", {}).get("shard_shape", ()))
    return MemoryConfigRecord(_LAYOUTS[written["tensor_memory_layout"]], buffer_type, shard)
