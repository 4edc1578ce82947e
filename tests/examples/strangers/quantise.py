import torch, ttnn, ttl
import numpy as np
@ttl.operation(grid=(2, 2), options="--no-ttl-maximize-dst")
def quant(x, scale, q):
    R, C = x.shape[0] // 32, x.shape[1] // 32
    xd = ttl.make_dataflow_buffer_like(x, shape=(1, C)); sd = ttl.make_dataflow_buffer_like(scale, shape=(1, 1)); qd = ttl.make_dataflow_buffer_like(q, shape=(1, C))
    @ttl.datamovement()
    def rd():
        n = ttl.node(dims=1)
        with sd.reserve() as s: ttl.copy(scale[0, 0], s).wait()
        for r in range(n, R, 4):
            with xd.reserve() as b: ttl.copy(x[r, 0:C], b).wait()
    @ttl.compute()
    def cp():
        n = ttl.node(dims=1)
        with sd.wait() as s:
            for r in range(n, R, 4):
                with xd.wait() as b, qd.reserve() as o:
                    o.store(ttl.math.clamp(ttl.math.round(b * ttl.math.recip(ttl.math.broadcast(s, dims=[0, 1]))), -128, 127))
    @ttl.datamovement()
    def wr():
        n = ttl.node(dims=1)
        for r in range(n, R, 4):
            with qd.wait() as b: ttl.copy(b, q[r, 0:C]).wait()
x = np.random.default_rng(0).standard_normal((128, 64)).astype(np.float32)
sc = 4.5 / 127
X = ttnn.from_torch(x, dtype=torch.float32, layout=ttnn.TILE_LAYOUT)
S = ttnn.full((32, 32), sc, dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT)
Qt = ttnn.zeros((128, 64), dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT)
quant(X, S, Qt, options="--no-ttl-reduce-full-fp32")
ref = ttnn.quantize(X, sc, 0)
d = np.abs(ttnn.to_torch(Qt).numpy() - ttnn.to_torch(ref).numpy())
print("max diff", d.max()); assert d.max() <= 1
print(ttl.grid_size(dims=1))
