"""The functions of traces and events: ``begin_trace_capture``, ``execute_trace``, ``record_event`` and the others."""

from __future__ import annotations

from typing import Any

from ttl.host import trace
from ttl.host.calling import checked, direct
from ttl.host.device import Device, checked_device
from ttl.host.errors import Code, describe, fail
from ttl.host.trace import MeshTraceId


@checked
class MeshEvent:
    """A point in the work of a device. Everything before it has always been done already."""

    __slots__ = ("device",)

    def __init__(self, device: Device) -> None:
        self.device = checked_device(device)

    def __repr__(self) -> str:
        return f"MeshEvent(device={self.device.id()})"


@direct("cq_id")
def begin_trace_capture(mesh_device: Device) -> MeshTraceId:
    """Begin to capture the calls of operations, of TT-NN's and of one's own, as a trace; they are also carried out."""
    return trace.begin(checked_device(mesh_device))


@direct("cq_id")
def end_trace_capture(mesh_device: Device, trace_id: MeshTraceId) -> None:
    """End the capture; the trace can be executed from now on."""
    trace.end(checked_device(mesh_device), trace_id)


@direct("cq_id", "blocking")
def execute_trace(mesh_device: Device, trace_id: MeshTraceId) -> None:
    """Do again what was captured: with the contents its tensors have now, into the tensors it returned."""
    trace.execute(checked_device(mesh_device), trace_id)


@direct()
def release_trace(mesh_device: Device, trace_id: MeshTraceId) -> None:
    """Free a trace. It can no longer be executed."""
    trace.release(checked_device(mesh_device), trace_id)


@direct()
def is_trace_capture_active(mesh_device: Device | None = None) -> bool:
    """Whether a trace is being captured."""
    return trace.CAPTURE.get() is not None


@direct("sub_device_ids", "device_range")
def record_event(mesh_device: Device, cq_id: int = 0) -> MeshEvent:
    """An event for ``wait_for_event``."""
    return MeshEvent(mesh_device)


@direct()
def wait_for_event(cq_id: Any = None, mesh_event: Any = None) -> None:
    """Let a command queue wait for an event, which has always happened already."""
    event = mesh_event if mesh_event is not None else cq_id
    if not isinstance(event, MeshEvent):
        fail(
            Code.WRONG_KIND,
            f"ttnn.wait_for_event: an event comes from ttnn.record_event; this is {describe(event)}",
        )


@direct()
def event_synchronize(mesh_event: MeshEvent) -> None:
    """Wait for an event."""
    wait_for_event(0, mesh_event)
