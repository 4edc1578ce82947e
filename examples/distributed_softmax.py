"""Softmax over rows whose columns are sharded over the nodes: only a column of maxima and a column of sums cross the network.

Every node reduces its own columns. The first node reduces what the others send, and multicasts the result.
"""

import torch
import ttl
import ttnn

from checking import BFLOAT16, compare

NODES = 4
ROWS, COLUMNS = 2, 2  # of a shard, in tiles

device = ttnn.open_device(device_id=0)


@ttl.operation(grid=(NODES, 1))
def __softmax(x: ttnn.Tensor, y: ttnn.Tensor) -> None:
    x_dist, y_dist = ttl.distribute(x), ttl.distribute(y)
    is_first = ttl.node(dims=1) == 0
    gather = ttl.PipeNet([ttl.Pipe((node, 0), (0, 0)) for node in range(1, NODES)])
    scatter = ttl.PipeNet([ttl.Pipe((0, 0), (slice(1, NODES), 0))])

    column = (ROWS, 1)
    shard = x_dist.shard_shape
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=shard)
    own_dfb = ttl.make_dataflow_buffer_like(x, shape=column)
    others_dfb = ttl.make_dataflow_buffer_like(x, shape=column)
    first_dfb = ttl.make_dataflow_buffer_like(x, shape=column)
    whole_dfb = ttl.make_dataflow_buffer_like(x, shape=column)
    exp_dfb = ttl.make_dataflow_buffer_like(x, shape=shard)
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=shard)

    @ttl.datamovement()
    def collect():
        with x_dfb.reserve() as blk:
            ttl.copy(x_dist.shard(), blk).wait()
        for _ in range(2):  # maxima, then sums

            def send(pipe):
                with own_dfb.wait() as blk:
                    ttl.copy(blk, pipe).wait()

            def receive(pipe):
                with others_dfb.reserve() as blk:
                    ttl.copy(pipe, blk).wait()

            gather.if_src(send)
            gather.if_dst(receive)

    @ttl.compute()
    def compute():
        with x_dfb.wait() as x_blk:
            with own_dfb.reserve() as blk:
                blk.store(ttl.math.reduce_max(x_blk, dims=[-1], shape=column))
            if is_first:
                with own_dfb.wait() as own:
                    most = own
                    for _ in range(NODES - 1):
                        with others_dfb.wait() as other:
                            most = ttl.math.max(most, other)
                    with first_dfb.reserve() as first, whole_dfb.reserve() as whole:
                        first.store(most)
                        whole.store(most)
            with whole_dfb.wait() as most, exp_dfb.reserve() as blk:
                blk.store(ttl.math.exp(x_blk - ttl.block.broadcast(most, shape=shard, dims=[-1])))
        with exp_dfb.wait() as exp_blk:
            with own_dfb.reserve() as blk:
                blk.store(ttl.math.reduce_sum(exp_blk, dims=[-1], shape=column))
            if is_first:
                with own_dfb.wait() as own:
                    total = own
                    for _ in range(NODES - 1):
                        with others_dfb.wait() as other:
                            total = total + other
                    with first_dfb.reserve() as first, whole_dfb.reserve() as whole:
                        first.store(total)
                        whole.store(total)
            with whole_dfb.wait() as total, y_dfb.reserve() as blk:
                blk.store(exp_blk / ttl.block.broadcast(total, shape=shard, dims=[-1]))

    @ttl.datamovement()
    def spread_and_write():
        for _ in range(2):

            def send(pipe):
                with first_dfb.wait() as blk:
                    ttl.copy(blk, pipe).wait()

            def receive(pipe):
                with whole_dfb.reserve() as blk:
                    ttl.copy(pipe, blk).wait()

            scatter.if_src(send)
            scatter.if_dst(receive)
        with y_dfb.wait() as blk:
            ttl.copy(blk, y_dist.shard()).wait()


shape = (ROWS * 32, NODES * COLUMNS * 32)
columns = ttnn.create_sharded_memory_config(shape, ttnn.CoreGrid(x=NODES, y=1), ttnn.ShardStrategy.WIDTH)


def to_device(tensor: torch.Tensor) -> ttnn.Tensor:
    return ttnn.from_torch(
        tensor, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device, memory_config=columns
    )


torch.manual_seed(0)
x = (4 * torch.randn(shape)).bfloat16()
y = to_device(torch.zeros(shape))
__softmax(to_device(x), y)

# The exponentials, their sums on every node, the sum of these and the quotient are rounded to bfloat16.
compare("distributed softmax", ttnn.to_torch(y), x.double().softmax(dim=-1), rtol=4 * BFLOAT16)
ttnn.close_device(device)
