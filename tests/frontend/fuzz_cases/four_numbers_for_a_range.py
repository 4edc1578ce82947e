# was: call: KeyError in frontend/library.py _range
import numpy as np
import ttl
import ttnn

x = ttnn.zeros((64, 64), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)


@ttl.operation(grid=(2, 1))
def op(x):
    @ttl.datamovement()
    def read():
        for row in range(ttl.node(dims=1), 2, 1, 1):
            pass


op(x)
