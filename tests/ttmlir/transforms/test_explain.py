"""``--explain``: every tensor says why it lies as it does, every conversion what asked for it."""

from __future__ import annotations

import json

import pytest
from xdsl.dialects.builtin import ModuleOp

from support.ttmlir_programs import A, T, compiled, function, operation
from support.ttnn_notation import PROGRAMS, Program
from tt_model.layouts.enums import OperandConstraint
from tt_model.operations.explanation import EXPLANATION, Explanation, why


def explained(text: str) -> tuple[Explanation, ModuleOp]:
    explanation = Explanation()
    with EXPLANATION.given(explanation):
        module = compiled(text)
    return explanation, module


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_every_tensor_has_a_reason(program: Program) -> None:
    explanation, module = explained(program.text)
    tensors = list(explanation.tensors(module))
    assert tensors
    assert [tensor for tensor in tensors if not tensor.reasons] == []


def test_the_text_says_bits_forced_pages_and_steps() -> None:
    text = function(
        "%a: tensor<64x96xf32>",
        "64x96xf32",
        operation("%0", "relu", "%a", ["64x96xf32"], "64x96xf32", A),
        "%0",
    )
    explanation, module = explained(text)
    assert explanation.text(module) == (
        """function f
  model.mlir:3:1: argument 64x96: host, rows 64x96 of f32
    arguments of functions arrive in memory of the host
  model.mlir:5:8: ttnn.to_layout 64x96: DRAM, interleaved, 2x3 tiles 32x32 of f32, on 1x1 cores
    ttnn-layout: operand #0 of ttir.relu is on DRAM, because dram is allowed; interleaved, because that is allowed; rows, because scalar is allowed
    convert-ttir-to-ttnn: tiles, because no user needs rows (ttir.conv2d, ttir.max_pool2d, ttir.embedding do, and ttir.slice before none that takes tiles)
    ttnn-decompose-layouts: to_layout on the host, to convert it to tiles of f32
    ttnn-decompose-layouts: to_device, because the result is on the device
  model.mlir:4:16: ttnn.empty 64x96: DRAM, interleaved, rows 64x96 of f32, on 1x1 cores
    ttnn-layout: the destination of ttir.relu is on DRAM, because dram is allowed; interleaved, because that is allowed; rows, because scalar is allowed
  model.mlir:5:8: ttnn.relu 64x96: DRAM, interleaved, rows 64x96 of f32, on 1x1 cores
    ttnn-layout: the destination of ttir.relu is on DRAM, because dram is allowed; interleaved, because that is allowed; rows, because scalar is allowed
  model.mlir:6:3: ttnn.from_device 64x96: host, rows 64x96 of f32
    ttnn-layout: operand #0 of func.return: functions take and return tensors on the host
    ttnn-decompose-layouts: from_device, because the result is on the host
    ttnn-decompose-layouts: to_layout on the host, to convert it to rows of f32
"""
    )


def test_a_user_that_reads_rows_is_named() -> None:
    program = next(program for program in PROGRAMS if program.name == "slice_reads_rows")
    explanation, module = explained(program.text)
    assert "convert-ttir-to-ttnn: rows, because ttir.slice reads it, which needs rows" in explanation.text(
        module
    )


def test_json_has_an_object_for_each_tensor() -> None:
    program = next(program for program in PROGRAMS if program.name == "multiply")
    explanation, module = explained(program.text)
    tensors = json.loads(explanation.json(module))
    assert [tensor["operation"] for tensor in tensors[:3]] == ["argument", "argument", "ttnn.to_layout"]
    assert set(tensors[0]) == {
        "function",
        "name",
        "place",
        "operation",
        "shape",
        "layout",
        "reasons",
        "candidates",
    }


@pytest.mark.parametrize(
    ("constraint", "words"),
    [
        (OperandConstraint.AnyDevice, "DRAM, because dram is allowed; interleaved, because that is allowed; rows, because scalar is allowed"),
        (OperandConstraint.L1BlockSharded, "L1, because l1 is allowed and dram is not; block_sharded, the first that is allowed; rows, because scalar is allowed"),
        (OperandConstraint.System, "host, because neither dram nor l1 is allowed"),
        (OperandConstraint.DRAM | OperandConstraint.Tile, "DRAM, because dram is allowed; no memory layout, because none is allowed; tiles, because scalar is not allowed"),
    ],
)  # fmt: skip
def test_what_bits_decide(constraint: OperandConstraint, words: str) -> None:
    assert why(constraint) == words


def test_nobody_asks_and_nothing_is_kept() -> None:
    explanation = Explanation()
    module = compiled(
        function(
            "%a: tensor<64x96xf32>",
            "64x96xf32",
            operation("%0", "relu", "%a", ["64x96xf32"], "64x96xf32", T),
            "%0",
        )
    )
    assert EXPLANATION.get() is None
    assert all(not tensor.reasons for tensor in explanation.tensors(module) if tensor.operation != "argument")
