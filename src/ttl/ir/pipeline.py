"""Passes by name, with options: ``builtin.module(canonicalize,ttl-check{strict=true})`` or ``canonicalize,cse``.

A pass, or a pipeline of passes, is a frozen dataclass whose fields are its options; the first line of its documentation
is its summary. Options are separated by blanks, ``{a=1 b=2,3}``, or by commas where the name of another option follows.
A list of numbers is ``1,2``.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from difflib import get_close_matches
from typing import Any, ClassVar, NoReturn, TypeVar

from xdsl.passes import ModulePass

from ttl.diag.errors import WrongRequest

KindT = TypeVar("KindT")

_NAME = re.compile(r"[\w.-]+")
# A name, and its value: in quotes, in braces, or up to the next blank.
_OPTION = re.compile(r"[\s,]*([\w-]+)(?:=(\"[^\"]*\"|'[^']*'|\{[^{}]*\}|[^\s]*))?,?(?=\s|$)")
# Operations in which passes can be nested. All our passes run on modules, and on all functions in them.
_NESTED = ("any", "func.func", "func")
_ANCHOR = "builtin.module"


class PassPipeline(ABC):
    """Passes under one name: a frozen dataclass whose fields are the options, like those of a pass.

    ``passes`` may raise ``WrongRequest`` for a request that cannot be run. ``given`` are the names of the options that
    were passed.
    """

    name: ClassVar[str]
    given: ClassVar[Collection[str]] = ()

    @abstractmethod
    def passes(self) -> list[ModulePass]:
        """The passes, in order, with their options."""


@dataclass(frozen=True, kw_only=True, slots=True)
class WrittenPass:
    """A pass and its options, as written."""

    name: str
    options: Mapping[str, str]


def parse_pipeline(text: str) -> list[WrittenPass]:
    """Return the passes in the text of a pipeline, in order. Raises ``WrongRequest``."""
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
            if name[0] not in (_ANCHOR, *_NESTED):
                self.fail(f"passes run on {_ANCHOR} or func.func, not on {name[0]}; write {_ANCHOR}(...)")
            steps = self.elements()
            if not self.take(")"):
                self.fail("expected a closing parenthesis")
            return steps
        return [WrittenPass(name=name[0], options=self.options() if self.take("{") else {})]

    def options(self) -> dict[str, str]:
        end = self._closing_brace()
        if end is None:
            self.fail("expected a closing brace after the options")
        try:
            options = parse_options(self.text[self.position : end])
        except WrongRequest:
            self.fail("expected options such as strict=true")
        self.position = end + 1
        return options

    def _closing_brace(self) -> int | None:
        depth = 1
        for mark in re.finditer(r"[{}]", self.text[self.position :]):
            depth += 1 if mark[0] == "{" else -1
            if depth == 0:
                return self.position + mark.start()
        return None

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
        raise WrongRequest(f"{message}\n  {self.text}\n  {' ' * self.position}^")


def parse_options(text: str) -> dict[str, str]:
    """Parse ``a=1 b=2,3``. Raises ``WrongRequest``."""
    options: dict[str, str] = {}
    at = 0
    while text[at:].strip(" \t\n,"):
        option = _OPTION.match(text, at)
        if option is None:
            raise WrongRequest(f"expected options such as strict=true, not {text[at:].strip()}")
        value = option[2]
        if value is None:
            value = "true"
        options[option[1]] = value[1:-1] if value[:1] in ("'", '"', "{") else value.removesuffix(",")
        at = option.end()
    return options


def summary_of(kind: type[Any]) -> str:
    """Return the summary of a pass or a pipeline: the first line of its documentation."""
    line = (kind.__doc__ or "").strip().partition("\n")[0].removesuffix(".")
    return line[:1].lower() + line[1:] if line[1:2].islower() or line[1:2] == " " else line


def options_of(kind: type[Any]) -> dict[str, str]:
    """Return the options of a pass in their text form, with their defaults: ``{"strict": "false"}``."""
    return {
        field.name.replace("_", "-"): "" if field.default in (None, MISSING) else option_text(field.default)
        for field in fields(kind)
        if field.name != "name"
    }


def steps_of(
    written: Sequence[WrittenPass],
    passes: Sequence[type[ModulePass]],
    pipelines: Mapping[str, type[PassPipeline]],
) -> list[ModulePass]:
    """Return the passes in a pipeline; its steps may be pipelines themselves. Raises ``WrongRequest``."""
    known = {kind.name: kind for kind in passes}
    run: list[ModulePass] = []
    for step in written:
        if step.name in pipelines:
            run += pipeline_of(step, pipelines).passes()
        elif step.name in known:
            run.append(with_options(known[step.name], step))
        else:
            raise WrongRequest(f"unknown pass {step.name}{_near(step.name, [*known, *pipelines])}")
    return run


def pipeline_of(step: WrittenPass, pipelines: Mapping[str, type[PassPipeline]]) -> PassPipeline:
    """Return the pipeline of a step, with the step's options. Raises ``WrongRequest``."""
    kind = pipelines.get(step.name)
    if kind is None:
        raise WrongRequest(f"unknown pipeline {step.name}{_near(step.name, list(pipelines))}")
    return with_options(kind, step, "pipeline")


