"""The analyses, in the order in which they run. The order does not matter to them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ttl.check import bounds, deadlock, producers, states, transfers
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
)
