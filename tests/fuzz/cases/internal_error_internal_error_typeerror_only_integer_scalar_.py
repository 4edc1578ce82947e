# was: internal error: internal error: TypeError: only integer scalar arrays can be converted to a scalar index
# is: TTL0506
import numpy as np
import torch
import ttl
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


@ttl.operation()
def relu(a, y):

    @ttl.datamovement()
    def read():
        ttl.copy(a[np.arange(3) : 2,]).wait()


y = ttnn.zeros_like(sharded)
relu(sharded, y)
