"""The same definitions, as a module that ``importing`` imports."""

import math
import sys
import unknown_library
import torch
import ttl
import ttnn


SCALE = 2
LIMIT = None
shapes = [(64, 64)]
options = {"tiles": 1, "rows": [1, 2]}


@ttl.operation(grid=(1, 1))
def doubled(x: ttnn.Tensor, y: ttnn.Tensor, rows: int = 1) -> None:
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(rows, SCALE), block_count=2)
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(rows, SCALE), block_count=2)

    @ttl.datamovement()
    def read():
        with x_dfb.reserve() as x_blk:
            ttl.copy(x[0:rows, 0:SCALE], x_blk).wait()

    @ttl.compute()
    def compute():
        with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
            y_blk.store(x_blk + x_blk)

    @ttl.datamovement()
    def write():
        with y_dfb.wait() as y_blk:
            ttl.copy(y_blk, y[0:rows, 0:SCALE]).wait()


@ttl.operation(grid=(1, 1))
def uncalled(x: ttnn.Tensor) -> None:
    dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1), block_count=len(shapes))

    @ttl.datamovement()
    def read():
        with dfb.reserve() as blk:
            ttl.copy(x[0, 0], blk).wait()

    @ttl.datamovement()
    def write():
        with dfb.wait() as blk:
            ttl.copy(blk, x[0, 0]).wait()


def tensor(shape, device, layout=ttnn.TILE_LAYOUT):
    return ttnn.from_torch(torch.zeros(shape), dtype=ttnn.bfloat16, layout=layout, device=device)


def collected(value, into=[]):
    into.append(value)
    return into


class Base:
    rows = 1

    def __init__(self, rows):
        self.rows = rows
        self.calls = []

    def run(self, x, y):
        self.calls.append(x.shape)
        doubled(x, y, self.rows)


class Twice(Base):
    def __init__(self, rows):
        super().__init__(rows * 2)
        self.factor = SCALE

    @property
    def area(self):
        return self.rows * self.factor


def counting(start):
    count = start

    def next_count(step=1):
        return count + step

    return next_count
