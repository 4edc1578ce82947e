"""Semaphores while an operation is read: of the node, and of others."""

from __future__ import annotations

from typing import Any, Literal

from xdsl.ir import SSAValue

from ttl.diag import Diagnostic
from ttl.dialects import ttl as ir
from ttl.frontend.nets import Nets
from ttl.frontend.scalars import Scalar
from ttl.frontend.tracing import varies
from ttl.lang.check import fail
from ttl.protocol.grid import grid_size, resolve_coord, resolve_range


class Semaphores(Nets):
    """What is done to semaphores."""

    def semaphore_wait(self, semaphore: SSAValue, value: Any, comparison: Literal["eq", "ge"]) -> None:
        """``wait_eq`` or ``wait_ge``."""
        self._require_data_movement("wait")
        self.emit(ir.SemaphoreWaitOp(semaphore, self.builder.index(value), comparison=comparison))

    def semaphore_set(self, semaphore: SSAValue, value: Any) -> None:
        """``set``, here or on other nodes."""
        self._require_data_movement("set")
        self.emit(ir.SemaphoreSetOp(semaphore, self.builder.index(value)))

    def semaphore_inc(self, semaphore: SSAValue, value: Any) -> None:
        """``inc`` on another node."""
        self._require_data_movement("inc")
        self.emit(ir.SemaphoreIncOp(semaphore, self.builder.index(value)))

    def remote(self, semaphore: SSAValue, node: Any) -> SSAValue:
        """``get_remote(node)``."""
        entries = tuple(node) if isinstance(node, tuple | list) else (node,)
        if not any(isinstance(entry, Scalar) for entry in entries):
            found = resolve_coord(node, self.grid)
            if isinstance(found, Diagnostic):
                fail(found)
        values = [self.builder.index(entry) for entry in entries]
        made: SSAValue = self.emit(ir.GetRemoteSemaphoreOp(semaphore, values)).result
        return made

    def remote_multicast(self, semaphore: SSAValue, nodes: Any) -> SSAValue:
        """``get_remote_multicast(range)``."""
        starts: list[Any] = []
        stops: list[Any] = []
        if nodes is not None:
            entries = tuple(nodes) if isinstance(nodes, tuple | list) else (nodes,)
            if not varies(entries):
                found = resolve_range(nodes, self.grid)
                if isinstance(found, Diagnostic):
                    fail(found)
            for entry, extent in zip(entries, grid_size(self.grid, len(entries)), strict=True):
                if isinstance(entry, slice):
                    starts.append(0 if entry.start is None else entry.start)
                    stops.append(extent if entry.stop is None else entry.stop)
                else:
                    starts.append(entry)
                    stops.append(entry + 1)
        index = self.builder.index
        made = ir.GetRemoteMulticastSemaphoreOp(
            semaphore, [index(start) for start in starts], [index(stop) for stop in stops]
        )
        result: SSAValue = self.emit(made).result
        return result
