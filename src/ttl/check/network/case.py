"""A deadlock with everything that is known about it, and what a cause of one is."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from xdsl.ir import Operation

from ttl.check.network.events import Kind
from ttl.check.network.facts import Scene, Stuck, cycles
from ttl.check.network.trial import Trial
from ttl.check.pipe_ends import destination_of
from ttl.rules.deadlocks import Deadlock
from ttl.rules.pipes import pipe_name
from ttl.rules.waiting import Wait, WaitKind, Who

_WORD: dict[Kind, WaitKind] = {
    Kind.WAIT: "data",
    Kind.RESERVE: "space",
    Kind.RECEIVED: "message",
    Kind.SENT: "pipe",
    Kind.UNTIL_EQUAL: "semaphore",
    Kind.UNTIL_AT_LEAST: "semaphore",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Cause:
    """What to report, and about which kernel. ``more`` are further places.

    ``cycle`` are the kernels that wait in a circle, where that is the point.
    """

    told: Deadlock
    stuck: Stuck
    more: tuple[tuple[Operation | None, str], ...] = ()
    cycle: tuple[Stuck, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Case:
    """The facts of a deadlock and its trial."""

    scene: Scene
    stuck: tuple[Stuck, ...]
    trial: Trial
    l1_bytes: int
    """What the buffers of a node may take."""

    @property
    def ended(self) -> Trial | None:
        """The trial, if it tells what the kernels do in all: they ended, after something was made up."""
        return self.trial if self.trial.ended else None

    @cached_property
    def cycle(self) -> tuple[Stuck, ...]:
        """Kernels each of which waits for the next, and the last for the first; the first such cycle."""
        return next(cycles(self.stuck), ())

    def of(self, process: int) -> Stuck | None:
        """What a kernel is stuck at."""
        return next((each for each in self.stuck if each.process == process), None)

    def who(self, process: int) -> Who:
        """The name of a kernel, with its node where there are several."""
        scene = self.scene
        return Who(
            kernel=scene.kernel_name(process),
            node=scene.coordinate(scene.node_of(process)),
            alone=scene.game.slots.nodes == 1,
        )

    def wait(self, stuck: Stuck) -> Wait:
        """What a kernel waits for."""
        return Wait(
            _WORD[stuck.kind],
            self.what(stuck),
            value=stuck.event.value if stuck.wants_semaphore else 0,
            exact=stuck.kind is Kind.UNTIL_EQUAL,
        )

    def what(self, stuck: Stuck) -> str:
        """The name of the buffer, pipe or semaphore that a kernel waits for."""
        if stuck.wants_data or stuck.wants_space:
            return self.scene.buffer_name(stuck.resource)
        if stuck.wants_semaphore:
            made = self.scene.game.resources.semaphores[stuck.resource]
            return f"semaphore {made.semaphore_name.data or stuck.resource}"
        net, index = self.scene.game.resources.pipes[stuck.resource]
        pipe = net.pipes[index]
        return pipe_name(tuple(pipe.src), destination_of(pipe))

    def waiting_for(self, buffer: int, *, space: bool) -> Stuck | None:
        """The kernel that waits for space, or for data, of a buffer."""
        for stuck in self.stuck:
            if stuck.resource == buffer and (stuck.wants_space if space else stuck.wants_data):
                return stuck
        return None

    def acquired(self, process: int, buffer: int, *, reserves: bool) -> Operation | None:
        """Where a kernel last acquired a block of a buffer."""
        machine = self.scene.machine
        instructions = machine.processes[process].code.instructions
        wanted = (Kind.RESERVE, Kind.PUT) if reserves else (Kind.WAIT, Kind.TAKE)
        local, at = buffer % machine.per_row, machine.at[process]
        # Before the place it is at; else, in a loop, after it.
        for index in (*range(at - 1, -1, -1), *range(len(instructions) - 1, at - 1, -1)):
            kind, resource, _, _, number = instructions[index]
            if kind in wanted and resource == local:
                return self.scene.game.event(number).op
        return None
