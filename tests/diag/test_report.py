"""Where diagnostics go: JSON, warnings that are said once, uncaught errors, defects of ours."""

from __future__ import annotations

import io
import json
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import ttl.diag
from ttl.diag import Diagnostic, Edit, Fix, InternalError, ProgramError, catalog, error, report, warning
from ttl.diag import json as as_json
from ttl.diag.edits import ChangedLines, changes
from ttl.diag.families import Family, Subject, family_of
from ttl.diag.internal import internal_error, is_internal
from ttl.session import Session
from ttl.settings import override
from ttl.source.spans import Span

SOURCE = Path(ttl.diag.__file__).parent.parent.parent
PLACE = Span(file="mine.py", line=3, column=5, end_line=3, end_column=9)


def full() -> Diagnostic:
    fix = Fix(description="write wait", edits=(Edit(span=PLACE, replacement="wait"),))
    finding = error("TTL0301", "wrong 'é'", notes=("n",), help="h").at(PLACE, "here")
    return finding.also(Span(file="other.py", line=1), "there").fixed_by(fix)


def test_json_has_every_part() -> None:
    place = {"file": "mine.py", "line": 3, "column": 5, "end_line": 3, "end_column": 9}
    assert json.loads(as_json.render(full())) == {
        "schema": 1,
        "kind": "diagnostic",
        "code": "TTL0301",
        "severity": "error",
        "message": "wrong 'é'",
        "primary": {**place, "label": "here"},
        "secondary": [
            {"file": "other.py", "line": 1, "column": 1, "end_line": 1, "end_column": 1, "label": "there"}
        ],
        "notes": ["n"],
        "help": ["h"],
        "fix": {"description": "write wait", "edits": [{**place, "replacement": "wait"}]},
        "family": "blocks",
        "subject": None,
    }


def test_a_finding_is_the_same_after_json() -> None:
    finding = error("TTL0915", "x", subject=Subject.RELEASE).at(PLACE)
    assert as_json.from_object(as_json.to_object(finding)) == finding


def test_every_code_has_a_family_and_every_family_a_code() -> None:
    assert {family_of(code) for code in catalog.codes()} == set(Family)


def test_json_of_a_finding_without_a_place() -> None:
    found = as_json.to_object(error("TTL0101", "x"))
    assert (found["primary"], found["secondary"], found["fix"]) == (None, [], None)


def test_json_is_one_line_whatever_is_in_it() -> None:
    assert "\n" not in as_json.render(error("TTL0801", "x", notes=("a\nb",)))


def test_emit_writes_to_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    report.emit(warning("TTL0112", "odd"))
    report.emit(warning("TTL0112", "odd"))
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "warning[TTL0112]: odd\n\nwarning[TTL0112]: odd\n\n")


def test_emit_once_is_by_code_and_place(capsys: pytest.CaptureFixture[str]) -> None:
    report.SAID.get().keys.clear()
    for finding in (warning("TTL1201", "a"), warning("TTL1201", "b"), warning("TTL1202", "c")):
        report.emit(finding.at(PLACE), once=True)
    report.emit(warning("TTL1201", "d").at(Span(file="mine.py", line=4)), once=True)
    report.SAID.get().keys.clear()
    said = [line for line in capsys.readouterr().err.splitlines() if line.startswith("warning")]
    assert said == ["warning[TTL1201]: a", "warning[TTL1202]: c", "warning[TTL1201]: d"]


def test_emit_honours_the_format(capsys: pytest.CaptureFixture[str]) -> None:
    with override(format="json"):
        report.emit(warning("TTL0112", "odd"))
    assert json.loads(capsys.readouterr().err)["message"] == "odd"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("color", "stream", "colored"),
    [
        ("auto", Terminal(), True),
        ("auto", io.StringIO(), False),
        ("off", Terminal(), False),
        ("on", io.StringIO(), True),
    ],
)
def test_colour_only_on_a_terminal_unless_asked_for(color: str, stream: io.StringIO, colored: bool) -> None:
    with override(color=color):
        report.show_errors([error("TTL0301", "wrong")], stream=stream)
    assert ("\x1b[" in stream.getvalue()) is colored


def test_all_findings_of_an_error_are_shown() -> None:
    stream = io.StringIO()
    raised = ProgramError(error("TTL0301", "one"), error("TTL0302", "two"))
    report.show_errors(raised.diagnostics, stream=stream)
    assert stream.getvalue() == "error[TTL0301]: one\n\nerror[TTL0302]: two\n"
    assert str(raised) + "\n" == stream.getvalue()


def test_a_wrong_variable_can_itself_be_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TTL_FORMAT", "nonsense")
    stream = io.StringIO()
    with Session().entered():
        report.show_errors([error("TTL0101", "x")], stream=stream)
    assert stream.getvalue() == "error[TTL0101]: x\n"


