"""The transpose of a tensor whose rows are sharded over the nodes: every node sends one block of its shard to every other node.

What is in the blocks is transposed where it arrives; a block that stays on its node crosses no network.
"""

import torch
import ttl
import ttnn

from checking import compare

NODES = 8
BLOCK = 1  # rows and columns of a block, in tiles; a shard has one block for every node

device = ttnn.open_device(device_id=0)


@ttl.operation(grid=(NODES, 1))
def __transpose(x: ttnn.Tensor, y: ttnn.Tensor) -> None:
    x_dist, y_dist = ttl.distribute(x), ttl.distribute(y)
    node = ttl.node(dims=1)

    # Over net number i every node sends to the one i + 1 places behind it.
    nets = [
        ttl.PipeNet([ttl.Pipe((node, 0), ((node + shift) % NODES, 0)) for node in range(NODES)])
        for shift in range(1, NODES)
    ]

    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(BLOCK, BLOCK))
    there_dfb = ttl.make_dataflow_buffer_like(x, shape=(BLOCK, BLOCK), block_count=1)
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(BLOCK, BLOCK))

    @ttl.datamovement()
    def exchange():
        with x_dfb.reserve() as blk:
            ttl.copy(x_dist.shard()[:, node * BLOCK : (node + 1) * BLOCK], blk).wait()
        with there_dfb.reserve() as there_blk:
            for i, net in enumerate(nets):
                to = (node + i + 1) % NODES
                ttl.copy(x_dist.shard()[:, to * BLOCK : (to + 1) * BLOCK], there_blk).wait()
                net.if_src(lambda pipe: ttl.copy(there_blk, pipe).wait())
                with x_dfb.reserve() as blk:
                    net.if_dst(lambda pipe: ttl.copy(pipe, blk).wait())

    @ttl.compute()
    def compute():
        for _ in range(NODES):
            with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
                y_blk.store(ttl.block.transpose(x_blk))

    @ttl.datamovement()
    def write():
        for i in range(NODES):
            of = (node - i) % NODES
            with y_dfb.wait() as blk:
                ttl.copy(blk, y_dist.shard()[:, of * BLOCK : (of + 1) * BLOCK]).wait()


shape = (NODES * BLOCK * 32, NODES * BLOCK * 32)
rows = ttnn.create_sharded_memory_config(shape, ttnn.CoreGrid(x=NODES, y=1), ttnn.ShardStrategy.HEIGHT)


def to_device(tensor: torch.Tensor) -> ttnn.Tensor:
    return ttnn.from_torch(
        tensor, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device, memory_config=rows
    )


torch.manual_seed(0)
x = torch.randn(shape).bfloat16()
y = to_device(torch.zeros(shape))
__transpose(to_device(x), y)

compare("distributed transpose", ttnn.to_torch(y), x.T)
ttnn.close_device(device)
