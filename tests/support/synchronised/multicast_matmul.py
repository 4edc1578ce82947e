"""``y = a @ b``: one node reads ``a`` and sends it to all three, each of which has a column of ``b``."""

from typing import Any

import ttnn

import ttl
from support.tensors import Values, blank, numbers, tiled, values

NODES, INNER = 3, 4
A, B = numbers(32, 32 * INNER, seed=3), numbers(32 * INNER, 32 * NODES, seed=4)


def run() -> Values:
    @ttl.operation(grid=(NODES, 1))
    def op(a: Any, b: Any, y: Any) -> None:
        x, _ = ttl.node()
        net = ttl.PipeNet([ttl.Pipe(src=(0, 0), dst=(slice(0, NODES), 0))])
        send_dfb, a_dfb, b_dfb, y_dfb = (
            ttl.make_dataflow_buffer_like(t, shape=(1, 1), block_count=count)
            for t, count in ((a, INNER), (a, 2), (b, 2), (y, 2))
        )

        @ttl.datamovement()
        def read() -> None:
            for k in range(INNER):

                def send(pipe: Any) -> None:
                    with send_dfb.reserve() as sent_blk:
                        a_xf = ttl.copy(a[0, k], sent_blk)
                        a_xf.wait()
                        sent_xf = ttl.copy(sent_blk, pipe)
                        sent_xf.wait()

                with a_dfb.reserve() as a_in:

                    def receive(pipe: Any) -> None:
                        received_xf = ttl.copy(pipe, a_in)
                        received_xf.wait()

                    net.if_src(send)
                    net.if_dst(receive)
                with b_dfb.reserve() as b_in:
                    b_xf = ttl.copy(b[k, x], b_in)
                    b_xf.wait()

        @ttl.compute()
        def compute() -> None:
            with y_dfb.reserve() as y_blk:
                total = ttl.block.fill(0, shape=(1, 1))
                for _ in range(INNER):
                    with a_dfb.wait() as a_blk, b_dfb.wait() as b_blk:
                        total += a_blk @ b_blk
                y_blk.store(total)

        @ttl.datamovement()
        def write() -> None:
            with y_dfb.wait() as y_out:
                y_xf = ttl.copy(y_out, y[0, x])
                y_xf.wait()

    y = blank((32, 32 * NODES), ttnn.float32)
    op(tiled(A, ttnn.float32), tiled(B, ttnn.float32), y)
    return values(y)


def expected() -> Values:
    return A @ B
