"""Specification, "Pipe" and "Dataflow buffer": the channel and the ring against plain models."""

from __future__ import annotations

from collections import deque
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from ttl.protocol.pipes import Channel
from ttl.protocol.rings import Ring


class ChannelMachine(RuleBasedStateMachine):
    """Three destinations; the model is what each of them has still to receive."""

    def __init__(self) -> None:
        super().__init__()
        self.channel: Channel[int] = Channel(0, (1, 2, 3))
        self.due: dict[int, deque[int]] = {dst: deque() for dst in (1, 2, 3)}
        self.messages: list[Any] = []

    @rule()
    def send(self) -> None:
        number = len(self.messages)
        self.messages.append(self.channel.send(number))
        for due in self.due.values():
            due.append(number)

    @rule(dst=st.sampled_from((1, 2, 3)))
    def receive(self, dst: int) -> None:
        # A destination can have the message under way, once; it is that of the oldest send not received everywhere.
        oldest = min((due[0] for due in self.due.values() if due), default=None)
        can = bool(self.due[dst]) and self.due[dst][0] == oldest
        assert self.channel.available(dst) == can
        if can:
            assert self.channel.receive(dst) == self.due[dst].popleft()

    @invariant()
    def a_send_leaves_when_all_before_it_are_received(self) -> None:
        oldest = min((due[0] for due in self.due.values() if due), default=len(self.messages))
        for number, message in enumerate(self.messages):
            assert message.left == (number <= oldest)

    @invariant()
    def counts(self) -> None:
        assert self.channel.sent == len(self.messages)
        assert self.channel.received == 3 * len(self.messages) - sum(map(len, self.due.values()))


TestChannel = ChannelMachine.TestCase


class RingMachine(RuleBasedStateMachine):
    """Two ends that may hold several blocks each; the model is four lists of block numbers."""

    def __init__(self) -> None:
        super().__init__()
        self.ring = Ring(3)
        self.reserved: deque[int] = deque()
        self.filled: deque[int] = deque()
        self.taken: deque[int] = deque()
        self.next = 0

    @precondition(lambda self: self.ring.reserved - self.ring.popped < self.ring.block_count)
    @rule()
    def reserve(self) -> None:
        self.ring.reserved += 1
        self.reserved.append(self.next)
        self.next += 1

    @precondition(lambda self: self.reserved)
    @rule()
    def push(self) -> None:
        self.ring.pushed += 1
        self.filled.append(self.reserved.popleft())

    @precondition(lambda self: self.ring.waited < self.ring.pushed)
    @rule()
    def wait(self) -> None:
        self.ring.waited += 1
        self.taken.append(self.filled.popleft())

    @precondition(lambda self: self.taken)
    @rule()
    def pop(self) -> None:
        self.ring.popped += 1
        self.taken.popleft()

    @invariant()
    def it_agrees_with_the_lists(self) -> None:
        held = len(self.reserved) + len(self.filled) + len(self.taken)
        assert held <= 3
        assert self.ring.reserved - self.ring.popped == held
        assert self.ring.pushed - self.ring.waited == len(self.filled)
        assert self.ring.filled() == len(self.filled) + len(self.taken)


TestRing = RingMachine.TestCase


@given(st.integers(1, 5))
def test_a_new_ring_is_empty(block_count: int) -> None:
    ring = Ring(block_count)
    assert (ring.block_count, ring.filled(), ring.reserved, ring.waited) == (block_count, 0, 0, 0)
