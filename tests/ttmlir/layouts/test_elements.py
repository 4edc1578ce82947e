"""Tiles, scalars and what they become of each other; bytes. Facts, layout arithmetic."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import (
    IndexType,
    IntegerType,
    Signedness,
    bf16,
    f16,
    f32,
    f64,
    i1,
    i8,
    i16,
    i32,
    i64,
)
from xdsl.ir import Attribute

from tt_model.layouts.elements import (
    TileRecord,
    data_type_of,
    element_bytes,
    host_type_of,
    scalar_of,
    tile_of,
)
from tt_model.layouts.enums import DataType
from tt_model.layouts.values import LayoutError


@pytest.mark.parametrize(
    ("scalar", "data_type"),
    [
        (f32, DataType.Float32),
        (f16, DataType.Float16),
        (bf16, DataType.BFloat16),
        (i32, DataType.UInt32),
        (i16, DataType.UInt16),
        (i8, DataType.UInt8),
        (IntegerType(32, Signedness.SIGNED), DataType.UInt32),
        (IntegerType(16, Signedness.UNSIGNED), DataType.UInt16),
        (IndexType(), DataType.Float32),
    ],
)
def test_the_data_type_of_a_scalar(scalar: Attribute, data_type: DataType) -> None:
    assert tile_of(scalar) == TileRecord((32, 32), data_type)


@pytest.mark.parametrize("scalar", [f64, i1, i64, IntegerType(4)])
def test_scalars_that_no_chip_has(scalar: Attribute) -> None:
    with pytest.raises(LayoutError, match=f"no data type of the chip holds {scalar}"):
        data_type_of(scalar)


@pytest.mark.parametrize(
    ("data_type", "scalar", "tile_bytes"),
    [
        (DataType.Float32, f32, 4096),
        (DataType.Float16, f16, 2048),
        (DataType.BFloat16, bf16, 2048),
        (DataType.BFP_Float8, f16, 1024),
        (DataType.BFP_BFloat8, bf16, 1024),
        (DataType.BFP_Float4, f16, 512),
        (DataType.BFP_BFloat4, bf16, 512),
        (DataType.BFP_Float2, f16, 256),
        (DataType.BFP_BFloat2, bf16, 256),
        (DataType.UInt32, i32, 4096),
        (DataType.UInt16, i16, 2048),
        (DataType.UInt8, i8, 1024),
    ],
)
def test_bytes_of_a_tile_and_the_type_of_the_host(
    data_type: DataType, scalar: Attribute, tile_bytes: int
) -> None:
    tile = TileRecord((32, 32), data_type)
    assert element_bytes(tile) == tile_bytes
    assert scalar_of(tile) == host_type_of(data_type) == scalar


def test_other_tiles() -> None:
    assert element_bytes(TileRecord((16, 32), DataType.BFloat16)) == 1024
    with pytest.raises(LayoutError, match="bfp_bf8 is a format of 32x32 tiles, not of 16x32"):
        element_bytes(TileRecord((16, 32), DataType.BFP_BFloat8))
    with pytest.raises(LayoutError, match="expected 2D shape, got 32"):
        TileRecord((32,), DataType.Float32)


def test_bytes_of_scalars() -> None:
    assert [element_bytes(scalar) for scalar in (f32, bf16, i8, i64, i1)] == [4, 2, 1, 8, 0]
    with pytest.raises(LayoutError, match="index has no size in memory"):
        element_bytes(IndexType())
