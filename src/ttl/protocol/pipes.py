"""A pipe: one sender, one or more receivers, one transfer under way at a time (specification, "Pipe").

The message of a send is the content of the sender's block at the copy. A send leaves its block when the pipe is free;
the pipe is free again when every destination has received, that is, has started a receive and been handed the message.
Sends that wait for the pipe queue in order.
"""

from __future__ import annotations

from collections import deque
from typing import Generic, TypeVar

Payload = TypeVar("Payload")


class Message(Generic[Payload]):
    """One send. ``left``: whether the data have left the sender's block."""

    __slots__ = ("left", "payload")

    def __init__(self, payload: Payload) -> None:
        self.payload = payload
        self.left = False


class Channel(Generic[Payload]):
    """State of one pipe during one launch. Nodes are linear indices."""

    __slots__ = ("dsts", "in_flight", "queue", "received", "remaining", "sent", "src")

    def __init__(self, src: int, dsts: tuple[int, ...]) -> None:
        self.src = src
        self.dsts = dsts
        self.in_flight: Message[Payload] | None = None
        self.remaining: set[int] = set()
        self.queue: deque[Message[Payload]] = deque()
        self.sent = 0
        self.received = 0

    def send(self, payload: Payload) -> Message[Payload]:
        """Put a message into the pipe; it queues when another is under way (``left`` is False)."""
        self.sent += 1
        message = Message(payload)
        if self.in_flight is None:
            self._start(message)
        else:
            self.queue.append(message)
        return message

    def available(self, dst: int) -> bool:
        """Whether a destination has a message it has not received yet."""
        return self.in_flight is not None and dst in self.remaining

    def receive(self, dst: int) -> Payload:
        """Take the message under way; the pipe becomes free with the last destination."""
        message = self.in_flight
        assert message is not None
        self.remaining.discard(dst)
        self.received += 1
        if not self.remaining:
            self.in_flight = None
            if self.queue:
                self._start(self.queue.popleft())
        return message.payload

    def _start(self, message: Message[Payload]) -> None:
        message.left = True
        self.in_flight = message
        self.remaining = set(self.dsts)
