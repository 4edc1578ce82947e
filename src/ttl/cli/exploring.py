"""``ttl run --schedules N`` with ``--jobs`` or ``--cluster``: the schedules are shared among processes.

Each process runs the whole program, with every launch under the plain schedule and under its own share of the seeds. It
finds what one process with all seeds would find with these. The finding that is shown is that of the first launch that
fails, under its smallest failing seed: it depends neither on how the seeds are shared nor on processes that died.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Sequence
from typing import Any

from ttl import settings
from ttl.cli.options import UsageError
from ttl.cli.status import Status
from ttl.cli.workers import pool_of
from ttl.diag import Diagnostic, error, report
from ttl.diag import json as diag_json
from ttl.sweeps.work import SweepLimits, SweepWork

_SHARES = 2
"""The number of shares of the seeds per process: shares are small because a process that dies loses its share."""
# A program may run for long; a program that hangs is ended after this time.
_LIMITS = SweepLimits(seconds=24 * 3600.0, megabytes=1 << 16)


def run_shared(
    chosen: settings.Settings,
    program: str,
    args: Sequence[str],
    arguments: argparse.Namespace,
    run: Callable[[settings.Settings, str, Sequence[str]], int],
) -> int:
    """Run a program here with ``run``, and under other schedules in other processes; return the exit code of both.

    Only the run here shows the program's output. Raises ``UsageError`` TTL0150 when there are no other schedules and
    TTL0151 when seeds could not be tried, and the errors of ``run`` and ``pool_of``.
    """
    path = os.path.abspath(program)
    if chosen.schedules < 2 or chosen.target != "sim":
        raise UsageError(nothing_to_share("the program is run under one"))
    if not os.path.isfile(path):
        raise UsageError(nothing_to_share("other processes can read a program that is a file"))
    with settings.override(check="off") as unchecked:
        task = {
            "settings": settings.to_json(unchecked),
            "program": path,
            "arguments": list(args),
            "folder": os.getcwd(),
        }
    work = SweepWork(function="ttl.cli.run_share:tried", task=task, files=(path,), limits=_LIMITS)
    count = chosen.schedules - 1
    with pool_of(arguments, work) as pool:
        size = -(-count // (_SHARES * pool.size))
        shares = [(first, min(size, count - first)) for first in range(0, count, size)]
        for number, share in enumerate(shares):
            pool.submit(number, share)
        with settings.override(schedules=1) as alone:
            status = run(alone, program, args)
        if status != Status.OK:
            return status
        failures: list[tuple[list[int], Any]] = []
        for _ in shares:
            answer = pool.wait()
            if answer.loss:
                raise UsageError(not_tried(*shares[answer.number], answer.why))
            if answer.value is not None:
                failures.append((answer.value["failed"], answer.value["findings"]))
    if not failures:
        return Status.OK
    _, findings = min(failures, key=lambda item: item[0])
    report.show_errors([diag_json.from_object(finding) for finding in findings])
    return Status.FAILED


def nothing_to_share(why: str) -> Diagnostic:
    """The error when several processes are requested but have nothing to share (TTL0150)."""
    return error(
        "TTL0150",
        f"ttl run spreads schedules over processes, and {why}",
        help="give --schedules N, in the simulator; leave out --jobs and --cluster to run the program once",
    )


def not_tried(first: int, count: int, why: str) -> Diagnostic:
    """The error for seeds whose process did not complete them (TTL0151)."""
    seeds = f"seed {first} was" if count == 1 else f"seeds {first} to {first + count - 1} were"
    return error(
        "TTL0151",
        f"{seeds} not tried to the end: {why}",
        notes=(
            "the findings of the other processes are not shown: it is not known which finding is the first",
        ),
        help="run one of them alone: ttl run --schedule-seed N; workers with more memory, or fewer workers, may help",
    )
