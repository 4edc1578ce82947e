"""Transfers: a copy under way between a block and a tensor slice or a pipe."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NoReturn, Protocol

from ttl import control
from ttl.lang.transfers import Transfer
from ttl.protocol.blocks import COPIED_IN, COPIED_OUT
from ttl.rules.copies import member_waited_twice, waited_elsewhere, waited_twice
from ttl.rules.labels import COPY_STARTED
from ttl.sim.events import ARRIVED
from ttl.source.spans import Site

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ttl._core import Transfer as _TRANSFER
    from ttl.diag import Diagnostic
    from ttl.protocol.blocks import Acquired, Role, Step
    from ttl.rows.types import BlockType
    from ttl.sim.kernel import Kernel, Node, RunningLaunch

_COPIED_IN, _COPIED_OUT = int(COPIED_IN), int(COPIED_OUT)


class HeldBuffer(Protocol):
    """A dataflow buffer as its blocks see it; ``sim.buffer.SimBuffer`` is one."""

    engine: RunningLaunch
    node: Node
    ordinal: int
    type: BlockType
    site: Site | None
    consumer: Kernel | None
    waiting_producer: Kernel | None
    waiting_consumer: Kernel | None
    block_count: int
    reserved: int
    pushed: int
    waited: int
    popped: int
    used: int
    high_water: int
    slots: Any
    held_reserved: Any
    held_waited: Any

    @property
    def name(self) -> str:
        """Name of the variable the buffer was assigned to, for messages."""

    @property
    def nbytes(self) -> int:
        """Bytes that the buffer takes of its node's L1."""

    def filled(self) -> int:
        """Return how many blocks are filled and not popped."""


class HeldBlock(Protocol):
    """A block as its copies and the inference of releases see it; ``sim.block.SimBlock`` is one."""

    buffer: HeldBuffer
    kernel: Kernel
    table: tuple[int, ...]
    state: int
    value: Any
    site: Site
    transfers: SimTransfer | None

    @property
    def engine(self) -> RunningLaunch:
        """The launch the block belongs to."""

    @property
    def acquired_by_reserve(self) -> bool:
        """Whether the block was reserved (and not waited for)."""

    @property
    def acquired(self) -> Acquired:
        """The way the block was acquired."""

    @property
    def role(self) -> Role:
        """How, and in which kind of kernel, the block was acquired."""

    def transfers_under_way(self) -> Iterator[SimTransfer]:
        """The copies of the block that were not waited for yet, latest first."""

    def release(self) -> None:
        """Push or pop, whichever ends the life of this block."""

    def illegal(self, step: Step, by_with: bool = False) -> NoReturn:
        """Report a step the block's state forbids."""


if not TYPE_CHECKING:
    _TRANSFER = control.base("Transfer", ("block", "done", "next", "site", "writes"))


@control.accelerated
class SimTransfer(_TRANSFER, Transfer):
    """A copy into (``writes``) or out of a block. ``next`` links the copies of one block."""

    __slots__ = ()

    def __init__(self, block: HeldBlock, writes: bool, site: Site) -> None:
        self.block = block
        self.writes = writes
        self.site = site
        self.done = False
        self.next = block.transfers
        block.transfers = self

    def wait(self) -> None:
        """Wait for the transfer; see ``Transfer.wait``. Between a block and a tensor there is nothing to wait for."""
        block = self.block
        if self.done or block.buffer.engine.current is not block.kernel:
            self.refuse()
        self.done = True
        if block.transfers is self:
            block.transfers = self.next
        else:
            self._unlink()
        if self.writes:
            block.state = _COPIED_IN
        elif block.transfers is None:
            block.state = _COPIED_OUT
        on_event = block.buffer.engine.on_event
        if on_event is not None:
            on_event(ARRIVED, self)

    def _wait_in_group(self) -> None:
        if self.done:
            self.refuse(member_waited_twice)
        self.wait()

    def _unlink(self) -> None:
        for other in self.block.transfers_under_way():
            if other.next is self:
                other.next = self.next
                return

    def refuse(self, twice: Callable[[], Diagnostic] = waited_twice) -> NoReturn:
        """Report a wait that is not allowed; ``twice`` makes the report of a transfer that was waited for before."""
        block = self.block
        if self.done:
            block.engine.fail(twice(), related=((self.site, COPY_STARTED),))
        block.engine.fail(waited_elsewhere(block.kernel.name), related=((self.site, COPY_STARTED),))


control.register(transfer=SimTransfer)
