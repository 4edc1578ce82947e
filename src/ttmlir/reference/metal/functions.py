"""Functions of the kernel API on tiles in registers, in float64: what the table of operations says that they are.

The way to TTMetal chooses functions by name; here a name is looked up the other way round, so that a wrong choice shows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from types import MappingProxyType

import numpy as np

from ttl.kernel_api.tiles import use_of
from ttl.ops.table import OPS
from ttmlir.reference.elementwise import ARITHMETIC, elementwise
from ttmlir.reference.formats import FORMATS, Values

_FLOAT = FORMATS["f64"]
# Functions of a tile and a number: the operation of TTIR that they are.
_WITH_NUMBER: Mapping[str, str] = MappingProxyType(
    {"unary_eq_tile": "eq", "unary_ne_tile": "ne", "mul_unary_tile": "multiply"}
)
# Where TTIR's own arithmetic stands for a row's, see ``ttmlir.reference.elementwise``.
_OWN: Mapping[str, str] = MappingProxyType({"gelu_tile": "gelu", "where_tile": "where"})


@cache
def _operations() -> Mapping[str, str]:
    """For each function the row of the operation that it belongs to."""
    rows = {}
    for row in OPS:
        for call in row.hardware.get("0.69", ()):
            if call.reads_registers:
                rows[use_of(call).call.name] = row.name
    return rows


def on_registers(name: str, tiles: Sequence[Values], numbers: Sequence[float]) -> Values:
    """What a function gives for tiles, and for its constants in their order. Raises ``ValueError`` for one that is not known."""
    if name in _WITH_NUMBER:
        return elementwise(_WITH_NUMBER[name], [*tiles, np.full((1, 1), numbers[0])], _FLOAT)
    if name in _OWN:
        return elementwise(_OWN[name], tiles, _FLOAT)
    row = _operations().get(name)
    known = next((key for key, one in ARITHMETIC.items() if one.row == row), None)
    if row == "mod":
        with np.errstate(all="ignore"):
            return np.asarray(np.mod(tiles[0], tiles[1]))
    if known is None:
        raise ValueError(f"'ttkernel.{name}' has no meaning in the reference")
    return elementwise(known, tiles, _FLOAT, numbers)
