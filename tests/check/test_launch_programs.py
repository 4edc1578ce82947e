"""``ttl run`` with the real front end and the real checks: what a first and a second run of a program do."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import ttl.diag
from support.programs import run_ttl
from ttl.cli.status import Status

SOURCE = Path(ttl.diag.__file__).parent.parent.parent

PROGRAM = """
import ttl
import ttnn


@ttl.operation(grid=(1, 1))
def double(x, y):
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))

    @ttl.datamovement()
    def read():
        with x_dfb.reserve() as x_blk:
            ttl.copy(x[0, 0], x_blk).wait()

    @ttl.compute()
    def compute():
        with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
            y_blk.store(x_blk * 2)

    @ttl.datamovement()
    def write():
        with y_dfb.wait() as y_blk:
            ttl.copy(y_blk, y[0, 0]).wait()


x = ttnn.ones((32, 32), dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT)
y = ttnn.zeros_like(x)
double(x, y)
"""
SAYS_WHAT_WAS_LOADED = """
import sys
print(*sorted({name.partition(".")[0] for name in sys.modules} & {"xdsl"}))
"""


def python(folder: Path, source: str, **environment: str) -> subprocess.CompletedProcess[str]:
    (folder / "mine.py").write_text(source, encoding="utf-8")
    return subprocess.run(
        [sys.executable, "mine.py"],
        cwd=folder,
        env={
            "PYTHONPATH": str(SOURCE),
            "TTL_CACHE_DIR": str(folder / "kept"),
            "TTL_CHECK": "on",
            **environment,
        },
        capture_output=True,
        text=True,
    )


def test_a_second_run_does_not_even_load_the_compiler(tmp_path: Path) -> None:
    first = python(tmp_path, PROGRAM + SAYS_WHAT_WAS_LOADED)
    second = python(tmp_path, PROGRAM + SAYS_WHAT_WAS_LOADED)
    assert (first.stdout, first.stderr) == ("xdsl\n", "")
    assert (second.stdout, second.stderr) == ("\n", "")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x_blk * 2", "x_blk * 3"),
        ("ttnn.ones((32, 32)", "ttnn.ones((64, 32)"),
        ("dtype=ttnn.float32", "dtype=ttnn.bfloat16"),
    ],
)
def test_another_program_or_kind_of_argument_is_checked(before: str, after: str, tmp_path: Path) -> None:
    python(tmp_path, PROGRAM)
    assert python(tmp_path, PROGRAM.replace(before, after) + SAYS_WHAT_WAS_LOADED).stdout == "xdsl\n"


def test_a_mistake_is_found_before_anything_runs(tmp_path: Path) -> None:
    wrong = PROGRAM.replace(
        "ttl.copy(x[0, 0], x_blk)", 'print("ran")\n            ttl.copy(x[0, 0:2], x_blk)'
    )
    wrong = wrong.replace("ones((32, 32)", "ones((32, 64)")
    (tmp_path / "mine.py").write_text(wrong, encoding="utf-8")
    checked = run_ttl(["run", "--check", "mine.py"], folder=tmp_path)
    plain = run_ttl(["run", "--no-check", "mine.py"], folder=tmp_path)
    assert (checked.status, plain.status) == (Status.FAILED, Status.FAILED)
    assert (checked.stdout, plain.stdout) == ("", "ran\n")
    assert checked.stderr[:14] == plain.stderr[:14] == "error[TTL0515]"


def test_ttl_check_finds_it_without_running(tmp_path: Path) -> None:
    wrong = PROGRAM.replace("x[0, 0], x_blk", "x[0, 0:2], x_blk").replace("ones((32, 32)", "ones((32, 64)")
    (tmp_path / "mine.py").write_text(wrong + "print('ran')\n", encoding="utf-8")
    outcome = run_ttl(["check", "mine.py"], folder=tmp_path)
    assert (outcome.status, outcome.stderr) == (Status.FAILED, "")
    assert outcome.stdout.startswith("error[TTL0515]")
    assert outcome.stdout.endswith("checked 1 file, 1 operation, 1 specialisation: 1 error\n")


def test_a_run_with_strict_says_once_what_is_missing(tmp_path: Path) -> None:
    missing = PROGRAM.replace(
        "with x_dfb.reserve() as x_blk:\n            ", "x_blk = x_dfb.reserve()\n        "
    )
    assert missing != PROGRAM
    (tmp_path / "mine.py").write_text(missing, encoding="utf-8")
    assert run_ttl(["run", "mine.py"], folder=tmp_path).stderr == ""
    ran = run_ttl(["run", "--strict", "mine.py"], folder=tmp_path)
    assert ran.status == Status.FAILED
    assert [line[:14] for line in ran.stderr.splitlines() if line[:5] in ("error", "warni")] == [
        "error[TTL0901]"
    ]
    checked = run_ttl(["check", "--strict", "mine.py"], folder=tmp_path)
    assert checked.status == Status.FAILED and checked.stdout.startswith("warning[TTL0340]")


def test_ttl_check_repairs_an_older_spelling(tmp_path: Path) -> None:
    older = PROGRAM.replace("@ttl.operation(", "@ttl.kernel(")
    (tmp_path / "mine.py").write_text(older, encoding="utf-8")
    assert run_ttl(["check", "mine.py"], folder=tmp_path).status == Status.OK
    assert run_ttl(["check", "--strict", "mine.py"], folder=tmp_path).status == Status.FAILED
    assert run_ttl(["check", "--fix", "mine.py"], folder=tmp_path).status == Status.OK
    assert (tmp_path / "mine.py").read_text(encoding="utf-8") == PROGRAM


def test_ttl_compile_prints_the_operation(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(PROGRAM, encoding="utf-8")
    outcome = run_ttl(["compile", "mine.py", "--emit", "ttl"], folder=tmp_path)
    assert (outcome.status, outcome.stderr) == (Status.OK, "")
    assert "ttl.operation @double" in outcome.stdout
    assert "loc(" not in outcome.stdout
    assert (
        "mine.py"
        in run_ttl(["compile", "mine.py", "--emit", "ttl", "--print-debuginfo"], folder=tmp_path).stdout
    )
