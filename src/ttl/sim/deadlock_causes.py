"""The likely cause of a deadlock, from the facts and, where it could be made, from the trial.

Every kernel that is stuck either has nobody left who could end its wait (``deadlock_alone``), or waits, over
others, for a circle of kernels. What breaks the circle is the cause: more blocks, a release that is left out or
comes too late, another order.
"""

from __future__ import annotations

from collections.abc import Iterator

from ttl.diag.words import listed
from ttl.protocol.blocks import NOT_READ_YET
from ttl.sim.block import OUT_OF_ORDER
from ttl.sim.buffer import HOLDS_ALL, SimBuffer, WaitForData, WaitForSpace
from ttl.sim.deadlock_alone import never_provided, nobody_left
from ttl.sim.deadlock_case import Case, Cause
from ttl.sim.deadlock_facts import Stuck
from ttl.sim.deadlock_trial import Trial
from ttl.sim.deadlock_words import in_use, place, together, waits
from ttl.sim.implicit import LEFT_OVER
from ttl.sim.pipes import WaitToReceive, WaitToSend
from ttl.sim.semaphores import WaitForSemaphore
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
    counts = " and ".join(f"block_count={new} for {name}" for name, (_, new) in grown.items())
    checked = f"with {counts} the operation runs to its end{_sure(case, grown)}{_too_large(case, trial)}"
    if not trial.ended_by_growing:
        then = "how far was not tried to the end" if trial.cut_short else "but stop later for another reason"
        checked = f"with {counts} the kernels go on from here, {then}"
    label = f"waits here for a free block: {in_use(case.facts.buffers[buffer].block_count)}"
    other = next((each.reason.buffer for each in cycle if isinstance(each.reason, WaitForData)), None)
    if other is not None and len(cycle) > 1 and trial.grown[buffer] >= buffer.pushed > 1:
        taker = buffer.consumer or space.kernel
        return Cause(
            code="TTL0917",
            message=f"deadlock: {together([each.kernel for each in cycle], case.facts.nodes)}",
            stuck=space,
            label=label,
            cycle=cycle,
            help=(
                f"use both buffers in the same order: {space.kernel.name} fills {buffer.name} before {other.name}, "
                f"and {taker.name} waits for {other.name} before it has emptied {buffer.name}",
                f"or make room for everything that is pushed meanwhile: {checked}",
            ),
        )
    olds = ", ".join(dict.fromkeys(str(old) for old, _ in grown.values()))
    return Cause(
        code="TTL0916",
        message=f"deadlock: block_count={olds} is too small for {listed(grown)}",
        stuck=space,
        label=label,
        cycle=cycle,
        help=(checked,),
    )


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


def _sure(case: Case, grown: dict[str, tuple[int, int]]) -> str:
    (_, new), *others = grown.values()
    least = f", with {new - 1} it does not" if not others and new > 2 else ""
    if case.facts.only_buffers_and_unicast:
        return f"{least} (checked, and true for every schedule)"
    return f"{least} (checked in this schedule)"


def _too_large(case: Case, trial: Trial) -> str:
    budget = case.engine.chip.l1_available_bytes
    for node in dict.fromkeys(buffer.node for buffer in trial.grown):
        needed = sum(buffer.nbytes for buffer in node.buffers)
        if needed > budget:
            return f"; but that takes {needed} bytes of L1, and a node has {budget}"
    return ""


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
                return Cause(
                    code="TTL0912",
                    message=f"deadlock: {case.who(stuck.kernel)} waits for {buffer.name} and then writes to the block",
                    stuck=stuck,
                    label="reserve() gives a free block, wait() a filled one",
                    help=(
                        f"write {buffer.name}.reserve() here: the kernel that fills a buffer reserves its blocks",
                    ),
                )
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
        verb, done, method = ("push", "pushed", "reserve") if pushes else ("pop", "popped", "wait")
        what = waits(waiting.reason)
        who = "" if failed is waiting.kernel else f"{failed.name} "
        return Cause(
            code="TTL0915",
            message=f"deadlock: {case.who(waiting.kernel)} {what}, and {who}leaves a block of it without a {verb}",
            stuck=waiting,
            label=f"{what} here",
            more=((held[0].site, f"this block is not {done} on every path"),),
            cycle=case.facts.cycle(),
            help=(f"{verb} the block on every path, or use: with {buffer.name}.{method}() as blk:",),
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
                who = "" if holder is stuck.kernel else f"{case.who(holder)} "
                return Cause(
                    code="TTL0915",
                    message=f"deadlock: {case.who(stuck.kernel)} waits for {buffer.name}, "
                    f"and {who}has not pushed the block it has written",
                    stuck=stuck,
                    label=f"waits for {buffer.name} here",
                    more=((state.writing[0].site, "this block is written and not pushed yet"),),
                    cycle=cycle,
                    help=(
                        f"push the block of {buffer.name} before {place(at.site if at is not None else None)}: "
                        "end its with statement there, or call push()",
                    ),
                )
    return None


# --- a circle -------------------------------------------------------------------------------------------


def _circle(case: Case) -> Cause:
    cycle = case.facts.cycle()
    assert cycle, "whoever is stuck has nobody left to wait for, or waits in a circle"
    message = f"deadlock: {together([each.kernel for each in cycle], case.facts.nodes)}"
    for each in cycle:
        match each.reason:
            case WaitForSpace(buffer=buffer) if case.ended is None:
                return _undecided(case, cycle, message, each, buffer)
    first = cycle[0]
    return Cause(
        code="TTL0917",
        message=message,
        stuck=first,
        label=f"{waits(first.reason)} here",
        cycle=cycle,
        help=(_break_up(cycle),),
    )


def _undecided(case: Case, cycle: tuple[Stuck, ...], message: str, space: Stuck, buffer: SimBuffer) -> Cause:
    """A full buffer in a circle, and no trial that shows whether more blocks would do."""
    count, name = case.facts.buffers[buffer].block_count, buffer.name
    reason = "trying it did not lead to the end of the operation"
    if case.failure_code:
        reason = f"with more blocks the operation ends in an error, {case.failure_code}"
    if case.trial is None:
        reason = "nothing was tried, as the kernels may change something outside the operation"
    return Cause(
        code="TTL0910",
        message=message,
        stuck=space,
        label=f"waits here for a free block: {in_use(count)}",
        cycle=cycle,
        help=(
            f"block_count={count} may be too small for {name}, or the kernels use their buffers in different orders ({reason})",
            f"try block_count={count + 1} for {name}; if it stops again later, change the order",
        ),
    )


def _break_up(cycle: tuple[Stuck, ...]) -> str:
    kinds = {type(each.reason) for each in cycle}
    if WaitForSemaphore in kinds:
        return "let one of them set or increment what the other waits for before it waits itself"
    if WaitToReceive in kinds:
        return "send first and then receive, on one of the nodes at least: a send waits only for earlier sends on its pipe"
    if WaitToSend in kinds:
        return "receive what was sent before sending again, on one of the nodes at least"
    if len(cycle) == 1:
        return "a kernel cannot wait for what it provides later itself: push the block first"
    return f"let one of them go first: {cycle[0].kernel.name} could push before it waits, or {cycle[-1].kernel.name} could"
