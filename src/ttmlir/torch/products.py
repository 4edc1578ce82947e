"""Matrix products of ATen."""

from __future__ import annotations

from typing import Any

from ttmlir.torch.lowering import Lowering
from ttmlir.torch.row import AtenValue, rows


def _linear(at: Lowering, input: AtenValue, weight: AtenValue, bias: AtenValue | None) -> Any:
    offset = None if bias is None else at.operand(bias)
    return at.builder.linear(at.operand(input), at.operand(weight), offset)


ROWS = rows(
    ("linear.default", _linear, "ttir.transpose, ttir.matmul, ttir.add"),
)
