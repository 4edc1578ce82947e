"""A program that launches an operation in a thousand ways has a few of them checked before they run."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.programs import run_ttl
from ttl.check import launch
from ttl.check.launch import Forms

PROGRAM = """
import ttl
import ttnn


def scaled(factor):
    @ttl.operation(grid=(1, 1))
    def op(x, y, count):
        x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))

        @ttl.datamovement()
        def read():
            ttl.copy(x[0, 0], x_dfb.reserve())

        @ttl.compute()
        def compute():
            y_dfb.reserve().store(x_dfb.wait() * factor + count)

        @ttl.datamovement()
        def write():
            ttl.copy(y_dfb.wait(), y[0, 0])

    return op


x, y = (ttnn.ones((32, 32), layout=ttnn.TILE_LAYOUT, dtype=ttnn.float32) for _ in range(2))
one = scaled(2.0)
"""


def checked(program: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many calls of a program are checked."""
    count = 0
    check = launch._check

    def counted(*arguments: object) -> object:
        nonlocal count
        count += 1
        return check(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(launch, "_check", counted)
    (folder / "case.py").write_text(PROGRAM + program)
    done = run_ttl(["run", "--cache-dir", str(folder / "cache"), "case.py"], folder=folder)
    assert (done.status, done.stderr) == (0, "")
    return count


@pytest.mark.parametrize(
    "call", ["one(x, y, number / 7)", "scaled(number / 7)(x, y, 0)", "scaled([number / 7, 2.0][0])(x, y, 0)"]
)
def test_of_calls_that_differ_in_floating_point_numbers_one_is_checked(
    call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert checked(f"for number in range(20):\n    {call}\n", tmp_path, monkeypatch) == 1


def test_of_many_other_forms_fewer_and_fewer_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = "for number in range(70):\n    one(x, y, number)\n"
    assert checked(program, tmp_path, monkeypatch) == 33  # the first 32, and the 64th


def test_a_form_that_has_errors_is_checked_again() -> None:
    forms = Forms()
    assert forms.is_due("a") and forms.is_due("a")
    forms.checked("a")
    assert not forms.is_due("a") and forms.is_due("b")
