"""Words of the reports about kernels that cannot go on."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from ttl.diag.words import listed
from ttl.protocol.grid import show_nodes
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
    return f"the pipe from {show_nodes(pipe.pipe.src)} to {show_nodes(pipe.pipe.dst)}"


def semaphore_name(semaphore: SimSemaphore) -> str:
    """Name of the variable, or which semaphore of the operation it is."""
    return f"semaphore {target_name(semaphore.site) or semaphore.ordinal}"


def waits(reason: Any) -> str:
    """``waits for b_dfb``: what a kernel does instead of going on."""
    match reason:
        case WaitForData(buffer=buffer):
            return f"waits for {buffer.name}"
        case WaitForSpace(buffer=buffer):
            return f"waits to reserve {buffer.name}"
        case WaitToReceive(pipe=pipe):
            return f"waits to receive from {pipe_name(pipe)}"
        case WaitToSend(pipe=pipe):
            return f"waits to send on {pipe_name(pipe)}"
        case WaitForSemaphore(semaphore=semaphore, value=value, exact=exact):
            return f"waits until {semaphore_name(semaphore)} is {value if exact else f'at least {value}'}"
        case _:
            return "waits"


def who(kernel: Kernel, nodes: Sequence[Node]) -> str:
    """``read``, or with more than one node ``read on node (0, 1)``."""
    return kernel.name if len(nodes) == 1 else f"{kernel.name} on {kernel.node}"


def together(kernels: Sequence[Kernel], nodes: Sequence[Node]) -> str:
    """``read and compute wait for each other``."""
    if len(kernels) == 1:
        return f"{who(kernels[0], nodes)} waits for itself"
    if len(kernels) > 4:
        return f"{len(kernels)} kernels wait for each other in a circle"
    if len(nodes) > 1 and len({kernel.name for kernel in kernels}) == 1:
        coords = (str(kernel.node).removeprefix("node ") for kernel in kernels)
        return f"{kernels[0].name} on nodes {listed(coords)} wait for each other"
    return f"{listed(who(kernel, nodes) for kernel in kernels)} wait for each other"


def in_use(block_count: int) -> str:
    """``all 2 blocks are in use``."""
    return "its only block is in use" if block_count == 1 else f"all {block_count} blocks are in use"
