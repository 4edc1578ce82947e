# was: call: TTL1304 says VerifyException
import numpy as np
import ttl
import ttnn

x = ttnn.zeros((64, 64), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)


@ttl.operation(grid=(1, 1))
def op(x):
    dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))

    @ttl.compute()
    def compute():
        with dfb.wait() as blk:
            print(blk * 2**70)


op(x)
