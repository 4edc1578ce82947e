"""Flags from the table of settings, and diagnostics for wrong flags."""

from __future__ import annotations

import argparse
import difflib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import NoReturn

from ttl import settings
from ttl.cli.status import epilog
from ttl.diag import ProgramError, TTLError, error
from ttl.session import CHOSEN
from ttl.session.counterparts import INSTEAD

_COMPLAINT = re.compile(
    r"argument (?P<flag>\S+): (?:expected one argument|ignored explicit argument (?P<value>'.*'))"
)


# The attribute of an error raised by a verb that has the settings of the command line.
SHOWN_WITH = "_shown_with"
ALLOW_UNCHECKED = "exit with 0 if something could not be checked and nothing else is wrong"


class UsageError(ProgramError):
    """An error of the command line: exit code 2. ``core`` is the other core that the command line needs, if any."""

    core: str = ""


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are diagnostics. ``arguments`` is the part of its usage line after the flags."""

    def __init__(self, verb: str, description: str, arguments: str = "") -> None:
        super().__init__(
            prog=f"ttl {verb}",
            usage=f"ttl {verb} [FLAGS] {arguments}".rstrip(),
            description=description,
            epilog=epilog(),
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        self.verb = verb
        self._rarer: dict[argparse.Action, str] = {}

    def has(self, flag: str) -> bool:
        """Whether the parser already has a flag: a verb may define it with another meaning."""
        return any(flag in action.option_strings for action in self._actions)

    def add_program(self) -> None:
        """Add the positional arguments for the program and the program's own arguments."""
        program = "the Python file to run, - for standard input"
        self.add_argument("program", metavar="PROGRAM", nargs="?", help=program)
        own = "arguments of the program (its sys.argv[1:])"
        self.add_argument("args", metavar="ARGS", nargs=argparse.REMAINDER, help=own)

    def show_only_with_help_all(self, action: argparse.Action) -> None:
        """Keep ``action`` out of ``--help``; ``--help-all`` shows it."""
        if not self._rarer:
            text = "show this help message with all flags and exit"
            self.add_argument("--help-all", action=_HelpAll, help=text)
        self._rarer[action] = action.help or ""
        action.help = argparse.SUPPRESS

    def show_all(self) -> None:
        """Show every flag in ``format_help`` from now on."""
        for action, text in self._rarer.items():
            action.help = text

    def error(self, message: str) -> NoReturn:
        """Turn an error message of argparse into a diagnostic. Raises ``UsageError`` TTL0106 or TTL0113."""
        advice = f"see '{self.prog} --help'"
        complaint = _COMPLAINT.match(message)
        if complaint is None:
            raise wrong_value(message, advice)
        flag = complaint["flag"].split("/", 1)[0]
        if complaint["value"] is not None:
            text = f"{flag} takes no value, {complaint['value']} was given"
            raise wrong_value(text, f"write {flag} alone")
        rows = [row for row in settings.SETTINGS if row.flag == flag]
        help = f"{flag} takes {rows[0].allowed}" if rows else advice
        raise UsageError(error("TTL0106", f"{flag} needs a value", help=help))

    def flags(self) -> tuple[str, ...]:
        """All long flags of the parser."""
        return tuple(
            flag for action in self._actions for flag in action.option_strings if flag.startswith("--")
        )

    def parse(self, argv: Sequence[str]) -> argparse.Namespace:
        """Parse the arguments of a verb.

        Raises ``UsageError``: TTL0104 unknown flag, TTL0105 too many arguments, TTL0106 a value is missing,
        TTL0113 a value is wrong, or belongs to a flag that takes no value.
        """
        return self._complete(*self.parse_known_args(list(argv)))

    def parse_mixed(self, argv: Sequence[str]) -> argparse.Namespace:
        """Parse the arguments of a verb whose flags may stand before, between and after its arguments.

        Raises the errors of ``parse``.
        """
        return self._complete(*self.parse_known_intermixed_args(list(argv)))

    def _complete(self, namespace: argparse.Namespace, extra: Sequence[str]) -> argparse.Namespace:
        if extra:
            raise self._unknown(extra[0])
        return namespace

    def _unknown(self, argument: str) -> UsageError:
        if not argument.startswith("-"):
            return UsageError(
                error("TTL0105", f"'{argument}' is one argument too many", help=f"see '{self.prog} --help'")
            )
        advice = ["flags of your program go after its name"] if self.prog == "ttl run" else []
        return unknown_flag(self.prog, argument, self.flags(), *advice)


def unknown_flag(command: str, argument: str, flags: Sequence[str], *advice: str) -> UsageError:
    """Error TTL0104: ``argument`` is not one of the ``flags`` of ``command``."""
    flag = argument.split("=", 1)[0]
    near = difflib.get_close_matches(flag, flags, n=1)
    meant = [INSTEAD[flag]] if flag in INSTEAD else [f"did you mean {near[0]}?"] if near else []
    return UsageError(
        error("TTL0104", f"{command} has no flag {flag}", help=(*meant, *advice, f"see '{command} --help'"))
    )


def wrong_value(message: str, advice: str) -> UsageError:
    """Error TTL0113: a value of the command line is wrong."""
    return UsageError(error("TTL0113", message, help=advice))


