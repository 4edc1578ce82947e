"""The uses of buffers by kernels, recorded in a launch with more buffers than fit without sharing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ttl.protocol.sharing import BufferUsers, RingUse, Usage
from ttl.sim.events import ACQUIRED, COPIED, POPPED, PUSHED
from ttl.sim.pipes import PipeReceive

if TYPE_CHECKING:
    from ttl.sim.kernel import Kernel, Node, RunningLaunch


class UsesWatch:
    """Records the uses of all buffers from its construction on."""

    def __init__(self, engine: RunningLaunch) -> None:
        self._engine = engine
        self._uses: defaultdict[Kernel, list[int]] = defaultdict(list)
        self._landing: set[tuple[Node, int]] = set()
        self._read: set[int] = set()
        self._written: dict[tuple[Node, int], Kernel] = {}
        self._ordered = False
        self._other = engine.on_event
        engine.on_event = self._note

    def users(self, nodes: Sequence[Node]) -> BufferUsers:
        """Return the uses of the buffers of some nodes, which make the same buffers."""
        tensors = {tensor for _, tensor in self._written}
        placements = self._engine.placements
        return BufferUsers(
            usage=Usage(tuple(tuple(self._uses[kernel]) for kernel in node.kernels) for node in nodes),
            kernels=[kernel.name for kernel in nodes[0].kernels],
            fixed={
                buffer.ordinal
                for node in nodes
                for buffer in node.buffers
                if (node, buffer.ordinal) in self._landing
                or (buffer in placements and placements[buffer].scope == "remote_uniform")
            },
            unread={number for number, _ in self._engine.dropped},
            counts=[buffer.block_count for buffer in nodes[0].buffers],
            free_order=not (
                self._ordered or self._engine.semaphores.all or self._engine.backed or tensors & self._read
            ),
        )

    def _note(self, event: int, subject: Any) -> None:
        if self._other is not None:
            self._other(event, subject)
        if event == ACQUIRED:
            self._used(subject, RingUse.RESERVE if subject.acquired_by_reserve else RingUse.WAIT)
        elif event in (PUSHED, POPPED):
            self._used(subject, RingUse.PUSH if event == PUSHED else RingUse.POP)
        elif event == COPIED:
            self._copied(*subject)

    def _used(self, block: Any, use: RingUse) -> None:
        self._uses[block.kernel].append(use.of(block.buffer.ordinal))

    def _copied(self, transfer: Any, source: Any, destination: Any) -> None:
        block = transfer.block
        if isinstance(transfer, PipeReceive):
            self._landing.add((block.buffer.node, block.buffer.ordinal))
            return
        tensor = getattr(source if transfer.writes else destination, "storage", None)
        if tensor is None:
            return
        if transfer.writes:
            self._read.add(id(tensor.region))
        else:
            key = (block.buffer.node, id(tensor.region))
            self._ordered |= self._written.setdefault(key, block.kernel) is not block.kernel
