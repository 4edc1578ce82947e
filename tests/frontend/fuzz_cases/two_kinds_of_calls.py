# was: file: VerifyException outside of our code
import numpy as np
import ttl
import ttnn

x = ttnn.zeros((64, 64), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)


@ttl.operation(grid=(2, 1))
def op(x):
    @ttl.datamovement()
    def read():
        pass


op(x)
op(ttnn.zeros((32, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT))
