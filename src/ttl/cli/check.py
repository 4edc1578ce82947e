"""``ttl check PROGRAM...``: find what would go wrong without running it, and repair what can be repaired."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial

from ttl import settings
from ttl.check.file import FileReport, check_file, require_parts
from ttl.cli import findings
from ttl.cli.options import ALLOW_UNCHECKED, Parser, add_settings, applied
from ttl.cli.program import finding_in, no_program, path_of, programs, split
from ttl.cli.status import Status
from ttl.diag import Severity, report


def main(argv: Sequence[str]) -> int:
    """Run the verb and return the exit code: 0 clean, 1 errors (with ``--strict`` anything), 2 wrong usage, 3 not all checked.

    Raises ``UsageError`` TTL0102 (no program given), TTL0110 (cannot be read), TTL0117 (cannot be written) and
    ``ProgramError`` TTL0116 (not installed).
    """
    parser = Parser(
        "check",
        "Find what would go wrong when a program runs, without running any of it.",
        "PROGRAM... [-- ARGS]",
    )
    parser.add_argument(
        "programs",
        metavar="PROGRAM",
        nargs="*",
        help="Python files, folders to look for programs in, - for standard input; behind --: the programs' own arguments",
    )
    parser.add_argument("--allow-unchecked", action="store_true", help=ALLOW_UNCHECKED)
    parser.add_argument("--fix", action="store_true", help="apply the fixes of findings that have one")
    parser.add_argument(
        "--diff", action="store_true", help="only show what --fix would change, as a unified diff"
    )
    add_settings(parser)
    own, given = split(argv)
    arguments = parser.parse_mixed(own)
    if not arguments.programs:
        raise no_program("check", "write 'ttl check PROGRAM...'")
    with applied(arguments) as chosen:
        require_parts("ttl check")
        paths = programs(arguments.programs)
        check = partial(_all, paths, chosen, given)
        unchecked = Status.OK if arguments.allow_unchecked else Status.UNCHECKED
        if arguments.diff:
            return _preview(paths, chosen, check, unchecked)
        if arguments.fix:
            from ttl.cli import fixing

            reports, changes = fixing.repaired(paths, check)
            fixing.write(changes)
        else:
            reports, changes = check(), ()
        findings.write(reports, changes, sys.stdout)
        return _status(reports, chosen, unchecked)


def _all(paths: Sequence[str], chosen: settings.Settings, given: tuple[str, ...]) -> list[FileReport]:
    return [_one(path, chosen, given) for path in paths]


def _one(name: str, chosen: settings.Settings, given: tuple[str, ...]) -> FileReport:
    path = path_of(name)
    problem = finding_in(name)
    if problem is not None:
        return FileReport(path=path, findings=(problem,))
    return check_file(path, chosen, given)


def _status(reports: Sequence[FileReport], chosen: settings.Settings, unchecked: Status) -> Status:
    if any(file_report.broken for file_report in reports):
        return Status.INTERNAL
    bad = any(
        file_report.findings if chosen.strict or file_report.strict else file_report.count(Severity.ERROR)
        for file_report in reports
    )
    if bad:
        return Status.FAILED
    return Status.OK if findings.is_whole(reports) else unchecked


def _preview(
    paths: Sequence[str],
    chosen: settings.Settings,
    check: Callable[[], list[FileReport]],
    unchecked: Status,
) -> Status:
    """The diff alone on standard output, for ``git apply``; what is said about it on standard error."""
    from ttl.cli import fixing

    reports, changes = fixing.repaired(paths, check)
    if chosen.format == "json":
        findings.write(reports, changes, sys.stdout)
    else:
        for change in changes:
            print(change.diff(color=report.colored(sys.stdout)), end="")
        sys.stdout.flush()
        print(findings.summary(reports, changes, would="would be "), file=sys.stderr)
    return Status.FAILED if changes else _status(reports, chosen, unchecked)
