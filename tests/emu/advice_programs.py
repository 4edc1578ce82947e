"""Programs that have a flaw, and the same without it, for the rules about runs on the emulated chip."""

from __future__ import annotations

from typing import Any

import numpy as np

import ttl
from ttl.emu.profile import Profile
from ttl.host import importer

importer.install()
import ttnn


def tensor(rows: int, columns: int, seed: int = 0, dtype: Any = None, layout: Any = None) -> Any:
    """Small integers, which bfloat16 has exactly."""
    values = np.random.default_rng(seed).integers(-2, 3, (rows, columns)).astype(np.float32)
    return placed(values, dtype, layout)


def normal(rows: int, columns: int, seed: int = 0) -> Any:
    """Normal values, rounded to bfloat16."""
    return placed(np.random.default_rng(seed).standard_normal((rows, columns)).astype(np.float32))


def placed(values: Any, dtype: Any = None, layout: Any = None) -> Any:
    """On the device, in tiles of bfloat16 where nothing else is asked for."""
    import torch

    return ttnn.from_torch(
        torch.from_numpy(values),
        dtype=dtype or ttnn.bfloat16,
        layout=layout or ttnn.TILE_LAYOUT,
        device=ttnn.open_device(device_id=0),
    )


def spread(
    grid: tuple[int, int] = (1, 1),
    block: tuple[int, int] = (1, 1),
    counts: tuple[int, int] = (2, 2),
    function: Any = ttl.math.relu,
    **options: Any,
) -> Any:
    """``y = function(x)``, rows of blocks over the columns of the grid, and columns over its rows."""
    height, width = block

    @ttl.operation(grid=grid)
    def spread_out(x: ttnn.Tensor, y: ttnn.Tensor) -> None:
        columns, rows = ttl.grid_size(dims=2)
        column, row = ttl.node(dims=2)
        own_rows = range(column, x.shape[0] // 32 // height, columns)
        own_columns = range(row, x.shape[1] // 32 // width, rows)
        x_dfb = ttl.make_dataflow_buffer_like(x, shape=block, block_count=counts[0])
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=block, block_count=counts[1])

        @ttl.datamovement()
        def read() -> None:
            for i in own_rows:
                for j in own_columns:
                    with x_dfb.reserve() as x_blk:
                        x_xf = ttl.copy(x[i * height : (i + 1) * height, j * width : (j + 1) * width], x_blk)
                        x_xf.wait()

        @ttl.compute()
        def compute() -> None:
            for _ in own_rows:
                for _ in own_columns:
                    with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
                        y_blk.store(function(x_blk, **options))

        @ttl.datamovement()
        def write() -> None:
            for i in own_rows:
                for j in own_columns:
                    with y_dfb.wait() as y_blk:
                        y_xf = ttl.copy(y_blk, y[i * height : (i + 1) * height, j * width : (j + 1) * width])
                        y_xf.wait()

    return spread_out


def weighted(multicast: bool) -> Any:
    """Sums of the rows of ``x`` with weights of every node's own: a row of ``x`` is read by each, or by one for its row."""

    @ttl.operation(grid=(8, 8))
    def weigh(x: ttnn.Tensor, weights: ttnn.Tensor, y: ttnn.Tensor) -> None:
        column, row = ttl.node(dims=2)
        x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 8))
        w_dfb = ttl.make_dataflow_buffer_like(weights, shape=(1, 8))
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))
        net = ttl.PipeNet([ttl.Pipe(src=(0, row), dst=(slice(1, 8), row)) for row in range(8)])

        @ttl.datamovement()
        def read() -> None:
            for turn in range(16):
                with x_dfb.reserve() as x_blk:
                    if multicast:

                        def send(pipe: Any) -> None:
                            x_xf = ttl.copy(x[row, turn * 8 : turn * 8 + 8], x_blk)
                            x_xf.wait()
                            xf = ttl.copy(x_blk, pipe)
                            xf.wait()

                        def receive(pipe: Any) -> None:
                            xf = ttl.copy(pipe, x_blk)
                            xf.wait()

                        net.if_src(send)
                        net.if_dst(receive)
                    else:
                        x_xf = ttl.copy(x[row, turn * 8 : turn * 8 + 8], x_blk)
                        x_xf.wait()

        @ttl.compute()
        def compute() -> None:
            with w_dfb.wait() as w_blk, y_dfb.reserve() as y_blk:
                total = ttl.block.fill(0, shape=(1, 1))
                for _ in range(16):
                    with x_dfb.wait() as x_blk:
                        total += ttl.math.reduce_sum(x_blk * w_blk, dims=[-1], shape=(1, 1))
                y_blk.store(total)

        @ttl.datamovement()
        def write() -> None:
            with w_dfb.reserve() as w_blk:
                w_xf = ttl.copy(weights[row, column * 8 : column * 8 + 8], w_blk)
                w_xf.wait()
            with y_dfb.wait() as y_blk:
                y_xf = ttl.copy(y_blk, y[row, column])
                y_xf.wait()

    return weigh


