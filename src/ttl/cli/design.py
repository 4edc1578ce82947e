"""``ttl design PROGRAM``: the designs for tile programs, with their reasons."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ttl.check.file import require_parts
from ttl.cli.options import Parser, UsageError, add_settings, applied
from ttl.cli.program import load, no_program, path_of, split, write_file
from ttl.cli.status import Status
from ttl.design import text
from ttl.design.listing import compared, designs_of
from ttl.diag import Severity, report
from ttl.rules.design import no_choice
from ttl.settings import current_chip

if TYPE_CHECKING:
    from ttl.design.listing import Designed


def why_not(argv: Sequence[str]) -> int:
    """Run ``ttl why-not`` and return the exit code.

    Raises the errors of ``main``, and ``UsageError`` TTL1814 for a choice that does not exist.
    """
    parser = Parser(
        "why-not",
        "Say what another choice for a tile program would cost, or which rule forbids it.",
        "PROGRAM CHOICE... [-- ARGS]",
    )
    parser.add_argument(
        "program", metavar="PROGRAM", nargs="?", help="the Python file; behind --: its own arguments"
    )
    parser.add_argument(
        "choices",
        metavar="CHOICE",
        nargs="*",
        help="m=4 for the step of a loop by its variable, multicast=no, diagonal=no, divided=no",
    )
    add_settings(parser)
    own, given = split(argv)
    arguments = parser.parse_mixed(own)
    if arguments.program is None or not arguments.choices:
        raise no_program("why-not", "write 'ttl why-not PROGRAM m=4'")
    choices = dict(choice.partition("=")[::2] for choice in arguments.choices)
    with applied(arguments, arguments.program):
        calls, _ = _designs("ttl why-not", arguments.program, given)

        designed = [call for call in calls if call.design is not None]
        for call in designed:
            assert call.design is not None
            try:
                told = compared(call.wanted, call.design, choices)
            except ValueError as wrong:
                raise UsageError(no_choice(str(wrong))) from None
            sys.stdout.write(f"{call.design.plan.graph.name}: {told}\n")
        return Status.OK if designed else Status.FAILED


def main(argv: Sequence[str]) -> int:
    """Run ``ttl design`` and return the exit code: 1 when a tile program cannot be designed.

    Raises ``UsageError`` TTL0102 (no program given), TTL0110 (cannot be read), TTL0111 (not Python) and TTL0117 (cannot write).
    """
    parser = Parser(
        "design",
        "Show what is designed for the tile programs of a program: the plan, its reasons, and the explicit operation.",
        "PROGRAM [-- ARGS]",
    )
    parser.add_argument(
        "program",
        metavar="PROGRAM",
        nargs="?",
        help="the Python file, - for standard input; behind --: its own arguments",
    )
    parser.add_argument(
        "--explain", metavar="LINE", type=int, help="explain the decisions for a line of the program"
    )
    parser.add_argument(
        "--keep",
        metavar="FILE",
        help="write the explicit operation as a module, with a test that it is equal",
    )
    add_settings(parser)
    own, given = split(argv)
    arguments = parser.parse_mixed(own)
    if arguments.program is None:
        raise no_program("design", "write 'ttl design PROGRAM'")
    with applied(arguments, arguments.program) as chosen:
        calls, is_wrong = _designs("ttl design", arguments.program, given)

        path, chip = path_of(arguments.program), current_chip(chosen)
        shown = []
        for call in calls:
            if call.design is None:
                continue
            if arguments.explain is not None:
                why = text.explained(call.design.plan, arguments.explain)
                shown += why or [
                    f"the design of {call.design.plan.graph.name} has nothing for line {arguments.explain} of {arguments.program}"
                ]
            else:
                shown.append(text.table(call.design, call.wanted.arguments, chip) + "\n" + call.design.text)
        if not calls and not is_wrong:
            shown.append(
                "no tile program is called: write @ttl.tile_operation(), and call it or declare a call with @ttl.example"
            )
        sys.stdout.write("\n".join(shown) + ("\n" if arguments.explain is not None or not calls else ""))
        if arguments.keep is not None and calls and calls[0].design is not None:
            write_file(arguments.keep, text.module(calls[0].design, calls[0].wanted.arguments, path, chip))
        return Status.FAILED if is_wrong else Status.OK


def _designs(command: str, program: str, given: Sequence[str]) -> tuple[list[Designed], bool]:
    """The designs of a program's calls, and whether the program has errors, which are shown."""
    require_parts(command)
    load(program)

    calls, findings = designs_of(path_of(program), tuple(given))
    errors = [finding for finding in findings if finding.severity is Severity.ERROR]
    if errors:
        report.show_errors(errors)
    return calls, bool(errors)
