"""The table: every row, by its name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ttl.kernel_api import buffers, compute, debug, movement, tiles
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


def call(name: str) -> Call:
    """The row of a name. Raises KeyError."""
    return CALLS[name]
