"""``ttl compile``: the dialect on standard output or in a file, what is said beside it, and wrong command lines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.checker import Checker, installed
from support.programs import Outcome, run_ttl
from ttl.cli.status import Status


@pytest.fixture(autouse=True)
def checker() -> Iterator[Checker]:
    with installed() as found:
        yield found


def compile(folder: Path, *arguments: str, text: str = "# @ttl.operation\n") -> Outcome:
    (folder / "mine.py").write_text(text, encoding="utf-8")
    return run_ttl(["compile", *arguments], folder=folder)


def test_it_prints_the_dialect(tmp_path: Path) -> None:
    assert compile(tmp_path, "mine.py", "--emit", "ttl") == Outcome(
        status=0, stdout="builtin.module {False}\n", stderr=""
    )
    assert (
        compile(tmp_path, "--emit", "ttl", "--print-debuginfo", "mine.py").stdout == "builtin.module {True}\n"
    )


def test_it_writes_a_file(tmp_path: Path) -> None:
    assert compile(tmp_path, "mine.py", "--emit", "ttl", "-o", "mine.mlir") == Outcome(
        status=0, stdout="", stderr=""
    )
    assert (tmp_path / "mine.mlir").read_text() == "builtin.module {False}\n"
    assert compile(tmp_path, "mine.py", "--emit", "ttl", "-o", "-").stdout == "builtin.module {False}\n"


def test_every_step_is_shown_on_the_side(tmp_path: Path) -> None:
    outcome = compile(tmp_path, "mine.py", "--emit", "ttl", "--print-ir-after-all")
    assert outcome.stdout == "builtin.module {False}\n"
    assert outcome.stderr == "// -----// IR after the front end //----- //\nbuiltin.module {False}\n"


def test_what_cannot_be_compiled_is_said_and_the_rest_printed(tmp_path: Path) -> None:
    outcome = compile(tmp_path, "mine.py", "--emit", "ttl", text="untaken = 1\n# symbolic\n")
    assert (outcome.status, outcome.stdout) == (Status.FAILED, "builtin.module {False}\n")
    assert outcome.stderr.startswith("error[TTL1301]: cannot be compiled\n")
    assert outcome.stderr.endswith(
        "not compiled: operation f: it is not called\nor run it: ttl compile --run mine.py compiles the calls that it makes\n"
    )


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ([], "TTL0102"),
        (["missing.py"], "TTL0110"),
        (["broken.py"], "TTL0111"),
        (["mine.py", "--emit", "project"], "TTL0118"),
        (["mine.py", "--emit", "project", "-o", "-"], "TTL0118"),
        (["mine.py", "--api", "0.70"], "TTL0101"),
        (["mine.py", "--emit", "llvm"], "TTL0101"),
        (["mine.py", "--emit"], "TTL0106"),
        (["mine.py", "other.py"], "TTL0105"),
        (["mine.py", "--emit", "ttl", "-o", "missing/file"], "TTL0117"),
        (["mine.py", "--emit", "ttl", "-o", "."], "TTL0117"),
        (["mine.py", "-o", ""], "TTL0117"),
        (["mine.py", "--fix"], "TTL0104"),
    ],
)
def test_a_wrong_command_line(arguments: list[str], code: str, tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("if\n", encoding="utf-8")
    outcome = compile(tmp_path, *arguments)
    assert (outcome.status, outcome.stdout, outcome.stderr[:14]) == (2, "", f"error[{code}]")
