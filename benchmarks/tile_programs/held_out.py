"""Four tile programs that designer and cost model were never changed for, and the same by hand: figures of programs as they come."""

from __future__ import annotations

from typing import Any

import ttl

from tile_programs.explicit import buffer, tiles

# mypy: disable-error-code="no-untyped-def"


@ttl.tile_operation()
def gated_mlp(x, gate, up, y):
    """``silu(x @ gate) * (x @ up)``."""
    for m in ttl.spatial(x.rows):
        for n in ttl.spatial(gate.columns):
            gates, values = 0, 0
            for k in ttl.temporal(x.columns):
                part = ttl.load(x[m, k])
                gates += part @ ttl.load(gate[k, n])
                values += part @ ttl.load(up[k, n])
            ttl.store(y[m, n], ttl.math.silu(gates) * values)


@ttl.tile_operation()
def column_softmax(x, y):
    """The softmax of every column."""
    for n in ttl.spatial(x.columns):
        column = ttl.load(x[:, n])
        powers = ttl.math.exp(column - column.max(0))
        ttl.store(y[:, n], powers * ttl.math.recip(powers.sum(0)))


@ttl.tile_operation()
def rank_one(a, u, v, y):
    """``a + u @ v`` of a column and a row."""
    for m in ttl.spatial(a.rows):
        for n in ttl.spatial(a.columns):
            ttl.store(y[m, n], ttl.load(a[m, n]) + ttl.load(u[m]) * ttl.load(v[:, n]))


@ttl.tile_operation()
def long_product(a, b, y):
    """``relu(a @ b)`` of few rows and columns, and long ones."""
    for m in ttl.spatial(a.rows):
        for n in ttl.spatial(b.columns):
            total = 0
            for k in ttl.temporal(a.columns):
                total += ttl.load(a[m, k]) @ ttl.load(b[k, n])
            ttl.store(y[m, n], ttl.math.relu(total))


def make_gated_mlp(
    sizes: tuple[int, int, int], grid: tuple[int, int], blocks: tuple[int, int, int]
) -> ttl.Operation:
    """All three operands are multicast: ``x`` along rows, the factors along columns."""
    m, k, n = blocks
    columns, rows = grid
    steps = tiles(sizes[1]) // k

    @ttl.operation(grid=grid)
    def gated_mlp(x: Any, gate: Any, up: Any, y: Any) -> None:
        node_x, node_y = ttl.node(dims=2)
        row, column = node_y * m, node_x * n
        x_dfb, y_dfb = buffer(x, (m, k)), buffer(y, (m, n))
        gate_dfb, up_dfb = buffer(gate, (k, n)), buffer(up, (k, n))
        x_net = ttl.PipeNet([ttl.Pipe((0, at), (slice(1, columns), at)) for at in range(rows)])
        gate_net = ttl.PipeNet([ttl.Pipe((at, 0), (at, slice(1, rows))) for at in range(columns)])
        up_net = ttl.PipeNet([ttl.Pipe((at, 0), (at, slice(1, rows))) for at in range(columns)])

        @ttl.datamovement()
        def read_factors():
            for step in range(steps):
                with gate_dfb.reserve() as gate_blk, up_dfb.reserve() as up_blk:
                    if node_y == 0:
                        gate_xf = ttl.copy(gate[step * k : (step + 1) * k, column : column + n], gate_blk)
                        up_xf = ttl.copy(up[step * k : (step + 1) * k, column : column + n], up_blk)
                        gate_xf.wait()
                        up_xf.wait()
                    gate_net.if_src(lambda pipe: ttl.copy(gate_blk, pipe).wait())
                    gate_net.if_dst(lambda pipe: ttl.copy(pipe, gate_blk).wait())
                    up_net.if_src(lambda pipe: ttl.copy(up_blk, pipe).wait())
                    up_net.if_dst(lambda pipe: ttl.copy(pipe, up_blk).wait())
            with y_dfb.wait() as y_blk:
                ttl.copy(y_blk, y[row : row + m, column : column + n]).wait()

        @ttl.compute()
        def compute():
            with y_dfb.reserve() as y_blk:
                gates = ttl.block.fill(0, shape=(m, n))
                values = ttl.block.fill(0, shape=(m, n))
                for _ in range(steps):
                    with x_dfb.wait() as x_blk, gate_dfb.wait() as gate_blk, up_dfb.wait() as up_blk:
                        gates += x_blk @ gate_blk
                        values += x_blk @ up_blk
                y_blk.store(ttl.math.silu(gates) * values)

        @ttl.datamovement()
        def read_x():
            for step in range(steps):
                with x_dfb.reserve() as x_blk:
                    if node_x == 0:
                        ttl.copy(x[row : row + m, step * k : (step + 1) * k], x_blk).wait()
                    x_net.if_src(lambda pipe: ttl.copy(x_blk, pipe).wait())
                    x_net.if_dst(lambda pipe: ttl.copy(pipe, x_blk).wait())

    return gated_mlp


def make_column_softmax(sizes: tuple[int, int], grid: tuple[int, int], blocks: tuple[int]) -> ttl.Operation:
    """The nodes take columns of tiles in turn."""
    (width,) = blocks
    height, total = tiles(sizes[0]), tiles(sizes[1]) // width
    shape, one = (height, width), (1, width)

    @ttl.operation(grid=grid)
    def column_softmax(x: Any, y: Any) -> None:
        x_dfb, y_dfb = buffer(x, shape), buffer(y, shape)
        own = range(ttl.node(dims=1), total, ttl.grid_size(dims=1))

        @ttl.datamovement()
        def read():
            for block in own:
                with x_dfb.reserve() as x_blk:
                    ttl.copy(x[0:height, block * width : (block + 1) * width], x_blk).wait()

        @ttl.compute()
        def compute():
            for _ in own:
                with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
                    largest = ttl.math.reduce_max(x_blk, dims=[0], shape=one)
                    powers = ttl.math.exp(x_blk - ttl.block.broadcast(largest, dims=[0], shape=shape))
                    scale = ttl.math.recip(ttl.math.reduce_sum(powers, dims=[0], shape=one))
                    y_blk.store(powers * ttl.block.broadcast(scale, dims=[0], shape=shape))

        @ttl.datamovement()
        def write():
            for block in own:
                with y_dfb.wait() as y_blk:
                    ttl.copy(y_blk, y[0:height, block * width : (block + 1) * width]).wait()

    return column_softmax


