"""A missing push, pop or transfer wait that the language infers (LANGUAGE.md, "Buffers, blocks").

The compiler puts a push after the last write, a pop after the last read and a wait before the first use or the
release. The simulator does the same when it becomes visible: when the kernel acquires the next block at the same
place, when the kernel ends, and when nothing else can go on. A block the kernel touches after its inferred
release is reported, never silently wrong. Only results the program never releases itself are inferred;
``--strict`` infers nothing.
"""

from __future__ import annotations

from types import FrameType
from typing import TYPE_CHECKING

from ttl.diag import error
from ttl.protocol.blocks import STEPS, Step
from ttl.source.calls import handles_result

if TYPE_CHECKING:
    from ttl.sim.buffer import SimBlock, SimBuffer
    from ttl.sim.engine import Engine
    from ttl.sim.kernel import Kernel

_RELEASES = ("push", "pop")
_WAITS = ("wait",)
# Codes of the errors about a missing push, and a missing pop, at the end of a kernel.
LEFT_OVER = ("TTL0901", "TTL0902")


def release_before_acquiring(buffer: SimBuffer, held: list[SimBlock], frame: FrameType) -> None:
    """Release the block acquired at this same place before, if the program leaves that to the language."""
    block = held[0]
    if block.site == (frame.f_code, frame.f_lasti) and is_inferred(block):
        block.release()


def release_older(block: SimBlock, held: list[SimBlock], step: Step) -> None:
    """Before an explicit release: release the older blocks of the buffer that are left to the language."""
    while held[0] is not block:
        older = held[0]
        if not is_inferred(older) or not (older.transfers or older.table[older.state * STEPS + step] >= 0):
            return
        older.release()


def finish_transfers(block: SimBlock) -> bool:
    """Wait for the copies of a block that the program never waits for. False if it waits for them itself."""
    if block.engine.settings.strict:
        return False
    if any(handles_result(transfer.site, _WAITS) for transfer in block.transfers_under_way()):
        return False
    for transfer in reversed(list(block.transfers_under_way())):
        transfer.wait()
    return True


def finish_kernel(engine: Engine, kernel: Kernel) -> None:
    """At the end of a kernel: release what is inferred, report what is left over."""
    for buffer in kernel.node.buffers:
        if buffer.producer is kernel and buffer.held_reserved:
            _finish(engine, buffer.held_reserved)
        if buffer.consumer is kernel and buffer.held_waited:
            _finish(engine, buffer.held_waited)


def release_in_deadlock(engine: Engine) -> bool:
    """Release inferred blocks that are complete while nobody can go on. True if that changed anything."""
    for node in engine.nodes:
        for buffer in node.buffers:
            for held, step in ((buffer.held_reserved, Step.PUSH), (buffer.held_waited, Step.POP)):
                if not held:
                    continue
                block = held[0]
                if (
                    block.transfers is not None
                    or block.table[block.state * STEPS + step] < 0
                    or not is_inferred(block)
                ):
                    continue
                engine.current = block.kernel
                block.release()
                return True
    return False


def is_inferred(block: SimBlock) -> bool:
    """Whether the language releases a block, because the program never does."""
    return not block.engine.settings.strict and not handles_result(block.site, _RELEASES)


def _finish(engine: Engine, held: list[SimBlock]) -> None:
    while held:
        block = held[0]
        engine.fallback_site = block.site
        if not is_inferred(block):
            _fail_left_over(engine, block)
        block.release()
    engine.fallback_site = None


def _fail_left_over(engine: Engine, block: SimBlock) -> None:
    name, kernel = block.buffer.name, block.kernel.name
    if block.acquired_by_reserve:
        diagnostic = error(
            LEFT_OVER[0],
            f"kernel {kernel} ended with a block of {name} reserved and never pushed",
            notes=("a consumer would wait for it forever",),
            help="push the block on every path, or use: with " + name + ".reserve() as blk:",
        )
    else:
        diagnostic = error(
            LEFT_OVER[1],
            f"kernel {kernel} ended with a block of {name} waited for and never popped",
            notes=("the producer would never get the memory back",),
            help="pop the block on every path, or use: with " + name + ".wait() as blk:",
        )
    engine.fail(diagnostic)
