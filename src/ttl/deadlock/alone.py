"""Causes of a wait that no kernel can end: the block, message or change is never provided, or not often enough."""

from __future__ import annotations

from ttl.deadlock.case import Cause, DeadlockCase
from ttl.deadlock.graph import Stuck
from ttl.deadlock.trial import NEAREST
from ttl.rules import deadlocks as rules
from ttl.rules.labels import BUFFER_MADE, PIPE_MADE, reserves, starts_at, takes_blocks
from ttl.rules.words import node_name


def reset_missed(case: DeadlockCase) -> Cause | None:
    """A kernel waits at a reset for a kernel that does not come.

    A wait of the compute kernel, which waits for all others, takes precedence.
    """
    network = case.network
    at_resets = [
        stuck
        for stuck in case.facts.stuck
        if stuck.kind in ("data", "space") and network.buffers[stuck.resource].token_of is not None
    ]
    if not at_resets:
        return None
    stuck = min(at_resets, key=lambda stuck: stuck.kind == "space")
    late = network.buffers[stuck.resource].token_of
    if stuck.kind == "space":
        taker = network.consumer(stuck.resource)
        late = "the compute kernel" if taker is None else network.kernels[taker].name
    return Cause(told=rules.reset_missed(case.facts.who(stuck.kernel), str(late)), stuck=stuck)


def nobody_left(case: DeadlockCase) -> Cause | None:
    """Every kernel that could end a wait has ended, or there never was such a kernel."""
    alone = [stuck for stuck in case.facts.stuck if stuck.missing is not None]
    if not alone:
        return None
    return _cause(case, min(alone, key=lambda stuck: NEAREST.index(stuck.kind)))


def never_provided(case: DeadlockCase) -> Cause | None:
    """A kernel is left that could end a wait, but the trial showed that it never would."""
    trial = case.ended
    if trial is None:
        return None
    for stuck in case.facts.stuck:
        resource, node = stuck.resource, case.facts.node(stuck.kernel)
        match stuck.kind:
            case "data":
                missing = trial.blocks_missing(resource) > 0
            case "message":
                missing = trial.messages_missing(resource, node) > 0
            case "pipe":
                ends = case.network.pipes[resource].destinations
                missing = any(trial.messages_missing(resource, end) < 0 for end in ends)
            case "semaphore":
                missing = trial.semaphore_missing(resource, node, stuck.waiting.value)
            case "space":
                missing = -trial.blocks_missing(resource) > case.facts.buffers[resource].block_count
        if missing:
            return _cause(case, stuck)
    return None


def _cause(case: DeadlockCase, stuck: Stuck) -> Cause:
    match stuck.kind:
        case "data":
            producer = case.facts.buffers[stuck.resource].producer
            if producer is None and case.ended is not None:
                producer = case.ended.network.producer(stuck.resource)
            return _nobody_fills(case, stuck) if producer is None else _too_few_pushes(case, stuck, producer)
        case "space":
            consumer = case.facts.buffers[stuck.resource].consumer
            if consumer is None and case.ended is not None:
                consumer = case.ended.network.consumer(stuck.resource)
            return _nobody_empties(case, stuck) if consumer is None else _too_few_pops(case, stuck, consumer)
        case "message":
            return _too_few_sends(case, stuck)
        case "pipe":
            return _too_few_receives(case, stuck)
        case "semaphore":
            return _semaphore(case, stuck)


def _nobody_fills(case: DeadlockCase, stuck: Stuck) -> Cause:
    network, buffer = case.network, stuck.resource
    node = case.facts.node(stuck.kernel)
    able = [
        kernel
        for kernel, it in enumerate(network.kernels)
        if it.node == node and network.calls_reserve(kernel, buffer)
    ]
    ended = case.facts.ended
    filler = next((kernel for kernel in able if kernel in ended), able[0] if able else None)
    told = rules.nobody_fills(
        case.facts.who(stuck.kernel),
        network.buffers[buffer].name,
        None if filler is None else network.kernels[filler].name,
        ended=filler in ended,
        outside=filler is not None and _is_outside(case, filler),
        in_tensor=network.buffers[buffer].in_tensor,
        doubt=case.doubt(),
    )
    return Cause(told=told, stuck=stuck, more=((network.buffers[buffer].made, BUFFER_MADE),))


def _too_few_pushes(case: DeadlockCase, stuck: Stuck, producer: int) -> Cause:
    buffer, trial = stuck.resource, case.ended
    state = case.facts.buffers[buffer]
    name = case.network.kernels[producer].name
    told = rules.too_few_pushes(
        case.facts.who(stuck.kernel),
        case.network.buffers[buffer].name,
        state.waited + 1,
        name,
        state.pushed if trial is None else trial.pushed(buffer),
        None if trial is None else trial.waited(buffer),
        doubt=case.doubt(),
    )
    return Cause(told=told, stuck=stuck, more=((state.filled_at, reserves(name)),))


