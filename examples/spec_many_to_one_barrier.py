"""Specification, "Semaphore": many-to-one barrier.

Every node but node 0 leaves a partial result in DRAM and increments the semaphore of node 0, which waits
until all have, and adds the partial results.
"""

import torch
import ttl
import ttnn

from checking import BFLOAT16, compare

GRID = (4, 2)

device = ttnn.open_device(device_id=0)


@ttl.operation(grid=GRID)
def sum_of_squares(x: ttnn.Tensor, partial: ttnn.Tensor, y: ttnn.Tensor) -> None:
    """``y`` is the sum of the squares of the tiles 1, 2, ... of ``x``; node n squares tile n into ``partial``."""
    node_num = ttl.node(dims=1)
    my_barrier = ttl.Semaphore()
    node_0_barrier = my_barrier.get_remote((0, 0))
    non_0_node_count = ttl.grid_size(dims=1) - 1

    in_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
    out_dfb = ttl.make_dataflow_buffer_like(partial, shape=(1, 1))

    @ttl.datamovement()
    def read():
        if node_num != 0:
            with in_dfb.reserve() as in_blk:
                x_xf = ttl.copy(x[node_num, 0], in_blk)
                x_xf.wait()
        else:
            my_barrier.wait_eq(non_0_node_count)

            # non-0 nodes are done

            for n in range(1, non_0_node_count + 1):
                with in_dfb.reserve() as in_blk:
                    partial_xf = ttl.copy(partial[n, 0], in_blk)
                    partial_xf.wait()

    @ttl.compute()
    def compute():
        if node_num != 0:
            with in_dfb.wait() as in_blk, out_dfb.reserve() as out_blk:
                out_blk.store(ttl.math.square(in_blk))
        else:
            with out_dfb.reserve() as out_blk:
                total = ttl.block.fill(0, shape=(1, 1))
                for _ in range(non_0_node_count):
                    with in_dfb.wait() as in_blk:
                        total += in_blk
                out_blk.store(total)

    @ttl.datamovement()
    def write():
        with out_dfb.wait() as out_blk:
            if node_num != 0:
                # do something on non-0 nodes while node 0 waits...

                partial_xf = ttl.copy(out_blk, partial[node_num, 0])
                partial_xf.wait()
                node_0_barrier.inc(1)
            else:
                y_xf = ttl.copy(out_blk, y[0, 0])
                y_xf.wait()


def to_device(tensor: torch.Tensor) -> ttnn.Tensor:
    return ttnn.from_torch(tensor, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)


torch.manual_seed(0)
nodes = GRID[0] * GRID[1]
x = torch.randn(nodes * 32, 32).bfloat16()
partial = to_device(torch.zeros_like(x))
y = to_device(torch.zeros(32, 32))
sum_of_squares(to_device(x), partial, y)

# Two roundings to bfloat16: each square (all positive, so the sum is off by no larger part), and the sum.
expected = x.double().square().reshape(nodes, 32, 32)[1:].sum(dim=0)
compare("many-to-one barrier", ttnn.to_torch(y), expected, rtol=2.01 * BFLOAT16)
ttnn.close_device(device)
