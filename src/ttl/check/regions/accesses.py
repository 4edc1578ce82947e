"""The copies between tensors and blocks of an operation, and the parts of tensors they touch at every point."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from xdsl.ir import Attribute, BlockArgument, OpResult, SSAValue

from ttl.analysis.dominance import inside
from ttl.analysis.points import BUDGET, Points, points
from ttl.analysis.scalars import Slots
from ttl.check.regions.boxes import Boxes
from ttl.dialects import ttl as dialect
from ttl.ops.types import TILE, Layout
from ttl.protocol.grid import coordinate
from ttl.rules.words import kernel_where

# Nodes of one device: the last two extents of a grid; what is before them counts devices.
_NODE_RANK = 2


@dataclass(frozen=True, kw_only=True, slots=True)
class Access:
    """A copy with a tensor slice at one of its ends."""

    copy: dialect.CopyOp
    slice: dialect.TensorSliceOp
    kernel: dialect.KernelOp
    tensor: SSAValue
    """Argument of the operation that the slice is of."""
    writes: bool


def accesses(operation: dialect.OperationOp) -> list[Access] | None:
    """All copies between tensors and blocks, in order; None if one of them is of a tensor that is not known."""
    found = []
    for kernel in operation.kernels:
        for op in inside(kernel):
            if not isinstance(op, dialect.CopyOp):
                continue
            for end, writes in ((op.src, False), (op.dst, True)):
                if not isinstance(end.type, dialect.SliceType):
                    continue
                part = end.owner
                tensor = tensor_of(part.accessor) if isinstance(part, dialect.TensorSliceOp) else None
                if tensor is None or not isinstance(part, dialect.TensorSliceOp):
                    return None
                found.append(Access(copy=op, slice=part, kernel=kernel, tensor=tensor, writes=writes))
    return found


def tensor_of(accessor: SSAValue) -> SSAValue | None:
    """The argument of the operation that an accessor is of; None where it depends on something."""
    value = accessor
    while isinstance(value, OpResult) and isinstance(value.op, dialect.TensorAccessorOp):
        value = value.op.tensor
    return value if isinstance(value, BlockArgument) else None


def extents_of(accessor: Attribute) -> tuple[tuple[int, ...], Layout]:
    """Extents of a tensor in the unit of its slices, -1 where symbolic, and its layout."""
    assert isinstance(accessor, dialect.AccessorType)
    shape, layout = accessor.shape, accessor.layout
    if layout is Layout.TILE:
        shape = (*shape[:-2], *(-(-extent // TILE) if extent >= 0 else -1 for extent in shape[-2:]))
    return (shape if shape else (1,)), layout


def bounds_at(part: dialect.TensorSliceOp, at: Points) -> tuple[Any, Any] | None:
    """Start and stop of a slice in each dimension at every point, two arrays (points, rank); None if not known."""
    low, high = [], []
    for offset, size in zip(part.offsets, part.size_values, strict=True):
        start = at.value(offset)
        extent = size if isinstance(size, int) else at.value(size)
        if start is None or extent is None:
            return None
        low.append(start)
        high.append(start + extent)
    shape = (at.size, len(low))
    return np.array(low, np.int64).T.reshape(shape), np.array(high, np.int64).T.reshape(shape)


def values_of(part: dialect.TensorSliceOp) -> list[SSAValue]:
    """The values that offsets and sizes of a slice are made of."""
    return [*part.offsets, *part.dynamic_sizes]


def boxes_of(
    access: Access, number: int, slots: Slots, grid: tuple[int, ...], *, every: bool
) -> Boxes | None:
    """What a copy touches, as boxes of access ``number``; None where that is not known.

    With ``every``, each time it runs is a box; else turns of a loop that touch the same are one. The first dimension
    of a box is the device: nodes of different devices have different tensors.
    """
    at = points(access.copy, of=None if every else values_of(access.slice), slots=slots, budget=BUDGET)
    if at is None:
        return None
    found = bounds_at(access.slice, at)
    if found is None:
        return None
    low, high = found
    nodes = np.asarray(at.nodes, np.int64)
    device = (nodes // prod(grid[-_NODE_RANK:]))[:, None]
    count = len(nodes)
    return Boxes(
        low=np.concatenate([device, low], axis=1),
        high=np.concatenate([device + 1, high], axis=1),
        access=np.full(count, number, np.int64),
        node=nodes,
        turn=np.arange(count, dtype=np.int64),
    )


def where(kernel: dialect.KernelOp, node: int, grid: tuple[int, ...]) -> str:
    """``kernel read on node (0, 1)``."""
    return kernel_where(kernel.kind, kernel.kernel_name, coordinate(node, grid, len(grid)))


def where_and_when(kernel: dialect.KernelOp, at: Points, point: int, grid: tuple[int, ...]) -> str:
    """``in kernel read on node (0, 1), when m_block is 3``: a point, as a note."""
    turn = at.turn(point)
    return f"in {where(kernel, int(at.nodes[point]), grid)}{f', {turn}' if turn else ''}"