def with_options(kind: type[KindT], step: WrittenPass, what: str = "pass") -> KindT:
    """Make a pass or a pipeline with the options of a step. Raises ``WrongRequest``."""
    types = {
        field.name: str(field.type)
        for field in fields(kind)  # type: ignore[arg-type]
        if field.name != "name"
    }
    names = [name.replace("_", "-") for name in types]
    values: dict[str, Any] = {}
    for name, text in _apart(step.options, names):
        field = name.replace("-", "_")
        if field not in types:
            has = f"its options are {', '.join(options_of(kind))}" if types else "it has no options"
            near = get_close_matches(name, names, n=1) if len(names) > 3 else []
            hint = f"; did you mean {near[0]}?" if near else ""
            raise WrongRequest(f"the {what} {step.name} has no option {name}; {has}{hint}")
        values[field] = _value(step, name, text, types[field])
    try:
        result = kind(**values)
    except ValueError as problem:
        raise WrongRequest(f"the {what} {step.name}: {problem}") from None
    if isinstance(result, PassPipeline):
        object.__setattr__(result, "given", tuple(values))
    return result


def _apart(options: Mapping[str, str], names: Sequence[str]) -> list[tuple[str, str]]:
    """Split options that are separated by commas: only the known names distinguish them from lists."""
    if not names:
        return list(options.items())
    following = re.compile(rf",\s*({'|'.join(map(re.escape, names))})=")
    apart: list[tuple[str, str]] = []
    for name, text in options.items():
        first, *others = following.split(text)
        apart += [(name, first), *zip(others[::2], others[1::2])]
    return apart


def option_text(value: object) -> str:
    """Return the text form of an option's value."""
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def _value(step: WrittenPass, name: str, text: str, type_: str) -> Any:
    words = {"true": True, "1": True, "false": False, "0": False}
    try:
        match type_.split(" ")[0].removesuffix(","):
            case "bool":
                return words[text.lower()]
            case "int":
                return int(text, 0)
            case "float":
                return float(text)
            case "tuple[int":
                return tuple(int(part, 0) for part in text.split(",") if part.strip())
            case "tuple[str":
                return tuple(part.strip() for part in text.split(",") if part.strip())
            case _:
                return text
    except (KeyError, ValueError):
        wanted = _wanted(type_)
        raise WrongRequest(f"the option {name} of {step.name} is {wanted}, not {text or 'nothing'}") from None


def _wanted(type_: str) -> str:
    if type_.startswith("bool"):
        return "true or false"
    return "whole numbers with commas between them" if type_.startswith("tuple[int") else f"of type {type_}"


def _near(name: str, known: Sequence[str]) -> str:
    similar = get_close_matches(name, known, n=1)
    return f"; did you mean {similar[0]}?" if similar else "; --list-passes lists those there are"
