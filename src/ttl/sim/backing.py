"""Buffers of one launch whose memory is a tensor: they publish the tensor's data, and pushed blocks are written to it.

The data that such a launch reads depend on the order of its steps, so it is neither replayed nor run for several nodes
at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ttl import control
from ttl.diag import ProgramError
from ttl.host.tensor import Tensor
from ttl.protocol.blocks import State
from ttl.rules import backing as rules
from ttl.rules.labels import COPIED_INTO, PUBLISHED
from ttl.sim.block import SimBlock
from ttl.sim.events import ACQUIRED, COPIED, STORED
from ttl.sim.storage import Storage
from ttl.sim.tensor_slices import SimSlice
from ttl.sim.values import Value
from ttl.source.spans import Site

if TYPE_CHECKING:
    from ttl.rules.backing import Backing
    from ttl.sim.buffer import SimBuffer
    from ttl.sim.kernel import Kernel, Node, RunningLaunch


class BackedBuffers:
    """The buffers of one launch whose memory is a tensor's."""

    def __init__(self, engine: RunningLaunch) -> None:
        self._engine = engine
        self._buffers: dict[SimBuffer, tuple[Backing, Storage]] = {}
        self._published: dict[SimBuffer, Site] = {}
        self._copied: dict[Node, list[tuple[Kernel, Site, SimSlice]]] = {}
        self._publishing = False
        self._other_push, self._other_event = engine.on_push, engine.on_event
        engine.on_push, engine.on_event = self._pushed, self._note
        if engine.lanes is not None:
            engine.lanes.give_up()
        if control.NATIVE:
            engine.pending.refuse_tape("a buffer is the memory of a tensor")

    def add(self, buffer: SimBuffer, backing: Backing) -> None:
        """Register a buffer that was just made."""
        assert isinstance(backing.tensor, Tensor)
        storage = self._engine.memory.storage(backing.tensor)
        self._engine.memory.order_all(storage)
        self._buffers[buffer] = backing, storage

    def has(self, buffer: SimBuffer) -> bool:
        """Whether the memory of a buffer is a tensor's."""
        return buffer in self._buffers

    def is_kept(self, buffer: SimBuffer) -> bool:
        """Return whether a buffer is in a tensor and no kernel waits for its blocks."""
        return buffer in self._buffers and buffer.consumer is None

    def publish(self, buffer: SimBuffer, site: Site) -> None:
        """Fill all blocks of a buffer with the contents of its tensor, and push them."""
        engine, kernel = self._engine, self._engine.current
        if buffer.reserved:
            published = self._published.get(buffer)
            finding = rules.published_again(buffer.name, is_published=published is not None)
            engine.fail(finding, related=((published, PUBLISHED),))
        _, storage = self._buffers[buffer]
        self._published[buffer] = site
        for writer, copied, part in self._copied.get(kernel.node, ()):
            if writer is not kernel and self._touches(part, buffer):
                raise ProgramError(
                    engine.located(rules.touched(buffer.name), copied, COPIED_INTO, ((site, PUBLISHED),))
                )
        engine.pending.flush()
        pages = self._pages(buffer)
        size = len(pages) // buffer.block_count
        self._publishing = True
        for first in range(0, len(pages), size):
            array = engine.memory.tiles(storage, pages[first : first + size], buffer.type)
            buffer.reserved += 1
            value = Value(buffer.type, None, array)
            block = SimBlock(buffer, kernel, kernel.reserve_table, int(State.MUST_BE_READ), value, site)
            buffer.held_reserved.append(block)
            buffer.last_reserved = block
            if engine.on_event is not None:
                engine.on_event(ACQUIRED, block)
            block.push()
            block.released = site
        self._publishing = False

    def _pages(self, buffer: SimBuffer) -> list[tuple[int, ...]]:
        pages = self._buffers[buffer][0].pages(buffer.node.coord)
        assert pages is not None
        return pages

    def _pushed(self, buffer: SimBuffer, value: Value) -> None:
        if self._other_push is not None:
            self._other_push(buffer, value)
        if self._publishing or buffer not in self._buffers:
            return
        self._engine.pending.flush()
        pages = self._pages(buffer)
        size = len(pages) // buffer.block_count
        first = buffer.pushed % buffer.block_count * size
        memory = self._engine.memory
        memory.put_tiles(
            self._buffers[buffer][1], pages[first : first + size], memory.data(value), buffer.type
        )

    def _note(self, event: int, subject: Any) -> None:
        if self._other_event is not None:
            self._other_event(event, subject)
        written = subject if event == STORED else subject[2] if event == COPIED else None
        if isinstance(written, SimBlock):
            self.require_own(written)
        if event != COPIED or not isinstance(subject[2], SimSlice):
            return
        transfer, _, part = subject
        kernel = self._engine.current
        self._copied.setdefault(kernel.node, []).append((kernel, transfer.site, part))
        for buffer, site in self._published.items():
            if buffer.node is kernel.node and self._touches(part, buffer):
                self._engine.fail(rules.touched(buffer.name), COPIED_INTO, ((site, PUBLISHED),))

    def require_own(self, block: SimBlock) -> None:
        """Raise an error when a kernel writes into a block of a tensor's memory that it acquired with ``wait``."""
        if block.buffer in self._buffers and not block.acquired_by_reserve:
            self._engine.fail(rules.replaced(block.buffer.name))

    def _touches(self, part: SimSlice, buffer: SimBuffer) -> bool:
        """Whether a slice overlaps the memory of a buffer."""
        return part.storage is self._buffers[buffer][1] and any(
            all(start <= at < stop for at, (start, stop) in zip(page, part.bounds, strict=True))
            for page in self._pages(buffer)
        )
