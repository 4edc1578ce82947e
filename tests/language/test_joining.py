"""``ttl join``: kernels as one body, which runs with equal results and cycles; and what cannot be."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.programs import run_ttl

HEAD = """\
import numpy as np
import ttl
import ttnn


@ttl.operation(grid=(2, 1))
def run(a, y):
    \"\"\"What it is for.\"\"\"
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))
    x, _ = ttl.node(dims=2)
"""
TAIL = """

generator = np.random.default_rng(0)
values = generator.integers(-8, 8, (64, 128)).astype(np.float32)
on = dict(dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT, device=ttnn.open_device(device_id=0))
y = ttnn.zeros((64, 128), **on)
run(ttnn.Tensor(values, **on), y)
assert np.array_equal(y.numpy(), values * 2), y.numpy() - values * 2
print("ok")
"""
COUNTED = """
    @ttl.datamovement()
    def read():
        # The tiles of a row.
        column = 0
        while column < 4:
            with a_dfb.reserve() as blk:
                ttl.copy(a[x, column], blk).wait()
            column += 1

    @ttl.compute()
    def compute():
        for _ in range(4):
            with a_dfb.wait() as blk, y_dfb.reserve() as out:
                out.store(blk * 2)

    @ttl.datamovement()
    def write():
        column = 0
        while column != 8:
            with y_dfb.wait() as blk:
                ttl.copy(blk, y[x, column // 2]).wait()
            column += 2
"""
ALIKE = """
    @ttl.compute
    def compute():
        for column in range(4):
            with a_dfb.wait() as blk, y_dfb.reserve() as out:
                out.store(blk * 2)

    @ttl.datamovement
    def read():
        for column in range(4):
            last = 4
            with a_dfb.reserve() as blk:
                ttl.copy(a[x, column], blk).wait()

    @ttl.datamovement
    def write():
        for column in range(4):
            last = column
            with y_dfb.wait() as blk:
                ttl.copy(blk, y[x, last]).wait()
"""
SHADOWING = """
    @ttl.datamovement()
    def read():
        y = [a[x, column] for column in range(4)]

        def fill(tile):
            with a_dfb.reserve() as blk:
                ttl.copy(tile, blk).wait()

        for number in range(4):
            fill(y[number])

    @ttl.compute()
    def compute():
        for _ in range(4):
            x, out = a_dfb.wait(), y_dfb.reserve()
            out.store(x * 2)
            x.pop()
            out.push()

    @ttl.datamovement()
    def write():
        for a in range(4):
            with y_dfb.wait() as blk:
                ttl.copy(blk, y[x, a]).wait()
"""


def _joined(text: str, folder: Path) -> str:
    (folder / "kernels.py").write_text(HEAD + text + TAIL)
    outcome = run_ttl(["join", "kernels.py", "-o", "body.py"], folder=folder)
    assert (outcome.status, outcome.stderr) == (0, "")
    cycles = []
    for program in ("kernels.py", "body.py"):
        run = run_ttl(["profile", "-o", "profile.json", program], folder=folder)
        assert (run.status, run.stdout.splitlines()[-1:]) == (0, ["ok"]), run.stderr
        cycles.append(json.loads((folder / "profile.json").read_text())["cycles"])
    assert cycles[0] == cycles[1]
    body = (folder / "body.py").read_text()
    assert "@ttl.compute" not in body and "@ttl.datamovement" not in body
    return body


def test_numbers_that_each_kernel_counts_stay_apart(tmp_path: Path) -> None:
    body = _joined(COUNTED, tmp_path)
    assert body.count("while") == 2
    assert "column_write += 2" in body
    assert "# The tiles of a row." in body


def test_loops_that_kernels_have_alike_become_one(tmp_path: Path) -> None:
    assert _joined(ALIKE, tmp_path).count("for column in range(4)") == 1


def test_a_number_that_kernels_count_alike_is_counted_once(tmp_path: Path) -> None:
    alike = COUNTED.replace("column != 8", "column < 4").replace("column // 2", "column")
    assert _joined(alike.replace("column += 2", "column += 1"), tmp_path).count("column += 1") == 1


def test_names_of_a_kernel_that_hide_those_around_it_become_others(tmp_path: Path) -> None:
    body = _joined(SHADOWING, tmp_path)
    assert "fill(y_read[number])" in body
    assert "out.store(x_compute * 2)" in body
    assert "for a_write in range(4)" in body


def test_a_body_that_is_one_stays_as_it_is(tmp_path: Path) -> None:
    _joined(ALIKE, tmp_path)
    again = run_ttl(["join", "body.py"], folder=tmp_path)
    assert (again.status, again.stdout) == (0, (tmp_path / "body.py").read_text())


def test_what_is_joined_is_divided_into_the_kernels_again(tmp_path: Path) -> None:
    _joined(ALIKE, tmp_path)
    run_ttl(["split", "body.py", "-o", "again.py"], folder=tmp_path)
    run = run_ttl(["run", "again.py"], folder=tmp_path)
    assert (run.status, run.stdout) == (0, "ok\n")


BOTH_WRITE = """
    @ttl.datamovement()
    def read():
        for column in range(4):
            with a_dfb.reserve() as blk:
                ttl.copy(a[x, column], blk).wait()
            with y_dfb.wait() as blk:
                ttl.copy(blk, y[x, column]).wait()
    @ttl.compute()
    def compute():
        for _ in range(4):
            with a_dfb.wait() as blk, y_dfb.reserve() as out:
                out.store(blk * 2)
"""
REFUSED = {
    "returns": (COUNTED.replace("        column = 0\n", "        if x == 5:\n            return\n        column = 0\n", 1), "returns"),
    "assigns": (COUNTED.replace("        # The tiles of a row.", "        nonlocal x"), "assigns a name of the function around it"),
    "parameters": (COUNTED.replace("def read():", "def read(first=0):"), "has parameters with defaults"),
    "condition": (
        COUNTED.replace("    @ttl.compute()\n    def compute():\n        for _ in range(4):\n            with a_dfb.wait() as blk, y_dfb.reserve() as out:\n                out.store(blk * 2)\n",
        "    if True:\n        @ttl.compute()\n        def compute():\n            for _ in range(4):\n                with a_dfb.wait() as blk, y_dfb.reserve() as out:\n                    out.store(blk * 2)\n"),
        "kernel compute is not defined at the top of the body",
    ),
    "movers": (BOTH_WRITE, "its movers divide the work in another way: transfers that touch a tensor"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_joined_says_why(case: str, tmp_path: Path) -> None:
    text, why = REFUSED[case]
    (tmp_path / "kernels.py").write_text(HEAD + text + TAIL)
    outcome = run_ttl(["join", "kernels.py"], folder=tmp_path)
    assert (outcome.status, outcome.stdout) == (1, "")
    assert outcome.stderr.startswith("error[TTL1618]: the kernels of operation run cannot be one body: ")
    assert why in outcome.stderr
