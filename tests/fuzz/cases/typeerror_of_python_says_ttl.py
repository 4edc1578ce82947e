# was: TypeError of Python says '<ttl.'
# is: TTL0225
import torch
import ttl
import ttnn

x = torch.linspace(-1, 1, 64 * 64).reshape(64, 64)
t = ttnn.from_torch(x)


@ttl.operation()
def op(a, b, y):
    semaphore = ttl.Semaphore()
    remote = semaphore.get_remote((0,))
    result = ttnn.StorageType(remote, 0.5)


y = ttnn.zeros(())
op(t, t, y)
