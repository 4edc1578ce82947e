"""``ttl profile PROGRAM``: the cycles of a program by line; ``ttl profile --diff BEFORE AFTER``: how they changed."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ttl import settings
from ttl.cli.options import Parser, UsageError, add_settings, applied
from ttl.cli.program import no_path, no_program
from ttl.cli.run import behind_dashes, run_program
from ttl.cli.status import Status
from ttl.diag import Diagnostic, ProgramError, error
from ttl.diag.report import write
from ttl.emu import profile_diff
from ttl.emu.measured import read
from ttl.emu.profile_json import from_object, objects_in
from ttl.source.files import check_finite

if TYPE_CHECKING:
    from ttl.emu.measured import MeasuredRuns
    from ttl.emu.profile import Profile


def main(argv: Sequence[str]) -> int:
    """Run the verb and return the exit code.

    Raises ``UsageError`` TTL0102 (no program given), TTL0124 (a file without a profile), TTL0147 (a file without
    measurements of a card), and the errors of ``ttl run``.
    """
    parser = Parser(
        "profile",
        "Run a program on the emulated chip and show where its cycles go, as 'ttl run --target emu --profile' does.",
        "PROGRAM [[--] ARGS]",
    )
    parser.add_program()
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="write the profiles to a file, a line of JSON for every launch"
    )
    parser.add_argument(
        "--diff",
        nargs=2,
        metavar=("BEFORE", "AFTER"),
        help="run nothing: show the differences between two such files",
    )
    parser.add_argument(
        "--measured",
        metavar="FILE",
        help="show measurements of a card beside it: profile_log_device.csv of the device profiler",
    )
    add_settings(parser)
    arguments = parser.parse(argv)
    if arguments.diff is not None:
        if arguments.program is not None or arguments.output is not None:
            parser.error("argument --diff: not allowed with a program or -o")
        with applied(arguments) as chosen:
            return _diff(*arguments.diff, json_wanted=chosen.format == "json")
    if arguments.program is None:
        raise no_program(
            "profile", "write 'ttl profile PROGRAM [ARGS]', or 'ttl profile --diff BEFORE AFTER'"
        )
    if arguments.output == "":
        raise UsageError(no_path("write -o FILE"))
    given = vars(arguments)
    implied = {name: value for name, value in (("target", "emu"), ("profile", True)) if name not in given}
    with (
        applied(arguments, arguments.program),
        settings.overriding(implied, dict.fromkeys(implied, "ttl profile")) as chosen,
    ):
        measured = None if arguments.measured is None else _measured(arguments.measured)
        own = behind_dashes(arguments.args)
        return run_program(chosen, arguments.program, own, arguments.output, measured)


def _measured(path: str) -> MeasuredRuns:
    """Read the measurements of a card from a file. Raises ``UsageError`` TTL0147."""
    try:
        return read(path)
    except ProgramError as raised:
        raise UsageError(*raised.diagnostics) from None


def _diff(before: str, after: str, *, json_wanted: bool) -> int:
    diff = profile_diff.compared(_profiles(before), _profiles(after))
    text = (
        json.dumps(profile_diff.to_object(diff), ensure_ascii=False)
        if json_wanted
        else profile_diff.render(diff)
    )
    write(text, stream=sys.stdout)
    return Status.OK


def _profiles(path: str) -> list[Profile]:
    """The profiles in a file. Raises ``UsageError`` TTL0124."""
    try:
        check_finite(path)
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except OSError as problem:
        raise UsageError(_no_profile(path, (problem.strerror or str(problem)).lower())) from None
    except UnicodeDecodeError:
        raise UsageError(_no_profile(path, "it is not text")) from None
    profiles = []
    for number, item in enumerate(objects_in(text), 1):
        try:
            profiles.append(from_object(item))
        except (ValueError, TypeError, KeyError, AttributeError) as problem:
            reason = (
                f"profile {number} in it is not one of this version ({type(problem).__name__}: {problem})"
            )
            raise UsageError(_no_profile(path, reason)) from None
    if not profiles:
        raise UsageError(_no_profile(path, "the file has no profile"))
    return profiles


def _no_profile(path: str, why: str) -> Diagnostic:
    return error(
        "TTL0124",
        f"cannot read a profile from '{path}': {why}",
        help="'ttl profile -o FILE PROGRAM' writes one, and so does '--profile --format json' on standard error",
    )
