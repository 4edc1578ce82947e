# was: TTL0225 points at another file
# is: TTL0225
import ttl
import ttnn

a = ttnn.ones((64,), layout=ttnn.TILE_LAYOUT)


@ttl.operation()
def op(a, b, y):
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 2))
    b_dfb = ttl.make_dataflow_buffer_like(b, shape=(1, 2))

    @ttl.datamovement()
    def read():
        with a_dfb.reserve() as a_blk, b_dfb.reserve() as b_blk:
            a_xf = ttl.copy(a[0,], a_blk)
            b_xf = ttl.copy(b[0,], b_blk)

    @ttl.compute()
    def compute():
        with a_dfb.wait() as a_blk:
            ttl.NaturalInt(a_blk)


y = ttnn.zeros(())
op(a, a, y)
