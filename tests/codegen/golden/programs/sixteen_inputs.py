"""An expression of sixteen inputs, more than DST holds tiles."""

import ttnn

import ttl

COUNT = 16


@ttl.operation(grid=(1, 1))
def sixteen_inputs(*tensors):
    y = tensors[-1]
    dfbs = [ttl.make_dataflow_buffer_like(each, shape=(1, 2)) for each in tensors]

    @ttl.datamovement()
    def read():
        for index in range(COUNT):
            with dfbs[index].reserve() as blk:
                ttl.copy(tensors[index][0, 0:2], blk).wait()

    @ttl.compute()
    def compute():
        blks = [dfbs[index].wait() for index in range(COUNT)]
        values = blks
        with dfbs[COUNT].reserve() as y_blk:
            while len(values) > 1:
                pairs = range(0, len(values), 2)
                values = [ttl.math.max(values[n], ttl.math.exp(values[n + 1])) for n in pairs]
            y_blk.store(values[0])
        for blk in blks:
            blk.pop()

    @ttl.datamovement()
    def write():
        with dfbs[COUNT].wait() as y_blk:
            ttl.copy(y_blk, y[0, 0:2]).wait()


sixteen_inputs(*(ttnn.ones((32, 64), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT) for _ in range(COUNT + 1)))
