"""Weights that every node needs whole, activations that every node has a part of: y = x @ w.

``w`` is replicated: the shard of each node is all of it. The first node reads it from DRAM, once, and multicasts it.
"""

import torch
import ttl
import ttnn

from checking import BFLOAT16, compare

NODES = 8
ROWS, INNER, COLUMNS = 1, 4, 2  # of a node's product, in tiles

device = ttnn.open_device(device_id=0)


@ttl.operation(grid=(NODES, 1))
def __project(x: ttnn.Tensor, w: ttnn.Tensor, y: ttnn.Tensor) -> None:
    x_dist, y_dist = ttl.distribute(x), ttl.distribute(y)
    w_dist = ttl.distribute(w, "replicated")
    net = ttl.PipeNet([ttl.Pipe((0, 0), (slice(1, NODES), 0))])

    x_dfb = ttl.make_dataflow_buffer_like(x, shape=x_dist.shard_shape)
    w_dfb = ttl.make_dataflow_buffer_like(w, shape=w_dist.shard_shape)
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=y_dist.shard_shape)

    @ttl.datamovement()
    def read_weights():
        with w_dfb.reserve() as blk:

            def send(pipe):
                ttl.copy(w_dist.shard(), blk).wait()
                ttl.copy(blk, pipe).wait()

            net.if_src(send)
            net.if_dst(lambda pipe: ttl.copy(pipe, blk).wait())

    @ttl.compute()
    def compute():
        with x_dfb.wait() as x_blk, w_dfb.wait() as w_blk, y_dfb.reserve() as y_blk:
            y_blk.store(x_blk @ w_blk)

    @ttl.datamovement()
    def read_and_write():
        with x_dfb.reserve() as blk:
            ttl.copy(x_dist.shard(), blk).wait()
        with y_dfb.wait() as blk:
            ttl.copy(blk, y_dist.shard()).wait()


def sharded(shape: tuple[int, int]) -> ttnn.MemoryConfig:
    return ttnn.create_sharded_memory_config(shape, ttnn.CoreGrid(x=NODES, y=1), ttnn.ShardStrategy.HEIGHT)


def to_device(tensor: torch.Tensor, memory: ttnn.MemoryConfig) -> ttnn.Tensor:
    return ttnn.from_torch(
        tensor, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device, memory_config=memory
    )


torch.manual_seed(0)
x = torch.randn(NODES * ROWS * 32, INNER * 32).bfloat16()
w = torch.randn(INNER * 32, COLUMNS * 32).bfloat16()
result = torch.zeros(NODES * ROWS * 32, COLUMNS * 32)
y = to_device(result, sharded(result.shape))
__project(to_device(x, sharded(x.shape)), to_device(w, ttnn.DRAM_MEMORY_CONFIG), y)

# One rounding to bfloat16, when y is stored; atol for sums that cancel.
compare("replicated weights", ttnn.to_torch(y), x.double() @ w.double(), rtol=BFLOAT16, atol=1e-4)
ttnn.close_device(device)
