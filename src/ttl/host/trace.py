"""Traces: what is called between ``begin_trace_capture`` and ``end_trace_capture``, to be done again.

A replay calls the same functions with the same tensors, whose contents may be others by now, and puts the results into
the tensors that the capture returned. As on a device, what is captured has the tensors, not names or Python code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, Any

from ttl.host.errors import Code, describe, fail
from ttl.session import Part

if TYPE_CHECKING:
    from ttl.host.device import Device
    from ttl.host.tensor import Tensor


@dataclass(slots=True)
class Call:
    """A call, and what it returned."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    keywords: dict[str, Any]
    result: Any = None


@dataclass(slots=True)
class Capture:
    """The calls of a trace. ``depth``: how many calls are under way; only the outermost are kept."""

    device: Device
    number: int
    calls: list[Call] = field(default_factory=list)
    depth: int = 0


class MeshTraceId(int):
    """Names a trace of a device."""

    __slots__ = ()

    def __new__(cls, number: int) -> MeshTraceId:
        if not isinstance(number, int):
            fail(Code.WRONG_KIND, f"ttnn.MeshTraceId: a trace has a number, not {describe(number)}")
        return super().__new__(cls, number)

    def __repr__(self) -> str:
        return f"MeshTraceId({int(self)})"


# What is being captured, if anything is.
CAPTURE: Part[Capture | None] = Part(lambda: None)
_NUMBERS = count()


def recorded(function: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """The result of a call, which is kept if a trace is captured."""
    capture = CAPTURE.get()
    if capture is None or capture.depth:
        return function(*arguments, **keywords)
    call = Call(function, arguments, dict(keywords))
    capture.depth = 1
    try:
        call.result = function(*arguments, **keywords)
    finally:
        capture.depth = 0
    capture.calls.append(call)
    return call.result


def begin(device: Device) -> MeshTraceId:
    """Start to capture."""
    if CAPTURE.get() is not None:
        fail(
            Code.TRACE,
            "ttnn.begin_trace_capture while another trace is captured",
            help="end that one first: ttnn.end_trace_capture",
        )
    capture = Capture(device, next(_NUMBERS))
    CAPTURE.set(capture)
    return MeshTraceId(capture.number)


def end(device: Device, trace_id: Any) -> None:
    """Keep what was captured with the device."""
    capture = CAPTURE.get()
    if capture is None or capture.device is not device or capture.number != trace_id:
        fail(
            Code.TRACE,
            f"ttnn.end_trace_capture of trace {describe(trace_id)}, which is not being captured",
            help="write tid = ttnn.begin_trace_capture(device) before, and give tid",
        )
    CAPTURE.set(None)
    device._traces[capture.number] = capture


def execute(device: Device, trace_id: Any) -> None:
    """Do again what a trace has."""
    if CAPTURE.get() is not None:
        fail(
            Code.TRACE,
            "ttnn.execute_trace while a trace is captured",
            help="end the capture first: ttnn.end_trace_capture",
        )
    for call in _of(device, trace_id, "execute_trace").calls:
        result = call.function(*call.arguments, **call.keywords)
        for kept, fresh in zip(_tensors(call.result), _tensors(result), strict=True):
            if kept is not fresh:
                kept._refill(fresh)


def release(device: Device, trace_id: Any) -> None:
    """Forget a trace."""
    del device._traces[_of(device, trace_id, "release_trace").number]


def _of(device: Device, trace_id: Any, function: str) -> Capture:
    found: Capture | None = device._traces.get(trace_id) if isinstance(trace_id, int) else None
    if found is None:
        fail(
            Code.TRACE,
            f"ttnn.{function}: device {device.id()} has no trace {describe(trace_id)}",
            help="capture one first: ttnn.begin_trace_capture and ttnn.end_trace_capture; a released trace is gone",
        )
    return found


def _tensors(value: Any) -> Iterator[Tensor]:
    from ttl.host.tensor import Tensor

    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, (tuple, list)):
        for each in value:
            yield from _tensors(each)
