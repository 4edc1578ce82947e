"""What operations do beside computing results, asked of their kind once."""

from __future__ import annotations

from functools import cache
from typing import Literal

from xdsl.ir import Operation
from xdsl.traits import (
    IsTerminator,
    MemoryEffect,
    MemoryReadEffect,
    MemoryWriteEffect,
    NoMemoryEffect,
    is_side_effect_free,
)
from xdsl.transforms.dead_code_elimination import is_trivially_dead

from ttl.dialects.effects import ActsOnOperands


def is_free(op: Operation) -> bool:
    """Whether an operation does nothing but compute its results, and the same ones wherever it is."""
    kind = _effect_of(type(op))
    return bool(is_side_effect_free(op)) if kind == "depends" else kind == "none"


def is_dead(op: Operation) -> bool:
    """Whether nothing would miss an operation: it has no users, and changes nothing."""
    kind = _effect_of(type(op))
    if kind == "acts" or any(result.first_use is not None for result in op.results):
        return False
    return bool(is_trivially_dead(op)) if kind == "depends" else True


@cache
def _effect_of(kind: type[Operation]) -> Literal["none", "reads", "acts", "depends"]:
    """``depends``: on what is in its regions. Of an operation without a known effect every one is assumed."""
    effects = kind.get_traits_of_type(MemoryEffect)  # type: ignore[type-abstract]
    if not effects or kind.get_trait(IsTerminator) is not None:
        return "acts"
    if any(isinstance(effect, ActsOnOperands | MemoryWriteEffect) for effect in effects):
        return "acts"
    if all(isinstance(effect, NoMemoryEffect) for effect in effects):
        return "none"
    return (
        "reads"
        if all(isinstance(effect, NoMemoryEffect | MemoryReadEffect) for effect in effects)
        else "depends"
    )
