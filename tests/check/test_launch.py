"""Checks before a run: when they happen, what stops the program, what is only said, and what is remembered."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import pytest

import ttl.diag
from support.checker import CLEAN, PROGRAM, Checker, installed
from support.programs import Outcome, run_ttl
from ttl.check.seen import CallCache
from ttl.cli.status import Status
from ttl.host import api as ttnn
from ttl.settings import Settings

SOURCE = Path(ttl.diag.__file__).parent.parent.parent


@pytest.fixture(autouse=True)
def checker() -> Iterator[Checker]:
    with installed() as found:
        yield found


def run(folder: Path, source: str, *flags: str, **environment: str) -> Outcome:
    (folder / "mine.py").write_text(source, encoding="utf-8")
    # The checker here says nothing of what a call depends on: its results are not to be kept.
    given = {"TTL_CACHE_DIR": "off", **environment}
    return run_ttl(["run", *(flags or ("--check",)), "mine.py"], folder=folder, environment=given)


@pytest.mark.parametrize(
    ("flags", "variable", "checks"),
    [
        (("--check",), "", 1),
        (("--no-check",), "", 0),
        (("--arch", "wormhole"), "on", 1),
        (("--arch", "wormhole"), "1", 1),
        (("--arch", "wormhole"), "off", 0),
        (("--no-check",), "on", 0),
        (("--check",), "off", 1),
    ],
)
def test_the_setting(
    flags: tuple[str, ...], variable: str, checks: int, tmp_path: Path, checker: Checker
) -> None:
    outcome = run(tmp_path, CLEAN + "f(tensor(), 1)\n", *flags, TTL_CHECK=variable)
    assert (outcome.status, outcome.stderr, outcome.stdout) == (0, "", "ran 1 1\n")
    assert len(checker.lowered) == checks


def test_auto_is_on_under_ttl_run_where_the_compiler_is_installed(tmp_path: Path, checker: Checker) -> None:
    source = CLEAN + "from ttl import settings\nprint(settings.current().check)\nf(tensor(), 1)\n"
    assert run(tmp_path, source, "--arch", "wormhole", TTL_CHECK="auto").stdout == "on\nran 1 1\n"
    assert len(checker.lowered) == 1
    with mock.patch("ttl.check.file.missing_parts", lambda: "xdsl"):
        outcome = run(tmp_path, source, "--arch", "wormhole", TTL_CHECK="auto")
    assert (outcome.stdout, outcome.stderr) == ("auto\nran 1 1\n", "")
    assert len(checker.lowered) == 1


@pytest.mark.parametrize(
    ("word", "kind", "code"),
    [
        ("wrong", "ProgramError", "TTL0301"),
        ("stuck", "DeadlockError", "TTL0910"),
        ("large", "ResourceError", "TTL0801"),
    ],
)
def test_an_error_stops_the_program_as_the_simulator_would(
    word: str, kind: str, code: str, tmp_path: Path
) -> None:
    outcome = run(tmp_path, f"{CLEAN}{word} = 1\nf(tensor(), 1)\n")
    assert (outcome.status, outcome.stdout) == (Status.FAILED, "")
    assert outcome.stderr.startswith(f"error[{code}]")
    catching = (
        f"{CLEAN}{word} = 1\ntry:\n    f(tensor(), 1)\nexcept ttl.{kind} as caught:\n    print(caught.code)\n"
    )
    assert run(tmp_path, catching).stdout == f"{code}\n"


def test_all_errors_are_shown(tmp_path: Path) -> None:
    outcome = run(tmp_path, CLEAN + "wrong = stuck = 1\nf(tensor(), 1)\n")
    assert "error[TTL0301]" in outcome.stderr
    assert "error[TTL0910]" in outcome.stderr


def test_an_error_that_was_caught_comes_again(tmp_path: Path) -> None:
    again = "for _ in (1, 2):\n    try:\n        f(tensor(), 1)\n    except ttl.TTLError as caught:\n        print(caught.code)\n"
    assert run(tmp_path, CLEAN + "wrong = 1\n" + again).stdout == "TTL0301\nTTL0301\n"


def test_a_warning_is_said_once_and_the_program_runs(tmp_path: Path) -> None:
    outcome = run(tmp_path, PROGRAM + "f(tensor(), 1)\nf(tensor(64), 1)\n")
    assert (outcome.status, outcome.stdout) == (0, "ran 1 1\nran 1 1\n")
    assert outcome.stderr.count("warning[TTL0905]") == 1


def test_what_cannot_be_compiled_is_a_warning(tmp_path: Path) -> None:
    outcome = run(tmp_path, CLEAN + "untaken = 1\nf(tensor(), 1)\nf(tensor(), 2)\n")
    assert (outcome.status, outcome.stdout) == (0, "ran 1 1\nran 2 1\n")
    assert outcome.stderr.count("warning[TTL1301]: cannot be compiled") == 1
    assert "= note: it runs in the simulator; it cannot be compiled" in outcome.stderr


def test_a_mistake_of_ours_is_a_note(tmp_path: Path) -> None:
    outcome = run(tmp_path, CLEAN + "crash = 1\nf(tensor(), 1)\nf(tensor(), 1)\n")
    assert (outcome.status, outcome.stdout) == (0, "ran 1 1\nran 1 1\n")
    assert outcome.stderr.count("note[TTL9001]: internal error: ZeroDivisionError: crash") == 1
    assert "operation f could not be checked; it runs anyway" in outcome.stderr
    assert "please report it" in outcome.stderr


def test_a_call_like_an_earlier_one_is_not_checked_again(tmp_path: Path, checker: Checker) -> None:
    run(tmp_path, CLEAN + "x = tensor()\nf(x, 1)\nf(tensor(), 1)\nf(x, n=1)\n")
    assert len(checker.lowered) == 1


@pytest.mark.parametrize(
    ("calls", "count"),
    [
        ("f(tensor(), 1); f(tensor(64), 1)", 2),
        ("f(tensor(), 1); f(tensor(), 2)", 2),
        ("f(tensor(), 1); size = 2; f(tensor(), 1)", 2),
        ("f(tensor(), [1]); f(tensor(), [1]); f(tensor(), [2])", 2),
        ("f(tensor(), {1: 2}); f(tensor(), {1: 2}); f(tensor(), {1: 3})", 2),
        ("g = ttl.operation(grid=(1, 1))(f.function); f(tensor(), 1); g(tensor(), 1)", 1),
    ],
)
def test_a_call_of_another_kind_is_checked(calls: str, count: int, tmp_path: Path, checker: Checker) -> None:
    outcome = run(tmp_path, CLEAN + calls.replace("; ", "\n") + "\n")
    assert (outcome.status, outcome.stderr) == (0, "")
    assert len(checker.lowered) == count


def test_one_tensor_twice_is_told_from_two_equal_ones() -> None:
    """What was compiled for one has one address for both."""

    def operation(a: object, b: object) -> None:
        raise NotImplementedError

    seen: CallCache[bool] = CallCache(operation)  # type: ignore[arg-type]
    first, second = (ttnn.zeros((32, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT) for _ in range(2))
    assert seen.key((first, first), {}, Settings()) == seen.key((second, second), {}, Settings())
    assert seen.key((first, first), {}, Settings()) != seen.key((first, second), {}, Settings())


def test_inside_of_an_operation_nothing_is_checked(tmp_path: Path, checker: Checker) -> None:
    nested = CLEAN.replace('print("ran", n, size)', "f(a, 1)")
    outcome = run(tmp_path, nested + "f(tensor(), 1)\n")
    assert "error[TTL0218]" in outcome.stderr
    assert len(checker.lowered) == 1


def test_with_wrong_arguments_nothing_is_checked(tmp_path: Path, checker: Checker) -> None:
    assert "error[TTL0208]" in run(tmp_path, CLEAN + "f()\n").stderr
    assert checker.lowered == []


def test_without_the_compiler_only_an_explicit_wish_fails(tmp_path: Path) -> None:
    with mock.patch("ttl.check.file.missing_parts", lambda: "xdsl"):
        outcome = run(tmp_path, CLEAN + "f(tensor(), 1)\n")
        assert (outcome.status, outcome.stderr[:14]) == (Status.FAILED, "error[TTL0116]")
        assert "--check needs the Python package xdsl" in outcome.stderr


def python(folder: Path, source: str, **environment: str) -> str:
    (folder / "mine.py").write_text(source, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "mine.py"],
        cwd=folder,
        env={"PYTHONPATH": str(SOURCE), "TTL_CACHE_DIR": "off", **environment},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_plain_python_does_not_check(tmp_path: Path) -> None:
    loaded = (
        "import sys\nf(tensor(), 1)\nprint([name for name in sys.modules if name.startswith('ttl.check')])\n"
    )
    assert python(tmp_path, CLEAN + loaded) == "ran 1 1\n[]\n"


TESTS = """
from ttl import settings

def test_it():
    assert settings.current().check == {expected!r}
"""


@pytest.mark.parametrize(("flags", "expected"), [((), "auto"), (("--ttl-check",), "on")])
def test_the_pytest_plugin_checks_when_asked(flags: tuple[str, ...], expected: str, tmp_path: Path) -> None:
    (tmp_path / "test_mine.py").write_text(TESTS.format(expected=expected), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "ttl.pytest_plugin", *flags],
        cwd=tmp_path,
        env={"PYTHONPATH": str(SOURCE), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
    )
    assert "1 passed" in done.stdout, done.stdout + done.stderr
