"""Caches of keys and values: tensors of users, heads, positions and width that a module writes into, one position or the first ones.

TTIR has operations for these writes, which write in place. The result of any other write is computed in a tensor of
its own, and copied into place by ``ttnn-write-in-place``.
"""

from __future__ import annotations

from typing import Any

from tt_model.layouts.elements import TILE_SHAPE
from tt_model.operations.conditions.verify_memory import is_taken_as_cache
from ttmlir.torch.lowering import GraphLowering
from ttmlir.torch.row import AtenValue
from ttmlir.ttir_builder import Operand


def is_cache(at: GraphLowering, value: AtenValue) -> bool:
    """Whether the node under way writes into a cache that the library's operations take: floats, in whole tiles."""
    import torch

    is_float = value.dtype in (torch.float32, torch.bfloat16)
    return at.node.args[0] in at.caches and is_float and is_taken_as_cache(value.shape)


def written_position(at: GraphLowering, cache: AtenValue, new: AtenValue, index: Operand) -> AtenValue:
    """Write one position of every user into a cache; ``new`` has extent one along the positions."""
    update = at.operand(new, at.dtype)
    if cache.shape[0] > 1:
        update = at.builder.transpose(update, 0, 2)
    return _written(at, at.builder.update_cache(at.operand(cache), update, index), cache)


def written_range(at: GraphLowering, cache: AtenValue, new: AtenValue, dim: int, places: range) -> Any:
    """Write a range of positions into a cache; None if no operation does that in place."""
    if dim != 2 or not is_cache(at, cache):
        return None
    if len(places) == 1:
        import torch

        index = at.operand(AtenValue.of(torch.tensor([places.start], dtype=torch.int32)))
        return written_position(at, cache, new, index)
    if places.start or places.step != 1 or len(places) % TILE_SHAPE[0]:
        return None
    operand, update = at.operand(cache), at.operand(new, at.dtype)
    users, *rest = new.shape
    for user in range(users):
        one = update
        if users > 1:
            begins, ends = [user, 0, 0, 0], [user + 1, *rest]
            one = at.builder.slice(update, begins, ends, [1] * 4)
        operand = at.builder.fill_cache(operand, one, user)
    return _written(at, operand, cache)


def _written(at: GraphLowering, operand: Operand, cache: AtenValue) -> AtenValue:
    at.caches.add(at.node)
    return at.again(operand, cache.shape)
