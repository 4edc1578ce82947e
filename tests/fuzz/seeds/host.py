"""The host library: creation, layouts, memory configurations, operations, conversion, and one operation between."""

import numpy as np
import torch
import ttl
import ttnn

device = ttnn.open_device(device_id=0)
grid = device.compute_with_storage_grid_size()
config = ttnn.create_sharded_memory_config(
    shape=(32, 64),
    core_grid=ttnn.CoreGrid(x=1, y=2),
    strategy=ttnn.ShardStrategy.HEIGHT,
    use_height_and_width_as_shard_shape=True,
)
data = torch.linspace(-1, 1, 64 * 64).reshape(64, 64)
x = ttnn.from_torch(
    data, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device, memory_config=ttnn.L1_MEMORY_CONFIG
)
sharded = ttnn.to_memory_config(x, config)
w = ttnn.ones((64, 96), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)


@ttl.operation(grid="full")
def relu(a, y):
    dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 2))
    out = ttl.make_dataflow_buffer_like(y, shape=(1, 2))
    rows = range(ttl.node(dims=1), 2, ttl.grid_size(dims=1))

    @ttl.datamovement()
    def read():
        for row in rows:
            with dfb.reserve() as blk:
                ttl.copy(a[row, 0:2], blk).wait()

    @ttl.compute()
    def compute():
        for row in rows:
            with dfb.wait() as blk, out.reserve() as y_blk:
                y_blk.store(ttl.math.relu(blk))

    @ttl.datamovement()
    def write():
        for row in rows:
            with out.wait() as blk:
                ttl.copy(blk, y[row, 0:2]).wait()


y = ttnn.zeros_like(sharded)
relu(sharded, y)
h = ttnn.linear(y, w, bias=ttnn.full((96,), 0.5, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device))
h = ttnn.softmax(ttnn.add(h, 1.0), dim=-1)
h = ttnn.reshape(ttnn.permute(h, (1, 0)), (2, 48, 64))
h = ttnn.concat([h, ttnn.mul(h, h)], dim=0)
h = ttnn.sum(ttnn.typecast(h, ttnn.float32), dim=-1, keepdim=True)
rows = ttnn.to_layout(ttnn.slice(h, (0, 0, 0), (2, 32, 1)), ttnn.ROW_MAJOR_LAYOUT)
back = ttnn.to_torch(ttnn.from_device(rows))
assert tuple(back.shape) == (2, 32, 1)
assert np.asarray(ttnn.to_torch(ttnn.clamp(x, -0.5, 0.5)).float()).max() <= 0.5
ttnn.deallocate(x)
ttnn.close_device(device)
