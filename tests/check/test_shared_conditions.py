"""Conditions whose values are computed from each other many times over."""

from __future__ import annotations

from pathlib import Path

from fuzz.bounded import limits
from ttl.check.module import check_module
from ttl.frontend.file import lower_file

PROGRAM = """
import ttnn
import ttl


@ttl.operation(grid=(1, 4))
def op(x):
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))

    @ttl.datamovement()
    def read():
        _, n = ttl.node()
        for i in range(n + 2):
            value = n + i
            STEPS
            if value > 3:
                with x_dfb.reserve() as blk:
                    ttl.copy(x[0, 0], blk).wait()

    @ttl.datamovement()
    def write():
        _, n = ttl.node()
        for i in range(n + 2):
            value = n + i
            STEPS
            if value > 3:
                with x_dfb.wait() as blk:
                    ttl.copy(blk, x[0, 0]).wait()


op(ttnn.ones((32, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT))
"""


def test_a_value_that_is_used_twice_at_each_of_sixty_steps_is_looked_at_once(tmp_path: Path) -> None:
    steps = "\n            ".join(["value = (value * value + value) % 1000"] * 60)
    program = tmp_path / "program.py"
    program.write_text(PROGRAM.replace("STEPS", steps), encoding="utf-8")
    lowered = lower_file(str(program))
    assert not lowered.diagnostics
    with limits(20.0):
        found = check_module(lowered.module)
    assert [item.code for item in found if item.code.startswith("TTL09")] == []
