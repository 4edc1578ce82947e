"""Which chip an operation is compiled for."""

from __future__ import annotations

from xdsl.dialects.builtin import StringAttr

from ttl.arch import Chip, chip_named
from ttl.dialects import ttl as dialect
from ttl.passes.marks import CHIP
from ttl.settings import current_chip


def chip_of(operation: dialect.OperationOp, arch: str | None = None) -> Chip:
    """The chip that a pass was told, or that is noted on the operation, or that of the settings."""
    given = operation.attributes.get(CHIP)
    if arch is None and isinstance(given, StringAttr):
        arch = given.data
    return current_chip() if arch is None else chip_named(arch)
