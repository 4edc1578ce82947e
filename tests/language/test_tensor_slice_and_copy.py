"""Specification, "Tensor slice", "Copy" and "Group transfer"."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import ttnn

import ttl
from support.failing import fails, pointed_at
from support.tensors import TILE, blank, numbered_tiles, numbers, row_major, tiled, values


def copied(
    tensor: ttnn.Tensor, shape: Any, index: Callable[[Any], Any], out: ttnn.Tensor, target: Any = ...
) -> Any:
    """``out[target] = tensor[index]`` through a block of ``shape``; what is in ``out``."""

    @ttl.operation(grid=(1, 1))
    def op(a: Any, o: Any) -> None:
        dfb = ttl.make_dataflow_buffer_like(a, shape=shape)

        @ttl.datamovement()
        def move() -> None:
            with dfb.reserve() as blk:
                ttl.copy(index(a), blk).wait()
                ttl.copy(blk, o[target]).wait()

    op(tensor, out)
    return values(out)


A4 = numbered_tiles(4, 5)


@pytest.mark.parametrize(
    ("index", "rows", "columns"),
    [
        (lambda a: a[1, 2], (1, 2), (2, 3)),
        (lambda a: a[0:2, 1:4], (0, 2), (1, 4)),
        (lambda a: a[3, :], (3, 4), (0, 5)),
        (lambda a: a[:, 4], (0, 4), (4, 5)),
        (lambda a: a[2:, :3], (2, 4), (0, 3)),
        (lambda a: a[:, :], (0, 4), (0, 5)),
        (lambda a: a[...], (0, 4), (0, 5)),
        (lambda a: a[1], (1, 2), (0, 5)),
        (lambda a: a[..., 0], (0, 4), (0, 1)),
        (lambda a: a[1, ...], (1, 2), (0, 5)),
        (lambda a: a[slice(1, 3), slice(0, 2)], (1, 3), (0, 2)),
        (lambda a: a[np.int64(1), np.int32(2) : np.int32(4)], (1, 2), (2, 4)),
        (lambda a: a[0:2:1, 0:1], (0, 2), (0, 1)),
    ],
)
def test_slices_of_a_tiled_tensor_count_tiles(
    index: Callable[[Any], Any], rows: tuple[int, int], columns: tuple[int, int]
) -> None:
    shape = (rows[1] - rows[0], columns[1] - columns[0])
    expected = A4[rows[0] * TILE : rows[1] * TILE, columns[0] * TILE : columns[1] * TILE]
    assert np.array_equal(copied(tiled(A4), shape, index, blank(expected.shape)), expected)


def test_slices_of_a_row_major_tensor_count_elements() -> None:
    a = numbers(6, 7)
    out = blank((2, 3), layout=ttnn.ROW_MAJOR_LAYOUT)
    assert np.array_equal(copied(row_major(a), (2, 3), lambda t: t[3:5, 1:4], out), a[3:5, 1:4])


def test_a_slice_of_the_target() -> None:
    out = tiled(np.zeros((128, 160), np.float32))
    found = copied(tiled(A4), (2, 2), lambda a: a[0:2, 0:2], out, (slice(2, 4), slice(3, 5)))
    expected = np.zeros_like(A4)
    expected[64:, 96:] = A4[:64, :64]
    assert np.array_equal(found, expected)


def test_an_integer_keeps_the_dimension_unless_the_block_has_fewer() -> None:
    a = numbers(3, 2, 32, 64)
    for shape, target in [((1, 1, 1, 2), (slice(0, 1), slice(0, 1))), ((1, 2), (0, 0)), ((1, 1, 2), (0,))]:
        out = blank((1, 1, 32, 64))
        found = copied(tiled(a), shape, lambda t: t[2, 1, 0:1, 0:2], out, target)
        assert np.array_equal(found[0, 0], a[2, 1])


def test_a_one_dimensional_block_of_a_four_dimensional_row_major_tensor() -> None:
    """The specification's upsampling example: one pixel's channels."""
    a = numbers(2, 3, 4, 5)
    out = blank((5,), layout=ttnn.ROW_MAJOR_LAYOUT)
    assert np.array_equal(copied(row_major(a), 5, lambda t: t[1, 2, 3, :], out), a[1, 2, 3])


def test_a_slice_knows_its_shape() -> None:
    @ttl.operation(grid=(1, 1))
    def op(a: Any) -> None:
        @ttl.datamovement()
        def move() -> None:
            assert a[0:2, 1].shape == (2, 1)
            assert isinstance(a[0, 0], ttl.TensorSlice)

    op(tiled(A4))


@pytest.mark.parametrize("layout", [ttnn.TILE_LAYOUT, ttnn.ROW_MAJOR_LAYOUT])
@pytest.mark.parametrize("shape", [(), (7,), (1, 7)])
def test_tensors_of_no_and_one_dimension(shape: tuple[int, ...], layout: Any) -> None:
    data = numbers(*shape) if shape else np.float32(3)
    tensor = ttnn.from_numpy(np.asarray(data, np.float32), ttnn.bfloat16, layout=layout)
    out = ttnn.from_numpy(np.zeros(shape, np.float32), ttnn.bfloat16, layout=layout)
    tile = layout == ttnn.TILE_LAYOUT
    block = (1, 1) if tile else (shape or (1,))
    assert np.array_equal(copied(tensor, block, lambda a: a[...], out), data)
    assert out.shape == shape


@pytest.mark.parametrize(
    ("index", "code"),
    [
        (lambda a: a[4, 0], "TTL0507"),
        (lambda a: a[0, 5], "TTL0507"),
        (lambda a: a[-1, 0], "TTL0507"),
        (lambda a: a[0, 3:6], "TTL0507"),
        (lambda a: a[0, 0:64], "TTL0507"),
        (lambda a: a[0:2:2, 0], "TTL0508"),
        (lambda a: a[0, ::-1], "TTL0508"),
        (lambda a: a[2:2, 0], "TTL0509"),
        (lambda a: a[3:1, 0], "TTL0509"),
        (lambda a: a[0, 0, 0], "TTL0505"),
        (lambda a: a["x", 0], "TTL0506"),
        (lambda a: a[0.5, 0], "TTL0506"),
        (lambda a: a[0, 0:2.5], "TTL0506"),
        (lambda a: a[None, 0], "TTL0506"),
        (lambda a: a[True, 0], "TTL0506"),
    ],
)
def test_what_is_no_slice_of_the_tensor(index: Callable[[Any], Any], code: str) -> None:
    with fails(code):
        copied(tiled(A4), (1, 1), index, blank((32, 32)))


@pytest.mark.parametrize("later", [lambda a: a[1.0, 2], lambda a: a[True, 2], lambda a: a[1, 2.0:3]])
def test_a_number_that_equals_a_valid_index_is_still_no_index(later: Callable[[Any], Any]) -> None:
    def index(a: Any) -> Any:
        a[1, 2], a[1, 2:3]
        return later(a)

    with fails("TTL0506"):
        copied(tiled(A4), (1, 1), index, blank((32, 32)))


def test_elements_where_tiles_are_meant_get_a_hint() -> None:
    with fails("TTL0507", match="32 elements are 1 tiles|count tiles"):
        copied(tiled(A4), (1, 1), lambda a: a[0:32, 0:32], blank((32, 32)))


def test_shapes_are_compared_and_not_tile_counts() -> None:
    with fails(
        "TTL0515", match=r"\(2, 1\) tiles = \(64, 32\) elements.*\(1, 2\) tiles = \(32, 64\) elements"
    ):
        copied(tiled(A4), (1, 2), lambda a: a[0:2, 0], blank((32, 64)))
    with fails("TTL0515"):
        copied(tiled(A4), (1, 2), lambda a: a[0, 0:2], blank((64, 32)))


def test_a_copy_does_not_convert() -> None:
    with fails("TTL0514"):
        copied(tiled(A4), (1, 1), lambda a: a[0, 0], blank((32, 32), ttnn.float32))
    with fails("TTL0510"):
        copied(tiled(A4), (1, 1), lambda a: a[0, 0], blank((1, 1), layout=ttnn.ROW_MAJOR_LAYOUT))


def test_tensors_are_sliced_in_data_movement_kernels_only() -> None:
    @ttl.operation(grid=(1, 1))
    def op(a: Any, where: str) -> None:
        if where == "body":
            a[0, 0]

        @ttl.compute()
        def compute() -> None:
            if where == "compute":
                a[0, 0]

    for where in ("body", "compute"):
        with fails("TTL0516"):
            op(tiled(A4), where)


# --- Copy ---------------------------------------------------------------------------------------------------


def in_a_kernel(body: Callable[[Any, Any, Any], None], kind: Any = ttl.datamovement) -> None:
    """``body(a, dfb, blk)`` in a kernel that has reserved ``blk``."""

    @ttl.operation(grid=(1, 1))
    def op(a: Any) -> None:
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

        @kind()
        def kernel() -> None:
            blk = dfb.reserve()
            body(a, dfb, blk)
            blk.push()

    op(tiled(A4))


def test_it_returns_a_transfer_that_is_waited_for_once() -> None:
    def body(a: Any, dfb: Any, blk: Any) -> None:
        xf = ttl.copy(a[0, 0], blk)
        assert isinstance(xf, ttl.Transfer)
        xf.wait()
        xf.wait()

    with fails("TTL0503"):
        in_a_kernel(body)


@pytest.mark.parametrize(
    ("ends", "words"),
    [
        (lambda a, dfb, blk: (blk, blk), "from a block to a block"),
        (lambda a, dfb, blk: (a[0, 0], a[0, 1]), "from a tensor slice to a tensor slice"),
        (lambda a, dfb, blk: (a, blk), "whole tensor"),
        (lambda a, dfb, blk: (a[0, 0], dfb), "dataflow buffer dfb"),
        (lambda a, dfb, blk: (None, blk), "None"),
        (lambda a, dfb, blk: (np.zeros((32, 32)), blk), "array"),
    ],
)
def test_other_ends_are_refused(ends: Callable[[Any, Any, Any], Any], words: str) -> None:
    with fails("TTL0502", match=words) as caught:
        in_a_kernel(lambda a, dfb, blk: ttl.copy(*ends(a, dfb, blk)))
    assert pointed_at(caught) == "ttl.copy(*ends(a, dfb, blk))"


def test_not_in_a_compute_kernel() -> None:
    with fails("TTL0501"):
        in_a_kernel(lambda a, dfb, blk: ttl.copy(blk, blk), ttl.compute)


def test_a_transfer_of_another_kernel() -> None:
    @ttl.operation(grid=(1, 1))
    def op(a: Any) -> None:
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
        started: list[Any] = []

        @ttl.datamovement()
        def first() -> None:
            blk = dfb.reserve()
            xf = ttl.copy(a[0, 0], blk)
            started.append(xf)
            xf.wait()
            blk.push()

        @ttl.datamovement()
        def second() -> None:
            dfb.wait()
            started[0].wait()

    with fails("TTL0503", "TTL0504"):
        op(tiled(A4))


# --- Group transfer -----------------------------------------------------------------------------------------


def test_nearest_neighbour_upsampling() -> None:
    """The specification's example."""
    images, scale = numbers(2, 2, 3, 4), 2

    @ttl.operation(grid=(1, 1))
    def op(a: Any, out: Any) -> None:
        n, height, width, channels = a.shape
        io_dfb = ttl.make_dataflow_buffer_like(a, shape=(channels,), block_count=2)

        @ttl.datamovement()
        def reader() -> None:
            for image in range(n):
                for y in range(height):
                    for x in range(width):
                        with io_dfb.reserve() as io_blk:
                            xf = ttl.copy(a[image, y, x, :], io_blk)
                            xf.wait()

        @ttl.datamovement()
        def writer() -> None:
            for image in range(n):
                for y in range(height):
                    for x in range(width):
                        with io_dfb.wait() as io_blk:
                            gxf = ttl.GroupTransfer()
                            for dy in range(scale):
                                for dx in range(scale):
                                    gxf.add(ttl.copy(io_blk, out[image, y * scale + dy, x * scale + dx, :]))
                            gxf.wait_all()

    out = blank((2, 4, 6, 4), layout=ttnn.ROW_MAJOR_LAYOUT)
    op(row_major(images), out)
    assert np.array_equal(values(out), images.repeat(scale, axis=1).repeat(scale, axis=2))


