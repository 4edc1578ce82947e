"""Words of the reports about kernels that cannot go on."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from ttl.rules import pipes as rules
from ttl.rules.waiting import Wait, Who
from ttl.sim.buffer import WaitForData, WaitForSpace
from ttl.sim.kernel import Kernel, Node
from ttl.sim.naming import target_name
from ttl.sim.pipes import SimPipe, WaitToReceive, WaitToSend
from ttl.sim.semaphores import SimSemaphore, WaitForSemaphore
from ttl.source.spans import Site, span_of_site


def place(site: Site | None) -> str:
    """``line 41``; a helper in another file is ``helper.py:41`` to the reader of the labels anyway."""
    return f"line {span_of_site(site).line}" if site is not None else "an unknown line"


def full_place(site: Site | None) -> str:
    """``mine.py:41``."""
    if site is None:
        return "an unknown line"
    span = span_of_site(site)
    return f"{os.path.basename(span.file)}:{span.line}"


def pipe_name(pipe: SimPipe) -> str:
    """``the pipe from (0, 0) to (0, slice(1, 4))``."""
    return rules.pipe_name(pipe.pipe.src, pipe.pipe.dst)


def semaphore_name(semaphore: SimSemaphore) -> str:
    """Name of the variable, or which semaphore of the operation it is."""
    return f"semaphore {target_name(semaphore.site) or semaphore.ordinal}"


def wait_of(reason: Any) -> Wait:
    """What a kernel is blocked on; its text is ``waits for b_dfb``."""
    match reason:
        case WaitForData(buffer=buffer):
            return Wait("data", buffer.name)
        case WaitForSpace(buffer=buffer):
            return Wait("space", buffer.name)
        case WaitToReceive(pipe=pipe):
            return Wait("message", pipe_name(pipe))
        case WaitToSend(pipe=pipe):
            return Wait("pipe", pipe_name(pipe))
        case WaitForSemaphore(semaphore=semaphore, value=value, exact=exact):
            return Wait("semaphore", semaphore_name(semaphore), value, exact)
    raise AssertionError(reason)


def who(kernel: Kernel, nodes: Sequence[Node]) -> Who:
    """The kernel, for messages about a launch on these nodes."""
    return Who(kernel.name, kernel.node.coord, len(nodes) == 1)
