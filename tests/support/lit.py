"""``lit`` files of ``ttl-opt``: their RUN lines are run in this process, and what the tool prints is read again."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from support import shell
from ttl.opt.main import TTL_OPT

_KEPT = ("--split-input-file", "--allow-unregistered-dialect", "--print-debuginfo")


def run_lines(folder: Path) -> list[tuple[Path, str]]:
    """Every RUN line of every file of a folder."""
    found = {path: shell.run_lines(path) for path in sorted(folder.glob("*.mlir"))}
    assert all(found.values()), "a file has no RUN line"
    return [(path, line) for path, lines in found.items() for line in lines]


def check_run_line(path: Path, line: str) -> None:
    """Run one RUN line of a file."""
    result = shell.Shell({"ttl-opt": _ttl_opt}).run(line.replace("%s", str(path)))
    assert result.status == 0, result.errors


def _ttl_opt(arguments: Sequence[str], stdin: TextIO, stdout: TextIO, stderr: TextIO) -> int:
    """``ttl-opt``; what it prints is text in the readable and in the generic form: read again, it is printed the same."""
    output, said = io.StringIO(), io.StringIO()
    status = TTL_OPT.run(arguments, stdin, output, said)
    printed = output.getvalue()
    if printed:
        flags = [flag for flag in _KEPT if flag in arguments]
        generic = io.StringIO()
        assert TTL_OPT.run([*flags, "--mlir-print-op-generic"], io.StringIO(printed), generic, generic) == 0
        for text in (printed, generic.getvalue()):
            again, errors = io.StringIO(), io.StringIO()
            assert TTL_OPT.run(flags, io.StringIO(text), again, errors) == 0, errors.getvalue()
            assert again.getvalue() == printed
    stdout.write(printed)
    stderr.write(said.getvalue())
    return status
