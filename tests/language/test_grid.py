"""Specification, "Grid": grid size and node function in any number of dimensions."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
import ttnn

import ttl
from support.failing import fails
from support.tensors import numbers, tiled
from ttl import settings

SPECIFIED = [
    # The specification's examples, and LANGUAGE.md's reading of the one it leaves open.
    ((8, 8), 1, 64),
    ((8, 8), 2, (8, 8)),
    ((8, 8), 3, (8, 8, 1)),
    ((2, 4), 1, 8),
    ((2, 4), 4, (2, 4, 1, 1)),
]


def seen_by_nodes(grid: Any, dims: int, *, argument: Any = None) -> tuple[Any, list[Any], list[Any]]:
    """The grid size, and the node coordinates seen in the bodies and in the kernels, in node order."""
    size: list[Any] = []
    in_body: list[Any] = []
    in_kernel: list[Any] = []

    @ttl.operation(grid=grid)
    def op(a: Any) -> None:
        size.append(ttl.grid_size(dims))
        in_body.append(ttl.node(dims))

        @ttl.datamovement()
        def kernel() -> None:
            assert ttl.grid_size(dims) == size[0]
            in_kernel.append(ttl.node(dims))

    op(tiled(numbers(32, 32)) if argument is None else argument)
    assert len(set(size)) == 1
    return size[0], in_body, in_kernel


@pytest.mark.parametrize(("grid", "dims", "expected"), SPECIFIED)
def test_grid_size(grid: tuple[int, ...], dims: int, expected: object) -> None:
    assert seen_by_nodes(grid, dims)[0] == expected


@pytest.mark.parametrize("dims", [1, 2, 3, 4])
def test_node_coordinates_are_every_coordinate_of_that_size_once(dims: int) -> None:
    size, in_body, in_kernel = seen_by_nodes((3, 2), dims)
    extents = (size,) if dims == 1 else size
    coordinates = [(c,) if dims == 1 else c for c in in_body]
    assert coordinates == list(product(*(range(extent) for extent in extents)))
    assert in_kernel == in_body


def test_dims_defaults_to_two() -> None:
    @ttl.operation(grid=(2, 3))
    def op(a: Any) -> None:
        assert ttl.grid_size() == (2, 3)
        x, y = ttl.node()
        assert (x, y) == ttl.node(dims=2)

        @ttl.compute()
        def kernel() -> None:
            assert ttl.grid_size() == (2, 3)
            assert ttl.node() == (x, y)

    op(tiled(numbers(32, 32)))


@pytest.mark.parametrize("grid", ["full", "auto"])
def test_full_and_auto_take_the_compute_grid_of_the_device(grid: str) -> None:
    with settings.override(grid=(3, 4)):
        assert seen_by_nodes(grid, 2)[0] == (3, 4)


def test_the_default_grid_of_a_wormhole_card_is_8_by_8() -> None:
    assert seen_by_nodes("full", 2)[0] == (8, 8)


def test_without_a_grid_the_operation_runs_on_all_the_device_has() -> None:
    assert seen_by_nodes("auto", 1)[0] == 64

    @ttl.operation()
    def op(a: Any) -> None:
        assert ttl.grid_size(dims=1) == 64

        @ttl.compute()
        def kernel() -> None:
            pass

    op(tiled(numbers(32, 32)))


def on_mesh(rows: int, columns: int) -> ttnn.Tensor:
    mesh = ttnn.open_mesh_device(ttnn.MeshShape(rows, columns))
    return ttnn.from_numpy(
        numbers(32, 32),
        ttnn.bfloat16,
        layout=ttnn.TILE_LAYOUT,
        device=mesh,
        mesh_mapper=ttnn.ReplicateTensorToMesh(mesh),
    )


def test_a_grid_of_four_dimensions_spans_a_mesh() -> None:
    argument = on_mesh(2, 2)
    size, nodes, _ = seen_by_nodes((2, 2, 1, 3), 4, argument=argument)
    assert size == (2, 2, 1, 3)
    assert nodes == list(product(range(2), range(2), range(1), range(3)))
    # The first extents are kept, the rest are multiplied into the last.
    size, nodes, _ = seen_by_nodes((2, 2, 1, 3), 2, argument=argument)
    assert size == (2, 6)
    assert nodes == list(product(range(2), range(6)))
    size, nodes, _ = seen_by_nodes((2, 2, 1, 3), 1, argument=argument)
    assert (size, nodes) == (12, list(range(12)))
    assert seen_by_nodes((2, 2, 1, 3), 5, argument=argument)[0] == (2, 2, 1, 3, 1)


def test_a_grid_of_three_dimensions_spans_a_row_of_devices() -> None:
    argument = on_mesh(1, 4)
    assert seen_by_nodes((4, 2, 2), 3, argument=argument)[0] == (4, 2, 2)
    assert seen_by_nodes((4, 2, 2), 2, argument=argument)[0] == (4, 4)


def test_for_8_8_8_the_size_in_two_dimensions_is_8_64() -> None:
    from ttl.protocol.grid import grid_size

    assert grid_size((8, 8, 8), 2) == (8, 64)


@pytest.mark.parametrize("grid", [(9, 8), (8, 9), (100, 1)])
def test_an_extent_the_device_has_not_got(grid: tuple[int, int]) -> None:
    with fails("TTL0220"):
        seen_by_nodes(grid, 2)


def test_leading_ones_fit_a_single_device() -> None:
    """One device is a mesh of one."""
    assert seen_by_nodes((1, 1, 8, 8), 2)[0] == (1, 64)
    assert seen_by_nodes((1, 2, 3), 3)[0] == (1, 2, 3)


def test_a_grid_over_more_devices_than_there_are() -> None:
    with fails("TTL0221"):
        seen_by_nodes((2, 8, 8), 2)


@pytest.mark.parametrize("dims", [0, -1, 1.5, "2", None, True])
def test_dims_is_a_positive_integer(dims: Any) -> None:
    with fails("TTL0202"):
        seen_by_nodes((1, 1), dims)


def test_numpy_integers_are_integers() -> None:
    assert seen_by_nodes((2, 2), np.int64(1))[0] == 4


def test_outside_an_operation() -> None:
    with fails("TTL0201"):
        ttl.grid_size()
    with fails("TTL0201"):
        ttl.node()
