"""All rows, in the order of the reference."""

from __future__ import annotations

from functools import lru_cache

from ttl.ops.activation import ACTIVATIONS
from ttl.ops.arithmetic import ARITHMETIC, COMPARISONS
from ttl.ops.basic import BASIC, TRIGONOMETRIC
from ttl.ops.matmul import MATMUL
from ttl.ops.reduce import REDUCTIONS
from ttl.ops.rounding import ROUNDING
from ttl.ops.row import Op
from ttl.ops.select import SELECTION
from ttl.ops.shape import SHAPES

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

# Operations whose result has not the shape of their operands; all others work element by element.
RESHAPING = frozenset(row.name for row in (MATMUL, *REDUCTIONS, *SHAPES))


@lru_cache(maxsize=1)
def _by_name() -> dict[str, Op]:
    return {row.name: row for row in OPS}


def op(name: str) -> Op:
    """The row of an operation, by its name (``add``, ``exp``, ``broadcast``). Raises KeyError for others."""
    return _by_name()[name]
