# was: TTL1004: message is not one line without a full stop
# is: TTL1004
import torch
import ttnn

config = ttnn.create_sharded_memory_config(
    shape=(32, 64),
    core_grid=ttnn.CoreGrid(x=1, y=2),
    strategy=ttnn.ShardStrategy.HEIGHT,
    use_height_and_width_as_shard_shape=True,
)
data = torch.linspace(-1, 1, 64 * 64).reshape(64, 64)
x = ttnn.from_torch(data)
sharded = ttnn.to_memory_config(x, config)
w = ttnn.ones((64, 96))
y = ttnn.zeros_like(sharded)
h = ttnn.linear(y, w)
h = ttnn.reshape(ttnn.permute(h, (1, 0)), (2, 48, 64))
rows = ttnn.to_layout(ttnn.slice(h, (0, 0, 0), (2, 32, 1)), ttnn.ROW_MAJOR_LAYOUT)
back = ttnn.arange(ttnn.from_device(rows))