def _nobody_empties(case: DeadlockCase, stuck: Stuck) -> Cause:
    buffer = stuck.resource
    buffer_made = case.network.buffers[buffer]
    count = case.facts.buffers[buffer].block_count
    told = rules.nobody_empties(case.facts.who(stuck.kernel), buffer_made.name, count, doubt=case.doubt())
    return Cause(told=told, stuck=stuck, more=((buffer_made.made, BUFFER_MADE),))


def _too_few_pops(case: DeadlockCase, stuck: Stuck, consumer: int) -> Cause:
    buffer, trial = stuck.resource, case.ended
    state = case.facts.buffers[buffer]
    name = case.network.kernels[consumer].name
    told = rules.too_few_pops(
        case.facts.who(stuck.kernel),
        case.network.buffers[buffer].name,
        state.pushed + state.writing + 1,
        state.block_count,
        name,
        state.waited if trial is None else trial.waited(buffer),
        None if trial is None else trial.network.buffer(buffer).pushed,
        doubt=case.doubt(),
    )
    return Cause(told=told, stuck=stuck, more=((state.taken_at, takes_blocks(name)),))


def _too_few_sends(case: DeadlockCase, stuck: Stuck) -> Cause:
    network, trial = case.network, case.ended
    pipe, node = network.pipes[stuck.resource], case.facts.node(stuck.kernel)
    sent, received_in_all = case.facts.pipes[stuck.resource].sent, None
    pipes = [network.pipes[number] for number in (stuck.resource, *stuck.waiting.others)]
    if len(pipes) > 1:
        sources = dict.fromkeys(node_name(network.nodes[other.source][0]) for other in pipes)
        told = rules.nothing_first(
            case.facts.who(stuck.kernel), case.facts.what(stuck), list(sources), doubt=case.doubt()
        )
        return Cause(told=told, stuck=stuck, more=tuple((other.made, PIPE_MADE) for other in pipes))
    if trial is not None:
        sent = trial.network.pipe(stuck.resource).sent
        received_in_all = sent + trial.messages_missing(stuck.resource, node)
    told = rules.too_few_sends(
        case.facts.who(stuck.kernel),
        pipe.name,
        node_name(network.nodes[pipe.source][0]),
        sent,
        received_in_all,
        sends=any(
            network.uses(kernel, "if_src")
            for kernel, it in enumerate(network.kernels)
            if it.node == pipe.source
        ),
        doubt=case.doubt(),
    )
    return Cause(told=told, stuck=stuck, more=((pipe.made, PIPE_MADE),))


def _too_few_receives(case: DeadlockCase, stuck: Stuck) -> Cause:
    network, trial = case.network, case.ended
    pipe, state = network.pipes[stuck.resource], case.facts.pipes[stuck.resource]
    node = stuck.missing
    if node is None:
        node = min(state.remaining, default=pipe.destinations[0])
    sent, received_in_all = state.sent, None
    if trial is not None:
        sent = trial.network.pipe(stuck.resource).sent
        received_in_all = sent + trial.messages_missing(stuck.resource, node)
    told = rules.too_few_receives(
        case.facts.who(stuck.kernel),
        pipe.name,
        node_name(network.nodes[node][0]),
        sent,
        received_in_all,
        multicast=len(pipe.destinations) > 1,
        doubt=case.doubt(),
    )
    return Cause(told=told, stuck=stuck, more=((pipe.made, PIPE_MADE),))


def _semaphore(case: DeadlockCase, stuck: Stuck) -> Cause:
    trial, node = case.trial, case.facts.node(stuck.kernel)
    semaphore, key = case.network.semaphores[stuck.resource], (stuck.resource, node)
    network = case.network if trial is None else trial.network
    value, _ = network.semaphore(*key)
    if trial is not None and key in trial.values:
        before, made_up, _ = trial.values[key]
        value = before + value - made_up if value >= made_up else before
    told = rules.semaphore_unchanged(
        case.facts.who(stuck.kernel),
        semaphore.name,
        value,
        semaphore.initial,
        stuck.waiting.value,
        exact=stuck.waiting.exact,
        doubt=case.doubt(),
    )
    return Cause(told=told, stuck=stuck, more=((semaphore.made, starts_at(semaphore.initial)),))


def _is_outside(case: DeadlockCase, kernel: int) -> bool:
    """Whether a kernel that uses pipes runs on a node without any."""
    network, node = case.network, case.facts.node(kernel)
    uses = network.uses(kernel, "if_src") or network.uses(kernel, "if_dst")
    return (
        uses
        and bool(network.pipes)
        and not any(node == pipe.source or node in pipe.destinations for pipe in network.pipes)
    )
