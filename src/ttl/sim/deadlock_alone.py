"""Causes of a wait that nobody can end: what is waited for is never provided, or not often enough."""

from __future__ import annotations

from ttl.rules import deadlocks as rules
from ttl.rules.labels import BUFFER_MADE, PIPE_MADE, reserves, starts_at, takes_blocks
from ttl.sim.buffer import SimBuffer, WaitForData, WaitForSpace
from ttl.sim.deadlock_case import Case, Cause
from ttl.sim.deadlock_facts import BufferState, Stuck
from ttl.sim.deadlock_words import pipe_name, semaphore_name
from ttl.sim.kernel import Kernel
from ttl.sim.kernel_code import may_call, names_in
from ttl.sim.pipes import WaitToReceive, WaitToSend
from ttl.sim.semaphores import WaitForSemaphore

# Of several such waits, the kind that is nearest to the mistake.
_NEAREST = (WaitForData, WaitToReceive, WaitToSend, WaitForSpace, WaitForSemaphore)


def nobody_left(case: Case) -> Cause | None:
    """Everybody who could end a wait has ended, or there never was anybody."""
    alone = [each for each in case.facts.stuck if each.missing is not None]
    if not alone:
        return None
    return _cause(case, min(alone, key=lambda each: _NEAREST.index(type(each.reason))))


def never_provided(case: Case) -> Cause | None:
    """Somebody is left who could, but the trial showed that he never would."""
    trial = case.ended
    if trial is None:
        return None
    for stuck in case.facts.stuck:
        match stuck.reason:
            case WaitForData(buffer=buffer):
                missing = trial.blocks_missing(buffer) > 0
            case WaitToReceive(pipe=pipe, node=node):
                missing = trial.messages_missing(pipe, node) > 0
            case WaitToSend(pipe=pipe):
                missing = any(trial.messages_missing(pipe, node) < 0 for node in pipe.channel.dsts)
            case WaitForSemaphore(semaphore=semaphore, value=value):
                missing = trial.semaphore_missing(semaphore, stuck.kernel.node.index, value)
            case WaitForSpace(buffer=buffer):
                missing = trial.blocks_left_over(buffer) > case.facts.buffers[buffer].block_count
        if missing:
            return _cause(case, stuck)
    return None


def _cause(case: Case, stuck: Stuck) -> Cause:
    match stuck.reason:
        case WaitForData(buffer=buffer):
            state = case.facts.buffers[buffer]
            producer = state.producer or (buffer.producer if case.ended is not None else None)
            if producer is None:
                return _nobody_fills(case, stuck, buffer)
            return _too_few_pushes(case, stuck, state, producer)
        case WaitForSpace(buffer=buffer):
            state = case.facts.buffers[buffer]
            consumer = state.consumer or (buffer.consumer if case.ended is not None else None)
            if consumer is None:
                return _nobody_empties(case, stuck, state)
            return _too_few_pops(case, stuck, state, consumer)
        case WaitToReceive():
            return _too_few_sends(case, stuck, stuck.reason)
        case WaitToSend():
            return _too_few_receives(case, stuck, stuck.reason)
        case WaitForSemaphore():
            return _semaphore(case, stuck, stuck.reason)


def _nobody_fills(case: Case, stuck: Stuck, buffer: SimBuffer) -> Cause:
    able = [kernel for kernel in stuck.kernel.node.kernels if may_call(kernel.function, buffer, "reserve")]
    filler = next((kernel for kernel in able if kernel in case.facts.ended), able[0] if able else None)
    told = rules.nobody_fills(
        case.who(stuck.kernel),
        buffer.name,
        filler.name if filler is not None else None,
        ended=filler in case.facts.ended,
        outside=filler is not None and _is_outside(case, filler),
    )
    return Cause(told=told, stuck=stuck, more=((buffer.site, BUFFER_MADE),))


