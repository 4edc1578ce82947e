"""Ten operations, each with arguments, that schedules are tried on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import ttnn

import ttl
from ttl.host.convert import from_numpy
from ttl.lang.operation import Operation

Made = tuple[Operation, list[Any]]


def tensor(rows: int, columns: int, seed: int | None = None) -> Any:
    """A tensor of so many tiles: random values, or zeros where there is no seed."""
    shape = (rows * 32, columns * 32)
    values = np.zeros(shape) if seed is None else np.random.default_rng(seed).standard_normal(shape)
    return from_numpy(values.astype(np.float32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)


def binary(function: Callable[[Any, Any], Any], block: int = 1, turns: int = 8) -> Made:
    """``function`` of two tensors, ``block`` tiles at a time."""

    @ttl.operation(grid=(1, 1))
    def operation(a: ttnn.Tensor, b: ttnn.Tensor, y: ttnn.Tensor) -> None:
        a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, block))
        b_dfb = ttl.make_dataflow_buffer_like(b, shape=(1, block))
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, block))

        @ttl.datamovement()
        def read() -> None:
            for n in range(turns):
                with a_dfb.reserve() as a_blk, b_dfb.reserve() as b_blk:
                    a_xf = ttl.copy(a[0, n * block : (n + 1) * block], a_blk)
                    b_xf = ttl.copy(b[0, n * block : (n + 1) * block], b_blk)
                    a_xf.wait()
                    b_xf.wait()

        @ttl.compute()
        def compute() -> None:
            for _n in range(turns):
                with a_dfb.wait() as a_blk, b_dfb.wait() as b_blk, y_dfb.reserve() as y_blk:
                    y_blk.store(function(a_blk, b_blk))

        @ttl.datamovement()
        def write() -> None:
            for n in range(turns):
                with y_dfb.wait() as y_blk:
                    ttl.copy(y_blk, y[0, n * block : (n + 1) * block]).wait()

    shape = (1, block * turns)
    return operation, [tensor(*shape, 1), tensor(*shape, 2), tensor(*shape)]


def multiply() -> Made:
    """One tile at a time."""
    return binary(lambda a, b: a * b)


def chain() -> Made:
    """Several functions, two tiles at a time."""
    return binary(lambda a, b: ttl.math.relu(a + b) * a, block=2, turns=5)


def matmul() -> Made:
    """A product summed over blocks along K."""

    @ttl.operation(grid=(1, 1))
    def operation(a: ttnn.Tensor, b: ttnn.Tensor, y: ttnn.Tensor) -> None:
        a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 2))
        b_dfb = ttl.make_dataflow_buffer_like(b, shape=(2, 2))
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 2))

        @ttl.datamovement()
        def read() -> None:
            for m in range(2):
                for k in range(4):
                    with a_dfb.reserve() as a_blk, b_dfb.reserve() as b_blk:
                        a_xf = ttl.copy(a[m, k * 2 : k * 2 + 2], a_blk)
                        b_xf = ttl.copy(b[k * 2 : k * 2 + 2, 0:2], b_blk)
                        a_xf.wait()
                        b_xf.wait()

        @ttl.compute()
        def compute() -> None:
            for _m in range(2):
                with y_dfb.reserve() as y_blk:
                    total = ttl.block.fill(0, shape=(1, 2))
                    for _k in range(4):
                        with a_dfb.wait() as a_blk, b_dfb.wait() as b_blk:
                            total += a_blk @ b_blk
                    y_blk.store(total)

        @ttl.datamovement()
        def write() -> None:
            for m in range(2):
                with y_dfb.wait() as y_blk:
                    ttl.copy(y_blk, y[m, 0:2]).wait()

    return operation, [tensor(2, 8, 3), tensor(8, 2, 4), tensor(2, 2)]


def unary(function: Callable[[Any], Any], rows: int, columns: int, out: int = 0, nodes: int = 1) -> Made:
    """``function`` of a row of tiles at a time, which gives ``out`` columns of tiles; ``rows`` on each node."""
    out = out or columns

    @ttl.operation(grid=(1, nodes))
    def operation(x: ttnn.Tensor, y: ttnn.Tensor) -> None:
        x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, columns), block_count=2)
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, out), block_count=2)

        @ttl.datamovement()
        def read() -> None:
            _, mine = ttl.node(dims=2)
            for row in range(rows):
                with x_dfb.reserve() as x_blk:
                    ttl.copy(x[mine * rows + row, 0:columns], x_blk).wait()

        @ttl.compute()
        def compute() -> None:
            for _row in range(rows):
                with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
                    y_blk.store(function(x_blk))

        @ttl.datamovement()
        def write() -> None:
            _, mine = ttl.node(dims=2)
            for row in range(rows):
                with y_dfb.wait() as y_blk:
                    ttl.copy(y_blk, y[mine * rows + row, 0:out]).wait()

    return operation, [tensor(rows * nodes, columns, 5), tensor(rows * nodes, out)]


def relu() -> Made:
    """A function of each tile."""
    return unary(ttl.math.relu, 6, 2)


def exponential() -> Made:
    """A function of the vector unit."""
    return unary(ttl.math.exp, 4, 3)


def row_sums() -> Made:
    """A reduction."""
    return unary(lambda x: ttl.math.reduce_sum(x, dims=[1]), 4, 3, 1)


def transposed() -> Made:
    """A transposition of single tiles."""
    return unary(ttl.block.transpose, 5, 1)


def scaled_sums() -> Made:
    """A reduction whose result is broadcast."""
    return unary(
        lambda x: x - ttl.block.broadcast(ttl.math.reduce_max(x, dims=[1]), shape=(1, 2), dims=[1]), 3, 2
    )


def once() -> Made:
    """One block, and no loop."""

    @ttl.operation(grid=(1, 1))
    def operation(x: ttnn.Tensor, y: ttnn.Tensor) -> None:
        x_dfb = ttl.make_dataflow_buffer_like(x, shape=(2, 2))
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=(2, 2))

        @ttl.datamovement()
        def read() -> None:
            with x_dfb.reserve() as x_blk:
                ttl.copy(x[0:2, 0:2], x_blk).wait()

        @ttl.compute()
        def compute() -> None:
            with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
                y_blk.store(x_blk + x_blk)

        @ttl.datamovement()
        def write() -> None:
            with y_dfb.wait() as y_blk:
                ttl.copy(y_blk, y[0:2, 0:2]).wait()

    return operation, [tensor(2, 2, 6), tensor(2, 2)]


def spread() -> Made:
    """Nodes in a column, each with its rows."""
    return unary(lambda x: x * x, 6, 1, nodes=2)


KERNELS: dict[str, Callable[[], Made]] = {
    make.__name__: make
    for make in (
        multiply, chain, matmul, relu, exponential, row_sums, transposed, scaled_sums, once, spread,
    )
}  # fmt: skip
