"""The Tensor Layout specification, "Dimension Collapsing", "Multi-core", "Tilized" and "Padding": its worked numbers."""

from __future__ import annotations

import re

import pytest
from xdsl.dialects.builtin import bf16, f32

from tt_model.layouts.elements import TileRecord
from tt_model.layouts.enums import BufferType, DataType, MemorySpace, TensorMemoryLayout
from tt_model.layouts.layout import LayoutRecord, TTNNLayout, memref_of
from tt_model.layouts.linear import Intervals, collapsed_map, physical_shape, shard_shape_of, strides_of
from tt_model.layouts.values import LayoutError
from ttl.ir.affine import evaluate, map_text

BFP8 = TileRecord((32, 32), DataType.BFP_BFloat8)

# Shape, rank of the grid, intervals (None: the default), the map.
MAPS: tuple[tuple[tuple[int, ...], int, Intervals | None, str], ...] = (
    ((2, 3, 64, 128), 2, None, "(d0, d1, d2, d3) -> (d0 * 192 + d1 * 64 + d2, d3)"),
    ((8, 300), 2, None, "(d0, d1) -> (d0, d1)"),
    ((8, 96, 32), 2, None, "(d0, d1, d2) -> (d0 * 96 + d1, d2)"),
    ((8, 96, 32), 3, None, "(d0, d1, d2) -> (d0 * 96 + d1, d1, d2)"),
    (
        (5, 3, 2, 2, 7, 32, 32),
        4,
        None,
        "(d0, d1, d2, d3, d4, d5, d6) -> (d0 * 2688 + d1 * 896 + d2 * 448 + d3 * 224 + d4 * 32 + d5, d4, d5, d6)",
    ),
    ((2, 3, 64, 128), 3, ((1, -1),), "(d0, d1, d2, d3) -> (d0, d1 * 64 + d2, d3)"),
    ((2, 3, 64, 128), 3, ((0, 2),), "(d0, d1, d2, d3) -> (d0 * 3 + d1, d2, d3)"),
    (
        (2, 3, 4, 5, 6, 7, 8),
        4,
        ((0, 3), (-3, -1)),
        "(d0, d1, d2, d3, d4, d5, d6) -> (d0 * 12 + d1 * 4 + d2, d3, d4 * 7 + d5, d6)",
    ),
    ((300,), 2, None, "(d0) -> (0, d0)"),
    ((300,), 1, None, "(d0) -> (d0)"),
    ((4, 5), 3, None, "(d0, d1) -> (0, d0, d1)"),
    ((2, 3), 2, ((0, 0),), "(d0, d1) -> (d0, d1)"),
    ((1, 1, 1), 2, None, "(d0, d1, d2) -> (d0 + d1, d2)"),
)


@pytest.mark.parametrize(("shape", "rank", "intervals", "text"), MAPS)
def test_dimension_collapsing(
    shape: tuple[int, ...], rank: int, intervals: Intervals | None, text: str
) -> None:
    linear = collapsed_map(shape, rank) if intervals is None else collapsed_map(shape, rank, intervals)
    assert map_text(linear) == text


def test_the_remapped_offset_of_the_walkthrough() -> None:
    linear = collapsed_map((2, 3, 64, 128), 2)
    assert evaluate(linear, (1, 1, 6, 100)) == (262, 100)
    assert physical_shape(linear, (2, 3, 64, 128)) == (384, 128)


# Shape, grid, intervals, scalars of a shard, tiles of a shard (None: not in the specification).
SHARDS: tuple[
    tuple[tuple[int, ...], tuple[int, ...], Intervals | None, tuple[int, ...], tuple[int, ...] | None], ...
] = (
    ((2, 3, 64, 128), (1, 1), None, (384, 128), None),
    ((2, 3, 64, 128), (2, 4), None, (192, 32), None),
    ((8, 300), (1, 2), None, (8, 150), None),
    ((8, 96, 32), (2, 1), None, (384, 32), None),
    ((8, 96, 32), (2, 1, 2), None, (384, 96, 16), None),
    ((5, 3, 2, 2, 7, 32, 32), (3, 2, 2, 2), None, (4480, 4, 16, 16), None),
    ((3, 64, 128), (3, 2), None, (64, 64), (2, 2)),
    ((53, 63), (3, 2), None, (18, 32), (1, 1)),
    ((2, 8, 32), (1, 2), None, (16, 16), (1, 1)),
    ((2, 3, 64, 128), (2, 2, 4), ((1, -1),), (1, 96, 32), (1, 3, 1)),
    ((16, 3, 64, 128), (2, 2, 4), ((1, -1),), (8, 96, 32), (8, 3, 1)),
    ((256, 1024), (4, 16), None, (64, 64), (2, 2)),
    ((300,), (1, 4), None, (1, 75), None),
    ((96, 160), (2, 2), None, (48, 80), (2, 3)),
)


