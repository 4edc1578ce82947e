"""The twelve programs as explicit operations, written by hand: what designs are measured against.

``make_<name>(sizes, grid, blocks)`` makes one. ``sizes`` are in elements, as in ``ttl.ops``, and need not fill tiles; ``blocks``
are in tiles. ``CHOSEN`` has what was fastest on the emulated chip.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import ttl
from ttl.lang.library import TILE
from ttl.ops.attention import attended
from ttl.ops.selection import first_largest

# mypy: disable-error-code="no-untyped-def"


def tiles(extent: int) -> int:
    """How many tiles have ``extent`` elements."""
    return -(-extent // TILE)


def buffer(tensor: Any, shape: tuple[int, ...], count: int = 2) -> ttl.DFB:
    """A dataflow buffer."""
    return ttl.make_dataflow_buffer_like(tensor, shape=shape, block_count=count)


def make_chain(sizes: tuple[int, int], grid: tuple[int, int], blocks: tuple[int, int]) -> ttl.Operation:
    """``tanh(exp(a / 2) + b) - a``: the nodes take blocks in turn; one kernel reads ``a`` and ``b``, one writes."""
    m, n = blocks
    across = tiles(sizes[1]) // n
    total = tiles(sizes[0]) // m * across

    @ttl.operation(grid=grid)
    def chain(a: Any, b: Any, y: Any) -> None:
        a_dfb, b_dfb, y_dfb = (buffer(tensor, blocks) for tensor in (a, b, y))
        own = range(ttl.node(dims=1), total, ttl.grid_size(dims=1))

        @ttl.datamovement()
        def read():
            for block in own:
                row, column = block // across * m, block % across * n
                with a_dfb.reserve() as a_blk, b_dfb.reserve() as b_blk:
                    a_xf = ttl.copy(a[row : row + m, column : column + n], a_blk)
                    b_xf = ttl.copy(b[row : row + m, column : column + n], b_blk)
                    a_xf.wait()
                    b_xf.wait()

        @ttl.compute()
        def compute():
            for _ in own:
                with a_dfb.wait() as a_blk, b_dfb.wait() as b_blk, y_dfb.reserve() as y_blk:
                    y_blk.store(ttl.math.tanh(ttl.math.exp(a_blk, scale=0.5) + b_blk) - a_blk)

        @ttl.datamovement()
        def write():
            for block in own:
                row, column = block // across * m, block % across * n
                with y_dfb.wait() as y_blk:
                    ttl.copy(y_blk, y[row : row + m, column : column + n]).wait()

    return chain


def make_transpose(sizes: tuple[int, int], grid: tuple[int, int], blocks: tuple[int, int]) -> ttl.Operation:
    """``x.T``: the nodes take blocks in turn."""
    m, n = blocks
    across = tiles(sizes[1]) // n
    total = tiles(sizes[0]) // m * across

    @ttl.operation(grid=grid)
    def transpose(x: Any, y: Any) -> None:
        x_dfb, y_dfb = buffer(x, (m, n)), buffer(y, (n, m))
        own = range(ttl.node(dims=1), total, ttl.grid_size(dims=1))

        @ttl.datamovement()
        def read():
            for block in own:
                row, column = block // across * m, block % across * n
                with x_dfb.reserve() as x_blk:
                    ttl.copy(x[row : row + m, column : column + n], x_blk).wait()

        @ttl.compute()
        def compute():
            for _ in own:
                with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
                    y_blk.store(ttl.block.transpose(x_blk))

        @ttl.datamovement()
        def write():
            for block in own:
                row, column = block // across * m, block % across * n
                with y_dfb.wait() as y_blk:
                    ttl.copy(y_blk, y[column : column + n, row : row + m]).wait()

    return transpose


def make_matmul(
    sizes: tuple[int, int, int], grid: tuple[int, int], blocks: tuple[int, int, int]
) -> ttl.Operation:
    """``a @ b``: both operands are multicast, ``a`` from a diagonal; ``b`` and ``y`` over the first network."""
    return _product(sizes, grid, blocks, has_bias=False)


def make_linear_gelu(
    sizes: tuple[int, int, int], grid: tuple[int, int], blocks: tuple[int, int, int]
) -> ttl.Operation:
    """``gelu(a @ b + bias)``: as the product; a node reads its part of the bias before, while nothing else is there."""
    return _product(sizes, grid, blocks, has_bias=True)


def _product(
    sizes: tuple[int, int, int], grid: tuple[int, int], blocks: tuple[int, int, int], *, has_bias: bool
) -> ttl.Operation:
    m, k, n = blocks
    columns, rows = grid
    steps = tiles(sizes[1]) // k

    def operation(a: Any, b: Any, bias: Any, y: Any) -> None:
        node_x, node_y = ttl.node(dims=2)
        row, column = node_y * m, node_x * n
        a_dfb, b_dfb, y_dfb = buffer(a, (m, k)), buffer(b, (k, n)), buffer(y, (m, n))
        if has_bias:
            bias_dfb = buffer(bias, (1, n), 1)
        if columns > 1:
            a_net = ttl.PipeNet([ttl.Pipe((0, at), (slice(1, columns), at)) for at in range(rows)])
        if rows > 1:
            b_net = ttl.PipeNet([ttl.Pipe((at, 0), (at, slice(1, rows))) for at in range(columns)])

        @ttl.datamovement()
        def read_b():
            for step in range(steps):
                with b_dfb.reserve() as b_blk:
                    if node_y == 0:
                        ttl.copy(b[step * k : (step + 1) * k, column : column + n], b_blk).wait()
                    if rows > 1:
                        b_net.if_src(lambda pipe: ttl.copy(b_blk, pipe).wait())
                        b_net.if_dst(lambda pipe: ttl.copy(pipe, b_blk).wait())
            with y_dfb.wait() as y_blk:
                ttl.copy(y_blk, y[row : row + m, column : column + n]).wait()

        @ttl.compute()
        def compute():
            with y_dfb.reserve() as y_blk:
                total = ttl.block.fill(0, shape=(m, n))
                for _ in range(steps):
                    with a_dfb.wait() as a_blk, b_dfb.wait() as b_blk:
                        total += a_blk @ b_blk
                if has_bias:
                    with bias_dfb.wait() as bias_blk:
                        y_blk.store(
                            ttl.math.gelu(total + ttl.block.broadcast(bias_blk, dims=[0], shape=(m, n)))
                        )
                else:
                    y_blk.store(total)

        @ttl.datamovement()
        def read_a():
            for step in range(steps):
                with a_dfb.reserve() as a_blk:
                    if node_x == 0:
                        ttl.copy(a[row : row + m, step * k : (step + 1) * k], a_blk).wait()
                    if columns > 1:
                        a_net.if_src(lambda pipe: ttl.copy(a_blk, pipe).wait())
                        a_net.if_dst(lambda pipe: ttl.copy(pipe, a_blk).wait())
            if has_bias:
                with bias_dfb.reserve() as bias_blk:
                    ttl.copy(bias[:, column : column + n], bias_blk).wait()

    if has_bias:

        @ttl.operation(grid=grid)
        def linear_gelu(a: Any, b: Any, bias: Any, y: Any) -> None:
            operation(a, b, bias, y)

        return linear_gelu

    @ttl.operation(grid=grid)
    def matmul(a: Any, b: Any, y: Any) -> None:
        operation(a, b, None, y)

    return matmul


def make_batched_matmul(
    sizes: tuple[int, int, int, int],
    grid: tuple[int, int],
    blocks: tuple[int, int, int],
    groups: tuple[int, int],
    multicast: bool = True,
) -> ttl.Operation:
    """``a @ b`` of each of a batch: ``groups`` (columns, rows) of nodes take one in turn.

    Operands are multicast inside a group, or every node reads its own, which is faster where there is little to read.
    """
    m, k, n = blocks
    across, down = groups
    columns, rows = grid[0] // across, grid[1] // down
    steps = tiles(sizes[2]) // k

    @ttl.operation(grid=grid)
    def batched_matmul(a: Any, b: Any, y: Any) -> None:
        node_x, node_y = ttl.node(dims=2)
        in_x, in_y = node_x % columns, node_y % rows
        row, column = in_y * m, in_x * n
        own = range(node_y // rows * across + node_x // columns, sizes[0], across * down)
        a_dfb, b_dfb, y_dfb = buffer(a, (1, m, k)), buffer(b, (1, k, n)), buffer(y, (1, m, n))
        if columns > 1 and multicast:
            a_net = ttl.PipeNet(
                [
                    ttl.Pipe((at, y), (slice(at + 1, at + columns), y))
                    for at in range(0, grid[0], columns)
                    for y in range(grid[1])
                ]
            )
        if rows > 1 and multicast:
            b_net = ttl.PipeNet(
                [
                    ttl.Pipe((x, at), (x, slice(at + 1, at + rows)))
                    for at in range(0, grid[1], rows)
                    for x in range(grid[0])
                ]
            )

        @ttl.datamovement()
        def read_a():
            for h in own:
                for step in range(steps):
                    with a_dfb.reserve() as a_blk:
                        if in_x == 0 or not multicast:
                            ttl.copy(a[h : h + 1, row : row + m, step * k : (step + 1) * k], a_blk).wait()
                        if columns > 1 and multicast:
                            a_net.if_src(lambda pipe: ttl.copy(a_blk, pipe).wait())
                            a_net.if_dst(lambda pipe: ttl.copy(pipe, a_blk).wait())

        @ttl.compute()
        def compute():
            for _ in own:
                with y_dfb.reserve() as y_blk:
                    total = ttl.block.fill(0, shape=(1, m, n))
                    for _ in range(steps):
                        with a_dfb.wait() as a_blk, b_dfb.wait() as b_blk:
                            total += a_blk @ b_blk
                    y_blk.store(total)

        @ttl.datamovement()
        def read_b():
            for h in own:
                for step in range(steps):
                    with b_dfb.reserve() as b_blk:
                        if in_y == 0 or not multicast:
                            ttl.copy(
                                b[h : h + 1, step * k : (step + 1) * k, column : column + n], b_blk
                            ).wait()
                        if rows > 1 and multicast:
                            b_net.if_src(lambda pipe: ttl.copy(b_blk, pipe).wait())
                            b_net.if_dst(lambda pipe: ttl.copy(pipe, b_blk).wait())
                with y_dfb.wait() as y_blk:
                    ttl.copy(y_blk, y[h : h + 1, row : row + m, column : column + n]).wait()

    return batched_matmul


def make_rows(
    sizes: tuple[int, int],
    grid: tuple[int, int],
    blocks: tuple[int],
    function: Callable[..., Any],
    shared: int = 0,
    inputs: int = 1,
    to_column: bool = False,
    multicast: bool = True,
) -> ttl.Operation:
    """``function`` of whole rows, and of ``shared`` single rows: the nodes take rows in turn.

    Where rows are shared and ``multicast`` is asked for, the last row of ``grid`` has no others: one of its nodes reads each,
    and multicasts it to all nodes before, which are a rectangle. Else every node reads them, after its first row.
    """
    workers = grid[1] - 1 if shared and multicast else grid[1]
    (height,) = blocks
    width = tiles(sizes[1])
    total = tiles(sizes[0]) // height
    shape = (height, width)
    result = (height, 1) if to_column else shape

    def operation(x: Any, other: Any, gamma: Any, beta: Any, y: Any) -> None:
        node_x, node_y = ttl.node(dims=2)
        node = node_y * grid[0] + node_x
        works = node_y < workers and (multicast or node < total)
        own = range(node if works else total, total, grid[0] * workers)
        x_dfb, y_dfb = buffer(x, shape), buffer(y, result)
        if inputs > 1:
            other_dfb = buffer(other, shape)
        if shared > 0:
            gamma_dfb = buffer(gamma, (1, width), 1)
        if shared > 1:
            beta_dfb = buffer(beta, (1, width), 1)
        if shared > 0 and multicast:
            gamma_net = ttl.PipeNet([ttl.Pipe((0, workers), (slice(0, grid[0]), slice(0, workers)))])
        if shared > 1 and multicast:
            beta_net = ttl.PipeNet([ttl.Pipe((grid[0] - 1, workers), (slice(0, grid[0]), slice(0, workers)))])

        def share(weight: Any, dfb: ttl.DFB, net: Any) -> None:
            def send(pipe):
                with dfb.reserve() as blk:
                    ttl.copy(weight[:, :], blk).wait()
                    ttl.copy(blk, pipe).wait()

            def receive(pipe):
                with dfb.reserve() as blk:
                    ttl.copy(pipe, blk).wait()

            net.if_src(send)
            net.if_dst(receive)

        @ttl.datamovement()
        def read():
            for block in own:
                with x_dfb.reserve() as x_blk:
                    ttl.copy(x[block * height : (block + 1) * height, 0:width], x_blk).wait()
                if inputs > 1:
                    with other_dfb.reserve() as other_blk:
                        ttl.copy(other[block * height : (block + 1) * height, 0:width], other_blk).wait()
                if shared > 0 and not multicast and block < grid[0] * workers:
                    with gamma_dfb.reserve() as gamma_blk:
                        ttl.copy(gamma[:, :], gamma_blk).wait()
                    if shared > 1:
                        with beta_dfb.reserve() as beta_blk:
                            ttl.copy(beta[:, :], beta_blk).wait()

        @ttl.compute()
        def compute():
            if shared and not works:
                pass
            elif shared == 2:
                with gamma_dfb.wait() as gamma_blk, beta_dfb.wait() as beta_blk:
                    for _ in own:
                        with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
                            y_blk.store(function(x_blk, gamma_blk, beta_blk))
            elif shared == 1:
                with gamma_dfb.wait() as gamma_blk:
                    for _ in own:
                        with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
                            y_blk.store(function(x_blk, gamma_blk))
            elif inputs == 2:
                for _ in own:
                    with x_dfb.wait() as x_blk, other_dfb.wait() as other_blk, y_dfb.reserve() as y_blk:
                        y_blk.store(function(x_blk, other_blk))
            else:
                for _ in own:
                    with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
                        y_blk.store(function(x_blk))

        @ttl.datamovement()
        def write():
            if shared > 0 and multicast:
                share(gamma, gamma_dfb, gamma_net)
            if shared > 1 and multicast:
                share(beta, beta_dfb, beta_net)
            for block in own:
                with y_dfb.wait() as y_blk:
                    if to_column:
                        ttl.copy(y_blk, y[block * height : (block + 1) * height, 0:1]).wait()
                    else:
                        ttl.copy(y_blk, y[block * height : (block + 1) * height, 0:width]).wait()

    if shared == 2:

        @ttl.operation(grid=grid)
        def normalization(x: Any, gamma: Any, beta: Any, y: Any) -> None:
            operation(x, None, gamma, beta, y)

        return normalization
    if shared == 1:

        @ttl.operation(grid=grid)
        def with_numbers(x: Any, numbers: Any, y: Any) -> None:
            operation(x, None, numbers, None, y)

        return with_numbers
    if inputs == 2:

        @ttl.operation(grid=grid)
        def of_two(x: Any, other: Any, y: Any) -> None:
            operation(x, other, None, None, y)

        return of_two

    @ttl.operation(grid=grid)
    def of_one(x: Any, y: Any) -> None:
        operation(x, None, None, None, y)

    return of_one


def make_softmax(
    sizes: tuple[int, int], grid: tuple[int, int], blocks: tuple[int], shares: int = 1
) -> ttl.Operation:
    """The softmax of every row; with two ``shares``, neighbours have half of a row, and tell each other largest and sum."""
    if shares == 2:
        return _halves_softmax(sizes, grid, blocks[0])
    shape, one = (blocks[0], tiles(sizes[1])), (blocks[0], 1)

    def function(x_blk: Any) -> Any:
        largest = ttl.math.reduce_max(x_blk, dims=[-1], shape=one)
        powers = ttl.math.exp(x_blk - ttl.block.broadcast(largest, dims=[-1], shape=shape))
        scale = ttl.math.recip(ttl.math.reduce_sum(powers, dims=[-1], shape=one))
        return powers * ttl.block.broadcast(scale, dims=[-1], shape=shape)

    return make_rows(sizes, grid, blocks, function)


def _halves_softmax(sizes: tuple[int, int], grid: tuple[int, int], height: int) -> ttl.Operation:
    width = tiles(sizes[1]) // 2
    total_blocks = tiles(sizes[0]) // height
    shape, one = (height, width), (height, 1)

    @ttl.operation(grid=grid)
    def softmax(x: Any, y: Any) -> None:
        node_x, node_y = ttl.node(dims=2)
        column = node_x % 2 * width
        own = range(node_y * grid[0] // 2 + node_x // 2, total_blocks, grid[0] * grid[1] // 2)
        x_dfb, y_dfb = buffer(x, shape), buffer(y, shape)
        largest_dfb, total_dfb, other_largest_dfb, other_total_dfb = (buffer(x, one) for _ in range(4))
        net = ttl.PipeNet(
            [ttl.Pipe((at, row), (at ^ 1, row)) for at in range(grid[0]) for row in range(grid[1])]
        )

        @ttl.datamovement()
        def read():
            for block in own:
                with x_dfb.reserve() as x_blk:
                    ttl.copy(x[block * height : (block + 1) * height, column : column + width], x_blk).wait()

                def receive(pipe):
                    with other_largest_dfb.reserve() as blk:
                        ttl.copy(pipe, blk).wait()
                    with other_total_dfb.reserve() as blk:
                        ttl.copy(pipe, blk).wait()

                net.if_dst(receive)

        @ttl.compute()
        def compute():
            for _ in own:
                with x_dfb.wait() as x_blk:
                    largest = ttl.math.reduce_max(x_blk, dims=[-1], shape=one)
                    powers = ttl.math.exp(x_blk - ttl.block.broadcast(largest, dims=[-1], shape=shape))
                    total = ttl.math.reduce_sum(powers, dims=[-1], shape=one)
                    with largest_dfb.reserve() as blk:
                        blk.store(largest)
                    with total_dfb.reserve() as blk:
                        blk.store(total)
                    with (
                        other_largest_dfb.wait() as m_blk,
                        other_total_dfb.wait() as s_blk,
                        y_dfb.reserve() as y_blk,
                    ):
                        both = ttl.math.max(largest, m_blk)
                        mine = ttl.math.exp(largest - both)
                        scale = mine * ttl.math.recip(total * mine + s_blk * ttl.math.exp(m_blk - both))
                        y_blk.store(powers * ttl.block.broadcast(scale, dims=[-1], shape=shape))

        @ttl.datamovement()
        def write():
            for block in own:

                def send(pipe):
                    with largest_dfb.wait() as blk:
                        ttl.copy(blk, pipe).wait()
                    with total_dfb.wait() as blk:
                        ttl.copy(blk, pipe).wait()

                net.if_src(send)
                with y_dfb.wait() as y_blk:
                    ttl.copy(y_blk, y[block * height : (block + 1) * height, column : column + width]).wait()

    return softmax


def make_layernorm(
    sizes: tuple[int, int], grid: tuple[int, int], blocks: tuple[int], multicast: bool = True
) -> ttl.Operation:
    """Every row, normalized, scaled and shifted."""
    shape, one = (blocks[0], tiles(sizes[1])), (blocks[0], 1)

    def function(x_blk: Any, gamma_blk: Any, beta_blk: Any) -> Any:
        mean = ttl.math.reduce_sum(x_blk, dims=[-1], shape=one) * (1 / sizes[1])
        centred = x_blk - ttl.block.broadcast(mean, dims=[-1], shape=shape)
        squares = ttl.math.reduce_sum(ttl.math.square(centred), dims=[-1], shape=one)
        scale = ttl.math.rsqrt(squares * (1 / sizes[1]) + 1e-5)
        scaled = centred * ttl.block.broadcast(scale, dims=[-1], shape=shape)
        gammas = ttl.block.broadcast(gamma_blk, dims=[0], shape=shape)
        return scaled * gammas + ttl.block.broadcast(beta_blk, dims=[0], shape=shape)

    return make_rows(sizes, grid, blocks, function, shared=2, multicast=multicast)


def make_cross_entropy(sizes: tuple[int, int], grid: tuple[int, int], blocks: tuple[int]) -> ttl.Operation:
    """Of every row, ``log(sum(exp(logits))) - sum(logits * target)``: the target comes while the rest is computed."""
    shape, one = (blocks[0], tiles(sizes[1])), (blocks[0], 1)

    def function(x_blk: Any, target_blk: Any) -> Any:
        largest = ttl.math.reduce_max(x_blk, dims=[-1], shape=one)
        powers = ttl.math.exp(x_blk - ttl.block.broadcast(largest, dims=[-1], shape=shape))
        total = ttl.math.reduce_sum(powers, dims=[-1], shape=one)
        wanted = ttl.math.reduce_sum(x_blk * target_blk, dims=[-1], shape=one)
        return ttl.math.log(total) + largest - wanted

    return make_rows(sizes, grid, blocks, function, inputs=2, to_column=True)


def make_argmax(
    sizes: tuple[int, int], grid: tuple[int, int], blocks: tuple[int], multicast: bool = True
) -> ttl.Operation:
    """Of every row, the first column with the largest element."""

    def function(x_blk: Any, numbers_blk: Any) -> Any:
        return -first_largest(x_blk, numbers_blk)[1]

    return make_rows(sizes, grid, blocks, function, shared=1, to_column=True, multicast=multicast)


def make_rmsnorm_matmul(
    sizes: tuple[int, int, int], grid: tuple[int, int], blocks: tuple[int, int, int], epsilon: float = 1e-5
) -> ttl.Operation:
    """A product with rows that are normalized: their scale is applied to the product, so that all of it streams."""
    m, k, n = blocks
    columns, rows = grid
    steps = tiles(sizes[1]) // k

    @ttl.operation(grid=grid)
    def rmsnorm_matmul(x: Any, gamma: Any, w: Any, y: Any) -> None:
        node_x, node_y = ttl.node(dims=2)
        row, column = node_y * m, node_x * n
        x_dfb, gamma_dfb, w_dfb, y_dfb = (
            buffer(x, (m, k)),
            buffer(gamma, (1, k)),
            buffer(w, (k, n)),
            buffer(y, (m, n)),
        )
        if columns > 1:
            x_net = ttl.PipeNet([ttl.Pipe((0, at), (slice(1, columns), at)) for at in range(rows)])
        if rows > 1:
            w_net = ttl.PipeNet([ttl.Pipe((at, 0), (at, slice(1, rows))) for at in range(columns)])

        @ttl.datamovement()
        def read_w():
            for step in range(steps):
                with w_dfb.reserve() as w_blk:
                    if node_y == 0:
                        ttl.copy(w[step * k : (step + 1) * k, column : column + n], w_blk).wait()
                    if rows > 1:
                        w_net.if_src(lambda pipe: ttl.copy(w_blk, pipe).wait())
                        w_net.if_dst(lambda pipe: ttl.copy(pipe, w_blk).wait())
            with y_dfb.wait() as y_blk:
                ttl.copy(y_blk, y[row : row + m, column : column + n]).wait()

        @ttl.compute()
        def compute():
            with y_dfb.reserve() as y_blk:
                total = ttl.block.fill(0, shape=(m, n))
                squares = ttl.block.fill(0, shape=(m, 1))
                for _ in range(steps):
                    with x_dfb.wait() as x_blk, gamma_dfb.wait() as gamma_blk, w_dfb.wait() as w_blk:
                        squares += ttl.math.reduce_sum(ttl.math.square(x_blk), dims=[-1], shape=(m, 1))
                        total += (x_blk * ttl.block.broadcast(gamma_blk, dims=[0], shape=(m, k))) @ w_blk
                scale = ttl.math.rsqrt(squares * (1 / sizes[1]) + epsilon)
                y_blk.store(total * ttl.block.broadcast(scale, dims=[-1], shape=(m, n)))

        @ttl.datamovement()
        def read_x():
            for step in range(steps):
                with x_dfb.reserve() as x_blk, gamma_dfb.reserve() as gamma_blk:
                    if node_x == 0:
                        x_xf = ttl.copy(x[row : row + m, step * k : (step + 1) * k], x_blk)
                        gamma_xf = ttl.copy(gamma[:, step * k : (step + 1) * k], gamma_blk)
                        x_xf.wait()
                        gamma_xf.wait()
                    if columns > 1:

                        def send(pipe):
                            ttl.copy(x_blk, pipe).wait()
                            ttl.copy(gamma_blk, pipe).wait()

                        def receive(pipe):
                            ttl.copy(pipe, x_blk).wait()
                            ttl.copy(pipe, gamma_blk).wait()

                        x_net.if_src(send)
                        x_net.if_dst(receive)

    return rmsnorm_matmul


def make_flash_attention(
    sizes: tuple[int, int, int], grid: tuple[int, int], blocks: tuple[int, int], multicast: bool = True
) -> ttl.Operation:
    """``softmax(q @ k.T / sqrt(d)) @ v``: a column of nodes has a head, whose keys and values its first node multicasts.

    Without ``multicast``, the nodes take blocks of queries of any head in turn, and each reads keys and values for itself.
    """
    heads, length, head_dim = sizes
    m, n = blocks
    width = tiles(head_dim)
    parts, steps = tiles(length) // m, tiles(length) // n
    scale = 1 / math.sqrt(head_dim)

    @ttl.operation(grid=grid)
    def flash_attention(q: Any, k: Any, v: Any, o: Any) -> None:
        node_x, node_y = ttl.node(dims=2)
        own = range(ttl.node(dims=1), heads * parts, ttl.grid_size(dims=1))
        if multicast:
            own = range(node_x * parts + node_y, heads * parts, grid[0] * parts)
            if grid[1] > 1:
                k_net = ttl.PipeNet([ttl.Pipe((x, 0), (x, slice(1, grid[1]))) for x in range(grid[0])])
                v_net = ttl.PipeNet([ttl.Pipe((x, 0), (x, slice(1, grid[1]))) for x in range(grid[0])])
        q_dfb, o_dfb = buffer(q, (m, width)), buffer(o, (m, width))
        k_dfb, v_dfb = buffer(k, (n, width)), buffer(v, (n, width))

        @ttl.datamovement()
        def read_k():
            for item in own:
                head, part = item // parts, item % parts
                with q_dfb.reserve() as q_blk:
                    ttl.copy(q[head, part * m : (part + 1) * m, 0:width], q_blk).wait()
                for step in range(steps):
                    with k_dfb.reserve() as k_blk:
                        if not multicast or node_y == 0:
                            ttl.copy(k[head, step * n : (step + 1) * n, 0:width], k_blk).wait()
                        if multicast and grid[1] > 1:
                            k_net.if_src(lambda pipe: ttl.copy(k_blk, pipe).wait())
                            k_net.if_dst(lambda pipe: ttl.copy(pipe, k_blk).wait())

        @ttl.compute()
        def compute():
            for _ in own:
                with q_dfb.wait() as q_blk, o_dfb.reserve() as o_blk:
                    largest = ttl.block.fill(-math.inf, shape=(m, 1))
                    total = ttl.block.fill(0, shape=(m, 1))
                    output = ttl.block.fill(0, shape=(m, width))
                    for _ in range(steps):
                        with k_dfb.wait() as k_blk, v_dfb.wait() as v_blk:
                            scores = q_blk @ ttl.block.transpose(k_blk) * scale
                            largest, total, output = attended(scores, v_blk, largest, total, output)
                    o_blk.store(output / ttl.block.broadcast(total, dims=[-1], shape=(m, width)))

        @ttl.datamovement()
        def read_v():
            for item in own:
                head, part = item // parts, item % parts
                for step in range(steps):
                    with v_dfb.reserve() as v_blk:
                        if not multicast or node_y == 0:
                            ttl.copy(v[head, step * n : (step + 1) * n, 0:width], v_blk).wait()
                        if multicast and grid[1] > 1:
                            v_net.if_src(lambda pipe: ttl.copy(v_blk, pipe).wait())
                            v_net.if_dst(lambda pipe: ttl.copy(pipe, v_blk).wait())
                with o_dfb.wait() as o_blk:
                    ttl.copy(o_blk, o[head, part * m : (part + 1) * m, 0:width]).wait()

    return flash_attention


def make_convolution(
    sizes: tuple[int, int, int, int], grid: tuple[int, int], blocks: tuple[int]
) -> ttl.Operation:
    """3x3: ``sizes`` is (rows, pixels, channels, filters); a node has ``blocks`` (rows,) rows of 32 pixels, and all weights."""
    rows, pixels, channels, filters = sizes
    (height,) = blocks
    across, depth, width, last = tiles(pixels), tiles(channels), tiles(filters), grid[1] - 1
    total = rows // height * across

    @ttl.operation(grid=grid)
    def convolution(left: Any, centre: Any, right: Any, w: Any, y: Any) -> None:
        node_x, node_y = ttl.node(dims=2)
        own = range(ttl.node(dims=1), total, ttl.grid_size(dims=1))
        shape = (height + 2, 1, depth)
        left_dfb, centre_dfb, right_dfb = (buffer(tensor, shape) for tensor in (left, centre, right))
        y_dfb = buffer(y, (height, 1, width))
        w0_dfb, w1_dfb, w2_dfb = (buffer(w, (3, depth, width), 1) for _ in range(3))
        # The first node of the last row to all rows before, and their first one to the others of the last row.
        net = ttl.PipeNet([ttl.Pipe((0, last), (slice(0, grid[0]), slice(0, last)))])
        row_net = ttl.PipeNet([ttl.Pipe((0, 0), (slice(1, grid[0]), last))])

        def share(first: int, dfb: ttl.DFB) -> None:
            with dfb.reserve() as blk:
                if node_x == 0 and node_y == last:
                    ttl.copy(w[first : first + 3, :, :], blk).wait()
                net.if_src(lambda pipe: ttl.copy(blk, pipe).wait())
                net.if_dst(lambda pipe: ttl.copy(pipe, blk).wait())
                row_net.if_src(lambda pipe: ttl.copy(blk, pipe).wait())
                row_net.if_dst(lambda pipe: ttl.copy(pipe, blk).wait())

        @ttl.datamovement()
        def read():
            for item in own:
                row, at = item // across * height, item % across
                with left_dfb.reserve() as l_blk, centre_dfb.reserve() as c_blk, right_dfb.reserve() as r_blk:
                    l_xf = ttl.copy(left[row : row + height + 2, at : at + 1, 0:depth], l_blk)
                    c_xf = ttl.copy(centre[row : row + height + 2, at : at + 1, 0:depth], c_blk)
                    r_xf = ttl.copy(right[row : row + height + 2, at : at + 1, 0:depth], r_blk)
                    l_xf.wait()
                    c_xf.wait()
                    r_xf.wait()

        @ttl.compute()
        def compute():
            with w0_dfb.wait() as w0_blk, w1_dfb.wait() as w1_blk, w2_dfb.wait() as w2_blk:
                for _ in own:
                    with (
                        left_dfb.wait() as l_blk,
                        centre_dfb.wait() as c_blk,
                        right_dfb.wait() as r_blk,
                        y_dfb.reserve() as y_blk,
                    ):
                        result = ttl.block.fill(0, shape=(height, width))
                        for down, w_blk in enumerate((w0_blk, w1_blk, w2_blk)):
                            l_row = ttl.block.squeeze(l_blk[down : down + height], dims=[1])
                            c_row = ttl.block.squeeze(c_blk[down : down + height], dims=[1])
                            r_row = ttl.block.squeeze(r_blk[down : down + height], dims=[1])
                            result += l_row @ ttl.block.squeeze(w_blk[0:1], dims=[0])
                            result += c_row @ ttl.block.squeeze(w_blk[1:2], dims=[0])
                            result += r_row @ ttl.block.squeeze(w_blk[2:3], dims=[0])
                        y_blk.store(ttl.block.unsqueeze(result, dims=[1]))

        @ttl.datamovement()
        def write():
            share(0, w0_dfb)
            share(3, w1_dfb)
            share(6, w2_dfb)
            for item in own:
                row, at = item // across * height, item % across
                with y_dfb.wait() as y_blk:
                    ttl.copy(y_blk, y[row : row + height, at : at + 1, 0:width]).wait()

    return convolution


# What was fastest of the grids and blocks that were tried: grid, blocks, and what else a factory takes; of a list, the first on
# Wormhole, the second on Blackhole.
CHOSEN: dict[tuple[str, str], Any] = {
    ("middle", "chain"): [((8, 8), (1, 1)), ((13, 10), (1, 1))],
    ("middle", "matmul"): [((8, 8), (2, 4, 2)), ((8, 8), (2, 8, 2))],
    ("middle", "linear_gelu"): [((8, 8), (2, 4, 2)), ((8, 8), (2, 8, 2))],
    ("middle", "batched_matmul"): ((8, 8), (2, 2, 2), (2, 2)),
    ("middle", "softmax"): ((8, 8), (1,), 2),
    ("middle", "layernorm"): [((8, 5), (1,)), ((13, 3), (1,), False)],
    ("middle", "rmsnorm_matmul"): [((8, 8), (2, 4, 2)), ((8, 8), (2, 8, 2))],
    ("middle", "flash_attention"): ((8, 8), (2, 16)),
    ("middle", "cross_entropy"): [((8, 4), (1,)), ((13, 3), (1,))],
    ("middle", "transpose"): [((8, 8), (2, 2)), ((13, 10), (1, 1))],
    ("middle", "convolution"): ((8, 8), (2,)),
    ("middle", "argmax"): ((8, 5), (1,)),
    ("small", "chain"): ((5, 3), (1, 1)),
    ("small", "matmul"): ((5, 3), (1, 7, 1)),
    ("small", "linear_gelu"): ((5, 3), (1, 7, 1)),
    ("small", "batched_matmul"): [((5, 3), (3, 7, 1), (1, 3), False), ((5, 9), (1, 7, 1), (1, 3))],
    ("small", "softmax"): ((3, 1), (1,)),
    ("small", "layernorm"): ((3, 1), (1,), False),
    ("small", "rmsnorm_matmul"): ((5, 3), (1, 7, 1)),
    ("small", "flash_attention"): ((2, 3), (1, 3)),
    ("small", "cross_entropy"): ((3, 1), (1,)),
    ("small", "transpose"): ((5, 3), (1, 1)),
    ("small", "convolution"): ((4, 3), (1,)),
    ("small", "argmax"): ((3, 1), (1,), False),
}
