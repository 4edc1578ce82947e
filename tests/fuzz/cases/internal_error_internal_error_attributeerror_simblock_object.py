# was: internal error: internal error: AttributeError: 'SimBlock' object has no attribute 'message'
# is: ok
import ttl
import ttnn

a = ttnn.ones((64,), layout=ttnn.TILE_LAYOUT)


@ttl.operation()
def op(a, b, y):
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 2))
    b_dfb = ttl.make_dataflow_buffer_like(b, shape=(1, 2))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 2))

    @ttl.datamovement()
    def read():
        with a_dfb.reserve() as a_blk, b_dfb.reserve() as b_blk:
            a_xf = ttl.copy(a[0,], a_blk)
            b_xf = ttl.copy(b[0,], b_blk)

    @ttl.compute()
    def compute():
        with a_dfb.wait() as a_blk, b_dfb.wait() as b_blk, y_dfb.reserve() as y_blk:
            expr = a_blk * b_blk
            result = expr
            y_blk.store(result)

    @ttl.datamovement()
    def write():
        with y_dfb.wait() as y_blk:
            result = ttl.InternalError(y_blk)


y = ttnn.zeros((), layout=ttnn.TILE_LAYOUT)
op(a, a, y)
