"""The likely cause of a deadlock, from the facts and, where there was one, from the trial.

Either no kernel is left that could end the wait of a stuck kernel (``alone``), or it waits, through others, for a
cycle of kernels. The change that breaks the cycle is the cause: more blocks, a first block that nobody pushes, a
release that is left out or comes too late, another order. The change has ended the deadlock in the trial, or the
report says that it was not tried, or that it was not enough.
"""

from __future__ import annotations

from collections.abc import Iterator

from ttl.deadlock.alone import never_provided, nobody_left, reset_missed
from ttl.deadlock.case import Cause, DeadlockCase
from ttl.deadlock.graph import Stuck
from ttl.deadlock.network import Place
from ttl.deadlock.trial import Trial
from ttl.rules import deadlocks as rules
from ttl.rules import labels
from ttl.rules.blocks import HOLDS_ALL, LEFT_OVER, OUT_OF_ORDER
from ttl.rules.waiting import how_to_break, together

# The errors of a kernel that continues after a push, or a pop, that is left out on some path.
_NO_PUSH, _NO_POP = zip(LEFT_OVER, HOLDS_ALL, OUT_OF_ORDER, strict=True)


def cause_of(case: DeadlockCase) -> Cause:
    """The cause, by the first rule that applies."""
    return (
        reset_missed(case)
        or _too_few_blocks(case)
        or _wait_instead_of_reserve(case)
        or _release_left_out(case)
        or nobody_left(case)
        or _never_primed(case)
        or never_provided(case)
        or _too_few_blocks_for_now(case)
        or _held_while_waiting(case)
        or _wait_cycle(case)
    )


# --- more blocks would do -------------------------------------------------------------------------------


def _too_few_blocks(case: DeadlockCase) -> Cause | None:
    """With more blocks all kernels end."""
    if case.trial is None or not case.trial.ended_by_growing:
        return None
    return _more_blocks(case, case.trial)


def _too_few_blocks_for_now(case: DeadlockCase) -> Cause | None:
    """With more blocks the kernels continue, but not to their end."""
    if case.trial is None or not case.trial.went_on_by_growing:
        return None
    return _more_blocks(case, case.trial)


def _more_blocks(case: DeadlockCase, trial: Trial) -> Cause | None:
    facts, network, cycle = case.facts, case.network, case.facts.cycle()
    space = next((stuck for stuck in cycle if stuck.kind == "space" and stuck.resource in trial.grown), None)
    if space is None:
        return None
    buffer = space.resource
    grown = {name: (old, new) for name, old, new in _grown(case, trial)}
    if trial.ended_by_growing:
        finding = rules.with_more_blocks(
            grown,
            kahn=not facts.beyond,
            l1_needed=_too_large(case, trial),
            l1_budget=network.l1_bytes,
        )
    else:
        finding = rules.further_with_more_blocks(grown, cut_short=trial.cut_short)
    count = facts.buffers[buffer].block_count
    other = next((stuck.resource for stuck in cycle if stuck.kind == "data"), None)
    told = rules.too_few_blocks(grown, count, finding)
    if other is not None and len(cycle) > 1 and trial.grown[buffer] >= trial.pushed(buffer) > 1:
        taker = trial.network.consumer(buffer)
        told = rules.other_order(
            _together(case, cycle),
            network.buffers[buffer].name,
            network.buffers[other].name,
            network.kernels[space.kernel].name,
            network.kernels[space.kernel if taker is None else taker].name,
            count,
            finding,
            told.diagnostic.remedy,
        )
    return Cause(told=told, stuck=space, cycle=cycle)


def _grown(case: DeadlockCase, trial: Trial) -> Iterator[tuple[str, int, int]]:
    """Name, block count and needed block count of each buffer; the largest of all nodes."""
    largest: dict[Place, tuple[int, int]] = {}
    for buffer, count in trial.grown.items():
        hashable = case.network.buffers[buffer].made
        if hashable not in largest or largest[hashable][1] < count:
            largest[hashable] = (buffer, count)
    for buffer, count in largest.values():
        yield case.network.buffers[buffer].name, case.facts.buffers[buffer].block_count, count


def _too_large(case: DeadlockCase, trial: Trial) -> int:
    """L1 that the blocks take on the first node on which it is too little, in bytes; 0 if it is enough on every node."""
    buffers = case.network.buffers
    for node in dict.fromkeys(buffers[buffer].node for buffer in trial.grown):
        needed = sum(
            of.block_bytes * trial.network.buffer(number).block_count
            for number, of in enumerate(buffers)
            if of.node == node
        )
        if needed > case.network.l1_bytes:
            return needed
    return 0


# --- a missing first block ------------------------------------------------------------------------------


