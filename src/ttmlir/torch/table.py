"""The table of ATen: the lowering of each function of an exported graph. The documentation is made from its rows."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ttmlir.torch import builder_calls, kernel_calls
from ttmlir.torch.functions import (
    composed,
    elementwise,
    indexing,
    ordering,
    products,
    reductions,
    scattering,
    shapes,
    windows,
)
from ttmlir.torch.row import AtenRow

TABLE: tuple[tuple[str, tuple[AtenRow, ...]], ...] = (
    ("Elementwise", elementwise.ROWS),
    ("Made of several", composed.ROWS),
    ("Matrix products and attention", products.ROWS),
    ("Over dimensions", reductions.ROWS),
    ("Positions and orders", ordering.ROWS),
    ("Shapes, parts and tables", shapes.ROWS),
    ("Places that are tensors", (*indexing.ROWS, *scattering.ROWS)),
    ("Windows and images", windows.ROWS),
    ("Operations of TT-Lang", kernel_calls.ROWS),
    ("Operations of TTIR", builder_calls.ROWS),
)
"""Rows by the headings of the documentation."""

ROWS: Mapping[str, AtenRow] = MappingProxyType(
    {overload: row for _, group in TABLE for row in group for overload in row.overloads}
)
"""The row of each overload."""
