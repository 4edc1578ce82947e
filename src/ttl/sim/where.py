"""Where kernels are, and the objects of their waits, in words; and the report for Ctrl-C."""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any

from ttl.protocol.chips import names_at
from ttl.rules.waiting import Wait, any_of
from ttl.sim.buffer import WaitForData, WaitForSpace
from ttl.sim.kernel import Kernel, Node, RunningLaunch
from ttl.sim.pipes import SimPipe, WaitToReceive, WaitToReceiveAny, WaitToSend
from ttl.sim.semaphores import SimSemaphore, WaitForSemaphore
from ttl.source.files import short_name
from ttl.source.names import target_name
from ttl.source.spans import Site, Span, is_library_file, is_ours, span_of_site, user_frame
from ttl.source.trees import source_file

if TYPE_CHECKING:
    from ttl.sim.engine import Engine

# The most nodes that are named.
_COORDS = 4


def place_of(site: Site | None) -> str:
    """``line 41``; a helper in another file is ``helper.py:41`` to the reader of the labels anyway."""
    return f"line {span_of_site(site).line}" if site is not None else "an unknown line"


def full_place(site: Site | None) -> str:
    """``mine.py:41``."""
    if site is None:
        return "an unknown line"
    span = span_of_site(site)
    return f"{short_name(span.file)}:{span.line}"


def site_of(kernel: Kernel) -> Site | None:
    """Return where in the user's code a suspended kernel is."""
    frame = user_frame(kernel.greenlet.gr_frame) if kernel.greenlet is not None else None
    if frame is not None and kernel.function is not None:
        return frame.f_code, frame.f_lasti
    return getattr(kernel.waiting, "site", None)


def calls_to(kernel: Kernel) -> tuple[Span, ...]:
    """The calls in the user's code that led to where a suspended kernel is, the inner ones first."""
    frame = user_frame(kernel.greenlet.gr_frame) if kernel.greenlet is not None else None
    calls: list[Span] = []
    while frame is not None and frame.f_back is not None:
        frame = user_frame(frame.f_back)
        if frame is not None:
            calls.append(span_of_site((frame.f_code, frame.f_lasti)))
    return tuple(filter(_is_of_program, calls))


def calls_in(traceback: TracebackType | None) -> tuple[Span, ...]:
    """The calls in the user's code that led to an exception, the inner ones first, without its own place."""
    places: list[Span] = []
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if not is_ours(code) and not is_library_file(code.co_filename):
            places.append(span_of_site((code, traceback.tb_lasti)))
        traceback = traceback.tb_next
    return tuple(filter(_is_of_program, reversed(places[:-1])))


def _is_of_program(span: Span) -> bool:
    """Whether the program itself calls the function at a place, and not a net in ``if_src`` or ``if_dst``."""
    file = source_file(span.file)
    call = None if file is None else file.call(span)
    return call is None or getattr(call.func, "attr", "") not in ("if_src", "if_dst")


def pipe_name(engine: RunningLaunch, pipe: SimPipe) -> str:
    """``ring's pipe from (0, 0) to (0, slice(1, 4))``."""
    name: str = engine.pipes.full_name(pipe)
    return name


def semaphore_name(semaphore: SimSemaphore) -> str:
    """The name of the variable, or the number of the semaphore in the operation."""
    return f"semaphore {target_name(semaphore.site) or semaphore.ordinal}"


def wait_of(engine: RunningLaunch, reason: Any) -> Wait:
    """Return the wait of a blocked kernel; its text is ``waits for b_dfb``."""
    match reason:
        case WaitForData(buffer=buffer):
            return Wait("data", buffer.name)
        case WaitForSpace(buffer=buffer):
            return Wait("space", buffer.name)
        case WaitToReceive(pipe=pipe):
            return Wait("message", pipe_name(engine, pipe))
        case WaitToReceiveAny(pipes=pipes):
            return Wait("message", any_of(pipe_name(engine, pipe) for pipe in pipes))
        case WaitToSend(pipe=pipe):
            return Wait("pipe", pipe_name(engine, pipe))
        case WaitForSemaphore(semaphore=semaphore, value=value, exact=exact):
            return Wait("semaphore", semaphore_name(semaphore), value, exact)
    raise AssertionError(reason)


def _node_names(nodes: Sequence[Node]) -> str:
    if len(nodes) == 1:
        return f"on {nodes[0]}"
    more = ", ..." if len(nodes) > _COORDS else ""
    return f"on {len(nodes)} nodes, {names_at([node.coord for node in nodes[:_COORDS]])}{more}"


def where_every_kernel_is(engine: Engine) -> str:
    """Return the line of every kernel, for Ctrl-C; nodes in equal states are joined."""
    interrupt = sys.exc_info()[1]
    site = _raised_at(interrupt.__traceback__) if interrupt is not None else None
    if engine.scheduler.total == 0:
        return f"interrupted in the body of the operation, at {full_place(site)}"
    running = engine.failed
    groups: dict[tuple[str, ...], list[Node]] = {}
    for node in engine.nodes:
        lines = tuple(f"  {kernel.name} {_doing(kernel, running, site)}" for kernel in node.kernels)
        if all(line.endswith(" has not started") for line in lines):
            lines = ("  no kernel has started",)
        groups.setdefault(lines, []).append(node)
    ended = sum(bool(node.kernels) and all(kernel.done for kernel in node.kernels) for node in engine.nodes)
    head = "interrupted while results were computed"
    if engine.scheduler.finished < engine.scheduler.total:
        head = "interrupted between two kernels"
    if running is not None:
        head = f"interrupted in {running.where}, at {full_place(site)}"
    report = [head]
    if len(engine.nodes) > 1:
        report.append(f"{ended} of {len(engine.nodes)} nodes have ended")
    for lines, nodes in groups.items():
        if lines and not all(line.endswith(" ended") for line in lines):
            report.append(_node_names(nodes) + ":")
            report.extend(lines)
    return "\n".join(report)


def _doing(kernel: Kernel, running: Kernel | None, site: Site | None) -> str:
    if kernel.done:
        return "ended"
    if kernel is running:
        return f"was running at {full_place(site)}"
    if kernel.greenlet is None:
        return "has not started"
    where = full_place(site_of(kernel))
    return (
        f"{wait_of(kernel.node.engine, kernel.waiting)} at {where}"
        if kernel.waiting is not None
        else f"was at {where}"
    )


def _raised_at(traceback: TracebackType | None) -> Site | None:
    """The innermost line of the user's code in a traceback."""
    raised: Site | None = None
    library = sysconfig.get_path("stdlib")
    while traceback is not None:
        code = traceback.tb_frame.f_code
        file = code.co_filename
        if not (is_ours(code) or file.startswith(("<frozen", library)) or "site-packages" in file):
            raised = code, traceback.tb_lasti
        traceback = traceback.tb_next
    return raised
