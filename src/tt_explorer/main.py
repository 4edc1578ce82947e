"""``tt-explorer [MODEL ...]``: start the server and open its page."""

from __future__ import annotations

import argparse
import sys
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from tt_explorer.guard import ExplorerError
from ttl.diag import ProgramError, report
from ttl_start import listen


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run as a console script."""
    options = _parser().parse_args(arguments)
    missing = [path for path in options.model if not Path(path).is_file()]
    if missing:
        _fail(f"there is no file {missing[0]}", "name files of TTIR, TTNN (.mlir), or binaries (.ttnn)")
    from tt_explorer.server import ExplorerServer

    models = tuple(str(Path(path).resolve()) for path in options.model)
    try:
        server = ExplorerServer(options.port, models)
    except ExplorerError as problem:
        _fail(str(problem), problem.way_out)
    except ProgramError as problem:
        report.show_errors(problem.diagnostics)
        sys.exit(1)
    print(f"Starting Model Explorer server at:\n{server.address}\n\nPress Ctrl+C to stop.", flush=True)
    if not options.no_open_in_browser:
        webbrowser.open_new_tab(server.address)
    listen()
    try:
        server.wait()
    except KeyboardInterrupt:
        server.close()
    sys.exit(0)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tt-explorer",
        description="Models of TT-MLIR in a browser: graphs, layouts, PCC and estimated times; layouts can be chosen by click.",
    )
    parser.add_argument("model", nargs="*", help="files of TTIR or TTNN (.mlir), or binaries (.ttnn)")
    parser.add_argument(
        "--port", type=_port, default=8080, help="the port on this machine; 0 for any free one (default 8080)"
    )
    parser.add_argument("--no-open-in-browser", action="store_true", help="say the address only")
    return parser


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"a port is a number from 0 to 65535, not {text}")
    return int(text)


def _fail(message: str, help: str) -> NoReturn:
    print(f"tt-explorer: error: {message}\n  = help: {help}", file=sys.stderr)
    sys.exit(1)


if __name__ == "__main__":
    main()
