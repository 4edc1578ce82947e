# was: TTL0207 says '<ttl.'
# is: TTL0207
import ttl


@ttl.operation(grid=(ttl.PipeNet([]),))
def op():
    pass
