"""Every example runs in the suite; every broken one fails with the code its first line names.

The programs run in this process, each in a fresh namespace, as ``python examples/NAME.py`` would run them.
"""

from __future__ import annotations

import re
import runpy
import sys
from pathlib import Path

import pytest

from support.programs import run_ttl
from ttl import settings
from ttl.diag.errors import TTLError
from ttl.host import importer

EXAMPLES = Path(__file__).parents[2] / "examples"
PROGRAMS = sorted(path for path in EXAMPLES.glob("*.py") if path.name != "checking.py")
BROKEN = sorted((EXAMPLES / "errors").glob("*.py"))

RESULT = re.compile(
    r"^.+: max error \S+ in values up to \S+, PCC \S+, ok$|^shapes: \d+ of \d+ .+, ok$", re.MULTILINE
)
EXPECTED_CODE = re.compile(r"# error\[(TTL\d{4})\]: \S")
# The second line of a broken program, where a flag of ``ttl run`` brings the mistake to light.
FLAGS: dict[str, dict[str, int]] = {
    "# flags: --strict": {"strict": True},
    "# flags: --schedules 5": {"schedules": 5},
}


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


@pytest.mark.parametrize(
    "program",
    [
        "decoder_layer",
        "moe_layer",
        "sampling_step",
        "chips_ring_attention",
        pytest.param("chips_all_gather_matmul", marks=pytest.mark.long),
        pytest.param("chips_tensor_parallel_mlp", marks=pytest.mark.long),
    ],
)
def test_what_is_composed_of_ready_operations_is_right_on_the_chip(
    program: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with settings.override(target="emu"):
        run(EXAMPLES / f"{program}.py", monkeypatch)
    captured = capsys.readouterr()
    assert RESULT.search(captured.out)
    assert "WRONG" not in captured.out
    assert captured.err == ""


def test_the_checker_finds_nothing_in_any_example() -> None:
    outcome = run_ttl(["check", *(path.name for path in PROGRAMS)], folder=EXAMPLES)
    assert (outcome.status, outcome.stderr) == (0, "")
    assert outcome.stdout.endswith(": nothing found\n"), outcome.stdout


@pytest.mark.parametrize("program", BROKEN, ids=lambda path: path.stem)
def test_broken_example_fails_as_it_says(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first_line, second_line, *_ = program.read_text().splitlines()
    expected = EXPECTED_CODE.match(first_line)
    assert expected, f"the first line of {program.name} must be '# error[TTLnnnn]: what goes wrong'"
    assert second_line in FLAGS or second_line.startswith('"""')
    with settings.override(**FLAGS.get(second_line, {})), pytest.raises(TTLError) as raised:
        run(program, monkeypatch)
    assert raised.value.code == expected[1], str(raised.value)


def test_what_strict_asks_for_is_inferred_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    """LANGUAGE.md: a missing push, pop or wait is inferred."""
    run(EXAMPLES / "errors" / "missing_push.py", monkeypatch)


def test_every_program_is_listed() -> None:
    listed = set(re.findall(r"`(\w+\.py)`", (EXAMPLES / "README.md").read_text())) - {"checking.py"}
    assert listed == {path.name for path in PROGRAMS}


def test_a_wrong_result_ends_a_program_with_status_1(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The examples' own check can fail: one element off by more than it may be."""
    program = tmp_path / "wrong.py"
    program.write_text(
        "import torch\n"
        "from checking import compare\n"
        "compare('a', torch.tensor([1.0, 2.0]), torch.tensor([1.0, 2.1]), rtol=0.01)\n"
    )
    monkeypatch.syspath_prepend(str(EXAMPLES))
    with pytest.raises(SystemExit) as ended:
        run(program, monkeypatch)
    assert ended.value.code == 1
