"""Random copies between overlapping slices of tensors that are read and written, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import ttnn

import ttl
from support.tensors import TILE, numbers, values
from ttl import settings


@pytest.mark.parametrize("layout", [ttnn.TILE_LAYOUT, ttnn.ROW_MAJOR_LAYOUT], ids=["tiled", "row-major"])
@pytest.mark.parametrize("precision", ["spec", "fp32"])
@pytest.mark.parametrize("seed", range(10))
def test_overlapping_slices(seed: int, precision: str, layout: Any) -> None:
    """A data movement kernel copies, a compute kernel changes signs: every read sees the writes before it."""
    random = np.random.default_rng(seed)
    tile = layout == ttnn.TILE_LAYOUT
    extents = (3, 4) if tile else (7, 9)
    unit = TILE if tile else 1
    shape = tuple(int(n) for n in random.integers(1, 3, 2))
    steps = [
        (
            int(random.integers(0, 3)),
            tuple(int(random.integers(0, e - s + 1)) for e, s in zip(extents, shape, strict=True)),
            int(random.integers(0, 3)),
            tuple(int(random.integers(0, e - s + 1)) for e, s in zip(extents, shape, strict=True)),
            bool(random.random() < 0.5),
        )
        for _ in range(40)
    ]
    # Ragged for tiles: the last tile of each dimension is partly padding.
    size = tuple(extent * unit - (5 if tile else 0) for extent in extents)
    arrays = [numbers(*size, seed=seed + n) for n in range(2)]
    tensors = [ttnn.from_numpy(array, ttnn.bfloat16, layout=layout) for array in arrays]

    @ttl.operation(grid=(1, 1))
    def op(*given: Any) -> None:
        # The first tensor is there twice: two arguments, one memory.
        in_dfb, back_dfb = (
            ttl.make_dataflow_buffer_like(given[0], shape=shape, block_count=1) for _ in range(2)
        )
        copy_dfb = ttl.make_dataflow_buffer_like(given[0], shape=shape, block_count=len(steps))

        def part(tensor: Any, place: tuple[int, ...]) -> Any:
            return tensor[place[0] : place[0] + shape[0], place[1] : place[1] + shape[1]]

        @ttl.datamovement()
        def move() -> None:
            for source, source_place, target, target_place, computed in steps:
                if not computed:
                    with copy_dfb.reserve() as blk:
                        ttl.copy(part(given[source], source_place), blk).wait()
                        ttl.copy(blk, part(given[target], target_place)).wait()
                    continue
                with in_dfb.reserve() as blk:
                    ttl.copy(part(given[source], source_place), blk).wait()
                with back_dfb.wait() as blk:
                    ttl.copy(blk, part(given[target], target_place)).wait()

        @ttl.compute()
        def compute() -> None:
            for step in steps:
                if step[-1]:
                    with in_dfb.wait() as in_blk, back_dfb.reserve() as back_blk:
                        back_blk.store(-in_blk)

    with settings.override(precision=precision):
        op(tensors[0], tensors[1], tensors[0])
    padded = [np.zeros(tuple(extent * unit for extent in extents), np.float32) for _ in range(2)]
    for whole, array in zip(padded, arrays, strict=True):
        whole[: size[0], : size[1]] = array

    def window(place: tuple[int, ...]) -> tuple[slice, ...]:
        return tuple(slice(p * unit, (p + s) * unit) for p, s in zip(place, shape, strict=True))

    for source, source_place, target, target_place, computed in steps:
        moved = padded[source % 2][window(source_place)].copy()
        padded[target % 2][window(target_place)] = -moved if computed else moved
        for whole in padded:  # padding keeps nothing
            whole[size[0] :], whole[:, size[1] :] = 0, 0
    for tensor, whole in zip(tensors, padded, strict=True):
        assert np.array_equal(values(tensor), whole[: size[0], : size[1]])
