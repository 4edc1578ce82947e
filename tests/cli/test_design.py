"""``ttl design`` and ``ttl why-not``: what they print and write for tile programs, and what they refuse."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from support.programs import run_ttl
from ttl.cli.status import Status

PRODUCT = """
import numpy as np
import ttl
import ttnn


@ttl.tile_operation()
def product(a, b, y):
    for m in ttl.spatial(a.rows):
        for n in ttl.spatial(b.columns):
            total = 0
            for k in ttl.temporal(a.columns, 2):
                total += ttl.load(a[m, k]) @ ttl.load(b[k, n])
            ttl.store(y[m, n], total)


def tensor(*shape):
    return ttnn.Tensor(np.ones(shape, np.float32), ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)


product(tensor(96, 128), tensor(128, 64), tensor(96, 64))
"""
NEST = """
import numpy as np
import ttl
import ttnn


@ttl.tile_operation(
    indexing_maps=["(m, n, k) -> (m, k)", "(m, n, k) -> (k, n)", "(m, n, k) -> (m, n)"],
    iterator_types=["parallel", "parallel", "reduction"],
    block_factors=[None, None, 2],
)
def product(a, b, y):
    return y + a @ b


def tensor(*shape):
    return ttnn.Tensor(np.ones(shape, np.float32), ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)


product(tensor(96, 128), tensor(128, 64), tensor(96, 64))
"""
PROGRAMS = pytest.mark.parametrize("program", [PRODUCT, NEST], ids=["loops", "nest"])


@PROGRAMS
def test_the_plan_is_a_table_and_the_operation_is_source(program: str, tmp_path: Path) -> None:
    (tmp_path / "product.py").write_text(program)
    outcome = run_ttl(["design", "product.py"], folder=tmp_path)
    assert (outcome.status, outcome.stderr) == (Status.OK, "")
    table, _, source = outcome.stdout.partition("\n\n")
    assert table.startswith("product(a: 96x128 bfloat16, b: 128x64 bfloat16, y: 96x64 bfloat16)\n")
    assert all(f"{name}_dfb" in table for name in "aby")
    compile(source, "product", "exec")
    assert source.startswith("@ttl.operation(grid=(")


@PROGRAMS
def test_what_is_kept_computes_the_same(program: str, tmp_path: Path) -> None:
    (tmp_path / "product.py").write_text(program)
    run_ttl(["design", "product.py", "--keep", "test_kept.py"], folder=tmp_path)
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_kept.py"],
        cwd=tmp_path, capture_output=True, text=True,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout
    assert "1 passed" in ran.stdout


def test_a_line_is_explained(tmp_path: Path) -> None:
    (tmp_path / "product.py").write_text(PRODUCT)
    line = next(number for number, text in enumerate(PRODUCT.splitlines(), 1) if "ttl.load(b" in text)
    said = run_ttl(["design", "product.py", "--explain", str(line)], folder=tmp_path).stdout.splitlines()
    assert [text.partition(",")[0] for text in said[:2]] == [
        "comes from a through a_dfb",
        "comes from b through b_dfb",
    ]
    assert (
        run_ttl(["design", "product.py", "--explain", "3"], folder=tmp_path).stdout
        == "the design of product has nothing for line 3 of product.py\n"
    )


@PROGRAMS
def test_another_choice_has_a_price_or_a_rule_against_it(program: str, tmp_path: Path) -> None:
    (tmp_path / "product.py").write_text(program)

    def why_not(*choices: str) -> str:
        outcome = run_ttl(["why-not", "product.py", *choices], folder=tmp_path)
        assert (outcome.status, outcome.stderr) == (Status.OK, "")
        return outcome.stdout

    assert "more than the" in why_not("m=3", "n=2")
    assert "(m=1" in why_not("m=1")
    assert "no plan of this program" in why_not("multicast=yes", "divided=no") or "multicast" in why_not(
        "multicast=yes"
    )
    assert why_not("m=7").startswith("product: TTL1809: m has 3 tiles, which is not a multiple of 7; ")


@PROGRAMS
@pytest.mark.parametrize("choice", ["q=1", "m=x", "multicast=perhaps", "m"])
def test_what_is_no_choice_is_refused_with_those_that_there_are(
    program: str, choice: str, tmp_path: Path
) -> None:
    (tmp_path / "product.py").write_text(program)
    outcome = run_ttl(["why-not", "product.py", choice], folder=tmp_path)
    assert outcome.status == Status.USAGE
    assert "TTL1814" in outcome.stderr
    assert "multicast" in outcome.stderr


def test_a_program_without_tile_programs_says_how_to_write_one(tmp_path: Path) -> None:
    (tmp_path / "empty.py").write_text("import ttl\n")
    outcome = run_ttl(["design", "empty.py"], folder=tmp_path)
    assert (outcome.status, outcome.stderr) == (Status.OK, "")
    assert outcome.stdout.startswith("no tile program is called: write @ttl.tile_operation()")
    assert run_ttl(["why-not", "empty.py", "m=1"], folder=tmp_path).status == Status.FAILED


@pytest.mark.parametrize("arguments", [("design", "product.py"), ("why-not", "product.py", "m=1")])
def test_what_is_wrong_with_a_program_is_said(arguments: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "product.py").write_text(PRODUCT.replace("ttl.load(a[m, k])", "ttl.load(a[m, k, 0])"))
    outcome = run_ttl([*arguments], folder=tmp_path)
    assert outcome.status == Status.FAILED
    assert "product.py:13" in outcome.stderr and "error[TTL18" in outcome.stderr
