"""``ttl check``: which files, what is said in which format, with which exit code; and fixes."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import pytest

from support.checker import Checker, installed
from support.programs import Outcome, run_ttl
from ttl.cli.status import Status

HEAD = "import ttl\n\n\n@ttl.operation()\ndef f(): pass\n"


@pytest.fixture(autouse=True)
def checker() -> Iterator[Checker]:
    with installed() as found:
        yield found


def write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        path = folder / (name.replace("__", "/") + ".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def check(folder: Path, *arguments: str, **environment: str) -> Outcome:
    return run_ttl(["check", *arguments], folder=folder, environment=environment)


def codes(outcome: Outcome) -> list[str]:
    return [each["code"] for each in json.loads(outcome.stdout)["diagnostics"]]


@pytest.mark.parametrize(
    ("body", "status", "strict"),
    [
        ("right = 1", Status.OK, Status.OK),
        ("wrong = 1", Status.FAILED, Status.FAILED),
        ("odd = 1", Status.OK, Status.FAILED),
        ("older(1)", Status.OK, Status.FAILED),
        ("untaken = 1", Status.FAILED, Status.FAILED),
        ("crash = 1", Status.INTERNAL, Status.INTERNAL),
    ],
)
def test_the_exit_code(body: str, status: Status, strict: Status, tmp_path: Path) -> None:
    write(tmp_path, mine=HEAD + body + "\n")
    assert check(tmp_path, "mine.py").status == status
    assert check(tmp_path, "mine.py", "--strict").status == strict
    assert check(tmp_path, "mine.py", TTL_STRICT="1").status == strict


def test_the_text_is_reports_and_a_summary(tmp_path: Path) -> None:
    write(tmp_path, mine=HEAD + "wrong = 1\nodd = 2\n")
    outcome = check(tmp_path, "mine.py")
    assert outcome.stderr == ""
    assert outcome.stdout == (
        "error[TTL0301]: wrong, 100%\nof it\n"
        " --> mine.py:6:1\n"
        "  |\n"
        "6 | wrong = 1\n"
        "  | ^^^^^ here\n"
        "  |\n"
        "  = help: write right\n"
        "\n"
        "warning[TTL0905]: odd\n"
        " --> mine.py:7:1\n"
        "  |\n"
        "7 | odd = 2\n"
        "  | ^^^\n"
        "\n"
        "checked 1 file, 1 operation, 1 specialisation: 1 error and 1 warning\n"
    )


def test_a_clean_program_is_said_to_be_clean(tmp_path: Path) -> None:
    write(tmp_path, mine=HEAD + "# symbolic\n")
    assert check(tmp_path, "mine.py").stdout == (
        "checked 1 file, 1 operation, 1 specialisation: nothing found in what was checked\n"
        "not checked in mine.py: operation f: it is not called\n"
    )


def test_the_json_is_one_document(tmp_path: Path) -> None:
    write(tmp_path, mine=HEAD + "wrong = 1\n# symbolic\n", other=HEAD)
    outcome = check(tmp_path, "--format", "json", "mine.py", "other.py")
    found = json.loads(outcome.stdout)
    assert set(found) == {"schema", "version", "files", "diagnostics", "changes", "summary"}
    assert found["schema"] == 1
    assert found["files"] == [
        {
            "file": str(tmp_path / "mine.py"),
            "operations": 1,
            "specialisations": 1,
            "not_checked": ["operation f: it is not called"],
            "unchecked": [],
        },
        {
            "file": str(tmp_path / "other.py"),
            "operations": 1,
            "specialisations": 1,
            "not_checked": [],
            "unchecked": [],
        },
    ]
    assert found["summary"] == {
        "files": 2, "operations": 2, "specialisations": 2, "not_checked": 1, "unchecked": 0, "errors": 1, "warnings": 0, "notes": 0,
    }  # fmt: skip
    (one,) = found["diagnostics"]
    assert (one["code"], one["primary"]["line"], one["primary"]["end_column"]) == ("TTL0301", 6, 6)


def test_annotations_are_escaped(tmp_path: Path) -> None:
    (tmp_path / "a,b:c.py").write_text(HEAD + "if 1:\n    wrong\nolder(1)\n", encoding="utf-8")
    outcome = check(tmp_path, "--format", "github", "a,b:c.py")
    assert outcome.stdout.splitlines()[:2] == [
        "::error file=a%2Cb%3Ac.py,line=7,col=5,endLine=7,endColumn=9,title=TTL0301"
        "::wrong, 100%25%0Aof it%0Ahere: here%0Ahelp: write right",
        "::notice file=a%2Cb%3Ac.py,line=8,col=1,endLine=8,endColumn=5,title=TTL1206"
        "::older is not newer%0Afix: write newer",
    ]


def test_a_folder_stands_for_the_programs_in_it(tmp_path: Path, checker: Checker) -> None:
    write(
        tmp_path, a=HEAD, deep__b="from ttl import copy", deep__c="import total", **{".hidden__d": HEAD},
        __pycache____e="x", venv__f=HEAD, node_modules__g=HEAD,
    )  # fmt: skip
    (tmp_path / "venv" / "pyvenv.cfg").write_text("", encoding="utf-8")
    (tmp_path / "notes.txt").write_text("ttl", encoding="utf-8")
    assert check(tmp_path, ".", "a.py", "./deep/../a.py").status == 0
    assert [os.path.relpath(path, tmp_path) for path in checker.lowered] == ["a.py", "deep/b.py"]


def test_a_file_that_is_named_is_checked_whatever_it_mentions(tmp_path: Path, checker: Checker) -> None:
    (tmp_path / "mine").write_text("x = 1\n", encoding="utf-8")
    assert check(tmp_path, "mine").status == 3  # it has no operation
    assert len(checker.lowered) == 1


def test_broken_python_is_a_finding_and_the_other_files_are_checked(tmp_path: Path) -> None:
    write(tmp_path, broken="import ttl\nif ttl\n", mine=HEAD + "wrong = 1\n")
    (tmp_path / "binary.py").write_bytes(b"\x00ttl")
    (tmp_path / "coded.py").write_bytes(b"# ttl \xff\n")
    outcome = check(tmp_path, "--format", "json", ".")
    assert outcome.status == Status.FAILED
    assert sorted(codes(outcome)) == ["TTL0111", "TTL0111", "TTL0111", "TTL0301"]
    placed = [each["primary"] for each in json.loads(outcome.stdout)["diagnostics"] if each["primary"]]
    assert {"file": str(tmp_path / "broken.py"), "line": 2, "column": 7}.items() <= placed[0].items()


def test_a_mistake_of_ours_in_one_file_leaves_the_others(tmp_path: Path) -> None:
    write(tmp_path, a=HEAD + "crash = 1\n", b=HEAD + "wrong = 1\n")
    outcome = check(tmp_path, "--format", "json", ".")
    assert (outcome.status, sorted(codes(outcome))) == (Status.INTERNAL, ["TTL0301", "TTL9001"])


def test_a_finding_in_what_several_programs_use_is_said_once(tmp_path: Path, checker: Checker) -> None:
    write(tmp_path, a=HEAD + "wrong = 1\n")
    (tmp_path / "b.py").hardlink_to(tmp_path / "a.py")
    assert len(codes(check(tmp_path, "--format", "json", "a.py", "a.py"))) == 1


def test_no_code_of_the_user_runs(tmp_path: Path) -> None:
    write(tmp_path, mine=f"import ttl\nopen({str(tmp_path / 'ran')!r}, 'w')\n")
    check(tmp_path, "mine.py")
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ([], "TTL0102"),
        (["missing.py"], "TTL0110"),
        (["mine.py", "missing.py"], "TTL0110"),
        (["--fixx", "mine.py"], "TTL0104"),
        (["mine.py", "--fix=1"], "TTL0113"),
        (["mine.py", "--format", "xml"], "TTL0101"),
        (["mine.py", "--check=on"], "TTL0113"),
        (["mine.py", "--cache-dir"], "TTL0106"),
    ],
)
def test_a_wrong_command_line(arguments: list[str], code: str, tmp_path: Path) -> None:
    write(tmp_path, mine=HEAD)
    outcome = check(tmp_path, *arguments)
    assert (outcome.status, outcome.stdout) == (Status.USAGE, "")
    assert outcome.stderr.startswith(f"error[{code}]")


def test_without_the_compiler_it_says_what_to_install(tmp_path: Path) -> None:
    write(tmp_path, mine=HEAD)
    with mock.patch("ttl.check.file.missing_parts", lambda: "xdsl"):
        for verb in ("check", "compile"):
            outcome = run_ttl([verb, "mine.py"], folder=tmp_path)
            assert (outcome.status, outcome.stderr[:14]) == (Status.USAGE, "error[TTL0116]")


def test_a_verb_that_cannot_be_imported_without_the_compiler_says_so(tmp_path: Path) -> None:
    missing = ModuleNotFoundError("No module named 'xdsl'", name="xdsl")
    with mock.patch("ttl.cli.main.import_module", side_effect=missing):
        outcome = run_ttl(["compile", "mine.py"], folder=tmp_path)
    assert (outcome.status, outcome.stderr[:14]) == (Status.USAGE, "error[TTL0116]")
    assert "ttl compile needs the Python package xdsl" in outcome.stderr


# -- fixes --------------------------------------------------------------------------------------------


def test_fixes_are_written_and_shown_as_a_diff(tmp_path: Path) -> None:
    write(tmp_path, mine=HEAD + "older(1)\nwrong = 2\n")
    outcome = check(tmp_path, "--fix", "mine.py")
    assert (tmp_path / "mine.py").read_text(encoding="utf-8") == HEAD + "newer(1)\nwrong = 2\n"
    assert outcome.stdout.startswith(
        "--- a/mine.py\n+++ b/mine.py\n"
        "@@ -3,5 +3,5 @@\n \n @ttl.operation()\n def f(): pass\n-older(1)\n+newer(1)\n wrong = 2\n\n"
        "error[TTL0301]: wrong"
    )
    assert outcome.stdout.endswith("1 fix applied to 1 file\n")
    assert outcome.status == Status.FAILED


def test_a_second_time_there_is_nothing_to_fix(tmp_path: Path) -> None:
    write(tmp_path, mine=HEAD + "older(older(1))\n")
    assert check(tmp_path, "--fix", "mine.py").stdout.endswith("2 fixes applied to 1 file\n")
    after = (tmp_path / "mine.py").stat()
    outcome = check(tmp_path, "--fix", "mine.py")
    assert outcome.stdout == "checked 1 file, 1 operation, 1 specialisation: nothing found\n"
    assert (tmp_path / "mine.py").stat().st_mtime_ns == after.st_mtime_ns


def test_fixes_go_on_until_none_applies(tmp_path: Path) -> None:
    write(tmp_path, mine=HEAD + "first(1)\n")
    outcome = check(tmp_path, "--fix", "mine.py")
    assert (tmp_path / "mine.py").read_text(encoding="utf-8").endswith("newer(1)\n")
    assert (outcome.status, outcome.stdout.count("@@ ")) == (Status.OK, 1)


def test_fixes_that_call_for_each_other_end(tmp_path: Path) -> None:
    write(tmp_path, mine=HEAD + "older(1)\n")
    with mock.patch.dict("support.checker._FINDINGS", {"newer": _swap("newer", "older")}):
        outcome = check(tmp_path, "--fix", "mine.py")
    assert outcome.status in (Status.OK, Status.FAILED)


def _swap(word: str, replacement: str) -> object:
    from support.checker import _fixed

    return _fixed(word, replacement)


def test_a_fix_that_breaks_the_file_is_left_out(tmp_path: Path) -> None:
    write(tmp_path, mine=HEAD + "lost(1)\nolder(2)\n")
    outcome = check(tmp_path, "--fix", "mine.py")
    assert (tmp_path / "mine.py").read_text(encoding="utf-8") == HEAD + "lost(1)\nnewer(2)\n"
    assert outcome.status == Status.FAILED


@pytest.mark.parametrize(
    "text",
    [
        HEAD.replace("\n", "\r\n") + "x = 'ä'; older(1)\r\n",
        HEAD + "older(1)",
        HEAD + "x = '\x0c\u2028 ä𝄞'; older(1)\n\n",
        "# -*- coding: latin-1 -*-\n" + HEAD + "x = 'ä'; older(1)\n",
        "\ufeff" + HEAD + "older(1)\n",
    ],
)
def test_line_ends_encoding_and_mode_are_kept(text: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    encoding = "latin-1" if "latin-1" in text else "utf-8"
    path.write_bytes(text.encode(encoding))
    path.chmod(0o750)
    assert check(tmp_path, "--fix", "mine.py").status == 0
    assert path.read_bytes() == text.replace("older", "newer").encode(encoding)
    assert path.stat().st_mode & 0o777 == 0o750
    assert [each.name for each in tmp_path.iterdir()] == ["mine.py"]


def test_diff_changes_nothing_and_is_a_patch(tmp_path: Path) -> None:
    write(tmp_path, mine=HEAD + "older(1)\n", other=HEAD)
    outcome = check(tmp_path, "--diff", "mine.py", "other.py")
    assert outcome.status == Status.FAILED
    assert outcome.stdout.startswith("--- a/mine.py\n+++ b/mine.py\n@@ ")
    assert outcome.stdout.endswith("-older(1)\n+newer(1)\n")
    assert outcome.stderr.endswith("1 fix would be applied to 1 file\n")
    assert (tmp_path / "mine.py").read_text(encoding="utf-8") == HEAD + "older(1)\n"
    assert check(tmp_path, "--diff", "other.py").status == 0
    assert check(tmp_path, "--diff", "--fix", "mine.py").status == Status.FAILED
    found = json.loads(check(tmp_path, "--diff", "--format", "json", "mine.py").stdout)
    assert found["changes"] == [
        {"file": str(tmp_path / "mine.py"), "fixes": 1, "diff": outcome.stdout},
    ]


def test_a_file_that_cannot_be_written_is_an_error_and_stays(tmp_path: Path) -> None:
    write(tmp_path, mine=HEAD + "older(1)\n")
    with mock.patch("ttl.diag.fixes.os.replace", side_effect=PermissionError(13, "Permission denied")):
        outcome = check(tmp_path, "--fix", "mine.py")
    assert outcome.status == Status.USAGE
    assert outcome.stderr.startswith("error[TTL0117]: cannot write 'mine.py': permission denied")
    assert [each.name for each in tmp_path.iterdir()] == ["mine.py"]
    assert (tmp_path / "mine.py").read_text(encoding="utf-8") == HEAD + "older(1)\n"


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    write(tmp_path, mine=HEAD + "older(1)\n")
    (tmp_path / "link.py").symlink_to("mine.py")
    check(tmp_path, "--fix", "link.py")
    assert (tmp_path / "link.py").is_symlink()
    assert (tmp_path / "mine.py").read_text(encoding="utf-8") == HEAD + "newer(1)\n"
