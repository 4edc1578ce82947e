"""Emitted kernels need no more than kernels written by hand: the counts of docs/reference/code-quality.md."""

from __future__ import annotations

import pytest

from support.code_quality import (
    BY_HAND,
    barriers_per_block,
    capacity,
    counts_of,
    hoistable,
    registers,
    reviewed,
)
from support.golden import PROGRAMS
from ttl.dialects.text import parse_module
from ttl.dialects.ttkernel import KernelOp


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_needs_no_more_than_by_hand(name: str) -> None:
    program = reviewed(name)
    found, hand = counts_of(program), BY_HAND[name]
    assert found.round_trips <= hand.round_trips
    assert found.hoistable == 0
    assert found.barriers <= hand.barriers
    assert found.registers >= (capacity(program) if hand.registers is None else hand.registers)


# --- the counts themselves ---

_PROGRAM = """
ttkernel.program @p() grid <1x1> {{
  ttkernel.circular_buffer @a_dfb index 0 pages 4 of 2048 bytes : !ttl.tile<32x32, bf16> by user
  ttkernel.kernel @kernel {thread} {{
    %a = ttkernel.get_cb @a_dfb : !ttkernel.cb<4, !ttl.tile<32x32, bf16>>
    %0 = arith.constant 0 : index
    %1 = arith.constant 1 : index
    %2 = arith.constant 2 : index
    {before}
    scf.for %i = %0 to %2 step %1 {{
      {inside}
      scf.for %k = %0 to %2 step %1 {{
        %first = arith.muli %i, %2 : index
        %d = arith.addi %first, %k : index
        {innermost}
      }}
    }}
  }}
}}
"""
_CB = "<4, !ttl.tile<32x32, bf16>>"
_COPY_INIT, _COPY = f"ttkernel.copy_tile_init %a : {_CB}\n", f"ttkernel.copy_tile %a, %k, %d : {_CB}\n"
_MUL_INIT = f"ttkernel.mul_tiles_init %a, %a : {_CB}, {_CB}\n"
_MATMUL = f"ttkernel.matmul_block %a, %a, %0, %0, %2 {{rt = 2 : i64, ct = 3 : i64, kt = 1 : i64, transpose = false}} : {_CB}, {_CB}\n"


def kernel(before: str = "", inside: str = "", innermost: str = "", thread: str = "tensix") -> KernelOp:
    text = _PROGRAM.format(before=before, inside=inside, innermost=innermost, thread=thread)
    (found,) = (op for op in parse_module(text).walk() if isinstance(op, KernelOp))
    return found


@pytest.mark.parametrize(
    ("before", "inside", "innermost", "calls"),
    [
        ("", _COPY_INIT, _COPY, ["copy_tile_init"]),
        (_COPY_INIT, "", _COPY, []),
        ("", _COPY_INIT, _MUL_INIT, ["mul_tiles_init"]),
        ("", _COPY_INIT + _MUL_INIT, "", []),
    ],
    ids=["hoistable", "before the loop", "of the inner loop", "taking turns"],
)
def test_inits_that_could_stand_before_their_loop(
    before: str, inside: str, innermost: str, calls: list[str]
) -> None:
    assert list(hoistable(kernel(before, inside, innermost))) == calls


def test_registers_are_counted_through_loops() -> None:
    assert registers(kernel(innermost=_COPY)) == 4
    assert registers(kernel(inside=_MATMUL)) == 8


def test_barriers_are_counted_up_to_the_last_block() -> None:
    block = f"ttkernel.noc_async_read_barrier\nttkernel.cb_push_back %a, %1 : {_CB}\nttkernel.cb_push_back %a, %1 : {_CB}\n"
    moving = "noc on ncrisc noc 0"
    assert barriers_per_block(kernel(inside=block, thread=moving)) == 0.5
    assert barriers_per_block(kernel("ttkernel.noc_async_write_barrier", thread=moving)) is None
