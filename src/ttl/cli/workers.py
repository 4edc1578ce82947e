"""Flags of verbs that work on many items: the number of processes, and the cluster."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from ttl import native
from ttl.check.file import require_package
from ttl.cli.options import Parser, positive

# Modules that start processes are imported when they are needed.
if TYPE_CHECKING:
    from ttl.sweeps.pool import SweepPool
    from ttl.sweeps.work import SweepWork


def add_workers(parser: Parser, *, jobs: int | None = None) -> None:
    """Add ``--jobs`` and ``--cluster``. ``jobs`` is the default number of processes; None means one for every core."""
    parser.add_argument(
        "--jobs",
        type=positive,
        default=jobs or native.cores(),
        metavar="N",
        help=f"processes on this machine; default: {jobs or 'one for every core'}",
    )
    parser.add_argument(
        "--cluster",
        metavar="ADDRESS",
        help="work on the Dask cluster whose scheduler is at this address, such as tcp://10.0.0.1:8786",
    )


def workers_asked_for(arguments: argparse.Namespace) -> bool:
    """Whether the flags ask for other processes to do the work."""
    return arguments.cluster is not None or arguments.jobs > 1


def pool_of(arguments: argparse.Namespace, work: SweepWork) -> SweepPool:
    """Return the pool of processes that the flags ask for.

    Raises ``ProgramError``: TTL0116 when ``distributed`` is not installed, TTL0126 when no cluster answers.
    """
    from ttl.sweeps.pool import pool_for

    if arguments.cluster is not None:
        require_package("--cluster", "distributed", "dask")
    return pool_for(work, jobs=arguments.jobs, cluster=arguments.cluster)
