"""Passes by name, with options: ``builtin.module(canonicalize,ttl-check{strict=true})`` or ``canonicalize,cse``.

An option is a field of the frozen dataclass that a pass is, and its first line of documentation says what it does.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from difflib import get_close_matches
from typing import Any, ClassVar, NoReturn

from xdsl.passes import ModulePass

_NAME = re.compile(r"[\w.-]+")
_OPTION = re.compile(r"\s*([\w-]+)(?:=(\"[^\"]*\"|'[^']*'|[^\s,}]+))?\s*,?")
_ANCHOR = "builtin.module"


class PipelineError(Exception):
    """A pipeline that cannot be run; the text says what to write instead."""


class PassPipeline(ABC):
    """Passes under one name: a frozen dataclass whose fields are the options, as those of a pass are.

    ``passes`` may raise ``PipelineError``: what is asked for cannot be run.
    """

    name: ClassVar[str]

    @abstractmethod
    def passes(self) -> list[ModulePass]:
        """The passes, in order, with their options."""


@dataclass(frozen=True, kw_only=True, slots=True)
class WrittenPass:
    """A pass and its options, as written."""

    name: str
    options: Mapping[str, str]


def parse_pipeline(text: str) -> list[WrittenPass]:
    """The passes of a pipeline, in order. Raises ``PipelineError``."""
    reader = _Reader(text)
    steps = reader.elements()
    if reader.position < len(text):
        reader.fail("expected a comma or the end")
    return steps


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0

    def elements(self) -> list[WrittenPass]:
        if self.at_end_of_list():
            return []
        steps = self.element()
        while self.take(","):
            steps += self.element()
        return steps

    def element(self) -> list[WrittenPass]:
        self.skip()
        name = _NAME.match(self.text, self.position)
        if name is None:
            self.fail("expected the name of a pass")
        self.position = name.end()
        if self.take("("):
            if name[0] not in (_ANCHOR, "any"):
                self.fail(f"passes run on {_ANCHOR}, not on {name[0]}; write {_ANCHOR}(...)")
            steps = self.elements()
            if not self.take(")"):
                self.fail("expected a closing parenthesis")
            return steps
        return [WrittenPass(name=name[0], options=self.options() if self.take("{") else {})]

    def options(self) -> dict[str, str]:
        end = self.text.find("}", self.position)
        if end < 0:
            self.fail("expected a closing brace after the options")
        options: dict[str, str] = {}
        inside = self.text[self.position : end]
        at = 0
        while inside[at:].strip():
            option = _OPTION.match(inside, at)
            if option is None:
                self.position += at
                self.fail("expected an option such as strict=true")
            options[option[1]] = (option[2] or "true").strip("\"'")
            at = option.end()
        self.position = end + 1
        return options

    def at_end_of_list(self) -> bool:
        self.skip()
        return self.position == len(self.text) or self.text[self.position] == ")"

    def take(self, mark: str) -> bool:
        self.skip()
        if self.text.startswith(mark, self.position):
            self.position += len(mark)
            return True
        return False

    def skip(self) -> None:
        while self.position < len(self.text) and self.text[self.position].isspace():
            self.position += 1

    def fail(self, message: str) -> NoReturn:
        raise PipelineError(f"{message}\n  {self.text}\n  {' ' * self.position}^")


def summary_of(kind: type[ModulePass]) -> str:
    """What a pass does, in one line."""
    line = (kind.__doc__ or "").strip().partition("\n")[0].removesuffix(".")
    return line[:1].lower() + line[1:]


def options_of(kind: type[ModulePass]) -> dict[str, str]:
    """The options of a pass as they are written, with their defaults: ``{"strict": "false"}``."""
    return {
        field.name.replace("_", "-"): "" if field.default in (None, MISSING) else _text(field.default)
        for field in fields(kind)
        if field.name != "name"
    }


def instantiate(step: WrittenPass, passes: Sequence[type[ModulePass]]) -> ModulePass:
    """The pass that a step names, with its options. Raises ``PipelineError``."""
    known = {kind.name: kind for kind in passes}
    kind = known.get(step.name)
    if kind is None:
        raise PipelineError(f"unknown pass {step.name}{_near(step.name, list(known))}")
    types = {field.name: str(field.type) for field in fields(kind) if field.name != "name"}
    values: dict[str, Any] = {}
    for name, text in step.options.items():
        field = name.replace("-", "_")
        if field not in types:
            has = f"its options are {', '.join(options_of(kind))}" if types else "it has no options"
            raise PipelineError(f"the pass {step.name} has no option {name}; {has}")
        values[field] = _value(step, name, text, types[field])
    try:
        return kind(**values)
    except ValueError as problem:
        raise PipelineError(f"the pass {step.name}: {problem}") from None


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _value(step: WrittenPass, name: str, text: str, type_: str) -> Any:
    words = {"true": True, "1": True, "false": False, "0": False}
    try:
        match type_.split(" ")[0]:
            case "bool":
                return words[text.lower()]
            case "int":
                return int(text, 0)
            case "float":
                return float(text)
            case _:
                return text
    except (KeyError, ValueError):
        wanted = "true or false" if type_.startswith("bool") else f"of type {type_}"
        raise PipelineError(f"the option {name} of {step.name} is {wanted}, not {text}") from None


def _near(name: str, known: Sequence[str]) -> str:
    similar = get_close_matches(name, known, n=1)
    return f"; did you mean {similar[0]}?" if similar else "; --list-passes lists those there are"
