"""A missing push, pop or transfer wait that the language infers (LANGUAGE.md, "Buffers, blocks").

The compiler puts a push after the last write, a pop after the last read and a wait before the first use or the release.
The simulator does the same when it becomes visible: when the kernel acquires the next block at the same place, when the
kernel ends, and when nothing else can continue. A block the kernel touches after its inferred release is reported,
never silently wrong. Releases and waits are inferred only for results that the program never releases or waits for
itself; ``--strict`` infers nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import FrameType
from typing import TYPE_CHECKING

from ttl import control
from ttl.protocol.blocks import STEPS, Step
from ttl.rules.blocks import left_over
from ttl.sim.transfer import SimTransfer
from ttl.source.calls import handles_result, used_after
from ttl.source.spans import Site

if TYPE_CHECKING:
    from ttl.sim.kernel import Kernel, RunningLaunch
    from ttl.sim.transfer import HeldBlock, HeldBuffer

# The value of ``question`` with which the native core (releases.cpp) asks about a release; others ask about a wait.
_RELEASE = -1
_RELEASES = ("push", "pop")
_WAITS = ("wait",)


def release_before_acquiring(buffer: HeldBuffer, held: Sequence[HeldBlock], frame: FrameType) -> None:
    """Before an acquisition: release blocks whose release the program leaves to the language.

    These are the block that was acquired at the same place before, and, when the kernel holds all blocks of the buffer,
    those that it does not use any more.
    """
    block = held[0]
    if block.site == (frame.f_code, frame.f_lasti) and is_inferred(block):
        block.release()
    while len(held) >= buffer.block_count:
        block = held[0]
        release = Step.PUSH if held is buffer.held_reserved else Step.POP
        if not is_inferred(block) or (
            block.site[0] is frame.f_code and used_after(block.site, frame.f_lasti)
        ):
            return
        if not block.transfers and block.table[block.state * STEPS + release] < 0:
            return
        block.release()


def release_older(block: HeldBlock, held: Sequence[HeldBlock], step: Step) -> None:
    """Before an explicit release: release the older blocks of the buffer whose release is left to the language."""
    while held[0] is not block:
        older = held[0]
        if not is_inferred(older) or not (older.transfers or older.table[older.state * STEPS + step] >= 0):
            return
        older.release()


def finish_transfers(block: HeldBlock) -> bool:
    """Wait for the copies of a block that the program never waits for. False if it waits for them itself."""
    if block.engine.settings.strict:
        return False
    if any(handles_result(transfer.site, _WAITS) for transfer in block.transfers_under_way()):
        return False
    for transfer in reversed(list(block.transfers_under_way())):
        transfer.wait()
    return True


def finish_kernel(engine: RunningLaunch, kernel: Kernel) -> None:
    """At the end of a kernel: release the blocks whose release is inferred; other blocks that it holds are errors."""
    for buffer in kernel.node.buffers:
        if buffer.producer is kernel and buffer.held_reserved:
            _finish(engine, buffer.held_reserved)
        if buffer.consumer is kernel and buffer.held_waited:
            _finish(engine, buffer.held_waited)


def release_when_stalled(engine: RunningLaunch) -> bool:
    """When no kernel can continue: release inferred blocks that are not used any more. Return whether one was released.

    Only kernels that have waited since the last call are examined: the blocks of the others are unchanged. Each kernel
    pushes before it pops. If there is no such block, a block is released that its kernel may use again, as far as the
    source shows: a later use is an error.
    """
    released = False
    for held in engine.scheduler.held_by_stalled():
        released |= release_unused(engine, held)
    return released or _release_last_resort(engine)


def release_unused(engine: RunningLaunch, held: Sequence[HeldBlock]) -> bool:
    """Release the inferred blocks of a list, oldest first, that their kernel, which waits, does not use any more."""
    released = False
    while held and is_inferred(held[0]) and not _used_after(held[0]) and _release(engine, held[0]):
        released = True
    return released


def _release_last_resort(engine: RunningLaunch) -> bool:
    for acquired in ("held_reserved", "held_waited"):
        for node in engine.nodes:
            for buffer in node.buffers:
                held: Sequence[HeldBlock] = getattr(buffer, acquired)
                if held and is_inferred(held[0]) and _release(engine, held[0]):
                    return True
    return False


def _release(engine: RunningLaunch, block: HeldBlock) -> bool:
    """Release a block if it is complete."""
    if not _copied(engine, block):
        return False
    if block.table[block.state * STEPS + (Step.PUSH if block.acquired_by_reserve else Step.POP)] < 0:
        return False
    engine.current = block.kernel
    block.release()
    return True


def _used_after(block: HeldBlock) -> bool:
    """Whether the kernel, where it is suspended, may use the block again."""
    worker = block.kernel.greenlet
    frame = worker.gr_frame if worker is not None else None
    while frame is not None and frame.f_code is not block.site[0]:
        frame = frame.f_back
    return frame is not None and used_after(block.site, frame.f_lasti)


def _copied(engine: RunningLaunch, block: HeldBlock) -> bool:
    """Finish the copies between a block and tensors, which take no time. False if others are under way."""
    if block.transfers is None:
        return True
    if any(type(transfer) is not SimTransfer for transfer in block.transfers_under_way()):
        return False  # a message of a pipe cannot arrive while no kernel can continue
    engine.current = block.kernel
    return finish_transfers(block)


def left_out(site: Site, question: int) -> bool:
    """Whether the program leaves the release of a call's result, or the wait for it, to the language."""
    return not handles_result(site, _RELEASES if question == _RELEASE else _WAITS)


def is_inferred(block: HeldBlock) -> bool:
    """Whether the language releases a block, because the program never does."""
    return not block.engine.settings.strict and not handles_result(block.site, _RELEASES)


def _finish(engine: RunningLaunch, held: Sequence[HeldBlock]) -> None:
    while held:
        block = held[0]
        engine.fallback_site = block.site
        if not is_inferred(block):
            _fail_left_over(engine, block)
        block.release()
    engine.fallback_site = None


def _fail_left_over(engine: RunningLaunch, block: HeldBlock) -> None:
    engine.fail(left_over(block.acquired, block.buffer.name, block.kernel.name))


control.register(left_out=left_out, used_after=used_after, release_unused=release_unused)
