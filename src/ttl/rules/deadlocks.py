"""The reports about deadlocks, one function for each cause. The simulator and the checker find the cause.

Names are those of kernels and buffers; ``who`` is the waiting kernel, ``node`` a text of ``words.node_name``. Arguments
``..._in_all`` are counted up to the end of the kernels, None where that is unknown. ``doubt`` says why an advice was
not tried, or that a trial did not end the deadlock; it is empty if the advice ended the deadlock in a trial.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ttl.diag import Diagnostic, error
from ttl.diag.families import Subject
from ttl.diag.model import Remedy
from ttl.diag.remedies import Argument, BeforeLoops, Rename
from ttl.diag.words import counted, listed
from ttl.rules.buffers import with_blocks
from ttl.rules.waiting import KernelOnNode, Wait, in_use, no_room, wanted
from ttl.rules.words import node_name

_AGREE = "make their loops, and the conditions in them, agree"


class Deadlock(NamedTuple):
    """A diagnostic without a location, and the label of its location: the place where the kernel waits."""

    diagnostic: Diagnostic
    label: str


# --- too little is provided ------------------------------------------------------------------------------


def nobody_fills(
    who: KernelOnNode,
    buffer: str,
    filler: str | None,
    *,
    ended: bool,
    outside: bool,
    in_tensor: bool = False,
    doubt: str = "",
) -> Deadlock:
    """No kernel reserves blocks of the buffer (TTL0911).

    ``filler`` is a kernel that contains a call of ``reserve`` but does not reach it: it has ``ended``, or waits.
    ``outside``: it calls ``if_src`` or ``if_dst``, and no pipe starts or ends at this node.
    """
    if filler is None and in_tensor:
        advice = (
            f"call {buffer}.publish() in a data movement kernel: it lets others read what is in the tensor"
        )
    elif filler is None:
        advice = f"no kernel calls {buffer}.reserve(): reserve, write and push a block in the kernel that has the data"
    else:
        verb = "ended without reaching it" if ended else "does not reach it"
        because = (
            "; no pipe starts or ends at this node, so the functions given to if_src and if_dst are not called"
            if outside
            else ""
        )
        advice = (
            f"{filler} has a call of {buffer}.reserve(), but on {node_name(who.node)} it {verb}{because}: "
            f"let {who.kernel} wait for {buffer} under the same condition only"
        )
    return Deadlock(
        error(
            "TTL0911",
            f"deadlock: {who} waits for {buffer}, which no kernel fills",
            help=_tried(advice, doubt),
        ),
        f"waits for {buffer} here",
    )


def reset_missed(who: KernelOnNode, late: str) -> Deadlock:
    """A kernel waits at a reset that the kernel ``late`` does not reach (TTL0922)."""
    return Deadlock(
        error(
            "TTL0922",
            f"deadlock: {who} waits at a reset for {late}, which does not come to it",
            help=f"call the reset in {late} as often as in {who.kernel}: in the same loops, under the same conditions",
        ),
        f"waits for {late} here",
    )


def too_few_pushes(
    who: KernelOnNode,
    buffer: str,
    block: int,
    producer: str,
    pushed: int,
    waited_in_all: int | None,
    *,
    doubt: str = "",
) -> Deadlock:
    """The producer pushes too few blocks (TTL0913).

    ``block`` is the number, from 1, of the block that is waited for.
    """
    pusher = "" if producer == who.kernel else f"{producer} "
    if waited_in_all is None:
        fact = f"{producer} pushes {_blocks(pushed)} and ends"
    else:
        fact = f"in all, {who.kernel} waits for {_blocks(waited_in_all)} and {producer} pushes {pushed}"
    return Deadlock(
        error(
            "TTL0913",
            f"deadlock: {who} waits for block {block} of {buffer}, but {pusher}pushes only {pushed}",
            help=_agree(fact, doubt),
        ),
        f"waits here for block {block} of {buffer}",
    )


def nobody_empties(who: KernelOnNode, buffer: str, block_count: int, *, doubt: str = "") -> Deadlock:
    """No kernel waits for blocks of a full buffer (TTL0914)."""
    advice = (
        f"wait for the blocks of {buffer} in the kernel that needs them, and pop them",
        "or, if this kernel alone needs the memory, reserve one block before the loop and use it in every round",
    )
    message = f"deadlock: {who} waits to reserve {buffer}, which no kernel empties"
    return Deadlock(error("TTL0914", message, help=_tried(advice, doubt)), no_room(block_count))


def too_few_pops(
    who: KernelOnNode,
    buffer: str,
    block: int,
    block_count: int,
    consumer: str,
    taken: int,
    pushed_in_all: int | None,
    *,
    doubt: str = "",
) -> Deadlock:
    """The consumer takes too few blocks (TTL0914). ``block`` is the number, from 1, of the block to be reserved."""
    if pushed_in_all is None:
        fact = f"{consumer} takes {_blocks(taken)} and ends"
    else:
        fact = f"in all, {who.kernel} pushes {_blocks(pushed_in_all)} and {consumer} takes {taken}"
    return Deadlock(
        error(
            "TTL0914",
            f"deadlock: {who} waits to reserve block {block} of {buffer}, but {consumer} takes only {taken}",
            help=_agree(fact, doubt),
        ),
        no_room(block_count),
    )


def too_few_sends(
    who: KernelOnNode,
    pipe: str,
    source: str,
    sent: int,
    received_in_all: int | None,
    *,
    sends: bool,
    doubt: str = "",
) -> Deadlock:
    """The node ``source`` sends fewer messages on a pipe than are received (TTL0918).

    ``sends``: whether a kernel of that node calls ``if_src`` at all.
    """
    many = "nothing is" if sent == 0 else f"only {sent} {'was' if sent == 1 else 'were'}"
    node = node_name(who.node)
    advice = _tried(f"let {source} send as often as {node} receives", doubt)
    if received_in_all is not None:
        fact = f"in all, {source} sends {_blocks(sent)} on this pipe and {node} receives {received_in_all}"
        advice = _agree(fact, doubt)
    if not sends:
        advice = _tried("no kernel calls if_src: send in a function given to net.if_src", doubt)
    without = ("or make the net from those pipes only on which something is sent",) if sent == 0 else ()
    message = f"deadlock: {who} waits to receive from {pipe}, on which {many} sent"
    finding = error("TTL0918", message, help=(*advice, *without), subject=Subject.MESSAGES)
    return Deadlock(finding, "waits to receive here")


def nothing_first(who: KernelOnNode, pipes: str, sources: list[str], *, doubt: str = "") -> Deadlock:
    """A kernel waits for the first of several messages, none of which is sent (TTL0918)."""
    advice = _tried(
        f"let {' or '.join(sources)} send once more, or wait once less often on {node_name(who.node)}", doubt
    )
    message = f"deadlock: {who} waits to receive from {pipes}, and nothing more is sent on any of them"
    return Deadlock(error("TTL0918", message, help=advice, subject=Subject.MESSAGES), "waits to receive here")


def too_few_receives(
    who: KernelOnNode,
    pipe: str,
    node: str,
    sent: int,
    received_in_all: int | None,
    *,
    multicast: bool,
    doubt: str = "",
) -> Deadlock:
    """The node ``node``, a destination of a pipe, receives fewer messages than are sent (TTL0919)."""
    source = node_name(who.node)
    advice = _tried(f"receive on {node} as often as {source} sends: ttl.copy(pipe, blk) in if_dst", doubt)
    if received_in_all is not None:
        fact = f"in all, {source} sends {_blocks(sent)} on this pipe and {node} receives {received_in_all}"
        advice = _agree(fact, doubt)
    without = (f"or leave {node} out of the pipe's destinations",) if multicast else ()
    message = f"deadlock: {who} waits to send on {pipe}, but {node} does not receive what was sent before"
    finding = error("TTL0919", message, help=(*advice, *without), subject=Subject.MESSAGES)
    return Deadlock(finding, "this send waits for the one before it")


def semaphore_unchanged(
    who: KernelOnNode, semaphore: str, value: int, initial: int, awaited: int, *, exact: bool, doubt: str = ""
) -> Deadlock:
    """A semaphore that started at ``initial`` stays at ``value`` (TTL0920). ``semaphore``: ``semaphore done``, say."""
    name, node = semaphore.removeprefix("semaphore "), node_name(who.node)
    goal = wanted(awaited, exact=exact)
    other: Remedy | None = None
    if value == initial:
        remote = f"{name}.get_remote({who.node})"
        advice = (
            f"no node changes it on {node}: call {remote}.set({awaited}) or {remote}.inc(1) on another node"
        )
    elif exact and value > awaited:
        advice = f"it has passed {awaited}: write wait_ge({awaited}), which later changes cannot overtake"
        other = Rename(older="wait_eq", current="wait_ge")
    else:
        advice = f"wait for {value}, or let as many nodes increment it as are waited for"
        other = Argument(name="value", value=str(value), position=0)
    stays = "nobody changes it" if value == initial else f"it stays {value}"
    return Deadlock(
        error(
            "TTL0920",
            f"deadlock: {who} waits until {semaphore} is {goal}, but {stays}",
            help=_tried(advice, doubt),
        ).remedied_by(None if doubt else other),
        f"waits until it is {goal} here",
    )


# --- more blocks end the deadlock -----------------------------------------------------------------------


def with_more_blocks(
    grown: Mapping[str, tuple[int, int]], *, kahn: bool, l1_needed: int = 0, l1_budget: int = 0
) -> str:
    """Return the finding that the operation ends if buffers have more blocks; ``grown`` maps each to (has, needs).

    ``kahn``: the operation communicates through buffers and unicast pipes only. ``l1_needed`` is reported when it
    exceeds the budget; both are in bytes.
    """
    (_, new), *others = grown.values()
    least = f", with {new - 1} it does not" if not others and new > 2 else ""
    sure = "(checked, and true for every schedule)" if kahn else "(checked in this schedule)"
    large = (
        f"; but that takes {l1_needed} bytes of L1, and a node has {l1_budget}"
        if l1_needed > l1_budget
        else ""
    )
    return f"with {_counts(grown)} the operation runs to its end{least} {sure}{large}"


def further_with_more_blocks(grown: Mapping[str, tuple[int, int]], *, cut_short: bool) -> str:
    """Return the finding that more blocks (has, needs) let the kernels get further, but not to their end."""
    then = "how far was not tried to the end" if cut_short else "but stop later for another reason"
    return f"with {_counts(grown)} the kernels continue from here, {then}"


def too_few_blocks(grown: Mapping[str, tuple[int, int]], block_count: int, finding: str) -> Deadlock:
    """Buffers have too few blocks (TTL0916). ``grown`` maps each buffer to (has, needs).

    ``block_count`` is that of the buffer whose block is waited for.
    """
    olds = ", ".join(dict.fromkeys(str(old) for old, _ in grown.values()))
    message = f"deadlock: block_count={olds} is too small for {listed(grown)}"
    result = error("TTL0916", message, help=finding)
    if len(grown) == 1:
        result = result.remedied_by(with_blocks(next(iter(grown.values()))[1]))
    return Deadlock(result, no_room(block_count))


def other_order(
    cycle: str,
    full: str,
    other: str,
    producer: str,
    consumer: str,
    block_count: int,
    finding: str,
    more: Remedy | None = None,
) -> Deadlock:
    """One kernel fills ``full`` before ``other``, and another empties them in the opposite order (TTL0917).

    ``cycle`` is a text of ``waiting.together``, ``finding`` the effect of more blocks, ``more`` the edit that adds
    them.
    """
    advice = (
        f"use both buffers in the same order: {producer} fills {full} before {other}, "
        f"and {consumer} waits for {other} before it has emptied {full}",
        f"or make room for everything that is pushed meanwhile: {finding}",
    )
    result = error("TTL0917", f"deadlock: {cycle}", help=advice).remedied_by(more)
    return Deadlock(result, no_room(block_count))


def undecided(cycle: str, buffer: str, block_count: int, reason: str) -> Deadlock:
    """A full buffer in a cycle of waits where more blocks may or may not help, for ``reason`` (TTL0910)."""
    advice = (
        f"block_count={block_count} may be too small for {buffer}, "
        f"or the kernels use their buffers in different orders ({reason})",
        f"try block_count={block_count + 1} for {buffer}; if it stops again later, change the order",
    )
    message = f"deadlock: {cycle}: {in_use(block_count, buffer)}"
    return Deadlock(error("TTL0910", message, help=advice), no_room(block_count))


# --- no kernel pushes the first block --------------------------------------------------------------------


def never_primed(
    who: KernelOnNode,
    block: int,
    buffer: str,
    producer: str,
    shape: tuple[int, ...],
    primed: int,
    *,
    computes: bool,
    repeats: bool,
    left: int,
    block_count: int,
    needed: int,
    kahn: bool,
    doubt: str,
) -> Deadlock:
    """A kernel waits for a block that is pushed only after that wait (TTL0921). ``block`` is its number, from 1.

    The trial pushed ``primed`` blocks of ``shape`` in ``producer`` before its loop (``repeats``: it has one), for which
    the buffer must have ``needed`` blocks; ``left`` blocks were left at the end. ``computes``: ``producer``
    is a compute kernel.
    """
    itself = producer == who.kernel
    ordinal = "the first block" if block == 1 else f"block {block}"
    message = f"deadlock: {who} waits for {ordinal} of {buffer}, which {'it' if itself else producer} pushes only after that"
    amount = "a first block" if block == 1 else "one block more"
    if primed > 1:
        amount = f"{primed} {'first blocks' if block == 1 else 'blocks more'}"
    before = "its loop" if repeats else "that"
    how = f"blk.store(ttl.block.fill(0, shape={shape}))" if computes else "ttl.copy(first, blk).wait()"
    result = "(checked, and true for every schedule)" if kahn else "(checked in this schedule)"
    room = f" and block_count={needed}" if needed > block_count else ""
    ends = "" if doubt else f"; with it{room} the operation runs to its end {result}"
    advice = [
        f"push {amount} of {buffer} in {producer} before {before}: with {buffer}.reserve() as blk: {how}{ends}"
    ]
    if doubt:
        advice.append(doubt)
    elif left > 0:
        advice.append(
            f"then {_blocks(left)} of {buffer} {'is' if left == 1 else 'are'} left when the operation ends: "
            f"wait for {'it' if left == 1 else 'them'} after the loop, if the result is needed"
        )
    lacking = primed - left
    if lacking > 0 and not itself and not doubt:
        # A loop with one iteration too few is a more likely mistake than a missing first block.
        fact = f"in all, {who.kernel} waits for {_blocks(lacking)} of {buffer} more than {producer} pushes"
        advice = [
            f"{fact}: {_AGREE}",
            f"or {advice[0]}",
            *advice[1:],
        ]
    found_out = error("TTL0921", message, help=tuple(advice))
    if itself and repeats and computes and primed == 1 and needed <= block_count and not doubt:
        first = f"with {buffer}.reserve() as first_blk: first_blk.store(ttl.block.fill(0, shape={shape}))"
        found_out = found_out.remedied_by(BeforeLoops(description="push it", text=first))
    return Deadlock(found_out, f"waits here for {ordinal} of {buffer}")


# --- a wrong or a missing call --------------------------------------------------------------------------


def wait_instead_of_reserve(who: KernelOnNode, buffer: str) -> Deadlock:
    """A kernel waits for the blocks that it should fill (TTL0912)."""
    return Deadlock(
        error(
            "TTL0912",
            f"deadlock: {who} waits for {buffer} and then writes to the block",
            help=f"write {buffer}.reserve() here: the kernel that fills a buffer reserves its blocks",
            subject=Subject.ACQUISITION,
        ).remedied_by(Rename(older="wait", current="reserve")),
        "reserve() gives a free block, wait() a filled one",
    )


def release_left_out(who: KernelOnNode, wait: Wait, holder: str) -> Deadlock:
    """The kernel ``holder`` omits a push or a pop on some path, and a kernel waits for that (TTL0915)."""
    verb, method = ("push", "reserve") if wait.kind == "data" else ("pop", "wait")
    leaver = "" if holder == who.kernel else f"{holder} "
    return Deadlock(
        error(
            "TTL0915",
            f"deadlock: {who} {wait}, and {leaver}leaves a block of it without a {verb}",
            help=f"{verb} the block on every path, or use: with {wait.what}.{method}() as blk:",
            subject=Subject.RELEASE,
        ),
        f"{wait} here",
    )


def held_while_waiting(who: KernelOnNode, buffer: str, holder: KernelOnNode, before: str) -> Deadlock:
    """A kernel has written a block and waits before it pushes it, and that wait depends on the push (TTL0915).

    ``before`` is a text like ``line 12``.
    """
    name = "" if holder == who else f"{holder} "
    return Deadlock(
        error(
            "TTL0915",
            f"deadlock: {who} waits for {buffer}, and {name}has not pushed the block it has written",
            help=f"push the block of {buffer} before {before}: end its with statement there, or call push()",
            subject=Subject.RELEASE,
        ),
        f"waits for {buffer} here",
    )


def in_a_cycle(cycle: str, who: KernelOnNode, first: Wait, advice: str, *, doubt: str = "") -> Deadlock:
    """Return the report for kernels that wait for each other (TTL0917).

    ``advice`` comes from ``waiting.how_to_break``.
    """
    over = f": {who} {first}" if first.kind in ("message", "pipe") else ""
    return Deadlock(error("TTL0917", f"deadlock: {cycle}{over}", help=_tried(advice, doubt)), f"{first} here")


def _agree(fact: str, doubt: str) -> tuple[str, ...]:
    """Return the advice to make loops agree, if a trial showed that this ends the deadlock; else fact and doubt."""
    return (fact, doubt) if doubt else (f"{fact}: {_AGREE}",)


def _tried(advice: str | tuple[str, ...], doubt: str) -> tuple[str, ...]:
    """Return the advice, followed by the doubt about it if there is one."""
    several = (advice,) if isinstance(advice, str) else advice
    return (*several, doubt) if doubt else several


def _counts(grown: Mapping[str, tuple[int, int]]) -> str:
    return " and ".join(f"block_count={new} for {name}" for name, (_, new) in grown.items())


def _blocks(count: int) -> str:
    return counted(count, "block")
