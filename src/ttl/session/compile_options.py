"""The syntax of compile options: ``registers=16``, ``subblock.0=2x4``, ``softmax:protocol.a_net=staged``.

The passes define their meaning (``ttl.passes.choices``); their names are listed here, so that an unknown name is
refused when the options are read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

ALONE = ("registers", "sync", "accumulation", "narrow", "spare-buffers", "order")
"""Options of an operation as a whole."""
OF_ONE = ("subblock", "arrivals", "protocol", "noc")
"""Options of one part of an operation; the name of the part follows a full stop."""
WRITTEN = "[OPERATION:]NAME=VALUE"

_OPTION = re.compile(
    r"(?:(?P<operation>\w+):)?(?P<name>[a-z][a-z-]*)(?:\.(?P<of>\w+))?=(?P<value>[\w-]+)", re.ASCII
)


@dataclass(frozen=True, kw_only=True, slots=True)
class CompileOption:
    """One option. ``operation`` is None if it is for all operations, ``of`` if it is about an operation as a whole."""

    operation: str | None
    name: str
    of: str | None
    value: str

    @property
    def key(self) -> str:
        """The name of the option within an operation: ``registers``, ``subblock.0``."""
        return self.name if self.of is None else f"{self.name}.{self.of}"

    def __str__(self) -> str:
        scope = "" if self.operation is None else f"{self.operation}:"
        return f"{scope}{self.key}={self.value}"


def read_options(text: str) -> tuple[CompileOption, ...]:
    """The options of a text, separated by blanks or commas, sorted. Raises ``ValueError`` with the mistake."""
    options: dict[tuple[str | None, str], CompileOption] = {}
    for word in text.replace(",", " ").split():
        option = _read(word)
        if (option.operation, option.key) in options:
            raise ValueError(f"{word} is the second value for {option.key}")
        options[option.operation, option.key] = option
    return tuple(sorted(options.values(), key=str))


def written(options: Iterable[CompileOption | str]) -> str:
    """The text of options: equal options are equal text."""
    return " ".join(sorted(map(str, options)))


def for_operation(options: Iterable[CompileOption], operation: str) -> Mapping[str, str]:
    """Return the values for one operation, by key; options of this operation override options for all."""
    own = sorted(
        (option for option in options if option.operation in (None, operation)),
        key=lambda option: option.operation is not None,
    )
    return {option.key: option.value for option in own}


def with_tuned(given: str, tuned: Mapping[str, str], operation: str) -> str:
    """Return the requested options together with the tuned options of a call of an operation (by key).

    Tuned options were found together, so all of them are ignored if any option is requested for the operation.
    """
    options = read_options(given)
    if not tuned or for_operation(options, operation):
        return given
    return written([*map(str, options), *(f"{operation}:{key}={value}" for key, value in tuned.items())])


def _read(word: str) -> CompileOption:
    match = _OPTION.fullmatch(word)
    if match is None:
        raise ValueError(f"{word} is not {WRITTEN}")
    name, of = match["name"], match["of"]
    if name not in (*ALONE, *OF_ONE):
        raise ValueError(f"there is no compile option {name}")
    if (of is None) != (name in ALONE):
        what = f"one thing, {name}.WHICH=VALUE" if of is None else "an operation as a whole"
        raise ValueError(f"{name} is of {what}")
    return CompileOption(operation=match["operation"], name=name, of=of, value=match["value"])