def nul_character() -> UsageError:
    """Error TTL0113: the command line contains a NUL character."""
    message = "the command line has a NUL character, which no path and no value has"
    return wrong_value(message, "remove it; in a script, check the source of the argument")


def positive(text: str) -> int:
    """The value of a flag that takes a whole number from 1 on. Raises ``ArgumentTypeError`` for other values."""
    if not (text.isascii() and text.isdecimal() and 0 < int(text) < 1 << 31):
        raise argparse.ArgumentTypeError(f"takes a whole number from 1 on, not '{text}'")
    return int(text)


def add_settings(parser: Parser, *names: str) -> None:
    """Add a flag for every row of the table of settings, or only for the rows called ``names``."""
    group = parser.add_argument_group("settings (in brackets: the environment variable and the default)")
    for row in settings.SETTINGS:
        if (names and row.name not in names) or parser.has(row.flag):
            continue
        action = _add_setting(group.add_argument, row)
        if parser.verb not in row.shown_by and not names:
            parser.show_only_with_help_all(action)
        if row.name == "format" and not parser.has("--json"):
            group.add_argument(
                "--json", dest=row.name, action="store_const", const="json", default=argparse.SUPPRESS,
                help="the same as --format json",
            )  # fmt: skip


def _add_setting(add: Callable[..., argparse.Action], row: settings.Setting) -> argparse.Action:
    text = f"{row.help} [{row.env}, {_default(row)}]"
    if row.type == "bool":
        return add(
            row.flag,
            action=argparse.BooleanOptionalAction,
            dest=row.name,
            default=argparse.SUPPRESS,
            help=text,
        )
    if row.type == "switch":
        return add(row.flag, f"--no-{row.flag[2:]}", action=_Switch, dest=row.name, help=text)
    return add(
        row.flag,
        action=_Several if row.type == "options" else "store",
        dest=row.name,
        type=partial(settings.parsed, row, origin=row.flag),
        metavar=row.metavar,
        default=argparse.SUPPRESS,
        help=text,
    )


class _HelpAll(argparse.Action):
    """``--help-all``: the help text with the flags that ``--help`` leaves out."""

    def __init__(self, option_strings: Sequence[str], dest: str, help: str) -> None:
        super().__init__(option_strings, argparse.SUPPRESS, nargs=0, default=argparse.SUPPRESS, help=help)

    def __call__(
        self, parser: object, namespace: argparse.Namespace, values: object, flag: str | None = None
    ) -> None:
        assert isinstance(parser, Parser)
        parser.show_all()
        parser.print_help()
        parser.exit()


class _Switch(argparse.Action):
    """``--check`` and ``--no-check`` for a setting that is ``auto`` without either."""

    def __init__(self, option_strings: Sequence[str], dest: str, help: str) -> None:
        super().__init__(option_strings, dest, nargs=0, default=argparse.SUPPRESS, help=help)

    def __call__(
        self, parser: object, namespace: argparse.Namespace, values: object, flag: str | None = None
    ) -> None:
        setattr(namespace, self.dest, "on" if flag == self.option_strings[0] else "off")


class _Several(argparse.Action):
    """A flag that adds to its earlier values. Raises ``ProgramError`` TTL0101 when the values contradict each other."""

    def __call__(
        self, parser: object, namespace: argparse.Namespace, values: object, flag: str | None = None
    ) -> None:
        together = f"{getattr(namespace, self.dest, '')} {values}".strip()
        row = next(row for row in settings.SETTINGS if row.name == self.dest)
        setattr(namespace, self.dest, settings.parsed(row, together, row.flag))


def _default(row: settings.Setting) -> str:
    match row.type:
        case "grid":
            return "the chip's"
        case "folder" if row.name == "cache_dir":
            return "~/.cache/ttl"
        case "options":
            return "none"
        case _:
            return _shown(row.default)


def _shown(value: settings.Value) -> str:
    match value:
        case None:
            return "none"
        case bool():
            return "1" if value else "0"
        case _:
            return str(value)


@contextmanager
def _with_project(asked: settings.Settings, program: str | None) -> Iterator[settings.Settings]:
    """A context with the settings ``asked``, and those of the program's project where ``asked`` has defaults."""
    if program is None or program == "-":
        yield asked
        return
    from ttl.project import project_of

    project = project_of(program)
    if project.findings:
        raise UsageError(*project.findings)
    chosen = project.over(asked)
    with CHOSEN.given(chosen):
        yield chosen


@contextmanager
def applied(arguments: argparse.Namespace, program: str | None = None) -> Iterator[settings.Settings]:
    """A context with the settings of the command line, over those of the environment, over those of the project.

    The project is that of ``program``. Raises ``ProgramError`` TTL0109 when the grid is larger than that of the chip,
    before the program runs, and ``UsageError`` TTL0125 for wrong settings of the project.
    """
    given = vars(arguments)
    rows = [row for row in settings.SETTINGS if row.name in given]
    values: Mapping[str, settings.Value] = {row.name: given[row.name] for row in rows}
    with (
        settings.overriding(values, {row.name: row.flag for row in rows}) as asked,
        _with_project(asked, program) as chosen,
    ):
        if chosen.grid is not None:
            from ttl.settings import current_chip

            current_chip(chosen)
        try:
            yield chosen
        except TTLError as raised:
            # The error is shown outside, where these settings are no longer in effect.
            vars(raised).setdefault(SHOWN_WITH, chosen)
            raise
