# was: TTL1004 says 'SimDstPipe'
# is: TTL1004
import ttl
import ttnn

a = ttnn.ones((64,), layout=ttnn.TILE_LAYOUT)


@ttl.operation()
def op(a, b, y):
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 2))
    b_dfb = ttl.make_dataflow_buffer_like(b, shape=(1, 2))
    net = ttl.PipeNet([ttl.Pipe(src=(0,), dst=(1,))])

    @ttl.datamovement()
    def read():
        with a_dfb.reserve() as a_blk, b_dfb.reserve() as b_blk:
            a_xf = ttl.copy(a[0,], a_blk)
            b_xf = ttl.copy(b[0,], b_blk)

            def receive(pipe):
                result = ttnn.slice(pipe, net, pipe)

            net.if_dst(receive)


y = ttnn.zeros(())
op(a, a, y)
