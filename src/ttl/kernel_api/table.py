"""The table: every row, by its name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ttl.kernel_api import buffers, compute, debug, movement, tiles
from ttl.kernel_api.model import Call

CALLS: Mapping[str, Call] = MappingProxyType(
    {each.name: each for each in (*buffers.ROWS, *compute.ROWS, *movement.ROWS, *debug.ROWS, *tiles.ROWS)}
)


def call(name: str) -> Call:
    """The row of a name. Raises KeyError."""
    return CALLS[name]
