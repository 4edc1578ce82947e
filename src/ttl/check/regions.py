"""The parts of tensors that copies access at every point, as boxes: equal boxes, and unordered overlapping boxes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, BlockArgument, OpResult, SSAValue

from ttl.analysis.dominance import of_kinds
from ttl.analysis.points import BUDGET, IterationDomain, points
from ttl.analysis.scalars import Slots
from ttl.check.backing import backing_of, fillings
from ttl.dialects import ttl as dialect
from ttl.protocol.grid import coordinate
from ttl.rows.types import TILE, Layout
from ttl.rules.backing import Backing

# The last two extents of a grid are the nodes of one device; those before count devices.
_NODE_RANK = 2


@dataclass(frozen=True, kw_only=True, slots=True)
class Access:
    """A copy with a tensor slice at one of its ends, or a part that the user's C++ declares as read or written."""

    copy: dialect.CopyOp | dialect.ExternAccessOp
    slice: dialect.TensorSliceOp
    kernel: dialect.UserKernelOp
    tensor: SSAValue
    """Argument of the operation that the slice is of."""
    writes: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class BackedAccess:
    """Blocks in the memory of a tensor, which are published or reserved for writing."""

    copy: dialect.DfbResidentOp | dialect.DfbReserveOp
    """The place of the access."""
    backing: Backing
    kernel: dialect.UserKernelOp
    tensor: SSAValue
    writes: bool


def backed_accesses(operation: dialect.OperationOp) -> list[BackedAccess]:
    """Return the accesses of kernels to tensors through buffers in their memory."""
    result = []
    for kernel, reserve, resident in fillings(operation):
        dfb = reserve.dfb.owner
        assert isinstance(dfb, dialect.CreateDfbOp) and dfb.memory is not None
        backing = backing_of(dfb)
        assert backing is not None
        result.append(
            BackedAccess(
                copy=resident or reserve,
                backing=backing,
                kernel=kernel,
                tensor=dfb.memory,
                writes=resident is None,
            )
        )
    return result


