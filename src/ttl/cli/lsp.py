"""``ttl lsp``: the language server, for editors."""

from __future__ import annotations

import logging
import sys
from argparse import ArgumentTypeError
from collections.abc import Sequence

from ttl.check.file import require_package, require_parts
from ttl.cli.options import Parser, UsageError, add_settings, applied
from ttl.cli.program import unwritable
from ttl.cli.status import Status

# Only programs of the same machine can talk to the server.
_LOOPBACK = "127.0.0.1"


def main(argv: Sequence[str]) -> int:
    """Serve until the client disconnects.

    Raises ``ProgramError`` TTL0116 (not installed), ``UsageError`` TTL0113 (the port) and TTL0117 (the log).
    """
    parser = Parser("lsp", "Serve an editor over the Language Server Protocol, on standard input and output.")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--stdio", action="store_true", help="talk on standard input and output (the default)")
    where.add_argument(
        "--tcp",
        metavar="PORT",
        type=_port,
        help=f"wait for one client on this port of {_LOOPBACK} instead; 0: any free one, which standard error says",
    )
    parser.add_argument("--log", metavar="FILE", help="write a log of the server to this file")
    add_settings(parser)
    arguments = parser.parse(argv)
    for package in ("pygls", "lsprotocol"):
        require_package("ttl lsp", package, "lsp")
    require_parts("ttl lsp")
    _log_to(arguments.log)
    with applied(arguments) as settings:
        from ttl.lsp.server import make
        from ttl.lsp.transport import serve_stdio, serve_tcp

        server = make(settings)
        if arguments.tcp is None:
            serve_stdio(server)
        try:
            serve_tcp(server, _LOOPBACK, arguments.tcp)
        except OSError as problem:
            parser.error(
                f"argument --tcp: port {arguments.tcp}: {(problem.strerror or str(problem)).lower()}"
            )
    return Status.OK


def _port(text: str) -> int:
    if text.isascii() and text.isdecimal() and len(text) < 6 and int(text) < 1 << 16:
        return int(text)
    raise ArgumentTypeError(f"takes a port from 0 to 65535, not '{text}'")


def _log_to(file: str | None) -> None:
    """Log events to a file; without a file, log only critical errors to standard error."""
    layout = "%(asctime)s %(levelname)s %(name)s: %(message)s"
    if file is None:
        logging.basicConfig(level=logging.CRITICAL, stream=sys.stderr, format=layout)
        return
    try:
        logging.basicConfig(level=logging.INFO, filename=file, format=layout, encoding="utf-8")
    except OSError as problem:
        raise UsageError(unwritable(file, problem, "give the path of a file that can be written")) from None
