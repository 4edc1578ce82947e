"""What the newer language has for blocks; what is not here yet is a strict expected failure that names the gap."""

from __future__ import annotations

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
}


@pytest.mark.parametrize("what", COMPUTED)
def test_what_is_computed_is_so_on_the_chip(what: str, tmp_path: Path) -> None:
    expression, total = COMPUTED[what]
    (tmp_path / "program.py").write_text(PROGRAM.format(expression=expression), encoding="utf-8")
    for options in ([], ["--target", "emu", "--compare"]):
        outcome = run_ttl(["run", *options, "program.py"], folder=tmp_path)
        assert outcome.status == 0, outcome.stderr
        assert float(outcome.stdout.splitlines()[0]) == total


GAPS = {
    "fill": ("x + ttl.block.fill(1, shape=(1, 1), dtype=ttnn.float32)", 2048.0),
    "transposed": ("ttl.matmul(x, x, transpose_rhs=True)", 32768.0),
    "exp": ("ttl.math.exp(0 * x, skip_clamp_check=True, iterations=8)", 1024.0),
}


@pytest.mark.parametrize("gap", GAPS)
@pytest.mark.xfail(strict=True, reason="not in the language here yet; see the functionality matrix")
def test_what_is_missing(gap: str, tmp_path: Path) -> None:
    expression, total = GAPS[gap]
    (tmp_path / "program.py").write_text(PROGRAM.format(expression=expression), encoding="utf-8")
    outcome = run_ttl(["run", "program.py"], folder=tmp_path)
    assert outcome.status == 0, outcome.stderr
    assert float(outcome.stdout) == total
