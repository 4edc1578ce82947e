"""Rows with which the simulator computes sub-views of blocks; unlike rows of the table, they have no public function.

Their parameters are the start and the extents of a part, in tiles.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ttl.rows.build import EXACTLY, EXPR
from ttl.rows.dtypes import Array
from ttl.rows.row import Op, Operand, OperandType, Params, Valid
from ttl.rows.rules import blocks_of
from ttl.rows.types import BlockType

_INTO = Operand(name="block", doc="The block that the part is of.")


def _in_elements(numbers: Sequence[int], of: BlockType) -> tuple[int, ...]:
    *outer, rows, columns = numbers
    return *outer, rows * of.tile[0], columns * of.tile[1]


def _place(params: Params, of: BlockType) -> tuple[Any, ...]:
    """The part as an index of an array, after its batch axes."""
    starts, extents = (_in_elements(numbers, of) for numbers in params)
    return (..., *(slice(start, start + extent) for start, extent in zip(starts, extents, strict=True)))


def _part(arrays: Sequence[Any], params: Params, result: BlockType) -> Array:
    part: Array = arrays[0][_place(params, result)]
    return part


def _insert(arrays: Sequence[Any], params: Params, result: BlockType) -> Array:
    old, new = arrays
    rank = len(result.elements)
    batch = np.broadcast_shapes(old.shape[:-rank], new.shape[:-rank])
    changed: Array = np.broadcast_to(old, (*batch, *result.elements)).copy()
    changed[_place(params, result)] = new
    return changed


def _placed(arrays: Sequence[Any], params: Params, result: BlockType) -> Array:
    (new,) = arrays
    placed: Array = np.zeros((*new.shape[: -len(result.elements)], *result.elements), new.dtype)
    placed[_place(params, result)] = new
    return placed


def _part_valid(valids: Sequence[Valid], params: Params, result: BlockType) -> Valid:
    (valid,) = valids
    if valid is None:
        return None
    starts, extents = (_in_elements(numbers, result)[-2:] for numbers in params)
    rows, columns = (
        min(max(end - start, 0), extent) for end, start, extent in zip(valid, starts, extents, strict=True)
    )
    return None if (rows, columns) == extents else (rows, columns)


def _joined_valid(valids: Sequence[Valid], params: Params, result: BlockType) -> Valid:
    """The extent of data after a part is put into a block: the larger of the ends of data of the block and the part."""
    starts, extents = (_in_elements(numbers, result)[-2:] for numbers in params)
    new = valids[-1] or extents
    old: tuple[int, ...] = (0, 0) if len(valids) == 1 else valids[0] or result.elements[-2:]
    rows, columns = (max(before, start + end) for before, start, end in zip(old, starts, new, strict=True))
    return None if (rows, columns) == result.elements[-2:] else (rows, columns)


def _rule(operands: tuple[OperandType, ...], params: Params) -> BlockType:
    """The element type and layout of the operands; the caller replaces the shape by that of the result."""
    return blocks_of(operands)[0]


def _row(name: str, summary: str, operands: tuple[Operand, ...], reference: Any, valid: Any) -> Op:
    return Op(
        name=name,
        namespace="block",
        spellings=("a sub-view",),
        anchor="block",
        summary=summary,
        operands=operands,
        rule=_rule,
        reference=reference,
        valid_rule=valid,
        family="part",
        traits=EXACTLY,
    )


PART = _row("part", "A part of a block.", (EXPR,), _part, _part_valid)
INSERT = _row("insert", "A block with another part.", (_INTO, EXPR), _insert, _joined_valid)
PLACE = _row("place", "A block of which a part has been written.", (EXPR,), _placed, _joined_valid)
