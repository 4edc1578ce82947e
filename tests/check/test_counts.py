"""``range`` of what is no number: a check says what a run says."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.programs import run_ttl

PROGRAM = """
import ttl
import ttnn


@ttl.operation(grid=(1, 1))
def op(x):
    a = ttl.make_dataflow_buffer_like(x, shape=(1, 1))

    @ttl.compute()
    def compute():
        with a.wait() as b:
            for i in range({}):
                pass

    @ttl.datamovement()
    def read():
        with a.reserve() as blk:
            ttl.copy(x[0, 0], blk).wait()


op(ttnn.ones((32, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT))
"""


@pytest.mark.parametrize(
    ("count", "said"),
    [
        ("a", "TTL0225]: a dataflow buffer is not a Python number"),
        ("b", "TTL0225]: a block is not a Python number"),
        ("b + 1", "TTL0225]: a block expression is not a Python number"),
        ("None", "TTL0239]: range() takes ints, not None"),
        ("'3'", "TTL0239]: range() takes ints, not text"),
        ("x", "TTL0239]: range() takes ints, not a tensor"),
        ("x.shape", "TTL0239]: range() takes ints, not a shape"),
        ("2.5", "TTL0239]: range() takes ints, not a float"),
    ],
)
def test_a_check_and_a_run_say_the_same(count: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM.format(count), encoding="utf-8")
    check = run_ttl(["check", "program.py"], folder=tmp_path)
    run = run_ttl(["run", "--no-check", "program.py"], folder=tmp_path)
    assert said in check.stdout + check.stderr
    assert said in run.stderr
