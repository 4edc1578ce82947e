"""The C++ of a call taken apart: ``emitc`` has calls of functions by name, and any other text as it is."""

from __future__ import annotations

import re
from dataclasses import dataclass

_CALL = re.compile(r"(?P<name>[\w:]+)(?:<(?P<template>[^()]*)>)?\((?P<arguments>.*)\)")
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
    """Any C++, with ``{}`` for operands as ``emitc.verbatim`` has it, and which they are."""

    pattern: str
    operands: tuple[int, ...]


def taken_apart(spelled: str) -> Applied | Text:
    """A spelling with markers for its operands, as a call where it is one."""
    match = _CALL.fullmatch(spelled)
    if match is not None and not re.search(r"[()\"]", match["arguments"]):
        arguments = [each.strip() for each in match["arguments"].split(",")] if match["arguments"] else []
        found = [_OPERAND.fullmatch(each) for each in arguments]
        is_plain = all(place is not None or "\0" not in each for place, each in zip(found, arguments, strict=True))
        if is_plain and "\0" not in (match["template"] or ""):
            return Applied(
                match["name"],
                tuple(each.strip() for each in match["template"].split(",")) if match["template"] else (),
                tuple(int(place[1]) if place else each for place, each in zip(found, arguments, strict=True)),
            )
    # A brace that is not to be replaced is written twice.
    escaped = spelled.replace("{", "{{")
    return Text(_OPERAND.sub("{}", escaped), tuple(int(place[1]) for place in _OPERAND.finditer(spelled)))
