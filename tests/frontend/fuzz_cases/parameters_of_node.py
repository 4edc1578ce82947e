# was: file: TTL0223 says '_dims()'
import numpy as np
import ttl
import ttnn

x = ttnn.zeros((64, 64), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)


@ttl.operation(grid=(2, 1))
def op(x):
    @ttl.datamovement()
    def read():
        print(ttl.node(dimensions=2))


op(x)
