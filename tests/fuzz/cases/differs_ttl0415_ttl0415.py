# was: differs: TTL0415/TTL0415
# is: TTL0415
import torch
import ttl
import ttnn

x = torch.linspace(-1, 1, 64 * 64).reshape(64, 64)
t = ttnn.from_torch(x)


@ttl.operation()
def op(a, b, y):

    @ttl.compute()
    def compute():
        result = ttl.block.fill(1, (object(),) * 3)


y = ttnn.zeros(())
op(t, t, y)
