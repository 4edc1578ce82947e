"""``ttl compile PROGRAM --emit ttl``: print the dialect of the operations a program calls."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ttl.check.file import require_parts
from ttl.cli.options import Parser, UsageError, add_settings, applied
from ttl.cli.program import load, no_program, unwritable
from ttl.cli.status import Status
from ttl.diag import Severity, report
from ttl.settings import Setting

if TYPE_CHECKING:
    from ttl.frontend.lowered import Lowered

# What can be printed; reserved is what comes below the dialect.
_EMIT = Setting(
    name="emit",
    type="choice",
    default="ttl",
    env="",
    flag="--emit",
    help="what is printed: ttl, the dialect of the language",
    choices=("ttl", "ttkernel", "cpp", "project"),
    planned=("ttkernel", "cpp", "project"),
)


def main(argv: Sequence[str]) -> int:
    """Run the verb and return the exit code: 1 when a part of the program cannot be compiled.

    Raises ``UsageError`` TTL0102 (no program given), TTL0108 (``--emit`` something reserved), TTL0110 (cannot be read),
    TTL0111 (not Python), TTL0117 (cannot write the file) and ``ProgramError`` TTL0116 (not installed).
    """
    parser = Parser("compile", "Compile the operations that a program calls, without running any of it.")
    parser.add_argument("program", metavar="PROGRAM", nargs="?", help="the Python file to compile")
    parser.add_argument(_EMIT.flag, metavar="ttl", default=_EMIT.default, help=_EMIT.help)
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="write it to a file (default: standard output)"
    )
    parser.add_argument(
        "--print-ir-after-all",
        action="store_true",
        help="show the dialect after every step, on standard error",
    )
    parser.add_argument("--print-debuginfo", action="store_true", help="print the place of every operation")
    add_settings(parser)
    arguments = parser.parse_mixed(argv)
    if arguments.program is None:
        raise no_program("compile", "write 'ttl compile PROGRAM --emit ttl'")
    _EMIT.parse(arguments.emit, _EMIT.flag)
    with applied(arguments):
        require_parts("ttl compile")
        load(arguments.program)
        return _compile(
            os.path.abspath(arguments.program),
            arguments.output,
            after_all=arguments.print_ir_after_all,
            places=arguments.print_debuginfo,
        )


def _compile(path: str, output: str | None, *, after_all: bool, places: bool) -> int:
    from ttl.frontend.file import lower_file

    lowered = lower_file(path)
    text = _printed(lowered, places)
    if after_all:
        print(f"// -----// IR after the front end //----- //\n{text}", end="", file=sys.stderr)
    _write(text, output)
    for finding in lowered.diagnostics:
        report.emit(finding)
    for reason in lowered.notes:
        print(f"not compiled: {reason}", file=sys.stderr)
    failed = any(finding.severity is Severity.ERROR for finding in lowered.diagnostics)
    return Status.FAILED if failed else Status.OK


def _printed(lowered: Lowered, places: bool) -> str:
    from ttl.dialects.printer import print_module

    return print_module(lowered.module, locations=places).rstrip("\n") + "\n"


def _write(text: str, output: str | None) -> None:
    if output in (None, "-"):
        print(text, end="", flush=True)
        return
    assert output is not None
    try:
        with open(output, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as problem:
        raise UsageError(
            unwritable(output, problem, "give the path of a file in a folder that exists")
        ) from None
