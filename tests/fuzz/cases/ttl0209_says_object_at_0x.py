# was: TTL0209 says 'object at 0x'
# is: TTL0209
import torch
import ttl
import ttnn


@ttl.operation()
def double(x, y):

    @ttl.compute()
    @property
    def compute():
        pass


data = torch.arange(64 * 64).reshape(64, 64).float()
x = ttnn.from_torch(data)
y = ttnn.zeros_like(x)
double(x, y)
