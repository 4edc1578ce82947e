import torch, ttl, ttnn
N = 4
@ttl.operation(grid=(N, 1))
def ring_sum(x, y):
    net = ttl.PipeNet([ttl.Pipe(src_core=(i, 0), dst_core=((i + 1) % N, 0)) for i in range(N)])
    mine = ttl.make_dataflow_buffer_like(x, shape=(1, 1), buffer_factor=2)
    got = ttl.make_dataflow_buffer_like(x, shape=(1, 1), buffer_factor=2)
    send = ttl.make_dataflow_buffer_like(x, shape=(1, 1), buffer_factor=2)
    acc = ttl.make_dataflow_buffer_like(y, shape=(1, 1), buffer_factor=2)
    res = ttl.make_dataflow_buffer_like(y, shape=(1, 1), buffer_factor=2)
    @ttl.datamovement()
    def dm():
        i, _ = ttl.core(dims=2)
        with mine.reserve() as b:
            ttl.copy(x[i, 0], b).wait()
        for s in range(N - 1):
            with send.wait() as b:
                def fwd(pipe):
                    ttl.copy(b, pipe).wait()
                net.if_src(fwd)
            with got.reserve() as b:
                def rcv(pipe):
                    ttl.copy(pipe, b).wait()
                net.if_dst(rcv)
    @ttl.compute()
    def comp():
        with mine.wait() as b, acc.reserve() as a, send.reserve() as s:
            a.store(b)
            s.store(b)
        for step in range(N - 1):
            with got.wait() as g, acc.wait() as a, acc.reserve() as a2:
                a2.store(a + g)
                if step < N - 2:
                    with send.reserve() as s:
                        s.store(g)
        with acc.wait() as a, res.reserve() as r:
            r.store(a)
    @ttl.datamovement()
    def wr():
        i, _ = ttl.core(dims=2)
        with res.wait() as r:
            ttl.copy(r, y[i, 0]).wait()
xs = torch.randn(32 * N, 32)
x = ttnn.from_torch(xs, dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT)
y = ttnn.zeros((32 * N, 32), dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT)
ring_sum(x, y)
ref = xs.reshape(N, 32, 32).sum(0).repeat(N, 1)
assert torch.allclose(ttnn.to_torch(y), ref, atol=1e-4), (ttnn.to_torch(y) - ref).abs().max()
print("ring ok")
