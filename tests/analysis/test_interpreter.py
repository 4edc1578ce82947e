"""Kernels run operation by operation: numbers, loops, branches, and kernels that stop to wait."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from ttl.analysis.interpreter import Interpreter, KernelInterpreter, in_steps, wait
from ttl.dialects.text import parse_module
from ttl.dialects.ttkernel import KernelCallOp, KernelOp

COUNTING = """
ttkernel.program @p() grid <1x1> {
  ttkernel.circular_buffer @a index 0 pages 2 of 2048 bytes : !ttl.tile<32x32, bf16> by user
  ttkernel.kernel @read noc on ncrisc noc 0 {
    %a = ttkernel.get_cb @a : !ttkernel.cb<2, !ttl.tile<32x32, bf16>>
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %seven = arith.constant -7 : index
    %three = arith.constant 3 : index
    %quotient = arith.divsi %seven, %three : index
    %floored = arith.floordivsi %seven, %three : index
    %sum = scf.for %i = %zero to %three step %one iter_args(%so_far = %floored) -> (index) {
      %true = arith.constant true
      %two = arith.constant 2 : index
      %last = arith.cmpi eq, %i, %two : index
      %other = arith.xori %last, %true : i1
      %more = scf.if %other -> (index) {
        ttkernel.cb_reserve_back %a, %one : <2, !ttl.tile<32x32, bf16>>
        scf.yield %i : index
      } else {
        scf.yield %quotient : index
      }
      %next = arith.addi %so_far, %more : index
      scf.yield %next : index
    }
    ttkernel.cb_push_back %a, %sum : <2, !ttl.tile<32x32, bf16>>
  }
}
"""


class Counting(KernelInterpreter):
    """Every call waits once."""

    def __init__(self) -> None:
        super().__init__()
        self.called: list[tuple[str, Any]] = []

    def buffer(self, name: str) -> str:
        return name

    def call(self, op: KernelCallOp, given: Sequence[Any]) -> None:
        wait(op.call.name)
        self.called.append((op.call.name, *given))  # type: ignore[arg-type]


def kernel() -> KernelOp:
    (found,) = (op for op in parse_module(COUNTING, "count.mlir").walk() if isinstance(op, KernelOp))
    return found


def test_a_kernel_stops_in_the_middle_of_its_calls() -> None:
    counting, body = Counting(), kernel().body.block
    steps = in_steps(lambda: counting.block(body))
    assert next(steps) == "cb_reserve_back" and counting.called == []
    assert list(steps) == ["cb_reserve_back", "cb_push_back"]
    # -7 // 3 is -3, and -7 by 3 towards zero -2: -3 + 0 + 1 - 2.
    assert counting.called == [*[("cb_reserve_back", "a", 1)] * 2, ("cb_push_back", "a", -4)]


def test_several_kernels_take_turns() -> None:
    both = [Counting(), Counting()]
    steps = [in_steps(lambda one=one: one.block(kernel().body.block)) for one in both]
    reasons = [next(one) for _ in range(2) for one in steps]
    assert reasons == ["cb_reserve_back"] * 4
    assert [len(one.called) for one in both] == [1, 1]
    assert [list(one) for one in steps] == [["cb_push_back"]] * 2


def test_a_failure_goes_to_whoever_lets_it_run() -> None:
    def fails() -> None:
        wait("once")
        raise ValueError("here")

    steps = in_steps(fails)
    assert next(steps) == "once"
    with pytest.raises(ValueError, match="here"):
        next(steps)


def test_what_nobody_runs_is_said() -> None:
    (op, *_) = kernel().body.block.ops
    with pytest.raises(NotImplementedError, match=r"ttkernel\.get_cb"):
        Interpreter().run(op)
