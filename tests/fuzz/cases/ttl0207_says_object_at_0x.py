# was: TTL0207 says 'object at 0x'
# is: TTL0207
import ttl


@ttl.operation(grid=(zip(),))
def fma():
    pass
