"""Handles of operations for overrides."""

from __future__ import annotations

from ttmlir.bindings.operations import Operation, OpView

__all__ = ["get_ptr"]


def get_ptr(op: Operation | OpView) -> int:
    """A number that identifies an operation as long as it lives."""
    return id(op.operation.xdsl)
