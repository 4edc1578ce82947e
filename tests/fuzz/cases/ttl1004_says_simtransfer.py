# was: TTL1004 says 'SimTransfer'
# is: TTL1004
import ttl
import ttnn

a = ttnn.ones((64,), layout=ttnn.TILE_LAYOUT)


@ttl.operation()
def op(a, b, y):
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 2))

    @ttl.datamovement()
    def read():
        with a_dfb.reserve() as a_blk:
            a_xf = ttl.copy(a[0,], a_blk)
            result = ttnn.deg2rad(a_xf)


y = ttnn.zeros(())
op(a, a, y)
