"""``lit`` files: their RUN lines are run in this process, with ``filecheck`` as a library."""

from __future__ import annotations

import contextlib
import io
import shlex
from pathlib import Path

from filecheck.finput import FInput
from filecheck.matcher import Matcher
from filecheck.options import parse_argv_options
from filecheck.parser import Parser, pattern_for_opts

from ttl.opt.main import TTL_OPT


def run_lines(folder: Path) -> list[tuple[Path, str]]:
    """Every RUN line of every file of a folder."""
    files = sorted(folder.glob("*.mlir"))
    found = [
        (path, line.split("RUN:", 1)[1].strip())
        for path in files
        for line in path.read_text(encoding="utf-8").splitlines()
        if line.startswith("// RUN:")
    ]
    assert {path for path, _ in found} == set(files), "a file has no RUN line"
    return found


def check_run_line(path: Path, line: str) -> None:
    """Run one RUN line of a file: ``ttl-opt`` with ``not`` before it or not, then ``filecheck`` any number of times."""
    tool, *checks = line.replace("%s", str(path)).split(" | ")
    name, *arguments = shlex.split(tool)
    fails = name == "not"
    if fails:
        name, *arguments = arguments
    assert name == "ttl-opt"
    both = arguments[-1:] == ["2>&1"]
    output, errors = io.StringIO(), io.StringIO()
    status = TTL_OPT.run(arguments[:-1] if both else arguments, io.StringIO(), output, errors)
    said = errors.getvalue()
    assert status == int(fails), said
    if output.getvalue():
        _goes_round(output.getvalue(), arguments)
    for check in checks:
        text = output.getvalue() + (said if both else "")
        complaint = io.StringIO()
        with contextlib.redirect_stdout(complaint), contextlib.redirect_stderr(complaint):
            matches = file_checks(shlex.split(check), text)
        assert matches, f"{complaint.getvalue()}\n{text}"


def file_checks(command: list[str], text: str) -> bool:
    """Whether a text has what the CHECK lines of a file ask for."""
    assert command[0] == "filecheck"
    options = parse_argv_options(command)
    with open(options.match_filename, encoding="utf-8") as file:
        matcher = Matcher(options, FInput("-", text), Parser(options, file, *pattern_for_opts(options)))
        return bool(matcher.run() == 0)


def _goes_round(printed: str, arguments: list[str]) -> None:
    """What a pass made is text, in the readable and in the generic form: read again, it is printed the same."""
    kept = ("--split-input-file", "--allow-unregistered-dialect", "--print-debuginfo")
    flags = [flag for flag in kept if flag in arguments]
    generic = io.StringIO()
    assert TTL_OPT.run([*flags, "--mlir-print-op-generic"], io.StringIO(printed), generic, generic) == 0
    for text in (printed, generic.getvalue()):
        again, errors = io.StringIO(), io.StringIO()
        assert TTL_OPT.run(flags, io.StringIO(text), again, errors) == 0, errors.getvalue()
        assert again.getvalue() == printed
