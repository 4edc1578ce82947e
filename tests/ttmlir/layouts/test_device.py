"""The Device specification: devices of a system and a mesh, and where tensors lie on them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import bf16, f32
from xdsl.ir.affine import AffineExpr

from tt_model.layouts.device import DeviceRecord, Place, worker_map
from tt_model.layouts.elements import TileRecord
from tt_model.layouts.enums import BufferType, DataType, MemorySpace
from tt_model.layouts.known_systems import default_system, system
from tt_model.layouts.layout import Grid, LayoutRecord, TTNNLayout
from tt_model.layouts.system_desc import SystemRecord
from tt_model.layouts.values import LayoutError
from ttl.ir.affine import add, constant, dims, evaluate, floordiv, make_map, map_text, mod, mul

EIGHT = constant(8)
BFP8_TILE = TileRecord((32, 32), DataType.BFP_BFloat8)
F32_TILE, BF16_TILE = TileRecord((32, 32), DataType.Float32), TileRecord((32, 32), DataType.BFloat16)
ADDRESS = "((d0 floordiv s0) * 8 + d1 floordiv s1) * (s1 * s0) + (d0 mod s0) * s1 + d1 mod s1"


def chips(count: int) -> SystemRecord:
    """A system of so many chips of one kind."""
    one = default_system()
    return replace(one, chip_desc_indices=(0,) * count)


def test_the_default_device() -> None:
    device = DeviceRecord.of(default_system())
    assert device.worker_grid.shape == (8, 8)
    assert (device.mesh_shape, device.chip_ids) == ((), (0,))
    assert map_text(device.worker_grid.map) == "(d0, d1) -> (0, d0, d1)"
    assert map_text(device.l1_map) == (
        "(d0, d1)[s0, s1] -> (0, d0 floordiv s0, d1 floordiv s1, (d0 mod s0) * s1 + d1 mod s1)"
    )
    assert map_text(device.dram_map) == (
        f"(d0, d1)[s0, s1] -> (0, 0, (({ADDRESS}) floordiv 8192) mod 12, "
        f"({ADDRESS}) floordiv 98304 + ({ADDRESS}) mod 8192)"
    )


@pytest.mark.parametrize(
    ("mesh", "grid", "text"),
    [
        ((1,), (8, 8), "(d0, d1) -> (0, d0, d1)"),
        ((1, 1), (8, 8), "(d0, d1) -> (0, d0, d1)"),
        ((1, 1, 1), (1, 8, 8), "(d0, d1, d2) -> (d0, d1, d2)"),
        ((2, 1, 1), (2, 8, 8), "(d0, d1, d2) -> (d0, d1, d2)"),
        ((1, 2), (8, 16), "(d0, d1) -> (d1 floordiv 8, d0, d1 mod 8)"),
        ((2,), (16, 8), "(d0, d1) -> (d0 floordiv 8, d0 mod 8, d1)"),
        ((2, 4), (16, 32), "(d0, d1) -> ((d0 floordiv 8) * 4 + d1 floordiv 8, d0 mod 8, d1 mod 8)"),
        ((2, 1, 2), (2, 8, 16), "(d0, d1, d2) -> (d0 * 2 + d2 floordiv 8, d1, d2 mod 8)"),
    ],
)
def test_devices_of_meshes(mesh: tuple[int, ...], grid: tuple[int, ...], text: str) -> None:
    device = DeviceRecord.of(chips(8), mesh)
    assert device.worker_grid.shape == grid
    assert map_text(device.worker_grid.map) == text
    assert device.mesh_shape == mesh
    assert device.chip_ids == tuple(range(math.prod(mesh)))


@pytest.mark.parametrize(
    "mesh", [(1,), (1, 2), (2, 1), (2, 4), (2, 1, 1), (2, 1, 2), (3, 2, 1), (2, 2, 2, 1)]
)
def test_every_place_of_the_grid_is_a_core_of_its_own(mesh: tuple[int, ...]) -> None:
    device = DeviceRecord.of(chips(16), mesh)
    cores = {device.core_of(place) for place in product(*map(range, device.worker_grid.shape))}
    assert cores == set(product(range(math.prod(mesh)), range(8), range(8)))


@pytest.mark.parametrize(
    ("grid", "results"),
    [
        ((8, 8), lambda y, x: (y, x)),  # single chip
        ((8, 8), lambda y, x: (x, y)),  # transposed
        ((1, 64), lambda y, x: (add(mul(y, EIGHT), floordiv(x, EIGHT)), mod(x, EIGHT))),  # extra wide
        (
            (64, 1),
            lambda y, x: (add(mul(x, EIGHT), floordiv(y, EIGHT)), mod(y, EIGHT)),
        ),  # extra tall, transposed
        ((8, 8), lambda y, x: (y, mod(add(y, x), EIGHT))),  # staircase
    ],
)
def test_reinterpreted_grids_are_the_same_cores(
    grid: tuple[int, int], results: Callable[[AffineExpr, AffineExpr], tuple[AffineExpr, AffineExpr]]
) -> None:
    """The Device specification, "Reinterpreted Grids"."""
    device = replace(
        DeviceRecord.of(default_system()),
        worker_grid=Grid(grid, make_map(2, (constant(0), *results(*dims(2))))),
    )
    cores = {device.core_of(place) for place in product(*map(range, grid))}
    assert cores == set(product([0], range(8), range(8)))


def test_tensors_of_the_specification_lie_where_it_says() -> None:
    """The Device specification: a batch on two chips, and two chips side by side."""
    batch = DeviceRecord.of(chips(2), (2, 1, 1))
    layout = LayoutRecord.make(
        (16, 3, 64, 128), BFP8_TILE, MemorySpace.DeviceL1, (2, 2, 4), collapse=((1, -1),)
    )
    assert layout.memref.shape == (8, 3, 1)
    assert {batch.locate(layout, (index, 0, 0, 0)).chip for index in range(8)} == {0}
    assert {batch.locate(layout, (index, 0, 0, 0)).chip for index in range(8, 16)} == {1}
    assert batch.locate(layout, (15, 2, 63, 127)) == Place(1, 1, 3, 23)
    wide = DeviceRecord.of(chips(2), (1, 2))
    layout = LayoutRecord.make((256, 1024), BFP8_TILE, MemorySpace.DeviceL1, (4, 16))
    assert layout.memref.shape == (2, 2)
    assert [wide.locate(layout, (0, column)).chip for column in (0, 511, 512, 1023)] == [0, 0, 1, 1]
    assert wide.locate(layout, (255, 1023)) == Place(1, 3, 7, 3)


def test_the_grid_of_a_core_on_the_second_chip() -> None:
    assert DeviceRecord.of(chips(2), (1, 2)).core_of((3, 11)) == (1, 3, 3)


@pytest.mark.parametrize(
    ("layout", "index", "place"),
    [
        (LayoutRecord.make((8, 96, 32), f32, MemorySpace.DeviceL1, (2, 1)), (5, 7, 3), Place(0, 1, 0, 3299)),
        (LayoutRecord.make((64, 128), F32_TILE, MemorySpace.DeviceL1, (2, 4)), (32, 96), Place(0, 1, 3, 0)),
        (LayoutRecord.make((96, 160), F32_TILE, MemorySpace.DeviceL1, (2, 2)), (32, 64), Place(0, 0, 0, 5)),
        (LayoutRecord.make((96, 160), F32_TILE, MemorySpace.DeviceL1, (2, 2)), (64, 128), Place(0, 1, 1, 1)),
        (LayoutRecord.make((1024, 1024), f32, MemorySpace.DeviceDRAM, (2, 2)), (0, 511), Place(0, 0, 0, 511)),
        (LayoutRecord.make((1024, 1024), f32, MemorySpace.DeviceDRAM, (2, 2)), (16, 0), Place(0, 0, 1, 0)),
        (
            LayoutRecord.make((1024, 1024), f32, MemorySpace.DeviceDRAM, (2, 2)),
            (0, 512),
            Place(0, 0, 8, 16384),
        ),
        (
            LayoutRecord.make((1024, 1024), f32, MemorySpace.DeviceDRAM, (2, 2)),
            (512, 0),
            Place(0, 0, 4, 172032),
        ),
    ],
)
def test_worked_places(layout: LayoutRecord, index: tuple[int, ...], place: Place) -> None:
    assert DeviceRecord.of(default_system()).locate(layout, index) == place


def test_the_dram_map_of_the_text_counts_pages() -> None:
    """Its offsets are upstream's, wrong as they are; ``locate`` does not use them."""
    device = DeviceRecord.of(default_system())
    assert evaluate(device.dram_map, (0, 512), (512, 512)) == (0, 0, 8, 2)
    assert evaluate(device.dram_map, (512, 0), (512, 512)) == (0, 0, 4, 21)


