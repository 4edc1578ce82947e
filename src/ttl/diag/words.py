"""Numbers and lists for sentences of messages."""

from __future__ import annotations

from collections.abc import Iterable


def counted(count: int, noun: str) -> str:
    """A number with its noun: ``1 block``, ``2 blocks``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def ordinal(number: int) -> str:
    """An ordinal number: ``1st``, ``2nd``, ``11th``."""
    ending = "th" if number % 100 // 10 == 1 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def listed(names: Iterable[str]) -> str:
    """The names as a list in words, ``a, b and c``, without duplicates; there must be at least one."""
    once = list(dict.fromkeys(names))
    return " and ".join(part for part in (", ".join(once[:-1]), once[-1]) if part)
