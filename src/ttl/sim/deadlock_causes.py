"""The likely cause of a deadlock, from the facts and, where it could be made, from the trial.

Every kernel that is stuck either has nobody left who could end its wait (``deadlock_alone``), or waits, over
others, for a circle of kernels. What breaks the circle is the cause: more blocks, a release that is left out or
comes too late, another order.
"""

from __future__ import annotations

from collections.abc import Iterator

from ttl.protocol.blocks import NOT_READ_YET
from ttl.rules import deadlocks as rules
from ttl.rules import labels
from ttl.rules.blocks import HOLDS_ALL, LEFT_OVER, OUT_OF_ORDER
from ttl.rules.waiting import how_to_break, together
from ttl.sim.buffer import SimBuffer, WaitForData, WaitForSpace
from ttl.sim.deadlock_alone import never_provided, nobody_left
from ttl.sim.deadlock_case import Case, Cause
from ttl.sim.deadlock_facts import Stuck
from ttl.sim.deadlock_trial import Trial
from ttl.sim.deadlock_words import place, wait_of
from ttl.source.spans import Site

# What a kernel fails with when it goes on and a push, or a pop, was left out on some path.
_NO_PUSH, _NO_POP = zip(LEFT_OVER, HOLDS_ALL, OUT_OF_ORDER, strict=True)


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
    if case.trial is None or not case.trial.ended_by_growing:
        return None
    return _more_blocks(case, case.trial)


def _too_few_blocks_for_now(case: Case) -> Cause | None:
    """With more blocks the kernels get on, but not to their end."""
    if case.trial is None or not case.trial.went_on_by_growing:
        return None
    return _more_blocks(case, case.trial)


def _more_blocks(case: Case, trial: Trial) -> Cause | None:
    cycle = case.facts.cycle()
    full = next(_full(cycle, trial), None)
    if full is None:
        return None
    space, buffer = full
    grown = {name: (old, new) for name, old, new in _grown(case, trial)}
    if trial.ended_by_growing:
        needed, budget = _too_large(case, trial)
        kahn = case.facts.only_buffers_and_unicast
        finding = rules.with_more_blocks(grown, kahn=kahn, l1_needed=needed, l1_budget=budget)
    else:
        finding = rules.further_with_more_blocks(grown, cut_short=trial.cut_short)
    count = case.facts.buffers[buffer].block_count
    other = next((each.reason.buffer for each in cycle if isinstance(each.reason, WaitForData)), None)
    told = rules.too_few_blocks(grown, count, finding)
    if other is not None and len(cycle) > 1 and trial.grown[buffer] >= buffer.pushed > 1:
        taker = buffer.consumer or space.kernel
        told = rules.other_order(
            _together(case, cycle), buffer.name, other.name, space.kernel.name, taker.name, count, finding
        )
    return Cause(told=told, stuck=space, cycle=cycle)


def _full(cycle: tuple[Stuck, ...], trial: Trial) -> Iterator[tuple[Stuck, SimBuffer]]:
    for each in cycle:
        if isinstance(each.reason, WaitForSpace) and each.reason.buffer in trial.grown:
            yield each, each.reason.buffer


def _grown(case: Case, trial: Trial) -> Iterator[tuple[str, int, int]]:
    """Name, block count and needed block count of each buffer; the largest of all nodes."""
    largest: dict[Site | None, tuple[SimBuffer, int]] = {}
    for buffer, count in trial.grown.items():
        known = largest.get(buffer.site)
        if known is None or known[1] < count:
            largest[buffer.site] = (buffer, count)
    for buffer, count in largest.values():
        yield buffer.name, case.facts.buffers[buffer].block_count, count


def _too_large(case: Case, trial: Trial) -> tuple[int, int]:
    """L1 that the blocks take on the first node on which it is too little, or 0; and what a node has, in bytes."""
    budget = case.engine.chip.l1_available_bytes
    for node in dict.fromkeys(buffer.node for buffer in trial.grown):
        needed = sum(buffer.nbytes for buffer in node.buffers)
        if needed > budget:
            return needed, budget
    return 0, budget


