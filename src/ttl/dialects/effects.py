"""Interfaces of operations: effects on resources, and events to wait for (002, "MLIR Interface Requirements")."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar, Literal

from xdsl.ir import Operation, SSAValue
from xdsl.traits import EffectInstance, MemoryEffect, MemoryEffectKind, Resource


@dataclass(frozen=True)
class NodeResource(Resource):
    """A resource of a node that operations change. ``types`` names the types whose values represent a piece of it."""

    label: str
    types: tuple[str, ...] = ()

    def name(self) -> str:
        """The name of the resource."""
        return self.label


BUFFERS = NodeResource("state of buffers", ("ttl.dfb", "ttl.block"))
L1 = NodeResource("memory of blocks", ("ttl.block",))
DRAM = NodeResource("memory of tensors", ("ttl.slice",))
DST = NodeResource("registers")
SEMAPHORES = NodeResource("semaphores", ("ttl.semaphore", "ttl.remote_semaphore"))
TRANSFERS = NodeResource("transfers under way", ("ttl.transfer", "ttl.group"))
PIPES = NodeResource("messages of pipes", ("ttl.pipe", "ttl.pipe_net"))
# The course of the program: the operations that run, their output, and whether the program continues.
PROGRAM = NodeResource("course of the program")
RESOURCES = (BUFFERS, L1, DRAM, DST, SEMAPHORES, TRANSFERS, PIPES, PROGRAM)

Declared = tuple[MemoryEffectKind, NodeResource, "Callable[[Any], Sequence[SSAValue]] | None"]


def reads(
    *resources: NodeResource, of: Callable[[Any], Sequence[SSAValue]] | None = None
) -> tuple[Declared, ...]:
    """Return the declarations that an operation reads pieces of resources.

    ``of`` returns the values of an operation that represent the pieces; without it, its operands and results do. Only
    values of the resource's types count. Without ``of`` and without such a value, any piece may be read.
    """
    return tuple((MemoryEffectKind.READ, resource, of) for resource in resources)


def writes(
    *resources: NodeResource, of: Callable[[Any], Sequence[SSAValue]] | None = None
) -> tuple[Declared, ...]:
    """Return the declarations that an operation writes pieces of resources, as ``reads`` does."""
    return tuple((MemoryEffectKind.WRITE, resource, of) for resource in resources)


def changes(*resources: NodeResource) -> tuple[Declared, ...]:
    """Return the declarations of a read and a write: the new contents depend on the old ones."""
    return reads(*resources) + writes(*resources)


def anywhere(op: Operation) -> Sequence[SSAValue]:
    """An ``of`` for an effect on a whole resource: no particular piece."""
    return ()


@dataclass(frozen=True, init=False)
class Effects(MemoryEffect):
    """The effects of an operation on memory, as it declares them."""

    declared: tuple[Declared, ...]

    def __init__(self, *declared: tuple[Declared, ...]) -> None:
        object.__setattr__(self, "declared", sum(declared, ()))

    @property
    def only_reads(self) -> bool:
        """Whether it changes no resource, so that an operation without users can be removed."""
        return all(kind is MemoryEffectKind.READ for kind, _, _ in self.declared)

    def get_effects(self, op: Operation) -> AbstractSet[EffectInstance]:  # type: ignore[override]  # of one declaration, not of a class
        """Every effect, with the value that represents the piece of the resource."""
        return {
            EffectInstance(kind, value, resource)
            for kind, resource, of in self.declared
            for value in _pieces(op, resource, of)
        }


def _pieces(
    op: Operation, resource: NodeResource, of: Callable[[Any], Sequence[SSAValue]] | None
) -> Sequence[SSAValue | None]:
    if of is anywhere:
        return [None]
    values = (*op.operands, *op.results) if of is None else of(op)
    pieces = [value for value in values if value.type.name in resource.types]
    return pieces or ([None] if of is None else [])


# The effects of an operation that contains operations that run on nodes, or serve those: it may not be removed.
RUNS = Effects(writes(PROGRAM))


class BarrierType(StrEnum):
    """The kinds of events that a synchronising operation waits for."""

    DMA_READ = "dma read"
    DMA_WRITE = "dma write"
    DFB = "dfb"
    SEMAPHORE = "semaphore"


DMA = (BarrierType.DMA_READ, BarrierType.DMA_WRITE)


class SynchronizationOp:
    """Interface: an operation that waits."""

    BARRIERS: ClassVar[tuple[BarrierType, ...]] = DMA
    # The nodes whose operations it may wait for: its own node, or all nodes of the grid.
    SCOPE: ClassVar[Literal["node", "grid"]] = "node"
    # Whether it waits for all events of its kinds, and not only for those of its operands.
    IS_GLOBAL: ClassVar[bool] = False

    @property
    def barriers(self) -> tuple[BarrierType, ...]:
        """The kinds of events that this operation waits for."""
        return self.BARRIERS

    @property
    def scope(self) -> Literal["node", "grid"]:
        """The nodes whose operations this one may wait for: its own node, or all nodes of the grid."""
        return self.SCOPE
