"""A chip with its memory: tensors at the addresses in a file, which the host writes and reads."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tt_model.layouts.placed import Bytes, encoded
from tt_model.layouts.system_desc import SystemRecord
from tt_model.runtime.metal.chip import SEMAPHORES, dram_bytes, emulated_chip
from tt_model.runtime.metal.tables import Core, MetalTensor
from tt_model.runtime.problems import OutOfMemory, RuntimeProblem
from ttl.emu.chip import SEMAPHORE_BYTES
from ttl.emu.runtime import runtime

# The bytes of memory that was not written: no number in any format.
_UNWRITTEN = 0xFF


@dataclass(frozen=True, slots=True)
class _Living:
    tensor: MetalTensor
    owner: str


class MetalDevice:
    """The first chip of a system, emulated. Raises ``RuntimeProblem`` for a system that cannot be emulated."""

    def __init__(self, system: SystemRecord) -> None:
        self.system = system
        self.desc = system.first_chip
        self.chip = emulated_chip(self.desc)
        self._dram_bytes = dram_bytes(self.desc)
        self._living: dict[int, _Living] = {}
        # The addresses of the memories, looked up once.
        self._l1: list[int] = [
            runtime().l1(self.chip.handle, core) for core in range(self.chip.columns * self.chip.rows)
        ]
        self._dram: list[int] = [runtime().dram(self.chip.handle, bank) for bank in range(self.chip.banks)]
        self.peaks: dict[str, int] = {}

    # Addresses.

    def l1_of(self, core: Core) -> int:
        """The start of a core's L1, as an address that kernels can use."""
        return self._l1[core[0] * self.chip.columns + core[1]]

    @staticmethod
    def semaphore_address(number: int) -> int:
        """The offset of a semaphore in an L1."""
        return SEMAPHORES + SEMAPHORE_BYTES * number

    # Allocations.

    def create(self, tensor: MetalTensor, owner: str) -> None:
        """Allocate a tensor's memory.

        Raises ``RuntimeProblem`` if it belongs to another tensor, or is not for tensors.
        """
        if tensor.space.is_host:
            raise RuntimeProblem(f"{tensor} is on the host, but a buffer on the device is created for it")
        base, limit, what = (
            (self.desc.l1_unreserved_base, self.desc.scratch_l1_base, "L1")
            if tensor.in_l1
            else (self.desc.dram_unreserved_base, self._dram_bytes, "a channel of DRAM")
        )
        end = tensor.address + tensor.size
        if tensor.address < base or end > limit:
            raise OutOfMemory(
                f"{tensor} lies at {tensor.address:,} to {end:,} of {what}, and tensors may have {base:,} to {limit:,}",
                notes=self._table(),
            )
        if tensor.in_l1 and tensor.size < tensor.placement.block_bytes:
            raise RuntimeProblem(
                f"{tensor} has {tensor.size:,} bytes on each core for shards of {tensor.placement.block_bytes:,} bytes"
            )
        if tensor.address % 16:
            raise RuntimeProblem(f"{tensor} lies at {tensor.address}, which is not a multiple of 16")
        for other in self._living.values():
            if (
                other.tensor.in_l1 == tensor.in_l1
                and tensor.address < other.tensor.address + other.tensor.size
                and other.tensor.address < end
            ):
                raise RuntimeProblem(
                    f"{tensor} lies at {tensor.address:,} to {end:,}, where {other.tensor} ({other.owner}) still is",
                    notes=self._table(),
                )
        self._living[tensor.id] = _Living(tensor, owner)
        for base_address in self._banks(tensor):
            ctypes.memset(base_address + tensor.address, _UNWRITTEN, tensor.size)
        name = "L1" if tensor.in_l1 else "DRAM"
        used = sum(one.tensor.size for one in self._living.values() if one.tensor.in_l1 == tensor.in_l1)
        self.peaks[name] = max(self.peaks.get(name, 0), used)

    def free(self, tensor: MetalTensor) -> None:
        """Free a tensor's memory. Raises ``RuntimeProblem`` if it has no memory."""
        self.check_alive(tensor)
        del self._living[tensor.id]

    def is_alive(self, tensor: MetalTensor) -> bool:
        """Whether a tensor has memory."""
        return tensor.id in self._living

    def check_alive(self, tensor: MetalTensor) -> None:
        """Raise ``RuntimeProblem`` for a tensor that has no memory."""
        if tensor.id not in self._living:
            where = (
                "of the host"
                if tensor.space.is_host
                else "not on the device: it was not created, or it was freed"
            )
            raise RuntimeProblem(f"{tensor} is {where}", notes=self._table())

    def leaks(self, kept: Sequence[MetalTensor]) -> list[str]:
        """Messages for tensors that still have memory, except those of ``kept``."""
        names = {one.id for one in kept}
        return [
            f"{one.tensor} of {one.owner} is not deallocated"
            for number, one in self._living.items()
            if number not in names
        ]

    def clear(self) -> None:
        """Free all memory."""
        self._living.clear()

    def parts(self, without: Sequence[tuple[int, int]]) -> list[tuple[bool, int, int]]:
        """The memory of firmware and of tensors, as (whether in DRAM, first address, end).

        Tensors in L1 that overlap a range in ``without``, circular buffers that one kernel fills for another, are left
        out.
        """
        firmware = (False, 0, self.desc.l1_unreserved_base)
        result = [firmware]
        for one in self._living.values():
            begin, end = one.tensor.address, one.tensor.address + one.tensor.size
            if one.tensor.in_l1 and any(begin < last and first < end for first, last in without):
                continue
            result.append((not one.tensor.in_l1, begin, end))
        return result

    def _table(self) -> tuple[str, ...]:
        return tuple(
            f"{one.tensor.address:>10,} {one.tensor.size:>12,} bytes of {'L1' if one.tensor.in_l1 else 'DRAM'}: "
            f"{one.tensor} of {one.owner}"
            for one in sorted(self._living.values(), key=lambda one: (one.tensor.in_l1, one.tensor.address))
        )

    # Contents.

    def store(self, tensor: MetalTensor, values: npt.NDArray[Any]) -> None:
        """Write a tensor: its elements, and zeros in the padding of its shards. Raises ``RuntimeProblem``."""
        self.check_alive(tensor)
        placement = tensor.placement
        if tensor.in_l1:
            self.store_shards(tensor, placement.shards_of(values))
            return
        stored = encoded(values, placement.data_type).reshape(-1)
        for bank, chosen, offsets in self._in_dram(tensor):
            memory = self._memory(self._dram[bank] + tensor.address, tensor.size).view(stored.dtype)
            memory[offsets // stored.itemsize] = stored[chosen]

    def store_shards(self, tensor: MetalTensor, shards: Bytes) -> None:
        """Write the bytes of all shards of a tensor in L1."""
        for core, held in zip(tensor.cores, shards, strict=True):
            self._memory(self.l1_of(core) + tensor.address, len(held))[:] = held

    def load(self, tensor: MetalTensor) -> npt.NDArray[Any]:
        """The elements of a tensor, as they are stored. Raises ``RuntimeProblem``."""
        self.check_alive(tensor)
        placement = tensor.placement
        if tensor.in_l1:
            size = placement.block_bytes
            shards = np.stack(
                [self._memory(self.l1_of(core) + tensor.address, size) for core in tensor.cores]
            )
            return placement.tensor_of(shards)
        stored = encoded(np.zeros(placement.shape), placement.data_type).reshape(-1)
        for bank, chosen, offsets in self._in_dram(tensor):
            memory = self._memory(self._dram[bank] + tensor.address, tensor.size).view(stored.dtype)
            stored[chosen] = memory[offsets // stored.itemsize]
        return stored.reshape(placement.shape)

    def fill(self, tensor: MetalTensor, word: bytes) -> None:
        """Repeat a word over a tensor's memory. Raises ``RuntimeProblem``."""
        self.check_alive(tensor)
        size = tensor.placement.block_bytes if tensor.in_l1 else tensor.size
        content = (word * (-(-size // len(word))))[:size]
        for base in self._banks(tensor):
            ctypes.memmove(base + tensor.address, content, size)

    def _in_dram(self, tensor: MetalTensor) -> list[tuple[int, npt.NDArray[np.int64], npt.NDArray[np.int64]]]:
        """Return for each channel the indices of its elements, and their offsets in the tensor's memory there."""
        channels, offsets = tensor.placement.in_channels(len(self._dram), self.desc.grid[1])
        if len(offsets) and int(offsets.max()) + tensor.placement.item_bytes > tensor.size:
            raise RuntimeProblem(
                f"{tensor} has {tensor.size:,} bytes in each channel of DRAM, and elements up to byte {int(offsets.max()):,}"
            )
        result = []
        for bank in np.unique(channels).tolist():
            chosen = np.flatnonzero(channels == bank)
            result.append((bank, chosen, offsets[chosen]))
        return result

    def _banks(self, tensor: MetalTensor) -> list[int]:
        """The start addresses of the memories that hold parts of a tensor."""
        return [self.l1_of(core) for core in tensor.cores] if tensor.in_l1 else self._dram

    @staticmethod
    def _memory(address: int, size: int) -> Bytes:
        memory: Any = (ctypes.c_uint8 * size).from_address(address)
        held: Bytes = np.frombuffer(memory, np.uint8)
        return held
