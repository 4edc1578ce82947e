# was: TTL0225 says 'ttl.sim.'
# is: TTL1603
import torch
import ttl
import ttnn


@ttl.operation()
def linear(a, b, c, y):
    like = {"a": a, "b": b, "c": c, "y": y, "sum": y}
    dfb = {name: ttl.make_dataflow_buffer_like(tensor, shape=(1,)) for name, tensor in like.items()}
    with dfb["b"].reserve(**iter([])) as b_blk:
        pass


data = torch.linspace(-1, 1, 32 * 64).reshape(32, 64)
a = ttnn.from_torch(data)
b = ttnn.from_torch(data.T.contiguous())
c = ttnn.full((), 0.5)
y = ttnn.zeros_like(c)
linear(a, b, c, y)
