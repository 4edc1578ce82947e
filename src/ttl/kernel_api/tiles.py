"""Rows made from the table of operations: its functions on registers, and their inits.

A row is named after the function of the older generation. Where the text of an operation fixes template
arguments they are part of the name: ``eq_int_tile<DataFormat::Int32>`` is ``eq_int_tile_int32``. A
function that takes any number has a second row, which ends in ``_by_value``: there the number is a value of the kernel.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import zip_longest
from types import MappingProxyType
from typing import get_args

from ttl.kernel_api.model import Argument, Call, Const, Unit
from ttl.ops.row import Generation, Op, TileCall
from ttl.ops.table import OPS

_CALL = re.compile(r"(?P<function>\w+)(?:<(?P<template>.*)>)?\((?P<arguments>[^()]*)\)")
_PLACEHOLDER = re.compile(r"\{(?:(?P<kind>\w+):)?(?P<name>\w+)\}")
_GENERATIONS: tuple[Generation, ...] = get_args(Generation)
_REGISTERS = ("d", "d0", "d1", "d2")
_CONSTS: Mapping[str, Const] = MappingProxyType(
    {"p": "bits", "n": "bits", "i": "int", "f": "float", "fmt": "format"}
)

# Placeholders of numbers that are 32 bits: of a float32, or an integer.
_NUMBERS = ("n", "p", "i")


@dataclass(frozen=True, slots=True)
class Use:
    """A text of the table of operations as an application of a row.

    ``sources`` has, for each constant of the row, the placeholder whose value it gets: ``p:slope``, ``fmt:out``.
    """

    call: Call
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Text:
    """One statement, taken apart; constants are named by what they are in the row it comes from."""

    text: str
    name: str
    spelling: str
    arguments: tuple[Argument, ...]
    sources: tuple[str, ...]


def use_of(text: str) -> Use:
    """What the ``call`` or ``init`` of a ``TileCall`` is in the table. Raises KeyError for what has no row.

    That is the case for functions that read circular buffers: their rows are in ``ttl.kernel_api.compute``.
    """
    rows, texts = _built()
    name, sources = texts[_plain(text)]
    return Use(rows[name], sources)


def use_by_value(text: str) -> tuple[Use, str]:
    """The same for a number that is known when the kernel runs only; and its placeholder, such as ``n:b``.

    The number is the last operand: 32 bits, those of a float32 or an integer as the placeholder says. Raises KeyError
    for a function that takes no number, or not any.
    """
    rows, texts = _built()
    name, sources = texts[_by_value(text)]
    return Use(rows[name], sources[:-1]), sources[-1]


def _by_value(text: str) -> str:
    """The key of a text in which the number is a value."""
    return f"{_plain(text)} by value"


def _plain(text: str) -> str:
    return " ".join(text.rstrip("; \n").split())


@lru_cache(maxsize=4)  # the generations mostly say the same, one after the other
def _taken_apart(text: str) -> _Text | None:
    """A statement; None where it is several, or reads circular buffers."""
    match = _CALL.fullmatch(text)
    if match is None:
        return None
    arguments: dict[str, Argument] = {}
    sources: dict[str, str] = {}
    template_end = match.end("template")
    for place in _PLACEHOLDER.finditer(text):
        kind, name = place["kind"], place["name"]
        if kind is None and name not in _REGISTERS:
            return None
        if kind is None:
            arguments[name] = Argument(name, "index")
            continue
        in_template = place.start() < template_end
        constant = f"{name}_format" if kind == "fmt" else name
        arguments[constant] = Argument(constant, "bool" if kind == "p" and in_template else _CONSTS[kind])
        sources[constant] = f"{kind}:{name}"
    spelling = _PLACEHOLDER.sub(lambda place: f"{{{_constant_name(place)}}}", text)
    # A format is spelled with its enumeration.
    spelling = spelling.replace("DataFormat::{", "{")
    operands = [each for each in arguments.values() if each.is_operand]
    constants = [each for each in arguments.values() if not each.is_operand]
    fixed = [
        part.rpartition("::")[2].lower()
        for part in (match["template"] or "").split(",")
        if part.strip() and "{" not in part
    ]
    return _Text(
        text=text,
        name="_".join([match["function"], *(re.sub(r"\W+", "_", part.strip()) for part in fixed)]),
        spelling=spelling,
        arguments=(*operands, *constants),
        sources=tuple(sources[each.name] for each in constants),
    )


def _constant_name(place: re.Match[str]) -> str:
    return f"{place['name']}_format" if place["kind"] == "fmt" else place["name"]


@dataclass(slots=True)
class _Draft:
    """A row, while more is found out about it."""

    arguments: tuple[Argument, ...]
    unit: Unit | None
    # Whether it is a function, and begins from nothing.
    fills: bool = False
    doc: str = ""
    spelling: dict[Generation, str] = field(default_factory=dict)
    headers: dict[Generation, tuple[str, ...]] = field(default_factory=dict)
    # The functions that an init is called before.
    followers: dict[str, None] = field(default_factory=dict)


class _Builder:
    """Rows so far, by name, and what the texts they come from are."""

    def __init__(self) -> None:
        self.drafts: dict[str, _Draft] = {}
        self.sources: dict[str, tuple[str, tuple[str, ...]]] = {}

    def add(self, row: Op, old: TileCall | None, new: TileCall | None) -> None:
        """A function of both generations, or of one, with its init."""
        calls = [
            (generation, call) for generation, call in zip(_GENERATIONS, (old, new), strict=True) if call
        ]
        init = self._add([(generation, each.header, each.init) for generation, each in calls], "sfpu")
        name = self._add([(generation, each.header, each.call) for generation, each in calls], None)
        if name is None:
            return
        names = [name]
        if _takes_any_number(calls[0][1]):
            names.append(self._put_by_value(name, [each for _, each in calls]))
        for each in names:
            draft = self.drafts[each]
            draft.fills = calls[0][1].form == "fill"
            if not draft.doc or row.name in each:
                draft.doc = row.summary
            if init is not None:
                self.drafts[init].followers[each] = None

    def rows(self) -> dict[str, Call]:
        """The rows, by name."""
        return {
            name: Call(
                name=name,
                thread="tensix",
                arguments=draft.arguments,
                spelling=draft.spelling,
                headers=draft.headers,
                configures=draft.unit,
                vector_reads=_read_by(draft),
                writes=() if draft.unit else ("d",),
                doc=f"Before {', '.join(draft.followers)}." if draft.followers else draft.doc,
            )
            for name, draft in self.drafts.items()
        }

    def _add(self, texts: list[tuple[Generation, str, str]], unit: Unit | None) -> str | None:
        """The name of the row; None for what is none. Both generations get the same where they take the same."""
        parts = [(generation, header, _taken_apart(_plain(text))) for generation, header, text in texts]
        known = [(generation, header, part) for generation, header, part in parts if part is not None]
        if not known:
            return None
        first = known[0][2]
        same = all(_kinds(part.arguments) == _kinds(first.arguments) for _, _, part in known)
        names = [
            self._put(generation, header, first if same else part, part, unit)
            for generation, header, part in known
        ]
        return names[0]

    def _put_by_value(self, name: str, calls: list[TileCall]) -> str:
        """The row of a function whose number is a value: the last operand."""
        draft = self.drafts[name]
        for call in calls:
            sources = self.sources[_plain(call.call)][1]
            (at,) = (at for at, source in enumerate(sources) if source.partition(":")[0] in _NUMBERS)
            operands = [each for each in draft.arguments if each.is_operand]
            constants = [each for each in draft.arguments if not each.is_operand]
            number = constants.pop(at)
            arguments = (*operands, Argument(number.name, "index"), *constants)
            self.drafts.setdefault(
                f"{name}_by_value",
                _Draft(arguments, None, spelling=draft.spelling, headers=draft.headers),
            )
            rest = (*sources[:at], *sources[at + 1 :])
            self.sources[_by_value(call.call)] = (f"{name}_by_value", (*rest, sources[at]))
        return f"{name}_by_value"

    def _put(self, generation: Generation, header: str, named: _Text, part: _Text, unit: Unit | None) -> str:
        name, shape, spelling = named.name, named.arguments, part.spelling
        before = self.drafts.get(name)
        if before is not None and _kinds(before.arguments) == _kinds(shape):
            shape = before.arguments  # the same function in another row may call its constants otherwise
        if shape != part.arguments:
            renamed = {each.name: to.name for each, to in zip(part.arguments, shape, strict=True)}
            spelling = _PLACEHOLDER.sub(lambda place: f"{{{renamed[place['name']]}}}", spelling)
        if before is not None and (
            before.arguments != shape or before.spelling.get(generation, spelling) != spelling
        ):
            name = f"{name}_2"
            before = self.drafts.get(name)
        if before is None:
            before = self.drafts[name] = _Draft(shape, unit)
        before.spelling[generation] = spelling
        before.headers[generation] = (header,)
        self.sources[part.text] = (name, part.sources)
        return name


def _read_by(draft: _Draft) -> tuple[str, ...]:
    """The registers that a function reads: its operands, or the one that it changes."""
    registers = [each.name for each in draft.arguments if each.name in _REGISTERS]
    return () if draft.unit or draft.fills else tuple(registers[:-1] or registers)


def _takes_any_number(call: TileCall) -> bool:
    """Whether a function takes a number, whatever it is, as 32 bits."""
    if call.form == "scalar":
        return call.numbers is None
    return call.form == "fill" and call.serves is None


def _kinds(arguments: tuple[Argument, ...]) -> tuple[str, ...]:
    return tuple(each.kind for each in arguments)


@cache
def _built() -> tuple[Mapping[str, Call], Mapping[str, tuple[str, tuple[str, ...]]]]:
    builder = _Builder()
    for row in OPS:
        # Calls of one place do the same in both generations.
        for old, new in zip_longest(*(row.hardware.get(generation, ()) for generation in _GENERATIONS)):
            builder.add(row, old, new)
    return builder.rows(), builder.sources


ROWS: tuple[Call, ...] = tuple(_built()[0].values())
