"""The diagnostic of a deadlock: the cause, the facts of each group of equal nodes, how it came to it."""

from __future__ import annotations

from ttl.arch.chip import Chip
from ttl.check.network.case import Case, Cause
from ttl.check.network.causes import cause_of
from ttl.check.network.code import Jump
from ttl.check.network.events import Kind
from ttl.check.network.facts import Scene, Stuck
from ttl.check.network.machine import Machine
from ttl.check.network.trial import attempt
from ttl.diag.model import Diagnostic
from ttl.diag.words import counted
from ttl.dialects.locations import chain_of, span_of
from ttl.rules.waiting import every_schedule, wait_cycle

# What a report shows of each: groups of nodes, kernels of a circle, coordinates, steps before the deadlock.
_GROUPS = 4
_CIRCLE = 6
_COORDS = 4
_STEPS = 5
_REPLAYED = 4096
_CALLED = "called from here"
_EVERY = "no other order of the kernels avoids it: every schedule ends in a deadlock"
# Steps that are put together when they repeat: at most so many at once.
_PATTERN = 4
_VERB = {
    Kind.RESERVE: "reserve",
    Kind.WAIT: "wait for",
    Kind.PUT: "fill",
    Kind.TAKE: "take",
    Kind.PUSH: "push",
    Kind.POP: "pop",
    Kind.SEND: "send",
    Kind.RECEIVE: "receive",
}


def case_of(scene: Scene, chip: Chip) -> Case:
    """Everything that is known about a round that is stuck."""
    return Case(
        scene=scene,
        stuck=scene.stuck(scene.machine),
        trial=attempt(scene),
        l1_bytes=chip.l1_available_bytes,
    )


def report(case: Case, *, certain: bool) -> Diagnostic:
    """One diagnostic for all nodes that are stuck: the cause, and the facts of each group of them.

    ``certain``: it is known that the order in which kernels run changes nothing.
    """
    cause = cause_of(case)
    texts = _groups(case)
    if len(texts) > _GROUPS:
        texts[_GROUPS:] = [f"{len(texts) - _GROUPS} more groups of nodes in other states"]
    over = _ended(case)
    if over:
        texts.append(f"all kernels ended on {counted(over, 'node')}")
    beyond = case.scene.beyond
    schedules = _EVERY if beyond and certain else every_schedule(beyond)
    notes = (*texts, *_before(case, cause), *_circle(case, cause), schedules)
    return _placed(cause.told.diagnostic.noting(*notes), case, cause)


def _placed(diagnostic: Diagnostic, case: Case, cause: Cause) -> Diagnostic:
    """With labels: the cause, the other kernels of its node and of the circle, each line once."""
    place = span_of(cause.stuck.op)
    placed = diagnostic.at(place, cause.told.label)
    for call in chain_of(cause.stuck.op):
        placed = placed.also(call, _CALLED)
    seen = {None, place}
    for op, text in cause.more:
        span = span_of(op) if op is not None else None
        if span not in seen:
            seen.add(span)
            placed = placed.also(span, text)
    node = case.scene.node_of(cause.stuck.process)
    here = (each for each in case.stuck if case.scene.node_of(each.process) == node)
    for each in (*here, *cause.cycle):
        span = span_of(each.op)
        if span not in seen:
            seen.add(span)
            placed = placed.also(span, f"{case.who(each.process)} {case.wait(each)} here")
    return placed


# --- nodes in equal states ------------------------------------------------------------------------------


def _groups(case: Case) -> list[str]:
    """A text for each group of nodes that are stuck in the same way."""
    machine = case.scene.machine
    groups: dict[object, tuple[int, list[int]]] = {}
    for row, each in enumerate(case.scene.round.classes):
        waiting = [stuck for stuck in case.stuck if machine.processes[stuck.process].row == row]
        if not waiting:
            continue
        nodes = [case.scene.round.rows[row]] if case.scene.game.meets else list(each.nodes)
        state = tuple(
            (machine.processes[stuck.process].kernel, stuck.op, stuck.event.value) for stuck in waiting
        )
        buffers = slice(row * machine.per_row, (row + 1) * machine.per_row)
        key = (state, tuple(machine.pushed[buffers]), tuple(machine.waited[buffers]))
        groups.setdefault(key, (row, []))[1].extend(nodes)
    return [_describe(case, row, nodes) for row, nodes in groups.values()]


def _ended(case: Case) -> int:
    """On how many nodes everything ended."""
    scene = case.scene
    rows = {scene.machine.processes[stuck.process].row for stuck in case.stuck}
    waiting = sum(1 if scene.game.meets else len(scene.round.classes[row].nodes) for row in rows)
    return scene.game.slots.nodes - waiting


