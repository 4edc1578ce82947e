"""Operand constraints: bits, words, alias, and what the layout pass makes of them. Facts §1.3, §1.4, §3.3."""

from __future__ import annotations

import pytest

from tt_model.layouts.enums import (
    BufferType,
    CBPort,
    DataType,
    MemorySpace,
    OperandConstraint,
    TensorMemoryLayout,
)

BITS = "none|interleaved|single_bank|height_sharded|width_sharded|block_sharded"


@pytest.mark.parametrize(
    ("constraint", "text"),
    [
        (
            OperandConstraint.AnyDevice,
            f"dram|l1|scalar|tile|{BITS}|any_layout|any_device|any_device_tile|l1_block_sharded",
        ),
        (OperandConstraint.L1BlockSharded, "l1|scalar|tile|block_sharded|l1_block_sharded"),
        (
            OperandConstraint.Any,
            f"system|dram|l1|scalar|tile|{BITS}|any_layout|any|any_device|any_device_tile|l1_block_sharded",
        ),
        (OperandConstraint.AnyDeviceTile, f"dram|l1|tile|{BITS}|any_layout|any_device_tile"),
        (OperandConstraint.DRAM | OperandConstraint.L1 | OperandConstraint.Tile, "dram|l1|tile"),
        (OperandConstraint.AnyLayout, f"{BITS}|any_layout"),
    ],
)
def test_every_bit_and_every_group_is_printed(constraint: OperandConstraint, text: str) -> None:
    assert constraint.keyword == text


@pytest.mark.parametrize(
    ("value", "alias"),
    [
        (2047, "any"),
        (2046, "any_device"),
        (2038, "any_device_tile"),
        (1052, "l1_block_sharded"),
        (2016, "operand_constraint"),
        (22, "operand_constraint"),
    ],
)
def test_the_alias_is_the_group_that_it_is(value: int, alias: str) -> None:
    assert OperandConstraint(value).alias == alias


@pytest.mark.parametrize(
    ("words", "space", "memory_layout", "tiled"),
    [
        (("any",), BufferType.DRAM, TensorMemoryLayout.Interleaved, False),
        (("any_device_tile",), BufferType.DRAM, TensorMemoryLayout.Interleaved, True),
        # A constraint written by hand has no layout bits.
        (("dram", "l1", "tile"), BufferType.DRAM, TensorMemoryLayout.None_, True),
        (("l1_block_sharded",), BufferType.L1, TensorMemoryLayout.BlockSharded, False),
        (("l1", "width_sharded", "height_sharded"), BufferType.L1, TensorMemoryLayout.HeightSharded, True),
        (("system", "interleaved", "scalar"), BufferType.SystemMemory, TensorMemoryLayout.None_, False),
        (("dram", "single_bank", "block_sharded"), BufferType.DRAM, TensorMemoryLayout.SingleBank, True),
    ],
)
def test_where_an_operand_goes(
    words: tuple[str, ...], space: BufferType, memory_layout: TensorMemoryLayout, tiled: bool
) -> None:
    constraint = OperandConstraint(0)
    for word in words:
        constraint |= OperandConstraint.from_keyword(word)
    assert (constraint.buffer_type, constraint.memory_layout, constraint.is_tiled) == (
        space,
        memory_layout,
        tiled,
    )


def test_numbers_of_the_enumerations() -> None:
    assert [int(member) for member in DataType] == list(range(12))
    assert DataType.from_keyword("bfp_bf4") == 6
    assert MemorySpace.from_keyword("mmio") is MemorySpace.SystemMMIO
    assert [member.keyword for member in CBPort][7:9] == ["cb_in7", "cb_dfl0"]
    assert CBPort.from_keyword("cb_int7") == 31
    assert MemorySpace.SystemMMIO != BufferType.L1
    assert MemorySpace.SystemMMIO == 1
    with pytest.raises(ValueError, match="no DataType is called f64; there are f32, f16, bf16"):
        DataType.from_keyword("f64")
    with pytest.raises(ValueError, match="no OperandConstraint is called host; there are system, dram"):
        OperandConstraint.from_keyword("host")
