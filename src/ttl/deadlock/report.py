"""The diagnostic of a deadlock: the cause, the facts of each group of equal nodes, the events that led to it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ttl.deadlock.case import Cause, DeadlockCase
from ttl.deadlock.causes import cause_of
from ttl.deadlock.graph import Stuck, WaitGraph, wait_graph
from ttl.deadlock.network import BufferState, Network, Place
from ttl.deadlock.trial import attempt
from ttl.diag import Diagnostic
from ttl.diag.words import counted, listed
from ttl.protocol.chips import name_at, names_at
from ttl.rules.waiting import every_schedule, wait_cycle
from ttl.source.spans import Span

# The most that a report shows: groups of nodes, buffers of a node, kernels of a cycle, coordinates.
_GROUPS = 4
_BUFFERS = 8
_CYCLE = 6
_COORDS = 4


def report(network: Network, *, certain: bool = False) -> Diagnostic:
    """Return one diagnostic for all nodes that are stuck: the cause, and the facts of each group of them.

    ``certain``: the order in which kernels run is known not to matter.
    """
    facts = wait_graph(network)
    notes = [*_groups(facts)]
    cause = cause_of(DeadlockCase(facts=facts, trial=attempt(facts)))
    notes += [*_history(facts, cause), *_wait_cycle(facts, cause.cycle)]
    notes.append(every_schedule(facts.beyond, certain=certain, unpacks_ahead=facts.unpacks_ahead()))
    return _placed(cause.told.diagnostic.noting(*notes), facts, cause)


def _placed(diagnostic: Diagnostic, facts: WaitGraph, cause: Cause) -> Diagnostic:
    """Return the diagnostic with labels: the cause, the other kernels of its node and of the cycle, each line once."""
    network, place = facts.network, cause.stuck.place
    span = _span(network, place)
    placed = diagnostic.at(span, cause.told.label).called_from(network.calls(place))
    seen: set[Span | None] = {None, span}
    for other, text in cause.more:
        span = _span(network, other)
        if span not in seen:
            seen.add(span)
            placed = placed.also(span, text).concerning(span)
    node = facts.node(cause.stuck.kernel)
    for stuck in (*(stuck for stuck in facts.stuck if facts.node(stuck.kernel) == node), *cause.cycle):
        span = _span(network, stuck.place)
        if span not in seen:
            seen.add(span)
            placed = placed.also(span, f"{facts.who(stuck.kernel)} {facts.wait(stuck)} here")
    return placed


def _span(network: Network, place: Place) -> Span | None:
    return network.span(place) if place is not None else None


# --- nodes in equal states ------------------------------------------------------------------------------


def _groups(facts: WaitGraph) -> list[str]:
    """A text for each group of nodes that are stuck in the same way, and one for the nodes on which all ended."""
    nodes = facts.network.nodes
    waiting = list(dict.fromkeys(facts.node(stuck.kernel) for stuck in facts.stuck))
    groups = _grouped(waiting, facts, _progress)
    if len(groups) > _GROUPS:
        groups = _grouped(waiting, facts, _state)
    texts = [_describe(group, facts) for group in groups[:_GROUPS]]
    left = groups[_GROUPS:]
    if left:
        texts.append(
            f"{sum(len(_members(group, facts)) for group in left)} more nodes in {len(left)} other states"
        )
    ended = sum(map(len, nodes)) - sum(len(nodes[node]) for node in waiting)
    if ended:
        texts.append(f"all kernels ended on {counted(ended, 'node')}")
    return texts


def _grouped(
    nodes: Sequence[int], facts: WaitGraph, key: Callable[[int, WaitGraph], object]
) -> list[list[int]]:
    groups: dict[object, list[int]] = {}
    for node in nodes:
        groups.setdefault(key(node, facts), []).append(node)
    return list(groups.values())


def _members(group: Sequence[int], facts: WaitGraph) -> list[tuple[int, ...]]:
    """Coordinates of all nodes of a group."""
    return [coordinate for node in group for coordinate in facts.network.nodes[node]]


def _on(node: int, facts: WaitGraph) -> list[int]:
    """The buffers of a node."""
    return [number for number, buffer in enumerate(facts.network.buffers) if buffer.node == node]


def _kernels(node: int, facts: WaitGraph) -> list[int]:
    return [number for number, kernel in enumerate(facts.network.kernels) if kernel.node == node]


def _progress(node: int, facts: WaitGraph) -> object:
    """Equal for nodes that are stuck at the same place after the same number of blocks."""
    states = (facts.buffers[buffer] for buffer in _on(node, facts))
    return _state(node, facts), tuple((state.pushed, state.popped) for state in states)


def _state(node: int, facts: WaitGraph) -> object:
    """Equal for nodes that are stuck at the same place with equally full buffers."""
    kernels = []
    for kernel in _kernels(node, facts):
        stuck = facts.of(kernel)
        name = facts.network.kernels[kernel].name
        kernels.append((name, None if stuck is None else (stuck.place, _kind(stuck, facts))))
    buffers = []
    for buffer in _on(node, facts):
        state = facts.buffers[buffer]
        buffers.append((state.pushed - state.popped, state.writing, state.reading))
    return tuple(kernels), tuple(buffers)


def _kind(stuck: Stuck, facts: WaitGraph) -> object:
    match stuck.kind:
        case "data" | "space":
            return stuck.kind, facts.network.buffers[stuck.resource].made
        case "semaphore":
            value, _ = facts.network.semaphore(stuck.resource, facts.node(stuck.kernel))
            return stuck.resource, stuck.waiting.value, value
        case _:
            return stuck.kind


def _describe(group: Sequence[int], facts: WaitGraph) -> str:
    node = group[0]
    lines = [_node_names(_members(group, facts)) + ":"]
    used = []
    for kernel in _kernels(node, facts):
        stuck, name = facts.of(kernel), facts.network.kernels[kernel].name
        if stuck is None:
            lines.append(f"  {name} ended")
            continue
        span = _span(facts.network, stuck.place)
        place = "an unknown line" if span is None else f"line {span.line}"
        lines.append(f"  {name} {facts.wait(stuck)} at {place}{_value(stuck, facts)}")
        if stuck.kind in ("data", "space"):
            used.append(stuck.resource)
    used += [
        buffer
        for buffer in _on(node, facts)
        if facts.buffers[buffer].writing or facts.buffers[buffer].reading
    ]
    for buffer in list(dict.fromkeys(used))[:_BUFFERS]:
        state = facts.buffers[buffer]
        name = facts.network.buffers[buffer].name
        text = f"  {name}: {_fill(state, facts)}; {state.pushed} pushed, {state.popped} popped"
        lines.append("; ".join((text, *facts.events[buffer])))
    return "\n".join(lines)


def _fill(state: BufferState, facts: WaitGraph) -> str:
    """``2 of 2 blocks full``, and the kernels that hold the other blocks."""
    text = f"{state.pushed - state.waited} of {counted(state.block_count, 'block')} full"
    if state.reading and state.consumer is not None:
        text += f", {state.reading} held by {facts.network.kernels[state.consumer].name}"
    if state.writing and state.producer is not None:
        text += f", {state.writing} reserved by {facts.network.kernels[state.producer].name}"
    return text


def _value(stuck: Stuck, facts: WaitGraph) -> str:
    match stuck.kind:
        case "semaphore":
            value, _ = facts.network.semaphore(stuck.resource, facts.node(stuck.kernel))
            return f", where it is {value}"
        case "message":
            pipes = (stuck.resource, *stuck.waiting.others)
            sent = listed(str(facts.pipes[pipe].sent) for pipe in pipes)
            return f"; {sent} sent on {'them' if stuck.waiting.others else 'it'}"
        case "pipe":
            state = facts.pipes[stuck.resource]
            return f"; {state.sent} sent on it, {state.received} received"
        case _:
            return ""


def _node_names(coordinates: Sequence[tuple[int, ...]]) -> str:
    if len(coordinates) == 1:
        return f"on {name_at(coordinates[0])}"
    more = ", ..." if len(coordinates) > _COORDS else ""
    return f"on {len(coordinates)} nodes, {names_at(coordinates[:_COORDS])}{more}"


# --- how it came to it ----------------------------------------------------------------------------------


def _history(facts: WaitGraph, cause: Cause) -> tuple[str, ...]:
    """The last things that each kernel of the node of the cause did, where that is known."""
    lines = []
    for kernel in _kernels(facts.node(cause.stuck.kernel), facts):
        steps = facts.network.history(kernel)
        if steps:
            lines.append(f"  {facts.network.kernels[kernel].name}: {', '.join(steps)}")
    return ("\n".join(("the kernels got there by this:", *lines)),) if lines else ()


def _wait_cycle(facts: WaitGraph, cycle: tuple[Stuck, ...]) -> tuple[str, ...]:
    if not cycle:
        return ()
    steps = [
        (facts.who(stuck.kernel), facts.wait(stuck), facts.who(following.kernel))
        for stuck, following in zip(cycle[:_CYCLE], (*cycle[1:], cycle[0]), strict=False)
    ]
    return (wait_cycle(steps, len(cycle)),)
