"""``tt.ir`` and ``ttnn.ir``: attributes from Python, as users of the real bindings make them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from ttmlir.dialects import tt, ttkernel, ttnn
from ttmlir.ir import (
    AffineDimExpr,
    AffineMap,
    Attribute,
    BF16Type,
    Context,
    F32Type,
    IntegerType,
    Location,
    MemRefType,
    RankedTensorType,
    Type,
)


@pytest.fixture(autouse=True)
def context() -> Iterator[Context]:
    with Context() as ctx, Location.unknown():
        tt.register_dialect(ctx)
        yield ctx


def grid(ctx: Context, shape: Sequence[int]) -> Attribute:
    return tt.ir.GridAttr.get(ctx, list(shape))


def tensor(ctx: Context, shape: Sequence[int], cores: Sequence[int], **options: Any) -> RankedTensorType:
    plain = RankedTensorType.get(shape, F32Type.get(ctx))
    space = options.pop("space", tt.MemorySpace.DeviceL1)
    collapse = options.pop("collapse", [(0, -1)])
    layout = tt.ir.LayoutAttr.get(
        ctx,
        plain,
        space,
        grid(ctx, cores),
        collapse,
        options.pop("oob", tt.OOBVal.Undef),
        options.pop("memory_layout", tt.TensorMemoryLayout.None_),
    )
    return RankedTensorType.get(shape, F32Type.get(ctx), layout)


def test_layout_of_a_tensor_and_its_changes(context: Context) -> None:
    given = tensor(context, [2, 3, 64, 128], [2, 4])
    linear = "(d0, d1, d2, d3) -> (d0 * 192 + d1 * 64 + d2, d3)"
    assert str(given) == (
        f"tensor<2x3x64x128xf32, #tt.layout<{linear}, undef, <2x4>, memref<192x32xf32, #tt.memory_space<l1>>>>"
    )
    tile = tt.ir.TileType.get(context, 32, 32, tt.DataType.BFP_BFloat8)
    assert given.encoding is not None
    tiled = tt.ir.LayoutAttr.with_element_type_(context, given.encoding, tile)
    assert str(tiled.wrapped()) == (
        f"#tt.layout<{linear}, undef, <2x4>, memref<6x1x!tt.tile<32x32, bfp_bf8>, #tt.memory_space<l1>>>"
    )
    spread = tt.ir.LayoutAttr.with_grid_(context, given.encoding, given.shape, grid(context, [3, 2]))
    assert str(spread) == f"#tt.layout<{linear}, undef, <3x2>, memref<128x64xf32, #tt.memory_space<l1>>>"
    assert spread.shard_shape == [128, 64]
    assert spread.stride([2, 3, 64, 128]) == [3 * 64 * 128, 64 * 128, 128, 1]
    assert (spread.grid_attr.shape, spread.memory_space) == ([3, 2], tt.MemorySpace.DeviceL1)
    assert str(spread.memref) == "memref<128x64xf32, #tt.memory_space<l1>>"
    assert (spread.oobval, spread.memory_layout_as_int) == (tt.OOBVal.Undef, 0)


def test_dimensions_that_are_not_collapsed(context: Context) -> None:
    given = tensor(context, [8, 96, 32], [2, 3, 1], collapse=[(1, -1)], space=tt.MemorySpace.DeviceDRAM)
    text = str(given.encoding)
    assert "<2x3x1>" in text and "#tt.memory_space<dram>" in text


def test_tiles_of_a_vector_need_a_grid_of_two_dimensions(context: Context) -> None:
    vector = tensor(context, [128], [1, 4])
    assert "(d0) -> (0, d0)" in str(vector) and "memref<1x32xf32" in str(vector)
    tile = tt.ir.TileType.get(context, 32, 32, tt.DataType.Float32)
    assert "memref<1x1x!tt.tile<32x32, f32>" in str(
        tt.ir.LayoutAttr.with_element_type_(context, vector.encoding, tile)
    )
    narrow = tensor(context, [128], [4])
    with pytest.raises(ValueError, match="has no tiles: they need a grid of two dimensions"):
        tt.ir.LayoutAttr.with_element_type_(context, narrow.encoding, tile)


def test_device_from_maps_and_from_a_system(context: Context) -> None:
    d0, d1 = AffineDimExpr.get(0), AffineDimExpr.get(1)
    workers = AffineMap.get(2, 0, [AffineMap.get_constant(0).results[0], d0, d1])
    memory = AffineMap.get(2, 0, [*workers.results, d1])
    device = tt.ir.DeviceAttr.get(context, [8, 8], workers, memory, memory, [], [0])
    assert str(device) == (
        "#tt.device<workerGrid = #tt.grid<8x8, (d0, d1) -> (0, d0, d1)>, l1Map = (d0, d1) -> (0, d0, d1, d1), "
        "dramMap = (d0, d1) -> (0, d0, d1, d1), meshShape = , chipIds = [0]>"
    )
    view = tt.ir.DeviceAttr.unwrap(device)
    assert (view.grid_attr.shape, view.mesh_shape, view.chip_ids) == ([8, 8], [], [0])
    assert str(view.l1_map) == "(d0, d1) -> (0, d0, d1, d1)"
    assert str(tt.ir.DeviceType.get(context, device)).startswith("!tt.device<")
    with pytest.raises(ValueError, match="expected l1Map to have MemoryMapResultIdx::NumIndices"):
        tt.ir.DeviceAttr.get(context, [8, 8], workers, workers, memory, [], [0])

    system = tt.ir.SystemDescAttr.get_default(context)
    assert "chipIds = [0]" in str(tt.ir.DeviceAttr.from_system_desc(context, system, []))
    with pytest.raises(ValueError, match="chip"):
        tt.ir.DeviceAttr.from_system_desc(context, system, [1, 9])


def test_systems_and_chips(context: Context) -> None:
    system = tt.ir.SystemDescAttr.maybe_downcast(tt.ir.SystemDescAttr.get_default(context))
    assert system is not None
    (chip,) = system.chip_descs
    assert (chip.grid, chip.l1_size, chip.num_dram_channels, chip.num_cbs) == ([8, 8], 1499136, 12, 32)
    assert chip.usable_l1_size == 1499136 - 1024
    assert str(chip.arch) == "#tt.arch<wormhole_b0>"
    assert len(chip.chip_physical_cores.worker) == 64
    assert (chip.chip_physical_cores.dram[1].y, chip.chip_physical_cores.dram[1].x) == (9, 0)
    assert [int(one.capability_as_int) for one in system.chip_capabilities] == [3]
    assert (system.chip_desc_indices, system.chip_channels, system.chip_coords[0].rack) == ([0], [], 0)
    assert tt.ir.GridAttr.maybe_downcast(system) is None


def test_constraints_are_numbers_with_names(context: Context) -> None:
    one = tt.ir.OperandConstraintAttr.get(context, tt.OperandConstraint.AnyDeviceTile)
    assert str(tt.ir.OperandConstraintAttr.get(context, [one, one])).count("any_device_tile") == 2
    view = tt.ir.OperandConstraintAttr.maybe_downcast(one)
    assert view is not None and view.operand_constraint_as_int == 2038
    assert tt.OperandConstraint.L1BlockSharded == 1052


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda ctx: tt.ir.ArchAttr.get(ctx, tt.Arch.Blackhole), "#tt.arch<blackhole>"),  # type: ignore[attr-defined]
        (lambda ctx: tt.ir.DataTypeAttr.get(ctx, 4), "#tt.supportedDataTypes<bfp_bf8>"),  # type: ignore[attr-defined]
        (lambda ctx: tt.ir.TileSizeAttr.get(ctx, 32, 16), "#tt<tile_size 32x16>"),
        (lambda ctx: tt.ir.ChipCoordAttr.get(ctx, 0, 1, 2, 3), "#tt<chip_coord 0x1x2x3>"),
        (
            lambda ctx: tt.ir.ChipChannelAttr.get(ctx, 0, [9, 0], 1, [0, 0]),
            "#tt.chip_channel<[0, 9, 0], [1, 0, 0]>",
        ),
        (lambda ctx: tt.ir.ChipCapabilityAttr.get(ctx, 3), "3 : i32"),
        (lambda ctx: ttnn.ir.ShapeAttr.get(ctx, [64, 128]), "#ttnn.shape<64x128>"),
        (
            lambda ctx: ttnn.ir.ShardSpecAttr.get(ctx, ttnn.ir.ShapeAttr.get(ctx, [2, 4])),
            "#ttnn.shard_spec<<2x4>>",
        ),
        (lambda ctx: ttnn.ir.MeshShapeAttr.get(ctx, 1, 2), "#ttnn<mesh_shape 1x2>"),
        (lambda ctx: ttnn.ir.LayoutAttr.get(ctx, 1), "#ttnn.layout<tile>"),  # type: ignore[attr-defined]
        (
            lambda ctx: ttnn.ir.MemoryConfigAttr.get_by_value(ctx, 1, 0, [64, 128]),
            "#ttnn.memory_config<<interleaved>, <dram>, <<64x128>>>",
        ),
        (
            lambda ctx: ttnn.ir.CoreRangeAttr.get_with_grid(ctx, tt.ir.GridAttr.get(ctx, [8, 8])),
            "#ttnn.core_range<0x0, 8x8>",
        ),
    ],
)
def test_attributes_print_as_text_has_them(context: Context, make: Any, text: str) -> None:
    attribute = make(context)
    assert str(attribute) == text
    assert Attribute.parse(text) == attribute


def test_circular_buffers_are_types(context: Context) -> None:
    memref = MemRefType.get([2, 4], Type.parse("!tt.tile<32x32, f32>"))
    buffer = ttkernel.ir.CBType.get(context, 1024, 0, memref)
    view = ttkernel.ir.CBType.cast(buffer)
    assert (view.shape, str(view.memref)) == ([2, 4], "memref<2x4x!tt.tile<32x32, f32>>")
    assert Type.parse(str(buffer)) == buffer
    with pytest.raises(TypeError, match="expected a ttkernel"):
        ttkernel.ir.CBType.cast(F32Type.get())


def test_plain_types_print_as_text_has_them() -> None:
    assert str(IntegerType.get_signed(32)) == "si32"
    assert str(RankedTensorType.get([2, 3], BF16Type.get())) == "tensor<2x3xbf16>"
    assert Type.parse("tensor<2x3xbf16>") == RankedTensorType.get([2, 3], BF16Type.get())