def _describe(case: Case, row: int, nodes: list[int]) -> str:
    scene, machine = case.scene, case.scene.machine
    lines = [_names(case, nodes) + ":"]
    used: list[int] = []
    for process in range(row * len(scene.game.kernels), (row + 1) * len(scene.game.kernels)):
        stuck = case.of(process)
        name = scene.kernel_name(process)
        if stuck is None:
            lines.append(f"  {name} ended")
            continue
        span = span_of(stuck.op)
        place = f"line {span.line}" if span is not None else "an unknown line"
        lines.append(f"  {name} {case.wait(stuck)} at {place}{_value(case, stuck)}")
        if stuck.wants_data or stuck.wants_space:
            used.append(stuck.resource)
    for buffer in range(row * machine.per_row, (row + 1) * machine.per_row):
        if machine.writing(buffer) or machine.reading[buffer]:
            used.append(buffer)
    for buffer in dict.fromkeys(used):
        popped = machine.waited[buffer] - machine.reading[buffer]
        lines.append(
            f"  {scene.buffer_name(buffer)}: {_fill(case, buffer)}; {machine.pushed[buffer]} pushed, {popped} popped"
        )
    return "\n".join(lines)


def _fill(case: Case, buffer: int) -> str:
    """``2 of 2 blocks full``, and who holds the others."""
    scene, machine = case.scene, case.scene.machine
    text = f"{machine.full[buffer]} of {counted(machine.counts[buffer], 'block')} full"
    if machine.reading[buffer]:
        holder = scene.kernel_name(scene.consumer(machine, buffer))
        text += f", {machine.reading[buffer]} held by {holder}"
    if machine.writing(buffer):
        holder = scene.kernel_name(scene.producer(machine, buffer))
        text += f", {machine.writing(buffer)} reserved by {holder}"
    return text


def _value(case: Case, stuck: Stuck) -> str:
    machine = case.scene.machine
    if stuck.wants_semaphore:
        here = stuck.resource * machine.nodes + case.scene.node_of(stuck.process)
        return f", where it is {machine.values[here]}"
    if stuck.kind is Kind.RECEIVED:
        return f"; {machine.sent[stuck.resource]} sent on it"
    if stuck.kind is Kind.SENT:
        received = sum(machine.got[end] for end in machine.ends[stuck.resource])
        return f"; {machine.sent[stuck.resource]} sent on it, {received} received"
    return ""


def _names(case: Case, nodes: list[int]) -> str:
    coordinates = [str(case.scene.coordinate(node)) for node in nodes]
    if len(nodes) == 1:
        return f"on node {coordinates[0]}"
    more = ", ..." if len(nodes) > _COORDS else ""
    return f"on {len(nodes)} nodes, {', '.join(coordinates[:_COORDS])}{more}"


def _circle(case: Case, cause: Cause) -> tuple[str, ...]:
    cycle = cause.cycle
    if not cycle:
        return ()
    steps = [
        (case.who(each.process), case.wait(each), case.who(following.process))
        for each, following in zip(cycle[:_CIRCLE], (*cycle[1:], cycle[0]), strict=False)
    ]
    return (wait_cycle(steps, len(cycle)),)


# --- how it came to it ----------------------------------------------------------------------------------


def _before(case: Case, cause: Cause) -> tuple[str, ...]:
    """The last things that each kernel of the node of the cause did."""
    scene = case.scene
    row = scene.machine.processes[cause.stuck.process].row
    lines = []
    for process in range(row * len(scene.game.kernels), (row + 1) * len(scene.game.kernels)):
        steps = _played(scene, process)
        if steps:
            lines.append(f"  {scene.kernel_name(process)}: {', '.join(steps)}")
    return ("\n".join(("the kernels got there by this:", *lines)),) if lines else ()


def _played(scene: Scene, process: int) -> list[str]:
    """``fill a_dfb x2``: what a kernel has done, the last steps of it; nothing where that is too long to follow."""
    machine: Machine = scene.machine
    code = machine.processes[process].code
    offset = machine.offsets[process]
    wanted = machine.turns[offset : offset + code.depth]
    turns, at = [0] * code.depth, 0
    steps: list[str] = []
    for _ in range(_REPLAYED):
        if at == machine.at[process] and turns == wanted:
            shown = _shortened(steps)
            return shown if len(shown) <= _STEPS else ["...", *shown[-_STEPS:]]
        kind, resource, value, nodes, _ = code.instructions[at]
        at += 1
        if kind == Jump.BACK:
            turns[resource] += 1
            if turns[resource] < nodes[0]:
                at = value
            else:
                turns[resource] = 0
        elif kind in _VERB:
            steps.append(_step(scene, Kind(kind), resource))
    return []


def _step(scene: Scene, kind: Kind, resource: int) -> str:
    if kind in (Kind.SEND, Kind.RECEIVE):
        return _VERB[kind]
    return f"{_VERB[kind]} {scene.buffer_name(resource)}"


def _shortened(steps: list[str]) -> list[str]:
    """``a, a, b, c, b, c`` as ``a x2, (b, c) x2``."""
    shown: list[str] = []
    at = 0
    while at < len(steps):
        for size in range(1, _PATTERN + 1):
            pattern = steps[at : at + size]
            times = 1
            while steps[at + times * size : at + (times + 1) * size] == pattern:
                times += 1
            if times > 1:
                text = ", ".join(pattern)
                shown.append(f"({text}) x{times}" if size > 1 else f"{text} x{times}")
                at += times * size
                break
        else:
            shown.append(steps[at])
            at += 1
    return shown
