"""Operations that move elements and compute nothing."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np

from tt_model.reference.formats import Values


def transposed(x: Values, first: int, second: int) -> Values:
    """Exchange two dimensions; negative ones count from the last."""
    return np.swapaxes(x, first, second)


def sliced(x: Values, begins: Sequence[int], ends: Sequence[int], steps: Sequence[int]) -> Values:
    """Elements ``begin, begin + step, ...`` before ``end`` of each dimension.

    Negative begins and ends count from the end of the dimension, also with a negative step: element 0 is then never
    reached, as the verifier's ranges say.
    """
    chosen = [
        np.arange(begin + extent * (begin < 0), end + extent * (end < 0), step)
        for extent, begin, end, step in zip(x.shape, begins, ends, steps, strict=True)
    ]
    value: Values = x[np.ix_(*chosen)] if chosen else x
    return value


def embedded(indices: Values, weight: Values) -> Values:
    """A row of ``weight`` for each index: ``indices.shape + (weight.shape[1],)``.

    Raises ``ValueError`` for an index that is not that of a row.
    """
    rows = indices.astype(np.int64)
    wrong = rows[(rows < 0) | (rows >= weight.shape[0]) | (rows != indices)]
    if wrong.size:
        raise ValueError(f"index {wrong.flat[0]} is not one of the {weight.shape[0]} rows of the weight")
    value: Values = weight[rows]
    return value


def gathered(
    x: Values,
    start_indices: Values,
    *,
    offset_dims: Sequence[int],
    collapsed_slice_dims: Sequence[int],
    operand_batching_dims: Sequence[int],
    start_indices_batching_dims: Sequence[int],
    start_index_map: Sequence[int],
    index_vector_dim: int,
    slice_sizes: Sequence[int],
) -> Values:
    """Slices of ``x`` that begin at ``start_indices``, as in the gather of StableHLO.

    Starts are clamped so that each slice lies within ``x``. https://openxla.org/stablehlo/spec#gather
    """
    starts = start_indices.astype(np.int64)
    if index_vector_dim == starts.ndim:
        starts = starts[..., np.newaxis]
    starts = np.moveaxis(starts, index_vector_dim, -1)
    batch_shape = starts.shape[:-1]
    dropped = {*collapsed_slice_dims, *operand_batching_dims}
    kept = [dim for dim in range(x.ndim) if dim not in dropped]
    slices = np.empty((*batch_shape, *(slice_sizes[dim] for dim in kept)))
    # The dimensions of the batch are those of the indices, without the dimension of the index vector.
    batching = [dim - (dim > index_vector_dim) for dim in start_indices_batching_dims]
    for place in product(*map(range, batch_shape)):
        begin = np.zeros(x.ndim, np.int64)
        begin[list(start_index_map)] = starts[place]
        begin = np.clip(begin, 0, np.subtract(x.shape, slice_sizes))
        for dim, batch_dim in zip(operand_batching_dims, batching, strict=True):
            begin[dim] = place[batch_dim]
        part = x[tuple(slice(low, low + size) for low, size in zip(begin, slice_sizes, strict=True))]
        slices[place] = np.squeeze(part, axis=tuple(dropped))
    rank = slices.ndim
    batch_dims = [dim for dim in range(rank) if dim not in offset_dims]
    return np.moveaxis(slices, range(rank), [*batch_dims, *offset_dims])
