"""Eight kernels, of which some wait for the network and some for the vector unit: for 'ttl tune --schedules'."""

import numpy as np
import ttnn

import ttl
from ttl.host.convert import from_numpy


def tensor(rows, columns, seed=None):
    shape = (rows * 32, columns * 32)
    values = np.zeros(shape) if seed is None else np.random.default_rng(seed).standard_normal(shape)
    return from_numpy(values.astype(np.float32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)


def of_two(name, function, turns):
    def operation(a, b, y, block):
        a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, block))
        b_dfb = ttl.make_dataflow_buffer_like(b, shape=(1, block))
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, block))

        @ttl.datamovement()
        def read():
            for n in range(turns):
                with a_dfb.reserve() as a_blk, b_dfb.reserve() as b_blk:
                    a_xf = ttl.copy(a[0, n * block : (n + 1) * block], a_blk)
                    b_xf = ttl.copy(b[0, n * block : (n + 1) * block], b_blk)
                    a_xf.wait()
                    b_xf.wait()

        @ttl.compute()
        def compute():
            for _ in range(turns):
                with a_dfb.wait() as a_blk, b_dfb.wait() as b_blk, y_dfb.reserve() as y_blk:
                    y_blk.store(function(a_blk, b_blk))

        @ttl.datamovement()
        def write():
            for n in range(turns):
                with y_dfb.wait() as y_blk:
                    ttl.copy(y_blk, y[0, n * block : (n + 1) * block]).wait()

    operation.__name__ = operation.__qualname__ = name
    return ttl.tunable(block=[1])(ttl.operation(grid=(1, 1))(operation))


def of_one(name, function, columns, turns):
    def operation(x, y, block):
        x_dfb = ttl.make_dataflow_buffer_like(x, shape=(block, columns))
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=(block, columns))

        @ttl.datamovement()
        def read():
            for n in range(turns):
                with x_dfb.reserve() as x_blk:
                    ttl.copy(x[n * block : (n + 1) * block, 0:columns], x_blk).wait()

        @ttl.compute()
        def compute():
            for _ in range(turns):
                with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
                    y_blk.store(function(x_blk))

        @ttl.datamovement()
        def write():
            for n in range(turns):
                with y_dfb.wait() as y_blk:
                    ttl.copy(y_blk, y[n * block : (n + 1) * block, 0:columns]).wait()

    operation.__name__ = operation.__qualname__ = name
    return ttl.tunable(block=[1])(ttl.operation(grid=(1, 1))(operation))


for name, function in (
    ("products", lambda a, b: a * b),
    ("differences", lambda a, b: a - b),
    ("maxima", lambda a, b: ttl.math.max(a, b)),
):
    of_two(name, function, 16)(tensor(1, 16, 1), tensor(1, 16, 2), tensor(1, 16))
for name, function, columns in (
    ("negated", lambda x: -x, 1),
    ("rectified", lambda x: ttl.math.relu(x), 2),
    ("exponentials", lambda x: ttl.math.exp(x), 4),
    ("logistic", lambda x: ttl.math.sigmoid(ttl.math.tanh(x)), 4),
    (
        "normal",
        lambda x: x - ttl.block.broadcast(ttl.math.reduce_max(x, dims=[1]), shape=(1, 4), dims=[1]),
        4,
    ),
):
    of_one(name, function, columns, 8)(tensor(8, columns, 3), tensor(8, columns))
