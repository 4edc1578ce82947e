"""Verifying a module again and again finds what verifying it once does."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from xdsl.dialects.builtin import ModuleOp, f32, i32
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.rewriter import Rewriter

from ttl.ir.context import make_context
from ttl.ir.parser import parse_text
from ttl.ir.verifier import RepeatedVerification, verify

MODULE = """
func.func @f(%a: i32, %b: f32, %condition: i1) -> i32 {
  %0 = scf.if %condition -> (i32) {
    %1 = arith.addi %a, %a : i32
    scf.yield %1 : i32
  } else {
    scf.yield %a : i32
  }
  return %0 : i32
}
"""


def of_name(module: ModuleOp, name: str) -> Operation:
    return next(op for op in module.walk() if op.name == name)


def _if_of_another_type(module: ModuleOp) -> None:
    Rewriter.replace_value_with_new_type(of_name(module, "scf.if").results[0], f32)


def _function_of_another_type(module: ModuleOp) -> None:
    function = of_name(module, "func.func")
    assert isinstance(function, FuncOp)
    inputs = function.function_type.inputs.data
    function.properties["function_type"] = type(function.function_type).from_lists([*inputs], [f32])


def _nothing_ends_the_branch(module: ModuleOp) -> None:
    of_name(module, "scf.yield").detach()


def _operation_behind_the_end(module: ModuleOp) -> None:
    end = of_name(module, "func.return")
    added = of_name(module, "arith.addi")
    added.detach()
    block = end.parent
    assert block is not None
    block.add_op(added)


def _two_functions_of_one_name(module: ModuleOp) -> None:
    module.body.block.add_op(of_name(module, "func.func").clone())


@pytest.mark.parametrize(
    "change",
    [
        _if_of_another_type,
        _function_of_another_type,
        _nothing_ends_the_branch,
        _operation_behind_the_end,
        _two_functions_of_one_name,
    ],
)
def test_what_a_pass_makes_wrong_is_found(change: Callable[[ModuleOp], None]) -> None:
    module = parse_text(make_context({}), MODULE, "module.mlir")
    verification = RepeatedVerification()
    assert verification.verify(module) == verification.verify(module) == []
    change(module)
    once = [report.message for report in verify(module)]
    again = [report.message for report in verification.verify(module)]
    assert once and again and set(again) <= set(once)


def test_what_is_right_again_is_right() -> None:
    module = parse_text(make_context({}), MODULE, "module.mlir")
    verification = RepeatedVerification()
    assert verification.verify(module) == []
    Rewriter.replace_value_with_new_type(of_name(module, "scf.if").results[0], f32)
    assert verification.verify(module) != []
    Rewriter.replace_value_with_new_type(of_name(module, "scf.if").results[0], i32)
    assert verification.verify(module) == []
