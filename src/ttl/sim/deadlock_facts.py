"""What is the case when no kernel can go on: who waits where, for what, and who could end the wait.

Facts only, no opinion about the cause (``deadlock_causes``). A ``Snapshot`` keeps the counts, so that the
report shows the deadlock even after ``deadlock_trial`` has gone on from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ttl.protocol.blocks import State
from ttl.sim.block import SimBlock
from ttl.sim.buffer import SimBuffer, WaitForData, WaitForSpace
from ttl.sim.deadlock_words import place
from ttl.sim.kernel import Kernel, Node
from ttl.sim.kernel_code import may_call, names_in
from ttl.sim.pipes import WaitToReceive, WaitToSend
from ttl.sim.semaphores import WaitForSemaphore
from ttl.source.spans import Site, user_frame

if TYPE_CHECKING:
    from ttl.sim.engine import Engine

Reason = WaitForData | WaitForSpace | WaitToReceive | WaitToSend | WaitForSemaphore


@dataclass(frozen=True, kw_only=True, slots=True)
class Stuck:
    """A kernel that cannot go on. ``partners`` could end its wait, but are stuck themselves.

    ``missing`` is the node on which there is nobody left, or never was anybody, who could; else None.
    """

    kernel: Kernel
    reason: Reason
    site: Site | None
    partners: tuple[Kernel, ...]
    missing: Node | None


@dataclass(frozen=True, kw_only=True, slots=True)
class BufferState:
    """Counts of a buffer at the deadlock, and who holds blocks of it."""

    buffer: SimBuffer
    block_count: int
    reserved: int
    pushed: int
    waited: int
    popped: int
    producer: Kernel | None
    consumer: Kernel | None
    writing: tuple[SimBlock, ...]
    reading: tuple[SimBlock, ...]
    written: bool
    events: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Snapshot:
    """A launch in which no kernel can go on."""

    stuck: tuple[Stuck, ...]
    stuck_at: dict[Kernel, Stuck]
    buffers: dict[SimBuffer, BufferState]
    ended: frozenset[Kernel]
    nodes: tuple[Node, ...]
    beyond: str
    """What the kernels communicate through besides dataflow buffers and unicast pipes; empty if nothing."""

    @property
    def only_buffers_and_unicast(self) -> bool:
        """Whether the operation is a Kahn network, whose deadlocks do not depend on the schedule."""
        return not self.beyond

    def of(self, kernel: Kernel) -> Stuck | None:
        """What a kernel is stuck at."""
        return self.stuck_at.get(kernel)

    def cycle(self) -> tuple[Stuck, ...]:
        """Kernels each of which waits for the next, and the last for the first; the first such cycle."""
        return next(cycles(self.stuck), ())


def snapshot(engine: Engine) -> Snapshot:
    """The facts of a launch, now."""
    stuck = tuple(stuck_kernels(engine))
    return Snapshot(
        stuck=stuck,
        stuck_at={each.kernel: each for each in stuck},
        buffers={buffer: _state(buffer) for node in engine.nodes for buffer in node.buffers},
        ended=frozenset(kernel for node in engine.nodes for kernel in node.kernels if kernel.done),
        nodes=tuple(engine.nodes),
        beyond=_beyond(engine),
    )


def _beyond(engine: Engine) -> str:
    used = []
    if engine.semaphores.all:
        used.append("semaphores")
    if any(len(pipe.channel.dsts) > 1 for net in engine.pipes.nets for pipe in net.pipes):
        used.append("multicast pipes")
    return " and ".join(used)


def stuck_kernels(engine: Engine) -> Iterator[Stuck]:
    """The kernels that wait, node by node."""
    movers = _Movers()
    for node in engine.nodes:
        for kernel in node.kernels:
            if kernel.waiting is not None and not kernel.done:
                partners, missing = _partners(engine, kernel, kernel.waiting, movers)
                yield Stuck(
                    kernel=kernel,
                    reason=kernel.waiting,
                    site=site_of(kernel),
                    partners=tuple(partners),
                    missing=missing,
                )


def cycles(stuck: Iterable[Stuck]) -> Iterator[tuple[Stuck, ...]]:
    """Disjoint wait cycles, in the order of the kernels."""
    by_kernel = {each.kernel: each for each in stuck}
    finished: set[Kernel] = set()
    for start in by_kernel:
        path: list[Kernel] = []
        branches: list[Iterator[Kernel]] = []
        found: tuple[Stuck, ...] = ()
        if start not in finished:
            path.append(start)
            branches.append(iter(by_kernel[start].partners))
        while path and not found:
            following = next(branches[-1], None)
            if following is None:
                finished.add(path.pop())
                branches.pop()
            elif following in path:
                found = tuple(by_kernel[kernel] for kernel in path[path.index(following) :])
            elif following in by_kernel and following not in finished:
                path.append(following)
                branches.append(iter(by_kernel[following].partners))
        finished.update(path)
        if found:
            yield found


def site_of(kernel: Kernel) -> Site | None:
    """Where in the user's code a suspended kernel is."""
    frame = user_frame(kernel.greenlet.gr_frame) if kernel.greenlet is not None else None
    if frame is not None and kernel.function is not None:
        return frame.f_code, frame.f_lasti
    return getattr(kernel.waiting, "site", None)