# --- a wrong call, or one that is missing ---------------------------------------------------------------


def _wait_instead_of_reserve(case: Case) -> Cause | None:
    trial = case.trial
    if trial is None or trial.failed_in is None or case.failure_code != NOT_READ_YET:
        return None
    filled = next((buffer for buffer in trial.made_up_blocks if buffer.consumer is trial.failed_in), None)
    if filled is None:
        return None
    for stuck in case.facts.stuck:
        match stuck.reason:
            case WaitForData(buffer=buffer) if buffer.site == filled.site and buffer.producer is None:
                told = rules.wait_instead_of_reserve(case.who(stuck.kernel), buffer.name)
                return Cause(told=told, stuck=stuck)
    return None


def _release_left_out(case: Case) -> Cause | None:
    code, failed = case.failure_code, case.trial.failed_in if case.trial is not None else None
    if failed is None or code not in _NO_PUSH + _NO_POP:
        return None
    pushes = code in _NO_PUSH
    for buffer in failed.node.buffers:
        held = buffer.held_reserved if pushes else buffer.held_waited
        waiting = case.waiting_for(buffer, WaitForData if pushes else WaitForSpace)
        if not held or held[0].kernel is not failed or waiting is None:
            continue
        told = rules.release_left_out(case.who(waiting.kernel), wait_of(waiting.reason), failed.name)
        return Cause(
            told=told,
            stuck=waiting,
            more=((held[0].site, labels.release_left_out(held[0].acquired)),),
            cycle=case.facts.cycle(),
        )
    return None


def _held_while_waiting(case: Case) -> Cause | None:
    """A kernel has written a block and not pushed it, and what it waits for hangs on that block."""
    cycle = case.facts.cycle()
    for stuck in cycle:
        match stuck.reason:
            case WaitForData(buffer=buffer):
                state = case.facts.buffers[buffer]
                holder = state.producer
                if not state.written or holder is None:
                    continue
                at = case.facts.of(holder)
                before = place(at.site if at is not None else None)
                told = rules.held_while_waiting(case.who(stuck.kernel), buffer.name, case.who(holder), before)
                more = ((state.writing[0].site, labels.WRITTEN_NOT_PUSHED),)
                return Cause(told=told, stuck=stuck, more=more, cycle=cycle)
    return None


# --- a circle -------------------------------------------------------------------------------------------


def _circle(case: Case) -> Cause:
    cycle = case.facts.cycle()
    assert cycle, "whoever is stuck has nobody left to wait for, or waits in a circle"
    for each in cycle:
        match each.reason:
            case WaitForSpace(buffer=buffer) if case.ended is None:
                return _undecided(case, cycle, each, buffer)
    waits = [(each.kernel.name, wait_of(each.reason)) for each in cycle]
    told = rules.in_a_circle(_together(case, cycle), waits[0][1], how_to_break(waits))
    return Cause(told=told, stuck=cycle[0], cycle=cycle)


def _undecided(case: Case, cycle: tuple[Stuck, ...], space: Stuck, buffer: SimBuffer) -> Cause:
    """A full buffer in a circle, and no trial that shows whether more blocks would do."""
    count = case.facts.buffers[buffer].block_count
    reason = "trying it did not lead to the end of the operation"
    if case.failure_code:
        reason = f"with more blocks the operation ends in an error, {case.failure_code}"
    if case.trial is None:
        reason = "nothing was tried, as the kernels may change something outside the operation"
    told = rules.undecided(_together(case, cycle), buffer.name, count, reason)
    return Cause(told=told, stuck=space, cycle=cycle)


def _together(case: Case, cycle: tuple[Stuck, ...]) -> str:
    return together([case.who(each.kernel) for each in cycle])
