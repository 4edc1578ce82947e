"""Functions of another module, for ``constructs``."""

from __future__ import annotations

from typing import Any

import ttl

COLUMNS = (1, 2, 3)


def copy_in(tensor: Any, dfb: Any, row: Any, col: Any = 0) -> None:
    with dfb.reserve() as blk:
        ttl.copy(tensor[row, col], blk).wait()


def copy_out(dfb: Any, tensor: Any, *, row: Any, col: Any) -> None:
    with dfb.wait() as blk:
        xf = ttl.copy(blk, tensor[row, col])
        xf.wait()


def scaled(blk: Any, factor: float = 1.0) -> Any:
    return ttl.math.relu(blk) * factor


def next_column(i: Any) -> Any:
    return (i + len(COLUMNS)) % 8


def corner(*values: Any, **named: Any) -> Any:
    return (*values, sum(COLUMNS) - 1)
