"""``y = a @ b`` on one node, the sum going round through a buffer of its own."""

from typing import Any

import ttnn

import ttl
from support.tensors import Values, blank, numbers, tiled, values

COLUMNS, INNER = 3, 4
A, B = numbers(32, 32 * INNER, seed=1), numbers(32 * INNER, 32 * COLUMNS, seed=2)


def run() -> Values:
    @ttl.operation(grid=(1, 1))
    def op(a: Any, b: Any, y: Any) -> None:
        a_dfb, b_dfb, y_dfb, sum_dfb = (ttl.make_dataflow_buffer_like(t, shape=(1, 1)) for t in (a, b, y, y))

        @ttl.datamovement()
        def read() -> None:
            for column in range(COLUMNS):
                for k in range(INNER):
                    with a_dfb.reserve() as a_in, b_dfb.reserve() as b_in:
                        a_xf = ttl.copy(a[0, k], a_in)
                        b_xf = ttl.copy(b[k, column], b_in)
                        a_xf.wait()
                        b_xf.wait()

        @ttl.compute()
        def compute() -> None:
            for _ in range(COLUMNS):
                first_blk = sum_dfb.reserve()
                first_blk.store(ttl.block.fill(0, shape=(1, 1)))
                first_blk.push()
                for _ in range(INNER):
                    a_blk = a_dfb.wait()
                    b_blk = b_dfb.wait()
                    old_blk = sum_dfb.wait()
                    new_blk = sum_dfb.reserve()
                    new_blk.store(old_blk + a_blk @ b_blk)
                    a_blk.pop()
                    b_blk.pop()
                    old_blk.pop()
                    new_blk.push()
                last_blk = sum_dfb.wait()
                with y_dfb.reserve() as y_blk:
                    y_blk.store(last_blk)
                last_blk.pop()

        @ttl.datamovement()
        def write() -> None:
            for column in range(COLUMNS):
                with y_dfb.wait() as y_out:
                    y_xf = ttl.copy(y_out, y[0, column])
                    y_xf.wait()

    y = blank((32, 32 * COLUMNS), ttnn.float32)
    op(tiled(A, ttnn.float32), tiled(B, ttnn.float32), y)
    return values(y)


def expected() -> Values:
    return A @ B
