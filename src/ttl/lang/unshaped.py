"""Broadcasts without a shape, as earlier programs write them: the shape is that of the expression around them.

``ttl.math.broadcast(x, dims=[1])`` of the earlier specification has the shape of "the outer part of the expression":
the other operand, or the block into which it is stored. Until that is known, the broadcast and every element-wise
expression of it are ``Unshaped``; they become ordinary expressions as soon as the shape is known.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from ttl.diag import error
from ttl.lang.apply import apply
from ttl.lang.check import fail
from ttl.lang.context import current
from ttl.lang.expr import BlockExpr
from ttl.rows.dtypes import DType
from ttl.rows.row import Op, Params

# Extents; None for those that are not known yet.
Partial = tuple[int | None, ...]


class Unshaped(BlockExpr):
    """An expression only some of whose extents are known; ``shaped`` returns it with a whole shape."""

    __slots__ = ("_dtype", "_make", "partial")

    def __init__(self, partial: Partial, dtype: DType, make: Callable[[tuple[int, ...]], BlockExpr]) -> None:
        self.partial = partial
        self._dtype = dtype
        self._make = make

    def shaped(self, shape: tuple[int, ...]) -> BlockExpr:
        """The expression with this shape."""
        return self._make(shape)

    def _apply(self, op: Op, operands: tuple[Any, ...], params: Params) -> BlockExpr:
        return applied(op, operands, params)

    @property
    def shape(self) -> NoReturn:
        """Raises an error, because the shape is not known yet."""
        fail(_shape_needed("its shape is needed before it is combined with a block that has a shape"))

    @property
    def dtype(self) -> DType:
        """Element type."""
        return self._dtype

    def __repr__(self) -> str:
        return "<broadcast whose shape comes from where it is used>"


def broadcast(
    op: Op, operand: BlockExpr, dims: tuple[int, ...], said: Callable[[tuple[int, ...]], None]
) -> BlockExpr:
    """A block repeated along ``dims``, to a shape that is not known yet.

    The operand is read at once. ``said`` is called with the shape when it is known. Raises TTL0409 and the like then.
    """
    if isinstance(operand, Unshaped):
        fail(_shape_needed("its operand is a broadcast without a shape, too"))
    extents = operand.shape
    held = current(op.label).read(operand)
    rank = len(extents)
    open_dims = {dim % rank for dim in dims if -rank <= dim < rank}

    def make(shape: tuple[int, ...]) -> BlockExpr:
        said(shape)
        return apply(op, (held,), (dims, shape))

    partial = tuple(None if dim in open_dims else extent for dim, extent in enumerate(extents))
    return Unshaped(partial, operand.dtype, make)


def applied(op: Op, operands: tuple[Any, ...], params: Params) -> BlockExpr:
    """An operation with an ``Unshaped`` among its operands; it has a whole shape if the other operands determine it."""
    if op.is_view or op.family in ("product", "reduction"):
        fail(_shape_needed(f"{op.label} needs the shape of its operands"))
    shapes = [_extents(operand) for operand in operands if isinstance(operand, BlockExpr)]
    merged = _merged(shapes)
    dtype = next(operand.dtype for operand in operands if isinstance(operand, BlockExpr))

    def make(shape: tuple[int, ...]) -> BlockExpr:
        whole = tuple(
            operand.shaped(shape) if isinstance(operand, Unshaped) else operand for operand in operands
        )
        return apply(op, whole, params)

    if all(extent is not None for extent in merged):
        return make(tuple(extent for extent in merged if extent is not None))
    held = tuple(_held(op, operand) for operand in operands)
    operands = held
    return Unshaped(merged, dtype, make)


def _held(op: Op, operand: Any) -> Any:
    """Read a block operand at once, because its value may have changed when the shape is known."""
    if not isinstance(operand, BlockExpr) or isinstance(operand, Unshaped):
        return operand
    return current(op.label).read(operand)


def _extents(operand: BlockExpr) -> Partial:
    return operand.partial if isinstance(operand, Unshaped) else operand.shape


def _merged(shapes: Sequence[Partial]) -> Partial:
    """Return the common shape of several operands, as far as it is known; where they differ, the first one counts."""
    rank = max(map(len, shapes))
    numbers: list[int | None] = [None] * rank
    for shape in shapes:
        for dim, extent in zip(range(rank - len(shape), rank), shape, strict=True):
            numbers[dim] = extent if numbers[dim] is None else numbers[dim]
    return tuple(numbers)


def _shape_needed(why: str) -> Any:
    return error(
        "TTL0429",
        f"the shape of a broadcast is not known: {why}",
        notes=("without shape= it comes from the other operand, or from the block it is stored into",),
        help="write ttl.block.broadcast(expr, dims=..., shape=...) with the shape of the result in tiles",
    )
