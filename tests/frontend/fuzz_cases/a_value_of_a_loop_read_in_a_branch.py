# was: file: VerifyException outside of our code
import ttl
import ttnn

x = ttnn.zeros((64, 64), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)


@ttl.operation(grid=(2, 2))
def op(x):
    dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))

    @ttl.compute()
    def compute():
        total = ttl.block.fill(0, shape=(1, 1))
        for _ in range(2):
            if ttl.node(dims=1) == 0:
                with dfb.wait() as blk:
                    total += blk
        with dfb.reserve() as blk:
            blk.store(total)


op(x)