def test_footprints() -> None:
    device = DeviceRecord.of(default_system())
    tiled = LayoutRecord.make((64, 128), F32_TILE, MemorySpace.DeviceL1, (2, 4))
    assert device.footprint(tiled, (64, 128)) == 4096
    uneven = LayoutRecord.make((96, 160), F32_TILE, MemorySpace.DeviceL1, (2, 2))
    assert (device.footprint(uneven, (96, 160)), uneven.shard_bytes) == (8192, 6 * 4096)
    dram = LayoutRecord.make((1024, 1024), f32, MemorySpace.DeviceDRAM, (2, 2))
    assert device.footprint(dram, (1024, 1024)) == 32872


MESHES = ((1,), (1, 2), (2, 1), (2, 2))


@settings(max_examples=120, deadline=None)
@given(data=st.data())
def test_each_element_lies_at_one_place_of_its_own(data: st.DataObject) -> None:
    """Each logical element is at exactly one (chip, core, offset), and the shards cover the tensor."""
    shape = tuple(data.draw(st.lists(st.integers(1, 9), min_size=1, max_size=4)))
    device = DeviceRecord.of(chips(4), data.draw(st.sampled_from(MESHES)))
    grid = tuple(data.draw(st.integers(1, extent)) for extent in device.worker_grid.shape)
    space = data.draw(st.sampled_from((BufferType.L1, BufferType.DRAM)))
    layout = TTNNLayout.make(shape, bf16, space, grid)
    places = {index: device.locate(layout, index) for index in product(*map(range, shape))}
    assert len(set(places.values())) == len(places)
    if space is BufferType.L1:
        used = {(place.chip, place.y, place.x) for place in places.values()}
        of_grid = {device.core_of(place) for place in product(*map(range, grid))}
        assert used <= of_grid
        assert all(0 <= place.offset < math.prod(layout.memref.shape) for place in places.values())
        assert len(of_grid) * math.prod(layout.memref.shape) >= math.prod(shape)


