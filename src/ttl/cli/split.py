"""``ttl split PROGRAM`` writes an operation of one body with its kernels; ``ttl join PROGRAM`` does the reverse."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

from ttl.check.file import require_parts
from ttl.cli.options import Parser, add_settings, applied
from ttl.cli.program import load, no_program, path_of, split, write_file
from ttl.cli.status import Status
from ttl.diag import Diagnostic, Edit, report
from ttl.diag.fixes import SourceText, apply
from ttl.diag.model import Fix
from ttl.frontend.dividing import divided, with_one_body
from ttl.lang.one_body.text import edits, edits_of_joined, unwritable
from ttl.source.trees import SourceFile

_Change = tuple[SourceFile, list[Edit], list[Diagnostic]]


def main(argv: Sequence[str]) -> int:
    """Run ``ttl split`` and return the exit code: 1 when an operation cannot be divided.

    Raises ``UsageError`` TTL0102 (no program given), TTL0110 (cannot be read), TTL0111 (not Python) and TTL0117 (cannot write).
    """
    about = "Write the kernels of operations that are written as one body: the same program, with kernels."
    return _rewrite("split", about, argv, _divided)


def join(argv: Sequence[str]) -> int:
    """Run ``ttl join`` and return the exit code: 1 when the kernels of an operation cannot be joined into one body.

    The other operations are joined and written anyway. Raises the errors of ``main``.
    """
    about = "Write operations that define kernels as one body: the same program, with the same kernels when it runs."
    return _rewrite("join", about, argv, _joined)


def _rewrite(
    verb: str, about: str, argv: Sequence[str], change: Callable[[str, tuple[str, ...]], _Change]
) -> int:
    parser = Parser(verb, about, "PROGRAM [-- ARGS]")
    parser.add_argument(
        "program",
        metavar="PROGRAM",
        nargs="?",
        help="the Python file, - for standard input; behind --: its own arguments",
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="where to write it (default: standard output)")
    add_settings(parser)
    own, given = split(argv)
    arguments = parser.parse_mixed(own)
    if arguments.program is None:
        raise no_program(verb, f"write 'ttl {verb} PROGRAM'")
    with applied(arguments, arguments.program):
        require_parts(f"ttl {verb}")
        load(arguments.program)
        file, edits, findings = change(path_of(arguments.program), given)
        if findings:
            report.show_errors(findings)
        if findings and not edits:
            return Status.FAILED
        text = file.text
        if edits:
            source = SourceText(path=file.path, text=text, encoding="utf-8", content=text.encode())
            text = apply(source, [Fix(description="divide", edits=tuple(edits))])[0].text
        if arguments.output is None:
            sys.stdout.write(text)
        else:
            write_file(arguments.output, text)
        return Status.FAILED if findings else Status.OK


def _divided(path: str, given: tuple[str, ...]) -> _Change:
    file, bodies = divided(path, given)
    findings = [finding for _, result in bodies for finding in (*result.findings, *unwritable(result, file))]
    return file, edits(bodies, file) if bodies and not findings else [], findings


def _joined(path: str, given: tuple[str, ...]) -> _Change:
    file, bodies = with_one_body(path, given)
    findings = [result.finding for _, result in bodies if result.finding is not None]
    whole = [(definition, result.operation) for definition, result in bodies if result.operation is not None]
    return file, edits_of_joined(whole, file), findings