def chained(block: tuple[int, int]) -> Any:
    """``y = x + 1 + 1 + 1``, every sum through a buffer."""
    height, width = block

    @ttl.operation(grid=(1, 1))
    def chain(x: ttnn.Tensor, y: ttnn.Tensor) -> None:
        x_dfb = ttl.make_dataflow_buffer_like(x, shape=block)
        s_dfb = ttl.make_dataflow_buffer_like(x, shape=block)
        t_dfb = ttl.make_dataflow_buffer_like(x, shape=block)
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=block)
        places = [(i, j) for i in range(8 // height) for j in range(8 // width)]

        @ttl.datamovement()
        def read() -> None:
            for i, j in places:
                with x_dfb.reserve() as x_blk:
                    x_xf = ttl.copy(x[i * height : (i + 1) * height, j * width : (j + 1) * width], x_blk)
                    x_xf.wait()

        @ttl.compute()
        def compute() -> None:
            for _ in places:
                with x_dfb.wait() as x_blk, s_dfb.reserve() as s_blk:
                    s_blk.store(x_blk + x_blk)
                for _ in range(8):
                    with s_dfb.wait() as s_blk, t_dfb.reserve() as t_blk:
                        t_blk.store(s_blk + s_blk)
                    with t_dfb.wait() as t_blk, s_dfb.reserve() as s_blk:
                        s_blk.store(t_blk - t_blk)
                with s_dfb.wait() as s_blk, y_dfb.reserve() as y_blk:
                    y_blk.store(s_blk + s_blk)

        @ttl.datamovement()
        def write() -> None:
            for i, j in places:
                with y_dfb.wait() as y_blk:
                    y_xf = ttl.copy(y_blk, y[i * height : (i + 1) * height, j * width : (j + 1) * width])
                    y_xf.wait()

    return chain


def copied_rows(width: int) -> Any:
    """A tensor in rows, copied in blocks of 32 rows and so many elements of each."""

    @ttl.operation(grid=(1, 1))
    def copy_rows(x: ttnn.Tensor, y: ttnn.Tensor) -> None:
        x_dfb = ttl.make_dataflow_buffer_like(x, shape=(32, width))

        @ttl.datamovement()
        def read() -> None:
            for i in range(x.shape[0] // 32):
                for j in range(x.shape[1] // width):
                    with x_dfb.reserve() as x_blk:
                        x_xf = ttl.copy(x[i * 32 : i * 32 + 32, j * width : (j + 1) * width], x_blk)
                        x_xf.wait()

        @ttl.compute()
        def compute() -> None:
            pass

        @ttl.datamovement()
        def write() -> None:
            for i in range(x.shape[0] // 32):
                for j in range(x.shape[1] // width):
                    with x_dfb.wait() as x_blk:
                        x_xf = ttl.copy(x_blk, y[i * 32 : i * 32 + 32, j * width : (j + 1) * width])
                        x_xf.wait()

    return copy_rows


def summed(apart: bool) -> Any:
    """``y = a + b + c + d`` of the blocks of a node: all read by one kernel, or half of them by the one that writes."""

    @ttl.operation(grid=(8, 8))
    def sum_up(a: ttnn.Tensor, b: ttnn.Tensor, c: ttnn.Tensor, y: ttnn.Tensor) -> None:
        column, row = ttl.node(dims=2)
        a_dfb = ttl.make_dataflow_buffer_like(a, shape=(2, 2))
        b_dfb = ttl.make_dataflow_buffer_like(b, shape=(2, 2))
        c_dfb = ttl.make_dataflow_buffer_like(c, shape=(2, 2))
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=(2, 2))
        here = slice(column * 2, column * 2 + 2), slice(row * 2, row * 2 + 2)

        @ttl.datamovement()
        def read() -> None:
            for _ in range(8):
                with a_dfb.reserve() as a_blk:
                    a_xf = ttl.copy(a[here], a_blk)
                    a_xf.wait()
                with b_dfb.reserve() as b_blk:
                    b_xf = ttl.copy(b[here], b_blk)
                    b_xf.wait()
                if not apart:
                    with c_dfb.reserve() as c_blk:
                        c_xf = ttl.copy(c[here], c_blk)
                        c_xf.wait()

        @ttl.compute()
        def compute() -> None:
            with y_dfb.reserve() as y_blk:
                total = ttl.block.fill(0, shape=(2, 2))
                for _ in range(8):
                    with a_dfb.wait() as a_blk, b_dfb.wait() as b_blk, c_dfb.wait() as c_blk:
                        total += a_blk + b_blk + c_blk
                y_blk.store(total)

        @ttl.datamovement()
        def write() -> None:
            if apart:
                for _ in range(8):
                    with c_dfb.reserve() as c_blk:
                        c_xf = ttl.copy(c[here], c_blk)
                        c_xf.wait()
            with y_dfb.wait() as y_blk:
                y_xf = ttl.copy(y_blk, y[here])
                y_xf.wait()

    return sum_up


def multiplied(
    block: tuple[int, int, int] = (4, 4, 2), turns: int = 8, count: int = 2, **options: Any
) -> Any:
    """``y = a @ b``, one block of ``y`` on one node, in steps along what is summed."""
    m, n, k = block

    @ttl.operation(grid=(1, 1), **options)
    def multiply(a: ttnn.Tensor, b: ttnn.Tensor, y: ttnn.Tensor) -> None:
        a_dfb = ttl.make_dataflow_buffer_like(a, shape=(m, k), block_count=count)
        b_dfb = ttl.make_dataflow_buffer_like(b, shape=(k, n), block_count=count)
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=(m, n), block_count=1)

        @ttl.datamovement()
        def read_a() -> None:
            for turn in range(turns):
                with a_dfb.reserve() as a_blk:
                    a_xf = ttl.copy(a[0:m, turn * k : turn * k + k], a_blk)
                    a_xf.wait()

        @ttl.compute()
        def compute() -> None:
            with y_dfb.reserve() as y_blk:
                total = ttl.block.fill(0, shape=(m, n))
                for _ in range(turns):
                    with a_dfb.wait() as a_blk, b_dfb.wait() as b_blk:
                        total += a_blk @ b_blk
                y_blk.store(total)

        @ttl.datamovement()
        def read_b_and_write() -> None:
            for turn in range(turns):
                with b_dfb.reserve() as b_blk:
                    b_xf = ttl.copy(b[turn * k : turn * k + k, 0:n], b_blk)
                    b_xf.wait()
            with y_dfb.wait() as y_blk:
                y_xf = ttl.copy(y_blk, y[0:m, 0:n])
                y_xf.wait()

    return multiply


def profiled(operation: Any, tensors: tuple[Any, ...]) -> Profile:
    (launch,) = ttl.profile(operation, *tensors).launches
    return launch
