"""A dump as a chip that has stopped (``ttl.emu.standing``), so that the code that explains such chips explains dumps, too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from pathlib import PurePath
from typing import ClassVar, Literal

from ttl.arch import USUAL, Chip, chip_named
from ttl.arch.systems import ideal
from ttl.codegen.debug_info import DebugInfo
from ttl.codegen.description import KernelDescription
from ttl.emu.chip import SEMAPHORE_BYTES, SEMAPHORES, EmulatedChip
from ttl.emu.program import (
    ROLES,
    ChipKernel,
    ChipSemaphore,
    CircularBuffer,
    Core,
    Processor,
    Program,
    rectangle,
)
from ttl.emu.standing import Processor as Stands
from ttl.emu.standing import ResourceMap, RingState, SemaphoreWord
from ttl.hang.dump_content import Dump, DumpedRisc, Place
from ttl.hang.kernel_text import KernelCalls
from ttl.hang.waits import ObservedWait, seen_wait
from ttl.rows.row import Generation
from ttl.sim.diaries import PAGES, SEMAPHORE, SPACE

_OF_ROLE: tuple[Processor, ...] = ("brisc", "ncrisc", "compute", "compute", "compute")
_GENERATION: Generation = "0.81"


class DumpedStanding(ResourceMap):
    """A chip of a dump. No experiments can be made with it: it does not continue."""

    goes_on: ClassVar[bool] = False

    def __init__(
        self,
        program: Program,
        chip: EmulatedChip,
        processors: list[Stands],
        rings: dict[tuple[int, int], RingState],
        semaphores: dict[tuple[int, int], SemaphoreWord],
    ) -> None:
        self.program, self.chip = program, chip
        self.processors, self.rings, self.semaphores = processors, rings, semaphores
        self.links, self.connections = [], []


@dataclass(kw_only=True, slots=True)
class DumpedChip:
    """One device of a dump, with the program whose kernels it runs."""

    dump: Dump
    device: int
    program: Program
    texts: Mapping[int, KernelCalls]
    """The calls of kernels whose C++ is known, by their numbers."""
    chip: EmulatedChip = field(init=False)
    waits: list[ObservedWait] = field(init=False)
    kernels: list[int] = field(init=False)
    """The number of the kernel of each wait."""
    info: DebugInfo | None = None

    def __post_init__(self) -> None:
        self.chip = _chip(self.info, [at[1] for at, _ in self.dump.riscs])
        self.waits, self.kernels = [], []
        for (at, role), risc in sorted(self.dump.riscs.items()):
            if not self._is_here(at):
                continue
            number = kernel_of(self.program, role, risc.kernel, self.place(at))
            if number is None:
                continue
            file = self.program.kernels[number].file_name
            self.waits.append(seen_wait(risc, self.texts.get(number), file))
            self.kernels.append(number)

    def _is_here(self, at: Place) -> bool:
        """Whether a core is one of this chip, or of the chips of a mesh."""
        device, (x, y) = at
        known = device < self.chip.chips if self.chip.system is not None else device == self.device
        return known and x < self.chip.columns and y < self.chip.rows

    def place(self, at: Place) -> Core:
        """The column and row of a core among the cores of all chips."""
        return self.chip.at(0 if self.chip.system is None else at[0], at[1])

    def _index(self, at: Place) -> int:
        return self.chip.index(self.place(at))

    @property
    def missing(self) -> list[Core]:
        """The cores of the program that are not in the dump."""
        seen = {self.place(wait.risc.at) for wait in self.waits}
        cores = dict.fromkeys(core for kernel in self.program.kernels for core in kernel.cores)
        return [core for core in cores if core not in seen]

    def standing(self) -> DumpedStanding:
        """The chip. Cores that are not in the dump count as ended, as tt-triage leaves such cores out."""
        known = {(self._index(wait.risc.at), wait.risc.role) for wait in self.waits}
        processors = [
            self._processor(wait, kernel) for wait, kernel in zip(self.waits, self.kernels, strict=True)
        ]
        for number, kernel in enumerate(self.program.kernels):
            roles = [role for role, name in enumerate(_OF_ROLE) if name == kernel.processor]
            processors += [
                _ended(self.chip.index(core), role, number, kernel.name)
                for core in kernel.cores
                for role in roles
                if (self.chip.index(core), role) not in known
            ]
        # As the runtime lists them: kernel by kernel, core by core.
        processors.sort(key=lambda one: (one.kernel, one.core, one.role))
        return DumpedStanding(self.program, self.chip, processors, self._rings(), self._semaphores())

    def _processor(self, wait: ObservedWait, kernel: int) -> Stands:
        core, what, now = self._index(wait.risc.at), wait.what, -1
        if wait.kind == SEMAPHORE:
            word = self._semaphore(wait)
            if word is not None:
                what, now = word
            what = SEMAPHORES + SEMAPHORE_BYTES * what if what >= 0 else -1
        return Stands(
            core=core,
            role=wait.risc.role,
            kernel=kernel,
            name=self.program.kernels[kernel].name,
            done=wait.ended,
            clock=-1,
            waits=wait.kind,
            what=what,
            amount=wait.amount,
            now=now,
            exact=wait.exact,
            file=wait.file,
            line=wait.line,
            steps=0,
            span=self.program.kernels[kernel].span(wait.line) if wait.line else None,
        )

    def _semaphore(self, wait: ObservedWait) -> tuple[int, int] | None:
        """Number and value of the semaphore that a processor waits for; words that no program has are numbered as addresses."""
        for (at, address), word in self.dump.semaphores.items():
            if at != wait.risc.at:
                continue
            if address == wait.address or (
                wait.address < 0 and word.number is not None and word.number == wait.what
            ):
                return _number(word.number, address), word.value
        return None

    def _rings(self) -> dict[tuple[int, int], RingState]:
        result = {}
        for (at, index), buffer in sorted(self.dump.buffers.items()):
            if not self._is_here(at):
                continue
            pushing, popping = self._end(at, index, "pushes"), self._end(at, index, "pops")
            result[self._index(at), index] = RingState(
                pages=buffer.pages,
                pushed=buffer.pushed,
                popped=buffer.popped,
                reserved=0,
                waited=0,
                pushing=pushing,
                popping=popping,
                reserving=pushing if buffer.pushed or self._waits(at, index, SPACE) else -1,
                reserve_line=0,
                reserve_step=0,
                waiting=popping if buffer.popped or self._waits(at, index, PAGES) else -1,
                wait_line=0,
                wait_step=0,
            )
        return result

    def _end(self, at: Place, index: int, end: Literal["pushes", "pops"]) -> int:
        """Return the processor of a core that uses an end of a buffer.

        It is a processor that waits at that end, else one whose kernel uses it; -1 if there is neither.
        """
        kind = SPACE if end == "pushes" else PAGES
        waiting = self._waits(at, index, kind)
        if waiting is not None:
            return waiting.risc.role
        for number, text in self.texts.items():
            kernel = self.program.kernels[number]
            if self.place(at) in kernel.cores and text.uses(end, index):
                if kernel.processor != "compute":
                    return ROLES.index(kernel.processor)
                return ROLES.index("pack" if end == "pushes" else "unpack")
        return -1

    def _waits(self, at: Place, index: int, kind: int) -> ObservedWait | None:
        """The processor of a core that waits at an end of a buffer."""
        sought = at, kind, index
        return next((one for one in self.waits if (one.risc.at, one.kind, one.what) == sought), None)

    def _semaphores(self) -> dict[tuple[int, int], SemaphoreWord]:
        initial = {semaphore.id: semaphore.initial for semaphore in self.program.semaphores}
        result = {}
        for (at, address), word in self.dump.semaphores.items():
            if self._is_here(at):
                number = _number(word.number, address)
                # A card does not count the changes of a semaphore.
                changed = int(word.value != initial.get(number, 0))
                result[self._index(at), number] = SemaphoreWord(
                    value=word.value, arrived=changed, set=0, own=0
                )
        return result


def _number(number: int | None, address: int) -> int:
    return number if number is not None else max(0, address - SEMAPHORES) // SEMAPHORE_BYTES


def _ended(core: int, role: int, kernel: int, name: str) -> Stands:
    return Stands(
        core=core, role=role, kernel=kernel, name=name, done=True, clock=-1, waits=0, what=-1, amount=-1, now=-1, exact=False,
        file="", line=0, steps=0, span=None,
    )  # fmt: skip


def _chip(info: DebugInfo | None, cores: Sequence[Core]) -> EmulatedChip:
    """A chip that only numbers its cores, without memory or a runtime."""
    chip: Chip = chip_named(USUAL if info is None else info.description.chip)
    columns, rows = chip.max_grid
    if info is None:
        columns = max([columns, *(x + 1 for x, _ in cores)])
        rows = max([rows, *(y + 1 for _, y in cores)])
    mesh = () if info is None else info.description.mesh
    system = ideal(chip, (prod(mesh[:-1]), mesh[-1])) if mesh else None
    return EmulatedChip(
        chip=chip, handle=None, columns=columns, rows=rows, workers=(), banks=0, index_of={}, system=system
    )


# --- which program it is --------------------------------------------------------------------------------------


def kernel_of(program: Program, role: int, name: str, core: Core | None = None) -> int | None:
    """The kernel of a processor: the one of that name, else the only one that such a processor has; None if neither."""
    able = [number for number, kernel in enumerate(program.kernels) if kernel.processor == _OF_ROLE[role]]
    # Each chip of a mesh has kernels of its own.
    able = [number for number in able if core in program.kernels[number].cores] or able
    stem = PurePath(name).stem if name.endswith((".cpp", ".cc")) else name
    named = [
        number
        for number in able
        if program.kernels[number].name == stem or PurePath(program.kernels[number].file_name).stem == stem
    ]
    candidates = named or able
    return candidates[0] if len(candidates) == 1 or named else None


def program_of(info: DebugInfo) -> tuple[Program, dict[int, KernelCalls]]:
    """The program of debug information, as far as a report needs it: no arguments and no addresses."""
    description = info.description
    # Kernels that were written by hand may be on any cores.
    cores = rectangle(*description.grid) if info.module else ()
    rows = chip_named(description.chip).max_grid[1]
    parts = [tuple((x, chip * rows + y) for x, y in cores) for chip in range(description.chips)]
    cores = tuple(core for part in parts for core in part)
    program = Program(
        generation=_GENERATION,
        kernels=tuple(_kernel(kernel, part) for part in parts for kernel in description.kernels),
        circular_buffers=tuple(
            CircularBuffer(
                index=buffer.index,
                pages=buffer.pages,
                page_bytes=buffer.page_bytes,
                dtype=buffer.dtype,
                cores=cores,
                name=buffer.name,
            )
            for buffer in description.circular_buffers
        ),
        semaphores=tuple(
            ChipSemaphore(id=semaphore.id, cores=cores, initial=semaphore.initial, name=semaphore.name)
            for semaphore in description.semaphores
        ),
    )
    texts = {
        number: KernelCalls(kernel.source, kernel.compile_time_args)
        for number, kernel in enumerate(description.kernels * description.chips)
    }
    return program, texts


def _kernel(kernel: KernelDescription, cores: tuple[Core, ...]) -> ChipKernel:
    return ChipKernel(
        name=kernel.name,
        source=kernel.source,
        processor="compute" if kernel.thread == "tensix" else kernel.processor or "ncrisc",
        cores=cores,
        lines=kernel.lines,
        file=kernel.file,
    )


def program_of_names(
    dump: Dump, device: int, sources: Mapping[str, str]
) -> tuple[Program, dict[int, KernelCalls]]:
    """Return the program that the names in a dump describe. ``sources`` are texts of kernels, by the names of their files."""
    cores: dict[tuple[str, Processor], list[Core]] = {}
    files: dict[tuple[str, Processor], str] = {}
    for (at, role), risc in sorted(dump.riscs.items()):
        if at[0] == device:
            of = _name(risc, role), _OF_ROLE[role]
            members = cores.setdefault(of, [])
            if at[1] not in members:
                members.append(at[1])
            file = next((frame.file for frame in risc.frames if frame.function == "kernel_main"), risc.kernel)
            files.setdefault(of, PurePath(file).name if file.endswith((".cpp", ".cc")) else "")
    kernels = tuple(
        ChipKernel(name=of[0], source="", processor=of[1], cores=tuple(members), file=files[of])
        for of, members in cores.items()
    )
    texts = {
        number: KernelCalls(sources[kernel.file_name])
        for number, kernel in enumerate(kernels)
        if kernel.file_name in sources
    }
    buffers = {index: buffer.pages for (at, index), buffer in sorted(dump.buffers.items()) if at[0] == device}
    names: dict[int, str] = {}
    words: dict[int, str] = {}
    for text in texts.values():
        names |= text.buffer_names()
        words |= text.semaphore_names()
    program = Program(
        generation=_GENERATION,
        kernels=kernels,
        circular_buffers=tuple(
            CircularBuffer(
                index=index,
                pages=buffers.get(index, 0),
                page_bytes=0,
                dtype="uint8",
                cores=(),
                name=names.get(index, ""),
            )
            for index in sorted({*buffers, *names})
        ),
        semaphores=tuple(ChipSemaphore(id=number, cores=(), name=name) for number, name in words.items()),
    )
    return program, texts


def _name(risc: DumpedRisc, role: int) -> str:
    """Return the name of a kernel: from the tool, else from its file, else from its processor."""
    name = risc.kernel
    if not name:
        name = next((frame.file for frame in risc.frames if frame.function == "kernel_main"), "")
    return (
        PurePath(name).stem if name.endswith((".cpp", ".cc")) else name or f"the kernel of {_OF_ROLE[role]}"
    )
