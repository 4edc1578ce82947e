# was: TTL1004 says 'SimBuffer'
# is: TTL1004
import ttl
import ttnn

a = ttnn.ones(())


@ttl.operation()
def op(a, b, y):
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1,))

    @ttl.datamovement()
    def read():
        ttnn.transpose(a_dfb, dim1=(), dim2=a[()])


y = ttnn.zeros(())
op(a, a, y)