def _never_primed(case: DeadlockCase) -> Cause | None:
    """A cycle in which a kernel waits for a block that its producer pushes only afterwards.

    A first block has to be there before. Kernels that use their buffers in different orders are another case: they have
    enough blocks, too late. But a kernel that waits for its own blocks has no other order, unless it has a block ready.
    """
    trial = case.ended
    if trial is None:
        return None
    facts, network = case.facts, case.network
    cycle = facts.cycle()
    for stuck in cycle:
        buffer, primed = stuck.resource, trial.blocks[stuck.resource]
        producer = trial.network.producer(buffer) if stuck.kind == "data" else None
        before = facts.buffers[buffer].pushed if producer is not None else 0
        if producer is None or not primed or trial.pushed(buffer) == before:
            continue
        missing = trial.blocks_missing(buffer)
        if missing <= 0 and (producer != stuck.kernel or facts.buffers[buffer].written):
            continue
        pusher = network.kernels[producer]
        told = rules.never_primed(
            facts.who(stuck.kernel),
            facts.buffers[buffer].waited + 1,
            network.buffers[buffer].name,
            pusher.name,
            network.buffers[buffer].shape,
            primed,
            computes=pusher.computes,
            repeats=trial.pushed(buffer) - before > 1,
            left=primed - missing,
            block_count=facts.buffers[buffer].block_count,
            needed=case.room(buffer),
            kahn=not facts.beyond,
            doubt=case.doubt(enlarged=buffer),
        )
        places = _pushes_of(case, producer, buffer, pusher.name)
        return Cause(told=told, stuck=stuck, more=places, cycle=cycle)
    return None


def _pushes_of(case: DeadlockCase, producer: int, buffer: int, name: str) -> tuple[tuple[Place, str], ...]:
    """Return the places where the producer reserves the blocks that it pushes."""
    at = case.facts.buffers[buffer].filled_at
    if at is None and case.trial is not None:
        at = case.trial.network.buffer(buffer).filled_at
    return ((at, labels.reserves(name)),)


# --- a wrong call, or one that is missing ---------------------------------------------------------------


def _wait_instead_of_reserve(case: DeadlockCase) -> Cause | None:
    for stuck in case.facts.stuck:
        if stuck.kind != "data" or case.facts.buffers[stuck.resource].producer is not None:
            continue
        if case.network.writes_first(stuck.waiting):
            told = rules.wait_instead_of_reserve(case.facts.who(stuck.kernel), case.facts.what(stuck))
            return Cause(told=told, stuck=stuck)
    return None


def _release_left_out(case: DeadlockCase) -> Cause | None:
    failure, trial = case.failure_code, case.trial
    if trial is None or trial.network.failure is None or failure not in _NO_PUSH + _NO_POP:
        return None
    failed, pushes = trial.network.failure[0], failure in _NO_PUSH
    for buffer, network_buffer in enumerate(case.network.buffers):
        if network_buffer.node != case.facts.node(failed):
            continue
        state = trial.network.buffer(buffer)
        held = state.writing if pushes else state.reading
        owner = state.producer if pushes else state.consumer
        waiting = case.waiting_for(buffer, space=not pushes)
        if not held or owner != failed or waiting is None:
            continue
        told = rules.release_left_out(
            case.facts.who(waiting.kernel), case.facts.wait(waiting), case.network.kernels[failed].name
        )
        place = state.filled_at if pushes else state.taken_at
        text = labels.release_left_out("reserve" if pushes else "wait")
        return Cause(told=told, stuck=waiting, more=((place, text),), cycle=case.facts.cycle())
    return None


def _held_while_waiting(case: DeadlockCase) -> Cause | None:
    """A kernel that has written a block and not pushed it, and waits for an event that depends on that block."""
    facts, cycle = case.facts, case.facts.cycle()
    for stuck in cycle:
        state = facts.buffers[stuck.resource] if stuck.kind == "data" else None
        if state is None or not state.written or state.producer is None:
            continue
        at = facts.of(state.producer)
        span = case.network.span(at.place) if at is not None else None
        before = "an unknown line" if span is None else f"line {span.line}"
        told = rules.held_while_waiting(
            facts.who(stuck.kernel), facts.what(stuck), facts.who(state.producer), before
        )
        more = ((state.filled_at, labels.WRITTEN_NOT_PUSHED),)
        return Cause(told=told, stuck=stuck, more=more, cycle=cycle)
    return None


# --- a cycle -------------------------------------------------------------------------------------------


def _wait_cycle(case: DeadlockCase) -> Cause:
    cycle = case.facts.cycle()
    assert cycle, "a kernel that is stuck waits for a kernel that has ended, or in a cycle"
    for stuck in cycle:
        if stuck.kind == "space" and case.ended is None:
            return _undecided(case, cycle, stuck)
    waits = [(case.network.kernels[stuck.kernel].name, case.facts.wait(stuck)) for stuck in cycle]
    advice = how_to_break(waits)
    who = case.facts.who(cycle[0].kernel)
    told = rules.in_a_cycle(_together(case, cycle), who, waits[0][1], advice, doubt=case.doubt())
    return Cause(told=told, stuck=cycle[0], cycle=cycle)


def _undecided(case: DeadlockCase, cycle: tuple[Stuck, ...], space: Stuck) -> Cause:
    """A full buffer in a cycle, and no trial that shows whether more blocks would do."""
    reason = "trying it did not lead to the end of the operation"
    if case.failure_code:
        reason = f"with more blocks the operation ends in an error, {case.failure_code}"
    if case.trial is None:
        reason = case.doubt()
    count = case.facts.buffers[space.resource].block_count
    told = rules.undecided(_together(case, cycle), case.facts.what(space), count, reason)
    return Cause(told=told, stuck=space, cycle=cycle)


def _together(case: DeadlockCase, cycle: tuple[Stuck, ...]) -> str:
    return together([case.facts.who(stuck.kernel) for stuck in cycle])
