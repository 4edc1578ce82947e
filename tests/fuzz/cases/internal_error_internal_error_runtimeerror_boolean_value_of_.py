# was: internal error: internal error: RuntimeError: Boolean value of Tensor with no values is ambiguous
# is: TTL0323
import torch
import ttl
import ttnn


@ttl.operation()
def scatter_gather(a, y):
    dfb = ttl.make_dataflow_buffer_like(a, shape=torch.zeros(0))


data = torch.arange(64 * 64).reshape(64, 64).float()
a = ttnn.from_torch(data)
y = ttnn.zeros(())
scatter_gather(a, y)
