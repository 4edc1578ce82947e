"""The report when no kernel can go on, and the one for Ctrl-C: where every kernel is."""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING

from ttl.diag import DeadlockError, Diagnostic
from ttl.diag.words import counted
from ttl.rules.waiting import every_schedule, wait_cycle
from ttl.sim import deadlock_facts as facts_of
from ttl.sim.buffer import WaitForData, WaitForSpace
from ttl.sim.deadlock_case import Case, Cause
from ttl.sim.deadlock_causes import cause_of
from ttl.sim.deadlock_facts import BufferState, Snapshot, Stuck
from ttl.sim.deadlock_trial import attempt
from ttl.sim.deadlock_words import full_place, place, wait_of, who
from ttl.sim.pipes import WaitToReceive, WaitToSend
from ttl.sim.semaphores import WaitForSemaphore
from ttl.source.spans import Site, is_ours, span_of_site

if TYPE_CHECKING:
    from ttl.sim.engine import Engine
    from ttl.sim.kernel import Kernel, Node

# What a report shows of each: groups of nodes, buffers of a node, kernels of a circle.
_GROUPS = 4
_BUFFERS = 8
_CIRCLE = 6
_COORDS = 4


def error_of(engine: Engine) -> DeadlockError:
    """One report for the whole launch: the cause, the facts of each group of equal nodes, what to do."""
    facts = facts_of.snapshot(engine)
    texts = _groups(facts)
    cause = cause_of(Case(engine=engine, facts=facts, trial=attempt(engine)))
    notes = (*texts, *_circle(cause.cycle, facts), every_schedule(facts.beyond))
    return DeadlockError(_placed(cause.told.diagnostic.noting(*notes), cause, facts))


def _placed(diagnostic: Diagnostic, cause: Cause, facts: Snapshot) -> Diagnostic:
    """The diagnostic with labels: the cause, the other kernels of its node and of the circle, each line once."""
    site = cause.stuck.site
    placed = diagnostic.at(span_of_site(site) if site is not None else None, cause.told.label)
    seen: set[Site | None] = {None, site}
    for other, text in cause.more:
        if other not in seen:
            seen.add(other)
            placed = placed.also(span_of_site(other), text)  # type: ignore[arg-type]
    node = cause.stuck.kernel.node
    for each in (*(each for each in facts.stuck if each.kernel.node is node), *cause.cycle):
        if each.site not in seen:
            seen.add(each.site)
            text = f"{who(each.kernel, facts.nodes)} {wait_of(each.reason)} here"
            placed = placed.also(span_of_site(each.site), text)  # type: ignore[arg-type]
    return placed


# --- nodes in equal states ------------------------------------------------------------------------------


def _groups(facts: Snapshot) -> tuple[str, ...]:
    over = [node for node in facts.nodes if not any(facts.of(kernel) for kernel in node.kernels)]
    waiting = [node for node in facts.nodes if node not in over]
    groups = _grouped(waiting, facts, _progress)
    if len(groups) > _GROUPS:
        groups = _grouped(waiting, facts, _state)
    texts = [_describe(nodes, facts) for nodes in groups[:_GROUPS]]
    if len(groups) > _GROUPS:
        left = groups[_GROUPS:]
        texts.append(f"{sum(map(len, left))} more nodes in {len(left)} other states")
    if over:
        texts.append(f"all kernels ended on {counted(len(over), 'node')}")
    return tuple(texts)


def _grouped(nodes: list[Node], facts: Snapshot, key: Callable[[Node, Snapshot], object]) -> list[list[Node]]:
    groups: dict[object, list[Node]] = {}
    for node in nodes:
        groups.setdefault(key(node, facts), []).append(node)
    return list(groups.values())


def _progress(node: Node, facts: Snapshot) -> object:
    """Equal for nodes that are stuck at the same place after the same number of blocks."""
    states = (facts.buffers[buffer] for buffer in node.buffers)
    return _state(node, facts), tuple((state.pushed, state.popped) for state in states)


def _state(node: Node, facts: Snapshot) -> object:
    """Equal for nodes that are stuck at the same place with equally full buffers."""
    kernels = []
    for kernel in node.kernels:
        stuck = facts.of(kernel)
        kernels.append((kernel.name, None if stuck is None else (stuck.site, _kind(stuck))))
    buffers = []
    for buffer in node.buffers:
        state = facts.buffers[buffer]
        buffers.append((state.pushed - state.popped, len(state.writing), len(state.reading)))
    return tuple(kernels), tuple(buffers)


def _kind(stuck: Stuck) -> object:
    match stuck.reason:
        case WaitForData(buffer=buffer) | WaitForSpace(buffer=buffer):
            return type(stuck.reason), buffer.ordinal
        case WaitForSemaphore(semaphore=semaphore, value=value):
            return semaphore.ordinal, value, semaphore.values[stuck.kernel.node.index]
        case WaitToReceive() | WaitToSend():
            return type(stuck.reason)


