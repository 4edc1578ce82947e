"""Specification, "Grid" and "Pipe" (node ranges): the arithmetic, as properties."""

from __future__ import annotations

from itertools import product
from math import prod
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ttl.diag import Diagnostic
from ttl.protocol.grid import coordinate, grid_size, linear_index, resolve_coord, resolve_range

grids = st.lists(st.integers(1, 5), min_size=2, max_size=4).map(tuple)
dims = st.integers(1, 6)


@given(grids, dims)
def test_the_size_has_as_many_dimensions_as_asked_for_and_as_many_nodes_as_the_grid(
    grid: tuple[int, ...], wanted: int
) -> None:
    size = grid_size(grid, wanted)
    assert len(size) == wanted
    assert prod(size) == prod(grid)
    kept = min(wanted - 1, len(grid))
    assert size[:kept] == grid[:kept]
    assert all(extent == 1 for extent in size[len(grid) :])


@given(grids, dims)
def test_coordinates_number_the_nodes_row_major_in_every_dimensionality(
    grid: tuple[int, ...], wanted: int
) -> None:
    size = grid_size(grid, wanted)
    everywhere = [coordinate(index, grid, wanted) for index in range(prod(grid))]
    assert everywhere == list(product(*(range(extent) for extent in size)))
    assert [linear_index(coord, size) for coord in everywhere] == list(range(prod(grid)))


@given(grids, dims, st.data())
def test_a_coordinate_names_one_node_and_as_a_range_the_same_one(
    grid: tuple[int, ...], wanted: int, data: Any
) -> None:
    index = data.draw(st.integers(0, prod(grid) - 1))
    coord = coordinate(index, grid, wanted)
    assert resolve_coord(coord, grid) == index
    assert resolve_range(coord, grid) == (index,)


@given(grids, dims, st.data())
def test_a_range_is_the_product_of_its_slices(grid: tuple[int, ...], wanted: int, data: Any) -> None:
    size = grid_size(grid, wanted)
    axes = []
    for extent in size:
        start = data.draw(st.integers(0, extent - 1))
        axes.append(range(start, data.draw(st.integers(start + 1, extent))))
    given_range = tuple(
        axis.start if len(axis) == 1 and data.draw(st.booleans()) else slice(axis.start, axis.stop)
        for axis in axes
    )
    expected = tuple(linear_index(coord, size) for coord in product(*axes))
    assert resolve_range(given_range, grid) == expected
    assert list(expected) == sorted(set(expected))


@given(grids, dims)
def test_open_slices_are_the_whole_grid(grid: tuple[int, ...], wanted: int) -> None:
    assert resolve_range((slice(None),) * wanted, grid) == tuple(range(prod(grid)))


@pytest.mark.parametrize(
    ("coord", "code"),
    [
        ((2, 0), "TTL0603"),
        ((-1, 0), "TTL0603"),
        (6, "TTL0603"),
        ((), "TTL0601"),
        ("x", "TTL0601"),
        (1.0, "TTL0601"),
    ],
)
def test_what_is_no_node_is_an_error_that_shows_the_grid(coord: object, code: str) -> None:
    found = resolve_coord(coord, (2, 3))
    assert isinstance(found, Diagnostic) and found.code == code and found.help


@pytest.mark.parametrize(
    ("node_range", "code"),
    [
        ((slice(0, 4), 0), "TTL0603"),
        ((slice(1, 1), 0), "TTL0603"),
        ((slice(-1, 2), 0), "TTL0603"),
        ((slice(0, 2, 2), 0), "TTL0602"),
        ((slice(0.0, 1), 0), "TTL0602"),
        ((None, 0), "TTL0601"),
    ],
)
def test_what_is_no_range_is_an_error(node_range: object, code: str) -> None:
    found = resolve_range(node_range, (2, 3))
    assert isinstance(found, Diagnostic) and found.code == code and found.help


def test_a_range_may_have_steps_where_that_is_said() -> None:
    assert resolve_range((slice(0, 4, 2), slice(1, 3)), (4, 3), stepped=True) == (1, 2, 7, 8)
    for wrong in (slice(0, 4, 0), slice(3, 0, -1), slice(0, 4, 1.5)):
        found = resolve_range((wrong, 0), (4, 3), stepped=True)
        assert isinstance(found, Diagnostic) and found.code == "TTL0602"
