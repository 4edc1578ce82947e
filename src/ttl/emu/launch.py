"""Running programs on the emulated chip."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ttl import settings
from ttl.arch import Chip
from ttl.codegen.cpp.debug import EXTERNAL
from ttl.codegen.declared import DeclaredObjects
from ttl.codegen.description import ProgramDescription
from ttl.emu import meshes, mistakes, record
from ttl.emu.advice.piece import Advice
from ttl.emu.chip import EmulatedChip, emulated
from ttl.emu.compiler import compile_program
from ttl.emu.dump import by_hand, dump
from ttl.emu.memory import ChipMemory, Placed, fetch
from ttl.emu.program import ROLES, Core, KernelLine, Program
from ttl.emu.ready import ProgramArguments, program_of, ready
from ttl.emu.runtime import Watcher, runtime, watch
from ttl.emu.stuck import ChipDeadlockError
from ttl.host.tensor import Tensor
from ttl.session.patience import LimitReached
from ttl.session.switches import folder_of_dumps
from ttl.settings import current_chip

if TYPE_CHECKING:
    from ttl.codegen.explanation import RemarkOrChoice


@dataclass(frozen=True, kw_only=True, slots=True)
class Fiber:
    """The work of one processor in a run."""

    core: Core
    role: str
    """``brisc``, ``ncrisc``, ``unpack``, ``math`` or ``pack``."""
    kernel: str
    cycles: int
    """The processor's clock when it ended."""
    stalled: int
    """Cycles in which it waited."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TensorPlace:
    """A tensor in memory, from ``begin`` to before ``end`` in every bank that has a part of it."""

    name: str
    dram: bool
    begin: int
    end: int


@dataclass(frozen=True, kw_only=True, slots=True)
class ChipRun:
    """The result of a run."""

    cycles: int
    fibers: tuple[Fiber, ...]
    switches: int
    """How often another processor continued."""
    printed: str
    program: Program
    written: tuple[bool, ...]
    """For each tensor in memory, whether the program wrote to it."""
    record: record.Record | None = None
    """The processors' activities; None where the run was not recorded."""
    tensors: tuple[TensorPlace, ...] = ()
    """The tensors of the call, with their places in memory."""
    advice: tuple[Advice, ...] = ()
    """Advice on a run that was recorded for a profile, the most valuable first."""
    declared: DeclaredObjects | None = None
    """The program's buffers and nets; None where their traffic was not requested."""
    remarks: tuple[RemarkOrChoice, ...] = ()
    """The compiler's decisions; empty where they were not requested."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FailedRun:
    """A run that has failed, as the runtime describes it, until the next run of the chip."""

    failure: Any
    fibers: Sequence[Any]
    switches: int
    program: Program
    chip: EmulatedChip
    tensors: tuple[TensorPlace, ...] = ()


def run(
    description: ProgramDescription,
    tensors: Sequence[Tensor],
    *,
    recorded: bool = False,
    watcher: Watcher | None = None,
    limit: int | None = None,
    on_failure: Callable[[FailedRun], None] | None = None,
) -> ChipRun:
    """Run a described program on the tensors of a call, in the order of their positions; their contents change.

    Raises ``ProgramError``: TTL15xx; ``LimitReached`` where it takes more than ``limit`` cycles, as soon as that is
    certain. Before a ``ProgramError`` of a run that is recorded, ``on_failure`` gets the runtime's description of the
    failure.
    """
    if description.mesh:
        wiring = meshes.wiring_of(tensors)
        memory, placed = meshes.memory_of_mesh(description, tensors, wiring)
    else:
        memory = ChipMemory(emulated(description.chip))
        placed = [(tensor.name, memory.place(tensors[tensor.index])) for tensor in description.tensors]
    places = tuple((name, item.address, item.accessor) for name, item in placed)
    positions = tuple(
        TensorPlace(name=name, dram=item.placement.memory == "dram", begin=item.address, end=item.end)
        for name, item in placed
    )

    def failed(failed_run: FailedRun) -> None:
        if on_failure is not None:
            on_failure(replace(failed_run, tensors=positions))

    result = run_program(
        meshes.program_of_mesh(description, places, memory, wiring)
        if description.mesh
        else program_of(description, places),
        memory,
        recorded=recorded,
        watcher=watcher,
        limit=limit,
        on_failure=failed,
    )
    if description.mesh:  # a tensor is written if its part on any of the chips is
        parts = len(result.written) // max(len(placed), 1)
        written = tuple(any(result.written[at : at + parts]) for at in range(0, len(result.written), parts))
        result = replace(result, written=written)
    return replace(result, tensors=positions)


def memory_of(chip: Chip | None = None) -> ChipMemory:
    """Empty memory of the emulated chip, to place tensors in."""
    return ChipMemory(emulated((chip or current_chip()).name))


def run_program(
    program: Program,
    memory: ChipMemory,
    *,
    recorded: bool = False,
    watcher: Watcher | None = None,
    limit: int | None = None,
    on_failure: Callable[[FailedRun], None] | None = None,
) -> ChipRun:
    """Run a program; the tensors in memory that it writes change.

    Raises ``ProgramError``: TTL15xx; the kernels' output until then has gone to standard output. ``LimitReached``, see
    ``run``.
    """
    if not program.kernels:
        unwritten = (False,) * len(memory.placed)
        return ChipRun(cycles=0, fibers=(), switches=0, printed="", program=program, written=unwritten)
    # A tensor on several chips has the same address on all, so its parts count as one.
    of = [(item.placement.memory == "dram", item.address, item.end) for item in memory.placed]
    parts = list(dict.fromkeys((*of, *((False, begin, end) for begin, end in memory.kept))))
    given = ready(program, memory.chip)
    result = execute(
        program,
        given,
        memory.chip,
        parts,
        recorded=recorded,
        watcher=watcher,
        limit=limit,
        on_failure=on_failure,
    )
    changed = dict(zip(parts, result.written, strict=True))
    for placed, part in zip(memory.placed, of, strict=True):
        if changed[part] or _may_be_stored_to(placed, program):
            fetch(placed)
    return replace(result, written=tuple(changed[part] for part in of))


def _may_be_stored_to(placed: Placed, program: Program) -> bool:
    """Whether a kernel may store to a tensor's memory without a transfer.

    That is so for memory of a circular buffer, into which a compute kernel may pack, and where C++ of the user's has
    the address.
    """
    if placed.placement.memory == "dram":
        return False
    return any(
        buffer.base is not None and placed.address <= buffer.base < placed.end
        for buffer in program.circular_buffers
    ) or any(
        placed.address == kernel.common_args[position]
        for kernel in program.kernels
        if EXTERNAL in kernel.source
        for position in kernel.in_l1
    )


def execute(
    program: Program,
    given: ProgramArguments,
    chip: EmulatedChip,
    parts: Sequence[tuple[bool, int, int]],
    *,
    recorded: bool = False,
    watcher: Watcher | None = None,
    limit: int | None = None,
    on_failure: Callable[[FailedRun], None] | None = None,
) -> ChipRun:
    """Run a program that is ready. ``parts`` are tensors: whether in DRAM, and begin and end in each bank.

    Raises as ``run_program``.
    """
    record.start(chip, recorded)
    chosen = settings.current()
    runtime().behave(
        chip.handle,
        chosen.emu_seed,
        chosen.emu_rounding == "hardware",
        chosen.emu_hostile,
        chosen.emu_clear,
    )

    def started() -> Any:
        return runtime().run(
            chip.handle,
            given.buffers,
            given.semaphores,
            given.kernels,
            list(parts),
            watch(watcher, program),
            limit,
        )

    try:
        fibers, failure, switches, printed, written = chip.with_room(started)
    except OSError:
        if all(os.path.exists(kernel[0]) for kernel in given.kernels):
            raise
        # Another process has made room in the cache before they were loaded.
        compile_program(program, chip.chip.name)
        fibers, failure, switches, printed, written = chip.with_room(started)
    if failure is not None and failure[0] == "limit":
        raise LimitReached
    if failure is None and limit is not None and max((fiber[4] for fiber in fibers), default=0) > limit:
        raise LimitReached  # its last steps took it there
    if failure is not None:
        if printed:  # the output that led to the failure
            print(printed.removesuffix("\n"), flush=True)
        if recorded and on_failure is not None:
            on_failure(
                FailedRun(failure=failure, fibers=fibers, switches=switches, program=program, chip=chip)
            )
        wrong = mistakes.explain(failure, fibers, program, chip)
        folder = folder_of_dumps(chosen.dump)
        # For a program that was compiled from an operation, the target writes the dump: it knows more.
        if isinstance(wrong, ChipDeadlockError) and folder is not None and not program.kernels[0].generated:
            dump(folder, wrong.standing, by_hand(program, chip.chip.name))
        raise wrong
    names = [kernel.name for kernel in program.kernels]
    result = tuple(
        Fiber(
            core=(fiber[0] % chip.columns, fiber[0] // chip.columns),
            role=ROLES[fiber[1]],
            kernel=names[fiber[2]],
            cycles=fiber[4],
            stalled=fiber[5],
        )
        for fiber in fibers
    )
    return ChipRun(
        cycles=max((fiber.cycles for fiber in result), default=0),
        fibers=result,
        switches=switches,
        printed=printed,
        program=program,
        written=tuple(written),
        record=record.finish(chip, program) if recorded else None,
    )


def place_of(
    line: record.Line | record.Signpost, run: ChipRun, description: ProgramDescription | None
) -> KernelLine:
    """Where a line of a kernel comes from."""
    kernel = run.program.kernels[line.kernel]
    if description is not None and line.file == kernel.file_name:
        span = kernel.lines.get(line.line)
        if span is not None:
            return KernelLine.at(span, kernel.name)
    return KernelLine(file=line.file, line=line.line, kernel=kernel.name)
