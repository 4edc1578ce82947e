"""Every example runs in the suite; every broken one fails with the code its first line names.

The programs run in this process, each in a fresh namespace, as ``python examples/NAME.py`` would run them.
"""

from __future__ import annotations

import re
import runpy
import sys
from pathlib import Path

import pytest

from ttl.diag.errors import TTLError
from ttl.host import importer

EXAMPLES = Path(__file__).parents[2] / "examples"
PROGRAMS = sorted(path for path in EXAMPLES.glob("*.py") if path.name != "checking.py")
BROKEN = sorted((EXAMPLES / "errors").glob("*.py"))

RESULT = re.compile(r"^.+: max error \S+ in values up to \S+, PCC \S+, ok$|^shapes: \d+ of \d+ .*, ok$", re.MULTILINE)
EXPECTED_CODE = re.compile(r"# error\[(TTL\d{4})\]: \S")


def run(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    importer.install()
    monkeypatch.setattr(sys, "argv", [str(program)])
    monkeypatch.syspath_prepend(str(program.parent))
    monkeypatch.delitem(sys.modules, "checking", raising=False)
    runpy.run_path(str(program), run_name="__main__")


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_example_is_right(
    program: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        run(program, monkeypatch)
    except SystemExit as end:
        assert end.code in (None, 0), f"{program.name} ended with {end.code!r}"
    captured = capsys.readouterr()
    assert RESULT.search(captured.out), f"{program.name} printed no result: {captured.out!r}"
    assert "WRONG" not in captured.out
    assert captured.err == "", f"{program.name} has a diagnostic or a warning"


@pytest.mark.parametrize("program", BROKEN, ids=lambda path: path.stem)
def test_broken_example_fails_as_it_says(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first_line = program.read_text().splitlines()[0]
    expected = EXPECTED_CODE.match(first_line)
    assert expected, f"the first line of {program.name} must be '# error[TTLnnnn]: what goes wrong'"
    with pytest.raises(TTLError) as raised:
        run(program, monkeypatch)
    assert raised.value.code == expected[1], str(raised.value)


def test_there_are_examples_and_broken_examples() -> None:
    assert len(PROGRAMS) >= 30
    assert len(BROKEN) >= 8
