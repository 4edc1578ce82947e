"""``tt``: enumerations, attributes and types that all dialects share."""

from __future__ import annotations

from tt_model.layouts.enums import (
    Arch,
    BufferAccess,
    ChipCapability,
    CPURole,
    DataType,
    IteratorType,
    MemorySpace,
    OOBVal,
    OperandConstraint,
    ShardDirection,
    ShardType,
    TensorMemoryLayout,
)
from ttmlir.bindings import tt_ir as ir
from ttmlir.bindings.scope import register_dialect

__all__ = [
    "Arch",
    "BufferAccess",
    "CPURole",
    "ChipCapability",
    "DataType",
    "IteratorType",
    "MemorySpace",
    "OOBVal",
    "OperandConstraint",
    "ShardDirection",
    "ShardType",
    "TensorMemoryLayout",
    "ir",
    "register_dialect",
]
