"""Programs that were described by hand, ``ttnn.generic_op``, on the emulated chip: the kernels are the user's own C++.

A tensor of a device gets an address when it is first asked for, and keeps it until it is freed: programs put addresses into the
arguments of their kernels before they are launched."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from ctypes import c_uint32
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from weakref import ref

from ttl.arch import Chip
from ttl.codegen.installed import NEWEST
from ttl.diag import ProgramError
from ttl.emu.chip import DRAM_BEGIN, SEMAPHORE_BYTES, EmulatedChip, emulated
from ttl.emu.compiler import NOT_COMPILED
from ttl.emu.headers import GENERATIONS
from ttl.emu.launch import run_program
from ttl.emu.memory import ChipMemory, banked
from ttl.emu.program import ChipKernel, ChipSemaphore, CircularBuffer, Core, Program
from ttl.emu.standing import semaphore_number
from ttl.emu.system import emulated_system
from ttl.host.access import chip_of
from ttl.host.descriptors import (
    ComputeConfigDescriptor,
    KernelDescriptor,
    ProgramDescriptor,
    UnpackToDestMode,
)
from ttl.host.device import Device
from ttl.host.mesh_programs import GlobalSemaphore, links_of
from ttl.host.programs import bases_of, name_of, no_room, place_of, source_of
from ttl.host.tensor import Tensor

_QUOTED = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.MULTILINE)
# Tensors in DRAM begin at a multiple of the first, circular buffers and tensors in L1 at one of the second.
_IN_DRAM, _IN_L1 = 1024, 64


@dataclass(frozen=True, kw_only=True, slots=True)
class _Claim:
    """A tensor, or a semaphore of all chips, and the part of each bank of its device that it occupies."""

    tensor: ref[Any]
    memory: str
    begin: int
    end: int


def _device(tensor: Tensor) -> Device:
    device = tensor.device()
    assert device is not None
    return device


def _living(device: Device) -> Iterator[tuple[Any, _Claim]]:
    """The tensors and semaphores of a device whose addresses are known; an object that was freed has no address any more."""
    for claim in list(device.claims):
        tensor = claim.tensor()
        if tensor is None or not tensor.is_allocated():
            device.claims.remove(claim)
        else:
            yield tensor, claim


def address_of(tensor: Tensor) -> int:
    """The address of a tensor in the banks of its device: in DRAM the first gap from below, in L1 from above."""
    device = _device(tensor)
    layout = banked(tensor, emulated(chip_of(device).name))
    return _claimed(device, tensor, layout.placement.memory, layout.nbytes)


def claim_word(device: Device, semaphore: GlobalSemaphore) -> int:
    """The address of a semaphore in the L1 of every core of every chip of a device."""
    return _claimed(device, semaphore, "l1", SEMAPHORE_BYTES)


def _claimed(device: Device, tensor: Any, memory: str, size: int) -> int:
    taken = []
    for known, claim in _living(device):
        if known is tensor:
            return claim.begin
        if claim.memory == memory:
            taken.append((claim.begin, claim.end))
    if memory == "dram":
        begin = DRAM_BEGIN
        for first, end in sorted(taken):
            if begin + size <= first:
                break
            begin = -(-end // _IN_DRAM) * _IN_DRAM
    else:
        begin = (chip_of(device).l1_bytes - size) // _IN_L1 * _IN_L1
        for first, end in sorted(taken, reverse=True):
            if begin >= end:
                break
            begin = (first - size) // _IN_L1 * _IN_L1
    device.claims.append(_Claim(tensor=ref(tensor), memory=memory, begin=begin, end=begin + size))
    return begin


def accessor_words(tensor: Tensor) -> list[int]:
    """The compile-time arguments of a tensor's accessor."""
    first = tensor if tensor.shards is None else tensor.shards[0]
    return list(banked(first, emulated(chip_of(_device(first)).name)).words)


def shard_bytes(tensor: Tensor) -> tuple[int, int]:
    """The bytes of a page of a sharded tensor, and of the part of the tensor on one core."""
    layout = banked(tensor, emulated(chip_of(_device(tensor)).name))
    return layout.page, layout.nbytes


