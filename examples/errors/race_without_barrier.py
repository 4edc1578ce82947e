# error[TTL1101]: node 0 adds the squares of the other nodes without waiting until they are in memory
# flags: --schedules 5
"""A wrong result, if one is unlucky: nothing keeps node 0 from reading ``squares`` too early. One run shows one order of
events; ``ttl run --schedules 5`` tries five and compares the results.

Right: a semaphore of node 0 that the others increment when they have written, and that node 0 waits for.
"""

import torch
import ttl
import ttnn

device = ttnn.open_device(device_id=0)


@ttl.operation(grid=(4, 1))
def sum_of_squares(x: ttnn.Tensor, squares: ttnn.Tensor, y: ttnn.Tensor) -> None:
    node = ttl.node(dims=1)
    others = ttl.grid_size(dims=1) - 1

    in_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
    out_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))

    @ttl.datamovement()
    def read():
        if node != 0:
            with in_dfb.reserve() as in_blk:
                xf = ttl.copy(x[node, 0], in_blk)
                xf.wait()
        else:
            for n in range(1, others + 1):
                with in_dfb.reserve() as in_blk:
                    xf = ttl.copy(squares[n, 0], in_blk)
                    xf.wait()

    @ttl.compute()
    def compute():
        with out_dfb.reserve() as out_blk:
            if node != 0:
                with in_dfb.wait() as in_blk:
                    out_blk.store(ttl.math.square(in_blk))
            else:
                total = ttl.block.fill(0, shape=(1, 1))
                for _ in range(others):
                    with in_dfb.wait() as in_blk:
                        total += in_blk
                out_blk.store(total)

    @ttl.datamovement()
    def write():
        with out_dfb.wait() as out_blk:
            if node != 0:
                xf = ttl.copy(out_blk, squares[node, 0])
            else:
                xf = ttl.copy(out_blk, y[0, 0])
            xf.wait()


x = ttnn.from_torch(torch.ones(128, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
squares = ttnn.from_torch(torch.zeros(128, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
y = ttnn.from_torch(torch.zeros(32, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
sum_of_squares(x, squares, y)
