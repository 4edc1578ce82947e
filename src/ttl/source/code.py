"""What the code of a function mentions."""

from __future__ import annotations

from collections.abc import Iterator
from types import CodeType


def names_in(code: CodeType) -> frozenset[str]:
    """The global names and attributes that code mentions, that of the functions defined in it included."""
    return frozenset(_each_name(code))


def _each_name(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _each_name(constant)
