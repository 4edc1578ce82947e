# was: file: TTL1304 says 'ttl.lang.'
import ttl
import ttnn

x = ttnn.zeros((64, 64), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)


@ttl.operation(grid=(1, 1))
def op(x):
    dfbs = {"x": ttl.make_dataflow_buffer_like(x, shape=(1, 1))}

    @ttl.compute()
    def compute():
        dfbs[ttl.Block].wait()


op(x)
