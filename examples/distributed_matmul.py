"""Matrix multiplication of tensors that lie in blocks in the L1 memory of the nodes: every node keeps its shards and its part of the result.

Shards of ``a`` and ``b`` are what a node begins with. Step k multicasts column k of ``a`` along the rows of nodes and row k
of ``b`` along the columns, so a node gets the shards of its row and column that it does not have, each of them once.
"""

import torch
import ttl
import ttnn

from checking import BFLOAT16, compare

SIDE = 4  # rows and columns of nodes
BLOCK = 2  # rows and columns of a shard, in tiles


def others(k: int) -> list[slice]:
    """The nodes before and behind number ``k`` of a row or a column."""
    return [part for part in (slice(0, k), slice(k + 1, SIDE)) if part.start < part.stop]


device = ttnn.open_device(device_id=0)


@ttl.operation(grid=(SIDE, SIDE))
def __matmul(a: ttnn.Tensor, b: ttnn.Tensor, y: ttnn.Tensor) -> None:
    a_dist, b_dist, y_dist = ttl.distribute(a), ttl.distribute(b), ttl.distribute(y)

    # Who has column k of a sends it to the others of its row, and who has row k of b to those of its column.
    a_nets = [
        ttl.PipeNet([ttl.Pipe((k, r), (part, r)) for r in range(SIDE) for part in others(k)])
        for k in range(SIDE)
    ]
    b_nets = [
        ttl.PipeNet([ttl.Pipe((c, k), (c, part)) for c in range(SIDE) for part in others(k)])
        for k in range(SIDE)
    ]

    a_dfb = ttl.make_dataflow_buffer_like(a, shape=a_dist.shard_shape)
    b_dfb = ttl.make_dataflow_buffer_like(b, shape=b_dist.shard_shape)
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=y_dist.shard_shape)

    @ttl.datamovement()
    def read_a():
        for net in a_nets:
            with a_dfb.reserve() as blk:
                if net.is_src():
                    ttl.copy(a_dist.shard(), blk).wait()
                net.if_src(lambda pipe: ttl.copy(blk, pipe).wait())
                net.if_dst(lambda pipe: ttl.copy(pipe, blk).wait())

    @ttl.compute()
    def compute():
        with y_dfb.reserve() as y_blk:
            total = ttl.block.fill(0, shape=y_dist.shard_shape)
            for _ in range(SIDE):
                with a_dfb.wait() as a_blk, b_dfb.wait() as b_blk:
                    total += a_blk @ b_blk
            y_blk.store(total)

    @ttl.datamovement()
    def read_b_and_write():
        for net in b_nets:
            with b_dfb.reserve() as blk:
                if net.is_src():
                    ttl.copy(b_dist.shard(), blk).wait()
                net.if_src(lambda pipe: ttl.copy(blk, pipe).wait())
                net.if_dst(lambda pipe: ttl.copy(pipe, blk).wait())

        with y_dfb.wait() as y_blk:
            ttl.copy(y_blk, y_dist.shard()).wait()


shape = (SIDE * BLOCK * 32, SIDE * BLOCK * 32)
blocks = ttnn.create_sharded_memory_config(shape, ttnn.CoreGrid(x=SIDE, y=SIDE), ttnn.ShardStrategy.BLOCK)


def to_device(tensor: torch.Tensor) -> ttnn.Tensor:
    return ttnn.from_torch(
        tensor, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device, memory_config=blocks
    )


torch.manual_seed(0)
a, b = torch.randn(shape).bfloat16(), torch.randn(shape).bfloat16()
y = to_device(torch.zeros(shape))
__matmul(to_device(a), to_device(b), y)

# One rounding to bfloat16, when y is stored; atol for sums that cancel.
compare("distributed matmul", ttnn.to_torch(y), a.double() @ b.double(), rtol=BFLOAT16, atol=1e-4)
ttnn.close_device(device)
