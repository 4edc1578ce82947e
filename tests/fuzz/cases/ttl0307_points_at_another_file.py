# was: TTL0307 points at another file
# is: TTL0307
import torch
import ttl
import ttnn


@ttl.operation()
def op(a, y):
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))

    @ttl.datamovement()
    def read():
        a_blk = a_dfb.reserve()
        xf = ttl.copy(a[0,], a_blk)

    @ttl.compute()
    def compute():
        a_blk = a_dfb.wait()
        y_blk = y_dfb.reserve()
        y_blk.store(a_blk)
        y_dfb.push()
        y_blk.store(a_blk)


data = torch.arange(1024.0).reshape(32, 32)
a = ttnn.from_torch(data, layout=ttnn.TILE_LAYOUT)
y = ttnn.zeros((), layout=ttnn.TILE_LAYOUT)
op(a, y)
