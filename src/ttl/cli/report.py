"""``ttl report RUN... -o FILE``: make a page from the data of a run, or of several runs compared with a baseline.

``--to`` writes a folder for another tool instead.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ttl.cli.options import Parser, UsageError, add_settings, applied
from ttl.cli.program import check_writable, no_path, unwritable
from ttl.cli.status import Status
from ttl.diag import ProgramError
from ttl.diag.report import write as say
from ttl.emu import profile_runs
from ttl.report import assembly, reading, visualizer
from ttl.report.loaded import load
from ttl.report.reading import of_this_version
from ttl.report.text import is_data, write

if TYPE_CHECKING:
    import argparse


def main(argv: Sequence[str]) -> int:
    """Run the verb and return the exit code.

    Raises ``UsageError`` TTL0117 (cannot be written), TTL0140 (the page was not built), TTL0142 (no report) and TTL0143
    (reports of different programs).
    """
    parser = Parser(
        "report",
        "Make a page from the file that 'ttl run --report RUN.json' or 'ttl profile -o RUN' wrote; of two runs side by side; "
        "of several runs compared with the first or with --baseline, and also print the differences.",
        "RUN... -o FILE",
    )
    parser.add_argument("runs", metavar="RUN", nargs="+", help="the data of a run: a report or profiles")
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="the page: .html; as data: .json; may be left out where runs are compared; with --to, a folder",
    )
    parser.add_argument(
        "--to",
        choices=("visualizer",),
        help="write a folder that ttnn-visualizer opens, of one run: its operations, tensors and memory",
    )
    baseline = parser.add_mutually_exclusive_group()
    baseline.add_argument(
        "--baseline", metavar="FILE", help="the run that the others are compared with; default: the first"
    )
    baseline.add_argument(
        "--keep-baseline",
        metavar="FILE",
        help="the same, but if the file does not exist, write the first run to it",
    )
    add_settings(parser)
    arguments = parser.parse_mixed(argv)
    with applied(arguments) as chosen:
        for path in (arguments.output, arguments.baseline, arguments.keep_baseline):
            if path == "":
                raise UsageError(no_path("write -o FILE"))
        files = _files(arguments)
        if arguments.to is not None and (len(files) > 1 or arguments.keep_baseline is not None):
            parser.error("--to visualizer takes one run, and no baseline")
        if arguments.output is None and len(files) == 1 and arguments.keep_baseline is None:
            parser.error("the following arguments are required: -o/--output")
        try:
            if arguments.to is not None:
                return _export(files[0], arguments.output)
            return _report(files, arguments, as_json=chosen.format == "json")
        except ProgramError as raised:
            raise UsageError(*raised.diagnostics) from None


def _files(arguments: argparse.Namespace) -> list[str]:
    """The files to read, the baseline first."""
    kept = arguments.keep_baseline
    baseline = arguments.baseline or (kept if kept is not None and os.path.exists(kept) else None)
    return [*([] if baseline is None else [baseline]), *arguments.runs]


def _export(file: str, folder: str) -> int:
    with of_this_version(file):
        files = visualizer.files_of(load(file))
    try:
        visualizer.write(folder, files)
    except OSError as problem:
        raise UsageError(unwritable(folder, problem)) from None
    return Status.OK


def _report(files: Sequence[str], arguments: argparse.Namespace, *, as_json: bool) -> int:
    kept = arguments.keep_baseline
    kept = None if kept is None or os.path.exists(kept) else kept
    for path in (arguments.output, kept):
        if path is not None:
            check_writable(path)
    if arguments.output is not None and not is_data(arguments.output):
        assembly.require_page()
    reports = [reading.read(file) for file in files]
    names = reading.names_of(files)
    if len(reports) == 1:
        result = reports[0]
    elif len(reports) == 2:
        result = reading.pair(
            reports[0], reports[1], (os.path.normpath(files[0]), os.path.normpath(files[1]))
        )
    else:
        result = reading.runs(reports, names)
    for path, report in ((kept, reports[0]), (arguments.output, result)):
        if path is None:
            continue
        try:
            write(path, report)
        except OSError as problem:
            raise UsageError(unwritable(path, problem)) from None
    if len(reports) > 1:
        compared = reading.compared(reports, names)
        if compared is None:
            text = "no differences by line: the simulator counts steps, and not all of these runs have cycles"
        elif as_json:
            text = json.dumps(profile_runs.to_object(compared), ensure_ascii=False)
        else:
            text = profile_runs.render(compared)
        say(text, stream=sys.stdout)
    return Status.OK