def make_rank_one(sizes: tuple[int, int], grid: tuple[int, int], blocks: tuple[int, int]) -> ttl.Operation:
    """The nodes take blocks in turn, and read what they need of the column and the row with each."""
    m, n = blocks
    across = tiles(sizes[1]) // n
    total = tiles(sizes[0]) // m * across

    @ttl.operation(grid=grid)
    def rank_one(a: Any, u: Any, v: Any, y: Any) -> None:
        a_dfb, u_dfb, v_dfb, y_dfb = (
            buffer(a, (m, n)),
            buffer(u, (m, 1)),
            buffer(v, (1, n)),
            buffer(y, (m, n)),
        )
        own = range(ttl.node(dims=1), total, ttl.grid_size(dims=1))

        @ttl.datamovement()
        def read():
            for block in own:
                row, column = block // across * m, block % across * n
                with a_dfb.reserve() as a_blk, u_dfb.reserve() as u_blk, v_dfb.reserve() as v_blk:
                    a_xf = ttl.copy(a[row : row + m, column : column + n], a_blk)
                    u_xf = ttl.copy(u[row : row + m, 0:1], u_blk)
                    v_xf = ttl.copy(v[0:1, column : column + n], v_blk)
                    a_xf.wait()
                    u_xf.wait()
                    v_xf.wait()

        @ttl.compute()
        def compute():
            for _ in own:
                with (
                    a_dfb.wait() as a_blk,
                    u_dfb.wait() as u_blk,
                    v_dfb.wait() as v_blk,
                    y_dfb.reserve() as y_blk,
                ):
                    wide = ttl.block.broadcast(u_blk, dims=[1], shape=(m, n))
                    y_blk.store(a_blk + wide * ttl.block.broadcast(v_blk, dims=[0], shape=(m, n)))

        @ttl.datamovement()
        def write():
            for block in own:
                row, column = block // across * m, block % across * n
                with y_dfb.wait() as y_blk:
                    ttl.copy(y_blk, y[row : row + m, column : column + n]).wait()

    return rank_one


def make_long_product(
    sizes: tuple[int, int, int], grid: tuple[int, int], blocks: tuple[int, int]
) -> ttl.Operation:
    """A column of nodes has a block of ``y``: each of its nodes a part of the sum, which the first one adds up."""
    k, n = blocks
    m, (_, rows) = tiles(sizes[0]), grid
    steps = tiles(sizes[1]) // k // rows

    @ttl.operation(grid=grid)
    def long_product(a: Any, b: Any, y: Any) -> None:
        node_x, node_y = ttl.node(dims=2)
        a_dfb, b_dfb, y_dfb = buffer(a, (m, k)), buffer(b, (k, n)), buffer(y, (m, n), 1)
        own_dfb, others_dfb = buffer(y, (m, n), 1), buffer(y, (m, n))
        net = ttl.PipeNet([ttl.Pipe((x, at), (x, 0)) for x in range(grid[0]) for at in range(1, rows)])
        own = range(node_y * steps * k, (node_y + 1) * steps * k, k)

        @ttl.datamovement()
        def read_a():
            for at in own:
                with a_dfb.reserve() as a_blk:
                    ttl.copy(a[0:m, at : at + k], a_blk).wait()

        @ttl.compute()
        def compute():
            total = ttl.block.fill(0, shape=(m, n))
            for _ in own:
                with a_dfb.wait() as a_blk, b_dfb.wait() as b_blk:
                    total += a_blk @ b_blk
            if node_y > 0:
                with own_dfb.reserve() as own_blk:
                    own_blk.store(total)
            else:
                for _ in range(rows - 1):
                    with others_dfb.wait() as other_blk:
                        total = total + other_blk
                with y_dfb.reserve() as y_blk:
                    y_blk.store(ttl.math.relu(total))

        @ttl.datamovement()
        def read_b():
            for at in own:
                with b_dfb.reserve() as b_blk:
                    ttl.copy(b[at : at + k, node_x * n : (node_x + 1) * n], b_blk).wait()

            def send(pipe):
                with own_dfb.wait() as own_blk:
                    ttl.copy(own_blk, pipe).wait()

            def receive(pipe):
                with others_dfb.reserve() as other_blk:
                    ttl.copy(pipe, other_blk).wait()

            net.if_src(send)
            net.if_dst(receive)
            if node_y == 0:
                with y_dfb.wait() as y_blk:
                    ttl.copy(y_blk, y[0:m, node_x * n : (node_x + 1) * n]).wait()

    return long_product


# Grids and blocks that were tried of those by hand; the fastest one counts.
TRIED: dict[str, list[Any]] = {
    "gated_mlp": [((8, 8), (2, 4, 2)), ((8, 8), (2, 8, 2))],
    "column_softmax": [((4, 4), (1,)), ((8, 2), (1,))],
    "rank_one": [((8, 8), (1, 1)), ((8, 8), (2, 2)), ((8, 8), (1, 4))],
    "long_product": [((4, 8), (4, 1)), ((4, 8), (8, 1)), ((2, 8), (8, 2))],
}
