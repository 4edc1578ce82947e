"""Semaphores while an operation is read: those of the node, and of other nodes."""

from __future__ import annotations

from typing import Any, Literal

from xdsl.ir import SSAValue

from ttl.diag import Diagnostic
from ttl.dialects import ttl as ir
from ttl.frontend.kernel.chip_nets import on_chip
from ttl.frontend.kernel.trace import OperationTrace, varies
from ttl.frontend.scalars import NodeInteger
from ttl.lang.check import fail
from ttl.lang.semaphore import MulticastRemoteSemaphore, Semaphore, UnicastRemoteSemaphore
from ttl.protocol.devices import DeviceGrid, node_grid
from ttl.protocol.grid import grid_size, resolve_coord, resolve_range
from ttl.rules.semaphores import semaphore_value


class _Settable:
    """The common base of semaphores of this node, of another node and of a range of nodes."""

    def __init__(self, trace: OperationTrace, ssa: SSAValue) -> None:
        self._trace = trace
        self._ssa = ssa

    def set(self, value: Any) -> None:
        """Set the semaphore."""
        number = counted(value)
        self._trace.require_data_movement("set")
        self._trace.emit(ir.SemaphoreSetOp(self._ssa, self._trace.builder.index(number)))


class TracedSemaphore(_Settable, Semaphore):
    """A semaphore."""

    def wait_eq(self, value: Any) -> None:
        """Wait until the semaphore equals a value."""
        self._wait(counted(value), "eq")

    def wait_ge(self, value: Any) -> None:
        """Wait until the semaphore is at least a value."""
        self._wait(counted(value), "ge")

    def _wait(self, value: Any, comparison: Literal["eq", "ge"]) -> None:
        self._trace.require_data_movement("wait")
        index = self._trace.builder.index(value)
        self._trace.emit(ir.SemaphoreWaitOp(self._ssa, index, comparison=comparison))

    def get_remote(self, node: Any) -> UnicastRemoteSemaphore:
        """The semaphore on another node."""
        trace = self._trace
        entries = tuple(node) if isinstance(node, tuple | list) else (node,)
        if not any(isinstance(entry, NodeInteger) for entry in entries):
            finding = resolve_coord(node, node_grid(trace.grid))
            if isinstance(finding, Diagnostic):
                fail(finding)
        if isinstance(trace.grid, DeviceGrid):
            entries = (*trace.chip_coordinate(), *on_chip(entries, trace.grid))
        values = [trace.builder.index(entry) for entry in entries]
        return TracedUnicast(trace, trace.emit(ir.GetRemoteSemaphoreOp(self._ssa, values)).result)

    def get_remote_multicast(self, node_range: Any = None) -> MulticastRemoteSemaphore:
        """The semaphore on a range of nodes, by default on all of them."""
        trace = self._trace
        starts: list[Any] = []
        stops: list[Any] = []
        if isinstance(trace.grid, DeviceGrid):  # the nodes of this chip
            starts = [*trace.chip_coordinate()]
            stops = [entry + 1 for entry in starts]
            if node_range is None:
                node_range = (slice(None), slice(None))
        if node_range is not None:
            entries = tuple(node_range) if isinstance(node_range, tuple | list) else (node_range,)
            if not varies(entries):
                finding = resolve_range(node_range, node_grid(trace.grid))
                if isinstance(finding, Diagnostic):
                    fail(finding)
            if isinstance(trace.grid, DeviceGrid):
                entries = on_chip(entries, trace.grid)
            sizes = grid_size(node_grid(trace.grid), len(entries))
            for entry, extent in zip(entries, sizes, strict=True):
                if isinstance(entry, slice):
                    starts.append(0 if entry.start is None else entry.start)
                    stops.append(extent if entry.stop is None else entry.stop)
                else:
                    starts.append(entry)
                    stops.append(entry + 1)
        index = trace.builder.index
        op = ir.GetRemoteMulticastSemaphoreOp(
            self._ssa, [index(start) for start in starts], [index(stop) for stop in stops]
        )
        return TracedMulticast(trace, trace.emit(op).result)


class TracedUnicast(_Settable, UnicastRemoteSemaphore):
    """A semaphore on another node."""

    def inc(self, value: Any) -> None:
        """Increment the semaphore on that node."""
        number = counted(value)
        self._trace.require_data_movement("inc")
        self._trace.emit(ir.SemaphoreIncOp(self._ssa, self._trace.builder.index(number)))


class TracedMulticast(_Settable, MulticastRemoteSemaphore):
    """A semaphore on a range of nodes. ``inc`` of the public class is an error."""


def counted(value: Any) -> Any:
    """A value for a semaphore, which is checked if it is known."""
    if isinstance(value, NodeInteger):
        return value
    result = semaphore_value(value)
    if isinstance(result, Diagnostic):
        fail(result)
    return result
