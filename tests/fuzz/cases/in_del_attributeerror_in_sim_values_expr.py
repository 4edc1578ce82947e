# was: in __del__: AttributeError in sim/values.py Expr.__del__
# is: ok
import ttl
import ttnn


@ttl.operation(grid=(1, 1))
def op(a):
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

    @ttl.datamovement()
    def read():
        with a_dfb.reserve() as blk:
            ttl.copy(a[0, 0], blk).wait()

    @ttl.compute()
    def compute():
        with a_dfb.wait() as blk:
            kind = type(blk + 1)
            try:
                kind.__new__(kind)
            except TypeError:
                pass  # the native core makes no empty ones


op(ttnn.ones((32, 32), layout=ttnn.TILE_LAYOUT))
