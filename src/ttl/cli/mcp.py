"""``ttl mcp``: the tools of this package for AI agents."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from ttl.check.file import require_package, require_parts
from ttl.cli.options import Parser, add_settings, applied, positive
from ttl.cli.status import Status
from ttl.processes.tasks import Limits


def main(argv: Sequence[str]) -> int:
    """Serve until the client disconnects.

    Raises ``ProgramError`` TTL0116 (not installed) and ``UsageError`` TTL0113 (a wrong value).
    """
    parser = Parser("mcp", "Serve an AI agent over the Model Context Protocol, on standard input and output.")
    parser.add_argument(
        "--root",
        metavar="FOLDER",
        type=_folder,
        default=Path.cwd(),
        help="the folder whose programs may be checked and run; default: the working folder",
    )
    parser.add_argument(
        "--seconds", type=positive, default=60, metavar="N", help="seconds that one run may take; default: 60"
    )
    parser.add_argument(
        "--megabytes",
        type=positive,
        default=4096,
        metavar="N",
        help="memory that one run may use; default: 4096",
    )
    parser.add_argument(
        "--allow-open",
        action="store_true",
        help="also run programs where their access to the network and files cannot be restricted",
    )
    add_settings(parser)
    arguments = parser.parse(argv)
    require_package("ttl mcp", "mcp", "mcp")
    require_parts("ttl mcp")
    with applied(arguments):
        from ttl.mcp.server import make

        limits = Limits(seconds=arguments.seconds, megabytes=arguments.megabytes)
        make(arguments.root, limits, allow_open=arguments.allow_open).run("stdio")
    return Status.OK


def _folder(text: str) -> Path:
    if not os.path.isdir(text):
        raise argparse.ArgumentTypeError(f"takes a folder, and the folder '{text}' does not exist")
    return Path(text).resolve()
