"""Semaphores: not written yet."""

from __future__ import annotations

from ttl.diag import Diagnostic
from ttl.dialects import ttl as dialect


def convert_semaphores(operation: dialect.OperationOp) -> list[Diagnostic]:
    """Convert the semaphores of one operation; returns what cannot be."""
    return []
