"""A recorded run that has failed: its activities until then, and the place of every processor.

A processor that waits when no processor continues waits forever. The record extends that wait until a little after the last
activity, so that it is shown beside the kernel that should have ended it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from ttl.diag.words import counted
from ttl.emu import record as recording
from ttl.emu.launch import ChipRun, FailedRun
from ttl.emu.program import ROLES, Core, Program
from ttl.emu.record import Line, Record
from ttl.emu.standing import Processor, processor_of, semaphore_text
from ttl.emu.stuck import INSIDE, INSIDE_WORDS
from ttl.emu.trace_slices import SHORTEST_WAIT
from ttl.rules.waiting import wanted
from ttl.sim.diaries import LINK, NOTHING_NAMED, PAGES, SEMAPHORE, SPACE, Diary

# A wait that nothing ended is shown beyond the end of the run, for the cycles of the run divided by this.
_SHOWN = 20


@dataclass(frozen=True, kw_only=True, slots=True)
class ExpectedSignaller:
    """The processor that should have ended a wait.

    ``pipe``: for a wait for a pipe, its source and its destinations; then ``sends`` says whether the source waits.
    """

    fibers: tuple[int, ...]
    pipe: tuple[Core, tuple[Core, ...]] | None = None
    sends: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class StoppedProcessor:
    """A processor that had not ended."""

    fiber: int
    """The number of the processor, as in ``Record.diaries``."""
    line: int
    """The index into ``Record.lines``."""
    state: Literal["waits", "failed", "works"]
    needs: str
    """The event that would let the processor continue, in words; empty where it needs nothing."""
    ender: ExpectedSignaller | None
    """None where no processor would end the wait, or it is not known which."""


@dataclass(frozen=True, kw_only=True, slots=True)
class StoppedRun:
    """A run that has failed."""

    run: ChipRun
    """The run until it failed: its record includes the waits that nothing ended, its cycles end before them."""
    until: int
    """The time until which waits that nothing ended are recorded."""
    deadlock: bool
    """Whether no processor could continue; otherwise one processor broke a rule, and the others were stopped."""
    stands: tuple[StoppedProcessor, ...]
    under_way: tuple[int, ...]
    """Transfers that had not arrived."""


def stopped_run(failed: FailedRun) -> StoppedRun | None:
    """Return the record of the last run, which has failed; None where nothing was recorded."""
    program, chip = failed.program, failed.chip
    record = recording.finish(chip, program)
    if record is None:
        return None
    kind, core, role, _, _, clock, *_ = failed.failure
    broke = None if kind == "deadlock" else core * len(ROLES) + role
    processors = [processor_of(program, fields) for fields in failed.fibers]
    open_ones = [processor for processor in processors if not processor.done]
    cycles = max((diary.ended for diary in record.diaries.values()), default=0)
    until = cycles + max(cycles // _SHOWN, SHORTEST_WAIT)
    record, lines = _with_open_waits(record, open_ones, until)
    transfers = record.transfers
    at = cycles if broke is None else clock
    under_way = np.flatnonzero((transfers["issued"] <= at) & (transfers["arrives"] > at))
    return StoppedRun(
        run=ChipRun(
            cycles=cycles,
            fibers=(),
            switches=failed.switches,
            printed="",
            program=program,
            written=(),
            record=record,
            tensors=failed.tensors,
        ),
        until=until,
        deadlock=broke is None,
        stands=tuple(
            StoppedProcessor(
                fiber=_fiber(processor),
                line=line,
                state="failed" if _fiber(processor) == broke else "waits" if processor.waits else "works",
                needs=_needs(processor, program) if processor.waits else "",
                ender=_own_kernel(processor, processors),
            )
            for processor, line in zip(open_ones, lines, strict=True)
        ),
        under_way=tuple(under_way.tolist()),
    )


def with_enders(stopped: StoppedRun, enders: Mapping[int, ExpectedSignaller]) -> StoppedRun:
    """The run with the processors that should have ended the waits of some processors."""
    return replace(
        stopped,
        stands=tuple(replace(item, ender=enders.get(item.fiber, item.ender)) for item in stopped.stands),
    )


def _fiber(processor: Processor) -> int:
    return processor.core * len(ROLES) + processor.role


def _with_open_waits(record: Record, processors: Sequence[Processor], until: int) -> tuple[Record, list[int]]:
    """The record, with the waits that nothing ended extended to ``until``, and the line of each processor."""
    lines, numbers = list(record.lines), {line: number for number, line in enumerate(record.lines)}
    diaries, at = dict(record.diaries), []
    for processor in processors:
        line = Line(
            kernel=processor.kernel, role=ROLES[processor.role], file=processor.file, line=processor.line
        )
        if line not in numbers:
            numbers[line] = len(lines)
            lines.append(line)
        at.append(numbers[line])
        diary = diaries.get(_fiber(processor))
        if diary is not None and processor.waits:
            diaries[_fiber(processor)] = _waiting(diary, processor, numbers[line], until)
    return replace(record, lines=tuple(lines), diaries=diaries), at


def _waiting(diary: Diary, processor: Processor, line: int, until: int) -> Diary:
    what = {PAGES: processor.what, SPACE: processor.what, SEMAPHORE: processor.semaphore}
    span = np.zeros(1, diary.spans.dtype)
    span["begins"], span["ends"], span["line"] = diary.ended, until, line
    span["by"], span["reason"] = -1, processor.waits
    span["what"] = what.get(processor.waits, NOTHING_NAMED)
    return replace(diary, ended=until, spans=np.concatenate([diary.spans, span]))


def _needs(processor: Processor, program: Program) -> str:
    amount, now = processor.amount, processor.now
    match processor.waits:
        case waits if waits in (PAGES, SPACE):
            buffer = next((it for it in program.circular_buffers if it.index == processor.what), None)
            name = f"circular buffer {processor.what}" if buffer is None else buffer.name
            if waits == PAGES:
                return f"{counted(amount, 'page')} in {name}, where there {'is' if now == 1 else 'are'} {now}"
            of = "" if buffer is None else f" of {buffer.pages}"
            return f"room for {counted(amount, 'page')} in {name}, of which {now}{of} {'is' if now == 1 else 'are'} in use"
        case waits if waits == SEMAPHORE:
            name = semaphore_text(program, processor.semaphore)
            return f"{name} to be {wanted(amount, exact=processor.exact)}, and it is {now}"
        case waits if waits == LINK:
            return f"{counted(amount, 'free slot')} of link {processor.what} to another chip, of which {now} {'is' if now == 1 else 'are'} free"
        case waits:
            return INSIDE_WORDS.get(waits, "an event that does not happen").removeprefix("waits for ")


def _own_kernel(processor: Processor, processors: Sequence[Processor]) -> ExpectedSignaller | None:
    """The processor of the same compute kernel for which a processor waits."""
    role = INSIDE.get(processor.waits)
    fibers = tuple(
        _fiber(other) for other in processors if (other.core, other.role) == (processor.core, role)
    )
    return ExpectedSignaller(fibers=fibers) if fibers else None
