"""Specification, "Tensor slice": what an index means, as properties; NumPy says what is right."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ttl.diag import Diagnostic
from ttl.rows.types import TILE, Layout
from ttl.rules.slices import INTEGER, partial_error, slice_part

extents = st.lists(st.integers(1, 5), min_size=1, max_size=4).map(tuple)
layouts = st.sampled_from(Layout)
bounds = st.none() | st.integers(-2, 7) | st.integers(-2, 7).map(np.int64)
entries = st.integers(-2, 7) | st.builds(slice, bounds, bounds, st.sampled_from((None, 1, 2))) | st.just(...)
# One Ellipsis at most: of more, NumPy has no opinion.
indices = st.lists(entries, max_size=5).map(tuple).filter(lambda index: index.count(...) <= 1)


def in_range(entry: Any, extent: int) -> bool:
    """Whether one entry is legal: in range without wrapping around, contiguous, not empty."""
    if not isinstance(entry, slice):
        return bool(0 <= entry < extent)
    start = 0 if entry.start is None else entry.start
    stop = extent if entry.stop is None else entry.stop
    return bool(entry.step in (None, 1) and 0 <= start < stop <= extent)


@given(indices, extents, layouts)
def test_a_legal_index_means_what_it_means_to_numpy(
    index: tuple[Any, ...], shape: tuple[int, ...], layout: Layout
) -> None:
    part = slice_part(index, shape, layout)
    if isinstance(part, Diagnostic):
        return
    spans, lengths, single = part
    grids = np.indices(shape)
    chosen = [axis[index] for axis in grids]
    assert [(axis.min(), axis.max() + 1) for axis in chosen] == list(spans)
    assert lengths == tuple(stop - start for start, stop in spans)
    assert sum(single) == len(shape) - chosen[0].ndim
    assert all(lengths[axis] == 1 for axis, is_single in enumerate(single) if is_single)


@given(indices.filter(lambda index: ... not in index), extents, layouts)
def test_an_index_is_refused_exactly_when_an_entry_is_out_of_range_or_too_many(
    index: tuple[Any, ...], shape: tuple[int, ...], layout: Layout
) -> None:
    legal = len(index) <= len(shape) and all(map(in_range, index, shape))
    part = slice_part(index, shape, layout)
    assert isinstance(part, Diagnostic) is not legal


@pytest.mark.parametrize(
    ("index", "code"),
    [
        ((0, 0, 0), "TTL0505"),
        (("x", 0), "TTL0506"),
        ((0.5, 0), "TTL0506"),
        ((slice(0.5, 2), 0), "TTL0506"),
        ((True, 0), "TTL0506"),
        ((4, 0), "TTL0507"),
        ((-1, 0), "TTL0507"),
        ((slice(0, 5), 0), "TTL0507"),
        ((slice(None, None, 2), 0), "TTL0508"),
        ((slice(2, 2), 0), "TTL0509"),
        ((slice(3, 1), ...), "TTL0509"),
    ],
)
def test_each_mistake_has_its_code_and_no_place(index: tuple[Any, ...], code: str) -> None:
    found = slice_part(index, (4, 3), Layout.TILE)
    assert isinstance(found, Diagnostic)
    assert (found.code, found.primary) == (code, None)


@given(st.integers(1, 4).map(lambda tiles: tiles * TILE))
def test_a_bound_that_counts_elements_is_told_so_only_for_tiles(stop: int) -> None:
    index = (0, slice(0, stop))
    tiled, rows = (slice_part(index, (4, 4), layout) for layout in (Layout.TILE, Layout.ROW_MAJOR))
    assert isinstance(tiled, Diagnostic)
    assert isinstance(rows, Diagnostic)
    assert f"{stop} elements are {stop // TILE} tile" in tiled.help[0]
    assert "tiles" not in rows.help[0]


hidden = st.none() | st.just(INTEGER) | st.integers(-1, 6)
partly_known = (
    st.just(INTEGER) | st.integers(-1, 6) | st.builds(slice, hidden, hidden, st.sampled_from((None, 2)))
)


@given(st.lists(st.tuples(partly_known, st.integers(1, 5)), min_size=1, max_size=3), st.data(), layouts)
def test_what_is_wrong_before_all_is_known_is_wrong_whatever_it_is(
    dimensions: list[tuple[Any, int]], data: st.DataObject, layout: Layout
) -> None:
    index, shape = zip(*dimensions, strict=True)

    def shown(value: Any) -> Any:
        if isinstance(value, slice):
            return slice(shown(value.start), shown(value.stop), value.step)
        return data.draw(st.integers(-2, 7)) if value is INTEGER else value

    finding = partial_error(index, shape, layout)
    later = slice_part(tuple(map(shown, index)), shape, layout)
    assert finding is None or isinstance(later, Diagnostic)
    if INTEGER not in [part for entry in index for part in (entry, *_bounds(entry))]:
        assert (finding is None) is not isinstance(later, Diagnostic)


def _bounds(entry: Any) -> tuple[Any, ...]:
    return (entry.start, entry.stop) if isinstance(entry, slice) else ()
