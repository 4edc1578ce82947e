"""The wait graph: the waits, their objects, and the kernels that could end them.

It has facts only, no opinion about the cause.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from ttl.deadlock.network import BufferState, Network, PipeState, Place, Waiting
from ttl.rules.waiting import KernelOnNode, Wait, WaitKind, any_of


@dataclass(frozen=True, kw_only=True, slots=True)
class Stuck:
    """A kernel that cannot continue. ``partners`` could end its wait, but are stuck themselves.

    ``missing`` is the node on which no kernel is left, or ever was, that could; else None.
    """

    waiting: Waiting
    partners: tuple[int, ...]
    missing: int | None

    @property
    def kernel(self) -> int:
        """The kernel that waits."""
        return self.waiting.kernel

    @property
    def kind(self) -> WaitKind:
        """The kind of thing that the kernel waits for."""
        return self.waiting.kind

    @property
    def resource(self) -> int:
        """The buffer, pipe or semaphore."""
        return self.waiting.resource

    @property
    def place(self) -> Place:
        """The place of the wait in the program."""
        return self.waiting.place


@dataclass(frozen=True, kw_only=True, slots=True)
class WaitGraph:
    """An execution at the deadlock, kept while an experiment continues from there."""

    network: Network
    stuck: tuple[Stuck, ...]
    buffers: tuple[BufferState, ...]
    events: tuple[tuple[str, ...], ...]
    """The last uses of each buffer by its kernels, in words."""
    pipes: tuple[PipeState, ...]
    ended: frozenset[int]
    beyond: str
    """The means of communication besides dataflow buffers and unicast pipes, in words; empty if there are no others."""

    def of(self, kernel: int) -> Stuck | None:
        """Return the wait at which a kernel is stuck; None if it is not."""
        return next((stuck for stuck in self.stuck if stuck.kernel == kernel), None)

    def cycle(self) -> tuple[Stuck, ...]:
        """Kernels each of which waits for the next, and the last for the first; the first such cycle."""
        return next(cycles(self.stuck), ())

    def unpacks_ahead(self) -> str:
        """The name of a compute kernel that waits for space while another kernel waits for space that it would free.

        On a chip only its packer waits then: its unpacker continues and frees blocks. Empty where there is no such
        kernel.
        """
        waiting_for_space = {stuck.kernel for stuck in self.stuck if stuck.kind == "space"}
        for stuck in self.stuck:
            for kernel in stuck.partners if stuck.kind == "space" else ():
                if kernel in waiting_for_space and self.network.kernels[kernel].computes:
                    return self.network.kernels[kernel].name
        return ""

    def node(self, kernel: int) -> int:
        """The node of a kernel."""
        return self.network.kernels[kernel].node

    def who(self, kernel: int) -> KernelOnNode:
        """The kernel, for messages."""
        it, nodes = self.network.kernels[kernel], self.network.nodes
        return KernelOnNode(
            kernel=it.name, node=nodes[it.node][0], alone=len(nodes) == 1 and len(nodes[0]) == 1
        )

    def wait(self, stuck: Stuck) -> Wait:
        """Describe the wait of a kernel for messages."""
        return Wait(stuck.kind, self.what(stuck), value=stuck.waiting.value, exact=stuck.waiting.exact)

    def what(self, stuck: Stuck) -> str:
        """The name of the buffer, pipe or semaphore that a kernel waits for."""
        match stuck.kind:
            case "data" | "space":
                return self.network.buffers[stuck.resource].name
            case "message" | "pipe":
                pipes = (stuck.resource, *stuck.waiting.others)
                return any_of(self.network.pipes[pipe].name for pipe in pipes)
            case "semaphore":
                return self.network.semaphores[stuck.resource].name


def wait_graph(network: Network) -> WaitGraph:
    """The facts of an execution, now."""
    return WaitGraph(
        network=network,
        stuck=stuck_kernels(network),
        buffers=tuple(map(network.buffer, range(len(network.buffers)))),
        events=tuple(map(network.events, range(len(network.buffers)))),
        pipes=tuple(map(network.pipe, range(len(network.pipes)))),
        ended=frozenset(filter(network.ended, range(len(network.kernels)))),
        beyond=_beyond(network),
    )


def _beyond(network: Network) -> str:
    used = []
    if network.semaphores:
        used.append("semaphores")
    if any(len(pipe.destinations) > 1 for pipe in network.pipes):
        used.append("multicast pipes")
    if network.first_of_several:
        used.append("receives by ttl.wait_any")
    return " and ".join(used)


def stuck_kernels(network: Network) -> tuple[Stuck, ...]:
    """The kernels that wait, node by node."""
    enders = WaitEnders(network, ended=False)
    return tuple(_stuck(waiting, enders) for waiting in network.waiting())


def _stuck(waiting: Waiting, enders: WaitEnders) -> Stuck:
    partners: list[int] = []
    for node, kernels in enders.of(waiting):
        if not kernels:
            return Stuck(waiting=waiting, partners=(), missing=node)
        partners.extend(kernels)
    missing = None if partners else enders.network.kernels[waiting.kernel].node
    return Stuck(waiting=waiting, partners=tuple(partners), missing=missing)


class WaitEnders:
    """The kernels that could end a wait: among the kernels that have not ended, or with ``ended`` among all."""

    def __init__(self, network: Network, *, ended: bool) -> None:
        self.network = network
        self._ended = ended
        self._on: dict[int, list[int]] = {}
        for number, kernel in enumerate(network.kernels):
            if ended or not network.ended(number):
                self._on.setdefault(kernel.node, []).append(number)

    def of(self, waiting: Waiting) -> list[tuple[int, list[int]]]:
        """Nodes, each with its kernels that could end the wait; on each of the nodes, a kernel has to act."""
        network, resource = self.network, waiting.resource
        match waiting.kind:
            case "data" | "space":
                return [(network.buffers[resource].node, self._of_buffer(waiting))]
            case "message":
                using = [
                    self._using(network.pipes[pipe].source, "if_src") for pipe in (resource, *waiting.others)
                ]
                able = dict.fromkeys(kernel for _, kernels in using for kernel in kernels)
                return [(using[0][0], list(able))]
            case "pipe":
                pipe = network.pipes[resource].destinations
                nodes = pipe if self._ended else network.pipe(resource).remaining
                return [self._using(node, "if_dst") for node in nodes]
            case "semaphore":
                node = network.kernels[waiting.kernel].node
                others = (
                    self._changing
                    if self._ended
                    else [kernel for kernel in self._changing if kernel != waiting.kernel]
                )
                return [(node, others)]

    def _using(self, node: int, what: Literal["if_src", "if_dst"]) -> tuple[int, list[int]]:
        return node, [kernel for kernel in self._on.get(node, ()) if self.network.uses(kernel, what)]

    @cached_property
    def _changing(self) -> list[int]:
        kernels = (kernel for members in self._on.values() for kernel in members)
        return [kernel for kernel in kernels if self.network.uses(kernel, "semaphore")]

    def _of_buffer(self, waiting: Waiting) -> list[int]:
        """The kernel that is known to use the other end of a buffer, or those that may; the waiting one last."""
        network, buffer, data = self.network, waiting.resource, waiting.kind == "data"
        known = network.producer(buffer) if data else network.consumer(buffer)
        if known is not None:
            return [known] if self._ended or not network.ended(known) else []
        may = network.may_reserve if data else network.may_wait
        kernels = self._on.get(network.buffers[buffer].node, ())
        return sorted(
            (kernel for kernel in kernels if may(kernel, buffer)), key=lambda kernel: kernel == waiting.kernel
        )


def cycles(stuck: Iterable[Stuck]) -> Iterator[tuple[Stuck, ...]]:
    """Disjoint wait cycles, in the order of the kernels: each waits for the next, the last for the first."""
    by_kernel = {waiter.kernel: waiter for waiter in stuck}
    finished: set[int] = set()
    for start in by_kernel:
        path: list[int] = []
        branches: list[Iterator[int]] = []
        cycle: tuple[Stuck, ...] = ()
        if start not in finished:
            path.append(start)
            branches.append(iter(by_kernel[start].partners))
        while path and not cycle:
            following = next(branches[-1], None)
            if following is None:
                finished.add(path.pop())
                branches.pop()
            elif following in path:
                cycle = tuple(by_kernel[kernel] for kernel in path[path.index(following) :])
            elif following in by_kernel and following not in finished:
                path.append(following)
                branches.append(iter(by_kernel[following].partners))
        finished.update(path)
        if cycle:
            yield cycle
