"""``ttl run``: as Python runs a program, except for what is reported."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import ttl.diag
from support.programs import Outcome, run_ttl
from ttl.cli.status import Status

SOURCE = Path(ttl.diag.__file__).parent.parent.parent

OURS = """
from ttl.diag import ProgramError, error
from ttl.source.spans import user_span
def fail():
    raise ProgramError(error("TTL0301", "wrong", help="do it").at(user_span(), "here"))
"""


def run(
    source: str, *arguments: str, folder: Path, flags: tuple[str, ...] = (), **environment: str
) -> Outcome:
    (folder / "mine.py").write_text(source, encoding="utf-8")
    return ttl_run(*flags, "mine.py", *arguments, folder=folder, **environment)


def ttl_run(*arguments: str, folder: Path, **environment: str) -> Outcome:
    return run_ttl(["run", *arguments], folder=folder, environment=environment)


def test_it_is_main_with_its_own_arguments_and_folder(tmp_path: Path) -> None:
    (tmp_path / "sibling.py").write_text("value = 7\n", encoding="utf-8")
    source = (
        "import sys, os, json, sibling\n"
        "import __main__\n"
        "here = 'global of main'\n"
        "print(json.dumps([__name__, sys.argv, os.path.realpath(sys.path[0]), __file__, sibling.value,"
        " __main__.here, sys.modules['__main__'] is __main__]))\n"
    )
    outcome = run(source, "--arch", "x", "--", "-v", folder=tmp_path)
    assert (outcome.stderr, outcome.status) == ("", 0)
    assert json.loads(outcome.stdout) == [
        "__main__",
        ["mine.py", "--arch", "x", "--", "-v"],
        str(tmp_path),
        str(tmp_path / "mine.py"),
        7,
        "global of main",
        True,
    ]


def test_it_behaves_as_python_does(tmp_path: Path) -> None:
    """The same program under both: same output, same exit code."""
    program = tmp_path / "mine.py"
    program.write_text(
        "import sys, os\n"
        "print(__name__, sys.argv, sys.path[0], __file__, __builtins__, type(__loader__))\n"
        "print(sorted(set(globals()) - {'__annotations__', '__cached__'}))\n"
        "print(sys._getframe().f_code.co_filename)\n"
        "sys.exit(5)\n",
        encoding="utf-8",
    )
    environment = {"PYTHONPATH": str(SOURCE)}
    plain = subprocess.run(
        [sys.executable, "mine.py", "a"], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    ours = subprocess.run(
        [sys.executable, "-m", "ttl", "run", "mine.py", "a"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert (ours.stdout, ours.returncode) == (plain.stdout, plain.returncode)


def test_the_interpreter_is_as_before_afterwards(tmp_path: Path) -> None:
    before = sys.argv[:], sys.path[:], sys.modules["__main__"]
    run("raise ValueError", folder=tmp_path)
    assert (sys.argv, sys.path, sys.modules["__main__"]) == before


def test_an_error_of_ours_is_its_report_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "deep.py").write_text(OURS, encoding="utf-8")
    outcome = run("import deep\nprint('before')\ndeep.fail()\n", folder=tmp_path)
    assert outcome.status == Status.FAILED
    assert outcome.stdout == "before\n"
    assert outcome.stderr == (
        "error[TTL0301]: wrong\n"
        " --> deep.py:5:67\n"
        "  |\n"
        '5 |     raise ProgramError(error("TTL0301", "wrong", help="do it").at(user_span(), "here"))\n'
        "  |                                                                   ^^^^^^^^^^^ here\n"
        "  |\n"
        "  = help: do it\n"
    )


def test_as_json_it_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "deep.py").write_text(OURS, encoding="utf-8")
    outcome = run("import deep\ndeep.fail()\n", folder=tmp_path, flags=("--format", "json"))
    assert outcome.stderr.count("\n") == 1
    assert json.loads(outcome.stderr)["code"] == "TTL0301"


def test_colour_is_what_the_settings_say(tmp_path: Path) -> None:
    (tmp_path / "deep.py").write_text(OURS, encoding="utf-8")
    source = "import deep\ndeep.fail()\n"
    assert "\x1b[" not in run(source, folder=tmp_path).stderr
    assert "\x1b[" in run(source, folder=tmp_path, flags=("--color", "on")).stderr
    assert "\x1b[" in run(source, folder=tmp_path, TTL_COLOR="on").stderr


@pytest.mark.parametrize(
    ("statement", "status", "said"),
    [
        ("", 0, ""),
        ("sys.exit()", 0, ""),
        ("sys.exit(0)", 0, ""),
        ("sys.exit(7)", 7, ""),
        ("sys.exit('no good')", 1, "no good\n"),
        ("raise SystemExit(3)", 3, ""),
    ],
)
def test_exit_codes_of_the_program_itself(statement: str, status: int, said: str, tmp_path: Path) -> None:
    outcome = run(f"import sys\n{statement}\n", folder=tmp_path)
    assert (outcome.status, outcome.stderr) == (status, said)


def test_the_users_exception_keeps_its_traceback_without_our_frames(tmp_path: Path) -> None:
    source = (
        "def inner():\n"
        "    return {}['key']\n"
        "try:\n"
        "    inner()\n"
        "except KeyError as problem:\n"
        "    raise RuntimeError('outer') from problem\n"
    )
    outcome = run(source, folder=tmp_path)
    assert outcome.status == Status.FAILED
    assert outcome.stderr.startswith("Traceback (most recent call last):\n")
    assert "KeyError: 'key'" in outcome.stderr
    assert "The above exception was the direct cause" in outcome.stderr
    assert outcome.stderr.endswith("RuntimeError: outer\n")
    assert "cli" not in outcome.stderr
    whole = run(source, folder=tmp_path, flags=("--traceback",))
    assert "ttl/cli/run.py" in whole.stderr


def test_every_exception_of_a_group_is_shown(tmp_path: Path) -> None:
    outcome = run("raise ExceptionGroup('two', [ValueError('one'), TypeError('other')])", folder=tmp_path)
    assert "ValueError: one" in outcome.stderr
    assert "TypeError: other" in outcome.stderr


def test_ctrl_c_says_where_every_kernel_was(tmp_path: Path) -> None:
    source = "from ttl.diag import KernelInterrupted\nraise KernelInterrupted('read: line 7')\n"
    outcome = run(source, folder=tmp_path)
    assert (outcome.status, outcome.stderr) == (Status.INTERRUPTED, "read: line 7\n")


def test_ctrl_c_outside_of_an_operation(tmp_path: Path) -> None:
    outcome = run("raise KeyboardInterrupt\n", folder=tmp_path)
    assert outcome.status == Status.INTERRUPTED
    assert "mine.py" in outcome.stderr


def test_leaving_the_debugger_is_quiet(tmp_path: Path) -> None:
    outcome = run("import bdb\nraise bdb.BdbQuit\n", folder=tmp_path)
    assert (outcome.status, outcome.stderr) == (Status.FAILED, "")


def test_a_hook_of_the_program_is_honoured(tmp_path: Path) -> None:
    source = (
        "import sys\n"
        "sys.excepthook = lambda kind, raised, trace: print('mine:', raised, file=sys.stderr)\n"
        "raise ValueError('x')\n"
    )
    outcome = run(source, folder=tmp_path)
    assert (outcome.status, outcome.stderr) == (Status.FAILED, "mine: x\n")


def test_a_flag_wins_over_the_environment_and_ends_with_the_run(tmp_path: Path) -> None:
    source = "from ttl import settings\nprint(settings.current().arch, settings.current().origin('arch'))\n"
    assert run(source, folder=tmp_path, TTL_ARCH="blackhole").stdout == "blackhole TTL_ARCH\n"
    outcome = run(source, folder=tmp_path, flags=("--arch", "wormhole"), TTL_ARCH="blackhole")
    assert outcome.stdout == "wormhole --arch\n"


def test_a_misspelled_variable_is_a_warning(tmp_path: Path) -> None:
    outcome = run("print('ran')", folder=tmp_path, TTL_SANITISE="1")
    assert (outcome.status, outcome.stdout) == (0, "ran\n")
    assert "warning[TTL0112]" in outcome.stderr
    assert "did you mean TTL_SANITIZE?" in outcome.stderr


def test_variables_and_flags_of_other_tools_are_named(tmp_path: Path) -> None:
    outcome = run("print('ran')", folder=tmp_path, TTLANG_COMPILE_ONLY="1", TTLANG_ODD="1")
    assert (outcome.status, outcome.stdout) == (0, "ran\n")
    assert (
        "variable TTLANG_COMPILE_ONLY is of another tool and has no effect\n  = help: 'ttl compile PROGRAM'"
        in outcome.stderr
    )
    assert (
        "variable TTLANG_ODD is of another tool and has no effect\n  = help: 'ttl doctor'" in outcome.stderr
    )
    outcome = run("print('ran')", folder=tmp_path, flags=("--ttl-compiler-dfbs",))
    assert outcome.status == 2
    assert "has no flag --ttl-compiler-dfbs\n  = help: the compiler always adds the buffers" in outcome.stderr


BROKEN = """
import ttl.diag
space = {}
code = compile("def broken():\\n    return 1 / 0\\n", ttl.diag.__file__.replace("__init__", "broken"), "exec")
exec(code, space)
space["broken"]()
"""


def test_a_defect_of_ours_is_said_as_such(tmp_path: Path) -> None:
    outcome = run(BROKEN, folder=tmp_path)
    assert outcome.status == Status.INTERNAL
    lines = outcome.stderr.splitlines()
    assert lines[0] == "error[TTL9001]: internal error: ZeroDivisionError: division by zero"
    assert lines[1:5] == [
        " --> mine.py:6:1",
        "  |",
        '6 | space["broken"]()',
        "  | ^^^^^^^^^^^^^^^^^ while this was running",
    ]
    assert "broken.py:2, in broken" in outcome.stderr
    assert "Traceback" not in outcome.stderr
    assert "Traceback" in run(BROKEN, folder=tmp_path, flags=("--traceback",)).stderr


@pytest.mark.parametrize(
    ("content", "status"),
    [(b"\x00\x01\x02", 2), (b"x = '\xff'", 2), (b"", 0), (b"# -*- coding: latin-1 -*-\nx = '\xff'", 0)],
)
def test_what_is_not_text_is_not_a_program(content: bytes, status: int, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_bytes(content)
    outcome = ttl_run("mine.py", folder=tmp_path)
    assert outcome.status == status
    assert ("error[TTL0111]" in outcome.stderr) == (status == 2)


def test_under_plain_python_there_is_only_the_report(tmp_path: Path) -> None:
    (tmp_path / "deep.py").write_text(OURS, encoding="utf-8")
    (tmp_path / "mine.py").write_text("import deep\ndeep.fail()\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "mine.py"],
        cwd=tmp_path,
        env={"PYTHONPATH": str(SOURCE)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("error[TTL0301]: wrong\n --> deep.py:5:")
    assert "Traceback" not in done.stderr
    assert run("import deep\ndeep.fail()\n", folder=tmp_path).stderr == done.stderr


def test_as_an_annotation_it_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "deep.py").write_text(OURS, encoding="utf-8")
    outcome = run("import deep\ndeep.fail()\n", folder=tmp_path, flags=("--format", "github"))
    assert outcome.stderr == (
        "::error file=deep.py,line=5,col=67,endLine=5,endColumn=77,title=TTL0301::wrong%0Ahere: here%0Ahelp: do it\n"
    )
