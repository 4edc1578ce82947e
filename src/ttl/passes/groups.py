"""Stores that one region computes: beside each other, of one shape, with values in common."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Operation

from ttl.dialects import ttl as dialect
from ttl.passes.modes import is_wide
from ttl.passes.trees import leaves, tree
from ttl.passes.views import reduced_within, repeated_within, tile_shape, type_of

# What may stand between stores of a group: it has no effect on blocks.
_TRANSPARENT = (dialect.BlockComputeOp, dialect.RetypeOp, dialect.BlockReadOp)


def group_of(store: dialect.BlockStoreOp) -> list[dialect.BlockStoreOp]:
    """The stores that are computed with one, itself among them, in order."""
    before = [*_neighbours(store, backwards=True)]
    near = [*before[::-1], store, *_neighbours(store, backwards=False)]
    group = [store]
    values = set(tree(store.value))
    changed = True
    while changed:
        changed = False
        for each in near:
            if each in group or not may_join(store, each):
                continue
            if any(each.block is other.block for other in group):
                continue
            if any(read.block is other.block for other in group for read in leaves(each.value)):
                continue
            own = set(tree(each.value))
            if own & values:
                group.append(each)
                values |= own
                changed = True
    return [each for each in near if each in group]


def may_join(one: dialect.BlockStoreOp, other: dialect.BlockStoreOp) -> bool:
    """Whether one section of the registers could compute both stores, wherever they are.

    A reduction within tiles makes the packer write the lanes of its result only, for all that a section packs.
    """
    if tile_shape(type_of(one.value)) != tile_shape(type_of(other.value)):
        return False
    if _starts_over(one) or _starts_over(other):
        return False
    return _lanes(one) == _lanes(other)


def _lanes(store: dialect.BlockStoreOp) -> frozenset[str]:
    return frozenset(filter(None, map(reduced_within, tree(store.value))))


def _starts_over(store: dialect.BlockStoreOp) -> bool:
    """Whether the section empties the registers first: it repeats elements of integers within tiles."""
    return any(
        repeated_within(each) and is_wide(type_of(each).dtype) and not type_of(each).dtype.is_float
        for each in tree(store.value)
    )


def _neighbours(store: dialect.BlockStoreOp, *, backwards: bool) -> Iterator[dialect.BlockStoreOp]:
    op: Operation | None = store.prev_op if backwards else store.next_op
    while op is not None:
        if isinstance(op, dialect.BlockStoreOp):
            yield op
        elif not isinstance(op, _TRANSPARENT) and not op.name.startswith("arith."):
            return
        op = op.prev_op if backwards else op.next_op
