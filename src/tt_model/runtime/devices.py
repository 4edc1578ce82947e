"""Chips and meshes of chips, with memory but without cores, as places for tensors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tt_model.layouts.banks import bytes_of_bank
from tt_model.layouts.enums import BufferType, DataType
from tt_model.layouts.layout import MemoryConfigRecord
from tt_model.layouts.system_desc import ChipDesc, SystemRecord
from tt_model.layouts.values import LayoutError, volume
from tt_model.runtime.allocator import Allocation, BankedMemory
from tt_model.runtime.problems import At, RuntimeProblem


@dataclass(slots=True, eq=False)
class SimulatedChip:
    """One chip: L1 of its worker cores and DRAM of its channels."""

    id: int
    desc: ChipDesc
    l1: BankedMemory = field(init=False)
    l1_small: BankedMemory = field(init=False)
    dram: BankedMemory = field(init=False)

    def __post_init__(self) -> None:
        desc = self.desc
        for name in ("num_dram_channels", "noc_l1_address_align_bytes", "noc_dram_address_align_bytes"):
            if getattr(desc, name) < 1:
                raise RuntimeProblem(
                    f"ChipDesc.{name} of chip {self.id} is {getattr(desc, name)}; it is at least 1"
                )
        if min(desc.grid, default=0) < 1:
            raise RuntimeProblem(f"ChipDesc.grid_size of chip {self.id} is {desc.grid}: there are no cores")
        cores = volume(desc.grid)
        name = f"of chip {self.id}"
        align = desc.noc_l1_address_align_bytes
        self.l1 = BankedMemory(
            f"L1 {name}", desc.l1_unreserved_base, desc.l1_end, cores, align, from_top=True
        )
        self.l1_small = BankedMemory(f"the small part of L1 {name}", desc.l1_end, desc.l1_size, cores, align)
        self.dram = BankedMemory(
            f"DRAM {name}",
            desc.dram_unreserved_base,
            desc.dram_unreserved_end,
            desc.num_dram_channels,
            desc.noc_dram_address_align_bytes,
        )

    def memory(self, buffer_type: BufferType) -> BankedMemory:
        """The banks for buffers of a type. Raises ``RuntimeProblem`` for memory of the host."""
        match buffer_type:
            case BufferType.L1:
                return self.l1
            case BufferType.L1Small:
                return self.l1_small
            case BufferType.DRAM | BufferType.Trace:
                return self.dram
        raise RuntimeProblem(f"memory of the host ({buffer_type.keyword}) is not on chip {self.id}")

    def memories(self) -> tuple[BankedMemory, ...]:
        """The memories of the chip: L1, its small part, and DRAM."""
        return (self.l1, self.l1_small, self.dram)


def bytes_per_bank(
    memory: BankedMemory,
    shape: Sequence[int],
    data_type: DataType,
    tiled: bool,
    config: MemoryConfigRecord,
) -> int:
    """Bytes that the fullest bank of a memory holds of a tensor of ``shape`` (in scalars).

    Raises ``RuntimeProblem``.
    """
    try:
        return bytes_of_bank(shape, data_type, tiled, config, banks=memory.banks, alignment=memory.alignment)
    except LayoutError as problem:
        raise RuntimeProblem(str(problem)) from None


class SimulatedDevice:
    """An opened mesh of chips: ``mesh_shape`` rows and columns, or by default one row."""

    def __init__(
        self, system: SystemRecord, chip_ids: Sequence[int], mesh_shape: tuple[int, int] | None = None
    ) -> None:
        chips = system.chips
        if not chip_ids:
            raise RuntimeProblem("no chips are named: a device needs at least one")
        for chip_id in chip_ids:
            if not 0 <= chip_id < len(chips):
                raise RuntimeProblem(
                    f"there is no chip {chip_id}: the system has {len(chips)} "
                    f"({'chip 0' if len(chips) == 1 else f'chips 0 to {len(chips) - 1}'})"
                )
        if len(set(chip_ids)) != len(chip_ids):
            raise RuntimeProblem(f"a chip is named twice: {list(chip_ids)}")
        self.mesh_shape = mesh_shape or (1, len(chip_ids))
        if min(self.mesh_shape) < 1 or volume(self.mesh_shape) != len(chip_ids):
            raise RuntimeProblem(
                f"a mesh of {'x'.join(map(str, self.mesh_shape))} has another size than the {len(chip_ids)} chips that are named: "
                f"{list(chip_ids)}"
            )
        self.system = system
        self._sizes: dict[tuple[object, ...], int] = {}
        self.chips = tuple(SimulatedChip(chip_id, chips[chip_id]) for chip_id in chip_ids)

    @property
    def chip_ids(self) -> tuple[int, ...]:
        """The numbers of the chips in the system."""
        return tuple(chip.id for chip in self.chips)

    def chip(self, chip_id: int) -> SimulatedChip:
        """A chip by its number in the system. Raises ``RuntimeProblem``."""
        for chip in self.chips:
            if chip.id == chip_id:
                return chip
        raise RuntimeProblem(
            f"chip {chip_id} was not opened; opened are {list(self.chip_ids)}: open the chips that the program uses"
        )

    def row_of(self, chip_ids: Sequence[int]) -> tuple[SimulatedChip, ...]:
        """Chips that are neighbours in the order in which they were opened. Raises ``RuntimeProblem`` for other chips.

        The real runtime takes the same number of chips from the first named one on, which differ from the named ones if
        these are not a row.
        """
        row = tuple(self.chip(chip_id) for chip_id in chip_ids)
        if len(row) == 1:
            return row
        start = self.chips.index(row[0]) if row else 0
        if not row or row != self.chips[start : start + len(row)]:
            raise RuntimeProblem(
                f"GetDeviceOp.chip_ids is {list(chip_ids)}: chips of a mesh must be neighbours, in the order in which they "
                f"were opened, {list(self.chip_ids)}"
            )
        return row

    def allocate(
        self,
        chips: Sequence[SimulatedChip],
        shape: tuple[int, ...],
        data_type: DataType,
        tiled: bool,
        config: MemoryConfigRecord,
        owner: object,
        at: At | None,
    ) -> tuple[Allocation, ...]:
        """Allocate memory for a tensor of ``shape`` on each of the chips.

        Raises ``OutOfMemory``, and then frees all of it.
        """
        taken: list[Allocation] = []
        try:
            for chip in chips:
                memory = chip.memory(config.buffer_type)
                key = (
                    memory.name,
                    shape,
                    data_type,
                    tiled,
                    config.memory_layout,
                    config.buffer_type,
                    config.shard_shape,
                )
                size = self._sizes.get(key)
                if size is None:
                    size = self._sizes[key] = bytes_per_bank(memory, shape, data_type, tiled, config)
                taken.append(memory.allocate(size, owner, at))
        except RuntimeProblem:
            for allocation in taken:
                allocation.memory.free(allocation)
            raise
        return tuple(taken)

    @property
    def is_empty(self) -> bool:
        """Whether there are no allocations."""
        return not any(memory.used for chip in self.chips for memory in chip.memories())

    def live(self) -> Iterator[Allocation]:
        """Yield all live allocations."""
        for chip in self.chips:
            for memory in chip.memories():
                yield from memory.live()

    def deallocate_buffers(self) -> None:
        """Free all allocations."""
        for allocation in list(self.live()):
            allocation.memory.free(allocation)
