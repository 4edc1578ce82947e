"""Writes to caches of keys and values (users, heads, positions, width): one position of all users, or the first ones.

TTIR has operations for these writes, which are in place. The result of any other write is computed beside the cache,
and ``ttnn-write-in-place`` copies it there.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import bf16, f32, i32
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from tt_model.layouts.elements import TILE_SHAPE
from tt_model.operations.conditions.verify_memory import is_taken_as_cache
from tt_model.operations.constants import written_arguments
from tt_model.operations.emission import constraints_of_tiles
from tt_model.stablehlo.numbers import shape_of, tensor_type
from ttmlir.transforms.from_stablehlo.writer import Writer


def is_position(op: Operation, sizes: Sequence[int], w: Writer) -> bool:
    """Whether an operation writes one position of all users of a cache."""
    shape = shape_of(op.operands[0])
    return _is_cache(op, w) and tuple(sizes) == (*shape[:2], 1, shape[3])


def written_position(
    op: Operation, cache: SSAValue, update: SSAValue, index: SSAValue, w: Writer
) -> SSAValue:
    """Write one position of all users of a cache; ``update`` has extent 1 there."""
    w.caches.update(op.results)
    operands = [cache, w.rearrange(update, [2, 1, 0, 3]), index]
    constraints = constraints_of_tiles(3)
    return w.make("ttir.update_cache", operands, [cache.type], operand_constraints=constraints)[0]


def written_block(
    op: Operation, cache: SSAValue, update: SSAValue, starts: Sequence[int], w: Writer
) -> SSAValue | None:
    """Write a block of a cache that starts at a known place; return None if no operation does that in place."""
    shape, sizes = w.shape(cache), w.shape(update)
    if not _is_cache(op, w):
        return None
    if is_position(op, sizes, w):
        return written_position(op, cache, update, w.filled(starts[2], (1,), i32), w)
    is_whole = sizes[1] == shape[1] and sizes[2] % TILE_SHAPE[0] == 0 and sizes[3] == shape[3]
    if starts[2] or not is_whole:
        return None
    w.caches.update(op.results)
    constraints = constraints_of_tiles(2)
    for user in range(sizes[0]):
        operands = [cache, w.range(update, 0, user, user + 1)]
        fields = {"batch_offset": starts[0] + user, "operand_constraints": constraints}
        (cache,) = w.make("ttir.fill_cache", operands, [cache.type], **fields)
    return cache


def _is_cache(op: Operation, w: Writer) -> bool:
    """Whether an operation writes to a cache that the function updates: an argument, or the result of such a write."""
    cache, function = op.operands[0], op.parent_op()
    is_float = tensor_type(cache).element_type in (f32, bf16)
    if not (is_float and is_taken_as_cache(shape_of(cache))):
        return False
    if isinstance(cache.owner, Operation):
        return cache in w.caches
    return isinstance(function, FuncOp) and cache.index in written_arguments(function)  # type: ignore[attr-defined]
