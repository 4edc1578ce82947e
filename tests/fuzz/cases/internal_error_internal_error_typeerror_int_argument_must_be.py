# was: internal error: internal error: TypeError: int() argument must be a string, a bytes-like object or a real number, not 'type'
# is: TTL0321
import torch
import ttl
import ttnn


@ttl.operation()
def op(a, y):
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1,), buffer_factor=int)


data = torch.arange(1024.0).reshape(32, 32)
a = ttnn.from_torch(data)
y = ttnn.zeros(())
op(a, y)
