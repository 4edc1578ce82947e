"""Public names of classes: two public interfaces have classes of the same name, which have unique names here."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T", bound=type)


def known_as(name: str) -> Callable[[T], T]:
    """Give a class its public name, which messages, ``repr`` and ``pickle`` use. Its module has it under both names."""

    def named(cls: T) -> T:
        cls.__name__ = cls.__qualname__ = name
        return cls

    return named
