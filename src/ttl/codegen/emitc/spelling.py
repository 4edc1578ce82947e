"""The C++ of a call taken apart: ``emitc`` has calls of functions by name, and any other text as it is."""

from __future__ import annotations

import re
from dataclasses import dataclass

_CALL = re.compile(r"(?P<name>[\w:]+)(?:<(?P<template>[^()]*)>)?\((?P<arguments>[^()\"]*)\)")
# Stands for an operand while a spelling is filled in; no C++ has it.
_OPERAND = re.compile("\0(\\d+)\0")


def marker(position: int) -> str:
    """The text that stands for an operand."""
    return f"\0{position}\0"


@dataclass(frozen=True, slots=True)
class Applied:
    """A function by name. Arguments are positions of operands, or C++."""

    name: str
    template: tuple[str, ...]
    arguments: tuple[int | str, ...]


@dataclass(frozen=True, slots=True)
class Text:
    """Any C++, with markers for operands."""

    text: str

    @property
    def operands(self) -> tuple[int, ...]:
        """Which operands it mentions, in order."""
        return tuple(int(place[1]) for place in _OPERAND.finditer(self.text))

    @property
    def plain(self) -> str:
        """Without operands, it is written as it is."""
        return self.text

    @property
    def braced(self) -> str:
        """With operands, they are braces, and a brace is written twice."""
        return _OPERAND.sub("{}", self.text.replace("{", "{{"))


def taken_apart(spelled: str) -> Applied | Text:
    """A spelling with markers for its operands: a call of a function by name where it is one."""
    match = _CALL.fullmatch(spelled)
    if match is None or "\0" in (match["template"] or ""):
        return Text(spelled)
    arguments: list[int | str] = []
    for each in filter(None, map(str.strip, match["arguments"].split(","))):
        place = _OPERAND.fullmatch(each)
        if place is None and "\0" in each:
            return Text(spelled)
        arguments.append(each if place is None else int(place[1]))
    template = tuple(map(str.strip, match["template"].split(","))) if match["template"] else ()
    return Applied(match["name"], template, tuple(arguments))
