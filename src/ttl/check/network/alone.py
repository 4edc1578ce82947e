"""Causes of a wait that nobody can end: what is waited for is never provided, or not often enough."""

from __future__ import annotations

from ttl.check.network.case import Case, Cause
from ttl.check.network.events import Kind
from ttl.check.network.facts import Stuck
from ttl.check.network.machine import NOBODY
from ttl.rules import deadlocks as rules
from ttl.rules.labels import BUFFER_MADE, NET_MADE, reserves, starts_at, takes_blocks
from ttl.rules.words import node_name

# Of several such waits, the kind that is nearest to the mistake.
_NEAREST = (Kind.WAIT, Kind.RECEIVED, Kind.SENT, Kind.RESERVE, Kind.UNTIL_EQUAL, Kind.UNTIL_AT_LEAST)


def nobody_left(case: Case) -> Cause | None:
    """Everybody who could end a wait has ended, or there never was anybody."""
    alone = [each for each in case.stuck if each.missing is not None]
    if not alone:
        return None
    return _cause(case, min(alone, key=lambda each: _NEAREST.index(each.kind)))


def never_provided(case: Case) -> Cause | None:
    """Somebody is left who could, but the trial showed that he never would."""
    trial = case.ended
    if trial is None:
        return None
    machine = case.scene.machine
    for stuck in case.stuck:
        resource, node = stuck.resource, case.scene.node_of(stuck.process)
        match stuck.kind:
            case Kind.WAIT:
                missing = trial.blocks_missing(resource) > 0
            case Kind.RECEIVED:
                missing = trial.messages_missing(resource, machine.end_of[resource, node]) > 0
            case Kind.SENT:
                missing = any(trial.messages_missing(resource, end) < 0 for end in machine.ends[resource])
            case Kind.RESERVE:
                missing = -trial.blocks_missing(resource) > machine.counts[resource]
            case _:
                missing = trial.semaphore_missing(resource * machine.nodes + node, stuck.event.value)
        if missing:
            return _cause(case, stuck)
    return None


def _cause(case: Case, stuck: Stuck) -> Cause:
    scene, buffer = case.scene, stuck.resource
    match stuck.kind:
        case Kind.WAIT:
            producer = scene.producer(scene.machine, buffer)
            if producer == NOBODY and case.ended is not None:
                producer = scene.producer(case.ended.machine, buffer)
            return (
                _nobody_fills(case, stuck) if producer == NOBODY else _too_few_pushes(case, stuck, producer)
            )
        case Kind.RESERVE:
            consumer = scene.consumer(scene.machine, buffer)
            if consumer == NOBODY and case.ended is not None:
                consumer = scene.consumer(case.ended.machine, buffer)
            return (
                _nobody_empties(case, stuck) if consumer == NOBODY else _too_few_pops(case, stuck, consumer)
            )
        case Kind.RECEIVED:
            return _too_few_sends(case, stuck)
        case Kind.SENT:
            return _too_few_receives(case, stuck)
        case _:
            return _semaphore(case, stuck)


def _nobody_fills(case: Case, stuck: Stuck) -> Cause:
    scene, buffer = case.scene, stuck.resource
    row = scene.machine.processes[stuck.process].row
    kernels = range(row * len(scene.game.kernels), (row + 1) * len(scene.game.kernels))
    local = buffer % scene.machine.per_row
    able = [
        each for each in kernels if local in scene.mentions[scene.machine.processes[each].kernel].reserves
    ]
    done = scene.machine.done
    filler = next((each for each in able if done[each]), able[0] if able else None)
    told = rules.nobody_fills(
        case.who(stuck.process),
        scene.buffer_name(buffer),
        None if filler is None else scene.kernel_name(filler),
        ended=filler is not None and done[filler],
        outside=filler is not None and _is_outside(case, filler),
    )
    return Cause(told=told, stuck=stuck, more=((scene.buffer_op(buffer), BUFFER_MADE),))


def _too_few_pushes(case: Case, stuck: Stuck, producer: int) -> Cause:
    scene, buffer = case.scene, stuck.resource
    pushed, waited_in_all = scene.machine.pushed[buffer], None
    if case.ended is not None:
        machine = case.ended.machine
        pushed = machine.pushed[buffer] - machine.made_up[buffer]
        waited_in_all = machine.waited[buffer]
    name = scene.kernel_name(producer)
    told = rules.too_few_pushes(
        case.who(stuck.process),
        scene.buffer_name(buffer),
        scene.machine.waited[buffer] + 1,
        name,
        pushed,
        waited_in_all,
    )
    return Cause(
        told=told, stuck=stuck, more=((case.acquired(producer, buffer, reserves=True), reserves(name)),)
    )