def test_a_group_is_used_once() -> None:
    def added_late(a: Any, dfb: Any, blk: Any) -> None:
        group = ttl.GroupTransfer()
        group.add(ttl.copy(a[0, 0], blk))
        group.wait_all()
        group.add(ttl.copy(blk, a[0, 0]))

    def waited_twice(a: Any, dfb: Any, blk: Any) -> None:
        group = ttl.GroupTransfer()
        group.add(ttl.copy(a[0, 0], blk))
        group.wait_all()
        group.wait_all()

    for body, code in ((added_late, "TTL0511"), (waited_twice, "TTL0513")):
        with fails(code):
            in_a_kernel(body)


def test_a_group_takes_transfers() -> None:
    with fails("TTL0512"):
        in_a_kernel(lambda a, dfb, blk: ttl.GroupTransfer().add(blk))


def test_a_group_that_is_never_waited_for() -> None:
    def body(a: Any, dfb: Any, blk: Any) -> None:
        group = ttl.GroupTransfer()
        group.add(ttl.copy(a[0, 0], blk))

    with fails("TTL0310"):
        in_a_kernel(body)


def test_an_empty_group() -> None:
    def body(a: Any, dfb: Any, blk: Any) -> None:
        ttl.GroupTransfer().wait_all()
        ttl.copy(a[0, 0], blk).wait()

    in_a_kernel(body)