def _partners(
    engine: Engine, kernel: Kernel, reason: Reason, movers: _Movers
) -> tuple[list[Kernel], Node | None]:
    node = kernel.node
    match reason:
        case WaitForData(buffer=buffer):
            partners = _users(kernel, buffer, buffer.producer, "reserve")
        case WaitForSpace(buffer=buffer):
            partners = _users(kernel, buffer, buffer.consumer, "wait")
        case WaitToReceive(pipe=pipe):
            node = engine.nodes[pipe.channel.src]
            partners = movers.of(node, ("if_src",))
        case WaitToSend(pipe=pipe):
            partners = []
            for index in sorted(pipe.channel.remaining):
                receivers = movers.of(engine.nodes[index], ("if_dst",))
                if not receivers:
                    return [], engine.nodes[index]
                partners.extend(receivers)
        case WaitForSemaphore():
            partners = [
                other
                for each in engine.nodes
                for other in movers.of(each, ("set", "inc"))
                if other is not kernel
            ]
    return partners, None if partners else node


def _users(waiting: Kernel, buffer: SimBuffer, known: Kernel | None, method: str) -> list[Kernel]:
    """The kernel that is known to use a buffer, or those that may; the waiting one last."""
    if known is not None:
        return [] if known.done else [known]
    kernels = sorted(waiting.node.kernels, key=lambda kernel: kernel is waiting)
    return [kernel for kernel in kernels if not kernel.done and may_call(kernel.function, buffer, method)]


class _Movers:
    """The kernels that may use pipes or semaphores in a certain way, looked up once for each node and way."""

    def __init__(self) -> None:
        self._found: dict[tuple[Node, tuple[str, ...]], list[Kernel]] = {}

    def of(self, node: Node, methods: tuple[str, ...]) -> list[Kernel]:
        """Data movement kernels of a node that have not ended and whose code names one of ``methods``."""
        found = self._found.get((node, methods))
        if found is None:
            found = self._found[node, methods] = [
                kernel
                for kernel in node.kernels
                if kernel.moves_data and not kernel.done and not names_in(kernel.function).isdisjoint(methods)
            ]
        return found


def _state(buffer: SimBuffer) -> BufferState:
    writing = tuple(buffer.held_reserved)
    return BufferState(
        buffer=buffer,
        block_count=buffer.block_count,
        reserved=buffer.reserved,
        pushed=buffer.pushed,
        waited=buffer.waited,
        popped=buffer.popped,
        producer=buffer.producer,
        consumer=buffer.consumer,
        writing=writing,
        reading=tuple(buffer.held_waited),
        written=bool(writing) and writing[0].value is not None,
        events=_events(buffer),
    )


def _events(buffer: SimBuffer) -> tuple[str, ...]:
    events = []
    for block, acquired, released in (
        (buffer.last_reserved, "reserved", "pushed"),
        (buffer.last_waited, "took", "popped"),
    ):
        if block is None:
            continue
        how = "reserved" if block.acquired_by_reserve else "acquired"
        site = getattr(block, "released", None)
        if block.state != State.OUT_OF_SCOPE:
            events.append(f"{block.kernel.name} {acquired} a block at {place(block.site)}")
        elif site is not None:
            events.append(f"{block.kernel.name} {released} a block at {place(site)}")
        else:
            events.append(f"{block.kernel.name} {released} the block {how} at {place(block.site)}")
    return tuple(events)
