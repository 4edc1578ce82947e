"""The analyses, in the order in which they run. Of two that find the same, the first has the word."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ttl.check import (
    balance,
    bounds,
    deadlock,
    hardware,
    implicit,
    kinds,
    lookups,
    padding,
    pipes,
    producers,
    races,
    remote,
    resources,
    sizes,
    states,
    transfers,
    unused,
)
from ttl.check.context import Context
from ttl.diag.model import Diagnostic
from ttl.dialects import ttl as dialect


@dataclass(frozen=True, slots=True)
class Analysis:
    """One look at an operation."""

    name: str
    check: Callable[[dialect.OperationOp, Context], list[Diagnostic]]
    doc: str


ANALYSES: tuple[Analysis, ...] = (
    Analysis("producers", producers.check, "one producer and one consumer kernel per buffer and node"),
    Analysis("deadlock", deadlock.check, "kernels that wait for ever, and what is left when they end"),
    Analysis("balance", balance.check, "blocks pushed and waited for, where shapes are not given"),
    Analysis("kinds", kinds.check, "what each kind of kernel may do"),
    Analysis("resources", resources.check, "L1, dataflow buffers and semaphores of a node"),
    Analysis("states", states.check, "states of blocks on every path"),
    Analysis("transfers", transfers.check, "copies: begun, waited for, at both ends"),
    Analysis("implicit", implicit.check, "pushes, pops and waits that are left to the language"),
    Analysis("unused", unused.check, "values that nobody stores, blocks that nobody reads"),
    Analysis("padding", padding.check, "padding that meets data"),
    Analysis("bounds", bounds.check, "slices of tensors, on every node and in every iteration"),
    Analysis("lookups", lookups.check, "indices of lists of integers, on every node and in every iteration"),
    Analysis("sizes", sizes.check, "slices of a size that varies, and the blocks they are copied with"),
    Analysis("races", races.check, "parts of tensors that two kernels touch without an order"),
    Analysis("pipes", pipes.check, "ends of pipes, and what is sent and received"),
    Analysis("remote", remote.check, "semaphores of other nodes: which nodes"),
    Analysis("hardware", hardware.check, "limits of the chip that the simulator does not need"),
)
