# was: TTL0401 says 'object at 0x'
# is: TTL0401
import ttl
import ttnn

a = ttnn.ones(())


@ttl.operation()
def op(a, b, y):

    @ttl.compute()
    def compute():
        result = ttl.math.softsign(iter([]))


y = ttnn.zeros(())
op(a, a, y)
