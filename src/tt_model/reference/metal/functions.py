"""Functions of the kernel API on tiles in registers, in float64, with the meaning of their rows in the table.

The conversion to TTMetal chooses functions by name; here the row of a name is looked up instead, so that a wrong choice
shows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from types import MappingProxyType

import numpy as np

from tt_model.operations import elementwise as eltwise
from tt_model.operations.operation import RowOperation, TTIROperation
from tt_model.operations.ttir import TTIR
from tt_model.reference.elementwise import elementwise
from tt_model.reference.formats import FORMATS, Values
from ttl.kernel_api.tiles import use_of
from ttl.rows.table import OPS

_FLOAT = FORMATS["f64"]
# The operations of TTIR that functions of a tile and a number compute.
_WITH_NUMBER: Mapping[str, type[TTIROperation]] = MappingProxyType(
    {
        "unary_eq_tile": eltwise.TTIREqualOp,
        "unary_ne_tile": eltwise.TTIRNotEqualOp,
        "mul_unary_tile": eltwise.TTIRMultiplyOp,
    }
)


@cache
def _rows() -> Mapping[str, str]:
    """Return the names of functions, each with the row of the operation that it belongs to."""
    rows = {}
    for row in OPS:
        for call in row.hardware.get("0.69", ()):
            if call.reads_registers:
                rows[use_of(call).call.name] = row.name
    return rows


@cache
def _operations() -> Mapping[str, type[RowOperation]]:
    """Return the rows, each with the operation of TTIR that computes it."""
    return {kind.ROW.function: kind for kind in TTIR.classes.values() if kind.ROW.function}


def on_registers(name: str, tiles: Sequence[Values], numbers: Sequence[float]) -> Values:
    """Return the result of a function for tiles and its constants, in order.

    Raises ``ValueError`` for an unknown function.
    """
    if name in _WITH_NUMBER:
        return elementwise(_WITH_NUMBER[name], [*tiles, np.full((1, 1), numbers[0])], _FLOAT)
    row = _rows().get(name, "")
    if row == "mod":
        with np.errstate(all="ignore"):
            return np.asarray(np.mod(tiles[0], tiles[1]))
    kind = _operations().get(row)
    if kind is None:
        raise ValueError(f"'ttkernel.{name}' has no meaning in the reference")
    return elementwise(kind, tiles, _FLOAT, numbers)
