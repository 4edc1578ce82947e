"""Data movement and expressions from another module."""

import torch
import ttl
import ttnn

import row_helpers as h
from row_helpers import TILE, ceil_div

device = ttnn.open_device(device_id=0)


def dev(t, layout=ttnn.TILE_LAYOUT, dtype=ttnn.bfloat16):
    return ttnn.from_torch(t, dtype=dtype, layout=layout, device=device)


@ttl.operation(grid=(2, 2))
def softmax_rows(x: ttnn.Tensor, y: ttnn.Tensor) -> None:
    rows, cols = ceil_div(x.shape[0], TILE), ceil_div(x.shape[1], TILE)
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, cols))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, cols))
    first, last = h.share(rows)

    @ttl.datamovement()
    def read():
        h.stream_in(x, x_dfb, first, last)

    @ttl.compute()
    def compute():
        for _ in range(first, last):
            with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
                y_blk.store(h.softmax(x_blk, cols))

    @ttl.datamovement()
    def write():
        h.stream_out(y_dfb, y, first, last)


x = torch.randn(224, 128).bfloat16()
y = dev(torch.zeros(224, 128))
softmax_rows(dev(x), y)
torch.testing.assert_close(ttnn.to_torch(y).float(), x.float().softmax(-1), rtol=2e-2, atol=1e-3)
