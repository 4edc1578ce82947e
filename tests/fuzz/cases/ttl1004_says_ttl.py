# was: TTL1004 says '<ttl.'
# is: TTL1004
import torch
import ttl
import ttnn

x = torch.linspace(-1, 1, 64 * 64).reshape(64, 64)
t = ttnn.from_torch(x)


@ttl.operation()
def op(a, b, y):
    result = ttnn.hardshrink(op)


y = ttnn.zeros(())
op(t, t, y)
