"""What is wrong with an index of a Python list that is computed on the node."""

from __future__ import annotations

from ttl.diag import Diagnostic, error
from ttl.diag.words import counted


def index_error(name: str | None, index: int, length: int) -> Diagnostic:
    """An index that a list of so many members has not (TTL1316): Python raises IndexError."""
    what = "the list" if name is None else name
    return error(
        "TTL1316",
        f"{what} has {counted(length, 'member')}, and its index is {index}",
        help=f"indices are 0 to {length - 1}; make the list longer, or end the loop earlier",
    )
