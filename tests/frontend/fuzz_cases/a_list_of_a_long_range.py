# was: file: hang in frontend/expressions.py Expressions.members
import numpy as np
import ttl
import ttnn

x = ttnn.zeros((64, 64), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)


@ttl.operation(grid=(2, 1))
def op(x):
    numbers = [number for number in range(10**12)]


op(x)
