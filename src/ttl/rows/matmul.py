"""Matrix product (specification, Appendix B, ``__matmul__``)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ttl.diag.model import Diagnostic, Remedy, error
from ttl.diag.remedies import Rewrite, Wrap
from ttl.diag.words import counted
from ttl.rows.hardware import ACCUMULATED, both, on_buffers
from ttl.rows.row import Op, Operand, OperandType, Params, Valid
from ttl.rows.rules import (
    blocks_of,
    checked_dtype,
    common_dtype,
    layouts_differ,
    row_major_unsupported,
    tiles_differ,
)
from ttl.rows.types import BlockType, Layout

_LABEL = "a @ b"


def _rule(operands: tuple[OperandType, ...], params: Params) -> BlockType | Diagnostic:
    a, b = blocks_of(operands)
    both = (("a", a), ("b", b))
    if a.layout is not b.layout:
        return layouts_differ(_LABEL, both)
    if a.layout is not Layout.TILE:
        return row_major_unsupported(_LABEL, a)
    shapes = f"a: {a.describe()}, b: {b.describe()}"
    if a.tile[1] != b.tile[0]:
        return tiles_differ(_LABEL, both)
    if a.shape[:-2] != b.shape[:-2]:
        return error(
            "TTL0412",
            f"{_LABEL}: the outer dimensions {_outer(a)} and {_outer(b)} differ, {shapes}",
            notes=(
                "a product of stacks of matrices takes them pair by pair and broadcasts nothing silently",
            ),
            help=_stacked(a, b),
        ).remedied_by(_stacked_operand(a, b))
    if a.shape[-1] != b.shape[-2]:
        return error(
            "TTL0411",
            f"{_LABEL}: a has {counted(a.shape[-1], 'tile')} of columns, b has {counted(b.shape[-2], 'tile')} of rows, {shapes}",
            notes=("a[..., M, K] @ b[..., K, N] gives [..., M, N]: K must be the same in both",),
            help=_swapped(a, b) or _transposed(a, b),
        ).remedied_by(_other_product(a, b))
    dtype = common_dtype(_LABEL, a.dtype, b.dtype)
    if isinstance(dtype, Diagnostic):
        return dtype
    return checked_dtype(_LABEL, dtype, "float") or BlockType.of(
        (*a.shape[:-1], b.shape[-1]), dtype, a.layout, (a.tile[0], b.tile[1])
    )


def _outer(operand: BlockType) -> str:
    return str(operand.shape[:-2])


def _stacked(a: BlockType, b: BlockType) -> tuple[str, ...]:
    result = _stacked_template(a, b)
    if result is None:
        return ()
    name = "ab"[result[0]]
    return (f"write {result[1].replace('{}', name)} in place of {name}",)


def _stacked_operand(a: BlockType, b: BlockType) -> Remedy | None:
    result = _stacked_template(a, b)
    return None if result is None else Wrap(template=result[1], operand=result[0])


def _other_product(a: BlockType, b: BlockType) -> Remedy | None:
    """A remedy: the product with exchanged operands, or with one operand transposed, if its shapes fit."""
    if b.shape[-1] == a.shape[-2]:
        return Rewrite(template="{1} @ {0}")
    name = _fitting(a, b)
    return Rewrite(template=_FITTING[name]) if name else None


def _stacked_template(a: BlockType, b: BlockType) -> tuple[int, str] | None:
    """The position of the operand with fewer dimensions, and its unsqueeze and broadcast to the other's outer ones.

    None if an outer extent that differs is not 1.
    """
    position, flat, other = (1, b, a) if len(b.shape) <= len(a.shape) else (0, a, b)
    missing = len(other.shape) - len(flat.shape)
    padded = (1,) * missing + flat.shape[:-2]
    changed = [dim for dim, extent in enumerate(padded) if extent != other.shape[dim]]
    if any(padded[dim] != 1 for dim in changed):
        return None
    text = f"ttl.block.unsqueeze({{}}, dims={list(range(missing))})" if missing else "{}"
    shape = (*other.shape[:-2], *flat.shape[-2:])
    if changed:
        text = f"ttl.block.broadcast({text}, dims={changed}, shape={shape})"
    return position, text


def _swapped(a: BlockType, b: BlockType) -> tuple[str, ...]:
    if b.shape[-1] != a.shape[-2]:
        return ()
    return ("the other way round they fit: b @ a", *_transposed(a, b))


# The product in which one operand is transposed, by the name of that operand.
_FITTING = {"b": "{0} @ ttl.block.transpose({1})", "a": "ttl.block.transpose({0}) @ {1}"}


def _fitting(a: BlockType, b: BlockType) -> str:
    """The name of the operand whose transpose makes the shapes fit; empty if there is no such operand."""
    if len(b.shape) == 2 and b.shape[-1] == a.shape[-1]:
        return "b"
    if len(a.shape) == 2 and a.shape[0] == b.shape[-2]:
        return "a"
    return ""


def _transposed(a: BlockType, b: BlockType) -> tuple[str, ...]:
    name = _fitting(a, b)
    return (f"{name} fits when transposed: {_FITTING[name].format('a', 'b')}",) if name else ()


def _valid(valids: Sequence[Valid], params: Params, result: BlockType) -> Valid:
    a, b = valids
    if a is None and b is None:
        return None
    rows = result.elements[-2] if a is None else a[0]
    columns = result.elements[-1] if b is None else b[1]
    return None if (rows, columns) == result.elements[-2:] else (rows, columns)


MATMUL = Op(
    name="matmul",
    namespace="operator",
    spellings=(_LABEL,),
    anchor="appendix-b-binary-operators",
    summary="Matrix product.",
    operands=(
        Operand(name="a", doc="Left matrices, shape [..., M, K] in tiles."),
        Operand(name="b", doc="Right matrices, shape [..., K, N] in tiles."),
    ),
    rule=_rule,
    reference=lambda arrays, params, result: np.matmul(arrays[0], arrays[1]),
    valid_rule=_valid,
    neutral=0.0,
    family="product",
    dunder="__matmul__",
    reflected="__rmatmul__",
    hardware=both(on_buffers("matmul_tiles", accumulates=True), on_buffers("matmul_block", accumulates=True)),
    tolerance=ACCUMULATED,
    accepts="float",
    layouts=frozenset({Layout.TILE}),
    doc="Shapes [..., M, K] and [..., K, N] give [..., M, N]; the outer dimensions must be equal. Products are summed "
    "in float32. The cost is one tile at HiFi4.",
    example="a @ b",
)
