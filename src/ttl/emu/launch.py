"""Running programs on the emulated chip."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from ttl import settings
from ttl.arch import Chip, current_chip
from ttl.codegen.description import CircularBufferDescription, KernelDescription, ProgramDescription
from ttl.codegen.entries import resolve
from ttl.emu import compiler, mistakes, record
from ttl.emu.chip import EmulatedChip, emulated
from ttl.emu.formats import FORMATS
from ttl.emu.memory import Memory, fetch
from ttl.emu.program import CircularBuffer, Core, Fidelity, Kernel, Processor, Program, Semaphore, rectangle
from ttl.emu.runtime import runtime
from ttl.host.tensor import Tensor
from ttl.ops.row import Generation

_PROCESSORS: tuple[Processor, ...] = ("brisc", "ncrisc", "compute")
# What is read from DRAM begins at a multiple of this on every chip, and so does the memory it is read into.
_ALIGNMENT = 64
_PHASES = {"LoFi": 1, "HiFi2": 2, "HiFi3": 3, "HiFi4": 4}


@dataclass(frozen=True, kw_only=True, slots=True)
class Fiber:
    """What one processor did."""

    core: Core
    role: str
    """``brisc``, ``ncrisc``, ``unpack``, ``math`` or ``pack``."""
    kernel: str
    cycles: int
    """Its clock when it ended."""
    stalled: int
    """Cycles in which it waited."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Run:
    """What a run did."""

    cycles: int
    fibers: tuple[Fiber, ...]
    switches: int
    """How often another processor went on."""
    printed: str
    program: Program
    written: tuple[bool, ...]
    """Of the tensors in memory, those that the program wrote to."""
    record: record.Record | None = None
    """What its processors did, where that was asked for."""


def run(description: ProgramDescription, tensors: Sequence[Tensor], *, recorded: bool = False) -> Run:
    """Run a described program on the tensors of a call, in the order of their positions; their contents change.

    Raises ``ProgramError``: TTL15xx.
    """
    chip = emulated(description.chip)
    memory = Memory(chip)
    placed = {each.name: memory.place(tensors[each.index]) for each in description.tensors}

    def address(name: str) -> int:
        return placed[name].address

    cores = rectangle(*description.grid)
    unpacked = {
        name for kernel in description.kernels if kernel.config for name in kernel.config.unpack_to_dest_fp32
    }
    kernels = []
    for kernel in description.kernels:
        words = [word for name in kernel.accessors for word in placed[name].accessor]
        common = resolve(kernel.common_args, address=address, node=chip.node)
        kernels.append(_kernel(kernel, cores, tuple(words), tuple(common)))
    program = Program(
        generation=cast("Generation", description.generation),
        kernels=tuple(kernels),
        circular_buffers=_buffers(description.circular_buffers, cores, chip, unpacked),
        semaphores=tuple(
            Semaphore(id=each.id, cores=cores, initial=each.initial, name=each.name)
            for each in description.semaphores
        ),
    )
    return run_program(program, memory, recorded=recorded)


def memory_of(chip: Chip | None = None) -> Memory:
    """Empty memory of the emulated chip, to place tensors in."""
    return Memory(emulated((chip or current_chip()).name))


