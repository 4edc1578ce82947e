"""``argparse`` in a program that is only read: its parser, applied to the program's arguments."""

from __future__ import annotations

import argparse
import contextlib
from dataclasses import dataclass, field
from typing import Any, NoReturn

from ttl.frontend.classes import Instance, UserClass
from ttl.frontend.unknown import Unknown

# Functions that convert the text of an argument without running code of the program.
_TYPES = (int, float, str, bool, ascii, ord)
# Python's own actions for an argument.
_ACTIONS = ("store", "store_const", "store_true", "store_false", "append", "append_const", "count", "extend", "help", "version")  # fmt: skip


class _Parser(argparse.ArgumentParser):
    """A parser that neither prints nor ends the process. Arguments that do not fit raise ``ValueError``."""

    def error(self, message: str) -> NoReturn:
        raise ValueError(message)

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        raise ValueError(message or "")

    def print_help(self, file: Any = None) -> None:
        """Returns None: this process has no command line."""

    print_usage = print_help


@dataclass(slots=True)
class Arguments:
    """``argparse.ArgumentParser`` of a program that is called with ``command``.

    A required argument that ``command`` lacks is unknown, and no finding about values that depend on it is reported.
    """

    command: tuple[str, ...]
    parser: _Parser = field(default_factory=lambda: _Parser(add_help=False))
    declared: list[argparse.Action] = field(default_factory=list)
    # Arguments converted by functions or actions of the program: only their defaults are known.
    opaque: dict[str, str] = field(default_factory=dict)
    needed: dict[str, argparse.Action] = field(default_factory=dict)
    # Whether the program uses a feature of the parser that is not followed, so that only defaults are known.
    beyond: bool = False

    def add_argument(self, *names: str, **options: Any) -> Any:
        """Declare an argument."""
        kept = {name: value for name, value in options.items() if name not in ("help", "metavar")}
        kind, action = kept.get("type"), kept.get("action", "store")
        own_way = (kind is not None and kind not in _TYPES) or action not in _ACTIONS
        if own_way:
            kept.pop("type", None)
            kept.pop("action", None)
        if type(kept.get("choices")) is Unknown:
            del kept["choices"]
        new_action = self.parser.add_argument(*names, **kept)
        self.declared.append(new_action)
        if own_way:
            self.opaque[new_action.dest] = f"argument {new_action.dest}"
        if new_action.required:
            new_action.required = False
            self.needed[new_action.dest] = new_action
            if not new_action.option_strings and new_action.nargs is None:
                new_action.nargs, new_action.default = "?", None
        return new_action

    def add_argument_group(self, *arguments: Any, **options: Any) -> Arguments:
        """Return this parser."""
        return self

    add_mutually_exclusive_group = add_argument_group

    def add_subparsers(self, *arguments: Any, **options: Any) -> Any:
        """Return an unknown value, because subcommands are not followed."""
        self.beyond = True
        return Unknown(why="a separate parser for each command")

    def set_defaults(self, **defaults: Any) -> None:
        """Set other defaults."""
        self.parser.set_defaults(**defaults)

    def parse_args(self, args: Any = None, namespace: Any = None) -> Instance:
        """The values of a call with these arguments, or with the arguments of the program."""
        return self._parsed(args)[0]

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Instance, Any]:
        """Return the values as ``parse_args`` does, and the remaining arguments."""
        return self._parsed(args)

    def _parsed(self, args: Any) -> tuple[Instance, Any]:
        given = list(self.command[1:]) if args is None else args
        known, rest = argparse.Namespace(), list[str]()
        with contextlib.suppress(argparse.ArgumentError, TypeError, ValueError):
            known, rest = self.parser.parse_known_args([] if self.beyond else given)
        instance = Instance(UserClass("Namespace", (), {}))
        instance.ttl_values.update(vars(known))
        for action in self.declared:
            instance.ttl_values.setdefault(action.dest, Unknown(why=f"argument {action.dest}"))
        for name, action in self.needed.items():
            if instance.ttl_values[name] is action.default or instance.ttl_values[name] == []:
                instance.ttl_values[name] = Unknown(why=f"argument {name}")
        for name, why in self.opaque.items():
            if instance.ttl_values[name] is not self.parser.get_default(name):
                instance.ttl_values[name] = Unknown(why=why)
        if self.beyond:
            instance.ttl_kind.ttl_bases = (Unknown(why="arguments of a command"),)
        return instance, rest


def parser(command: tuple[str, ...], *arguments: Any, **options: Any) -> Arguments:
    """``argparse.ArgumentParser(...)``."""
    return Arguments(command)
