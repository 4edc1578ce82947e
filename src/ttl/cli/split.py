"""``ttl split PROGRAM``: operations that are written as one body, as source with the kernels that they are divided into."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from ttl.check.file import require_parts
from ttl.cli.options import Parser, add_settings, applied
from ttl.cli.program import load, no_program, path_of, split, write_file
from ttl.cli.status import Status
from ttl.diag import report
from ttl.diag.fixes import SourceText, apply
from ttl.diag.model import Fix


def main(argv: Sequence[str]) -> int:
    """Run the verb and return the exit code: 1 when an operation cannot be divided.

    Raises ``UsageError`` TTL0102 (no program given), TTL0110 (cannot be read), TTL0111 (not Python) and TTL0117 (cannot write).
    """
    parser = Parser(
        "split",
        "Write the kernels of operations that are written as one body: the same program, with kernels.",
        "PROGRAM [-- ARGS]",
    )
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
        raise no_program("split", "write 'ttl split PROGRAM'")
    with applied(arguments, arguments.program):
        require_parts("ttl split")
        load(arguments.program)
        return _split(path_of(arguments.program), given, arguments.output)


def _split(path: str, given: tuple[str, ...], output: str | None) -> int:
    from ttl.frontend.dividing import divided
    from ttl.lang.one_body.text import edits, unwritable

    file, bodies = divided(path, given)
    findings = [finding for _, result in bodies for finding in (*result.findings, *unwritable(result, file))]
    if findings:
        report.show_errors(findings)
        return Status.FAILED
    text = file.text
    if bodies:
        source = SourceText(path=path, text=text, encoding="utf-8", content=text.encode())
        text = apply(source, [Fix(description="divide", edits=tuple(edits(bodies, file)))])[0].text
    if output is None:
        sys.stdout.write(text)
        return Status.OK
    write_file(output, text)
    return Status.OK
