"""A chip that stands still, in the formats of a card's tools: the files of ``ttl run --target emu --dump FOLDER``.

``tt-triage.txt`` has the tables of tt-triage 0.81 (call stacks, circular buffers, semaphores), ``watcher.log`` a dump
of the watcher; the names of columns and waypoints are those of the tools. Neither file says more than a tool's: no
clock, nothing of blocks that are reserved or waited for, no history of a semaphore.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from ttl.codegen import debug_info
from ttl.codegen.debug_info import DebugInfo
from ttl.codegen.description import (
    CircularBufferDescription,
    KernelDescription,
    ProgramDescription,
    SemaphoreDescription,
)
from ttl.diag import report
from ttl.emu.chip import SEMAPHORE_BYTES, SEMAPHORES
from ttl.emu.program import ChipKernel, Program
from ttl.emu.standing import Processor, ResourceMap, RingState
from ttl.sim.diaries import DST, MATH, PAGES, POLL, SEMAPHORE, SOURCE, SPACE

TRIAGE, WATCHER, KERNELS = "tt-triage.txt", "watcher.log", "kernels"
RISCS = ("brisc", "ncrisc", "trisc0", "trisc1", "trisc2")
"""The names of a core's processors in tt-triage."""
CALLSTACKS = ("Dev", "Loc", "RiscV", "Kernel ID", "Kernel Name", "Subdevice", "Go Message", "Preload", "Waypoint",
    "Kernel Callstack", "Locals")  # fmt: skip
BUFFERS = (
    "Dev",
    "Loc",
    "CB",
    "Kind",
    "Address",
    "Size",
    "Page Size",
    "Size (pages)",
    "Pushed",
    "Popped",
    "Occupancy",
)
WORDS = ("Dev", "Loc", "Kind", "Id", "Address", "Value", "Initial")
# Functions in which a processor waits, outermost first: of one that moves data, and of one that computes.
_MOVING = MappingProxyType(
    {PAGES: ("cb_wait_front",), SPACE: ("cb_reserve_back",), POLL: ("invalidate_l1_cache",)}
)
_COMPUTING = MappingProxyType(
    {
        PAGES: ("cb_wait_front", "llk_wait_tiles"),
        SPACE: ("cb_reserve_back", "llk_wait_for_free_tiles"),
        SOURCE: ("wait_for_next_context",),
        DST: ("tile_regs_acquire", "llk_math_wait_for_dest_available"),
        MATH: ("tile_regs_wait", "llk_packer_wait_for_math_done"),
    }
)
_WAYPOINTS = MappingProxyType({PAGES: "CWFW", SPACE: "CRBW"})
# The waypoint of a processor that runs its kernel, and of one that has ended it; the first processor of a core then
# waits for the others.
_RUNS, _ENDED, _ENDED_FIRST = "R", "D", "NTW"


def dump(folder: str, standing: ResourceMap, info: DebugInfo) -> None:
    """Write the state of the chip to a folder and report where it is, or why it cannot be written."""
    program = standing.program
    try:
        debug_info.write(folder, info)
        kernels = Path(folder) / KERNELS
        kernels.mkdir(exist_ok=True)
        for kernel in program.kernels:
            path = kernels / Path(kernel.file_name).name
            path.write_text(kernel.source, encoding="utf-8", newline="\n")
        (Path(folder) / TRIAGE).write_text(triage_text(standing), encoding="utf-8")
        (Path(folder) / WATCHER).write_text(watcher_text(standing), encoding="utf-8")
    except OSError as problem:  # the deadlock is still explained
        reason = (problem.strerror or str(problem)).lower()
        report.write(f"the state of the chip could not be written into {folder}: {reason}")
        return
    report.write(f"the state of the chip is in {folder}; 'ttl hang {folder}' explains it")


