"""Two interfaces that programs know have classes of one name. Each class has a name of its own here; programs know it by theirs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T", bound=type)


def known_as(name: str) -> Callable[[T], T]:
    """Give a class the name that programs know it by, which messages, ``repr`` and ``pickle`` say; its module has it under both."""

    def named(cls: T) -> T:
        cls.__name__ = cls.__qualname__ = name
        return cls

    return named