def _describe(nodes: list[Node], facts: Snapshot) -> str:
    node = nodes[0]
    lines = [_node_names(nodes) + ":"]
    used = []
    for kernel in node.kernels:
        stuck = facts.of(kernel)
        if stuck is None:
            lines.append(f"  {kernel.name} ended")
            continue
        lines.append(f"  {kernel.name} {wait_of(stuck.reason)} at {place(stuck.site)}{_value(stuck)}")
        if isinstance(stuck.reason, WaitForData | WaitForSpace):
            used.append(stuck.reason.buffer)
    for buffer in node.buffers:
        if buffer not in used and (facts.buffers[buffer].writing or facts.buffers[buffer].reading):
            used.append(buffer)
    for buffer in list(dict.fromkeys(used))[:_BUFFERS]:
        state = facts.buffers[buffer]
        text = f"  {buffer.name}: {_fill(state)}; {state.pushed} pushed, {state.popped} popped"
        lines.append("; ".join((text, *state.events)))
    return "\n".join(lines)


def _fill(state: BufferState) -> str:
    """``2 of 2 blocks full``, and who holds the others."""
    text = f"{state.pushed - state.waited} of {counted(state.block_count, 'block')} full"
    if state.reading and state.consumer is not None:
        text += f", {len(state.reading)} held by {state.consumer.name}"
    if state.writing and state.producer is not None:
        text += f", {len(state.writing)} reserved by {state.producer.name}"
    return text


def _value(stuck: Stuck) -> str:
    match stuck.reason:
        case WaitForSemaphore(semaphore=semaphore):
            return f", where it is {semaphore.values[stuck.kernel.node.index]}"
        case WaitToReceive(pipe=pipe):
            return f"; {pipe.channel.sent} sent on it"
        case WaitToSend(pipe=pipe):
            return f"; {pipe.channel.sent} sent on it, {pipe.channel.received} received"
        case _:
            return ""


def _node_names(nodes: list[Node]) -> str:
    if len(nodes) == 1:
        return f"on {nodes[0]}"
    shown = ", ".join(str(node).removeprefix("node ") for node in nodes[:_COORDS])
    more = ", ..." if len(nodes) > _COORDS else ""
    return f"on {len(nodes)} nodes, {shown}{more}"


def _circle(cycle: tuple[Stuck, ...], facts: Snapshot) -> tuple[str, ...]:
    if not cycle:
        return ()
    steps = [
        (who(each.kernel, facts.nodes), wait_of(each.reason), who(following.kernel, facts.nodes))
        for each, following in zip(cycle[:_CIRCLE], (*cycle[1:], cycle[0]), strict=False)
    ]
    return (wait_cycle(steps, len(cycle)),)


# --- Ctrl-C ---------------------------------------------------------------------------------------------


def where_every_kernel_is(engine: Engine) -> str:
    """For Ctrl-C: the line every kernel is at, nodes in equal states together."""
    interrupt = sys.exc_info()[1]
    site = _raised_at(interrupt.__traceback__) if interrupt is not None else None
    if engine.scheduler.total == 0:
        return f"interrupted in the body of the operation, at {full_place(site)}"
    running = engine.failed
    groups: dict[tuple[str, ...], list[Node]] = {}
    for node in engine.nodes:
        lines = tuple(f"  {kernel.name} {_doing(kernel, running, site)}" for kernel in node.kernels)
        if all(line.endswith(" has not started") for line in lines):
            lines = ("  no kernel has started",)
        groups.setdefault(lines, []).append(node)
    ended = sum(bool(node.kernels) and all(kernel.done for kernel in node.kernels) for node in engine.nodes)
    head = "interrupted while results were computed"
    if engine.scheduler.finished < engine.scheduler.total:
        head = "interrupted between two kernels"
    if running is not None:
        head = f"interrupted in {running.where}, at {full_place(site)}"
    report = [head]
    if len(engine.nodes) > 1:
        report.append(f"{ended} of {len(engine.nodes)} nodes have ended")
    for lines, nodes in groups.items():
        if lines and not all(line.endswith(" ended") for line in lines):
            report.append(_node_names(nodes) + ":")
            report.extend(lines)
    return "\n".join(report)


def _doing(kernel: Kernel, running: Kernel | None, site: Site | None) -> str:
    if kernel.done:
        return "ended"
    if kernel is running:
        return f"was running at {full_place(site)}"
    if kernel.greenlet is None:
        return "has not started"
    where = full_place(facts_of.site_of(kernel))
    return f"{wait_of(kernel.waiting)} at {where}" if kernel.waiting is not None else f"was at {where}"


def _raised_at(traceback: TracebackType | None) -> Site | None:
    """The innermost line of the user's code in a traceback."""
    found: Site | None = None
    library = sysconfig.get_path("stdlib")
    while traceback is not None:
        code = traceback.tb_frame.f_code
        file = code.co_filename
        if not (is_ours(code) or file.startswith(("<frozen", library)) or "site-packages" in file):
            found = code, traceback.tb_lasti
        traceback = traceback.tb_next
    return found
