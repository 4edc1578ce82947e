"""The wait of a processor in a dump: from its call stack, its waypoint, and the text of its kernel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from types import MappingProxyType

from ttl.emu.standing import RUNS, TRANSFERS
from ttl.hang.dump_content import DumpedFrame, DumpedRisc
from ttl.hang.kernel_text import KernelCalls, WaitCall
from ttl.sim.diaries import DST, MATH, OPERAND, PAGES, POLL, SEMAPHORE, SOURCE, SPACE

ENDED = -1
"""A kind besides the reasons of waits: the processor's kernel has ended."""
_FUNCTIONS: Mapping[str, int] = MappingProxyType(
    {
        "cb_wait_front": PAGES, "llk_wait_tiles": PAGES, "wait_front": PAGES,
        "cb_reserve_back": SPACE, "llk_wait_for_free_tiles": SPACE, "reserve_back": SPACE,
        "noc_semaphore_wait": SEMAPHORE, "noc_semaphore_wait_min": SEMAPHORE,
        "wait_for_next_context": SOURCE, "tile_regs_acquire": DST, "llk_math_wait_for_dest_available": DST,
        "tile_regs_wait": MATH, "llk_packer_wait_for_math_done": MATH,
        "noc_async_read_barrier": TRANSFERS, "noc_async_write_barrier": TRANSFERS, "noc_async_writes_flushed": TRANSFERS,
        "noc_async_atomic_barrier": TRANSFERS, "noc_async_full_barrier": TRANSFERS,
        "noc_async_read_barrier_with_trid": TRANSFERS, "noc_async_write_barrier_with_trid": TRANSFERS,
    }
)  # fmt: skip
_WAYPOINTS: Mapping[str, int] = MappingProxyType(
    {
        "CWFW": PAGES, "CRBW": SPACE, "NSW": SEMAPHORE, "NSMW": SEMAPHORE,
        "NRBW": TRANSFERS, "NWBW": TRANSFERS, "NWFW": TRANSFERS, "NABW": TRANSFERS, "NBTW": TRANSFERS, "NFTW": TRANSFERS, "NWTW": TRANSFERS,
        # Of the firmware: nothing to run, all done, the first processor waits for the others, nothing was begun.
        "W": ENDED, "D": ENDED, "NTW": ENDED, "GW": ENDED, "I": ENDED, "GD": ENDED, "KD": ENDED, "NTD": ENDED, "X": ENDED,
    }
)  # fmt: skip
_MAIN = "kernel_main"
# The names of buffers, pages and values where a tool shows variables.
_BUFFER_NAMES = ("cb_id", "operand", "cbid", "cb", "output", "icb", "ocb")
_PAGE_NAMES = ("num_pages", "num_tiles")
_VALUE_NAMES = ("val", "value")


@dataclass(frozen=True, kw_only=True, slots=True)
class ObservedWait:
    """The activity of a processor.

    ``kind`` is a reason of ``ttl.sim.diaries`` or ``ttl.emu.standing``, ``ENDED``, or -1 where it is not known.
    """

    risc: DumpedRisc
    kind: int
    what: int = -1
    amount: int = -1
    exact: bool = False
    file: str = ""
    line: int = 0
    address: int = -1
    """The address of a semaphore, if a tool shows it."""

    @property
    def ended(self) -> bool:
        """Whether the processor's kernel has ended."""
        return self.kind == ENDED


def seen_wait(risc: DumpedRisc, text: KernelCalls | None, file: str) -> ObservedWait:
    """Return the wait of a processor. ``text`` is that of its kernel, from a file called ``file``, where they are known."""
    frame = kernel_frame(risc.frames, file)
    kind = _kind(risc, frame)
    line = 0 if frame is None else frame.line
    values = risc.values
    call = _call(kind, text, line)
    what = _first(values, _BUFFER_NAMES) if kind in (PAGES, SPACE) else -1
    amount = _first(values, _PAGE_NAMES if kind in (PAGES, SPACE) else _VALUE_NAMES)
    exact = any(one.function == "noc_semaphore_wait" for one in risc.frames) or risc.waypoint == "NSW"
    return ObservedWait(
        risc=risc,
        kind=kind,
        what=what if what >= 0 or call is None else call.what,
        amount=amount if amount >= 0 or call is None else call.amount,
        exact=exact if call is None else call.exact,
        file=file or (PurePath(frame.file).name if frame is not None else ""),
        line=line or (0 if call is None else call.line),
        address=values.get("sem_addr", -1) if kind == SEMAPHORE else -1,
    )


def kernel_frame(frames: Sequence[DumpedFrame], file: str) -> DumpedFrame | None:
    """The innermost frame in the text of the kernel: in its file, else in its main function."""
    of_file = (frame for frame in frames if file and PurePath(frame.file).name == file and frame.line)
    mains = (frame for frame in frames if frame.function.partition("<")[0] == _MAIN and frame.line)
    return next(of_file, None) or next(mains, None)


def _plain(function: str) -> str:
    """The name of a function without its namespace, its arguments and its template arguments."""
    return function.partition("<")[0].partition("(")[0].rpartition("::")[2].strip()


def _kind(risc: DumpedRisc, frame: DumpedFrame | None) -> int:
    inside = any(_plain(one.function) == _MAIN for one in risc.frames) or frame is not None
    for one in risc.frames:
        name = _plain(one.function)
        if name in _FUNCTIONS:
            return _FUNCTIONS[name]
    kind = _WAYPOINTS.get(risc.waypoint, RUNS)
    if kind == ENDED and inside:
        kind = RUNS
    if kind != RUNS or not inside:
        return kind
    # In its kernel, but in no function that waits: a data movement processor polls; a compute processor is held up by
    # the hardware.
    return {2: SOURCE, 3: OPERAND, 4: MATH}.get(risc.role, POLL)


def _call(kind: int, text: KernelCalls | None, line: int) -> WaitCall | None:
    """The call of the kernel that waits: that of the line, or the only one of its kind."""
    if text is None or kind not in (PAGES, SPACE, SEMAPHORE):
        return None
    if line:
        at = text.wait_at(line)
        return at if at is None or at.kind == kind else None
    calls = [call for call in text.waits() if call.kind == kind]
    return calls[0] if len(calls) == 1 else None


def _first(values: Mapping[str, int], names: Sequence[str]) -> int:
    return next((values[name] for name in names if name in values), -1)
