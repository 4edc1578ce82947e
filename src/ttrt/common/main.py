"""``ttrt`` on the command line. Exit codes: 0 all passed, 1 something did not, or the command line is wrong."""

from __future__ import annotations

import argparse
import sys
from typing import NoReturn

from ttrt.common.api import COMMANDS
from ttrt.common.util import CommandError, version


def parser() -> argparse.ArgumentParser:
    """The command line."""
    top = argparse.ArgumentParser(
        prog="ttrt", description="Read and run binaries of TT-MLIR; without a card, on a simulated system."
    )
    top.add_argument("-V", "--version", action="version", version=f"ttrt {version()}")
    commands = top.add_subparsers(title="commands", metavar="COMMAND")
    for command in COMMANDS:
        command.add_to(commands)
    return top


def main() -> NoReturn:
    """Run as a console script."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run with these arguments; returns the exit code."""
    line = parser()
    try:
        given, unknown = line.parse_known_args(arguments)
        if unknown:
            line.error(_unknown(unknown[0], given))
    except SystemExit as problem:
        return 1 if problem.code else 0
    options = dict(vars(given))
    command = options.pop("command", None)
    if command is None:
        line.print_help()
        return 1
    from ttmlir.runtime.problems import RuntimeProblem
    from ttrt.binary import BinaryError

    try:
        code, _ = command(options)()
    except (CommandError, BinaryError, RuntimeProblem) as problem:
        sys.stderr.write(f"ttrt: error: {problem}\n")
        return 1
    except KeyboardInterrupt:
        sys.stderr.write("ttrt: stopped\n")
        return 130
    return int(code)


def _unknown(argument: str, given: argparse.Namespace) -> str:
    """What is wrong with an argument that the command does not have."""
    command = getattr(given, "command", None)
    if command is None or not argument.startswith("-"):
        return f"unrecognized argument {argument}"
    text: str = command.unknown_flag(argument.partition("=")[0])
    return text
