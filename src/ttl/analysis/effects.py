"""Effects of operations besides their results: traits of each class of operations, looked up once."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from typing import Literal

from xdsl.ir import Operation, SSAValue
from xdsl.traits import (
    IsTerminator,
    MemoryEffect,
    MemoryEffectKind,
    MemoryReadEffect,
    MemoryWriteEffect,
    NoMemoryEffect,
    RecursiveMemoryEffect,
    get_effects,
    is_side_effect_free,
)
from xdsl.transforms.dead_code_elimination import is_trivially_dead

from ttl.dialects.effects import Effects, NodeResource


def is_free(op: Operation) -> bool:
    """Whether an operation only computes its results, and the same ones at any place."""
    kind = _effect_of(type(op))
    return has_no_effect(op) if kind == "depends" else kind == "none"


def has_no_effect(op: Operation) -> bool:
    """Whether an operation, which may be a terminator, has no effect, including the operations in its regions."""
    own = _own_effect(type(op))
    if own == "of regions":
        return all(
            has_no_effect(item) for region in op.regions for block in region.blocks for item in block.ops
        )
    return bool(is_side_effect_free(op)) if own == "depends" else own == "none"


def is_dead(op: Operation) -> bool:
    """Whether an operation can be removed: it has no users, and at most reads memory."""
    kind = _effect_of(type(op))
    if kind == "acts" or any(result.first_use is not None for result in op.results):
        return False
    return bool(is_trivially_dead(op)) if kind == "depends" else True


def only_reads(op: Operation) -> bool:
    """Whether an operation only reads memory: its results stay the same until something writes to it."""
    return _effect_of(type(op)) == "reads"


def uses_piece(op: Operation, resource: NodeResource, value: SSAValue) -> bool:
    """Whether an operation declares an effect on the piece of a resource that ``value`` represents."""
    return any(effect.resource == resource and effect.value is value for effect in get_effects(op) or ())


def writes(op: Operation, *resources: NodeResource) -> bool:
    """Whether an operation declares a change of one of some resources."""
    return any(written_pieces(op, resource) for resource in resources)


def written_pieces(op: Operation, resource: NodeResource) -> Collection[SSAValue | None] | None:
    """Return the pieces of a resource that an operation declares to change; None if nothing is declared.

    A None among them stands for any piece.
    """
    kind = _writing(type(op), resource)
    if kind == "never":
        return ()
    effects = get_effects(op) if kind == "depends" else None
    if effects is None:
        return None
    return [
        effect.value if isinstance(effect.value, SSAValue) else None
        for effect in effects
        if effect.resource == resource and effect.kind is not MemoryEffectKind.READ
    ]


@cache
def _writing(kind: type[Operation], resource: NodeResource) -> Literal["never", "not declared", "depends"]:
    """Whether operations of a kind change a resource; ``depends`` means that it depends on the operation."""
    effects = kind.get_traits_of_type(MemoryEffect)  # type: ignore[type-abstract]
    if not effects:
        return "not declared"
    return "never" if all(_leaves(effect, resource) for effect in effects) else "depends"


def _leaves(effect: MemoryEffect, resource: NodeResource) -> bool:
    """Whether an operation with this effect never changes a resource; a write to general memory does not."""
    if isinstance(effect, Effects):
        return all(
            of_kind is MemoryEffectKind.READ or other != resource for of_kind, other, _ in effect.declared
        )
    return isinstance(effect, NoMemoryEffect | MemoryReadEffect | MemoryWriteEffect)


@cache
def _own_effect(kind: type[Operation]) -> Literal["none", "some", "of regions", "depends"]:
    effects = [*map(type, kind.get_traits_of_type(MemoryEffect))]  # type: ignore[type-abstract]
    if not effects:
        return "some"
    others = [effect for effect in effects if not issubclass(effect, NoMemoryEffect)]
    if not others:
        return "none"
    return "of regions" if others == [RecursiveMemoryEffect] else "depends"


@cache
def _effect_of(kind: type[Operation]) -> Literal["none", "reads", "acts", "depends"]:
    """Return the effect of a kind of operations: ``acts`` if unknown, ``depends`` if it depends on its regions."""
    effects = kind.get_traits_of_type(MemoryEffect)  # type: ignore[type-abstract]
    if not effects or kind.get_trait(IsTerminator) is not None:
        return "acts"
    if any(isinstance(effect, MemoryWriteEffect) for effect in effects) or any(
        isinstance(effect, Effects) and not effect.only_reads for effect in effects
    ):
        return "acts"
    if all(isinstance(effect, NoMemoryEffect) for effect in effects):
        return "none"
    return (
        "reads"
        if all(isinstance(effect, NoMemoryEffect | MemoryReadEffect | Effects) for effect in effects)
        else "depends"
    )
