"""The kernels of reviewed programs beside what a kernel engineer would have needed: counts of both."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from support.compiled import emitted_file
from support.golden import PROGRAMS
from support.kernel_counts import barriers_per_block, compute_counts
from support.kernel_text import read, walk
from ttl.arch import chip_named
from ttl.codegen.description import ComputeConfig, KernelDescription, ProgramDescription


@dataclass(frozen=True, kw_only=True, slots=True)
class Counts:
    """Of one program. A count that has no meaning for it is 0."""

    round_trips: int
    """Times that values of one expression go through a circular buffer to the compute kernel that made them."""
    hoistable: int
    """Calls that configure a unit, in a loop that configures it in no other way."""
    barriers: float
    """Barriers for each block, in the data movement kernel that has most."""
    registers: int
    """DST registers that the fullest section uses."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Hand:
    """What a kernel written by hand has, and why not less."""

    round_trips: int = 0
    barriers: float = 1
    registers: int | None = None
    """None: all there are."""
    why: str = ""


BY_HAND: Mapping[str, Hand] = {
    "tutorial_1_one_tile": Hand(
        registers=1, why="blocks of one tile: the product is added in the place of what it is added to"
    ),
    "matmul_multicast": Hand(
        registers=4,
        barriers=2,
        why="blocks of 2 x 2 tiles; who sends waits for its reads, then until the data have left",
    ),
    "softmax": Hand(
        round_trips=3, why="the maximum and 1 / sum are broadcast, the exponentials are reduced, from buffers"
    ),
    "rmsnorm": Hand(
        round_trips=3,
        why="the squares are reduced, the scale and gamma are repeated by the matrix unit, from buffers",
    ),
    "row_major_copy": Hand(registers=0, why="nothing is computed"),
    "sharded_eltwise": Hand(),
    "semaphores_pingpong": Hand(registers=1, why="blocks of one tile"),
    "spec_ring_forward": Hand(
        registers=1,
        barriers=2,
        why="blocks of one tile; who sends waits for its read, then until the data have left",
    ),
    "spec_debug_print": Hand(registers=1, why="blocks of one tile"),
    "fused_chain": Hand(),
    "matmul_bias_relu": Hand(registers=4, why="blocks of 2 x 2 tiles; the sum begins with the bias"),
    "mixed_types": Hand(),
    "sixteen_inputs": Hand(
        registers=5, why="a tile of the result needs 5, of the 8 with full synchronisation"
    ),
    "transpose": Hand(registers=6, why="blocks of 6 tiles"),
}


def counts_of(program: ProgramDescription) -> Counts:
    """The counts of what was emitted."""
    computing = [kernel for kernel in program.kernels if kernel.thread == "tensix"]
    found = [compute_counts(kernel.source) for kernel in computing]
    moving = [barriers_per_block(kernel.source) for kernel in program.kernels if kernel.thread == "noc"]
    return Counts(
        round_trips=sum(1 for kernel in computing for _ in _handed_on(program, kernel)),
        hoistable=sum(len(each.hoistable) for each in found),
        barriers=max((each for each in moving if each is not None), default=0),
        registers=max((each.registers or 0 for each in found), default=0),
    )


def capacity(program: ProgramDescription) -> int:
    """DST registers that a section of the program has."""
    config = next((each.config for each in program.kernels if each.config is not None), ComputeConfig())
    dst = chip_named(program.chip).dst
    if config.dst_full_sync_en:
        return dst.full_32bit if config.fp32_dest_acc_en else dst.full_16bit
    return dst.half_32bit if config.fp32_dest_acc_en else dst.half_16bit


def emitted_programs() -> dict[str, ProgramDescription]:
    """The reviewed programs as they are emitted now, each with one operation."""
    return {name: emitted_file(path).programs["0.81"][0] for name, path in PROGRAMS.items()}


def _handed_on(program: ProgramDescription, kernel: KernelDescription) -> Iterator[str]:
    """Buffers of the compiler's that a compute kernel fills for itself, for each time."""
    own = {each.name for each in program.circular_buffers if each.made_by == "compiler"}
    for call, _ in walk(read(kernel.source)):
        name = call.arguments.partition(",")[0].strip()
        if call.name == "cb_push_back" and name in own:
            yield name
