"""The runtime's input for a program, made once and kept for later launches of the same program."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from ttl.codegen.accessors import DRAM
from ttl.codegen.description import CircularBufferDescription, KernelDescription, ProgramDescription
from ttl.codegen.entries import Address, MeshNumbers, SemaphoreAddress, resolve
from ttl.diag import ProgramError
from ttl.emu import compiler
from ttl.emu.chip import EmulatedChip, emulated
from ttl.emu.compiler import CompiledKernel
from ttl.emu.mistakes import too_many_arguments
from ttl.emu.program import (
    FORMATS,
    ChipKernel,
    ChipSemaphore,
    CircularBuffer,
    Core,
    Fidelity,
    Processor,
    Program,
    rectangle,
)
from ttl.rows.row import Generation
from ttl.session import SameObject, cached

_PROCESSORS: tuple[Processor, ...] = ("brisc", "ncrisc", "compute")
# A read from DRAM begins at a multiple of this on every chip, and so does the memory it is read into.
_ALIGNMENT = 64
_PHASES = {"LoFi": 1, "HiFi2": 2, "HiFi3": 3, "HiFi4": 4}
# Programs that are kept: a process launches few different ones in turn.
_KEPT = 64

Places = tuple[tuple[str, int, tuple[int, ...]], ...]
"""For every tensor of a description: its name, its address, and the compile-time arguments of its accessor."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ProgramArguments:
    """The arguments of the runtime for a program: lists of tuples, as ``native/emu/program.cpp`` reads them."""

    buffers: list[Any]
    semaphores: list[Any]
    kernels: list[Any]


def program_of(description: ProgramDescription, places: Places) -> Program:
    """The program of a description with its tensors at their places."""
    return _program(SameObject(description), places)


def ready(program: Program, chip: EmulatedChip) -> ProgramArguments:
    """A program with its kernels compiled. Raises ``ProgramError``: TTL1501, TTL1502, TTL1503."""
    return _ready(SameObject(program), SameObject(chip))


@cached(maxsize=_KEPT)
def _program(described: SameObject, places: Places) -> Program:
    return program_of_chip(described.it, places)


def program_of_chip(
    description: ProgramDescription, places: Places, mesh: MeshNumbers | None = None
) -> Program:
    """The program of one chip of a mesh, or of the only chip; nothing of it is kept."""
    chip = emulated(description.chip)
    addresses = {name: address for name, address, _ in places}
    accessors = {name: accessor for name, _, accessor in places}
    cores = rectangle(*description.grid)
    unpacked = {
        name for kernel in description.kernels if kernel.config for name in kernel.config.unpack_to_dest_fp32
    }
    kernels = []
    for kernel in description.kernels:
        words = [word for name in kernel.accessors for word in accessors[name]]
        common = resolve(kernel.common_args, address=addresses.__getitem__, node=chip.node, mesh=mesh)
        in_l1 = tuple(
            position
            for position, word in enumerate(kernel.common_args)
            if isinstance(word, SemaphoreAddress)
            or (isinstance(word, Address) and not accessors[word.tensor][0] & DRAM)
        )
        kernels.append(_kernel(kernel, cores, tuple(words), tuple(common), in_l1))
    return Program(
        generation=cast("Generation", description.generation),
        kernels=tuple(kernels),
        circular_buffers=_buffers(description.circular_buffers, cores, chip, unpacked, addresses),
        semaphores=tuple(
            ChipSemaphore(id=semaphore.id, cores=cores, initial=semaphore.initial, name=semaphore.name)
            for semaphore in description.semaphores
        ),
    )


@cached(maxsize=_KEPT)
def _ready(program: SameObject, chip: SameObject) -> ProgramArguments:
    return made_ready(program.it, chip.it)


def made_ready(program: Program, chip: EmulatedChip) -> ProgramArguments:
    """Return what ``ready`` returns, for a program that runs once: only the compiled kernels are kept."""
    libraries = compiler.compile_program(program, chip.chip.name)
    return ProgramArguments(
        buffers=_placed_buffers(program, chip),
        semaphores=[
            (semaphore.id, _numbers(semaphore.cores, chip), semaphore.initial)
            for semaphore in program.semaphores
        ],
        kernels=[
            _launched(kernel, library, chip, is_older=program.generation == "0.69")
            for kernel, library in zip(program.kernels, libraries, strict=True)
        ],
    )


