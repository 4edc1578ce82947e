"""The specification's scatter-gather: every node of a column sends to all of it, itself included."""

from typing import Any

import numpy as np

import ttl
from support.tensors import TILE, Values, blank, numbers, tiled, values

ROWS, COLUMNS = 3, 2
A = numbers(TILE * ROWS, TILE * COLUMNS, seed=6)


def run() -> Values:
    @ttl.operation(grid=(COLUMNS, ROWS))
    def op(a: Any, y: Any) -> None:
        x, row = ttl.node()
        net = ttl.PipeNet(
            [ttl.Pipe(src=(c, r), dst=(c, slice(0, ROWS))) for c in range(COLUMNS) for r in range(ROWS)]
        )
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=1)

        @ttl.datamovement()
        def move() -> None:
            with dfb.reserve() as blk:

                def send(pipe: Any) -> None:
                    read_xf = ttl.copy(a[row, x], blk)
                    read_xf.wait()
                    sent_xf = ttl.copy(blk, pipe)
                    sent_xf.wait()

                def receive(pipe: Any) -> None:
                    received_xf = ttl.copy(pipe, blk)
                    received_xf.wait()
                    written_xf = ttl.copy(blk, y[row, x * ROWS + pipe.src[1]])
                    written_xf.wait()

                net.if_src(send)
                net.if_dst(receive)

    y = blank((TILE * ROWS, TILE * COLUMNS * ROWS))
    op(tiled(A), y)
    return values(y)


def expected() -> Values:
    tiles = A.reshape(ROWS, TILE, COLUMNS, TILE)
    column_by_column = tiles.transpose(1, 2, 0, 3).reshape(TILE, -1)
    return np.tile(column_by_column, (ROWS, 1))
