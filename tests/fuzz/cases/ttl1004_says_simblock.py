# was: TTL1004 says 'SimBlock'
# is: TTL1004
import ttl
import ttnn

a = ttnn.ones(())


@ttl.operation()
def op(a, b, y):
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1,))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1,))

    @ttl.compute()
    def compute():
        with y_dfb.reserve() as y_blk:
            result = ttnn.ldexp(y_blk, input_tensor_b=a_dfb)


y = ttnn.zeros(())
op(a, a, y)