def by_hand(program: Program, chip: str) -> DebugInfo:
    """Describe a program that was not compiled from an operation: names, sources and arguments, without lines of Python."""
    cores = [core for kernel in program.kernels for core in kernel.cores]
    grid = max((x for x, _ in cores), default=0) + 1, max((y for _, y in cores), default=0) + 1
    description = ProgramDescription(
        name="program",
        generation=program.generation,
        chip=chip,
        grid=grid,
        tensors=(),
        kernels=tuple(map(_described, program.kernels)),
        circular_buffers=tuple(
            CircularBufferDescription(
                name=buffer.name or f"circular buffer {buffer.index}",
                index=buffer.index,
                pages=buffer.pages,
                page_bytes=buffer.page_bytes,
                dtype=buffer.dtype,
            )
            for buffer in {buffer.index: buffer for buffer in program.circular_buffers}.values()
        ),
        semaphores=tuple(
            SemaphoreDescription(name=semaphore.name, id=semaphore.id, initial=semaphore.initial)
            for semaphore in program.semaphores
        ),
    )
    return DebugInfo(description=description, module="", sources={})


def _described(kernel: ChipKernel) -> KernelDescription:
    computes = kernel.processor == "compute"
    return KernelDescription(
        name=kernel.name,
        file=kernel.file_name,
        source=kernel.source,
        thread="tensix" if computes else "noc",
        processor=None if kernel.processor == "compute" else kernel.processor,
        noc=None if computes else kernel.noc,
        compile_time_args=kernel.compile_time_args,
    )


# --- as tt-triage ---------------------------------------------------------------------------------------------


def triage_text(standing: ResourceMap) -> str:
    """The tables of tt-triage."""
    sections = (
        ("dump_callstacks.py", CALLSTACKS, _callstacks(standing)),
        ("dump_circular_buffers.py", BUFFERS, _buffers(standing)),
        ("dump_semaphores.py", WORDS, _semaphores(standing)),
    )
    texts = [f"{name}:\n{table(columns, rows)}" for name, columns, rows in sections]
    # When no processor can continue, the emulated network has completed all transfers.
    return "\n".join((*texts, "check_noc_status.py:\n  pass\n"))


def _where(standing: ResourceMap, core: int) -> tuple[int, tuple[int, int], tuple[int, int]]:
    """Device, column and row, NoC coordinates of a core."""
    chip = standing.chip
    x, y = chip.place(core)
    return chip.chip_of(core), (x, y % chip.rows), chip.node(x, y % chip.rows)


def _location(standing: ResourceMap, core: int) -> tuple[str, str]:
    """The device, and NoC coordinates with, in brackets, column and row: ``18-18 (0,0)``."""
    device, (x, y), (noc_x, noc_y) = _where(standing, core)
    return str(device), f"{noc_x}-{noc_y} ({x},{y})"


def _callstacks(standing: ResourceMap) -> Iterator[tuple[str, ...]]:
    for processor in standing.processors:
        stack, values = _stack(standing, processor)
        yield (
            *_location(standing, processor.core), RISCS[processor.role], str(processor.kernel + 1),
            processor.name, "0", "GO", "False", _waypoint(processor), "\n".join(stack), values,
        )  # fmt: skip


def _stack(standing: ResourceMap, processor: Processor) -> tuple[list[str], str]:
    """The call stack, innermost first, and the arguments of the wait; both are empty for a processor that has ended."""
    if processor.done:
        return [], ""
    functions = (_MOVING if processor.role < 2 else _COMPUTING).get(processor.waits, ())
    values = ""
    if processor.waits == SEMAPHORE:
        functions = ("noc_semaphore_wait" if processor.exact else "noc_semaphore_wait_min",)
        address = SEMAPHORES + SEMAPHORE_BYTES * processor.semaphore
        values = f"#0 sem_addr = 0x{address:x}, val = {processor.amount}"
    elif processor.waits in (PAGES, SPACE):
        values = f"#0 cb_id = {processor.what}, num_pages = {processor.amount}"
    frames = [f"{function} ()" for function in reversed(functions)]
    frames.append(f"kernel_main () at {KERNELS}/{processor.file} {processor.line}")
    return [f"#{number} {frame}" for number, frame in enumerate(frames)], values


def _waypoint(processor: Processor) -> str:
    if processor.done:
        return _ENDED_FIRST if processor.role == 0 else _ENDED
    if processor.waits == SEMAPHORE:
        return "NSW" if processor.exact else "NSMW"
    # The library of the compute processors sets no waypoints.
    return _WAYPOINTS.get(processor.waits, _RUNS) if processor.role < 2 else _RUNS


