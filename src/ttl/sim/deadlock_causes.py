"""The likely cause of a deadlock, from the facts and, where it could be made, from the trial.

A cause is a code of its own. The functions are asked in the order of ``find``; the first that recognises its
cause has the word.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ttl.diag import TTLError
from ttl.sim.buffer import SimBuffer, WaitForData, WaitForSpace
from ttl.sim.deadlock_facts import (
    BufferState,
    Snapshot,
    Stuck,
    coordinate,
    pipe_name,
    place,
    semaphore_name,
    waits,
)
from ttl.sim.deadlock_trial import Trial
from ttl.sim.kernel import Kernel, Node
from ttl.sim.kernel_code import may_call, names_in
from ttl.sim.pipes import WaitToReceive, WaitToSend
from ttl.sim.semaphores import WaitForSemaphore
from ttl.source.spans import Site

if TYPE_CHECKING:
    from ttl.sim.engine import Engine

# What a kernel fails with when it goes on and a push, or a pop, was left out on some path.
_NO_PUSH = ("TTL0901", "TTL0317", "TTL0322")
_NO_POP = ("TTL0902", "TTL0318", "TTL0329")
# What it fails with when it writes a block it waited for.
_WRITTEN_AFTER_WAIT = ("TTL0304", "TTL0308")


@dataclass(frozen=True, kw_only=True, slots=True)
class Cause:
    """What to report: ``stuck`` is where, ``label`` what happens there, ``more`` are further places."""

    code: str
    message: str
    stuck: Stuck
    label: str
    help: tuple[str, ...]
    more: tuple[tuple[Site | None, str], ...] = ()


class Case:
    """The facts and the trial of one deadlock."""

    def __init__(self, engine: Engine, facts: Snapshot, trial: Trial | None) -> None:
        self.engine = engine
        self.facts = facts
        self.trial = trial

    def find(self) -> Cause:
        """The cause: either nobody is left who could end some wait, or kernels wait in a circle."""
        return (
            self._too_few_blocks()
            or self._wait_instead_of_reserve()
            or self._release_left_out()
            or self._nobody_left()
            or self._never_provided()
            or self._held_while_waiting()
            or self._circle()
        )

    # --- more blocks would do -----------------------------------------------------------------------------

    def _too_few_blocks(self) -> Cause | None:
        trial = self.trial
        if trial is None or not trial.ended_by_growing:
            return None
        grown = {name: (old, new) for name, old, new in self._grown(trial)}
        cycle = self.facts.cycle()
        space = next(
            each
            for each in cycle
            if isinstance(each.reason, WaitForSpace) and each.reason.buffer in trial.grown
        )
        assert isinstance(space.reason, WaitForSpace)
        buffer = space.reason.buffer
        counts = " and ".join(f"block_count={new} for {name}" for name, (_, new) in grown.items())
        checked = f"with {counts} the operation runs to its end" + self._sure(grown) + self._too_large(trial)
        other = next((each.reason for each in cycle if isinstance(each.reason, WaitForData)), None)
        label = f"waits here for a free block: all {self.facts.buffers[buffer].block_count} are in use"
        if other is not None and len(cycle) > 1 and trial.grown[buffer] >= buffer.pushed > 1:
            first, second = buffer.name, other.buffer.name
            provider, taker = space.kernel.name, (buffer.consumer or space.kernel).name
            return Cause(
                code="TTL0917",
                message=f"deadlock: {self._together(cycle)}",
                stuck=space,
                label=label,
                help=(
                    f"use both buffers in the same order: {provider} fills {first} before {second}, "
                    f"and {taker} waits for {second} before it has emptied {first}",
                    f"or make room for everything that is pushed meanwhile: {checked}",
                ),
            )
        names = _and(grown)
        olds = ", ".join(dict.fromkeys(str(old) for old, _ in grown.values()))
        return Cause(
            code="TTL0916",
            message=f"deadlock: block_count={olds} is too small for {names}",
            stuck=space,
            label=label,
            help=(checked,),
        )

    def _grown(self, trial: Trial) -> Iterator[tuple[str, int, int]]:
        largest: dict[Site | None, tuple[SimBuffer, int]] = {}
        for buffer, count in trial.grown.items():
            known = largest.get(buffer.site)
            if known is None or known[1] < count:
                largest[buffer.site] = (buffer, count)
        for buffer, count in largest.values():
            yield buffer.name, self.facts.buffers[buffer].block_count, count

    def _sure(self, grown: dict[str, tuple[int, int]]) -> str:
        (_, new), *others = grown.values()
        least = f", with {new - 1} it does not" if not others and new > 2 else ""
        if self.facts.only_buffers_and_unicast:
            return f"{least} (checked, and true for every schedule)"
        return f"{least} (checked in this schedule)"

    def _too_large(self, trial: Trial) -> str:
        chip = self.engine.chip
        budget = chip.l1_bytes - chip.l1_reserved_bytes
        for node in dict.fromkeys(buffer.node for buffer in trial.grown):
            needed = sum(buffer.type.nbytes * buffer.block_count for buffer in node.buffers)
            if needed > budget:
                return f"; but that takes {needed} bytes of L1 and a node has {budget}"
        return ""

    # --- a wrong call ------------------------------------------------------------------------------------

    def _wait_instead_of_reserve(self) -> Cause | None:
        trial = self.trial
        if trial is None or trial.failed_in is None or self._failure_code() not in _WRITTEN_AFTER_WAIT:
            return None
        filled = next((buffer for buffer in trial.made_up_blocks if buffer.consumer is trial.failed_in), None)
        if filled is None:
            return None
        for stuck in self.facts.stuck:
            match stuck.reason:
                case WaitForData(buffer=buffer) if (
                    buffer.producer is None
                    and trial.made_up_blocks[buffer]
                    and buffer.site == filled.site
                ):
                    return Cause(
                        code="TTL0912",
                        message=f"deadlock: {self._who(stuck.kernel)} waits for {buffer.name} and then writes to the block",
                        stuck=stuck,
                        label="reserve() gives a free block, wait() a filled one",
                        help=(
                            f"write {buffer.name}.reserve() here: the kernel that fills a buffer reserves its blocks",
                        ),
                    )
        return None

    def _release_left_out(self) -> Cause | None:
        code, failed = self._failure_code(), self.trial.failed_in if self.trial is not None else None
        if failed is None or code not in _NO_PUSH + _NO_POP:
            return None
        pushes = code in _NO_PUSH
        for buffer in failed.node.buffers:
            held = buffer.held_reserved if pushes else buffer.held_waited
            waiting = self._waiting_for(buffer, WaitForData if pushes else WaitForSpace)
            if not held or held[0].kernel is not failed or waiting is None:
                continue
            verb, done, method = ("push", "pushed", "reserve") if pushes else ("pop", "popped", "wait")
            what = "waits for" if pushes else "waits to reserve"
            return Cause(
                code="TTL0915",
                message=f"deadlock: {self._who(waiting.kernel)} {what} {buffer.name}, "
                f"and {failed.name} leaves a block of it without a {verb}",
                stuck=waiting,
                label=f"{what} {buffer.name} here",
                more=((held[0].site, f"this block is not {done} on every path"),),
                help=(f"{verb} the block on every path, or use: with {buffer.name}.{method}() as blk:",),
            )
        return None

    def _held_while_waiting(self) -> Cause | None:
        """A kernel has written a block and not pushed it, and what it waits for hangs on that block."""
        for stuck in self.facts.cycle():
            match stuck.reason:
                case WaitForData(buffer=buffer):
                    state = self.facts.buffers[buffer]
                    if not (state.writing and state.written and state.producer is not None):
                        continue
                    holder = state.producer
                    at = self.facts.of(holder)
                    whose = "it" if holder is stuck.kernel else self._who(holder)
                    return Cause(
                        code="TTL0915",
                        message=f"deadlock: {self._who(stuck.kernel)} waits for {buffer.name}, "
                        f"and {whose} has not pushed the block it has written",
                        stuck=stuck,
                        label=f"waits for {buffer.name} here",
                        more=((state.writing[0].site, "this block is written and not pushed yet"),),
                        help=(
                            f"push the block of {buffer.name} before line "
                            f"{place(at.site if at is not None else None).removeprefix('line ')}: "
                            "end its with statement there, or call push() on this path, too",
                        ),
                    )
        return None

    # --- nobody is left who could -------------------------------------------------------------------------

    def _nobody_left(self) -> Cause | None:
        """A wait that nobody can end any more; those nearest to the mistake first."""
        order = (WaitForData, WaitToReceive, WaitToSend, WaitForSpace, WaitForSemaphore)
        alone = [each for each in self.facts.stuck if each.missing is not None]
        for stuck in sorted(alone, key=lambda each: order.index(type(each.reason))):
            return self._alone(stuck)
        return None

    def _never_provided(self) -> Cause | None:
        """Somebody was left who could, but the trial showed that he never would."""
        trial = self.trial
        if trial is None or not trial.ended:
            return None
        for stuck in self.facts.stuck:
            match stuck.reason:
                case WaitForData(buffer=buffer):
                    missing = trial.blocks_missing(buffer) > 0
                case WaitToReceive(pipe=pipe, node=node):
                    missing = trial.messages_missing(pipe, node) > 0
                case WaitToSend(pipe=pipe):
                    missing = any(trial.messages_missing(pipe, node) < 0 for node in pipe.channel.dsts)
                case WaitForSemaphore(semaphore=semaphore, value=value):
                    node = stuck.kernel.node.index
                    key = semaphore, node
                    missing = key in trial.semaphores and trial.semaphore_missing(semaphore, node, value)
                case _:
                    missing = False
            if missing:
                return self._alone(stuck)
        return None

    def _alone(self, stuck: Stuck) -> Cause:
        match stuck.reason:
            case WaitForData(buffer=buffer):
                state = self.facts.buffers[buffer]
                return (
                    self._nobody_fills(stuck, buffer)
                    if state.pushed == 0 and (state.producer is None)
                    else self._too_few_pushes(stuck, state)
                )
            case WaitForSpace(buffer=buffer):
                return self._too_few_pops(stuck, self.facts.buffers[buffer])
            case WaitToReceive():
                return self._nobody_sends(stuck, stuck.reason)
            case WaitToSend():
                return self._nobody_receives(stuck, stuck.reason)
            case WaitForSemaphore():
                return self._semaphore(stuck, stuck.reason)

    def _nobody_fills(self, stuck: Stuck, buffer: SimBuffer) -> Cause:
        node = stuck.kernel.node
        name = buffer.name
        able = [kernel for kernel in node.kernels if may_call(kernel.function, buffer, "reserve")]
        if not able:
            help_ = f"no kernel calls {name}.reserve(): reserve, write and push a block in the kernel that has the data"
        else:
            verb = "ended without reaching it" if able[0] in self.facts.ended else "does not reach it"
            help_ = f"{able[0].name} has a {name}.reserve(), but on {coordinate(node)} it {verb}: "
            if self._is_outside(able[0]):
                help_ += "no pipe starts or ends at this node, so functions given to if_src and if_dst are not called; "
            help_ += f"let {stuck.kernel.name} wait only where it is reached, under the same condition"
        return Cause(
            code="TTL0911",
            message=f"deadlock: {self._who(stuck.kernel)} waits for {name}, which no kernel fills",
            stuck=stuck,
            label=f"waits for {name} here",
            more=((buffer.site, "the buffer is made here"),),
            help=(help_,),
        )

    def _too_few_pushes(self, stuck: Stuck, state: BufferState) -> Cause:
        buffer, producer = state.buffer, state.producer or stuck.kernel
        name = buffer.name
        if self.trial is not None and self.trial.ended:
            wanted = buffer.waited
            pushed = buffer.pushed - self.trial.made_up_blocks[buffer]
            help_ = (
                f"in all, {stuck.kernel.name} waits for {_blocks(wanted)} and {producer.name} pushes {pushed}: "
                "make their loops, and the conditions in them, agree"
            )
        else:
            pushed = state.pushed
            help_ = (
                f"{producer.name} ended after {_times(pushed, 'push', 'pushes')}: "
                "make its loop, and the conditions in it, agree with the loop of " + stuck.kernel.name
            )
        return Cause(
            code="TTL0913",
            message=f"deadlock: {self._who(stuck.kernel)} waits for block {state.waited + 1} of {name}, "
            f"and {producer.name} pushes only {pushed}",
            stuck=stuck,
            label=f"waits here for block {state.waited + 1} of {name}",
            more=self._last_push(state),
            help=(help_,),
        )

    def _last_push(self, state: BufferState) -> tuple[tuple[Site | None, str], ...]:
        block = state.buffer.last_reserved
        if block is None or state.producer is None:
            return ()
        return ((block.site, f"{state.producer.name} reserves here"),)

    def _too_few_pops(self, stuck: Stuck, state: BufferState) -> Cause:
        buffer, consumer = state.buffer, state.consumer
        name = buffer.name
        if consumer is None:
            message = f"deadlock: {self._who(stuck.kernel)} waits to reserve {name}, which no kernel empties"
            help_ = f"wait for every block of {name} and pop it in another kernel, or do not push it"
            more: tuple[tuple[Site | None, str], ...] = ((buffer.site, "the buffer is made here"),)
        else:
            message = (
                f"deadlock: {self._who(stuck.kernel)} waits to reserve {name} for block {state.reserved + 1}, "
                f"and {consumer.name} takes only {state.waited}"
            )
            help_ = f"{consumer.name} ended after {_times(state.popped, 'pop', 'pops')}: make the loops agree"
            if self.trial is not None and self.trial.ended:
                help_ = (
                    f"in all, {stuck.kernel.name} pushes {_blocks(buffer.pushed)} and {consumer.name} takes "
                    f"{buffer.waited}: make their loops, and the conditions in them, agree"
                )
            taken = buffer.last_waited
            more = ((taken.site, f"{consumer.name} takes blocks here"),) if taken is not None else ()
        return Cause(
            code="TTL0914",
            message=message,
            stuck=stuck,
            label=f"waits here for a free block: all {state.block_count} are in use",
            more=more,
            help=(help_,),
        )

    def _nobody_sends(self, stuck: Stuck, reason: WaitToReceive) -> Cause:
        pipe, channel = reason.pipe, reason.pipe.channel
        source = self.engine.nodes[channel.src]
        made_up = self.trial.made_up_messages[pipe, reason.node] if self.trial is not None else 0
        sent = channel.sent
        many = "nothing is" if sent == 0 else f"only {sent} {'was' if sent == 1 else 'were'}"
        help_ = f"let {coordinate(source)} send as often as {coordinate(stuck.kernel.node)} receives"
        if made_up and self.trial is not None and self.trial.ended:
            help_ += f": it sends {_times(sent, 'block', 'blocks')} in all, and {made_up} more {'is' if made_up == 1 else 'are'} received"
        senders = [kernel for kernel in source.kernels if "if_src" in names_in(kernel.function)]
        if not senders:
            help_ += "; no kernel there calls if_src on the net"
        return Cause(
            code="TTL0918",
            message=f"deadlock: {self._who(stuck.kernel)} waits to receive from {pipe_name(pipe)}, on which {many} sent",
            stuck=stuck,
            label="waits to receive here",
            more=((pipe.pipe.site, "the pipe is made here"),),
            help=(
                help_,
                "or build the net only from the pipes on which something is sent",
            ),
        )

    def _nobody_receives(self, stuck: Stuck, reason: WaitToSend) -> Cause:
        pipe, channel = reason.pipe, reason.pipe.channel
        node = stuck.missing
        if node is None:
            node = self.engine.nodes[min(channel.remaining, default=channel.dsts[0])]
        return Cause(
            code="TTL0919",
            message=f"deadlock: {self._who(stuck.kernel)} waits to send on {pipe_name(pipe)}, "
            f"and {coordinate(node)} does not receive what was sent before",
            stuck=stuck,
            label="this send waits for the one before it",
            more=((pipe.pipe.site, "the pipe is made here"),),
            help=(
                f"let every destination receive every send: {coordinate(node)} lacks a ttl.copy(pipe, blk) in if_dst",
                f"or leave {coordinate(node)} out of the pipe's destinations",
            ),
        )

    def _semaphore(self, stuck: Stuck, reason: WaitForSemaphore) -> Cause:
        semaphore, node = reason.semaphore, stuck.kernel.node
        name = semaphore_name(semaphore)
        value = semaphore.values[node.index]
        if self.trial is not None and (semaphore, node.index) in self.trial.semaphores:
            before, made_up = self.trial.semaphores[semaphore, node.index]
            value = before + value - made_up if value >= made_up else before
        wanted = f"{reason.value}" if reason.exact else f"at least {reason.value}"
        untouched = value == semaphore.initial
        stays = "nobody changes it" if untouched else f"it stays {value}"
        if untouched:
            help_ = f"let another node change it here: {name.removeprefix('semaphore ')}.get_remote(node).inc(1) or .set(...)"
        elif reason.exact and value > reason.value:
            help_ = f"it has passed {reason.value}: write wait_ge({reason.value}), which later changes cannot overtake"
        else:
            help_ = f"wait for {value}, or let as many nodes increment it as are waited for"
        return Cause(
            code="TTL0920",
            message=f"deadlock: {self._who(stuck.kernel)} waits until {name} is {wanted}, but {stays}",
            stuck=stuck,
            label=f"waits until it is {wanted} here",
            more=((semaphore.site, f"the semaphore starts at {semaphore.initial}"),),
            help=(help_,),
        )

    # --- a circle -----------------------------------------------------------------------------------------

    def _circle(self) -> Cause:
        cycle = self.facts.cycle()
        assert cycle, "whoever is stuck has nobody left to wait for, or waits in a circle"
        kinds = {type(each.reason) for each in cycle}
        if WaitForSpace in kinds and (self.trial is None or not self.trial.ended):
            return self._undecided(cycle)
        first = cycle[0]
        return Cause(
            code="TTL0917",
            message=f"deadlock: {self._together(cycle)}",
            stuck=first,
            label=f"{waits(first.reason)} here",
            help=(_break_up(cycle),),
        )

    def _undecided(self, cycle: tuple[Stuck, ...]) -> Cause:
        """A full buffer in a circle, and no trial that shows whether more blocks would do."""
        space = next(each for each in cycle if isinstance(each.reason, WaitForSpace))
        assert isinstance(space.reason, WaitForSpace)
        state = self.facts.buffers[space.reason.buffer]
        name = state.buffer.name
        reason = (
            "the kernels change things outside the operation, so nothing was tried"
            if self.trial is None
            else "trying it did not lead to the end of the operation"
        )
        return Cause(
            code="TTL0910",
            message=f"deadlock: {self._together(cycle)}",
            stuck=space,
            label=f"waits here for a free block: all {state.block_count} are in use",
            help=(
                f"block_count={state.block_count} may be too small for {name}, or the kernels use their buffers in "
                f"different orders ({reason})",
                f"try block_count={state.block_count + 1} for {name}; if it stops again later, change the order",
            ),
        )

    def _together(self, cycle: tuple[Stuck, ...]) -> str:
        if len(cycle) == 1:
            return f"{self._who(cycle[0].kernel)} waits for itself"
        if len(cycle) > 4:
            return f"{len(cycle)} kernels wait for each other in a circle"
        return f"{_and(self._who(each.kernel) for each in cycle)} wait for each other"

    # --- words --------------------------------------------------------------------------------------------

    def _failure_code(self) -> str:
        failure = self.trial.failure if self.trial is not None else None
        return failure.code if isinstance(failure, TTLError) else ""

    def _waiting_for(self, buffer: SimBuffer, kind: type[WaitForData] | type[WaitForSpace]) -> Stuck | None:
        for stuck in self.facts.stuck:
            if isinstance(stuck.reason, kind) and stuck.reason.buffer is buffer:
                return stuck
        return None

    def _is_outside(self, kernel: Kernel) -> bool:
        """Whether a kernel that uses pipes runs on a node without any."""
        index = kernel.node.index
        nets = self.engine.pipes.nets
        uses = not names_in(kernel.function).isdisjoint(("if_src", "if_dst"))
        return uses and bool(nets) and not any(net.by_src.get(index) or net.by_dst.get(index) for net in nets)

    def _who(self, kernel: Kernel) -> str:
        return who(kernel, self.facts.nodes)


def who(kernel: Kernel, nodes: tuple[Node, ...]) -> str:
    """``read``, or with more than one node ``read on node (0, 1)``."""
    return kernel.name if len(nodes) == 1 else f"{kernel.name} on {coordinate(kernel.node)}"


def _break_up(cycle: tuple[Stuck, ...]) -> str:
    reasons = [each.reason for each in cycle]
    if any(isinstance(reason, WaitForSemaphore) for reason in reasons):
        return "let one of them set or increment what the other waits for before it waits itself"
    if any(isinstance(reason, WaitToReceive) for reason in reasons):
        return "send first and receive then, at least on one of the nodes: a send waits only for earlier sends on its pipe"
    if any(isinstance(reason, WaitToSend) for reason in reasons):
        return "receive what was sent before sending again, at least on one of the nodes"
    if len(cycle) == 1:
        return "a kernel cannot wait for what it provides itself later: push the block first"
    return f"let one of them go first: {cycle[0].kernel.name} could push before it waits, or {cycle[-1].kernel.name} could"


def _and(names: object) -> str:
    listed = list(dict.fromkeys(names))  # type: ignore[call-overload]
    return " and ".join(part for part in (", ".join(listed[:-1]), listed[-1]) if part)


def _blocks(count: int) -> str:
    return _times(count, "block", "blocks")


def _times(count: int, one: str, several: str) -> str:
    return f"{count} {one if count == 1 else several}"
