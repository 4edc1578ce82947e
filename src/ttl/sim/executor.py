"""What computes recorded values: one interface, so that engines can differ and results cannot."""

from __future__ import annotations

from typing import Protocol

from ttl.ops.dtypes import Array
from ttl.ops.types import BlockType
from ttl.sim.memory import Memory
from ttl.sim.program import Key
from ttl.sim.values import Value


class Executor(Protocol):
    """Computes values."""

    def run(self, pending: list[Value], memory: Memory) -> None:
        """Compute every value; each one's operands are computed, earlier in the list, or tensor views."""

    def run_group(
        self,
        key: Key,
        type_: BlockType,
        exact: bool,
        members: list[tuple[Value, list[Value]]],
        memory: Memory,
    ) -> None:
        """Compute values of one program, ``key``: each with the operands in the order of its leaves."""

    def load(self, value: Value, memory: Memory) -> Array:
        """A computed value in arithmetic type (float32, int64) and element shape; padding is zero."""