def _kernel(
    kernel: KernelDescription,
    cores: tuple[Core, ...],
    words: tuple[int, ...],
    common: tuple[int, ...],
    in_l1: tuple[int, ...],
) -> ChipKernel:
    config = kernel.config
    return ChipKernel(
        name=kernel.name,
        source=kernel.source,
        processor="compute" if kernel.thread == "tensix" else kernel.processor or "ncrisc",
        cores=cores,
        noc=kernel.noc or 0,
        compile_time_args=words,
        common_args=common,
        in_l1=in_l1,
        defines=dict(kernel.defines),
        fidelity=cast("Fidelity", config.math_fidelity) if config else "HiFi4",
        fp32_dst=config is not None and config.fp32_dest_acc_en,
        full_sync=config is not None and config.dst_full_sync_en,
        approximate=config is not None and config.math_approx_mode,
        generated=True,
        lines=kernel.lines,
        file=kernel.file,
    )


def _buffers(
    described: Sequence[CircularBufferDescription],
    cores: tuple[Core, ...],
    chip: EmulatedChip,
    unpacked: set[str],
    addresses: Mapping[str, int],
) -> tuple[CircularBuffer, ...]:
    """The circular buffers, placed one after the other.

    A buffer that shares the memory of another one, or is in a tensor, gets that place.
    """
    base = -(-chip.chip.l1_reserved_bytes // _ALIGNMENT) * _ALIGNMENT
    bases: dict[str, int] = {}
    for buffer in described:
        if buffer.memory is not None:
            bases[buffer.name] = addresses[buffer.memory] + buffer.byte_offset
        elif buffer.shares is None:
            bases[buffer.name] = base
            base += -(-buffer.nbytes // _ALIGNMENT) * _ALIGNMENT
    return tuple(
        CircularBuffer(
            index=item.index,
            pages=item.pages,
            page_bytes=item.page_bytes,
            dtype=item.dtype,
            tile=item.tile,
            cores=cores,
            name=item.name,
            base=bases[item.shares or item.name],
            unpack_to_dst=item.name in unpacked,
            stays=item.initial is not None,
            unwanted=item.made_by == "user" or item.initial is not None,
        )
        for item in described
    )


def _placed_buffers(
    program: Program, chip: EmulatedChip
) -> list[tuple[int, bytes, int, int, int, int, int, int, bool, bool, bool, bool]]:
    base = -(-chip.chip.l1_reserved_bytes // _ALIGNMENT) * _ALIGNMENT
    placed_buffers = []
    for buffer in program.circular_buffers:
        begin = base if buffer.base is None else buffer.base
        if buffer.base is None:
            base += -(-buffer.pages * buffer.page_bytes // _ALIGNMENT) * _ALIGNMENT
        placed_buffers.append(
            (
                buffer.index, _numbers(buffer.cores, chip), begin, buffer.page_bytes, buffer.pages, FORMATS[buffer.dtype],
                *buffer.tile, buffer.unpack_to_dst, buffer.stays, buffer.unwanted, buffer.in_place,
            )
        )  # fmt: skip
    return placed_buffers


def _launched(
    kernel: ChipKernel, library: CompiledKernel, chip: EmulatedChip, *, is_older: bool
) -> tuple[str, int, int, int, bytes, bytes, bytes, list[tuple[int, bytes]]]:
    most = len(kernel.common_args) + max(map(len, kernel.args.values()), default=0)
    if most > chip.chip.max_runtime_args:
        raise ProgramError(too_many_arguments(kernel, most, chip))
    flags = kernel.fp32_dst | kernel.full_sync << 1 | kernel.approximate << 2 | kernel.leaves_atomics << 3
    flags |= is_older << 4
    cores = [(chip.index(core), _words(kernel.args.get(core, ()))) for core in kernel.cores]
    processor = _PROCESSORS.index(kernel.processor)
    numbers, common = _words(library.numbers), _words(kernel.common_args)
    fidelity, in_l1 = _PHASES[kernel.fidelity], _words(kernel.in_l1)
    return library.path, processor, flags, fidelity, numbers, common, in_l1, cores


def _words(words: Sequence[int]) -> bytes:
    return array("I", [word & 0xFFFFFFFF for word in words]).tobytes()


def _numbers(cores: Sequence[Core], chip: EmulatedChip) -> bytes:
    return array("H", [chip.index(core) for core in cores]).tobytes()
