"""Numbers that the chip cannot compare with elements without a sign: the advice is for the loop they come from."""

from __future__ import annotations

from pathlib import Path

import pytest

from ttl import settings
from ttl.codegen.compile import compile_module
from ttl.diag import Diagnostic
from ttl.frontend.file import lower_file

PROGRAM = """
import ttl
import ttnn

@ttl.example(ttl.TensorSpec((32, 128), ttnn.uint32), ttl.TensorSpec((32, 128), ttnn.uint32))
@ttl.operation(grid=(1, 2))
def above(a, y):
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))
    node = ttl.node(dims=1)

    @ttl.datamovement()
    def read():
        for i in range(4):
            with a_dfb.reserve() as blk:
                ttl.copy(a[0, i], blk).wait()

    @ttl.compute()
    def compute():
        for i in LOOP:
            with a_dfb.wait() as a_blk, y_dfb.reserve() as y_blk:
                y_blk.store(a_blk > NUMBER)

    @ttl.datamovement()
    def write():
        for i in range(4):
            with y_dfb.wait() as blk:
                ttl.copy(blk, y[0, i]).wait()
"""
WRITTEN_OUT = "or unroll the loop, so that the number is known in each iteration: for ... in list(range(n)):"


def found(tmp_path: Path, loop: str, number: str) -> list[Diagnostic]:
    program = tmp_path / "mine.py"
    program.write_text(PROGRAM.replace("LOOP", loop).replace("NUMBER", number))
    return list(compile_module(lower_file(str(program)).module, settings.current()).diagnostics)


def test_a_counter_of_known_turns_may_be_written_out(tmp_path: Path) -> None:
    (finding,) = found(tmp_path, "range(4)", "2 * i")
    assert (finding.code, finding.help[-1]) == ("TTL1452", WRITTEN_OUT)
    assert found(tmp_path, "list(range(4))", "2 * i") == []


@pytest.mark.parametrize("number", ["node", "i + node"])
def test_what_the_node_alone_knows_is_not_known_by_writing_a_loop_out(tmp_path: Path, number: str) -> None:
    (finding,) = found(tmp_path, "range(4)", number)
    assert (finding.code, len(finding.help)) == ("TTL1452", 1)
