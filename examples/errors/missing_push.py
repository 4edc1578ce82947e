# error[TTL0901]: the reader reserves blocks and never pushes them
# flags: --strict
"""Without ``--strict`` the push, the pop and the wait for a transfer are put where they must have been meant: after the last
use. That is convenient, and hides where a block is released; ``ttl run --strict`` wants to see it.

Right: ``x_blk.push()`` after the transfer, or ``with x_dfb.reserve() as x_blk``.
"""

import torch
import ttl
import ttnn

device = ttnn.open_device(device_id=0)


@ttl.operation(grid=(1, 1))
def exp(x: ttnn.Tensor, y: ttnn.Tensor) -> None:
    row_tiles = x.shape[0] // ttl.TILE_SHAPE[0]

    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))

    @ttl.datamovement()
    def read():
        for row in range(row_tiles):
            x_blk = x_dfb.reserve()
            x_xf = ttl.copy(x[row, 0], x_blk)
            x_xf.wait()

    @ttl.compute()
    def compute():
        for _ in range(row_tiles):
            with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
                y_blk.store(ttl.math.exp(x_blk))

    @ttl.datamovement()
    def write():
        for row in range(row_tiles):
            with y_dfb.wait() as y_blk:
                y_xf = ttl.copy(y_blk, y[row, 0])
                y_xf.wait()


x = ttnn.from_torch(torch.ones(64, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
y = ttnn.from_torch(torch.zeros(64, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
exp(x, y)
