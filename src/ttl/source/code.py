"""What the code of a function mentions."""

from __future__ import annotations

import dis
from collections.abc import Iterator
from types import CodeType
from typing import Any

from ttl.session import cached

_IMPORT = dis.opmap["IMPORT_NAME"]


def names_in(code: CodeType) -> frozenset[str]:
    """The global names and attributes that code mentions, that of the functions defined in it included."""
    return frozenset(_each_name(code))


def _each_name(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _each_name(constant)


@cached(maxsize=4096)
def imports_in(code: CodeType) -> tuple[tuple[str, int], ...]:
    """The modules that code imports when it runs, that of the functions defined in it included: name and level.

    The level counts the dots in front of a relative name; ``from . import sizes`` has no name but them.
    """
    found: dict[tuple[str, int], None] = {}
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            found.update(dict.fromkeys(imports_in(inner)))
    if _IMPORT not in code.co_code[::2]:
        return tuple(found)
    constants: list[Any] = []
    for each in dis.get_instructions(code):
        if each.opname == "LOAD_CONST":
            constants.append(each.argval)
        elif each.opname == "IMPORT_NAME":
            found[each.argval, constants[-2]] = None
    return tuple(found)
