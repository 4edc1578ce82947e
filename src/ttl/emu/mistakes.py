"""Rules of the hardware that the emulated chip watches over: code, words and way out of each.

The runtime names a rule by a word and gives up to five numbers (``native/emu/rules.cpp`` and the files beside it);
what is to be said about them is here.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from types import MappingProxyType
from typing import Any

from ttl.diag import Diagnostic, ProgramError, error
from ttl.diag.words import counted
from ttl.emu.chip import EmulatedChip
from ttl.emu.fabric_mistakes import FABRIC_RULES
from ttl.emu.functions import function_names
from ttl.emu.program import FORMATS, ROLES, ChipKernel, Program
from ttl.emu.standing import ResourceMap
from ttl.emu.stuck import ChipDeadlockError
from ttl.rules.elements import failed_assertion
from ttl.rules.external import ANSWERED, ASSERTED, TOUCHED
from ttl.source.spans import user_span

_FORMAT_NAMES: Mapping[int, str] = MappingProxyType({code: name for name, code in FORMATS.items()})
_BINARY = ("add", "sub", "mul")
_BROADCAST = ("no", "column", "row", "scalar")
_POOL = ("sum", "average", "max", "min")
_ALONG = ("rows", "columns", "both")
_WRITE_WHOLE = (
    "pack a reduction before reduce_uninit, which makes the packer keep its result only, or write the whole register first: "
    "fill_tile(index, 0.0f)"
)
_ORDERED = (
    "call unary_bcast_uninit and reduce_uninit<true> once, when nothing follows that needs the bit; or let the unpacker wait for a "
    "page that the packer pushes after them"
)
# Bits that more than one processor writes, in the order of ``SharedName`` (native/emu/machine.h).
_SHARED = ("bit 11 of RISCV_DEBUG_REG_DBG_FEATURE_DISABLE", "ALU_ACC_CTRL_Zero_Flag_disabled_src")
_STRAIGHT = " straight to DST"
_PROCESSORS = ("unpacker", "mathematics", "packer")
_UNITS: Mapping[int, Callable[[int], str]] = MappingProxyType(
    {
        0: lambda detail: "nothing",
        1: lambda detail: f"{_BINARY[detail]} of two tiles",
        2: lambda detail: (
            f"{'transposed ' if detail >> 2 else ''}copies" + ("", " of uint16", _STRAIGHT, "")[detail & 3]
        ),
        3: lambda detail: (
            f"matrix products, {detail >> 6 & 63} x {detail & 63} tiles at a time with {counted(detail >> 13, 'tile')} in a row"
            + (", the right one transposed" if detail >> 12 & 1 else "")
        ),
        4: lambda detail: f"{_BINARY[detail >> 8]} with a {_BROADCAST[detail & 255]} broadcast",
        5: lambda detail: f"a {_BROADCAST[detail & 255]} broadcast{_STRAIGHT if detail >> 8 else ''}",
        6: lambda detail: (
            f"a {_POOL[detail >> 8 & 255]} reduction along {_ALONG[detail & 255]}"
            + (", accumulated in float32" if detail >> 16 else "")
        ),
        8: lambda detail: ("transpositions", "a transposition of DST", f"transpositions{_STRAIGHT}")[detail],
        18: lambda detail: f"tiles out of rows of {detail} tiles",
        20: lambda detail: "rows out of tiles",
        9: lambda detail: f"{_BINARY[detail >> 8]} with what is in DST",
    }
)


@dataclass(frozen=True, kw_only=True, slots=True)
class RuleMessage:
    """A broken rule in words."""

    code: str
    text: str
    help: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class FailureFacts:
    """The facts about one failure: its numbers, and functions that name the objects behind them."""

    values: tuple[int, ...]
    text: str
    buffer: Callable[[int], str]
    core: Callable[[int], str]
    function: Callable[[int], str]
    chip: Callable[[int], str]


def too_many_arguments(kernel: ChipKernel, given: int, chip: EmulatedChip) -> Diagnostic:
    """A kernel with more run-time arguments than its core has room for."""
    return error(
        "TTL1503",
        f"kernel {kernel.name} is given {given} run-time arguments, and one on {chip.chip.name} has at most "
        f"{chip.chip.max_runtime_args}, its common ones included",
        help="put constant values into compile-time arguments, or numbers into a buffer",
    )


def told(kind: str, facts: FailureFacts) -> RuleMessage:
    """The words for a rule. A rule without an entry is reported by its name (TTL1503)."""
    result, fabric = _RULES.get(kind), FABRIC_RULES.get(kind)
    if fabric is not None:
        text = fabric.text(facts.values, facts.chip, facts.core)
        return RuleMessage(code=fabric.code, text=text, help=fabric.help or None)
    if result is None:
        numbers = ", ".join(str(value) for value in facts.values)
        return RuleMessage(code="TTL1503", text=f"{kind} ({numbers}) {facts.text}".rstrip())
    return result(facts)


def _pages(count: int) -> str:
    return counted(count, "page")


def _format(code: int) -> str:
    return _FORMAT_NAMES.get(code, "nothing")


def _unit(kind: int, detail: int) -> str:
    words = _UNITS.get(kind)
    return "something else" if words is None else words(detail)


def _in_line(line: int) -> str:
    return f" in line {line}" if line else ""


def _order(
    text: Callable[[FailureFacts], str], help: str | None = None
) -> Callable[[FailureFacts], RuleMessage]:
    return lambda facts: RuleMessage(code="TTL1506", text=text(facts), help=help)


def _rule(
    code: str, text: Callable[[FailureFacts], str], help: str | None = None
) -> Callable[[FailureFacts], RuleMessage]:
    return lambda facts: RuleMessage(code=code, text=text(facts), help=help)


def _nowhere(does: str) -> Callable[[FailureFacts], RuleMessage]:
    return _rule(
        "TTL1507",
        lambda f: (
            f"{does} {f.values[0]:#x}, which is not the beginning of a buffer, semaphore or shard of a tensor in its L1"
        ),
        "take addresses from get_read_ptr, get_write_ptr, get_semaphore, or ttl.raw_addr of a tensor in L1; data in DRAM is reached "
        "over the network: noc_async_read, noc_async_write",
    )


def _window(verb: str, need: str, way: str) -> Callable[[FailureFacts], RuleMessage]:
    def words(facts: FailureFacts) -> RuleMessage:
        index, page, _, core, *_ = facts.values
        return RuleMessage(
            code="TTL1507",
            text=f"{verb} page {page} of {facts.buffer(index)} on {facts.core(core)}, which {need}",
            help=way,
        )

    return words


def _setup(unit: str) -> Callable[[FailureFacts], RuleMessage]:
    def words(facts: FailureFacts) -> RuleMessage:
        wanted, detail, kind, latest, line, *_ = facts.values
        return RuleMessage(
            code="TTL1513",
            text=f"needs {unit} set up for {_unit(wanted, detail)}, and it was last set up for {_unit(kind, latest)}{_in_line(line)}",
            help="call the init of the function before it",
        )

    return words


_RESERVE = "reserve the page before it is written: cb_reserve_back"
_RULES: Mapping[str, Callable[[FailureFacts], RuleMessage]] = MappingProxyType(
    {
        "no-argument": _rule(
            "TTL1503",
            lambda f: f"reads run-time argument {f.values[1]}, and has {counted(f.values[2], 'argument')}",
        ),
        "no-semaphore": _rule(
            "TTL1503", lambda f: f"uses semaphore {f.values[0]}, and there are 16 of them, from 0 on"
        ),
        "no-buffer": _rule(
            "TTL1503", lambda f: f"uses circular buffer {f.values[0]}, which this core does not have"
        ),
        "no-bank": _rule(
            "TTL1503", lambda f: f"uses bank {f.values[0]}, and there are {f.values[1]}, from 0 on"
        ),
        "assert": _rule("TTL1503", lambda f: f"an assertion failed: {f.text}"),
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
        "push-not-packed": _rule(
            "TTL1508",
            lambda f: f"pushes page {f.values[1]} of {f.buffer(f.values[0])}, into which nothing was packed",
        ),
        "pop-not-read": _rule(
            "TTL1508", lambda f: f"pops {_pages(f.values[1])} of {f.buffer(f.values[0])} that were not read"
        ),
        "pages-left": _rule(
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
        "foreign-memory": _rule(
            "TTL1507",
            lambda f: f"uses memory of {f.core(f.values[1])} as if it were its own, at {f.values[0]:#x}",
            "memory of another core is reached over the network: noc_async_read, noc_async_write",
        ),
        "load-nowhere": _nowhere("loads from"),
        "store-nowhere": _nowhere("stores to"),
        "reserved-memory": _rule(
            "TTL1507",
            lambda f: (
                f"writes to {f.values[0]:#x} on {f.core(f.values[2])}, and the first {f.values[1]:,} bytes of an L1 belong "
                "to the firmware"
            ),
            "addresses come from get_write_ptr, get_read_ptr, get_semaphore, or the address of a tensor",
        ),
        # --- barriers
        "push-before-barrier": _rule(
            "TTL1509",
            lambda f: (
                f"pushes {_pages(f.values[1])} of {f.buffer(f.values[0])} into which a read is still under way"
            ),
            "wait for the read first: noc_async_read_barrier",
        ),
        "pop-before-flush": _rule(
            "TTL1509",
            lambda f: (
                f"pops {_pages(f.values[1])} of {f.buffer(f.values[0])} from which a write is still under way"
            ),
            "make sure that it has left: noc_async_writes_flushed, or noc_async_write_barrier",
        ),
        "load-before-barrier": _rule(
            "TTL1509",
            lambda f: f"loads from {f.values[0]:#x}, into which a read is still under way",
            "wait for the read first: noc_async_read_barrier",
        ),
        "store-before-barrier": _rule(
            "TTL1509",
            lambda f: f"stores to {f.values[0]:#x}, into which a read is still under way",
            "wait for the read first: noc_async_read_barrier",
        ),
        "exit-reads": _rule(
            "TTL1510",
            lambda f: (
                f"ends while {counted(f.values[0], 'read')} of it is under way"
                if f.values[0] == 1
                else f"ends while {f.values[0]} reads of it are under way"
            ),
            "end with noc_async_read_barrier()",
        ),
        "exit-writes": _rule(
            "TTL1510",
            lambda f: f"ends before {counted(f.values[0], 'write')} of it must have left",
            "end with noc_async_write_barrier()",
        ),
        "exit-unacknowledged": _rule(
            "TTL1510",
            lambda f: "ends before its writes must have arrived",
            "end with noc_async_write_barrier(): a flush only makes sure that they have left",
        ),
        "exit-atomics": _rule(
            "TTL1510",
            lambda f: "ends before its increments of semaphores must have arrived",
            "end with noc_async_atomic_barrier()",
        ),
        # --- DST
        "acquired-twice": _rule("TTL1511", lambda f: "acquires DST twice", "commit first: tile_regs_commit"),
        "waited-twice": _rule("TTL1511", lambda f: "waits for DST twice", "release first: tile_regs_release"),
        "commit-not-acquired": _rule("TTL1511", lambda f: "commits DST, which it has not acquired"),
        "release-not-waited": _rule("TTL1511", lambda f: "releases DST, which it has not waited for"),
        "math-before-acquire": _rule(
            "TTL1511", lambda f: "computes in DST, which it has not acquired", "acquire it: tile_regs_acquire"
        ),
        "pack-before-wait": _rule(
            "TTL1511", lambda f: "packs from DST, which it has not waited for", "wait for it: tile_regs_wait"
        ),
        "exit-acquired": _rule("TTL1511", lambda f: "ends with DST acquired", "commit it: tile_regs_commit"),
        "exit-waited": _rule(
            "TTL1511", lambda f: "ends without releasing DST", "release it: tile_regs_release"
        ),
        "exit-committed": _rule("TTL1511", lambda f: "ends with results in DST that were not packed"),
        "pack-nothing": _rule(
            "TTL1511", lambda f: f"packs tile {f.values[0]} of DST, into which nothing was computed"
        ),
        "register-unwritten": _rule(
            "TTL1517",
            lambda f: (
                f"computes on the vector unit with tile {f.values[0]} of DST, into which nothing was written since it was "
                "acquired"
                + (": its odd columns become what an earlier program left there" if f.values[1] else "")
            ),
            "write the register first: fill_tile(index, 0.0f), or copy_tile",
        ),
        "pack-undefined": _rule(
            "TTL1517",
            lambda f: (
                f"packs tile {f.values[0]} of DST into {f.buffer(f.values[1])}, which is a tensor's, with rows that the "
                f"vector unit computed, in line {f.values[2]}, from rows into which nothing was written since DST was acquired"
            ),
            _WRITE_WHOLE,
        ),
        "write-undefined": _rule(
            "TTL1517",
            lambda f: (
                f"writes a tile of {f.buffer(f.values[1])} to a tensor with undefined elements: the compute kernel "
                f"packed it in line {f.values[3]} from tile {f.values[0]} of DST, with rows that the vector unit computed, in "
                f"line {f.values[2]}, from rows into which nothing was written since DST was acquired"
            ),
            _WRITE_WHOLE,
        ),
        "dst-overflow": _rule(
            "TTL1512",
            lambda f: (
                f"uses tile {f.values[0]} of DST, which has {f.values[1]} tiles of {32 if f.values[2] else 16} bits here"
            ),
            "compute fewer tiles at a time",
        ),
        # --- units
        "not-started": _rule(
            "TTL1513",
            lambda f: "uses the compute units before they are started",
            "begin with compute_kernel_hw_startup",
        ),
        "unit-setup": _setup("the matrix unit"),
        "unpacker-setup": _setup("the unpacker"),
        "unpacker-part": _rule(
            "TTL1513",
            lambda f: (
                f"unpacks a tile of {f.buffer(f.values[0])} into source register B face by face, and the unpacker was last set up "
                f"{('', 'for the first row of each', 'for whole tiles')[f.values[1]]}{_in_line(f.values[2])}: in 0.69 "
                "binary_dest_reuse_tiles_init<..., DEST_TO_SRCA> does not change that"
            ),
            "set it up after the init: UNPACK((llk_unpack_A_uninit<BroadcastType::ROW>(buffer)))",
        ),
        "vector-setup": _rule(
            "TTL1513",
            lambda f: (
                f"calls {f.function(f.values[0])}, and the vector unit was last set up by "
                f"{f.function(f.values[1])}{_in_line(f.values[2])}"
            ),
            "call the init of the function before it",
        ),
        "register-offset": _rule(
            "TTL1519",
            lambda f: (
                f"repeats what the unpacker puts into tile {f.values[0]} of DST, and the mathematics addresses tile {f.values[1]}"
                f"{_in_line(f.values[2])}: in 0.69 unary_bcast of 32 bits does not change that"
            ),
            "address the tile first: MATH((math::set_dst_write_addr<DstTileShape::Tile32x32, UnpackDestination::SrcRegs>(tile)))",
        ),
        "unordered-bit": _rule(
            "TTL1519",
            lambda f: (
                f"{('clears', 'sets', 'relies on')[f.values[0]]} {_SHARED[f.values[4]]}, which the "
                f"{_PROCESSORS[f.values[1]]} {'sets' if f.values[2] else 'clears'}{_in_line(f.values[3])}, and their order is not "
                "defined"
            ),
            _ORDERED,
        ),
        "bit-cleared": _rule(
            "TTL1519",
            lambda f: (
                f"moves values of 32 bits without {_SHARED[f.values[2]]}, which the "
                f"{_PROCESSORS[f.values[0]]} cleared{_in_line(f.values[1])}"
            ),
            _ORDERED,
        ),
        "subnormal": _rule(
            "TTL1519",
            lambda f: (
                "computes with a number that is not normal (below 1.2e-38), which is zero unless ALU_ACC_CTRL_Zero_Flag_disabled_src "
                f"is set: in 0.69 the reduce_init with enforce_fp32_accumulation{_in_line(f.values[0])} sets it, and nothing clears it"
            ),
            "reduce without enforce_fp32_accumulation in a kernel that computes with such numbers, or write zeros in their place",
        ),
        "packer-reduces": _rule(
            "TTL1513",
            lambda f: (
                f"packs into {f.buffer(f.values[0])} values that are not a reduction, but the packer is set up for one: it leaves "
                "only the first row or column"
            ),
            "call reduce_uninit() when the results of a reduction are packed",
        ),
        "unpacker-rearranges": _rule(
            "TTL1513",
            lambda f: (
                f"unpacks a tile of {f.buffer(f.values[0])}, and the unpacker is set up to make "
                f"{'tiles out of rows' if f.values[1] == 1 else 'rows out of tiles'}"
            ),
            "end it with tilize_uninit() or untilize_uninit()",
        ),
        "packer-rearranges": _rule(
            "TTL1513",
            lambda f: (
                f"packs a tile into {f.buffer(f.values[0])}, and the packer is set up to make rows out of tiles"
            ),
            "end it with pack_untilize_uninit()",
        ),
        "packer-keeps-tiles": _rule(
            "TTL1513",
            lambda f: f"packs rows into {f.buffer(f.values[0])}, and the packer is set up for tiles",
            "begin with pack_untilize_init() or pack_untilize_dest_init()",
        ),
        "packer-width": _rule(
            "TTL1513",
            lambda f: (
                f"packs {f.values[0]} of {counted(f.values[1], 'tile')} side by side, and the packer was set up for "
                f"{f.values[2]} of {f.values[3]}"
            ),
            "give pack_untilize_init() the same widths",
        ),
        "source-format": _rule(
            "TTL1514",
            lambda f: (
                f"unpacks {f.buffer(f.values[0])}, of {_format(f.values[1])}, into source register {'AB'[f.values[3]]}, "
                f"which is set up for {_format(f.values[2])}{_in_line(f.values[4])}"
            ),
            "set it up again: reconfig_data_format",
        ),
        "math-format": _rule(
            "TTL1514",
            lambda f: (
                f"computes with {_format(f.values[0])} in source register {'AB'[f.values[2]]}, and the mathematics is set up for "
                f"{_format(f.values[1])}{_in_line(f.values[3])}"
            ),
            "set up the unpacker and the mathematics again: reconfig_data_format",
        ),
        "integer-mode": _rule(
            "TTL1514",
            lambda f: (
                f"computes with {_format(f.values[0])}, and the matrix unit was set up for integers{_in_line(f.values[1])}: it "
                "takes the bits of floats for integers"
            ),
            "begin with buffers of floats in compute_kernel_hw_startup, or change over: reconfig_data_format<true>",
        ),
        "packer-format": _rule(
            "TTL1514",
            lambda f: (
                f"packs into {f.buffer(f.values[0])}, of {_format(f.values[1])}, and the packer is set up for "
                f"{_format(f.values[2])}{_in_line(f.values[3])}"
            ),
            "set it up again: pack_reconfig_data_format",
        ),
        # --- addresses
        "read-misaligned": _rule(
            "TTL1515",
            lambda f: f"reads from {f.values[0]:#x} to {f.values[1]:#x}, which differ modulo {f.values[2]}",
            "both ends of a transfer have the same place within a unit of the memory",
        ),
        "write-misaligned": _rule(
            "TTL1515",
            lambda f: f"writes from {f.values[1]:#x} to {f.values[0]:#x}, which differ modulo {f.values[2]}",
            "both ends of a transfer have the same place within a unit of the memory",
        ),
        "l1-bounds": _rule(
            "TTL1516",
            lambda f: (
                f"uses {counted(f.values[3], 'byte')} from {f.values[2]:#x} on of the L1 at ({f.values[0]}, {f.values[1]}), "
                f"which ends at {f.values[4]:#x}"
            ),
        ),
        "dram-bounds": _rule(
            "TTL1516",
            lambda f: (
                f"uses {counted(f.values[2], 'byte')} from {f.values[1]:#x} on of DRAM bank {f.values[0]}, which ends at {f.values[3]:#x}"
            ),
        ),
        "no-node": _rule(
            "TTL1516",
            lambda f: f"addresses ({f.values[0]}, {f.values[1]}) in the network, where no core or memory is",
            "addresses have coordinates of the network, not of the grid",
        ),
        "semaphore-in-dram": _rule("TTL1516", lambda f: "changes a semaphore in DRAM; semaphores are in L1"),
        "rectangle-reversed": _rule(
            "TTL1516",
            lambda f: (
                f"sends to the rectangle from ({f.values[0]}, {f.values[1]}) to ({f.values[2]}, {f.values[3]}), whose corners "
                f"are in the wrong order for NoC {f.values[4]}"
            ),
            "NoC 0 takes the corner with the smaller coordinates first, NoC 1 the other one",
        ),
        "receivers": _rule(
            "TTL1516",
            lambda f: f"sends to {counted(f.values[0], 'receiver')}, and the rectangle has {f.values[1]}",
        ),
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
    return ("the compiler of this package wrote this kernel: please report it",)


def _instruction(library: str, instruction: int) -> tuple[str, int] | None:
    """The line of an instruction of a kernel's shared object, which its debug information has."""
    tool = shutil.which("addr2line")
    if not library or tool is None:
        return None
    done = subprocess.run(
        [tool, "-e", library, hex(instruction)], capture_output=True, text=True, check=False
    )
    file, _, line = done.stdout.strip().split(" ")[0].rpartition(":")
    return (PurePath(file).name, int(line)) if line.isdecimal() and int(line) else None
