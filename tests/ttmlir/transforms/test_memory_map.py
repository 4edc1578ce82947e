"""``--memory-map``: what lies where at the worst moment, and an error where it does not fit, before anything runs."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from xdsl.dialects.builtin import ModuleOp

from support.ttmlir_programs import A, T, compiled, function, operation
from support.ttnn_notation import PROGRAMS, Program
from tt_model.attributes.tt_system import SystemDescAttr
from tt_model.layouts.values import LayoutError
from ttmlir.transforms import memory_map as maps
from ttmlir.transforms.memory_map import memory_map, too_large

L1 = "#tt.operand_constraint<l1|scalar|tile|block_sharded|l1_block_sharded>"


def unary(shape: str, constraint: str, count: int = 1) -> ModuleOp:
    body = "".join(
        operation(f"%{i}", "relu", "%a" if i == 0 else f"%{i - 1}", [shape], shape, constraint)
        for i in range(count)
    )
    return compiled(function(f"%a: tensor<{shape}>", shape, body, f"%{count - 1}"))


def test_interleaved_pages_go_round_all_channels() -> None:
    # 64x128 f32 are 2x4 tiles of 4096 bytes: eight channels of twelve have one. The operand lives with the destination, and with
    # the result that is made beside it.
    (moment,) = memory_map(unary("64x128xf32", T))
    assert (moment.memory, moment.operation) == ("DRAM", "ttnn.relu")
    assert len(moment.banks) == 12
    assert [tensor.bytes for tensor in moment.tensors] == [8 * 4096] * 3
    assert moment.reserved == 3 * 4096
    assert list(moment.in_banks().values()) == [3 * 4096] * 8 + [0] * 4


def test_a_step_of_a_conversion_lies_as_it_is_by_then() -> None:
    # bf16 goes to the device in rows, 32 of 8192 bytes, and becomes 128 tiles of 2048 there; both types say tiles.
    body = operation(
        "%0", "transpose", "%a", ["32x4096xbf16"], "4096x32xbf16", T, "dim0 = 0 : si32, dim1 = 1 : si32"
    )
    module = compiled(function("%a: tensor<32x4096xbf16>", "4096x32xbf16", body, "%0"))
    (moment,) = memory_map(module)
    assert moment.operation == "ttnn.to_layout"
    rows, tiles = moment.tensors
    assert (rows.operation, rows.is_tiled, rows.reserved) == ("ttnn.to_device", False, 3 * 8192)
    assert (tiles.operation, tiles.is_tiled, tiles.reserved) == ("ttnn.to_layout", True, 11 * 2048)


def test_rows_are_pages_of_the_last_dimension() -> None:
    # 13 rows of 128 f32 (512 bytes): the first channel has two.
    (moment,) = memory_map(unary("13x128xf32", A))
    rows = moment.tensors[-1]
    assert not rows.is_tiled
    assert (rows.bytes, rows.reserved) == (13 * 512, 2 * 512)
    assert sorted(rows.in_banks.values()) == [512] * 11 + [1024]


def test_short_rows_are_aligned() -> None:
    # Rows of 3 bf16 are 6 bytes, and addresses in DRAM are multiples of 32.
    (moment,) = memory_map(unary("24x3xbf16", A))
    assert moment.tensors[-1].bytes == 24 * 32


def test_shards_lie_on_the_cores_of_their_grid() -> None:
    (moment,) = memory_map(unary("64x128xf32", L1))
    assert moment.memory == "L1"
    assert len(moment.banks) == 64
    assert [tensor.in_banks for tensor in moment.tensors] == [{"0,0": 64 * 128 * 4}] * 3
    assert moment.capacity == 1499136 - 1024 - 32768  # what the runtime keeps for convolutions


def test_memory_that_was_given_back_is_not_counted() -> None:
    # Ten operations one after the other: never more than an operand, a destination and a result at once.
    (short,) = memory_map(unary("64x128xf32", T, 2))
    (long,) = memory_map(unary("64x128xf32", T, 10))
    assert long.reserved == short.reserved == 3 * 4096


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_the_worst_moment_is_the_greatest_sum_of_what_lives(program: Program) -> None:
    # The same by counting at every operation what was made and not yet given back.
    module = compiled(program.text)
    for moment in memory_map(module):
        assert moment.reserved == sum(tensor.reserved for tensor in moment.tensors)
        for tensor in moment.tensors:
            assert sum(tensor.in_banks.values()) == tensor.bytes
            assert max(tensor.in_banks.values()) == tensor.reserved
        assert moment.fits


def test_the_host_has_no_map() -> None:
    program = next(program for program in PROGRAMS if program.name == "zero_on_the_host")
    moments = memory_map(compiled(program.text))
    assert moments == []
    assert maps.text(moments) == "no tensor lies in the memory of the device\n"


def test_what_does_not_fit_is_an_error_that_names_the_tensors() -> None:
    module = unary("1024x1024xf32", L1)
    (moment,) = memory_map(module)
    assert not moment.fits
    (report,) = too_large([moment], module)
    assert report.message == (
        "'ttnn.relu' op in function 'f': 3 tensors need 12582912 bytes of every L1 bank at the same time, but a bank has 1465344"
    )
    assert report.span is not None
    assert report.span.line == 5
    assert [note.message for note in report.notes] == [
        "1024x1024 f32 in tiles, block_sharded: 4194304 bytes, 4194304 of every bank, made by ttnn.to_device at model.mlir:5:8",
        "1024x1024 f32 in rows, block_sharded: 4194304 bytes, 4194304 of every bank, made by ttnn.empty at model.mlir:4:16",
        "1024x1024 f32 in rows, block_sharded: 4194304 bytes, 4194304 of every bank, made by ttnn.relu at model.mlir:5:8",
    ]


def test_the_size_of_a_bank_is_that_of_the_system() -> None:
    module = unary("64x128xf32", T)
    attribute = module.attributes["tt.system_desc"]
    assert isinstance(attribute, SystemDescAttr)
    small = replace(attribute.data.chip_descs[0], dram_unreserved_base=0, dram_unreserved_end=8191)
    module.attributes["tt.system_desc"] = SystemDescAttr(replace(attribute.data, chip_descs=(small,)))
    (moment,) = memory_map(module)
    assert (moment.reserved, moment.capacity, moment.fits) == (3 * 4096, 8191, False)


def test_text_and_json() -> None:
    moments = memory_map(unary("64x128xf32", T))
    assert maps.text(moments) == (
        """function f, DRAM: 12288 of 1073740800 bytes of every bank (0.00%) at ttnn.relu, model.mlir:5:8
  64x128 f32 in tiles, interleaved: 32768 bytes, 4096 of every bank: ttnn.to_device, model.mlir:5:8
  64x128 f32 in tiles, interleaved: 32768 bytes, 4096 of every bank: ttnn.empty, model.mlir:4:16
  64x128 f32 in tiles, interleaved: 32768 bytes, 4096 of every bank: ttnn.relu, model.mlir:5:8
  bytes in bank: 0 to 7: 12288; 8 to 11: 0
"""
    )
    (listed,) = json.loads(maps.as_json(moments))
    assert listed["fits"] is True
    assert listed["in_banks"]["0"] == 12288
    assert listed["tensors"][0]["in_banks"] == {str(bank): 4096 for bank in range(8)}


def test_a_module_without_a_system_says_so() -> None:
    with pytest.raises(LayoutError, match=r"tt\.device and tt\.system_desc"):
        memory_map(ModuleOp([]))
