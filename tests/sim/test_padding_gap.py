"""A value in padding never enters a reduce: what does not hold yet, pinned.

``Value.valid`` is one extent for the whole block. When ``squeeze`` or ``unsqueeze`` moves the last two dimensions of
several tiles, each tile has an extent of its own, which it cannot say (``ttl.rows.shape._kept``).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ttl
from support.tensors import blank, tiled, values


@pytest.mark.xfail(strict=True, reason="padding is not tracked through an unsqueeze that moves tiles")
def test_padding_does_not_enter_a_reduce_behind_an_unsqueeze_of_tiles() -> None:
    @ttl.operation(grid=(1, 1))
    def sums(x: Any, y: Any) -> None:
        x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 2))
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 2, 1))

        @ttl.datamovement()
        def read() -> None:
            with x_dfb.reserve() as x_blk:
                ttl.copy(x[:, :], x_blk).wait()

        @ttl.compute()
        def compute() -> None:
            with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
                moved = ttl.block.unsqueeze(ttl.math.exp(x_blk), dims=[-1])
                y_blk.store(ttl.math.reduce_sum(moved, dims=[-1]))

        @ttl.datamovement()
        def write() -> None:
            with y_dfb.wait() as y_blk:
                ttl.copy(y_blk, y[:, :, :]).wait()

    y = blank((1, 64, 32))
    sums(tiled(np.zeros((32, 40), np.float32)), y)
    assert values(y)[0, 0, 0] == 32  # exp(0) in each of 32 columns
    assert values(y)[0, 32, 0] == 8  # and in the 8 columns of the second tile that hold data
