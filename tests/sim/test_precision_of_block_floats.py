"""``--precision fp32`` rounds nothing in blocks; a tensor of block floats still holds block floats."""

from __future__ import annotations

from contextvars import Context

import pytest
import torch
import ttnn

import ttl
from ttl import settings


@pytest.mark.parametrize("dtype", [ttnn.bfloat8_b, ttnn.bfloat4_b], ids=str)
def test_a_result_is_what_its_type_can_hold(dtype: object) -> None:
    @ttl.operation(grid=(1, 1))
    def scale(a: ttnn.Tensor, y: ttnn.Tensor) -> None:
        a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))

        @ttl.datamovement()
        def read():
            with a_dfb.reserve() as a_blk:
                ttl.copy(a[0, 0], a_blk).wait()

        @ttl.compute()
        def compute():
            with a_dfb.wait() as a_blk, y_dfb.reserve() as y_blk:
                y_blk.store(a_blk * 1.2345)

        @ttl.datamovement()
        def write():
            with y_dfb.wait() as y_blk:
                ttl.copy(y_blk, y[0, 0]).wait()

    def run() -> torch.Tensor:
        with settings.override(precision="fp32"):
            values = torch.linspace(-3, 5, 1024).reshape(32, 32)
            a = ttnn.from_torch(values, dtype=dtype, layout=ttnn.TILE_LAYOUT)
            y = ttnn.zeros_like(a)
            scale(a, y)
            return ttnn.to_torch(y)

    result = Context().run(run)
    again = ttnn.to_torch(ttnn.from_torch(result, dtype=dtype, layout=ttnn.TILE_LAYOUT))
    assert result.abs().max() > 3
    assert torch.equal(result, again)
