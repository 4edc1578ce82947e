"""Random programs, executed by the simulator and statement by statement in NumPy.

Values are small whole numbers, so every execution order gives the same bits: what is compared exactly is which value
each block holds when it is read, stored, copied, sent and accumulated.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import ttnn

import ttl
from support.tensors import TILE, Values, bf16, blank, numbers, tiled, values
from ttl import settings

# Each operation on blocks or expressions and on the arrays that shadow them.
Pair = tuple[Any, Values]


class Author:
    """Writes a random compute kernel while it runs."""

    def __init__(self, seed: int, matrices: bool) -> None:
        self.random = np.random.default_rng(seed)
        self.matrices = matrices

    def choose(self, options: list[Any]) -> Any:
        return options[int(self.random.integers(len(options)))]

    def expression(self, known: list[Pair], depth: int) -> Pair:
        """An expression over blocks, with values from -8 to 8."""
        if depth == 0 or self.random.random() < 0.1:
            return self.choose(known)
        a, x = self.expression(known, depth - 1)
        b, y = self.expression(known, depth - 1)
        number = int(self.random.integers(-3, 4))
        cases: list[Callable[[], Pair]] = [
            lambda: (a + b, x + y),
            lambda: (a - b, x - y),
            lambda: (a * number + b, x * number + y),
            lambda: (number - a, number - x),
            lambda: (ttl.math.max(a, b), np.maximum(x, y)),
            lambda: (ttl.math.min(a, number), np.minimum(x, number)),
            lambda: (abs(a) - b, abs(x) - y),
            lambda: (ttl.block.where(ttl.math.gt(a, b), a, b), np.where(x > y, x, y)),
            lambda: (ttl.block.transpose(a) + b, x.T + y),
            lambda: (a + a + b, x + x + y),
        ]
        if self.matrices:
            cases += [
                lambda: (a @ b, x @ y),
                lambda: (a + b @ a, x + y @ x),
                lambda: (a @ b + b @ a + a @ a, x @ y + y @ x + x @ x),
                lambda: (
                    ttl.block.broadcast(ttl.math.reduce_sum(a, dims=[-1]), dims=[-1], shape=(1, 1)),
                    np.repeat(x.sum(axis=1, keepdims=True), TILE, axis=1),
                ),
            ]
        expr, array = self.choose(cases)()
        return ttl.math.clamp(expr, -8, 8), np.clip(array, -8, 8)


@pytest.mark.parametrize("seed", range(12))
def test_random_expressions_stores_and_accumulations(seed: int) -> None:
    """One kernel: operands that are overwritten, shared subexpressions, sums that go round through a buffer."""
    steps = 12
    author = Author(seed, matrices=True)
    inputs = numbers(TILE, TILE * steps, seed=seed, low=-2, high=2)
    shadow = np.zeros((TILE, TILE * steps), np.float32)

    @ttl.operation(grid=(1, 1))
    def op(a: Any, out: Any) -> None:
        a_dfb, out_dfb, carry_dfb = (ttl.make_dataflow_buffer_like(a, shape=(1, 1)) for _ in range(3))

        @ttl.datamovement()
        def read() -> None:
            for step in range(steps):
                with a_dfb.reserve() as blk:
                    ttl.copy(a[0, step], blk).wait()

        @ttl.compute()
        def compute() -> None:
            carry = np.zeros((TILE, TILE), np.float32)
            with carry_dfb.reserve() as first:
                first.store(ttl.block.fill(0, shape=(1, 1)))
            for step in range(steps):
                column = slice(step * TILE, (step + 1) * TILE)
                with a_dfb.wait() as blk, carry_dfb.wait() as old, carry_dfb.reserve() as new:
                    known: list[Pair] = [(blk, inputs[:, column]), (old, carry)]
                    known.append(author.expression(known, 2))
                    expr, carry = author.expression(known, 3)
                    new.store(expr + 0 * (blk + old))
                    if author.random.random() < 0.5:
                        # The operand is overwritten after it was read; expressions over it keep their value.
                        kept, kept_array = author.expression([*known, (new, carry)], 2)
                        kept = kept + 0  # an expression even where the author chose the block itself
                        overwritten, overwritten_array = author.expression([*known, (new, carry)], 2)
                        blk.store(overwritten)
                        total, total_array = kept + blk, kept_array + overwritten_array
                    else:
                        total, total_array = author.expression([*known, (new, carry)], 3)
                    with out_dfb.reserve() as out_blk:
                        out_blk += total
                        for _ in range(int(author.random.integers(0, 3))):
                            more, more_array = author.expression([(new, carry)], 2)
                            out_blk += more
                            total_array = total_array + more_array
                        shadow[:, column] = total_array
                    new + 0  # read, so that it may be pushed in either state
            with carry_dfb.wait() as last:
                last + 0

        @ttl.datamovement()
        def write() -> None:
            for step in range(steps):
                with out_dfb.wait() as blk:
                    ttl.copy(blk, out[0, step]).wait()

    out = blank(shadow.shape)
    op(tiled(inputs), out)
    assert np.array_equal(values(out), shadow)


@pytest.mark.parametrize("seed", range(8))
def test_random_pipelines_of_many_nodes(seed: int) -> None:
    """Nodes in a chain compute on what they receive, in place on one tensor, under a random schedule."""
    nodes, steps = 4, 5
    random = np.random.default_rng(seed)
    factors = random.integers(-1, 3, (nodes, steps)).tolist()
    data = numbers(TILE, TILE * steps, seed=seed, low=-2, high=2)

    @ttl.operation(grid=(nodes, 1))
    def op(a: Any, out: Any) -> None:
        me = ttl.node(dims=1)
        net = ttl.PipeNet([ttl.Pipe(src=(n, 0), dst=(n + 1, 0)) for n in range(nodes - 1)])
        in_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=1 + seed % 3)
        out_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=1 + seed % 2)

        @ttl.datamovement()
        def receive() -> None:
            for step in range(steps):
                with in_dfb.reserve() as blk:
                    if me == 0:
                        ttl.copy(a[0, step], blk).wait()
                    net.if_dst(lambda pipe: ttl.copy(pipe, blk).wait())

        @ttl.compute()
        def compute() -> None:
            for step in range(steps):
                with in_dfb.wait() as in_blk, out_dfb.reserve() as out_blk:
                    out_blk.store(in_blk * factors[me][step] + me)

        @ttl.datamovement()
        def send() -> None:
            for step in range(steps):
                with out_dfb.wait() as blk:
                    net.if_src(lambda pipe: ttl.copy(blk, pipe).wait())
                    # Every node leaves its trace; the first tensor is overwritten by node 0 only, behind its reads.
                    ttl.copy(blk, out[me, step]).wait()
                    if me == 0:
                        ttl.copy(blk, a[0, step]).wait()

    expected = np.zeros((TILE * nodes, TILE * steps), np.float32)
    for step in range(steps):
        column = slice(step * TILE, (step + 1) * TILE)
        value = data[:, column]
        for node in range(nodes):
            value = value * factors[node][step] + node
            expected[node * TILE : (node + 1) * TILE, column] = value
    for schedule in (None, seed, seed + 100):
        tensor, out = tiled(data), blank(expected.shape)
        with settings.override(schedule_seed=schedule):
            op(tensor, out)
        assert np.array_equal(values(out), expected)
        assert np.array_equal(values(tensor), expected[:TILE])


@pytest.mark.parametrize("seed", range(6))
def test_random_slices_of_ragged_tensors(seed: int) -> None:
    """Copies between random slices of padded tensors: exactly the elements inside both change."""
    random = np.random.default_rng(seed)
    rows, columns = (int(n) for n in random.integers(33, 120, 2))
    tiles = (-(-rows // TILE), -(-columns // TILE))
    source_array = numbers(rows, columns, seed=seed)
    moves = []
    for _ in range(20):
        shape = [int(random.integers(1, extent + 1)) for extent in tiles]
        places = [
            [int(random.integers(0, extent - size + 1)) for extent, size in zip(tiles, shape, strict=True)]
            for _ in range(2)
        ]
        moves.append((tuple(shape), *places))

    @ttl.operation(grid=(1, 1))
    def op(a: Any, out: Any) -> None:
        dfbs = {
            shape: ttl.make_dataflow_buffer_like(a, shape=shape, block_count=len(moves))
            for shape in {move[0] for move in moves}
        }

        @ttl.datamovement()
        def move_all() -> None:
            for shape, (r, c), (to_r, to_c) in moves:
                with dfbs[shape].reserve() as blk:
                    ttl.copy(a[r : r + shape[0], c : c + shape[1]], blk).wait()
                    ttl.copy(blk, out[to_r : to_r + shape[0], to_c : to_c + shape[1]]).wait()

    out = ttnn.from_numpy(np.full((rows, columns), -7, np.float32), ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)
    if sum(np.prod(shape) for shape in {move[0] for move in moves}) * len(moves) * 2048 > 1_300_000:
        moves = moves[:6]
    op(tiled(source_array), out)
    padded = np.zeros((tiles[0] * TILE, tiles[1] * TILE), np.float32)
    padded[:rows, :columns] = source_array
    expected = np.full(padded.shape, -7, np.float32)
    for shape, (r, c), (to_r, to_c) in moves:
        expected[to_r * TILE : (to_r + shape[0]) * TILE, to_c * TILE : (to_c + shape[1]) * TILE] = padded[
            r * TILE : (r + shape[0]) * TILE, c * TILE : (c + shape[1]) * TILE
        ]
    assert np.array_equal(values(out), expected[:rows, :columns])


def rounded_as(precision: str, array: Values) -> Values:
    """What an operation leaves in the destination register."""
    return bf16(array) if precision == "dst16" else array.astype(np.float32)


@pytest.mark.parametrize("precision", ["spec", "dst16", "fp32"])
@pytest.mark.parametrize("seed", range(8))
def test_random_real_numbers_are_rounded_exactly_where_the_precision_says(seed: int, precision: str) -> None:
    """Element-wise on arbitrary values: bit for bit, through a chain of stores into bfloat16 buffers."""
    steps = 8
    random = np.random.default_rng(seed)
    inputs = bf16(random.standard_normal((TILE, TILE * steps)))
    shadow = np.zeros_like(inputs)

    def stored(array: Values) -> Values:
        return array if precision == "fp32" else bf16(array)

    def expression(known: list[Pair], depth: int) -> Pair:
        if depth == 0:
            return known[int(random.integers(len(known)))]
        (a, x), (b, y) = expression(known, depth - 1), expression(known, depth - 1)
        number = float(np.float32(random.standard_normal()))
        scalar = np.float32(number)
        match int(random.integers(7)):
            case 0:
                return a + b, rounded_as(precision, x + y)
            case 1:
                return a - b, rounded_as(precision, x - y)
            case 2:
                return a * b, rounded_as(precision, x * y)
            case 3:
                return a * number, rounded_as(precision, x * scalar)
            case 4:
                return number - a, rounded_as(precision, scalar - x)
            case 5:
                return ttl.math.max(a, b), np.maximum(x, y)
            case _:
                return ttl.block.where(ttl.math.gt(a, b), b, -a), np.where(x > y, y, -x)

    @ttl.operation(grid=(1, 1))
    def op(a: Any, out: Any) -> None:
        a_dfb, mid_dfb, out_dfb = (ttl.make_dataflow_buffer_like(a, shape=(1, 1)) for _ in range(3))

        @ttl.datamovement()
        def read() -> None:
            for step in range(steps):
                with a_dfb.reserve() as blk:
                    ttl.copy(a[0, step], blk).wait()

        @ttl.compute()
        def compute() -> None:
            for step in range(steps):
                column = slice(step * TILE, (step + 1) * TILE)
                with a_dfb.wait() as blk, mid_dfb.reserve() as mid:
                    first, array = expression([(blk, inputs[:, column])], 3)
                    mid.store(first + 0 * blk)
                    array = stored(array)
                with mid_dfb.wait() as mid, out_dfb.reserve() as out_blk:
                    second, array = expression([(mid, array)], 3)
                    out_blk.store(second + 0 * mid)
                    shadow[:, column] = bf16(array)

        @ttl.datamovement()
        def write() -> None:
            for step in range(steps):
                with out_dfb.wait() as blk:
                    ttl.copy(blk, out[0, step]).wait()

    out = blank(inputs.shape)
    with settings.override(precision=precision):
        op(tiled(inputs), out)
    assert np.array_equal(values(out) + 0.0, shadow + 0.0)
