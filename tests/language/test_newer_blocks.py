"""What the newer language has for blocks; computed alike in the simulator and on the emulated chip, or refused alike by runs and checks."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support.programs import run_ttl

PROGRAM = """
import ttl
import ttnn


@ttl.operation(grid=(1, 1))
def op(a, out):
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    o_dfb = ttl.make_dataflow_buffer_like(out, shape=(1, 1))

    @ttl.datamovement()
    def read():
        with a_dfb.reserve() as blk:
            ttl.copy(a[0, 0], blk).wait()

    @ttl.compute()
    def compute():
        with a_dfb.wait() as x, o_dfb.reserve() as o:
            o.store({expression})

    @ttl.datamovement()
    def write():
        with o_dfb.wait() as blk:
            ttl.copy(blk, out[0, 0]).wait()


a = ttnn.ones((32, 32), dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT)
out = ttnn.zeros((32, 32), dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT)
op(a, out)
print(ttnn.to_torch(out).sum().item())
"""
# Of ones, the sum of what is stored.
COMPUTED = {
    "compared": (
        "(x == x * 1) + 2 * (x != 2 * x) + 4 * (1 == x) + 8 * (x != 1) + 16 * ((x == x) == 1)",
        23 * 1024.0,
    ),
    "chosen": ("ttl.block.where(x == 1, 3, x)", 3 * 1024.0),
    # 0.1 in bfloat16 is 0.10009765625.
    "filled": ("x + ttl.block.fill(0.1, shape=(1, 1), dtype=ttnn.bfloat16)", 1126.5),
    "filled with more": (
        "ttl.block.fill(2, (1, 1), ttnn.TILE_LAYOUT, ttnn.float32, (32, 32)) * x",
        2048.0,
    ),
    "transposed": ("ttl.matmul(x, x + 1, transpose_rhs=True) - (x @ ttl.block.transpose(x + 1)) + x", 1024.0),
    "exponential": ("ttl.math.exp(0 * x, skip_clamp_check=True, iterations=8)", 1024.0),
}


@pytest.mark.parametrize("what", COMPUTED)
def test_what_is_computed_is_so_on_the_chip(what: str, tmp_path: Path) -> None:
    expression, total = COMPUTED[what]
    (tmp_path / "program.py").write_text(PROGRAM.format(expression=expression), encoding="utf-8")
    for options in ([], ["--target", "emu", "--compare"]):
        outcome = run_ttl(["run", *options, "program.py"], folder=tmp_path)
        assert outcome.status == 0, outcome.stderr
        assert float(outcome.stdout.splitlines()[0]) == total


REFUSED = {
    "ttl.math.exp(x, iterations=4)": "TTL0432",
    "ttl.math.exp(x, True, 1.0, True)": "TTL0432",
    "ttl.math.exp(x, skip_clamp_check=1)": "TTL0415",
    "ttl.block.fill(1, shape=(1, 1), tile=(16, 32))": "TTL0432",
    "ttl.block.fill(1, shape=(1, 1), dtype='fp12')": "TTL0417",
    "ttl.matmul(x, x, transpose_rhs=2)": "TTL0415",
}


@pytest.mark.parametrize("expression", REFUSED)
def test_what_is_refused_is_so_by_runs_and_checks(expression: str, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM.format(expression=expression), encoding="utf-8")
    said = []
    for command in (["check"], ["run", "--no-check"]):
        outcome = run_ttl([*command, "program.py"], folder=tmp_path)
        said.append(re.findall(r"^error\[(TTL\d+)\]: (.*)\n", outcome.stdout + outcome.stderr, re.MULTILINE))
    assert said[0] == said[1]
    assert [code for code, _ in said[0]] == [REFUSED[expression]]
