"""``ttl report RUN [OTHER] -o FILE``: a page of a run that was reported as data, or of two side by side."""

from __future__ import annotations

import os
from collections.abc import Sequence

from ttl.cli.options import Parser, UsageError, add_settings, applied
from ttl.cli.program import check_writable, no_path, unwritable
from ttl.cli.status import Status
from ttl.diag import ProgramError


def main(argv: Sequence[str]) -> int:
    """Run the verb and return the exit code.

    Raises ``UsageError`` TTL0117 (cannot be written), TTL0140 (the page was not built), TTL0142 (no report) and TTL0143
    (reports of different programs).
    """
    parser = Parser(
        "report",
        "Make a page of a run, from what 'ttl run --report RUN.json' or 'ttl profile -o RUN' wrote; of two runs, side by side.",
        "RUN [OTHER] -o FILE",
    )
    parser.add_argument("run", metavar="RUN", help="the data of a run: a report or profiles")
    parser.add_argument("other", metavar="OTHER", nargs="?", help="a later run of the program, to compare")
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        required=True,
        help="the page: .html; as data: .json",
    )
    add_settings(parser)
    arguments = parser.parse_mixed(argv)
    with applied(arguments):
        if arguments.output == "":
            raise UsageError(no_path("write -o FILE"))
        check_writable(arguments.output)
        from ttl.report import assembly, reading
        from ttl.report.text import is_data, write

        try:
            if not is_data(arguments.output):
                assembly.require_page()
            report = reading.read(arguments.run)
            if arguments.other is not None:
                files = (os.path.normpath(arguments.run), os.path.normpath(arguments.other))
                report = reading.pair(report, reading.read(arguments.other), files)
        except ProgramError as raised:
            raise UsageError(*raised.diagnostics) from None
        try:
            write(arguments.output, report)
        except OSError as problem:
            raise UsageError(unwritable(arguments.output, problem)) from None
    return Status.OK
