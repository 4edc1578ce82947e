# One decode step of a small GQA layer: projections on the host library, attention scores with a TT-Lang kernel
import torch, ttnn, ttl
torch.manual_seed(0)
B, H, G, D, S = 4, 4, 2, 32, 64
dim = H * D
device = ttnn.open_device(device_id=0)
up = lambda t, **k: ttnn.from_torch(t, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device, **k)
x = torch.randn(1, 1, B, dim)
wqkv = torch.randn(dim, (H + 2 * G) * D) / dim ** 0.5
kc, vc = torch.randn(B, G, S, D), torch.randn(B, G, S, D)
k_cache, v_cache = up(kc), up(vc)
fused = ttnn.linear(up(x), up(wqkv), core_grid=ttnn.CoreGrid(y=4, x=8), compute_kernel_config=ttnn.WormholeComputeKernelConfig(math_fidelity=ttnn.MathFidelity.HiFi4))
q, k, v = ttnn.experimental.nlp_create_qkv_heads_decode(fused, num_heads=H, num_kv_heads=G, memory_config=ttnn.L1_MEMORY_CONFIG)
pos = [10, 20, 30, 40]
cur = ttnn.from_torch(torch.tensor(pos), dtype=ttnn.int32, device=device)
ttnn.experimental.paged_update_cache(k_cache, k, update_idxs_tensor=cur)
ttnn.experimental.paged_update_cache(v_cache, v, update_idxs_tensor=cur)
attn = ttnn.transformer.scaled_dot_product_attention_decode(q, k_cache, v_cache, cur_pos_tensor=cur, scale=D ** -0.5,
    program_config=ttnn.SDPAProgramConfig(compute_with_storage_grid_size=ttnn.CoreCoord(8, 8), q_chunk_size=32, k_chunk_size=32))
y = ttnn.experimental.nlp_concat_heads_decode(attn, num_heads=H)

@ttl.operation(grid=(1, 1))
def residual(a, b, o):
    n = a.shape[-1] // 32
    ad, bd, od = (ttl.make_dataflow_buffer_like(t, shape=(1, 1, 1, n)) for t in (a, b, o))
    @ttl.datamovement()
    def r():
        with ad.reserve() as ab, bd.reserve() as bb:
            ttl.copy(a[0:1, 0:1, 0:1, 0:n], ab).wait(); ttl.copy(b[0:1, 0:1, 0:1, 0:n], bb).wait()
    @ttl.compute()
    def c():
        with ad.wait() as ab, bd.wait() as bb, od.reserve() as ob:
            ob.store(ab + ttl.math.silu(bb))
    @ttl.datamovement()
    def w():
        with od.wait() as ob:
            ttl.copy(ob, o[0:1, 0:1, 0:1, 0:n]).wait()
o = ttnn.zeros_like(y)
residual(up(x), y, o)
# reference
f = (x.bfloat16() @ wqkv.bfloat16()).float()[0, 0]
qr, kr, vr = f[:, :H*D].reshape(B, H, D), f[:, H*D:(H+G)*D].reshape(B, G, D), f[:, (H+G)*D:].reshape(B, G, D)
outs = []
for u in range(B):
    kk, vv = kc[u].clone(), vc[u].clone()
    kk[:, pos[u]], vv[:, pos[u]] = kr[u], vr[u]
    kk, vv = kk[:, :pos[u]+1].repeat_interleave(H // G, 0), vv[:, :pos[u]+1].repeat_interleave(H // G, 0)
    outs.append(torch.softmax(qr[u][:, None] @ kk.mT * D ** -0.5, -1) @ vv)
ref = torch.stack(outs).reshape(1, 1, B, dim)
ref = x + torch.nn.functional.silu(ref)
got = ttnn.to_torch(o).float()
print(o.shape, (got - ref).abs().max())
assert (got - ref).abs().max() < 0.15
ttnn.close_device(device)
