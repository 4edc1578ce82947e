"""``kernel=`` of ``ttl.compute`` and ``ttl.datamovement`` (newer language, section 8): kernels with names, and calls that say whose they are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.programs import run_program, run_ttl

PROGRAM = """
import ttl
import ttnn

READER, WRITER = (ttl.Kernel(ttl.KernelKind.DATA_MOVEMENT) for _ in range(2))
MATH = ttl.Kernel(ttl.KernelKind.COMPUTE)


@ttl.extern("count")
def count():
    return 4


@ttl.operation(grid=(1, 1))
def double(x, y):
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))

    @ttl.datamovement(kernel=READER)
    def read():
        ttl.call_extern_func("count.h", "count", kernel=READER)
        with x_dfb.reserve() as blk:
            ttl.copy(x[0, 0], blk).wait()

    @ttl.compute(kernel=MATH)
    def compute():
        with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
            y_blk.store(2 * x_blk)

    @ttl.datamovement(kernel=WRITER)
    def write():
        with y_dfb.wait() as blk:
            ttl.copy(blk, y[0, 0]).wait()


x = ttnn.ones((32, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)
y = ttnn.zeros((32, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)
double(x, y)
print(y.numpy().sum())
"""
HEADER = "#pragma once\n#include <cstdint>\n\ninline void count() {}\n"
# What is replaced by what, the code, and the message.
REFUSED = {
    "another kind": ("(kernel=READER)", "(kernel=MATH)", "TTL0270", "kernel= of @ttl.datamovement() names a compute kernel"),
    "a kind": ("(kernel=MATH)", "(kernel=ttl.KernelKind.COMPUTE)", "TTL0270", "kernel= of @ttl.compute() is "),
    "the same twice": ("(kernel=WRITER)", "(kernel=READER)", "TTL0270", "kernels read and write have the same ttl.Kernel"),
    "a call in another": ('count", kernel=READER', 'count", kernel=WRITER', "TTL0265", "count is for kernel write, which its kernel= names, and called in data movement kernel read"),
    "with another argument": ("(kernel=MATH)", "(kernle=MATH)", "TTL0223", "ttl.compute(): it has no argument kernle"),
}  # fmt: skip


@pytest.mark.parametrize("how", ["run", "check", "emu", "core"])
def test_kernels_have_names(how: str, tmp_path: Path) -> None:
    """Which are nothing else than names: results and kernels are as without."""
    (tmp_path / "count.h").write_text(HEADER)
    if how == "check":
        (tmp_path / "example.py").write_text(PROGRAM)
        assert "nothing found" in run_ttl(["check", "example.py"], folder=tmp_path).stdout
        return
    flags = ["--target", "emu"] if how == "emu" else []
    said = run_program(PROGRAM, folder=tmp_path, flags=flags, check="auto" if how == "core" else "off")
    assert (said.stdout, said.stderr) == ("2048.0\n", "")


@pytest.mark.parametrize("mistake", REFUSED)
def test_a_name_is_one_of_a_kernel_of_its_kind(mistake: str, tmp_path: Path) -> None:
    """By runs and checks alike."""
    before, after, code, message = REFUSED[mistake]
    (tmp_path / "count.h").write_text(HEADER)
    text = PROGRAM.replace(before, after)
    ran = run_program(text, folder=tmp_path, flags=["--format", "json"], check="off")
    checked = json.loads(run_ttl(["check", "--format", "json", "example.py"], folder=tmp_path).stdout)
    findings = [json.loads(ran.stderr.splitlines()[0]), checked["diagnostics"][0]]
    for finding in findings:
        assert finding["code"] == code
        assert finding["message"].startswith(message)
    assert findings[0]["primary"] == findings[1]["primary"]


def test_names_in_operations_that_are_called_and_joined(tmp_path: Path) -> None:
    """Their kernels become parts of others; ``ttl join`` says why it leaves them alone."""
    call = (
        "\n\n@ttl.operation(grid=(1, 1))\ndef around(x, y):\n    double(x, y)\n    double(y, x)\n\n\n"
        "around(x, y)\n"
    )
    said = run_program(PROGRAM + call, folder=tmp_path, check="off")
    assert "error[TTL0270]: kernel read of an operation that is called has kernel=" in said.stderr
    (tmp_path / "example.py").write_text(PROGRAM)
    joined = run_ttl(["join", "example.py"], folder=tmp_path)
    assert "has kernel=, which names it elsewhere" in joined.stderr
