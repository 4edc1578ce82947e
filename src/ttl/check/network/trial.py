"""Going on from a deadlock, to find out what would have prevented it.

First every buffer that blocks a wait cycle gets more blocks, one at a time. If all kernels end that way, the counts
reached are enough, and one less is not: a program that communicates through dataflow buffers alone does the same
in every schedule. Else whatever a kernel waits for is made up, again and again, until all have ended. What was made
up, and whether someone provided it later after all, tells one push too few from a push too late.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from ttl.check.network.events import Kind
from ttl.check.network.facts import Scene, Stuck, cycles
from ttl.check.network.machine import LIMIT, NOBODY, Machine

_ROUNDS = 2_000
_LARGEST_COUNT = 256
_PREFERENCE = (Kind.WAIT, Kind.RECEIVED, Kind.UNTIL_EQUAL, Kind.UNTIL_AT_LEAST, Kind.SENT, Kind.RESERVE)


@dataclass(slots=True)
class Trial:
    """What came of it, and the machine at its end."""

    machine: Machine
    grown: dict[int, int] = field(default_factory=dict)
    """Block counts of buffers, reached while only block counts were changed."""
    ended_by_growing: bool = False
    went_on_by_growing: bool = False
    """No kernel waited in a circle any more with these block counts, but they did not all end."""
    ended: bool = False
    """Every kernel ended after more was made up."""
    messages: Counter[tuple[int, int]] = field(default_factory=Counter)
    """Made up, by pipe and end."""
    receives: Counter[tuple[int, int]] = field(default_factory=Counter)
    values: dict[int, tuple[int, int, int]] = field(default_factory=dict)
    """The value a semaphore had on a node, the one made up, and how often it had been changed by then."""

    @property
    def cut_short(self) -> bool:
        """Whether the kernels went on for so long that the experiment was ended."""
        return self.machine.exhausted

    @property
    def failure_code(self) -> str:
        """Code of the error a kernel ran into; empty if none did."""
        return self.machine.failure.code if self.machine.failure is not None else ""

    def blocks_missing(self, buffer: int) -> int:
        """How many blocks consumers took in all beyond those ever pushed; below 0: pushed beyond taken."""
        machine = self.machine
        return machine.waited[buffer] - (machine.pushed[buffer] - machine.made_up[buffer])

    def messages_missing(self, pipe: int, end: int) -> int:
        """How many messages a node received beyond those ever sent to it; below 0: sent beyond received."""
        machine = self.machine
        left = machine.sent[pipe] - machine.left[pipe] + (machine.got[end] < machine.left[pipe])
        return self.messages[pipe, end] - self.receives[pipe, end] - left

    def semaphore_missing(self, semaphore: int, wanted: int) -> bool:
        """Whether a semaphore would never have become what was waited for."""
        before, made_up, changes = self.values.get(semaphore, (0, 0, 0))
        now = self.machine.values[semaphore]
        if self.machine.changes[semaphore] == changes:
            return True
        return now > made_up and before + now - made_up < wanted


def attempt(scene: Scene) -> Trial:
    """Go on from a deadlock; the machine of the scene is left as it is."""
    trial = Trial(scene.machine.clone())
    trial.machine.limit = trial.machine.steps + LIMIT
    _grow(scene, trial)
    if not trial.ended_by_growing and not _is_over(trial):
        _make_up(scene, trial)
    return trial


def _is_over(trial: Trial) -> bool:
    return trial.machine.failure is not None or trial.machine.exhausted


def _grow(scene: Scene, trial: Trial) -> None:
    machine = trial.machine
    for _ in range(_ROUNDS):
        stuck = scene.stuck(machine)
        if any(each.missing is not None for each in stuck):
            trial.went_on_by_growing = bool(trial.grown) and not any(cycles(stuck))
            return
        full = _full_buffers(scene, stuck)
        if not full or any(machine.counts[buffer] >= _LARGEST_COUNT for buffer in full):
            return
        for buffer in full:
            _add_block(machine, buffer)
            trial.grown[buffer] = machine.counts[buffer]
        machine.run()
        if machine.ended or _is_over(trial):
            trial.ended_by_growing = not _is_over(trial)
            trial.went_on_by_growing = trial.cut_short
            return


def _full_buffers(scene: Scene, stuck: tuple[Stuck, ...]) -> list[int]:
    """Of each wait cycle the buffer that costs least to enlarge."""
    found = []
    for cycle in cycles(stuck):
        full = [each.resource for each in cycle if each.wants_space]
        if full:
            found.append(min(full, key=scene.block_bytes))
    return found


def _make_up(scene: Scene, trial: Trial) -> None:
    machine = trial.machine
    for _ in range(_ROUNDS):
        stuck = scene.stuck(machine)
        chosen = [each for each in stuck if each.missing is not None]
        if not chosen:
            chosen = [min(cycle, key=lambda each: _PREFERENCE.index(each.kind)) for cycle in cycles(stuck)]
        if not chosen:
            return
        for each in chosen:
            _provide(machine, trial, each)
        machine.run()
        if machine.ended or _is_over(trial):
            trial.ended = not _is_over(trial)
            return


def _provide(machine: Machine, trial: Trial, stuck: Stuck) -> None:
    """Make up what a kernel waits for."""
    process, what = machine.processes[stuck.process], stuck.resource
    match stuck.kind:
        case Kind.RESERVE:
            _add_block(machine, what)
        case Kind.WAIT:
            machine.full[what] += 1
            machine.made_up[what] += 1
            machine.pushed[what] += 1
            machine.want_data[what] = NOBODY
            machine.wake(stuck.process, process.row)
        case Kind.RECEIVED:
            # The receive is over without a message: as if it had never been begun.
            end = machine.end_of[what, process.node]
            trial.messages[what, end] += 1
            machine.started[end] -= 1
            machine.wake_receivers(what, process.row)
        case Kind.SENT:
            _receive(machine, trial, what, process.row)
        case _:
            semaphore = what * machine.nodes + process.node
            trial.values[semaphore] = (
                machine.values[semaphore], stuck.event.value, machine.changes[semaphore],
            )  # fmt: skip
            machine.values[semaphore] = stuck.event.value
            machine.helped[semaphore] = stuck.process
            for waiting in machine.waiting.pop(semaphore, ()):
                machine.wake(waiting, machine.processes[waiting].row)


def _add_block(machine: Machine, buffer: int) -> None:
    machine.counts[buffer] += 1
    machine.space[buffer] += 1
    waiting = machine.want_space[buffer]
    if waiting != NOBODY:
        machine.want_space[buffer] = NOBODY
        machine.wake(waiting, machine.processes[waiting].row)


def _receive(machine: Machine, trial: Trial, pipe: int, row: int) -> None:
    """Whoever has not received the message under way has."""
    for end in machine.ends[pipe]:
        if machine.got[end] < machine.left[pipe]:
            trial.receives[pipe, end] += 1
            machine.started[end] += 1
            machine.got[end] += 1
            machine.missing[pipe] -= 1
    machine.next_message(pipe)
    if machine.sender[pipe] != NOBODY:
        sender, machine.sender[pipe] = machine.sender[pipe], NOBODY
        machine.wake(sender, row)
    machine.wake_receivers(pipe, row)
