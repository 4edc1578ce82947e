"""The table: every row, by its name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ttl.kernel_api import buffers, compute, debug, gone, movement, tiles
from ttl.kernel_api.model import Call

# What belongs together, as the documentation shows it.
FAMILIES: Mapping[str, tuple[Call, ...]] = MappingProxyType(
    {
        "Circular buffers and registers": buffers.ROWS,
        "Tiles of circular buffers": compute.ROWS,
        "Functions of registers": tiles.ROWS,
        "Data movement and semaphores": movement.ROWS,
        "Debugging": debug.ROWS,
    }
)
CALLS: Mapping[str, Call] = MappingProxyType({row.name: row for rows in FAMILIES.values() for row in rows})


# Functions of 2024-11-21 that no generation has.
GONE: Mapping[str, Call] = MappingProxyType({row.name: row for row in gone.ROWS})


def call(name: str) -> Call:
    """The row of a name, also of a function that is gone. Raises KeyError."""
    return GONE[name] if name in GONE else CALLS[name]
