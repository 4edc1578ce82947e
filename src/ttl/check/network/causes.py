"""The likely cause of a deadlock, from the facts and from the trial; the same decisions as the simulator's.

Every kernel that is stuck either has nobody left who could end its wait (``alone``), or waits, over others, for a
circle of kernels. What breaks the circle is the cause: more blocks, a release that is left out or comes too late,
another order.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Operation

from ttl.check.network.alone import never_provided, nobody_left
from ttl.check.network.case import Case, Cause
from ttl.check.network.facts import Stuck
from ttl.check.network.machine import NOBODY
from ttl.dialects import ttl as dialect
from ttl.dialects.locations import span_of
from ttl.rules import deadlocks as rules
from ttl.rules.blocks import HOLDS_ALL, LEFT_OVER
from ttl.rules.labels import WRITTEN_NOT_PUSHED, release_left_out
from ttl.rules.waiting import how_to_break, together

# What a kernel fails with when it goes on and a push, or a pop, was left out on some path.
_NO_PUSH, _NO_POP = zip(LEFT_OVER, HOLDS_ALL, strict=True)


def cause_of(case: Case) -> Cause:
    """The cause. The first that recognises itself has the word."""
    return (
        _too_few_blocks(case)
        or _wait_instead_of_reserve(case)
        or _release_left_out(case)
        or nobody_left(case)
        or never_provided(case)
        or _too_few_blocks_for_now(case)
        or _held_while_waiting(case)
        or _circle(case)
    )


# --- more blocks would do -------------------------------------------------------------------------------


def _too_few_blocks(case: Case) -> Cause | None:
    """With more blocks all kernels end."""
    return _more_blocks(case) if case.trial.ended_by_growing else None


def _too_few_blocks_for_now(case: Case) -> Cause | None:
    """With more blocks the kernels get on, but not to their end."""
    return _more_blocks(case) if case.trial.went_on_by_growing else None


def _more_blocks(case: Case) -> Cause | None:
    scene, trial, cycle = case.scene, case.trial, case.cycle
    space = next((each for each in cycle if each.wants_space and each.resource in trial.grown), None)
    if space is None:
        return None
    buffer = space.resource
    grown = {name: (old, new) for name, old, new in _grown(case)}
    if trial.ended_by_growing:
        needed = _l1_needed(case)
        finding = rules.with_more_blocks(
            grown, kahn=not scene.beyond, l1_needed=needed, l1_budget=case.l1_bytes
        )
    else:
        finding = rules.further_with_more_blocks(grown, cut_short=trial.cut_short)
    count = scene.machine.counts[buffer]
    other = next((each.resource for each in cycle if each.wants_data), None)
    told = rules.too_few_blocks(grown, count, finding)
    if other is not None and len(cycle) > 1 and trial.grown[buffer] >= trial.machine.pushed[buffer] > 1:
        taker = scene.consumer(trial.machine, buffer)
        told = rules.other_order(
            _together(case, cycle),
            scene.buffer_name(buffer),
            scene.buffer_name(other),
            scene.kernel_name(space.process),
            scene.kernel_name(space.process if taker == NOBODY else taker),
            count,
            finding,
        )
    return Cause(told=told, stuck=space, cycle=cycle)


def _grown(case: Case) -> Iterator[tuple[str, int, int]]:
    """Name, block count and needed block count of each buffer; the largest of all nodes."""
    largest: dict[Operation, tuple[int, int]] = {}
    for buffer, count in case.trial.grown.items():
        made = case.scene.buffer_op(buffer)
        if made not in largest or largest[made][1] < count:
            largest[made] = (buffer, count)
    for buffer, count in largest.values():
        yield case.scene.buffer_name(buffer), case.scene.machine.counts[buffer], count


def _l1_needed(case: Case) -> int:
    """L1 that the blocks take on the first node on which it is too little, in bytes; 0 if there is none."""
    machine = case.trial.machine
    for row in dict.fromkeys(buffer // machine.per_row for buffer in case.trial.grown):
        buffers = range(row * machine.per_row, (row + 1) * machine.per_row)
        needed = sum(case.scene.block_bytes(buffer) * machine.counts[buffer] for buffer in buffers)
        if needed > case.l1_bytes:
            return needed
    return 0


# --- a wrong call, or one that is missing ---------------------------------------------------------------


def _wait_instead_of_reserve(case: Case) -> Cause | None:
    for stuck in case.stuck:
        if not stuck.wants_data or case.scene.producer(case.scene.machine, stuck.resource) != NOBODY:
            continue
        if _is_written_first(stuck.op):
            told = rules.wait_instead_of_reserve(
                case.who(stuck.process), case.scene.buffer_name(stuck.resource)
            )
            return Cause(told=told, stuck=stuck)
    return None


def _is_written_first(acquire: Operation) -> bool:
    """Whether what a kernel does with a block, first of all, is to write to it."""
    for op in _uses(acquire):
        match op:
            case dialect.BlockStoreOp():
                return True
            case dialect.CopyOp():
                return op.dst is acquire.results[0]
            case dialect.BlockReadOp() | dialect.BlockAccumulateOp():
                return False
    return False


def _uses(acquire: Operation) -> list[Operation]:
    """Operations on an acquired block, in the order of the program."""
    kernel: Operation | None = acquire
    while kernel is not None and not isinstance(kernel, dialect.KernelOp):
        kernel = kernel.parent_op()
    users = {use.operation for use in acquire.results[0].uses} if acquire.results else set()
    return [op for op in kernel.walk() if op in users] if kernel is not None else []


def _release_left_out(case: Case) -> Cause | None:
    failure, scene = case.trial.machine.failure, case.scene
    if failure is None or failure.code not in _NO_PUSH + _NO_POP:
        return None
    pushes = failure.code in _NO_PUSH
    machine = case.trial.machine
    row = machine.processes[failure.process].row
    for buffer in range(row * machine.per_row, (row + 1) * machine.per_row):
        held = machine.writing(buffer) if pushes else machine.reading[buffer]
        owner = scene.producer(machine, buffer) if pushes else scene.consumer(machine, buffer)
        waiting = case.waiting_for(buffer, space=not pushes)
        if not held or owner != failure.process or waiting is None:
            continue
        told = rules.release_left_out(
            case.who(waiting.process), case.wait(waiting), scene.kernel_name(failure.process)
        )
        block = case.acquired(failure.process, buffer, reserves=pushes)
        text = release_left_out("reserve" if pushes else "wait")
        return Cause(told=told, stuck=waiting, more=((block, text),), cycle=case.cycle)
    return None


def _held_while_waiting(case: Case) -> Cause | None:
    """A kernel has written a block and not pushed it, and what it waits for hangs on that block."""
    scene = case.scene
    for stuck in case.cycle:
        if not stuck.wants_data or not scene.machine.writing(stuck.resource):
            continue
        holder = scene.producer(scene.machine, stuck.resource)
        if holder == NOBODY:
            continue
        block = case.acquired(holder, stuck.resource, reserves=True)
        at = case.of(holder)
        if block is None or at is None or not _is_written(block, at.op):
            continue
        span = span_of(at.op)
        before = "an unknown line" if span is None else f"line {span.line}"
        told = rules.held_while_waiting(
            case.who(stuck.process), scene.buffer_name(stuck.resource), case.who(holder), before
        )
        return Cause(told=told, stuck=stuck, more=((block, WRITTEN_NOT_PUSHED),), cycle=case.cycle)
    return None


def _is_written(acquire: Operation, until: Operation) -> bool:
    """Whether a block is written between its acquisition and a later place of the same kernel."""
    kernel: Operation | None = acquire
    while kernel is not None and not isinstance(kernel, dialect.KernelOp):
        kernel = kernel.parent_op()
    if kernel is None:
        return False
    order = {op: position for position, op in enumerate(kernel.walk())}
    for op in _uses(acquire):
        writes = isinstance(op, dialect.BlockStoreOp | dialect.BlockAccumulateOp) or (
            isinstance(op, dialect.CopyOp) and op.dst is acquire.results[0]
        )
        if writes and order[op] < order.get(until, len(order)):
            return True
    return False


# --- a circle -------------------------------------------------------------------------------------------


def _circle(case: Case) -> Cause:
    cycle = case.cycle
    assert cycle, "whoever is stuck has nobody left to wait for, or waits in a circle"
    circle = _together(case, cycle)
    for each in cycle:
        if each.wants_space and case.ended is None:
            return _undecided(case, cycle, circle, each)
    waits = [(case.scene.kernel_name(each.process), case.wait(each)) for each in cycle]
    told = rules.in_a_circle(circle, waits[0][1], how_to_break(waits))
    return Cause(told=told, stuck=cycle[0], cycle=cycle)


def _undecided(case: Case, cycle: tuple[Stuck, ...], circle: str, space: Stuck) -> Cause:
    """A full buffer in a circle, and no trial that shows whether more blocks would do."""
    reason = "trying it did not lead to the end of the operation"
    if case.trial.failure_code:
        reason = f"with more blocks the operation ends in an error, {case.trial.failure_code}"
    told = rules.undecided(
        circle,
        case.scene.buffer_name(space.resource),
        case.scene.machine.counts[space.resource],
        reason,
    )
    return Cause(told=told, stuck=space, cycle=cycle)


def _together(case: Case, cycle: tuple[Stuck, ...]) -> str:
    return together([case.who(each.process) for each in cycle])
