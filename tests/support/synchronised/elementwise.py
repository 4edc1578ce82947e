"""``y = a * b + c`` on two nodes, three kernels, every release and wait written out."""

from typing import Any

import ttl
from support.tensors import Values, blank, numbers, tiled, values

TILES = 6
A, B, C = (numbers(32, 32 * TILES, seed=seed) for seed in range(3))


def run() -> Values:
    @ttl.operation(grid=(2, 1))
    def op(a: Any, b: Any, c: Any, y: Any) -> None:
        x, _ = ttl.node()
        mine = range(x * TILES // 2, (x + 1) * TILES // 2)
        a_dfb, b_dfb, c_dfb, y_dfb = (ttl.make_dataflow_buffer_like(t, shape=(1, 1)) for t in (a, b, c, y))

        @ttl.datamovement()
        def read() -> None:
            for tile in mine:
                a_in = a_dfb.reserve()
                a_xf = ttl.copy(a[0, tile], a_in)
                b_in = b_dfb.reserve()
                b_xf = ttl.copy(b[0, tile], b_in)
                c_in = c_dfb.reserve()
                c_xf = ttl.copy(c[0, tile], c_in)
                a_xf.wait()
                a_in.push()
                b_xf.wait()
                b_in.push()
                c_xf.wait()
                c_in.push()

        @ttl.compute()
        def compute() -> None:
            for _ in mine:
                a_blk = a_dfb.wait()
                b_blk = b_dfb.wait()
                c_blk = c_dfb.wait()
                y_blk = y_dfb.reserve()
                y_blk.store(a_blk * b_blk + c_blk)
                a_blk.pop()
                b_blk.pop()
                c_blk.pop()
                y_blk.push()

        @ttl.datamovement()
        def write() -> None:
            for tile in mine:
                y_out = y_dfb.wait()
                y_xf = ttl.copy(y_out, y[0, tile])
                y_xf.wait()
                y_out.pop()

    y = blank(A.shape)
    op(tiled(A), tiled(B), tiled(C), y)
    return values(y)


def expected() -> Values:
    return A * B + C
