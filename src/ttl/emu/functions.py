"""Which init sets the vector unit up for which function, out of the table of operations."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from ttl.ops.row import Op
from ttl.ops.table import OPS

_CALL = re.compile(r"\b([a-z]\w*)\s*(?:<[^;()]*>)?\(")
# Forms of rows whose functions are not the vector unit's.
_OTHERS = frozenset({"fpu", "cb"})


def code(name: str) -> int:
    """The number of a name, as the headers of kernels make it (FNV-1a)."""
    found = 2166136261
    for byte in name.encode():
        found = (found ^ byte) * 16777619 & 0xFFFFFFFF
    return found


@cache
def inits() -> Mapping[str, tuple[str, ...]]:
    """For each function of the vector unit that needs one: the inits, any of which sets the unit up for it."""
    found: dict[str, set[str]] = {}
    free: set[str] = set()
    for row in OPS:
        for function, names in _of(row):
            if names:
                found.setdefault(function, set()).update(names)
            else:
                free.add(function)
    return {function: tuple(sorted(names)) for function, names in found.items() if function not in free}


def _of(row: Op) -> list[tuple[str, list[str]]]:
    calls = [call for each in row.hardware.values() for call in each if call.form not in _OTHERS]
    return [
        (function, _CALL.findall(call.init)) for call in calls for function in _CALL.findall(call.call)[:1]
    ]


@cache
def function_names() -> Mapping[int, str]:
    """Names by their numbers."""
    names = {*inits(), *(name for group in inits().values() for name in group)}
    return {code(name): name for name in names}


def numbered() -> list[tuple[int, list[int]]]:
    """``inits`` in numbers, as the runtime takes them."""
    return [(code(function), [code(name) for name in names]) for function, names in inits().items()]