def _buffers(standing: ResourceMap) -> Iterator[tuple[str, ...]]:
    known = {(standing.chip.index(core), buffer.index): buffer
        for buffer in standing.program.circular_buffers for core in buffer.cores}  # fmt: skip
    for (core, index), ring in sorted(standing.rings.items()):
        buffer = known.get((core, index))
        page = 0 if buffer is None else buffer.page_bytes
        base = 0 if buffer is None or buffer.base is None else buffer.base
        yield (
            *_location(standing, core), str(index), "local", f"0x{base:08x}", str(page * ring.pages), str(page),
            str(ring.pages), *map(str, _counts(ring)),
        )  # fmt: skip


def _counts(ring: RingState) -> tuple[int, int, int]:
    return ring.pushed, ring.popped, ring.pushed - ring.popped


def _semaphores(standing: ResourceMap) -> Iterator[tuple[str, ...]]:
    initial = {semaphore.id: semaphore.initial for semaphore in standing.program.semaphores}
    cores = sorted({processor.core for processor in standing.processors})
    # Semaphores that were not changed have their initial values.
    values = {(core, number): value for number, value in initial.items() for core in cores}
    values |= {place: word.value for place, word in standing.semaphores.items()}
    for (core, number), value in sorted(values.items()):
        address = SEMAPHORES + SEMAPHORE_BYTES * number
        # Semaphores of several chips are words of L1, which have an address only.
        known = number in initial and number < standing.chip.chip.semaphores
        yield (
            *_location(standing, core), "program" if known else "global", str(number) if known else "",
            f"0x{address:x}", str(value), str(initial[number]) if known else "",
        )  # fmt: skip


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table as tt-triage prints one; a cell may have several lines."""
    lines = [[cell.split("\n") for cell in row] for row in rows]
    widths = [
        max([len(name), *(len(line) for row in lines for line in row[number])])
        for number, name in enumerate(columns)
    ]

    def rule(left: str, fill: str, middle: str, right: str) -> str:
        return left + middle.join(fill * (width + 2) for width in widths) + right

    def line(bar: str, cells: Sequence[str]) -> str:
        padded = (f" {cell:<{width}} " for cell, width in zip(cells, widths, strict=True))
        return bar + bar.join(padded) + bar

    text = [rule("┏", "━", "┳", "┓"), line("┃", columns), rule("┡", "━", "╇", "┩")]
    for row in lines:
        for number in range(max(map(len, row))):
            text.append(line("│", [cell[number] if number < len(cell) else "" for cell in row]))
    text.append(rule("└", "─", "┴", "┘"))
    return "\n".join(text) + "\n"


# --- as the watcher -------------------------------------------------------------------------------------------


def watcher_text(standing: ResourceMap) -> str:
    """A dump of the watcher: where the processors of each core are, and which kernels they have."""
    cores: dict[int, dict[int, Processor]] = {}
    for processor in standing.processors:
        cores.setdefault(processor.core, {})[processor.role] = processor
    lines = [f"Dump #1 at {0:.3f}s"]
    lines += [_watched(standing, core, members) for core, members in sorted(cores.items())]
    names = {0: "blank"} | {
        number: os.path.join(KERNELS, kernel.file_name)
        for number, kernel in enumerate(standing.program.kernels, 1)
    }
    lines += [f"k_id[{number:3}]: {name}" for number, name in names.items()]
    return "\n".join((*lines, "Dump #1 completed at 0.000s", ""))


def _watched(standing: ResourceMap, core: int, members: Mapping[int, Processor]) -> str:
    device, (x, y), (noc_x, noc_y) = _where(standing, core)
    waypoints = [_waypoint(members[role]) if role in members else "W" for role in range(len(RISCS))]
    kernels = [str(members[role].kernel + 1) if role in members else "0" for role in range(len(RISCS))]
    place = f"core(x={x:2},y={y:2}) virtual(x={noc_x:2},y={noc_y:2})"
    states = ",".join(f"{waypoint:>4}" for waypoint in waypoints)
    return (
        f"Device {device} worker {place}: {states}  rmsg:D0G|BNT h_id:0 smsg:GGGG k_ids:{'|'.join(kernels)}"
    )
