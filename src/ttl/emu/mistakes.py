"""Rules of the hardware that the emulated chip checks: code, words and way out of each.

The runtime names a rule by a word and gives up to five numbers (``native/emu/rules.cpp`` and the files beside it); the
messages are here.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePath
from types import MappingProxyType
from typing import Any

from ttl.diag import Diagnostic, ProgramError, error
from ttl.diag.words import counted
from ttl.emu.broken_rules import FailureFacts, RuleMessage, RuleWords, rule
from ttl.emu.chip import EmulatedChip
from ttl.emu.fabric_mistakes import FABRIC_RULES
from ttl.emu.functions import function_names
from ttl.emu.program import OURS, ROLES, ChipKernel, Program
from ttl.emu.standing import ResourceMap
from ttl.emu.stuck import ChipDeadlockError
from ttl.emu.unit_mistakes import UNIT_RULES
from ttl.rules.elements import failed_assertion
from ttl.rules.external import ANSWERED, ASSERTED, TOUCHED
from ttl.source.spans import user_span


def too_many_arguments(kernel: ChipKernel, given: int, chip: EmulatedChip) -> Diagnostic:
    """The error for a kernel with more run-time arguments than its core has room for."""
    return error(
        "TTL1503",
        f"kernel {kernel.name} is given {given} run-time arguments, and one on {chip.chip.name} has at most "
        f"{chip.chip.max_runtime_args}, its common ones included",
        help="put constant values into compile-time arguments, or numbers into a buffer",
    )


def told(kind: str, facts: FailureFacts) -> RuleMessage:
    """The words for a rule. A rule without an entry is reported by its name (TTL1503)."""
    words = _RULES.get(kind)
    if words is None:
        numbers = ", ".join(str(value) for value in facts.values)
        return RuleMessage(code="TTL1503", text=f"{kind} ({numbers}) {facts.text}".rstrip())
    return words(facts)


def _pages(count: int) -> str:
    return counted(count, "page")


def _order(text: Callable[[FailureFacts], str], help: str | None = None) -> RuleWords:
    return rule("TTL1506", text, help)


def _nowhere(does: str) -> RuleWords:
    return rule(
        "TTL1507",
        lambda f: (
            f"{does} {f.values[0]:#x}, which is not the beginning of a buffer, semaphore or shard of a tensor in its L1"
        ),
        "take addresses from get_read_ptr, get_write_ptr, get_semaphore, or ttl.raw_addr of a tensor in L1; data in DRAM is reached "
        "over the network: noc_async_read, noc_async_write",
    )


def _window(verb: str, need: str, way: str) -> RuleWords:
    def words(facts: FailureFacts) -> RuleMessage:
        index, page, _, core, *_ = facts.values
        return RuleMessage(
            code="TTL1507",
            text=f"{verb} page {page} of {facts.buffer(index)} on {facts.core(core)}, which {need}",
            help=way,
        )

    return words


_RESERVE = "reserve the page before it is written: cb_reserve_back"
_RULES: Mapping[str, RuleWords] = MappingProxyType(
    {
        "no-argument": rule(
            "TTL1503",
            lambda f: f"reads run-time argument {f.values[1]}, and has {counted(f.values[2], 'argument')}",
        ),
        "no-semaphore": rule(
            "TTL1503", lambda f: f"uses semaphore {f.values[0]}, and there are 16 of them, from 0 on"
        ),
        "no-buffer": rule(
            "TTL1503", lambda f: f"uses circular buffer {f.values[0]}, which this core does not have"
        ),
        "no-bank": rule(
            "TTL1503", lambda f: f"uses bank {f.values[0]}, and there are {f.values[1]}, from 0 on"
        ),
        "assert": rule("TTL1503", lambda f: f"an assertion failed: {f.text}"),
        # --- pages of circular buffers
        "push-not-reserved": _order(
            lambda f: (
                f"pushes {_pages(f.values[1])} of {f.buffer(f.values[0])}, of which it has reserved {f.values[2]}"
            ),
            "reserve what is pushed: cb_reserve_back",
        ),
        "pop-not-waited": _order(
            lambda f: (
                f"pops {_pages(f.values[1])} of {f.buffer(f.values[0])}, of which it has waited for {f.values[2]}"
            ),
            "wait for pages before they are popped: cb_wait_front",
        ),
        "reserve-too-many": _order(
            lambda f: f"reserves {_pages(f.values[1])} of {f.buffer(f.values[0])}, which has {f.values[2]}"
        ),
        "wait-too-many": _order(
            lambda f: f"waits for {_pages(f.values[1])} of {f.buffer(f.values[0])}, which has {f.values[2]}"
        ),
        "buffer-crosses-end": _order(
            lambda f: (
                f"takes {_pages(f.values[1])} across the end of {f.buffer(f.values[0])}, which has {f.values[2]}"
            ),
            "the pages of a buffer must be a multiple of the pages that are pushed and popped at a time",
        ),
        "tile-not-waited": _order(
            lambda f: (
                f"computes with tile {f.values[1]} of {f.buffer(f.values[0])}, and has waited for {_pages(f.values[2])}"
            ),
            "wait for the tile: cb_wait_front",
        ),
        "pack-not-reserved": _order(
            lambda f: (
                f"packs tile {f.values[1]} of {f.buffer(f.values[0])}, and has reserved {_pages(f.values[2])}"
            ),
            "reserve the tile: cb_reserve_back",
        ),
        "two-producers": _order(
            lambda f: f"pushes into {f.buffer(f.values[0])}, which another processor has pushed into before",
            "only one processor may fill a buffer, because each has its own pointer to the next page",
        ),
        "two-consumers": _order(
            lambda f: f"pops pages of {f.buffer(f.values[0])}, which another processor has popped before",
            "only one processor may empty a buffer, because each has its own pointer to the next page",
        ),
        "push-not-packed": rule(
            "TTL1508",
            lambda f: f"pushes page {f.values[1]} of {f.buffer(f.values[0])}, into which nothing was packed",
        ),
        "pop-not-read": rule(
            "TTL1508", lambda f: f"pops {_pages(f.values[1])} of {f.buffer(f.values[0])} that were not read"
        ),
        "pages-left": rule(
            "TTL1508",
            lambda f: (
                f"has pushed {_pages(f.values[1])} of {f.buffer(f.values[0])} that were not popped when all kernels have ended"
            ),
        ),
        # --- memory
        "read-into-page": _window("reads into", "it has neither reserved nor waited for", _RESERVE),
        "store-into-page": _window("stores to", "it has neither reserved nor waited for", _RESERVE),
        "write-into-page": _window(
            "writes to",
            "is not reserved there",
            "let the receiver reserve the page and signal it with a semaphore before the page is sent",
        ),
        "write-from-page": _window(
            "sends",
            "it has neither waited for nor reserved",
            "wait for the page before it is read: cb_wait_front",
        ),
        "load-from-page": _window(
            "loads from",
            "it has neither waited for nor reserved",
            "wait for the page before it is read: cb_wait_front",
        ),
        "foreign-memory": rule(
            "TTL1507",
            lambda f: f"uses memory of {f.core(f.values[1])} as if it were its own, at {f.values[0]:#x}",
            "memory of another core is reached over the network: noc_async_read, noc_async_write",
        ),
        "load-nowhere": _nowhere("loads from"),
        "store-nowhere": _nowhere("stores to"),
        "reserved-memory": rule(
            "TTL1507",
            lambda f: (
                f"writes to {f.values[0]:#x} on {f.core(f.values[2])}, and the first {f.values[1]:,} bytes of an L1 belong "
                "to the firmware"
            ),
            "addresses come from get_write_ptr, get_read_ptr, get_semaphore, or the address of a tensor",
        ),
        # --- barriers
        "push-before-barrier": rule(
            "TTL1509",
            lambda f: (
                f"pushes {_pages(f.values[1])} of {f.buffer(f.values[0])} into which a read is still under way"
            ),
            "wait for the read first: noc_async_read_barrier",
        ),
        "pop-before-flush": rule(
            "TTL1509",
            lambda f: (
                f"pops {_pages(f.values[1])} of {f.buffer(f.values[0])} from which a write is still under way"
            ),
            "make sure that it has left: noc_async_writes_flushed, or noc_async_write_barrier",
        ),
        "load-before-barrier": rule(
            "TTL1509",
            lambda f: f"loads from {f.values[0]:#x}, into which a read is still under way",
            "wait for the read first: noc_async_read_barrier",
        ),
        "store-before-barrier": rule(
            "TTL1509",
            lambda f: f"stores to {f.values[0]:#x}, into which a read is still under way",
            "wait for the read first: noc_async_read_barrier",
        ),
        "exit-reads": rule(
            "TTL1510",
            lambda f: (
                f"ends while {counted(f.values[0], 'read')} of it is under way"
                if f.values[0] == 1
                else f"ends while {f.values[0]} reads of it are under way"
            ),
            "end with noc_async_read_barrier()",
        ),
        "exit-writes": rule(
            "TTL1510",
            lambda f: f"ends before {counted(f.values[0], 'write')} of it must have left",
            "end with noc_async_write_barrier()",
        ),
        "exit-unacknowledged": rule(
            "TTL1510",
            lambda f: "ends before its writes must have arrived",
            "end with noc_async_write_barrier(): a flush only makes sure that they have left",
        ),
        "exit-atomics": rule(
            "TTL1510",
            lambda f: "ends before its increments of semaphores must have arrived",
            "end with noc_async_atomic_barrier()",
        ),
        # --- addresses
        "read-misaligned": rule(
            "TTL1515",
            lambda f: f"reads from {f.values[0]:#x} to {f.values[1]:#x}, which differ modulo {f.values[2]}",
            "both ends of a transfer have the same place within a unit of the memory",
        ),
        "write-misaligned": rule(
            "TTL1515",
            lambda f: f"writes from {f.values[1]:#x} to {f.values[0]:#x}, which differ modulo {f.values[2]}",
            "both ends of a transfer have the same place within a unit of the memory",
        ),
        "l1-bounds": rule(
            "TTL1516",
            lambda f: (
                f"uses {counted(f.values[3], 'byte')} from {f.values[2]:#x} on of the L1 at ({f.values[0]}, {f.values[1]}), "
                f"which ends at {f.values[4]:#x}"
            ),
        ),
        "dram-bounds": rule(
            "TTL1516",
            lambda f: (
                f"uses {counted(f.values[2], 'byte')} from {f.values[1]:#x} on of DRAM bank {f.values[0]}, which ends at {f.values[3]:#x}"
            ),
        ),
        "no-node": rule(
            "TTL1516",
            lambda f: f"addresses ({f.values[0]}, {f.values[1]}) in the network, where no core or memory is",
            "addresses have coordinates of the network, not of the grid",
        ),
        "semaphore-in-dram": rule("TTL1516", lambda f: "changes a semaphore in DRAM; semaphores are in L1"),
        "rectangle-reversed": rule(
            "TTL1516",
            lambda f: (
                f"sends to the rectangle from ({f.values[0]}, {f.values[1]}) to ({f.values[2]}, {f.values[3]}), whose corners "
                f"are in the wrong order for NoC {f.values[4]}"
            ),
            "NoC 0 takes the corner with the smaller coordinates first, NoC 1 the other one",
        ),
        "receivers": rule(
            "TTL1516",
            lambda f: f"sends to {counted(f.values[0], 'receiver')}, and the rectangle has {f.values[1]}",
        ),
        **UNIT_RULES,
        **FABRIC_RULES,
    }
)


def explain(failure: Any, fibers: Sequence[Any], program: Program, chip: EmulatedChip) -> ProgramError:
    """The error of a run that failed."""
    kind, core, role, file, line, clock, values, text, library, instruction = failure
    if kind == "deadlock":
        return ChipDeadlockError(ResourceMap(program, chip))
    number = next((fiber[2] for fiber in fibers if fiber[0] == core and fiber[1] == role), 0)
    kernel = program.kernels[number]
    file, line = _instruction(library, instruction) or (file, line)
    place = f"at {file}:{line}, on {chip.name(core)}, {ROLES[role]}, cycle {clock:,}"
    told_by_program = failed_assertion(text) if kind == "assert" else None
    if told_by_program is not None:
        noted = told_by_program.noting(f"in kernel {kernel.name}", place)
        return ProgramError(noted.at(kernel.span(line) or user_span()))
    names = {
        buffer.index: buffer.name or f"circular buffer {buffer.index}" for buffer in program.circular_buffers
    }

    result = told(
        kind,
        FailureFacts(
            values=tuple(values),
            text=text,
            buffer=lambda index: names.get(index, f"circular buffer {index}"),
            core=chip.name,
            chip=chip.chip_name,
            function=lambda code: function_names().get(code, "nothing"),
        ),
    )
    theirs = result.text.endswith((ASSERTED, ANSWERED, TOUCHED))
    diagnostic = error(
        "TTL1521" if theirs else result.code,
        f"kernel {kernel.name} {result.text}",
        notes=(place, *(() if theirs else _ours(kernel))),
        help=result.help or (),
    )
    return ProgramError(diagnostic.at(kernel.span(line) or user_span()))


def _ours(kernel: ChipKernel) -> tuple[str, ...]:
    """Return the note for kernels that the compiler wrote: a broken rule there is a bug of the compiler."""
    if not kernel.lines:
        return ()
    return (OURS,)


def _instruction(library: str, instruction: int) -> tuple[str, int] | None:
    """The line of an instruction of a kernel's shared object, from its debug information; None if it is not known."""
    tool = shutil.which("addr2line")
    if not library or tool is None:
        return None
    done = subprocess.run(
        [tool, "-e", library, hex(instruction)], capture_output=True, text=True, check=False
    )
    file, _, line = done.stdout.strip().split(" ")[0].rpartition(":")
    return (PurePath(file).name, int(line)) if line.isdecimal() and int(line) else None
