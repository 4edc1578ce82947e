"""Dataflow buffers of one node: who may acquire a block, and when.

The hot path of the control plane: an acquisition checks the ring with one comparison and leaves everything unusual
to the slow paths at the end.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Literal, NoReturn

from ttl import control
from ttl.lang.buffer import DataflowBuffer
from ttl.lang.deprecated import note_pop_of_buffer, note_push_of_buffer
from ttl.protocol.blocks import Acquired, Role, initial_state
from ttl.protocol.rings import Ring
from ttl.rows.dtypes import DType
from ttl.rows.types import BlockType
from ttl.rules import buffers as rules
from ttl.rules import labels
from ttl.rules.backing import publish
from ttl.sim import implicit, show
from ttl.sim.block import SimBlock
from ttl.sim.events import ACQUIRED
from ttl.sim.kernel import captured_name
from ttl.source.names import target_name
from ttl.source.spans import Site, user_site

if TYPE_CHECKING:
    from ttl._core import Buffer as _BUFFER
    from ttl.sim.kernel import Kernel, Node, RunningLaunch
    from ttl.sim.values import Value

_RESERVED, _FILLED = int(initial_state(Role.RESERVE_COMPUTE)), int(initial_state(Role.WAIT_COMPUTE))


class WaitForSpace:
    """A reason for a kernel to block: a buffer has no free block."""

    __slots__ = ("buffer",)

    def __init__(self, buffer: SimBuffer) -> None:
        self.buffer = buffer


class WaitForData:
    """A reason for a kernel to block: a buffer has no filled block."""

    __slots__ = ("buffer",)

    def __init__(self, buffer: SimBuffer) -> None:
        self.buffer = buffer


if not TYPE_CHECKING:
    _BUFFER = control.base(
        "Buffer",
        (
            "consumer", "consumer_site", "data_waits", "engine", "held_reserved", "held_waited", "last_reserved",
            "last_waited", "node", "ordinal", "producer", "producer_site", "site", "slots", "space_waits", "type",
            "wait_for_data", "wait_for_space", "waiting_consumer", "waiting_producer",
        ),
        Ring,
    )  # fmt: skip


@control.accelerated
class SimBuffer(_BUFFER, DataflowBuffer):
    """A dataflow buffer on one node."""

    __slots__ = ()

    def __init__(
        self,
        engine: RunningLaunch,
        node: Node,
        ordinal: int,
        type: BlockType,
        block_count: int,
        site: Site | None,
    ) -> None:
        Ring.__init__(self, block_count)
        self.engine = engine
        self.node = node
        self.ordinal = ordinal
        self.type = type
        self.site = site
        self.slots: list[Value] = []
        self.held_reserved: list[SimBlock] = []
        self.held_waited: list[SimBlock] = []
        self.producer: Kernel | None = None
        self.consumer: Kernel | None = None
        self.producer_site: Site | None = None
        self.consumer_site: Site | None = None
        self.waiting_producer: Kernel | None = None
        self.waiting_consumer: Kernel | None = None
        self.wait_for_space: WaitForSpace | None = None
        self.wait_for_data: WaitForData | None = None
        self.space_waits = 0
        self.data_waits = 0
        self.last_reserved: SimBlock | None = None
        self.last_waited: SimBlock | None = None

    def reserve(self) -> SimBlock:
        """Reserve a free block; see ``DataflowBuffer.reserve``."""
        engine = self.engine
        kernel = engine.current
        if kernel is not self.producer:
            self._claim_producer(kernel)
        if self.held_reserved:
            self._reserve_while_holding()
        while self.reserved - self.popped >= self.block_count:
            self.waiting_producer = kernel
            self.space_waits += 1
            if self.wait_for_space is None:
                self.wait_for_space = WaitForSpace(self)
            engine.suspend(kernel, self.wait_for_space)
        self.reserved += 1
        frame = sys._getframe(1)
        site = (frame.f_code, frame.f_lasti)
        block = SimBlock(self, kernel, kernel.reserve_table, _RESERVED, None, site)
        self.held_reserved.append(block)
        self.last_reserved = block
        if engine.on_event is not None:
            engine.on_event(ACQUIRED, block)
        return block

    def wait(self) -> SimBlock:
        """Wait for a filled block; see ``DataflowBuffer.wait``."""
        engine = self.engine
        kernel = engine.current
        if kernel is not self.consumer:
            self._claim_consumer(kernel)
        if self.held_waited:
            self._wait_while_holding()
        while self.waited >= self.pushed:
            self.waiting_consumer = kernel
            self.data_waits += 1
            if self.wait_for_data is None:
                self.wait_for_data = WaitForData(self)
            engine.suspend(kernel, self.wait_for_data)
        self.waited += 1
        frame = sys._getframe(1)
        site = (frame.f_code, frame.f_lasti)
        block = SimBlock(self, kernel, kernel.wait_table, _FILLED, self.slots.pop(0), site)
        self.held_waited.append(block)
        self.last_waited = block
        if engine.on_event is not None:
            engine.on_event(ACQUIRED, block)
        return block

    def publish(self) -> None:
        """See ``DataflowBuffer.publish``."""
        kernel = self.engine.current
        self._require_kernel(kernel, "publish")
        site = user_site(sys._getframe(1))
        backed = self.engine.backed
        is_backed = backed is not None and backed.has(self)
        finding = publish(self.name, is_backed=is_backed, moves_data=kernel.moves_data, what=kernel.what)
        if finding is not None:
            self.engine.fail(finding)
        if kernel is not self.producer:
            self._claim_producer(kernel)
        assert backed is not None and site is not None
        backed.publish(self, site)

    def push(self) -> None:
        """Older spelling: push the oldest reserved block."""
        note_push_of_buffer()
        if not self.held_reserved:
            self.engine.fail(rules.nothing_to_push(self.name))
        block = self.held_reserved[0]
        block.release()
        block.released = user_site(sys._getframe(1))

    def pop(self) -> None:
        """Older spelling: pop the oldest waited block."""
        note_pop_of_buffer()
        if not self.held_waited:
            self.engine.fail(rules.nothing_to_pop(self.name))
        block = self.held_waited[0]
        block.release()
        block.released = user_site(sys._getframe(1))

    @property
    def name(self) -> str:
        """Name of the variable the buffer was assigned to, for messages."""
        assigned = target_name(self.site)
        # A launch that has ended has no body any more.
        body = getattr(getattr(self.node, "body", None), "function", None)
        in_body = self.site is not None and self.site[0] is getattr(body, "__code__", None)
        if assigned is not None and in_body:
            return assigned
        return captured_name(self.node.kernels, self) or assigned or f"buffer {self.ordinal}"

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of a block, in tiles or elements."""
        return self.type.shape

    @property
    def dtype(self) -> DType:
        """Element type."""
        return self.type.dtype

    # ``block_count`` of the public class is Ring's attribute of the same name.

    @property
    def nbytes(self) -> int:
        """The bytes that the buffer takes of its node's L1."""
        return self.type.nbytes * self.block_count

    def __repr__(self) -> str:
        return show.buffer(self)

    # --- slow paths -------------------------------------------------------------------------------------

    def _claim_producer(self, kernel: Kernel) -> None:
        self._require_kernel(kernel, "reserve")
        if self.producer is not None:
            self._fail_second("reserve", self.producer, self.producer_site, kernel)
        self.producer = kernel
        self.producer_site = user_site(sys._getframe(1))

    def _claim_consumer(self, kernel: Kernel) -> None:
        self._require_kernel(kernel, "wait")
        if self.consumer is not None:
            self._fail_second("wait", self.consumer, self.consumer_site, kernel)
        self.consumer = kernel
        self.consumer_site = user_site(sys._getframe(1))

    def _require_kernel(self, kernel: Kernel, acquired: Acquired | Literal["publish"]) -> None:
        if not self.engine.active:
            self.engine.fail(rules.after_the_end(acquired, self.name))
        if kernel.node is not self.node:
            self.engine.fail(rules.of_another_node(acquired, self.name))
        if not kernel.is_kernel:
            self.engine.fail(rules.outside_kernel(acquired, self.name))

    def _fail_second(self, acquired: Acquired, first: Kernel, site: Site | None, second: Kernel) -> NoReturn:
        diagnostic = rules.second_user(acquired, self.name, first.name, second.name)
        self.engine.fail(diagnostic, related=((site, labels.does_so(first.name)),))

    def _reserve_while_holding(self) -> None:
        implicit.release_before_acquiring(self, self.held_reserved, sys._getframe(2))
        if len(self.held_reserved) >= self.block_count:
            self._fail_holding_all("reserve", self.held_reserved)

    def _wait_while_holding(self) -> None:
        implicit.release_before_acquiring(self, self.held_waited, sys._getframe(2))
        if len(self.held_waited) >= self.block_count:
            self._fail_holding_all("wait", self.held_waited)

    def _fail_holding_all(self, acquired: Acquired, held: list[SimBlock]) -> NoReturn:
        self.engine.fail(
            rules.holds_all(acquired, self.name, self.block_count),
            related=((held[0].site, labels.OLDEST_HELD),),
        )


control.register(buffer=SimBuffer, wait_for_space=WaitForSpace, wait_for_data=WaitForData)
