"""All rows, in the order of the reference."""

from __future__ import annotations

from functools import lru_cache

from ttl.rows.activation import ACTIVATIONS
from ttl.rows.arithmetic import ARITHMETIC, COMPARISONS
from ttl.rows.basic import BASIC, TRIGONOMETRIC
from ttl.rows.matmul import MATMUL
from ttl.rows.reduce import REDUCTIONS
from ttl.rows.rounding import ROUNDING
from ttl.rows.row import Op
from ttl.rows.select import SELECTION
from ttl.rows.shape import SHAPES

OPS: tuple[Op, ...] = (
    *ARITHMETIC,
    MATMUL,
    *COMPARISONS,
    *BASIC,
    *TRIGONOMETRIC,
    *ACTIVATIONS,
    *ROUNDING,
    *REDUCTIONS,
    *SELECTION,
    *SHAPES,
)


@lru_cache(maxsize=1)
def _by_name() -> dict[str, Op]:
    return {row.name: row for row in OPS}


def op(name: str) -> Op:
    """The row of an operation, by its name (``add``, ``exp``, ``broadcast``). Raises KeyError for others."""
    return _by_name()[name]


# Rows that other modules use: ``+=`` adds, and a number without a function becomes a filled block.
ADD, SUB, MUL, MAX, EQ, NE = map(op, ("add", "sub", "mul", "max", "eq", "ne"))
EQUALITY = (EQ, NE)
FILL, WHERE, TYPECAST = map(op, ("fill", "where", "typecast"))
BROADCAST, TRANSPOSE, SQUEEZE, UNSQUEEZE = map(op, ("broadcast", "transpose", "squeeze", "unsqueeze"))
REDUCE_SUM, REDUCE_MAX = map(op, ("reduce_sum", "reduce_max"))
