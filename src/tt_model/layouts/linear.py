"""The linear map of a layout, from the dimensions of a tensor to those of the grid that it is divided over.

Specification: Tensor Layout, "Dimension Collapsing" and "Multi-core".
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from xdsl.ir.affine import AffineExpr, AffineMap

from tt_model.layouts.values import LayoutError, ceil_div, dimensions_text, volume
from ttl.ir.affine import add, coefficients, constant, dims, evaluate, make_map, map_text, mul

Intervals = tuple[tuple[int, int], ...]
# All dimensions but the last become rows.
ALL_BUT_LAST: Intervals = ((0, -1),)
_NO_DIMENSIONS = "TTL1712"


@lru_cache(maxsize=4096)
def collapsed_map(shape: tuple[int, ...], grid_rank: int, intervals: Intervals = ALL_BUT_LAST) -> AffineMap:
    """The map of a tensor of ``shape`` onto a grid of ``grid_rank`` dimensions, with ``intervals`` joined.

    An interval is [begin, end); negative numbers count from the end, and an empty interval joins nothing. Raises
    ``LayoutError`` for a tensor without dimensions, for an interval beyond them, if a dimension would be lost, and if
    more than ``grid_rank`` are left.
    """
    rank = len(shape)
    if rank == 0:
        raise LayoutError(
            f"a tensor without dimensions has no layout; make it one of shape 1 [{_NO_DIMENSIONS}]"
        )
    spans = [
        (begin + rank if begin < 0 else begin, end + rank if end < 0 else end) for begin, end in intervals
    ]
    spans = [(begin, end) for begin, end in spans if begin != end]
    for begin, end in spans:
        if not 0 <= begin < end <= rank:
            raise LayoutError(
                f"cannot join the dimensions [{begin}, {end}) of a tensor {dimensions_text(shape)}"
            )
    if any(begin >= min(rank, grid_rank) for begin, _ in spans):
        results = _grouped(shape, spans)
    else:
        results = _replaced(shape, grid_rank, spans)
    results = [constant(0)] * (grid_rank - len(results)) + results
    linear = make_map(rank, results)
    lost = set(range(rank)) - {dim for result in results for dim in result.used_dims()}
    if lost:
        raise LayoutError(
            f"dimension {min(lost)} of a tensor {dimensions_text(shape)} is not in {map_text(linear)}: join it with others"
        )
    if len(results) != grid_rank:
        raise LayoutError(
            f"{map_text(linear)} has {len(results)} results for a grid of {grid_rank} dimensions: join more dimensions"
        )
    return linear


def _replaced(shape: tuple[int, ...], grid_rank: int, spans: list[tuple[int, int]]) -> list[AffineExpr]:
    """The last dimensions, as many as the grid has; joined dimensions are at the place of their first."""
    rank = len(shape)
    axes = dims(rank)
    results: list[AffineExpr] = list(axes[rank - min(rank, grid_rank) :])
    first = rank
    for begin, end in spans:
        results[begin] = _joined(shape, begin, end)
        first = min(first, begin)
    for dim in range(min(first, len(results))):
        results[dim] = axes[dim]
    return results


def _grouped(shape: tuple[int, ...], spans: list[tuple[int, int]]) -> list[AffineExpr]:
    """All dimensions in order, with joined ones as one, for several intervals that shift each other's places."""
    axes, results, dim = dims(len(shape)), [], 0
    ends = dict(spans)
    while dim < len(shape):
        end = ends.get(dim, dim + 1)
        results.append(_joined(shape, dim, end) if end > dim + 1 else axes[dim])
        dim = end
    return results


def _joined(shape: tuple[int, ...], begin: int, end: int) -> AffineExpr:
    """Join several dimensions to one, as a sum from the left: the same expression as in text that is read."""
    axes, joined = dims(len(shape)), constant(0)
    for dim in range(begin, end):
        joined = add(joined, mul(axes[dim], constant(volume(shape[dim + 1 : end]))))
    return joined


@lru_cache(maxsize=8192)
def physical_shape(linear: AffineMap, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape that the grid divides: the position of the last element of a tensor of ``shape``, plus one.

    Raises ``LayoutError``.
    """
    check_rank(linear, shape)
    last = evaluate(linear, [extent - 1 for extent in shape])
    return tuple(position + 1 for position in last)


def check_rank(linear: AffineMap, shape: Sequence[int]) -> None:
    """Raise ``LayoutError`` if a map does not have as many dimensions as a shape."""
    if linear.num_dims != len(shape):
        raise LayoutError(
            f"{map_text(linear)} is a map of {linear.num_dims} dimensions, and the tensor {dimensions_text(shape)} has {len(shape)}"
        )


@lru_cache(maxsize=8192)
def strides_of(linear: AffineMap, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the elements of the physical shape that a step along each dimension of a tensor skips.

    Raises ``LayoutError``.
    """
    physical = physical_shape(linear, shape)
    strides = [0] * len(shape)
    for index in reversed(range(len(linear.results))):
        result = linear.results[index]
        steps = coefficients(result, linear.num_dims)
        if steps is None:
            raise LayoutError(f"{map_text(linear)} is not linear, so there are no strides")
        inner = volume(physical[index + 1 :])
        for dim in result.used_dims():
            strides[dim] = steps[dim] * inner
    return tuple(strides)


def shard_shape_of(physical: Sequence[int], grid: Sequence[int]) -> tuple[int, ...]:
    """Return the shape of the shard at each place of a grid, padding included. Raises ``LayoutError``."""
    if len(physical) != len(grid):
        raise LayoutError(
            f"a grid {dimensions_text(grid)} of {len(grid)} dimensions does not divide {dimensions_text(physical)}"
        )
    if any(extent < 1 for extent in grid):
        raise LayoutError(f"expected positive grid dimensions, got {dimensions_text(grid)}")
    return tuple(ceil_div(extent, parts) for extent, parts in zip(physical, grid))
