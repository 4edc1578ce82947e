"""Small operations that several test files use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ttnn

import ttl


def compute_one(
    expression: Callable[..., Any],
    *inputs: ttnn.Tensor,
    out: ttnn.Tensor,
    shapes: tuple[tuple[int, ...], ...] | None = None,
    out_shape: tuple[int, ...] | None = None,
) -> None:
    """One node, one block per tensor, the whole tensor each: ``out = expression(*blocks)``."""

    def whole(tensor: ttnn.Tensor) -> tuple[int, ...]:
        extents = list(tensor.padded_shape)
        if tensor.layout == ttnn.TILE_LAYOUT:
            extents[-2:] = [extents[-2] // 32, extents[-1] // 32]
        return tuple(extents)

    @ttl.operation(grid=(1, 1))
    def op(*tensors: Any) -> None:
        sources, target = tensors[:-1], tensors[-1]
        kinds = shapes or tuple(whole(source) for source in sources)
        dfbs = [
            ttl.make_dataflow_buffer_like(source, shape=shape, block_count=1)
            for source, shape in zip(sources, kinds, strict=True)
        ]
        out_dfb = ttl.make_dataflow_buffer_like(target, shape=out_shape or whole(target), block_count=1)

        @ttl.datamovement()
        def read() -> None:
            for source, dfb in zip(sources, dfbs, strict=True):
                with dfb.reserve() as blk:
                    ttl.copy(source[...], blk).wait()

        @ttl.compute()
        def compute() -> None:
            blocks = [dfb.wait() for dfb in dfbs]
            with out_dfb.reserve() as out_blk:
                out_blk.store(expression(*blocks))
            for blk in blocks:
                blk.pop()

        @ttl.datamovement()
        def write() -> None:
            with out_dfb.wait() as blk:
                ttl.copy(blk, target[...]).wait()

    op(*inputs, out)
