"""Whole programs through ``--ttir-to-ttnn-backend-pipeline``: every operation, place, layout and end of memory."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import ModuleOp, NameLoc, TensorType
from xdsl.ir import Operation

from support.ttmlir_programs import compiled
from support.ttnn_notation import PROGRAMS, Program, function_of, same_programs, written
from tt_model.attributes.ttnn import TTNNLayoutAttr
from tt_model.operations.elementwise import TTNNMultiplyOp
from tt_model.operations.shared import TTNNTransposeOp
from tt_model.operations.stages import OperationT
from tt_model.operations.ttnn import TTNNConv2dOp, TTNNMaxPool2dOp, TTNNToDeviceOp, TTNNToLayoutOp
from ttl.ir.affine import map_text


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_final_form(program: Program) -> None:
    lines = written(function_of(compiled(program.text), program.function))
    assert same_programs(lines, program.final, program.arguments), "\n".join(lines)


def named(module: ModuleOp, name: str, kind: type[OperationT]) -> list[OperationT]:
    return [op for op in function_of(module, name).body.block.ops if isinstance(op, kind)]


def program(name: str) -> ModuleOp:
    return compiled(next(program.text for program in PROGRAMS if program.name == name))


def test_steps_of_a_change_have_the_type_of_the_whole() -> None:
    layout = "<(d0, d1) -> (d0, d1), <1x1>, memref<2x4x!tt.tile<32x32, f32>, #ttnn.buffer_type<dram>>, interleaved>"
    module = program("multiply")
    (first, *_), (second, *_) = named(module, "f", TTNNToLayoutOp), named(module, "f", TTNNToDeviceOp)
    for op in (first, second):
        assert str(op.result.type) == f"tensor<64x128xf32, #ttnn.ttnn_layout{layout}>"
    (multiply,) = named(module, "f", TTNNMultiplyOp)
    assert "memref<64x128xf32" in str(multiply.result.type)


def test_an_inserted_conversion_has_the_name_of_its_operand() -> None:
    operations = list(function_of(program("subtract_with_broadcast"), "f").body.block.ops)
    names = [name_of(op) for op in operations]
    assert names[:4] == ["sub7_in_0_layout"] * 4
    assert names[4:7] == ["sub7_in_1_layout"] * 3
    assert names[7] is None  # the destination keeps its own place
    assert names[8:14] == ["sub7"] * 6
    assert [op.name for op in operations[8:14]] == [
        "ttnn.empty",
        "ttnn.neg",
        "ttnn.deallocate",
        "ttnn.add",
        "ttnn.deallocate",
        "ttnn.deallocate",
    ]
    assert set(names[14:]) == {None}


def name_of(op: Operation) -> str | None:
    return op.location.desc.data if isinstance(op.location, NameLoc) else None


def test_convolution_reads_flattened_rows() -> None:
    module = program("convolution")
    (op,) = named(module, "f", TTNNConv2dOp)
    values = {one.name: op.value_of(one) for one in op.ROW.attributes}
    assert values == {
        "batch_size": 2,
        "in_channels": 3,
        "out_channels": 8,
        "input_height": 32,
        "input_width": 40,
        "kernel_height": 3,
        "kernel_width": 3,
        "stride_height": 2,
        "stride_width": 2,
        "padding_height": 1,
        "padding_width": 1,
        "dilation_height": 1,
        "dilation_width": 1,
        "groups": 1,
    }
    type = op.input.type
    assert isinstance(type, TensorType)
    assert type.get_shape() == (1, 1, 2560, 3)
    assert isinstance(type.encoding, TTNNLayoutAttr)
    assert map_text(type.encoding.data.linear) == "(d0, d1, d2, d3) -> (d0 * 1280 + d1 * 40 + d2, d3)"
    assert type.encoding.data.memref.shape == (2560, 3)
    output = op.output.type
    assert isinstance(output, TensorType)
    assert output.get_shape() == (1, 1, 640, 8)
    transposes = [(t.dim0, t.dim1) for t in named(module, "f", TTNNTransposeOp)]
    assert transposes == [(1, 2), (2, 3), (2, 3), (1, 2)]


def test_padding_of_pooling_is_that_of_its_own_dimension() -> None:
    (op,) = named(program("pooling"), "f", TTNNMaxPool2dOp)
    assert (op.padding_height, op.padding_width) == (1, 2)
    assert (op.kernel_height, op.kernel_width) == (3, 2)
    assert (op.input_height, op.input_width, op.channels) == (17, 20, 16)
    assert not op.ceil_mode


def test_an_operand_of_a_folded_broadcast_is_small() -> None:
    (op,) = named(program("chain_of_broadcasts"), "f", TTNNMultiplyOp)
    second = op.inputs[1].type
    assert isinstance(second, TensorType)
    assert second.get_shape() == (1, 1)


def test_a_function_that_was_inlined_is_gone() -> None:
    module = program("inlined")
    assert [op.sym_name.data for op in module.body.block.ops] == ["main"]  # type: ignore[attr-defined]
