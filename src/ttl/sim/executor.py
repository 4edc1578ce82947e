"""What computes recorded values: one interface, so that engines can differ and results cannot."""

from __future__ import annotations

from typing import Protocol

from ttl.ops.dtypes import Array
from ttl.sim.memory import Memory
from ttl.sim.values import Value


class Executor(Protocol):
    """Computes values."""

    def run(self, pending: list[Value], memory: Memory) -> None:
        """Compute every value; each one's operands are computed, earlier in the list, or tensor views."""

    def load(self, value: Value, memory: Memory) -> Array:
        """A computed value in arithmetic type (float32, int64) and element shape; padding is zero."""