def _nobody_empties(case: Case, stuck: Stuck) -> Cause:
    scene, buffer = case.scene, stuck.resource
    told = rules.nobody_empties(
        case.who(stuck.process), scene.buffer_name(buffer), scene.machine.counts[buffer]
    )
    return Cause(told=told, stuck=stuck, more=((scene.buffer_op(buffer), BUFFER_MADE),))


def _too_few_pops(case: Case, stuck: Stuck, consumer: int) -> Cause:
    scene, buffer = case.scene, stuck.resource
    machine = scene.machine
    taken, pushed_in_all = machine.waited[buffer], None
    if case.ended is not None:
        taken, pushed_in_all = case.ended.machine.waited[buffer], case.ended.machine.pushed[buffer]
    name = scene.kernel_name(consumer)
    told = rules.too_few_pops(
        case.who(stuck.process),
        scene.buffer_name(buffer),
        machine.pushed[buffer] + machine.writing(buffer) + 1,
        machine.counts[buffer],
        name,
        taken,
        pushed_in_all,
    )
    return Cause(
        told=told, stuck=stuck, more=((case.acquired(consumer, buffer, reserves=False), takes_blocks(name)),)
    )


def _too_few_sends(case: Case, stuck: Stuck) -> Cause:
    scene, pipe = case.scene, stuck.resource
    source = scene.pipe_ends(pipe)[0]
    sent, received_in_all = scene.machine.sent[pipe], None
    if case.ended is not None:
        sent = case.ended.machine.sent[pipe]
        end = scene.machine.end_of[pipe, scene.node_of(stuck.process)]
        received_in_all = sent + case.ended.messages_missing(pipe, end)
    told = rules.too_few_sends(
        case.who(stuck.process),
        case.what(stuck),
        node_name(scene.coordinate(source)),
        sent,
        received_in_all,
        sends=any(each.sends for each in scene.mentions),
    )
    return Cause(told=told, stuck=stuck, more=((scene.game.resources.pipes[pipe][0].op, NET_MADE),))


def _too_few_receives(case: Case, stuck: Stuck) -> Cause:
    scene, pipe = case.scene, stuck.resource
    machine, destinations = scene.machine, scene.pipe_ends(pipe)[1]
    node = stuck.missing
    if node is None:
        waited = [end for end in machine.ends[pipe] if machine.got[end] < machine.left[pipe]]
        node = destinations[machine.ends[pipe].index(waited[0])] if waited else destinations[0]
    sent, received_in_all = machine.sent[pipe], None
    if case.ended is not None:
        sent = case.ended.machine.sent[pipe]
        received_in_all = sent + case.ended.messages_missing(pipe, machine.end_of[pipe, node])
    told = rules.too_few_receives(
        case.who(stuck.process),
        case.what(stuck),
        node_name(scene.coordinate(node)),
        sent,
        received_in_all,
        multicast=len(destinations) > 1,
    )
    return Cause(told=told, stuck=stuck, more=((scene.game.resources.pipes[pipe][0].op, NET_MADE),))


def _semaphore(case: Case, stuck: Stuck) -> Cause:
    scene = case.scene
    machine, trial = scene.machine, case.trial
    made = scene.game.resources.semaphores[stuck.resource]
    semaphore = stuck.resource * machine.nodes + scene.node_of(stuck.process)
    value = machine.values[semaphore]
    if semaphore in trial.values:
        before, made_up, _ = trial.values[semaphore]
        now = trial.machine.values[semaphore]
        value = before + now - made_up if now >= made_up else before
    told = rules.semaphore_unchanged(
        case.who(stuck.process),
        case.what(stuck),
        value,
        made.initial_value,
        stuck.event.value,
        exact=stuck.kind is Kind.UNTIL_EQUAL,
    )
    return Cause(told=told, stuck=stuck, more=((made, starts_at(made.initial_value)),))


def _is_outside(case: Case, process: int) -> bool:
    """Whether a kernel that uses pipes runs on a node without any."""
    scene = case.scene
    mentions, node = scene.mentions[scene.machine.processes[process].kernel], scene.node_of(process)
    nets = scene.game.resources.nets
    uses = mentions.sends or mentions.receives
    return (
        uses and bool(nets) and not any(node in net.by_source or node in net.by_destination for net in nets)
    )
