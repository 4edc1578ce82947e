"""The base of a command: its flags with their defaults, on the command line and in a dictionary."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, ClassVar

from ttrt.common.problems import Mismatch, finding_of, wrong_option
from ttrt.common.util import Artifacts, Logger, result_entry

# The suffix that the specification's page on flatbuffers has for ``.ttm`` files.
_KIND = {".ttb": ".ttm"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Flag:
    """A flag, such as ``--loops``; its type follows from its default. Boolean flags take no value."""

    name: str
    default: Any
    help: str
    choices: tuple[str, ...] = ()
    # Its default on the command line, if that is not the default in a dictionary.
    absent: Any = None
    # At least one of these flags is necessary for this flag to have an effect.
    needs: tuple[str, ...] = ()
    # The suffix of the files on which it has an effect; empty for all files.
    only_of: str = ""

    @property
    def key(self) -> str:
        return self.name.removeprefix("--")

    def check(self, value: Any) -> None:
        """Raise ``ProgramError`` if a value is not of the default's type, or not one of the choices."""
        kinds: tuple[type, ...] = (int, float) if isinstance(self.default, float) else (type(self.default),)
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            raise wrong_option(f"{self.name} is {value!r}; expected a value like {self.default!r}")
        if self.choices and value not in self.choices:
            raise wrong_option(f"{self.name} is {value!r}; expected one of {', '.join(self.choices)}")


ARTIFACT_FLAGS = (
    Flag(name="--clean-artifacts", default=False, help="delete the folder of artifacts first"),
    Flag(
        name="--save-artifacts",
        default=False,
        help="keep binaries, inputs, outputs and the system's description",
    ),
    Flag(name="--log-file", default="", help="where to log, instead of standard error"),
    Flag(
        name="--artifact-dir",
        default="",
        help="the folder for artifacts (default: ttrt-artifacts)",
        needs=("--save-artifacts", "--clean-artifacts"),
    ),
)


class Command:
    """A command of ``ttrt``. Calling it runs it and returns an exit code (0 or 1) and the entries of its result file.

    Args:
        args: flags that differ from their defaults, such as ``{"--loops": 10, "binary": "m.ttnn"}``.
        logger: the logger for messages.
        artifacts: the folder for artifacts.
    """

    NAME: ClassVar[str]
    SUMMARY: ClassVar[str]
    FLAGS: ClassVar[tuple[Flag, ...]]
    # The name of its positional argument, a file or folder; empty if it has no positional argument.
    TAKES: ClassVar[str] = "binary"

    def __init__(
        self,
        args: Mapping[str, Any] | argparse.Namespace | None = None,
        logger: Logger | None = None,
        artifacts: Artifacts | None = None,
    ) -> None:
        given = vars(args) if isinstance(args, argparse.Namespace) else dict(args or {})
        named = {str(name).removeprefix("--").replace("_", "-"): value for name, value in given.items()}
        # The options that the caller passed with a true value; a parsed command line passes the defaults, too.
        self.asked = frozenset(name for name, value in named.items() if value)
        self.options = {flag.key: flag.default for flag in self.FLAGS}
        if self.TAKES:
            self.options[self.TAKES] = ""
        for name, value in named.items():
            if name not in self.options:
                raise wrong_option(*self.unknown_flag(f"--{name}"))
            self.options[name] = value
        for flag in self.FLAGS:
            flag.check(self.options[flag.key])
        self.logger = logger or Logger(self.options["log-file"])
        self.artifacts = artifacts or Artifacts(self.logger, self.options["artifact-dir"])

    def __call__(self) -> tuple[int, list[dict[str, Any]]]:
        if self.options["clean-artifacts"]:
            self.artifacts.clean_artifacts()
        if self.options["save-artifacts"]:
            self.artifacts.create_artifacts()
        for flag in self._given():
            if flag.needs and not any(self.options[name.removeprefix("--")] for name in flag.needs):
                self.without_effect(flag, f"give {' or '.join(flag.needs)}, too")
        results = self.execute()
        return int(any(entry["result"] != "pass" for entry in results)), results

    def _given(self) -> list[Flag]:
        """The flags whose value is not their default."""
        return [flag for flag in self.FLAGS if self.options[flag.key] != flag.default]

    def without_effect(self, flag: Flag, why: str) -> None:
        """Warn that a flag was set and has no effect."""
        value = "" if isinstance(flag.default, bool) else f" {self.options[flag.key]}"
        self.logger.warning(f"{flag.name}{value} has no effect: {why}")

    def say_what_is_ignored(self, path: Path) -> None:
        """Warn of flags that were set and have no effect on files of this kind."""
        for flag in self._given():
            if flag.only_of and flag.only_of != _KIND.get(path.suffix, path.suffix):
                self.without_effect(flag, f"it is for {flag.only_of} files, and {path} is not one")

    @classmethod
    def unknown_flag(cls, name: str) -> tuple[str, str]:
        """Return the message and the hint for an unknown flag: the nearest flag of the command, or all of them."""
        flags = [flag.name for flag in cls.FLAGS]
        near = get_close_matches(name, flags, n=1)
        hint = f"did you mean {near[0]}?" if near else f"it has {', '.join(flags)}"
        return f"ttrt {cls.NAME} has no flag {name}", hint

    def execute(self) -> list[dict[str, Any]]:
        """Run the command and return the entries of the result file."""
        raise NotImplementedError

    def entry(self, **more: Any) -> dict[str, Any]:
        """Return the fields that every entry has."""
        return {
            "log_file": self.logger.file_name,
            "artifacts": self.artifacts.artifacts_folder_path,
            **more,
        }

    def failed(self, path: Path, problem: Exception, **more: Any) -> dict[str, Any]:
        """Report a file that was skipped or failed, and return its entry."""
        finding = finding_of(path, problem)
        self.logger.report(finding)
        result = "skip" if isinstance(problem, Mismatch) and problem.is_skipped else "error"
        return result_entry(path, result, str(problem), code=finding.code, **self.entry(**more))

    @classmethod
    def add_to(cls, commands: Any) -> None:
        """Add the parser of the command to a command line."""
        parser = commands.add_parser(cls.NAME, help=cls.SUMMARY, description=cls.SUMMARY, allow_abbrev=False)
        for flag in cls.FLAGS:
            if isinstance(flag.default, bool):
                absent = flag.default if flag.absent is None else flag.absent
                if absent:
                    parser.add_argument(
                        flag.name, action=argparse.BooleanOptionalAction, default=True, help=flag.help
                    )
                else:
                    parser.add_argument(flag.name, action="store_true", default=False, help=flag.help)
            else:
                parser.add_argument(
                    flag.name,
                    type=type(flag.default),
                    default=flag.default,
                    choices=flag.choices or None,
                    help=f"{flag.help} (default: {flag.default})" if flag.default != "" else flag.help,
                    metavar=None if flag.choices else flag.key.upper().replace("-", "_"),
                )
        if cls.TAKES:
            parser.add_argument(cls.TAKES, help="a binary, or a folder with binaries")
        parser.set_defaults(command=cls)
