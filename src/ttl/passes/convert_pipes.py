"""Pipes: not written yet."""

from __future__ import annotations

from ttl.arch import Chip
from ttl.diag import Diagnostic
from ttl.dialects import ttl as dialect


def convert_pipes(operation: dialect.OperationOp, target: Chip) -> list[Diagnostic]:
    """Convert the pipes of one operation; returns what cannot be."""
    return []
