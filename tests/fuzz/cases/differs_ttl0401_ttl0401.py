# was: differs: TTL0401/TTL0401
# is: TTL0401
import torch
import ttl
import ttnn

TILES = 3


@ttl.operation()
def op(a, b, y):
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1,))
    b_dfb = ttl.make_dataflow_buffer_like(b, shape=(1,), block_count=3)
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))

    @ttl.datamovement()
    def read():
        for tile in range(TILES):
            a_blk = a_dfb.reserve()
            a_xf = ttl.copy(a[0, tile], a_blk)
            b_blk = b_dfb.reserve()
            b_xf = ttl.copy(b[0, tile : tile + 1], b_blk)
            a_xf.wait()
            b_xf.wait()
            a_blk.push()

    @ttl.compute()
    def compute():
        a_blk = a_dfb.wait()
        b_blk = b_dfb.wait()
        exponential = ttl.math.exp(a_blk)
        y_blk = y_dfb.reserve()
        y_blk.store(exponential - (print,) * 3 * b_blk)


x = torch.linspace(-1, 1, 32 * 96).reshape(32, 96)
a = ttnn.from_torch(x)
y = ttnn.empty((32, 96))
op(a, a, y)
