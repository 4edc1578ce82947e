"""The kernels of reviewed programs beside what a kernel engineer would have needed: counts of both.

They are counted in the IR that the C++ is printed from. A call counts once, however often its loop runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.dialects import scf
from xdsl.ir import BlockArgument, Operation, SSAValue

from support.golden import PROGRAMS
from ttl import settings
from ttl.analysis.interpreter import KernelInterpreter
from ttl.arch import chip_named
from ttl.codegen.compile import compile_module
from ttl.dialects.ttkernel import GetCBOp, KernelCallOp, KernelOp, ProgramOp
from ttl.frontend.file import lower_file

_BARRIERS = frozenset({"noc_async_read_barrier", "noc_async_write_barrier", "noc_async_writes_flushed"})
_HANDED_ON = frozenset({"cb_push_back", "cb_pop_front"})


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
    "tutorial_1_one_tile": Hand(registers=1, why="blocks of one tile: the product is added in the place of what it is added to"),
    "matmul_multicast": Hand(registers=4, barriers=2, why="blocks of 2 x 2 tiles; who sends waits for its reads, then until the data have left"),
    "softmax": Hand(round_trips=3, why="the maximum and 1 / sum are broadcast, the exponentials are reduced, from buffers"),
    "rmsnorm": Hand(
        round_trips=3, why="the squares are reduced, the scale and gamma are repeated by the matrix unit, from buffers"
    ),
    "row_major_copy": Hand(registers=0, why="nothing is computed"),
    "sharded_eltwise": Hand(),
    "semaphores_pingpong": Hand(registers=1, why="blocks of one tile"),
    "spec_ring_forward": Hand(registers=1, barriers=2, why="blocks of one tile; who sends waits for its read, then until the data have left"),
    "spec_debug_print": Hand(registers=1, why="blocks of one tile"),
    "fused_chain": Hand(),
    "matmul_bias_relu": Hand(registers=4, why="blocks of 2 x 2 tiles; the sum begins with the bias"),
    "mixed_types": Hand(),
    "sixteen_inputs": Hand(registers=5, why="a tile of the result needs 5, of the 8 with full synchronisation"),
    "transpose": Hand(registers=6, why="blocks of 6 tiles"),
}  # fmt: skip


def counts_of(program: ProgramOp) -> Counts:
    """The counts of a program."""
    computing = [kernel for kernel in program.kernels if kernel.thread == "tensix"]
    barriers = [barriers_per_block(kernel) for kernel in program.kernels if kernel.thread == "noc"]
    own = {buffer.declared_name for buffer in program.buffers if buffer.made_by == "compiler"}
    return Counts(
        round_trips=sum(_buffer(op) in own for kernel in computing for op in _calls(kernel, "cb_push_back")),
        hoistable=sum(len(list(hoistable(kernel))) for kernel in computing),
        barriers=max((each for each in barriers if each is not None), default=0),
        registers=max(map(registers, computing), default=0),
    )


def capacity(program: ProgramOp) -> int:
    """DST registers that a section of the program has."""
    config = next((kernel.config for kernel in program.kernels if kernel.thread == "tensix"), {})
    dst = chip_named(settings.current().arch).dst
    if config.get("dst_full_sync_en"):
        return dst.full_32bit if config.get("fp32_dest_acc_en") else dst.full_16bit
    return dst.half_32bit if config.get("fp32_dest_acc_en") else dst.half_16bit


def reviewed(name: str) -> ProgramOp:
    """A reviewed program, which has one operation, as it is compiled now."""
    module = lower_file(str(PROGRAMS[name])).module
    (program,) = compile_module(module, settings.current(), generation="0.81").programs
    return program


def barriers_per_block(kernel: KernelOp) -> float | None:
    """Barriers of a data movement kernel for each place where a block is handed on; None without blocks.

    Those after the last block are the end of the kernel's, and no block's.
    """
    names = [op.call.name for op in _calls(kernel)]
    places = [position for position, name in enumerate(names) if name in _HANDED_ON]
    return sum(name in _BARRIERS for name in names[: places[-1]]) / len(places) if places else None


def hoistable(kernel: KernelOp) -> Iterator[str]:
    """Calls that could stand before the innermost loop they are in: they configure a unit, which it configures in no other way."""
    for loop in (op for op in kernel.walk() if isinstance(op, scf.ForOp | scf.WhileOp)):
        ways: dict[str, set[Any]] = {}
        for op in _calls(loop):
            if op.call.configures is not None:
                way = (op.call.name, str(op.constants), tuple(op.operands))
                ways.setdefault(op.call.configures, set()).add(way)
        for op in _calls(loop):
            unit = op.call.configures
            if unit is None or len(ways[unit]) > 1 or _innermost(op) is not loop:
                continue
            if not any(_follows(value, loop) for value in op.operands):
                yield op.call.name


def registers(kernel: KernelOp) -> int:
    """DST registers that the fullest section of a compute kernel uses, on the first node."""
    run = _Registers()
    run.block(kernel.body.block)
    return run.used


class _Registers(KernelInterpreter):
    """Runs the loops of a compute kernel, and looks at the registers that its calls name."""

    used = 0

    def buffer(self, name: str) -> str:
        return name

    def call(self, op: KernelCallOp, given: Sequence[Any]) -> int:
        named = dict(zip((operand.name for operand in op.call.operands), given, strict=True))
        more = op.constants["rt"] * op.constants["ct"] - 1 if op.call.name == "matmul_block" else 0
        for name in (*op.call.writes, *op.call.vector_reads):
            self.used = max(self.used, named[name] + more + 1)
        return 0


def _calls(inside: Operation, name: str | None = None) -> Iterator[KernelCallOp]:
    for op in inside.walk():
        if isinstance(op, KernelCallOp) and name in (None, op.call.name):
            yield op


def _buffer(op: KernelCallOp) -> str:
    buffer = op.operands[0].owner
    assert isinstance(buffer, GetCBOp)
    return buffer.declared_name


def _innermost(op: Operation) -> Operation | None:
    around = op.parent_op()
    while around is not None and not isinstance(around, scf.ForOp | scf.WhileOp):
        around = around.parent_op()
    return around


def _follows(value: SSAValue, loop: Operation) -> bool:
    """Whether a value is computed from what changes in a loop."""
    if isinstance(value, BlockArgument):
        return value.block.parent_op() is loop
    assert isinstance(value.owner, Operation)
    return any(_follows(operand, loop) for operand in value.owner.operands)
