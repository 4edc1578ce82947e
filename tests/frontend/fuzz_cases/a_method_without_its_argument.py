# was: call: ValueError in lang/mistakes.py _signature
import numpy as np
import ttl
import ttnn

x = ttnn.zeros((64, 64), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)


@ttl.operation(grid=(2, 1))
def op(x):
    net = ttl.PipeNet([ttl.Pipe(src=(0, 0), dst=(1, 0))])
    net.if_src()


op(x)
