"""Every ``.mlir`` file below this folder is a test: its RUN lines say what to run, and its CHECK lines what comes out.

The lines are those of ``lit``: ``ttmlir-opt``, ``ttmlir-translate`` and ``FileCheck`` run in this process, with ``not``,
pipes, ``>``, ``&&``, ``mkdir -p``, ``rm``, ``%s`` (the file), ``%S`` (its folder), ``%t`` (a file of its own to write) and
``%system_desc_path%`` (nothing: the default system). What ``ttmlir-opt`` prints must also be read again and printed the same.
Files in a folder called ``Inputs`` are read by tests and are none.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

import pytest

from support.shell import Shell, run_lines
from ttmlir.opt.main import TTMLIR_OPT
from ttmlir.translate.main import TTMLIR_TRANSLATE

HERE = Path(__file__).parent
FILES = [path for path in sorted(HERE.rglob("*.mlir")) if "Inputs" not in path.parts]


def run_opt(arguments: Sequence[str], stdin: TextIO, stdout: TextIO, stderr: TextIO) -> int:
    """``ttmlir-opt``, and what it prints is read again."""
    output = io.StringIO()
    status = TTMLIR_OPT.run(arguments, stdin, output, stderr)
    printed = output.getvalue()
    stdout.write(printed)
    if status == 0 and "module" in printed and not {"--help", "--show-dialects"} & set(arguments):
        kept = (
            "--split-input-file",
            "--allow-unregistered-dialect",
            "--mlir-print-debuginfo",
            "--mlir-print-local-scope",
        )
        flags = [flag for flag in kept if {flag, flag[1:]} & set(arguments)]
        generic = ["--mlir-print-op-generic"] * ("--mlir-print-op-generic" in arguments)
        again, errors = io.StringIO(), io.StringIO()
        if TTMLIR_OPT.run([*flags, *generic], io.StringIO(printed), again, errors) != 0:
            stderr.write(f"what was printed cannot be read again: {errors.getvalue()}\n")
            return 1
        if again.getvalue() != printed:
            stderr.write(
                f"what was printed is printed differently when it is read again:\n{again.getvalue()}\n"
            )
            return 1
    return status


SHELL = Shell({"ttmlir-opt": run_opt, "ttmlir-translate": TTMLIR_TRANSLATE.run})


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(HERE).with_suffix("").as_posix())
def test_run_lines(path: Path, tmp_path: Path) -> None:
    lines = run_lines(path)
    assert lines, "a test has a RUN line"
    values = {
        "%system_desc_path%": "",
        "%s": str(path),
        "%S": str(path.parent),
        "%t": str(tmp_path / f"{path.stem}.tmp"),
    }
    for line in lines:
        command = line
        for name, value in values.items():
            command = command.replace(name, value)
        result = SHELL.run(command)
        assert result.status == 0, f"{line}\n{result.errors}\n{result.output}"
