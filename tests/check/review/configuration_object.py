"""Sizes from a dataclass; two operations that a class calls."""

from dataclasses import dataclass, field

import torch
import ttl
import ttnn

device = ttnn.open_device(device_id=0)


def dev(t, layout=ttnn.TILE_LAYOUT, dtype=ttnn.bfloat16):
    return ttnn.from_torch(t, dtype=dtype, layout=layout, device=device)


@dataclass(frozen=True)
class Tiling:
    m: int = 2
    n: int = 2
    k: int = 1
    buffers: int = 2
    names: tuple[str, ...] = field(default=("a", "b"))

    @property
    def out(self) -> tuple[int, int]:
        return (self.m, self.n)

    def blocks(self, extent: int, size: int) -> int:
        return extent // 32 // size


CONFIG = Tiling(k=2)


@ttl.operation(grid=(1, 1))
def matmul(a: ttnn.Tensor, b: ttnn.Tensor, y: ttnn.Tensor) -> None:
    cfg = CONFIG
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(cfg.m, cfg.k), block_count=cfg.buffers)
    b_dfb = ttl.make_dataflow_buffer_like(b, shape=(cfg.k, cfg.n), block_count=cfg.buffers)
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=cfg.out)
    ms, ns, ks = cfg.blocks(a.shape[0], cfg.m), cfg.blocks(b.shape[1], cfg.n), cfg.blocks(a.shape[1], cfg.k)

    def block(i, size):
        return slice(i * size, (i + 1) * size)

    @ttl.datamovement()
    def read():
        for m in range(ms):
            for n in range(ns):
                for k in range(ks):
                    with a_dfb.reserve() as a_blk, b_dfb.reserve() as b_blk:
                        group = [
                            ttl.copy(a[block(m, cfg.m), block(k, cfg.k)], a_blk),
                            ttl.copy(b[block(k, cfg.k), block(n, cfg.n)], b_blk),
                        ]
                        for xf in group:
                            xf.wait()

    @ttl.compute()
    def compute():
        for _ in range(ms * ns):
            acc = ttl.block.fill(0, shape=cfg.out)
            for _ in range(ks):
                with a_dfb.wait() as a_blk, b_dfb.wait() as b_blk:
                    acc += a_blk @ b_blk
            with y_dfb.reserve() as y_blk:
                y_blk.store(acc)

    @ttl.datamovement()
    def write():
        for m in range(ms):
            for n in range(ns):
                with y_dfb.wait() as y_blk:
                    ttl.copy(y_blk, y[block(m, cfg.m), block(n, cfg.n)]).wait()


@ttl.operation(grid=(1, 1))
def relu(x: ttnn.Tensor, y: ttnn.Tensor) -> None:
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=CONFIG.out)
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=CONFIG.out)
    places = [
        (slice(r, r + CONFIG.m), slice(c, c + CONFIG.n))
        for r in range(0, x.shape[0] // 32, CONFIG.m)
        for c in range(0, x.shape[1] // 32, CONFIG.n)
    ]

    @ttl.datamovement()
    def read():
        for rows, cols in places:
            with x_dfb.reserve() as blk:
                ttl.copy(x[rows, cols], blk).wait()

    @ttl.compute()
    def compute():
        for _ in places:
            with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
                y_blk.store(ttl.math.relu(x_blk))

    @ttl.datamovement()
    def write():
        for place in places:
            with y_dfb.wait() as blk:
                ttl.copy(blk, y[place]).wait()


class Layer:
    def __init__(self, weight):
        self.weight = dev(weight)

    def __call__(self, x):
        h = ttnn.zeros(
            (x.shape[0], self.weight.shape[1]), dtype=x.dtype, layout=ttnn.TILE_LAYOUT, device=device
        )
        y = ttnn.zeros(h.shape, dtype=x.dtype, layout=ttnn.TILE_LAYOUT, device=device)
        matmul(x, self.weight, h)
        relu(h, y)
        return y


x, w = torch.randn(128, 128).bfloat16(), torch.randn(128, 64).bfloat16()
y = ttnn.to_torch(Layer(w)(dev(x)))
torch.testing.assert_close(y.float(), (x.float() @ w.float()).relu(), rtol=2e-2, atol=2e-1)
