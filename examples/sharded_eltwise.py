"""Tensors sharded over the L1 memory of the nodes: each node works on the shard it holds.

Rows are split over 8 nodes (height sharding). The program is that of an interleaved tensor; where the data
is decides the memory configuration, and with node n on shard n nothing has to cross the chip.
"""

import torch
import ttl
import ttnn

from checking import BFLOAT16, compare

ROWS, COLUMNS = 512, 128

device = ttnn.open_device(device_id=0)


@ttl.operation(grid=(8, 1))
def __gated_silu(gate: ttnn.Tensor, x: ttnn.Tensor, y: ttnn.Tensor) -> None:
    node = ttl.node(dims=1)
    shard_rows = gate.shape[0] // ttl.TILE_SHAPE[0] // ttl.grid_size(dims=1)
    col_tiles = gate.shape[1] // ttl.TILE_SHAPE[1]
    shard = slice(node * shard_rows, (node + 1) * shard_rows)

    gate_dfb = ttl.make_dataflow_buffer_like(gate, shape=(shard_rows, col_tiles), block_count=1)
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(shard_rows, col_tiles), block_count=1)
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(shard_rows, col_tiles), block_count=1)

    @ttl.datamovement()
    def read():
        with gate_dfb.reserve() as gate_blk, x_dfb.reserve() as x_blk:
            gate_xf = ttl.copy(gate[shard, :], gate_blk)
            x_xf = ttl.copy(x[shard, :], x_blk)
            gate_xf.wait()
            x_xf.wait()

    @ttl.compute()
    def compute():
        with gate_dfb.wait() as gate_blk, x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
            y_blk.store(ttl.math.silu(gate_blk) * x_blk)

    @ttl.datamovement()
    def write():
        with y_dfb.wait() as y_blk:
            y_xf = ttl.copy(y_blk, y[shard, :])
            y_xf.wait()


height_sharded = ttnn.create_sharded_memory_config(
    (ROWS, COLUMNS),
    core_grid=ttnn.CoreGrid(y=1, x=8),
    strategy=ttnn.ShardStrategy.HEIGHT,
    orientation=ttnn.ShardOrientation.ROW_MAJOR,
)


def to_device(tensor: torch.Tensor) -> ttnn.Tensor:
    return ttnn.from_torch(
        tensor,
        dtype=ttnn.bfloat16,
        layout=ttnn.TILE_LAYOUT,
        device=device,
        memory_config=height_sharded,
    )


torch.manual_seed(0)
gate = torch.randn(ROWS, COLUMNS).bfloat16()
x = torch.randn(ROWS, COLUMNS).bfloat16()
y = to_device(torch.zeros(ROWS, COLUMNS))
assert y.is_sharded()
__gated_silu(to_device(gate), to_device(x), y)

# One rounding to bfloat16, of the product.
expected = torch.nn.functional.silu(gate.double()) * x.double()
compare("sharded eltwise", ttnn.to_torch(y), expected, rtol=1.01 * BFLOAT16)
ttnn.close_device(device)
