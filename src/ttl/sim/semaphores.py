"""Semaphores of one launch: a 32-bit value per node (specification, "Semaphore").

The n-th semaphore that one node's body constructs and the n-th of another node are the same semaphore.
"""

from __future__ import annotations

import sys
from math import prod
from typing import TYPE_CHECKING

from ttl.diag import Diagnostic, ResourceError
from ttl.lang.check import fail
from ttl.protocol.devices import first_node, node_grid
from ttl.protocol.grid import resolve_coord, resolve_range
from ttl.rules import semaphores as rules
from ttl.rules.resources import too_many_semaphores
from ttl.sim.events import CHANGED, PASSED
from ttl.source.spans import Site, user_site

if TYPE_CHECKING:
    from ttl.sim.kernel import Kernel, RunningLaunch

_WRAP = 1 << 32


class SimSemaphore:
    """One semaphore: its value on every node, the number of changes of that, and the kernels that wait for it."""

    __slots__ = ("changes", "helped", "initial", "ordinal", "site", "values", "waiting")

    def __init__(self, ordinal: int, initial: int, nodes: int, site: Site | None) -> None:
        self.ordinal = ordinal
        self.initial = initial
        self.site = site
        self.values = [initial] * nodes
        self.waiting: dict[int, list[Kernel]] = {}
        self.changes = [0] * nodes
        # By node: the kernel for which an experiment made up the value; changes by that kernel do not count.
        self.helped: dict[int, Kernel] = {}


class WaitForSemaphore:
    """A reason for a kernel to block: a semaphore's local value is not the one it waits for."""

    __slots__ = ("exact", "semaphore", "site", "value")

    def __init__(self, semaphore: SimSemaphore, value: int, exact: bool, site: Site | None) -> None:
        self.semaphore = semaphore
        self.value = value
        self.exact = exact
        self.site = site


class Semaphores:
    """All semaphores of a launch."""

    __slots__ = ("_engine", "all")

    def __init__(self, engine: RunningLaunch) -> None:
        self._engine = engine
        self.all: list[SimSemaphore] = []

    def create(self, initial: int) -> SemaphoreView:
        """The next semaphore of the current node."""
        engine = self._engine
        node = engine.current.node
        ordinal = node.semaphores
        node.semaphores += 1
        surplus = too_many_semaphores(ordinal + 1, engine.chip)
        if surplus is not None:
            raise ResourceError(engine.located(surplus, user_site(sys._getframe(1))))
        if ordinal == len(self.all):
            self.all.append(SimSemaphore(ordinal, initial, len(engine.nodes), user_site(sys._getframe(1))))
        semaphore = self.all[ordinal]
        differs = rules.match_initial(initial, semaphore.initial)
        if differs is not None:
            engine.fail(differs)
        return SemaphoreView(engine, semaphore)


class SemaphoreView:
    """A semaphore seen from a node's body and kernels; the local value is that of the node whose kernel asks."""

    __slots__ = ("_engine", "_semaphore")

    def __init__(self, engine: RunningLaunch, semaphore: SimSemaphore) -> None:
        self._engine = engine
        self._semaphore = semaphore

    def wait(self, value: int, exact: bool) -> None:
        """Block until the local value is equal to, or at least, ``value``."""
        engine, semaphore = self._engine, self._semaphore
        kernel = self._require_data_movement("wait")
        node = kernel.node.index
        reason = None
        while not (semaphore.values[node] == value if exact else semaphore.values[node] >= value):
            if reason is None:
                reason = WaitForSemaphore(semaphore, value, exact, user_site(sys._getframe(1)))
            semaphore.waiting.setdefault(node, []).append(kernel)
            engine.suspend(kernel, reason)
        if engine.on_event is not None:
            engine.on_event(PASSED, (kernel, semaphore, node))

    def set(self, nodes: tuple[int, ...] | None, value: int) -> None:
        """Set the value on some nodes, or on the current node."""
        kernel = self._require_data_movement("set")
        for node in (kernel.node.index,) if nodes is None else nodes:
            self._change(node, value)
        if self._engine.interleaved:
            self._engine.scheduler.pause(kernel)

    def inc(self, node: int, value: int) -> None:
        """Add to the value on one node, modulo 2**32."""
        kernel = self._require_data_movement("inc")
        self._change(node, (self._semaphore.values[node] + value) % _WRAP)
        if self._engine.interleaved:
            self._engine.scheduler.pause(kernel)

    def resolve(self, node: object) -> int:
        """Linear index of a node coordinate."""
        grid = self._engine.grid
        resolved = resolve_coord(node, node_grid(grid))
        if isinstance(resolved, Diagnostic):
            self._engine.fail(resolved)
        return first_node(self._engine.node_index, grid) + resolved

    def resolve_range(self, node_range: object | None) -> tuple[int, ...]:
        """Linear indices of a node range, or of the whole grid."""
        nodes = node_grid(self._engine.grid)
        first = first_node(self._engine.node_index, self._engine.grid)
        if node_range is None:
            return tuple(range(first, first + prod(nodes)))
        resolved = resolve_range(node_range, nodes)
        if isinstance(resolved, Diagnostic):
            self._engine.fail(resolved)
        return tuple(first + node for node in resolved) if first else resolved

    def _change(self, node: int, value: int) -> None:
        semaphore = self._semaphore
        semaphore.values[node] = value
        if semaphore.helped.get(node) is not self._engine.current:
            semaphore.changes[node] += 1
        if self._engine.on_event is not None:
            self._engine.on_event(CHANGED, (self._engine.current, semaphore, node))
        waiting = semaphore.waiting.pop(node, None)
        if waiting:
            for kernel in waiting:
                self._engine.wake(kernel)

    def _require_data_movement(self, what: str) -> Kernel:
        if not self._engine.active:
            fail(rules.after_the_end(what))
        kernel = self._engine.current
        if kernel.moves_data:
            return kernel
        self._engine.fail(rules.semaphore_outside(what, kernel.what))
