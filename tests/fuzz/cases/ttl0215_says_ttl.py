# was: TTL0215 says '<ttl.'
# is: TTL0215
import ttl
import ttnn

a = ttnn.ones(())


@ttl.operation()
def op(a, b, y):
    result = ttl.operation(options=op)


y = ttnn.zeros(())
op(a, a, y)