def test_edits_of_the_same_lines_become_one_change() -> None:
    def edit(line: int, begin: int, end: int, text: str) -> Edit:
        return Edit(
            span=Span(file="f", line=line, column=begin, end_line=line, end_column=end), replacement=text
        )

    lines = ("abc", "def", "ghi")
    assert changes(lines, [edit(3, 1, 2, "G"), edit(1, 3, 4, "C"), edit(1, 1, 2, "A")]) == (
        ChangedLines(line=1, before=("abc",), after=("AbC",)),
        ChangedLines(line=3, before=("ghi",), after=("Ghi",)),
    )
    whole = Edit(span=Span(file="f", line=1, column=2, end_line=3, end_column=2), replacement="-")
    assert changes(lines, [whole]) == (ChangedLines(line=1, before=lines, after=("a-hi",)),)
    assert changes(lines, [edit(9, 1, 2, "x")]) == ()


@pytest.mark.parametrize(
    ("program", "shown"),
    [
        ("raise ProgramError(error('TTL0301', 'wrong'))", "error[TTL0301]: wrong\n"),
        ("raise KernelInterrupted('read: line 7')", "read: line 7\n"),
    ],
)
def test_uncaught_under_plain_python_only_the_report_appears(program: str, shown: str) -> None:
    done = _python(f"from ttl.diag import *\n{program}\n")
    assert (done.returncode, done.stderr) == (1, shown)


def test_other_exceptions_and_other_hooks_are_left_alone() -> None:
    done = _python("from ttl.diag import *\nProgramError(error('TTL0301', 'x'))\nraise ValueError('y')\n")
    assert done.stderr.startswith("Traceback") and done.stderr.endswith("ValueError: y\n")
    done = _python(
        "import sys\nsys.excepthook = lambda *a: print('mine', file=sys.stderr)\n"
        "from ttl.diag import *\nraise ProgramError(error('TTL0301', 'x'))\n"
    )
    assert done.stderr == "mine\n"


def _python(program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", program], env={"PYTHONPATH": str(SOURCE)}, capture_output=True, text=True
    )


def broken(error: str) -> Exception:
    """An exception out of a frame of the package."""
    space: dict[str, object] = {}
    exec(compile(f"def broken():\n    {error}\n", str(SOURCE / "ttl" / "broken.py"), "exec"), space)
    try:
        space["broken"]()  # type: ignore[operator]
    except Exception as raised:
        return raised
    raise AssertionError


def test_a_defect_is_at_the_users_line_and_names_ours() -> None:
    raised = internal_error(broken("return 1 / 0"))
    assert isinstance(raised, InternalError)
    found = raised.diagnostic
    assert found.code == "TTL9001"
    assert found.message == "internal error: ZeroDivisionError: division by zero"
    assert found.primary is not None and found.primary.span.file == __file__
    assert any("broken.py:2, in broken" in note for note in found.notes)
    assert found.help


def test_an_error_of_ours_is_not_wrapped() -> None:
    raised = ProgramError(error("TTL0301", "x"))
    assert internal_error(raised) is raised


def test_what_counts_as_a_defect() -> None:
    assert is_internal(broken("return 1 / 0"))
    assert is_internal(broken("import numpy; numpy.zeros((2, 2)).reshape(3)"))
    assert is_internal(broken("return (1).no_such_name"))
    assert not is_internal(
        broken("def __getattr__(): raise AttributeError('no such name')\n    return __getattr__()")
    )
    assert not is_internal(broken("raise OSError('disk full')"))
    try:
        raise ValueError
    except ValueError as users:
        assert not is_internal(users)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("301", "TTL0301"),
        ("TTL0301", "TTL0301"),
        ("ttl-301", "TTL0301"),
        ("30100", None),
        ("x", None),
        ("", None),
    ],
)
def test_spellings_of_a_code(text: str, code: str | None) -> None:
    assert catalog.normalized(text) == code


def test_the_nearest_codes_are_codes() -> None:
    assert set(catalog.nearest("TTL0102")) <= set(catalog.codes())
    assert catalog.nearest("TTL0102")[0] == "TTL0102"


def test_an_error_crosses_the_border_of_a_process_whole() -> None:
    raised = ProgramError(full(), error("TTL0302", "two"))
    again = pickle.loads(pickle.dumps(raised))
    assert type(again) is ProgramError
    assert again.diagnostics == raised.diagnostics


def test_a_notebook_shows_the_report() -> None:
    raised = ProgramError(error("TTL0301", "wrong", help="do it"))
    assert raised._render_traceback_() == ["error[TTL0301]: wrong", "  = help: do it"]
