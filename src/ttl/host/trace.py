"""Traces: the calls between ``begin_trace_capture`` and ``end_trace_capture``, to be repeated; and events.

A replay calls the same functions with the same tensors, whose contents may be others by now, and puts the results into the
tensors that the capture returned. As on a device, a trace has the tensors, not names or Python code."""

from __future__ import annotations

from typing import Any

from ttl.host.calling import CAPTURE, Capture, checked, direct
from ttl.host.computing import tensors_in
from ttl.host.device import Device, checked_device
from ttl.host.errors import Code, describe, fail

__all__ = (
    "MeshEvent", "MeshTraceId", "begin_trace_capture", "end_trace_capture", "event_synchronize", "execute_trace",
    "is_trace_capture_active", "record_event", "release_trace", "wait_for_event",
)  # fmt: skip


@checked
class MeshTraceId(int):
    """Names a trace of a device."""

    __slots__ = ()

    def __new__(cls, number: int) -> MeshTraceId:
        if not isinstance(number, int):
            fail(Code.WRONG_KIND, f"ttnn.MeshTraceId: a trace has a number, not {describe(number)}")
        return super().__new__(cls, number)

    def __repr__(self) -> str:
        return f"MeshTraceId({int(self)})"


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
    device = checked_device(mesh_device)
    if is_trace_capture_active():
        fail(
            Code.TRACE,
            "ttnn.begin_trace_capture while another trace is captured",
            help="end that one first: ttnn.end_trace_capture",
        )
    capture = Capture(device, next(device._trace_numbers))
    CAPTURE.set(capture)
    return MeshTraceId(capture.number)


@direct("cq_id")
def end_trace_capture(mesh_device: Device, trace_id: MeshTraceId) -> None:
    """End the capture; the trace can be executed from now on."""
    device = checked_device(mesh_device)
    capture = CAPTURE.get()
    if capture is None or capture.device is not device or capture.number != trace_id:
        fail(
            Code.TRACE,
            f"ttnn.end_trace_capture of trace {describe(trace_id)}, which is not being captured",
            help="write tid = ttnn.begin_trace_capture(device) before, and pass tid",
        )
    CAPTURE.set(None)
    device._traces[capture.number] = capture


@direct("cq_id", "blocking")
def execute_trace(mesh_device: Device, trace_id: MeshTraceId) -> None:
    """Repeat the captured calls with the current contents of their tensors; the captured results get the new values."""
    device = checked_device(mesh_device)
    if is_trace_capture_active():
        fail(
            Code.TRACE,
            "ttnn.execute_trace while a trace is captured",
            help="end the capture first: ttnn.end_trace_capture",
        )
    for call in _trace_of(device, trace_id, "execute_trace").calls:
        result = call.function(*call.arguments, **call.keywords)
        for kept, fresh in zip(tensors_in(call.result), tensors_in(result), strict=True):
            if kept is not fresh:
                kept._refill(fresh)


@direct()
def release_trace(mesh_device: Device, trace_id: MeshTraceId) -> None:
    """Free a trace. It can no longer be executed."""
    device = checked_device(mesh_device)
    del device._traces[_trace_of(device, trace_id, "release_trace").number]


@direct()
def is_trace_capture_active(mesh_device: Device | None = None) -> bool:
    """Whether a trace is being captured."""
    return CAPTURE.get() is not None


def _trace_of(device: Device, trace_id: Any, function: str) -> Capture:
    trace = device._traces.get(trace_id) if isinstance(trace_id, int) else None
    if trace is None:
        fail(
            Code.TRACE,
            f"ttnn.{function}: device {device.id()} has no trace {describe(trace_id)}",
            help="capture one first: ttnn.begin_trace_capture and ttnn.end_trace_capture; a released trace is gone",
        )
    return trace


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
