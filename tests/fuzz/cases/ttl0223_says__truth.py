# was: TTL0223 says '_truth()'
# is: TTL0223
import numpy as np
import ttl
import ttnn

a = ttnn.ones(())


@ttl.operation()
def op(a, b, y):
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1,))

    @ttl.compute()
    def compute():
        with y_dfb.reserve() as y_blk:
            result = y_blk.__bool__(np.arange(3))


y = ttnn.zeros(())
op(a, a, y)