def _too_few_pushes(case: Case, stuck: Stuck, state: BufferState, producer: Kernel) -> Cause:
    buffer = state.buffer
    pushed, waited_in_all = state.pushed, None
    if case.ended is not None:
        pushed, waited_in_all = buffer.pushed - case.ended.made_up_blocks[buffer], buffer.waited
    told = rules.too_few_pushes(
        case.who(stuck.kernel), buffer.name, state.waited + 1, producer.name, pushed, waited_in_all
    )
    last = buffer.last_reserved
    more = ((last.site, reserves(producer.name)),) if last is not None else ()
    return Cause(told=told, stuck=stuck, more=more)


def _nobody_empties(case: Case, stuck: Stuck, state: BufferState) -> Cause:
    told = rules.nobody_empties(case.who(stuck.kernel), state.buffer.name, state.block_count)
    return Cause(told=told, stuck=stuck, more=((state.buffer.site, BUFFER_MADE),))


def _too_few_pops(case: Case, stuck: Stuck, state: BufferState, consumer: Kernel) -> Cause:
    buffer = state.buffer
    taken, pushed_in_all = (state.waited, None) if case.ended is None else (buffer.waited, buffer.pushed)
    told = rules.too_few_pops(
        case.who(stuck.kernel),
        buffer.name,
        state.reserved + 1,
        state.block_count,
        consumer.name,
        taken,
        pushed_in_all,
    )
    last = buffer.last_waited
    more = ((last.site, takes_blocks(consumer.name)),) if last is not None else ()
    return Cause(told=told, stuck=stuck, more=more)


def _too_few_sends(case: Case, stuck: Stuck, reason: WaitToReceive) -> Cause:
    pipe, sent = reason.pipe, reason.pipe.channel.sent
    source = case.engine.nodes[pipe.channel.src]
    told = rules.too_few_sends(
        case.who(stuck.kernel),
        pipe_name(pipe),
        str(source),
        sent,
        None if case.ended is None else sent + case.ended.messages_missing(pipe, reason.node),
        sends=any("if_src" in names_in(kernel.function) for kernel in source.kernels),
    )
    return Cause(told=told, stuck=stuck, more=((pipe.pipe.site, PIPE_MADE),))


def _too_few_receives(case: Case, stuck: Stuck, reason: WaitToSend) -> Cause:
    pipe, channel = reason.pipe, reason.pipe.channel
    node = stuck.missing
    if node is None:
        node = case.engine.nodes[min(channel.remaining, default=channel.dsts[0])]
    told = rules.too_few_receives(
        case.who(stuck.kernel),
        pipe_name(pipe),
        str(node),
        channel.sent,
        None if case.ended is None else channel.sent + case.ended.messages_missing(pipe, node.index),
        multicast=len(channel.dsts) > 1,
    )
    return Cause(told=told, stuck=stuck, more=((pipe.pipe.site, PIPE_MADE),))


def _semaphore(case: Case, stuck: Stuck, reason: WaitForSemaphore) -> Cause:
    semaphore, node = reason.semaphore, stuck.kernel.node
    value = semaphore.values[node.index]
    if case.trial is not None and (semaphore, node.index) in case.trial.semaphores:
        before, made_up, _ = case.trial.semaphores[semaphore, node.index]
        value = before + value - made_up if value >= made_up else before
    told = rules.semaphore_unchanged(
        case.who(stuck.kernel),
        semaphore_name(semaphore),
        value,
        semaphore.initial,
        reason.value,
        exact=reason.exact,
    )
    return Cause(told=told, stuck=stuck, more=((semaphore.site, starts_at(semaphore.initial)),))


def _is_outside(case: Case, kernel: Kernel) -> bool:
    """Whether a kernel that uses pipes runs on a node without any."""
    index = kernel.node.index
    nets = case.engine.pipes.nets
    uses = not names_in(kernel.function).isdisjoint(("if_src", "if_dst"))
    return uses and bool(nets) and not any(net.by_src.get(index) or net.by_dst.get(index) for net in nets)
