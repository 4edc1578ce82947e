"""The inits that set up the vector unit for its functions, from the table of operations."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from ttl.rows.table import OPS


def code(name: str) -> int:
    """The number of a name, as the headers of kernels make it (FNV-1a)."""
    number = 2166136261
    for byte in name.encode():
        number = (number ^ byte) * 16777619 & 0xFFFFFFFF
    return number


@cache
def inits() -> Mapping[str, tuple[str, ...]]:
    """For each function of the vector unit that needs one: the inits, any of which sets the unit up for it."""
    needed: dict[str, set[str]] = {}
    free: set[str] = set()
    for call in (call for row in OPS for calls in row.hardware.values() for call in calls):
        if call.reads_registers and call.init is not None:
            needed.setdefault(call.function.name, set()).add(call.init.name)
        elif call.reads_registers:
            free.add(call.function.name)
    return {function: tuple(sorted(names)) for function, names in needed.items() if function not in free}


@cache
def function_names() -> Mapping[int, str]:
    """The names of functions and inits, by their numbers."""
    names = {*inits(), *(name for group in inits().values() for name in group)}
    return {code(name): name for name in names}


def numbered() -> list[tuple[int, list[int]]]:
    """``inits`` in numbers, as the runtime takes them."""
    return [(code(function), [code(name) for name in names]) for function, names in inits().items()]
