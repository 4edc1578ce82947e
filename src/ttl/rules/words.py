"""Descriptions of values, kernels and nodes in messages."""

from __future__ import annotations

from collections.abc import Sequence

from ttl.diag.values import kind_of, short
from ttl.protocol.blocks import KernelKind
from ttl.protocol.chips import NODE_DIMS, name_at, names_at

BODY = "the operation's body"
# The largest number of nodes that a message lists.
_LISTED = 4


def describe(value: object) -> str:
    """Return the description of a wrong argument for messages: its kind and, when short, its value."""
    family = type(value).__module__.partition(".")[0]
    if value is None or family in ("ttl", "torch", "numpy"):
        return kind_of(value)
    text = short(value)
    return text if isinstance(value, type) or text == kind_of(value) else f"{type(value).__name__} {text}"


def kernel_what(kind: KernelKind | None, name: str) -> str:
    """``compute kernel matmul``; without a kind ``the operation's body``."""
    return BODY if kind is None else f"{kind} kernel {name}"


def kernel_where(kind: KernelKind | None, name: str, node: Sequence[int]) -> str:
    """The text ``kernel read on node (0, 1)``, which follows ``in`` in the note of a diagnostic."""
    what = BODY if kind is None else f"kernel {name}"
    return f"{what} on {node_name(node)}"


def node_name(coord: Sequence[int]) -> str:
    """``node (0, 1)``; of a grid that spans several chips ``chip (0, 1), node (2, 3)``."""
    return name_at(coord)


def node_list(coords: Sequence[tuple[int, ...]]) -> str:
    """The text ``nodes (0, 0), (0, 1)``; of many nodes only the first ones."""
    if len(coords) == 1:
        return name_at(coords[0])
    more = f" and {len(coords) - _LISTED} more" if len(coords) > _LISTED else ""
    kind = "" if len(coords[0]) > NODE_DIMS else "nodes "
    return f"{kind}{names_at(coords[:_LISTED])}{more}"