def launch(program: ProgramDescriptor, tensors: list[Tensor], chip: Chip, devices: int) -> None:
    """Run a program that was checked, once for each device. Raises ``ProgramError``: TTL1026, TTL15xx."""
    first = [tensor if tensor.shards is None else tensor.shards[0] for tensor in tensors]
    addresses = [address_of(tensor) for tensor in first]
    # A kernel that has the address of a tensor can use it even if the tensor is not in the list.
    words = set(_words(program))
    others = [
        (tensor, claim.begin)
        for tensor, claim in _living(_device(first[0]))
        if devices == 1 and claim.begin in words and isinstance(tensor, Tensor)
    ]
    for number in range(devices):
        memory = ChipMemory(emulated(chip.name))
        mine = [tensor if tensor.shards is None else tensor.shards[number] for tensor in tensors]
        for tensor, address in (*zip(mine, addresses, strict=True), *others):
            if not any(placed.tensor is tensor for placed in memory.placed):
                memory.place(tensor, address)
        lowest = min(
            (placed.address for placed in memory.placed if placed.placement.memory == "l1"),
            default=chip.l1_bytes,
        )
        _run([(program, (0,))], memory, chip, lowest)


def launch_parts(
    parts: Sequence[tuple[ProgramDescriptor, Sequence[int]]], tensors: list[Tensor], device: Device
) -> None:
    """Run programs that were checked, each on some devices of a mesh by their positions in it, all at one time.

    Raises ``ProgramError``: TTL1026, TTL15xx.
    """
    system, chips = links_of(device)
    memory = ChipMemory(emulated_system(system))
    for tensor in tensors:
        shards = (tensor,) if tensor.shards is None else tensor.shards
        address = address_of(shards[0])
        for shard, chip in zip(shards, chips, strict=False):
            if not any(placed.tensor is shard for placed in memory.placed):
                memory.place(shard, address, chip)
    semaphores = [item for item, _ in _living(device) if isinstance(item, GlobalSemaphore)]
    lowest = min(
        [
            *(placed.address for placed in memory.placed if placed.placement.memory == "l1"),
            *(item.address for item in semaphores),
        ],
        default=system.chip.l1_bytes,
    )
    placed_parts = [(program, [chips[position] for position in positions]) for program, positions in parts]
    running = {
        memory.chip.at(chip, (at.x, at.y))
        for program, numbers in placed_parts
        for kernel in program.kernels
        for at in kernel.core_ranges.cores()
        for chip in numbers
    }
    with holding(semaphores, chips, running, memory):
        _run(placed_parts, memory, system.chip, lowest)


def _words(program: ProgramDescriptor) -> Iterator[int]:
    for kernel in program.kernels:
        yield from (*kernel.compile_time_args, *kernel.common_runtime_args)
        for _, words in kernel.runtime_args.to_list():
            yield from words


_Parts = Sequence[tuple[ProgramDescriptor, Sequence[int]]]


def _run(parts: _Parts, memory: ChipMemory, chip: Chip, lowest: int) -> None:
    """Run kernels of the newest generation of the kernel API or, where they do not compile, of the older one."""
    program = Program(
        generation=NEWEST,
        kernels=tuple(
            _kernel(kernel, number, memory.chip, chips)
            for described, chips in parts
            for number, kernel in enumerate(described.kernels)
        ),
        circular_buffers=tuple(
            buffer
            for described, chips in parts
            for buffer in _buffers(described, chip, lowest, memory.chip, chips)
        ),
        semaphores=tuple(
            ChipSemaphore(id=semaphore_number(begin), cores=(), name=f"at {begin:#x} of every chip")
            for begin, _ in memory.kept
        )
        + tuple(
            ChipSemaphore(
                id=item.id,
                cores=_cores(item, memory.chip, chips),
                initial=item.initial_value,
                name=f"semaphore {item.id}",
            )
            for described, chips in parts
            for item in described.semaphores
        ),
    )
    try:
        result = run_program(program, memory)
    except ProgramError as newest:
        if newest.code != NOT_COMPILED:
            raise
        try:
            result = run_program(
                replace(program, generation=next(item for item in GENERATIONS if item != NEWEST)), memory
            )
        except ProgramError as older:
            raise newest if older.code == NOT_COMPILED else older from None
    if result.printed:
        print(result.printed, end="", flush=True)


