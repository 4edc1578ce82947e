# was: TTL1004 says 'SimSlice'
# is: TTL1004
import ttl
import ttnn

a = ttnn.ones(())


@ttl.operation()
def op(a, b, y):

    @ttl.datamovement()
    def read():
        result = ttnn.logit(a[0,])


y = ttnn.zeros(())
op(a, a, y)
