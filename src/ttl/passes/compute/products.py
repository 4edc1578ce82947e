"""How one call of the matrix unit serves several tiles of a matrix product."""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.ir import Operation

from ttl.dialects.tiles import TileMatmulOp


def multiplies_rows(op: TileMatmulOp) -> bool:
    """Whether a call computes several rows and columns: the right tiles of a row are beside each other."""
    return (
        not op.is_transposed
        and op.left_strides[-1] == 0
        and _last_but_one(op.right_strides) == 0
        and op.right_strides[-1] in (0, 1)
    )


def goes_by_column(op: TileMatmulOp) -> bool:
    """Whether a call computes several rows of one column, whatever the right tiles are beside."""
    return op.left_strides[-1] == 0 and _last_but_one(op.right_strides) == 0


def by_column(ops: Iterable[Operation]) -> bool:
    """Whether the products of a region are computed column by column."""
    products = [op for op in ops if isinstance(op, TileMatmulOp)]
    return bool(products) and not all(map(multiplies_rows, products)) and all(map(goes_by_column, products))


def _last_but_one(strides: tuple[int, ...]) -> int:
    return strides[-2] if len(strides) > 1 else 0
