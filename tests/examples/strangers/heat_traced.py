"""1D-in-y heat equation with a shift matrix (matmul as stencil), double buffering on the host, trace capture."""
import torch, ttnn, ttl

@ttl.operation(grid=(1, 1))
def diffuse(u, lap, out, alpha):
    n = u.shape[0] // 32
    u_dfb = ttl.make_dataflow_buffer_like(u, shape=(n, n))
    l_dfb = ttl.make_dataflow_buffer_like(lap, shape=(n, n))
    o_dfb = ttl.make_dataflow_buffer_like(out, shape=(n, n))

    @ttl.datamovement()
    def read():
        with u_dfb.reserve() as ub, l_dfb.reserve() as lb:
            tx = ttl.copy(u[0:n, 0:n], ub); ty = ttl.copy(lap[0:n, 0:n], lb)
            tx.wait(); ty.wait()

    @ttl.compute()
    def compute():
        with u_dfb.wait() as ub, l_dfb.wait() as lb, o_dfb.reserve() as ob:
            ob.store(ub + (lb @ ub + ub @ lb) * alpha)

    @ttl.datamovement()
    def write():
        with o_dfb.wait() as ob:
            ttl.copy(ob, out[0:n, 0:n]).wait()

n = 64
lap = torch.diag(torch.full((n,), -2.0)) + torch.diag(torch.ones(n - 1), 1) + torch.diag(torch.ones(n - 1), -1)
u0 = torch.zeros(n, n); u0[n // 2, n // 2] = 100.0
dev = ttnn.open_device(device_id=0, trace_region_size=1 << 20)
kw = dict(dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT, device=dev)
a, b, L = ttnn.from_torch(u0, **kw), ttnn.zeros((n, n), **kw), ttnn.from_torch(lap, **kw)
diffuse(a, L, b, 0.1)                      # warm up / compile
ttnn.copy_host_to_device_tensor(ttnn.from_torch(u0, dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT), a)
tid = ttnn.begin_trace_capture(dev, cq_id=0)
diffuse(a, L, b, 0.1)
diffuse(b, L, a, 0.1)
ttnn.end_trace_capture(dev, tid, cq_id=0)
for _ in range(4):
    ttnn.execute_trace(dev, tid, cq_id=0, blocking=False)
ttnn.synchronize_device(dev)
ref = u0.clone()
for _ in range(10):
    ref = ref + 0.1 * (lap @ ref + ref @ lap)
got = ttnn.to_torch(a)
print("total heat", got.sum().item(), "err", (got - ref).abs().max().item())
assert torch.allclose(got, ref, atol=0.2)
ttnn.release_trace(dev, tid)
ttnn.close_device(dev)
