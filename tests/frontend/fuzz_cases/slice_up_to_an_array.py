# was: file: VerifyException in dialects/transfer.py TensorSliceOp.verify_
import numpy as np
import ttl
import ttnn

x = ttnn.zeros((64, 64), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)


@ttl.operation(grid=(2, 1))
def op(x):
    dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))

    @ttl.datamovement()
    def read():
        with dfb.reserve() as blk:
            ttl.copy(x[0, ttl.node(dims=1) : ttl.node(dims=1) + np.arange(3)], blk).wait()


op(x)
