# was: call: TypeError in frontend/values.py RangeValue.at
import numpy as np
import ttl
import ttnn

x = ttnn.zeros((64, 64), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)


@ttl.operation(grid=(2, 1))
def op(x):
    @ttl.datamovement()
    def read():
        rows = range(ttl.node(dims=1))
        print(rows["a"])


op(x)
