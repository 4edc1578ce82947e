"""Continues from a deadlock, to find changes that would have prevented it.

First every buffer that blocks a wait cycle gets more blocks, one at a time. If all kernels end that way, the counts
reached are *proved*: a program that communicates through dataflow buffers alone does the same in every schedule, so it
runs to its end with these counts from the start; and with one less it stops as it did. Otherwise the event that a
kernel waits for is made up, again and again, until all have ended. A block that is made up takes a free block of its
buffer, like one that had been pushed before: a change that ends the deadlock here does so in the program. The made-up
events, and whether a kernel provided them later after all, tell a missing push from a late one, and both from a first
block that nobody pushes.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from ttl.deadlock.graph import Stuck, WaitEnders, WaitGraph, cycles, stuck_kernels
from ttl.deadlock.network import Network, Outcome
from ttl.rules.waiting import WaitKind

_ROUNDS = 2_000
_LARGEST_COUNT = 256
# The order in which waits of a cycle are ended: the kinds that are nearest to the mistake come first.
NEAREST: tuple[WaitKind, ...] = ("data", "message", "semaphore", "pipe", "space")


@dataclass(kw_only=True, slots=True)
class Trial:
    """The result of an experiment, with the network at its end."""

    network: Network
    grown: dict[int, int] = field(default_factory=dict)
    """Block counts of buffers, reached while only block counts were changed."""
    ended_by_growing: bool = False
    """Every kernel ended with the block counts in ``grown``."""
    went_on_by_growing: bool = False
    """No kernel waited in a cycle any more with these block counts, but they did not all end."""
    outcome: Outcome = "stuck"
    """The end of the experiment, after more missing events were simulated if needed."""
    provided: list[Stuck] = field(default_factory=list)
    """The waits that were ended by making up the missing events, in order."""
    blocks: Counter[int] = field(default_factory=Counter)
    """Blocks made up, by buffer."""
    room: Counter[int] = field(default_factory=Counter)
    """Blocks added while other things were made up, by buffer."""
    messages: Counter[tuple[int, int]] = field(default_factory=Counter)
    """Messages made up, by pipe and node."""
    receives: Counter[tuple[int, int]] = field(default_factory=Counter)
    values: dict[tuple[int, int], tuple[int, int, int]] = field(default_factory=dict)
    """For each semaphore and node: its value before, the value made up, and how often it had been changed by then."""

    @property
    def ended(self) -> bool:
        """Whether every kernel ended after something was made up, so that all their actions are known."""
        return self.outcome == "ended" and not self.ended_by_growing

    @property
    def cut_short(self) -> bool:
        """Whether the kernels continued for so long that the experiment was ended."""
        return self.outcome == "cut short"

    @property
    def failure_code(self) -> str:
        """Code of the error a kernel ran into; empty if none did."""
        return self.network.failure[1] if self.network.failure is not None else ""

    def pushed(self, buffer: int) -> int:
        """Return the number of blocks that kernels pushed in all."""
        return self.network.buffer(buffer).pushed - self.blocks[buffer]

    def waited(self, buffer: int) -> int:
        """Return the number of blocks that kernels took in all."""
        return self.network.buffer(buffer).waited

    def blocks_missing(self, buffer: int) -> int:
        """Return the blocks that consumers took beyond those ever pushed; negative if more were pushed."""
        return self.waited(buffer) - self.pushed(buffer)

    def messages_missing(self, pipe: int, node: int) -> int:
        """Return the messages that a node received beyond those ever sent to it; negative if more were sent."""
        return self.messages[pipe, node] - self.receives[pipe, node] - self.network.undelivered(pipe, node)

    def semaphore_missing(self, semaphore: int, node: int, wanted: int) -> bool:
        """Whether a semaphore would never have reached the value that a kernel waits for."""
        before, made_up, changes = self.values.get((semaphore, node), (0, 0, 0))
        now, changes_now = self.network.semaphore(semaphore, node)
        if changes_now == changes:
            return True
        return now > made_up and before + now - made_up < wanted

    def owed_by(self, stuck: Stuck) -> frozenset[str]:
        """The names of the kernels that would have to do more for a wait that was ended; empty if they are unknown."""
        groups = WaitEnders(self.network, ended=True).of(stuck.waiting)
        return frozenset(self.network.kernels[kernel].name for _, kernels in groups for kernel in kernels)


def attempt(facts: WaitGraph) -> Trial | None:
    """Continue from a deadlock in an experiment without visible effects; None where that is impossible."""
    with facts.network.experiment() as network:
        if network is None:
            return None
        trial = Trial(network=network)
        _grow(network, trial)
        if trial.outcome == "stuck":
            _make_up(network, trial)
    return trial


def _grow(network: Network, trial: Trial) -> None:
    for _ in range(_ROUNDS):
        stuck = stuck_kernels(network)
        if any(waiter.missing is not None for waiter in stuck):
            trial.went_on_by_growing = bool(trial.grown) and not any(cycles(stuck))
            return
        full = _full_buffers(network, stuck)
        if not full or any(network.buffer(buffer).block_count >= _LARGEST_COUNT for buffer in full):
            return
        for buffer in full:
            network.add_block(buffer)
            trial.grown[buffer] = network.buffer(buffer).block_count
        trial.outcome = network.go_on()
        if trial.outcome != "stuck":
            trial.ended_by_growing = trial.outcome == "ended"
            trial.went_on_by_growing = trial.cut_short
            return


def _full_buffers(network: Network, stuck: tuple[Stuck, ...]) -> list[int]:
    """The buffer of each wait cycle that costs least to enlarge."""
    smallest = []
    for cycle in cycles(stuck):
        full = [waiter.resource for waiter in cycle if waiter.kind == "space"]
        if full:
            smallest.append(min(full, key=lambda buffer: network.buffers[buffer].block_bytes))
    return smallest


def _make_up(network: Network, trial: Trial) -> None:
    for _ in range(_ROUNDS):
        stuck = stuck_kernels(network)
        chosen = [waiter for waiter in stuck if waiter.missing is not None]
        if not chosen:
            chosen = [min(cycle, key=lambda waiter: NEAREST.index(waiter.kind)) for cycle in cycles(stuck)]
        if not chosen:
            return
        for waiter in chosen:
            _provide(network, trial, waiter)
        trial.outcome = network.go_on()
        if trial.outcome != "stuck":
            return


def _provide(network: Network, trial: Trial, stuck: Stuck) -> None:
    """Make up the block, message or change that a kernel waits for."""
    kernel, resource = stuck.kernel, stuck.resource
    node = network.kernels[kernel].node
    trial.provided.append(stuck)
    match stuck.kind:
        case "space":
            trial.room[resource] += 1
            network.add_block(resource)
        case "data":
            trial.blocks[resource] += 1
            network.put(resource, kernel)
        case "message":
            trial.messages[resource, node] += 1
            network.send(resource, kernel)
        case "pipe":
            trial.receives.update((resource, end) for end in network.receive(resource, kernel))
        case "semaphore":
            value, changes = network.semaphore(resource, node)
            trial.values[resource, node] = (value, stuck.waiting.value, changes)
            network.change(resource, kernel, stuck.waiting.value)
