# was: silent TTL9001
import ttl
import ttnn

x = ttnn.zeros((64, 64), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)


@ttl.operation(grid=(1, 1))
def op(x):
    @ttl.datamovement()
    def read():
        print("x: ", x, block_count=2)


op(x)
