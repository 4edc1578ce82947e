"""The interface of an execution to the analysis of its deadlock, once no kernel can continue.

Kernels, nodes, buffers, pipes and semaphores are numbers: positions in the sequences of a ``Network``. A place is the
execution's own key for a line of the program; it becomes a span when a report needs it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Literal, NamedTuple, Protocol

from ttl.rules.waiting import WaitKind
from ttl.source.spans import Span

Place = Hashable
Outcome = Literal["stuck", "ended", "failed", "cut short"]
"""The end of the experiment: ``cut short`` after too many steps."""


class NetworkKernel(NamedTuple):
    """A kernel on a node; ``computes``: it is a compute kernel."""

    name: str
    node: int
    computes: bool


class NetworkBuffer(NamedTuple):
    """A dataflow buffer on a node. ``made`` is where the program makes it, the same on every node.

    ``shape`` is that of a block, in tiles or elements.
    """

    name: str
    node: int
    made: Place
    shape: tuple[int, ...]
    block_bytes: int
    in_tensor: bool = False
    """Whether its memory is a tensor's."""
    token_of: str | None = None
    """The kernel that announces through the buffer that it has come to a reset."""


class NetworkPipe(NamedTuple):
    """A pipe, ``ring's pipe from (0, 0) to (0, 1)``, and where it is made."""

    name: str
    source: int
    destinations: tuple[int, ...]
    made: Place


class NetworkSemaphore(NamedTuple):
    """A semaphore, ``semaphore done``, and where it is made."""

    name: str
    initial: int
    made: Place


class Waiting(NamedTuple):
    """A kernel that waits: for data or space of a buffer, a message of or room in a pipe, a value of a semaphore.

    ``others``: further pipes, where a message of any of them is enough.
    """

    kernel: int
    kind: WaitKind
    resource: int
    place: Place
    value: int = 0
    exact: bool = False
    others: tuple[int, ...] = ()


class BufferState(NamedTuple):
    """The counts of a buffer, and the kernels that hold its blocks; a kernel is None if it is not known yet.

    ``filled_at`` and ``taken_at`` are the places where the last blocks, or those held longest, were acquired.
    ``written``: the oldest reserved block has been written.
    """

    block_count: int
    pushed: int
    waited: int
    writing: int
    reading: int
    producer: int | None
    consumer: int | None
    filled_at: Place
    taken_at: Place
    written: bool

    @property
    def popped(self) -> int:
        """The number of blocks that were popped."""
        return self.waited - self.reading


class PipeState(NamedTuple):
    """Messages of a pipe, and the destinations that have not received the one under way."""

    sent: int
    received: int
    remaining: tuple[int, ...]


OUTSIDE = "the kernels may change something outside the operation"


class Network(Protocol):
    """An execution in which no kernel can continue."""

    @property
    def kernels(self) -> Sequence[NetworkKernel]:
        """All kernels, node by node."""

    @property
    def nodes(self) -> Sequence[tuple[tuple[int, ...], ...]]:
        """The coordinates of each node; several where one node stands for all that do the same."""

    @property
    def buffers(self) -> Sequence[NetworkBuffer]:
        """All buffers, node by node."""

    @property
    def pipes(self) -> Sequence[NetworkPipe]:
        """The pipes of the nets in use."""

    @property
    def semaphores(self) -> Sequence[NetworkSemaphore]:
        """All semaphores."""

    @property
    def first_of_several(self) -> bool:
        """Whether kernels wait for the first of several receives, so that another order may end in another way."""

    @property
    def untried(self) -> str:
        """The reason why nothing is tried, for the report, where ``experiment`` gives None."""

    @property
    def l1_bytes(self) -> int:
        """The bytes of L1 that the buffers of a node may take."""

    def span(self, place: Place) -> Span | None:
        """Return the span of a place in the program; None if it is not known."""

    def calls(self, place: Place) -> tuple[Span, ...]:
        """The calls that led to a place in a function."""

    # --- the present state -------------------------------------------------------------------------------

    def waiting(self) -> Iterable[Waiting]:
        """The kernels that wait, node by node."""

    def ended(self, kernel: int) -> bool:
        """Whether a kernel has ended."""

    def producer(self, buffer: int) -> int | None:
        """The kernel that has reserved, or waits to reserve, a block; None if no kernel has."""

    def consumer(self, buffer: int) -> int | None:
        """The kernel that has waited, or waits, for a block; None if no kernel has."""

    def buffer(self, buffer: int) -> BufferState:
        """The state of a buffer."""

    def events(self, buffer: int) -> tuple[str, ...]:
        """The last things that the kernels of a buffer did with it, in words; empty where they are not known."""

    def pipe(self, pipe: int) -> PipeState:
        """The state of a pipe."""

    def undelivered(self, pipe: int, node: int) -> int:
        """The number of messages that were sent and that a destination has not received."""

    def semaphore(self, semaphore: int, node: int) -> tuple[int, int]:
        """Value of a semaphore on a node, and how often others have changed it."""

    def history(self, kernel: int) -> Sequence[str]:
        """The last things that a kernel did before it stopped, in words; empty where they are not known."""

    # --- what the code of a kernel does on some path -----------------------------------------------------

    def may_reserve(self, kernel: int, buffer: int) -> bool:
        """Whether it may reserve blocks of a buffer."""

    def calls_reserve(self, kernel: int, buffer: int) -> bool:
        """Whether its code certainly contains a call of ``reserve`` of a buffer, which it need not reach."""

    def may_wait(self, kernel: int, buffer: int) -> bool:
        """Whether it may wait for blocks of a buffer."""

    def uses(self, kernel: int, what: Literal["if_src", "if_dst", "semaphore"]) -> bool:
        """Whether it may send, receive, or change semaphores."""

    def writes_first(self, waiting: Waiting) -> bool:
        """Whether the block that is waited for would be written before it is read; asked after the experiment."""

    # --- an experiment ------------------------------------------------------------------------------------

    def experiment(self) -> AbstractContextManager[Network | None]:
        """Enter a copy of the network that may be changed without a trace; None where no experiment is possible."""

    def add_block(self, buffer: int) -> None:
        """Give a buffer one block more."""

    def put(self, buffer: int, kernel: int) -> None:
        """Push a block that no kernel pushed, for a kernel that waits. It takes a free block if there is one."""

    def send(self, pipe: int, kernel: int) -> None:
        """Send a message that no kernel sent, to the node of a kernel that waits to receive."""

    def receive(self, pipe: int, kernel: int) -> tuple[int, ...]:
        """Receive the message under way on each node that has not received it, and return these nodes.

        ``kernel`` waits to send.
        """

    def change(self, semaphore: int, kernel: int, value: int) -> None:
        """Give a semaphore the value that a kernel waits for."""

    def go_on(self) -> Outcome:
        """Run until no kernel can continue."""

    @property
    def failure(self) -> tuple[int, str] | None:
        """The kernel that failed while it continued, and the code of the error; the code is empty for one of another kind."""
