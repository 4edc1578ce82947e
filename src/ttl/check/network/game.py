"""The game: all kernels of an operation against each other, and how it ends.

Nodes whose kernels do the same form a class. Without pipes and semaphores nodes do not communicate, so one node of each
class is played; else all of them are, together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from ttl.analysis.events.classes import KernelEvents, NodeClass
from ttl.analysis.events.sequences import EventKind, KernelCode, assemble
from ttl.check.network.accelerate import Accelerator
from ttl.check.network.machine import LIMIT, Machine, NoAcceleration, Process
from ttl.check.network.orders import Orders, explored
from ttl.check.network.roles import Proof, Verdict, prove
from ttl.protocol.sequences import Sequence

LIMIT_OF_STUCK = 10 * LIMIT
"""The most instructions that are played, to find the reason, when the kernels are known to be stuck."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedRound:
    """A run of several kernels: a machine that has stopped, and the class of nodes of each of its rows."""

    machine: Machine
    rows: tuple[int, ...]
    """The node of each row."""
    classes: tuple[NodeClass, ...]

    @property
    def stuck(self) -> bool:
        """Whether some kernels cannot continue, without any other error."""
        machine = self.machine
        return machine.failure is None and not machine.exhausted and not machine.ended


class Game(KernelEvents):
    """An operation whose kernels run against each other: the events on each node, and the end, computed on demand."""

    orders: Orders | None = None
    """The outcomes of all orders of messages, after a run in which kernels waited for the first of several receives."""

    def rounds(self) -> Iterator[PlayedRound]:
        """Run all kernels; yield each run. If that takes too long, ``unproven`` says so."""
        if self.proof.verdict is Verdict.ENDS:
            return
        if self.proof.verdict is Verdict.STUCK and not self.classes:
            # Too many nodes to follow all: the nodes that communicate with a stuck one suffice for the explanation.
            self.followed, self.unproven, self.unproven_at = self.proof.stuck, "", None
            del self.classes
        codes: dict[Sequence, KernelCode] = {}
        left = LIMIT if self.proof.verdict is Verdict.OPEN else LIMIT_OF_STUCK
        for classes in [self.classes] if self.meets else [(node_class,) for node_class in self.classes]:
            if not classes:
                return
            round_ = self._round(classes, codes)
            if self._waits_for_first:
                self.orders = explored(round_.machine, left)
                if not self.orders.complete:
                    self.unproven = "receives can be complete in too many orders to follow them all"
                yield PlayedRound(machine=self.orders.shown, rows=round_.rows, classes=round_.classes)
                return
            round_.machine.limit = left
            round_.machine.run()
            left -= round_.machine.steps
            if round_.machine.exhausted:
                self.unproven = "the kernels exchange too much to follow it to the end"
            yield round_

    @cached_property
    def proof(self) -> Proof:
        """The proof from one node of each role.

        It is open for a single node, without communication, and if a pipe leaves the grid.
        """
        if self.slots.nodes == 1 or not self.meets or self.resources.outside:
            return Proof(verdict=Verdict.OPEN)
        return prove(self)

    @property
    def _waits_for_first(self) -> bool:
        return any(event.kind is EventKind.ANY for event in self.table.events)

    def together(self, classes: Iterable[NodeClass]) -> PlayedRound:
        """Play classes of nodes that do not communicate in one machine, for a report about all of them."""
        round_ = self._round(tuple(classes), {})
        round_.machine.run()
        return round_

    def _round(self, classes: tuple[NodeClass, ...], codes: dict[Sequence, KernelCode]) -> PlayedRound:
        of: dict[int, NodeClass] = {}
        for node_class in classes:
            for node in node_class.nodes if self.meets else node_class.nodes[:1]:
                of[node] = node_class
        rows = tuple(sorted(of))
        processes: list[Process] = []
        for row, node in enumerate(rows):
            for kernel, sequence in enumerate(of[node].kernels):
                code = codes.get(sequence)
                if code is None:
                    code = codes[sequence] = assemble(sequence, self.table)
                processes.append(Process(kernel=kernel, node=node, row=row, code=code))
        resources = self.resources
        machine = Machine(
            processes,
            [buffer.result.type.block_count for buffer in resources.buffers],
            len(rows),
            [net.ends[index] for net, index in resources.pipes],
            [semaphore.initial_value for semaphore in resources.semaphores],
            self.slots.nodes,
            NoAcceleration if self._waits_for_first else Accelerator,
        )
        return PlayedRound(machine=machine, rows=rows, classes=tuple(of[node] for node in rows))
