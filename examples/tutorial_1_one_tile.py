"""Tutorial, step 1: a * b + c as one operation, on one node, one tile at a time.

Three kernels run at once on the node. One brings tiles from memory, one computes, one takes tiles to memory.
Dataflow buffers connect them: each holds two tiles, so while one is computed the next is on its way.
"""

import torch
import ttl
import ttnn

from checking import BFLOAT16, compare

device = ttnn.open_device(device_id=0)


@ttl.operation(grid=(1, 1))
def multiply_add(a: ttnn.Tensor, b: ttnn.Tensor, c: ttnn.Tensor, y: ttnn.Tensor) -> None:
    row_tiles = a.shape[0] // ttl.TILE_SHAPE[0]
    col_tiles = a.shape[1] // ttl.TILE_SHAPE[1]

    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    b_dfb = ttl.make_dataflow_buffer_like(b, shape=(1, 1))
    c_dfb = ttl.make_dataflow_buffer_like(c, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))

    @ttl.datamovement()
    def read():
        for row in range(row_tiles):
            for col in range(col_tiles):
                with a_dfb.reserve() as a_blk, b_dfb.reserve() as b_blk, c_dfb.reserve() as c_blk:
                    a_xf = ttl.copy(a[row, col], a_blk)
                    b_xf = ttl.copy(b[row, col], b_blk)
                    c_xf = ttl.copy(c[row, col], c_blk)
                    a_xf.wait()
                    b_xf.wait()
                    c_xf.wait()

    @ttl.compute()
    def compute():
        for _ in range(row_tiles * col_tiles):
            with (
                a_dfb.wait() as a_blk,
                b_dfb.wait() as b_blk,
                c_dfb.wait() as c_blk,
                y_dfb.reserve() as y_blk,
            ):
                y_blk.store(a_blk * b_blk + c_blk)

    @ttl.datamovement()
    def write():
        for row in range(row_tiles):
            for col in range(col_tiles):
                with y_dfb.wait() as y_blk:
                    y_xf = ttl.copy(y_blk, y[row, col])
                    y_xf.wait()


def to_device(tensor: torch.Tensor) -> ttnn.Tensor:
    return ttnn.from_torch(tensor, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)


torch.manual_seed(0)
a, b, c = (torch.rand(256, 256).bfloat16() for _ in range(3))

y = to_device(torch.zeros(256, 256))
multiply_add(to_device(a), to_device(b), to_device(c), y)

# One rounding to bfloat16: the product stays in float32.
expected = a.double() * b.double() + c.double()
compare("a * b + c, one tile", ttnn.to_torch(y), expected, rtol=BFLOAT16)
ttnn.close_device(device)
