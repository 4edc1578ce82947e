"""What operations do beside computing results, as passes see it; and the interfaces that analyses ask for."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from enum import StrEnum
from typing import ClassVar

from xdsl.ir import Operation, SSAValue
from xdsl.traits import (
    EffectInstance,
    MemoryEffect,
    MemoryEffectKind,
)


class ActsOnOperands(MemoryEffect):
    """Reads and writes what its operands stand for: a buffer, a block, a transfer, a pipe, a semaphore.

    The write is what keeps it: passes erase what merely reads and has no users.
    """

    @classmethod
    def get_effects(cls, op: Operation) -> AbstractSet[EffectInstance]:
        places: Sequence[SSAValue | None] = op.operands or (None,)
        kinds = (MemoryEffectKind.READ, MemoryEffectKind.WRITE)
        return {EffectInstance(kind, place) for place in places for kind in kinds}


class BarrierType(StrEnum):
    """What an operation that synchronises waits for."""

    DMA = "dma"
    DFB = "dfb"
    SEMAPHORE = "semaphore"


class SynchronizationOp:
    """Interface: an operation that waits, or lets another kernel go on."""

    BARRIER: ClassVar[BarrierType]
    # Whether it waits for everything of its kind and not for its operands only.
    IS_GLOBAL: ClassVar[bool] = False
