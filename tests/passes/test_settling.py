"""Passes that go on until nothing changes: work in proportion to the kernel, and loud where they do not end."""

from __future__ import annotations

import sys
from pathlib import Path
from types import FrameType
from unittest import mock

import pytest
from xdsl.dialects.builtin import ModuleOp

from ttl.analysis.fixed_point import iterations
from ttl.codegen.compile import Compiled, compile_module
from ttl.frontend.file import lower_file
from ttl.passes import canonicalize
from ttl.settings import current

_PROGRAM = """
import ttl
import ttnn


@ttl.operation(grid=(1, 1))
def many(x, y):
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 2), block_count=2)
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 2), block_count=2)

    @ttl.datamovement()
    def read():
        with x_dfb.reserve() as x_blk:
            ttl.copy(x[0:1, 0:2], x_blk).wait()

    @ttl.compute()
    def compute():
        with x_dfb.wait() as x_blk:
STORES

    @ttl.datamovement()
    def write():
        for row in range(ROWS):
            with y_dfb.wait() as y_blk:
                ttl.copy(y_blk, y[row : row + 1, 0:2]).wait()


x = ttnn.ones((32, 64), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)
y = ttnn.zeros((ROWS * 32, 64), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)
many(x, y)
"""
_STORE = """
            with y_dfb.reserve() as y_blk:
                sums = ttl.math.reduce_sum(ttl.math.exp(x_blk * K), dims=[1])
                y_blk.store(x_blk + ttl.block.broadcast(sums, dims=[1], shape=(1, 2)))
"""


def lowered(folder: Path, stores: int) -> ModuleOp:
    program = folder / "program.py"
    text = "".join(_STORE.replace("K", str((each + 1) / 64)) for each in range(stores))
    program.write_text(_PROGRAM.replace("STORES", text).replace("ROWS", str(stores)))
    return lower_file(str(program)).module


def calls(module: ModuleOp) -> tuple[Compiled, int]:
    """What is compiled, and how many functions were called for it."""
    count = 0

    def called(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += event == "call"

    sys.setprofile(called)
    try:
        compiled = compile_module(module, current())
    finally:
        sys.setprofile(None)
    return compiled, count


def test_compiling_takes_as_long_as_there_are_stores(tmp_path: Path) -> None:
    few, fewer_calls = calls(lowered(tmp_path, 8))
    many, more_calls = calls(lowered(tmp_path, 32))
    assert not few.diagnostics and not many.diagnostics
    # Before each store was asked again only when it changed, this was 11.
    assert more_calls / fewer_calls < 4.4


def test_turns_that_do_not_end_are_a_mistake_of_ours() -> None:
    with pytest.raises(RuntimeError, match="stirring kept changing for 3 iterations"):
        for _ in iterations("stirring", 3):
            pass
    for turn in iterations("stirring", 3):
        if turn == 2:
            break


def test_a_pass_that_does_not_settle_says_so_at_the_operation(tmp_path: Path) -> None:
    module = lowered(tmp_path, 1)
    with mock.patch.object(canonicalize, "simplify", return_value=True):
        (finding,) = compile_module(module, current()).diagnostics
    assert finding.code == "TTL9001"
    assert "canonicalization kept changing for 200 iterations" in finding.message
    assert finding.help[0].startswith("please report it")