def run_program(program: Program, memory: Memory, *, recorded: bool = False) -> Run:
    """Run a program; the tensors in memory that it writes change. Raises ``ProgramError``: TTL15xx."""
    chip = memory.chip
    libraries = compiler.compile_program(program, chip.chip.name)
    record.start(chip, recorded)
    runtime().adversary(chip.handle, settings.current().emu_seed)
    fibers, failure, switches, printed, written = runtime().run(
        chip.handle,
        _placed_buffers(program, chip),
        [(each.id, _numbers(each.cores, chip), each.initial) for each in program.semaphores],
        [
            _launched(kernel, library, chip)
            for kernel, library in zip(program.kernels, libraries, strict=True)
        ],
        [(each.placement.memory == "dram", each.address, each.end) for each in memory.placed],
    )
    if failure is not None:
        raise mistakes.explain(failure, fibers, program, chip)
    for placed, changed in zip(memory.placed, written, strict=True):
        if changed:
            fetch(placed)
    names = [kernel.name for kernel in program.kernels]
    found = tuple(
        Fiber(
            core=(each[0] % chip.columns, each[0] // chip.columns),
            role=mistakes.ROLES[each[1]],
            kernel=names[each[2]],
            cycles=each[4],
            stalled=each[5],
        )
        for each in fibers
    )
    return Run(
        cycles=max((fiber.cycles for fiber in found), default=0),
        fibers=found,
        switches=switches,
        printed=printed,
        program=program,
        written=tuple(written),
        record=record.finish(chip, program) if recorded else None,
    )


def _kernel(
    kernel: KernelDescription, cores: tuple[Core, ...], words: tuple[int, ...], common: tuple[int, ...]
) -> Kernel:
    config = kernel.config
    return Kernel(
        name=kernel.name,
        source=kernel.source,
        processor="compute" if kernel.thread == "tensix" else kernel.processor or "ncrisc",
        cores=cores,
        noc=kernel.noc or 0,
        compile_time_args=words,
        common_args=common,
        defines=dict(kernel.defines),
        fidelity=cast("Fidelity", config.math_fidelity) if config else "HiFi4",
        fp32_dst=config is not None and config.fp32_dest_acc_en,
        full_sync=config is not None and config.dst_full_sync_en,
        approximate=config is not None and config.math_approx_mode,
        lines=kernel.lines,
    )


def _buffers(
    described: Sequence[CircularBufferDescription],
    cores: tuple[Core, ...],
    chip: EmulatedChip,
    unpacked: set[str],
) -> tuple[CircularBuffer, ...]:
    """Places one after the other, those that share the memory of another one at its place."""
    base = -(-chip.chip.l1_reserved_bytes // _ALIGNMENT) * _ALIGNMENT
    bases: dict[str, int] = {}
    for each in described:
        if each.shares is None:
            bases[each.name] = base
            base += -(-each.nbytes // _ALIGNMENT) * _ALIGNMENT
    return tuple(
        CircularBuffer(
            index=each.index,
            pages=each.pages,
            page_bytes=each.page_bytes,
            dtype=each.dtype,
            cores=cores,
            name=each.name,
            base=bases[each.shares or each.name],
            unpack_to_dst=each.name in unpacked,
            stays=each.initial is not None,
        )
        for each in described
    )


def _placed_buffers(
    program: Program, chip: EmulatedChip
) -> list[tuple[int, bytes, int, int, int, int, bool, bool]]:
    base = -(-chip.chip.l1_reserved_bytes // _ALIGNMENT) * _ALIGNMENT
    found = []
    for each in program.circular_buffers:
        begin = base if each.base is None else -(-each.base // _ALIGNMENT) * _ALIGNMENT
        if each.base is None:
            base += -(-each.pages * each.page_bytes // _ALIGNMENT) * _ALIGNMENT
        found.append(
            (
                each.index, _numbers(each.cores, chip), begin, each.page_bytes, each.pages, FORMATS[each.dtype],
                each.unpack_to_dst, each.stays,
            )
        )  # fmt: skip
    return found


def _launched(
    kernel: Kernel, library: str, chip: EmulatedChip
) -> tuple[str, int, int, int, bytes, list[tuple[int, bytes]]]:
    flags = kernel.fp32_dst | kernel.full_sync << 1 | kernel.approximate << 2 | kernel.leaves_atomics << 3
    cores = [(chip.index(core), _words(kernel.args.get(core, ()))) for core in kernel.cores]
    processor = _PROCESSORS.index(kernel.processor)
    return library, processor, flags, _PHASES[kernel.fidelity], _words(kernel.common_args), cores


def _words(words: Sequence[int]) -> bytes:
    return array("I", [word & 0xFFFFFFFF for word in words]).tobytes()


def _numbers(cores: Sequence[Core], chip: EmulatedChip) -> bytes:
    return array("H", [chip.index(core) for core in cores]).tobytes()
