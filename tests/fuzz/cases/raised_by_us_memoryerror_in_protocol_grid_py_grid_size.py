# was: raised by us: MemoryError in protocol/grid.py grid_size
# is: TTL0202
import torch
import ttl
import ttnn


@ttl.operation()
def double(x, y):
    () = ttl.node(dims=2147483648)


data = torch.arange(64 * 64).reshape(64, 64).float()
x = ttnn.from_torch(data)
y = ttnn.zeros_like(x)
double(x, y)
