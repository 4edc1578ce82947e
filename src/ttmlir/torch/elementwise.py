"""Elementwise functions of ATen."""

from __future__ import annotations

from typing import Any

from ttmlir.torch.lowering import Lowering
from ttmlir.torch.row import AtenValue, rows


def _relu(at: Lowering, value: AtenValue) -> Any:
    return at.builder.relu(at.operand(value))


ROWS = rows(
    ("relu.default", _relu, "ttir.relu"),
)