def _cores(of: Any, chip: EmulatedChip, chips: Sequence[int]) -> tuple[Core, ...]:
    return tuple(chip.at(number, (at.x, at.y)) for number in chips for at in of.core_ranges.cores())


def _kernel(kernel: KernelDescriptor, number: int, chip: EmulatedChip, chips: Sequence[int]) -> ChipKernel:
    source, path = source_of(kernel)
    processor, noc = place_of(kernel)
    config = (
        kernel.config if isinstance(kernel.config, ComputeConfigDescriptor) else ComputeConfigDescriptor()
    )
    return ChipKernel(
        name=name_of(kernel, number),
        source=source,
        processor=processor,
        cores=_cores(kernel, chip, chips),
        noc=noc,
        compile_time_args=tuple(kernel.compile_time_args),
        named_args=dict(kernel.named_compile_time_args),
        common_args=tuple(kernel.common_runtime_args),
        args={
            chip.at(on, (at.x, at.y)): tuple(words)
            for at, words in kernel.runtime_args.to_list()
            for on in chips
        },
        defines=dict(kernel.defines),
        include=tuple(_folders(kernel, source, path)),
        fidelity=config.math_fidelity.value,
        fp32_dst=config.fp32_dest_acc_en,
        full_sync=config.dst_full_sync_en,
        approximate=config.math_approx_mode,
        file=path.name if path else "",
    )


def _folders(kernel: KernelDescriptor, source: str, path: Path | None) -> Iterator[str]:
    """Yield the folders of the kernel's own headers: the folder of its file, and those that it names."""
    if path is not None and any((path.parent / name).is_file() for name in _QUOTED.findall(source)):
        yield str(path.parent)
    yield from map(str, kernel.compiler_include_paths)


def _buffers(
    described: ProgramDescriptor, chip: Chip, lowest: int, on: EmulatedChip, chips: Sequence[int]
) -> Iterator[CircularBuffer]:
    unpacked = {
        index
        for kernel in described.kernels
        if isinstance(kernel.config, ComputeConfigDescriptor)
        for index, mode in enumerate(kernel.config.unpack_to_dest_mode)
        if mode is UnpackToDestMode.UnpackToDestFp32
    }
    begin = -(-chip.l1_reserved_bytes // _IN_L1) * _IN_L1
    places = list(bases_of(described.cbs, begin, _IN_L1))
    own = [end for buffer, (_, end) in zip(described.cbs, places, strict=True) if not buffer.has_buffer()]
    if max(own, default=0) > lowest:
        no_room(described, max(own) - begin, lowest - begin, chip)
    for buffer, (base, _) in zip(described.cbs, places, strict=True):
        for item in buffer.format_descriptors:
            yield CircularBuffer(
                index=item.buffer_index,
                pages=buffer.total_size // item.page_size,
                page_bytes=item.page_size,
                dtype=item.data_format.name,
                cores=_cores(buffer, on, chips),
                name=f"circular buffer {item.buffer_index}",
                base=base,
                unpack_to_dst=item.buffer_index in unpacked,
                unwanted=True,
                tile=(32, 32) if item.tile is None else (item.tile.height, item.tile.width),
            )


@contextmanager
def holding(
    semaphores: Sequence[GlobalSemaphore], chips: Sequence[int], running: Collection[Core], memory: ChipMemory
) -> Iterator[None]:
    """A context in which words of L1 hold the semaphores' values; at its end they get the values of the words.

    ``chips``: the chips of the mesh's devices. A core that runs no kernel has a word only where its value is not zero,
    because each core that is used takes memory.
    """
    chip = memory.chip
    words: list[tuple[GlobalSemaphore, tuple[int, int], c_uint32]] = []
    for semaphore in semaphores:
        memory.kept.append((semaphore.address, semaphore.address + SEMAPHORE_BYTES))
        for device, number in enumerate(chips):
            for position, core_of_chip in enumerate(semaphore.cores):
                core, value = chip.at(number, core_of_chip), int(semaphore.values[device, position])
                if core in running or value:
                    place = chip.l1(chip.index(core)) + semaphore.address
                    word = c_uint32.from_address(place)
                    word.value = value
                    words.append((semaphore, (device, position), word))
    yield
    for semaphore, at, word in words:
        semaphore.values[at] = word.value
