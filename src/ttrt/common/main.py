"""``ttrt`` on the command line. Exit codes: 0 if all passed, 1 if not, 130 if interrupted.

A file that was skipped has not passed. A wrong command line also has the exit code 1.
"""

from __future__ import annotations

import argparse
import os
import sys
from typing import NoReturn

from tt_model.runtime.problems import RuntimeProblem
from ttl.diag import ProgramError, report
from ttrt.binary import FlatbufferError
from ttrt.common.api import COMMANDS
from ttrt.common.problems import finding_of, wrong_option
from ttrt.common.util import version


class _CommandParser(argparse.ArgumentParser):
    """A parser whose errors have a code."""

    def error(self, message: str) -> NoReturn:
        raise wrong_option(message, help=f"'{self.prog} --help' lists the commands")


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    top = _CommandParser(
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
    """Run with these arguments, and return the exit code."""
    line = parser()
    try:
        given, unknown = line.parse_known_args(arguments)
        if unknown:
            raise wrong_option(*_unknown(unknown[0], given))
        options = dict(vars(given))
        command = options.pop("command", None)
        if command is None:
            line.print_help()
            return 1
        code, _ = command(options)()
    except SystemExit as leaving:  # argparse after --help
        return 1 if leaving.code else 0
    except ProgramError as problem:
        report.show_errors(problem.diagnostics)
        return 1
    except (FlatbufferError, RuntimeProblem) as problem:
        report.show_errors((finding_of("ttrt", problem),))
        return 1
    except BrokenPipeError:  # the reader of a pipe (head, less) has left
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        sys.stderr.write("ttrt: stopped\n")
        return 130
    return int(code)


def _unknown(argument: str, given: argparse.Namespace) -> tuple[str, str]:
    """Return the message and the hint for an argument that the command does not have."""
    command = getattr(given, "command", None)
    if command is None or not argument.startswith("-"):
        return f"unrecognized argument {argument}", "'ttrt --help' lists the commands"
    told: tuple[str, str] = command.unknown_flag(argument.partition("=")[0])
    return told
