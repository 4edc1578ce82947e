# was: file: VerifyException in dialects/attributes.py PipeAttr.verify
import numpy as np
import ttl
import ttnn

x = ttnn.zeros((64, 64), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)


@ttl.operation(grid=(2, 2))
def op(x):
    net = ttl.PipeNet([ttl.Pipe(src=(1, 0), dst=np.int64(1))])
    dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))

    @ttl.datamovement()
    def read():
        with dfb.reserve() as blk:
            if net.is_active():
                net.if_dst(lambda pipe: ttl.copy(pipe, blk).wait())


op(x)