@pytest.mark.parametrize(("shape", "grid", "intervals", "scalars", "tiles"), SHARDS)
def test_shards_and_their_memory(
    shape: tuple[int, ...],
    grid: tuple[int, ...],
    intervals: Intervals | None,
    scalars: tuple[int, ...],
    tiles: tuple[int, ...] | None,
) -> None:
    collapse: Intervals = intervals or ((0, -1),)
    layout = LayoutRecord.make(shape, f32, MemorySpace.DeviceL1, grid, collapse=collapse)
    assert layout.memref.shape == layout.scalar_shard_shape == scalars
    if tiles is not None:
        tiled = LayoutRecord.make(shape, BFP8, MemorySpace.DeviceL1, grid, collapse=collapse)
        assert tiled.memref.shape == tiles
        assert layout.with_element(BFP8) == tiled
        assert tiled.shard_bytes == 1024 * tiles[0] * tiles[1] * (tiles[2] if len(tiles) > 2 else 1)


def test_a_stride_can_leave_a_gap_between_batches() -> None:
    """ "Padding": with a stride of 32 each batch falls on a tile boundary."""
    linear = collapsed_map((2, 32, 32), 2)
    assert physical_shape(linear, (2, 8, 32)) == (40, 32)
    assert memref_of(shard_shape_of((40, 32), (1, 1)), BFP8, MemorySpace.DeviceL1).shape == (2, 1)


def test_strides() -> None:
    assert strides_of(collapsed_map((6, 15, 10), 2), (6, 15, 10)) == (150, 10, 1)
    assert strides_of(collapsed_map((300,), 2), (300,)) == (1,)
    # One layout for two shapes gives a stride for each of them.
    assert strides_of(collapsed_map((32, 32), 2), (10, 20)) == (20, 1)


def test_changing_a_layout_of_ttnn() -> None:
    layout = TTNNLayout.make((70, 100), f32, BufferType.DRAM, (1, 1), TensorMemoryLayout.Interleaved)
    tiled = layout.tiled()
    assert tiled.memref.shape == (3, 4)
    assert tiled.tiled_shape((70, 100)) == (3, 4)
    assert tiled.tiled() is tiled
    assert layout.row_major() is layout
    # What is in tiles stays padded to whole ones.
    assert tiled.row_major().memref.shape == (96, 128)
    assert tiled.with_buffer_type(BufferType.L1).memref.shape == (3, 4)
    assert tiled.with_grid((70, 100), (3, 2)).memref.shape == (1, 2)
    assert tiled.memory_config.shard_shape == (3, 4)
    assert tiled.with_memory_layout(TensorMemoryLayout.BlockSharded).memory_layout.is_sharded
    assert layout.with_shard_shape((32, 33)).with_element(
        TileRecord((32, 32), DataType.BFloat16)
    ).memref.shape == (
        1,
        2,
    )
    assert (layout.buffer_type, tiled.data_type, tiled.scalar_type) == (
        BufferType.DRAM,
        DataType.Float32,
        f32,
    )


def test_layout_behaviour_of_the_python_tests() -> None:
    """Facts, Python surface: what upstream's tests of the attribute's methods rely on."""
    layout = LayoutRecord.make((128,), f32, MemorySpace.DeviceL1, (1, 4))
    assert map_text(layout.linear) == "(d0) -> (0, d0)"
    assert layout.memref.shape == (1, 32)
    assert layout.with_element(TileRecord((32, 32), DataType.Float32)).memref.shape == (1, 1)
    assert LayoutRecord.make((4, 8), bf16).grid.shape == (1, 1)
    wider = LayoutRecord.make((8, 96, 32), f32, MemorySpace.DeviceL1, (2, 1)).with_grid(
        (8, 96, 32), (2, 1, 2)
    )
    assert map_text(wider.linear) == "(d0, d1, d2) -> (d0 * 96 + d1, d1, d2)"


@pytest.mark.parametrize(
    ("shape", "grid", "intervals", "text"),
    [
        ((), (1, 1), ((0, -1),), "without dimensions"),
        ((2, 3, 4), (1, 1), ((0, 0),), "dimension 2 of a tensor 2x3x4 is not in (d0, d1, d2) -> "),
        ((2, 3), (1, 1), ((0, 3),), "cannot join the dimensions [0, 3) of a tensor 2x3"),
        ((2, 3), (1, 1), ((1, 0),), "cannot join the dimensions [1, 0) of a tensor 2x3"),
        ((2, 3), (0, 1), ((0, -1),), "expected positive grid dimensions, got 0x1"),
        ((2, 3, 4, 5), (1, 1), ((2, 4),), "join more dimensions"),
    ],
)
def test_what_has_no_layout(
    shape: tuple[int, ...], grid: tuple[int, ...], intervals: Intervals, text: str
) -> None:
    with pytest.raises(LayoutError, match=re.escape(text)):
        LayoutRecord.make(shape, f32, MemorySpace.DeviceL1, grid, collapse=intervals)


def test_tiles_need_two_dimensions_of_the_grid() -> None:
    with pytest.raises(LayoutError, match="a shard 300 has no tiles"):
        LayoutRecord.make((300,), TileRecord((32, 32), DataType.Float32), MemorySpace.DeviceL1, (1,))


def test_a_shape_of_another_rank_is_refused() -> None:
    layout = TTNNLayout.make((70, 100), f32)
    with pytest.raises(LayoutError, match="is a map of 2 dimensions, and the tensor 1x70x100 has 3"):
        layout.stride((1, 70, 100))
    with pytest.raises(LayoutError, match="is a map of 2 dimensions"):
        layout.tiled_shape((70,))
