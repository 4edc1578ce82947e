"""A reduction of rows and columns that every other chip begins with columns."""

# mesh: 2x2
# refused: TTL0917
# names: chip (0, 0)
# names: chip (1, 1)
# names: use along and down in the same order on all of them

import ttl


@ttl.operation(grid=(2, 2, 1, 1))
def op(a, y):
    out_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    in_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    r, c, _, _ = ttl.node(dims=4)
    ALL = [(k, m) for k in range(2) for m in range(2)]
    along = ttl.PipeNet([ttl.Pipe(src=(k, m, 0, 0), dst=(k, 1 - m, 0, 0)) for k, m in ALL])
    down = ttl.PipeNet([ttl.Pipe(src=(k, m, 0, 0), dst=(1 - k, m, 0, 0)) for k, m in ALL])

    @ttl.datamovement()
    def read():
        if (r + c) % 2 == 0:
            with out_dfb.reserve() as out_blk:
                ttl.copy(a[0, 0], out_blk).wait()
                along.if_src(lambda pipe: ttl.copy(out_blk, pipe).wait())
            with out_dfb.wait() as own_blk:
                ttl.copy(own_blk, y[0, 0]).wait()

            def receive_along(pipe):
                with in_dfb.reserve() as in_blk:
                    ttl.copy(pipe, in_blk).wait()
                with in_dfb.wait() as in_blk:
                    ttl.copy(in_blk, y[1, 0]).wait()

            along.if_dst(receive_along)

            with out_dfb.reserve() as out_blk:
                ttl.copy(a[0, 0], out_blk).wait()
                down.if_src(lambda pipe: ttl.copy(out_blk, pipe).wait())
            with out_dfb.wait() as own_blk:
                ttl.copy(own_blk, y[0, 0]).wait()

            def receive_down(pipe):
                with in_dfb.reserve() as in_blk:
                    ttl.copy(pipe, in_blk).wait()
                with in_dfb.wait() as in_blk:
                    ttl.copy(in_blk, y[1, 0]).wait()

            down.if_dst(receive_down)
        else:
            with out_dfb.reserve() as out_blk:
                ttl.copy(a[0, 0], out_blk).wait()
                down.if_src(lambda pipe: ttl.copy(out_blk, pipe).wait())
            with out_dfb.wait() as own_blk:
                ttl.copy(own_blk, y[0, 0]).wait()

            def receive_down(pipe):
                with in_dfb.reserve() as in_blk:
                    ttl.copy(pipe, in_blk).wait()
                with in_dfb.wait() as in_blk:
                    ttl.copy(in_blk, y[1, 0]).wait()

            down.if_dst(receive_down)

            with out_dfb.reserve() as out_blk:
                ttl.copy(a[0, 0], out_blk).wait()
                along.if_src(lambda pipe: ttl.copy(out_blk, pipe).wait())
            with out_dfb.wait() as own_blk:
                ttl.copy(own_blk, y[0, 0]).wait()

            def receive_along(pipe):
                with in_dfb.reserve() as in_blk:
                    ttl.copy(pipe, in_blk).wait()
                with in_dfb.wait() as in_blk:
                    ttl.copy(in_blk, y[1, 0]).wait()

            along.if_dst(receive_along)
