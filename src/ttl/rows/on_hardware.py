"""A row on the hardware, for the reference page: the functions of the kernel API, and the cycles of a tile."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import get_args

from ttl.arch import Chip, all_chips
from ttl.arch.costs import Number, estimate
from ttl.rows.dtypes import FLOAT32
from ttl.rows.lowering import expansion, is_elementwise
from ttl.rows.row import Generation, Op, TileCall
from ttl.rows.trees import Apply
from ttl.rows.types import BlockType


def tile_functions(op: Op) -> str:
    """Return the functions of both kernel APIs that compute a row, or the rows that it is composed of, as Markdown."""
    functions = {name: _names(op.hardware.get(name, ())) for name in get_args(Generation)}
    if not functions["0.81"]:
        return _composition(op)
    if functions["0.69"] == functions["0.81"]:
        return functions["0.81"]
    return f"{functions['0.81']} (0.69: {functions['0.69']})"


def hardware_notes(op: Op) -> str:
    """Return the notes on the functions that compute a row; empty for most rows."""
    return "; ".join(dict.fromkeys(call.note for call in op.hardware.get("0.81", ()) if call.note))


def known_cost(op: Op, chip: Chip) -> Number | None:
    """The measured cycles of a row's first function for a tile, if need be of another chip; None if not measured."""
    if op.name in chip.operations:
        return chip.operations[op.name]
    others = (other.operations[op.name] for other in all_chips() if op.name in other.operations)
    return next((replace(number, how="deduced") for number in others), None)


def cost(op: Op, chip: Chip) -> Number | None:
    """The known cycles of a row for a tile, or an estimate for the vector unit; None for functions of other units."""
    known = known_cost(op, chip)
    first = next(iter(op.hardware.get("0.81", ())), None)
    if known is not None or first is None or not first.reads_registers:
        return known
    return estimate(first.instructions)


def _names(calls: Iterable[TileCall]) -> str:
    return ", ".join(f"`{name}`" for name in dict.fromkeys(call.function.name for call in calls))


def _composition(op: Op) -> str:
    """Return the rows that a row without a function of its own is composed of, as text."""
    block = BlockType.of((1, 1), FLOAT32)
    operands = tuple(block for _ in op.operands)
    result = op.infer(operands, tuple(0 for _ in op.params)) if is_elementwise(op) else None
    tree = (
        expansion(op, operands, tuple(0 for _ in op.params), result)
        if isinstance(result, BlockType)
        else None
    )
    if not isinstance(tree, Apply):
        return "none, only the shape changes"
    return "composed of " + ", ".join(f"`{name}`" for name in dict.fromkeys(_rows_of(tree)))


def _rows_of(tree: Apply) -> list[str]:
    inner = [name for operand in tree.operands if isinstance(operand, Apply) for name in _rows_of(operand)]
    return [*inner, tree.row]