def backed_boxes(access: BackedAccess, number: int, slots: Slots, grid: tuple[int, ...]) -> Boxes | None:
    """Return the tiles of an access's blocks: for ``publish()`` all blocks, else as many as the node reserves.

    None if it is not known how often the access runs.
    """
    at = points(access.copy, slots=slots, budget=BUDGET)
    if at is None:
        return None
    low, owners = [], []
    for node, times in zip(*np.unique(np.asarray(at.nodes, np.int64), return_counts=True), strict=True):
        blocks = min(int(times), access.backing.block_count)
        pages = access.backing.pages(coordinate(int(node), grid, len(grid)), blocks) or []
        low += [(int(node) // prod(grid[-_NODE_RANK:]), *page) for page in pages]
        owners += [int(node)] * len(pages)
    rank = len(access.backing.placed.shape) + 1
    first = np.array(low, np.int64).reshape(len(low), rank)
    return Boxes(
        low=first,
        high=first + 1,
        access=np.full(len(low), number, np.int64),
        node=np.array(owners, np.int64),
        iteration=np.arange(len(low), dtype=np.int64),
    )


def accesses(operation: dialect.OperationOp) -> list[Access] | None:
    """All accesses of kernels to parts of tensors, in order; None if the tensor of an access is not known."""
    result = []
    for kernel in operation.kernels:
        ops: list[dialect.CopyOp | dialect.ExternAccessOp]
        ops = of_kinds(kernel, dialect.CopyOp, dialect.ExternAccessOp)
        for op in ops:
            ends: tuple[tuple[SSAValue, bool], ...]
            if isinstance(op, dialect.CopyOp):
                ends = ((op.src, False), (op.dst, True))
            else:
                ends = ((op.part, op.kind == "write"),)
            for end, writes in ends:
                if not isinstance(end.type, dialect.SliceType):
                    continue
                part = end.owner
                tensor = tensor_of(part.accessor) if isinstance(part, dialect.TensorSliceOp) else None
                if tensor is None or not isinstance(part, dialect.TensorSliceOp):
                    return None
                result.append(Access(copy=op, slice=part, kernel=kernel, tensor=tensor, writes=writes))
    return result


def given_to_cpp(operation: dialect.OperationOp) -> set[SSAValue | None]:
    """Return the tensors that are passed to the user's C++ without a declaration of their use."""
    return {
        tensor_of(value)
        for kernel in operation.kernels
        for op in of_kinds(kernel, dialect.ExternCallOp)
        if dialect.DECLARED not in op.attributes
        for value in op.values
        if isinstance(value.type, dialect.AccessorType | TensorType)
    }


def tensor_of(accessor: SSAValue) -> SSAValue | None:
    """Return the argument of the operation behind an accessor; None if it is not fixed."""
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


def bounds_at(part: dialect.TensorSliceOp, at: IterationDomain) -> tuple[Any, Any] | None:
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
    """Return the values from which the offsets and sizes of a slice are computed."""
    return [*part.offsets, *part.dynamic_sizes]


def boxes_of(
    access: Access, number: int, slots: Slots, grid: tuple[int, ...], *, every: bool
) -> Boxes | None:
    """Return the boxes that a copy accesses, as those of access ``number``; None where they are not known.

    With ``every``, each time it runs is a box; else iterations of a loop that touch the same are one. The first dimension
    of a box is the device: nodes of different devices have different tensors.
    """
    at = points(access.copy, of=None if every else values_of(access.slice), slots=slots, budget=BUDGET)
    if at is None:
        return None
    bounds = bounds_at(access.slice, at)
    if bounds is None:
        return None
    low, high = bounds
    nodes = np.asarray(at.nodes, np.int64)
    device = (nodes // prod(grid[-_NODE_RANK:]))[:, None]
    count = len(nodes)
    return Boxes(
        low=np.concatenate([device, low], axis=1),
        high=np.concatenate([device + 1, high], axis=1),
        access=np.full(count, number, np.int64),
        node=nodes,
        iteration=np.arange(count, dtype=np.int64),
    )


# --- boxes -----------------------------------------------------------------------------------------------------


Integers = npt.NDArray[np.int64]
# The most cells of one tensor; cells are as large as the boxes allow.
_CELLS = 1 << 21


@dataclass(frozen=True, kw_only=True, slots=True)
class Boxes:
    """Boxes ``low <= x < high`` of shape (count, rank), in the tensor's unit, each with its access and node."""

    low: Integers
    high: Integers
    access: Integers
    node: Integers
    # The number of the access's iteration on its node, in program order.
    iteration: Integers

    def __len__(self) -> int:
        return len(self.access)

    def where(self, chosen: Any) -> Boxes:
        """Select boxes by a mask or an index."""
        return Boxes(
            low=self.low[chosen],
            high=self.high[chosen],
            access=self.access[chosen],
            node=self.node[chosen],
            iteration=self.iteration[chosen],
        )

    @staticmethod
    def joined(parts: list[Boxes]) -> Boxes:
        """All boxes of several sets, in order."""
        return Boxes(
            low=np.concatenate([part.low for part in parts]),
            high=np.concatenate([part.high for part in parts]),
            access=np.concatenate([part.access for part in parts]),
            node=np.concatenate([part.node for part in parts]),
            iteration=np.concatenate([part.iteration for part in parts]),
        )

    def bounds(self, index: int) -> tuple[tuple[int, int], ...]:
        """Start and stop in each dimension of one box."""
        pairs = zip(self.low[index].tolist(), self.high[index].tolist(), strict=True)
        return tuple((int(start), int(stop)) for start, stop in pairs)


def equal_to_earlier(boxes: Boxes) -> Integers:
    """Return for each box the index of the first box equal to it: its own index if it is the first."""
    if not len(boxes):
        return np.zeros(0, np.int64)
    rows = np.concatenate([boxes.low, boxes.high], axis=1)
    order = np.lexsort((*rows.T[::-1],))  # stable: equal rows stay in order
    ordered = rows[order]
    begins = np.ones(len(rows), bool)
    begins[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    first = np.empty(len(rows), np.int64)
    first[order] = order[np.flatnonzero(begins)[np.cumsum(begins) - 1]]
    return first


def unordered_meeting(
    boxes: Boxes, writes: npt.NDArray[np.bool_], component: Integers
) -> tuple[int, int] | None:
    """Find a written box and another one that overlaps it and belongs to another component.

    ``component`` is equal for accesses with an order. None if there is no such pair, or if there are
    too many cells to examine.
    """
    if not writes.any() or len(boxes) < 2 or (component == component[0]).all():
        return None
    cuts = [
        _distinct(np.concatenate([boxes.low[:, axis], boxes.high[:, axis]]))
        for axis in range(boxes.low.shape[1])
    ]
    if prod(len(cut) for cut in cuts) > _CELLS:
        return None
    low = np.stack([np.searchsorted(cut, boxes.low[:, axis]) for axis, cut in enumerate(cuts)], axis=1)
    high = np.stack([np.searchsorted(cut, boxes.high[:, axis]) for axis, cut in enumerate(cuts)], axis=1)
    shape = tuple(len(cut) for cut in cuts)
    count = _sums(shape, low, high, np.ones(len(boxes), np.int64))
    if count.max() < 2:
        return None
    # Numbers of equal value have no variance: count * sum of squares == square of the sum.
    number = np.searchsorted(_distinct(component), component)
    written = _sums(shape, low, high, writes.astype(np.int64))
    total = _sums(shape, low, high, number)
    squares = _sums(shape, low, high, number * number)
    meeting = np.argwhere((written > 0) & (count * squares != total * total))
    if not len(meeting):
        return None
    cell = meeting[0]
    inside = np.flatnonzero(((low <= cell) & (cell < high)).all(axis=1))
    first = int(inside[writes[inside]][0])
    # A read, if there is one, explains the conflict better than another write.
    others = inside[component[inside] != component[first]]
    reads = others[~writes[others]]
    return first, int(reads[0] if len(reads) else others[0])


def cells_of(low: Integers, high: Integers, extents: Sequence[int]) -> tuple[list[Integers], Integers] | None:
    """Return the bounds of a tensor's cells along each dimension, and how many boxes contain each cell.

    None where there are too many cells, and where a box goes beyond the tensor.
    """
    if len(low) and (low.min() < 0 or (high > np.asarray(extents)).any()):
        return None
    cuts = [
        _distinct(np.concatenate([low[:, axis], high[:, axis], np.array([0, extent], np.int64)]))
        for axis, extent in enumerate(extents)
    ]
    if prod(len(cut) for cut in cuts) > _CELLS:
        return None
    begin = np.stack([np.searchsorted(cut, low[:, axis]) for axis, cut in enumerate(cuts)], axis=1)
    end = np.stack([np.searchsorted(cut, high[:, axis]) for axis, cut in enumerate(cuts)], axis=1)
    shape = tuple(len(cut) for cut in cuts)
    counts = _sums(shape, begin, end, np.ones(len(low), np.int64))
    return cuts, counts[tuple(slice(0, -1) for _ in shape)]


def _distinct(numbers: Integers) -> Integers:
    """Return the distinct numbers, ascending. (``np.unique`` imports masked arrays when it is first called: 8 ms.)"""
    ordered = np.sort(numbers)
    keep = np.ones(len(ordered), bool)
    keep[1:] = ordered[1:] != ordered[:-1]
    return ordered[keep]


def _sums(shape: tuple[int, ...], low: Integers, high: Integers, weight: Integers) -> Integers:
    """Return for each cell the sum of the weights of the boxes that contain it (prefix sums over the boxes' corners)."""
    total = np.zeros(prod(shape))
    for corner in product((False, True), repeat=len(shape)):
        sign = -1 if sum(corner) % 2 else 1
        index = tuple(np.where(upper, high[:, axis], low[:, axis]) for axis, upper in enumerate(corner))
        # Sums of integers below 2**53: exact.
        total += np.bincount(np.ravel_multi_index(index, shape), sign * weight, len(total))
    result: Integers = total.astype(np.int64).reshape(shape)
    for axis in range(len(shape)):
        np.cumsum(result, axis=axis, out=result)
    return result