@settings(max_examples=80, deadline=None)
@given(
    rows=st.integers(1, 5000),
    columns=st.integers(1, 5000),
    grid=st.tuples(st.integers(1, 8), st.integers(1, 8)),
    space=st.sampled_from((BufferType.L1, BufferType.DRAM)),
)
def test_each_tile_lies_at_one_place_of_its_own(
    rows: int, columns: int, grid: tuple[int, int], space: BufferType
) -> None:
    device = DeviceRecord.of(default_system())
    layout = TTNNLayout.make((rows, columns), BF16_TILE, space, grid)
    height, width = layout.tiled_shape((rows, columns))
    corners = [(y * 32, x * 32) for y in range(height) for x in range(0, width, max(1, width // 8))]
    places = [device.locate(layout, corner) for corner in corners]
    assert len(set(places)) == len(corners)
    # All scalars of a tile are in it.
    inside = (min(rows - 1, corners[-1][0] + 31), min(columns - 1, corners[-1][1] + 31))
    assert device.locate(layout, inside) == places[-1]


@settings(max_examples=100, deadline=None)
@given(
    shape=st.lists(st.integers(1, 400), min_size=1, max_size=5),
    grid=st.lists(st.integers(1, 8), min_size=2, max_size=2),
)
def test_shards_cover_the_physical_shape(shape: list[int], grid: list[int]) -> None:
    layout = TTNNLayout.make(tuple(shape), f32, BufferType.L1, tuple(grid))
    physical = layout.physical_shape(tuple(shape))
    assert math.prod(physical) == math.prod(shape)
    for extent, places, shard in zip(physical, grid, layout.memref.shape):
        assert (shard - 1) * places < extent <= shard * places
    tiled = layout.tiled()
    assert all(
        (tiles - 1) * 32 < scalars <= tiles * 32
        for tiles, scalars in zip(tiled.memref.shape, layout.memref.shape)
    )


@pytest.mark.parametrize(
    ("mesh", "text"),
    [
        ((2,), "a mesh 2 has 2 chips, and the system description has 1"),
        ((0, 1), "expected positive mesh dimensions, got 0x1"),
    ],
)
def test_meshes_that_are_none(mesh: tuple[int, ...], text: str) -> None:
    with pytest.raises(LayoutError, match=text):
        DeviceRecord.of(default_system(), mesh)


def test_what_is_no_device() -> None:
    device = DeviceRecord.of(default_system())
    three = device.worker_grid
    for change, text in (
        ({"chip_ids": ()}, "expected at least one chip"),
        ({"chip_ids": (0, 1)}, "expected chipIds size to match the volume of meshShape"),
        ({"worker_grid": Grid((0, 8), three.map)}, "expected positive grid dimensions, got 0x8"),
        ({"worker_grid": Grid((8, 8))}, "expected physical grid mapping to have 3 results"),
        ({"l1_map": three.map}, "expected l1Map to have MemoryMapResultIdx::NumIndices"),
        ({"dram_map": three.map}, "expected dramMap to have MemoryMapResultIdx::NumIndices"),
    ):
        with pytest.raises(LayoutError, match=text):
            replace(device, **change)  # type: ignore[arg-type]


def test_tensors_of_the_host_have_no_place() -> None:
    device = DeviceRecord.of(default_system())
    with pytest.raises(LayoutError, match="the tensor is not on the device"):
        device.locate(TTNNLayout.make((4, 4), f32), (0, 0))
    with pytest.raises(LayoutError, match="a tensor in system_memory is not on the device"):
        device.footprint(TTNNLayout.make((4, 4), f32), (4, 4))


def test_layouts_that_do_not_fit_the_device() -> None:
    device = DeviceRecord.of(default_system())
    deep = LayoutRecord.make((8, 96, 32), f32, MemorySpace.DeviceL1, (2, 1, 2))
    for call in (lambda: device.locate(deep, (0, 0, 0)), lambda: device.footprint(deep, (8, 96, 32))):
        with pytest.raises(
            LayoutError, match="its grid 3 and its shard 3 dimensions, and the grid of the device 2"
        ):
            call()
    flat = TTNNLayout.make((4, 4), f32, BufferType.L1)
    with pytest.raises(LayoutError, match="is a map of 2 dimensions, and the tensor 0x0x0 has 3"):
        device.locate(flat, (0, 0, 0))
    nothing = TTNNLayout.make((0, 4), f32, BufferType.L1)
    assert device.footprint(nothing, (0, 4)) == 0
    with pytest.raises(LayoutError, match="a shard 0x4 holds no element"):
        device.locate(nothing, (0, 0))


def test_devices_of_real_systems() -> None:
    assert DeviceRecord.of(system("n300"), (1, 2)).worker_grid.shape == (8, 16)
    assert map_text(worker_map((1, 1), (8, 8))) == "(d0, d1) -> (0, d0, d1)"
