"""``ttir.ir``."""

from __future__ import annotations

from tt_model.operations.operation import is_destination_style
from ttmlir.bindings.operations import OperationHandle, OpView


def is_dps(operation: OperationHandle | OpView) -> bool:
    """Whether an operation is of destination style: it writes its results to operands."""
    return is_destination_style(operation.operation.xdsl)
