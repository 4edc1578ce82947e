"""``ttl check PROGRAM...``: find errors of programs without running them, and apply the fixes of findings."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from functools import partial

from ttl import settings
from ttl.check.file import FileReport, check_file, require_parts
from ttl.cli import findings
from ttl.cli.options import ALLOW_UNCHECKED, Parser, add_settings, applied
from ttl.cli.program import finding_in, no_program, path_of, programs, split
from ttl.cli.status import Status
from ttl.cli.workers import add_workers, pool_of, workers_asked_for
from ttl.diag import Severity, report
from ttl.source.files import display_name
from ttl_start.kept_code import code_kept


@code_kept()
def main(argv: Sequence[str]) -> int:
    """Run the verb and return the exit code.

    It is 0 without errors, 1 with errors (``--strict``: any finding; ``--diff``: also any change), 2 for wrong usage, 3
    if a part was not checked, and 70 for a defect of this package.
    Raises ``UsageError`` TTL0102 (no program given), TTL0110 (cannot be read), TTL0117 (cannot be written) and
    ``ProgramError`` TTL0116 (not installed).
    """
    parser = Parser(
        "check",
        "Find the errors that a program would have when it runs, without running any of it.",
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
    add_workers(parser, jobs=1)
    add_settings(parser)
    own, given = split(argv)
    arguments = parser.parse_mixed(own)
    if not arguments.programs:
        raise no_program("check", "write 'ttl check PROGRAM...'")
    with applied(arguments) as chosen:
        require_parts("ttl check")
        paths = programs(arguments.programs)
        check = partial(_all, paths, chosen, given)
        if workers_asked_for(arguments):
            check = partial(_elsewhere, paths, chosen, given, arguments)
        unchecked = Status.OK if arguments.allow_unchecked else Status.UNCHECKED
        if arguments.diff:
            return _preview(paths, chosen, check, unchecked)
        if arguments.fix:
            from ttl.cli import fixing

            reports, changes = fixing.repaired(paths, check)
            fixing.write(changes)
        else:
            reports, changes = check(), ()
        findings.write(reports, changes, sys.stdout, chosen.format)
        return _status(reports, chosen, unchecked)


def _all(paths: Sequence[str], chosen: settings.Settings, given: tuple[str, ...]) -> list[FileReport]:
    return [_one(path, chosen, given) for path in paths]


def _elsewhere(
    names: Sequence[str], chosen: settings.Settings, given: tuple[str, ...], arguments: argparse.Namespace
) -> list[FileReport]:
    """Check the files in other processes; a file whose process dies, or takes too long, counts as not checked."""
    from ttl.check import corpus
    from ttl.sweeps.work import SweepWork

    reports: dict[int, FileReport] = {}
    paths = [path_of(name) for name in names]
    with pool_of(
        arguments,
        SweepWork(function=corpus.FUNCTION, task=corpus.task_of(chosen, given), files=tuple(paths)),
    ) as pool:
        for number, (name, path) in enumerate(zip(names, paths, strict=True)):
            problem = finding_in(name)
            if problem is None:
                pool.submit(number, corpus.item_of(path))
            else:
                reports[number] = FileReport(path=path, findings=(problem,))
        for _ in range(len(paths) - len(reports)):
            answer = pool.wait()
            if answer.loss:
                left_out = f"{display_name(paths[answer.number])}: {answer.why}"
                reports[answer.number] = FileReport(path=paths[answer.number], not_checked=(left_out,))
            else:
                reports[answer.number] = corpus.report_of(answer.value)
    return [reports[number] for number in sorted(reports)]


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
    """Write only the diff to standard output, for ``git apply``, and the summary to standard error.

    With ``--format json``, the report goes to standard output instead.
    """
    from ttl.cli import fixing

    reports, changes = fixing.repaired(paths, check)
    if chosen.format == "json":
        findings.write(reports, changes, sys.stdout, chosen.format)
    else:
        for change in changes:
            print(change.diff(color=report.colored(sys.stdout)), end="")
        sys.stdout.flush()
        print(findings.summary(reports, changes, would="would be "), file=sys.stderr)
    return Status.FAILED if changes else _status(reports, chosen, unchecked)
