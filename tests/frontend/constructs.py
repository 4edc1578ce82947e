"""Python that the front end takes: one operation per construct. They are compared with what Python itself does.

Arguments: ``a``, ``b`` and ``y``, tiled, of 8 x 8 tiles; the grid is 2 x 2.
"""

# ruff: noqa
from __future__ import annotations

import functools
import itertools
import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from tests.frontend import construct_helpers as helpers
from tests.frontend.construct_helpers import copy_in, copy_out, scaled

import ttl

BLOCK = 2
TABLE = {"rows": 4, "cols": 2, "nested": {"deep": 3}}
OFFSETS = [0, 2, 4]
PAIRS = ((0, 1), (2, 3))
# A pattern of blocks: where each row begins, and the columns that are there.
START = [0, 2, 3, 3, 6]
COLUMNS = np.array([0, 3, 1, 7, 2, 5])
NEIGHBOURS = [[1, 2], [0], [], [3, 1, 2]]
PLACES = [(0, 7), (2, 1), (5, 3), (6, 6), (1, 2)]
SKIPPED = (False, True, True, False, False, True)
RENAMED = {0: 5, 1: 1, 2: 7, 3: 2}


@dataclass(frozen=True)
class Config:
    rows: int
    cols: int = 2

    @property
    def area(self) -> int:
        return self.rows * self.cols


class Shape(NamedTuple):
    rows: int
    cols: int


CONFIG = Config(rows=3)


@ttl.operation(grid=(2, 2))
def a_list_is_indexed_by_loops_and_by_other_lists(a, b, y):
    dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    node = ttl.node(dims=1)

    def fetch(row, col):
        with dfb.reserve() as blk:
            ttl.copy(a[row, col], blk).wait()

    @ttl.datamovement()
    def read():
        for i in range(START[node], START[node + 1]):
            fetch(COLUMNS[i], COLUMNS[-1 - i])
        for column in COLUMNS[START[node] : START[node + 1]]:
            fetch(node, column)
        for k, other in enumerate(NEIGHBOURS[node]):
            fetch(k, other)
        for i in range(len(PLACES)):
            row, col = PLACES[i]
            if not SKIPPED[i]:
                fetch(row, RENAMED[i % 4])
        i = 0
        while i < len(PLACES) and PLACES[i][1] != 3 + node:
            fetch(PLACES[i][0], i)
            i += 1

    @ttl.datamovement()
    def write():
        count = START[node + 1] - START[node]
        for i in range(2 * count + len(NEIGHBOURS[node])):
            with dfb.wait() as blk:
                ttl.copy(blk, y[node, i % 8]).wait()
        for i in range(len(PLACES)):
            if not SKIPPED[i]:
                with dfb.wait() as blk:
                    ttl.copy(blk, y[node, i]).wait()
        left = 0
        while left < len(PLACES) and PLACES[left][1] != 3 + node:
            with dfb.wait() as blk:
                ttl.copy(blk, y[4 + node, left]).wait()
            left += 1


@ttl.operation(grid=(2, 2))
def module_constants(a, b, y):
    dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

    @ttl.datamovement()
    def read():
        for row in range(TABLE["rows"]):
            for col in range(TABLE["nested"]["deep"]):
                with dfb.reserve() as blk:
                    ttl.copy(a[row + OFFSETS[1], col * BLOCK], blk).wait()

    @ttl.datamovement()
    def write():
        for row in range(TABLE["rows"]):
            for col in range(TABLE["nested"]["deep"]):
                with dfb.wait() as blk:
                    ttl.copy(blk, y[row, col]).wait()


def closure_constants_factory(offset, sizes):
    @ttl.operation(grid=(2, 2))
    def closure_constants(a, b, y):
        dfb = ttl.make_dataflow_buffer_like(a, shape=(sizes[0], sizes[1]), block_count=sizes[-1])

        @ttl.datamovement()
        def read():
            for i in range(2):
                with dfb.reserve() as blk:
                    ttl.copy(a[offset : offset + sizes[0], i : i + sizes[1]], blk).wait()

    return closure_constants


closure_constants = closure_constants_factory(2, [1, 2, 3])


@ttl.operation(grid=(2, 2))
def ranges(a, b, y):
    node_x, node_y = ttl.node(dims=2)
    dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    n = a.shape[0] // 32

    @ttl.datamovement()
    def read():
        for i in range(1, n, 3):
            with dfb.reserve() as blk:
                ttl.copy(a[i, 0], blk).wait()
        for i in range(n - 1, -1, -2):
            with dfb.reserve() as blk:
                ttl.copy(a[i, 1], blk).wait()
        for i in range(node_x, n, 2):
            with dfb.reserve() as blk:
                ttl.copy(a[i, node_y], blk).wait()
        for i in range(node_y + 4, node_x, -1):
            with dfb.reserve() as blk:
                ttl.copy(a[i, 2], blk).wait()
        for i in range(node_x):
            with dfb.reserve() as blk:
                ttl.copy(a[i, 3], blk).wait()
        for i in range(0):
            with dfb.reserve() as blk:
                ttl.copy(a[i, 4], blk).wait()
        for _ in range(len(range(node_x, n, 3))):
            with dfb.reserve() as blk:
                ttl.copy(a[0, 5], blk).wait()


@ttl.operation(grid=(2, 2))
def enumerate_zip_reversed(a, b, y):
    node_x, _ = ttl.node(dims=2)
    dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    columns = [3, 1, 2]

    @ttl.datamovement()
    def read():
        for i, col in enumerate(columns):
            with dfb.reserve() as blk:
                ttl.copy(a[i, col], blk).wait()
        for i, row in enumerate(range(2, 6), start=1):
            with dfb.reserve() as blk:
                ttl.copy(a[row, i], blk).wait()
        for row, col in zip(range(4), range(3, 7)):
            with dfb.reserve() as blk:
                ttl.copy(a[row, col], blk).wait()
        for row, col in zip(range(node_x, 4), columns):
            with dfb.reserve() as blk:
                ttl.copy(a[row, col], blk).wait()
        for row in reversed(range(5)):
            with dfb.reserve() as blk:
                ttl.copy(a[row, 0], blk).wait()
        for i, (row, col) in enumerate(zip(reversed(range(4)), range(node_x, node_x + 4))):
            with dfb.reserve() as blk:
                ttl.copy(a[row, col + i % 2], blk).wait()
        for col in reversed(columns):
            with dfb.reserve() as blk:
                ttl.copy(a[0, col], blk).wait()


@ttl.operation(grid=(2, 2))
def iterators_are_used_up(a, b, y):
    node_x, node_y = ttl.node(dims=2)
    dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    of_the_operation = zip([5, 6], [6, 5])
    halves = map(lambda row: row // 2, [4, 6])
    halved = list(halves)

    @ttl.datamovement()
    def read():
        def fill(pairs):
            for row, col in pairs:
                with dfb.reserve() as blk:
                    ttl.copy(a[row, col], blk).wait()

        fill([(len(halved), len(list(halves)))])
        fill(of_the_operation)
        fill(of_the_operation)
        pairs = zip([0, 1, 2], [1, 2, 3])
        for i in range(2):
            fill(pairs)
            fill([(7, i)])
        ranged = enumerate(range(node_x, 4))
        fill(ranged)
        fill(ranged)
        columns = (col for col in [3, 1, 2])
        fill([(sum(columns), sum(columns))])
        numbers = map(lambda row: row + 1, [0, 1])
        first, second = numbers
        fill([(first, second), (len(list(numbers)), 0)])
        products = itertools.product([0, 1], [2])
        fill(products)
        fill(products)
        rows = enumerate([4, 5])
        for i, row in rows:
            if node_y == 0:
                fill([(i, row)])
        fill(rows)
        doubled = filter(None, [0, 1, 2])
        fill([(max(doubled), len([*doubled]))])


@ttl.operation(grid=(2, 2))
def scalar_functions(a, b, y):
    node_x, node_y = ttl.node(dims=2)
    dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    half = math.ceil(a.shape[0] / 64)
    root = int(math.sqrt(16))

    @ttl.datamovement()
    def read():
        for i in range(min(node_x + 2, 3, half)):
            for j in range(max(node_y, 1)):
                quotient, rest = divmod(i * 2 + j + node_x, 3)
                with dfb.reserve() as blk:
                    ttl.copy(a[quotient, rest], blk).wait()
                with dfb.reserve() as blk:
                    ttl.copy(a[abs(i - 3), abs(node_x - node_y)], blk).wait()
                with dfb.reserve() as blk:
                    ttl.copy(a[math.ceil((i + node_x) / 2), math.floor((j + 3) / 2)], blk).wait()
                with dfb.reserve() as blk:
                    ttl.copy(a[(i + node_y * 3) % 4, (i * i + root) // 3], blk).wait()
                with dfb.reserve() as blk:
                    ttl.copy(a[int((i + 1) / 2), sum([i, 1, node_x])], blk).wait()


@ttl.operation(grid=(2, 2))
def conditions(a, b, y):
    node_x, node_y = ttl.node(dims=2)
    dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

    @ttl.datamovement()
    def read():
        for i in range(4):
            if i == 0:
                row = 1
            elif i < 2 or node_x == 1:
                row = 2
            elif not (i == 3 and node_y):
                row = 3
            else:
                row = 4
            with dfb.reserve() as blk:
                ttl.copy(a[row, i], blk).wait()
            if 0 < i <= 2 < 3:
                with dfb.reserve() as blk:
                    ttl.copy(a[5, i], blk).wait()
            if node_x == 0 and node_y == 0:
                with dfb.reserve() as blk:
                    ttl.copy(a[6, i], blk).wait()
            col = i if i % 2 == 0 else 7 - i
            with dfb.reserve() as blk:
                ttl.copy(a[7, col], blk).wait()
            if i in (1, 3) and node_x not in [1]:
                with dfb.reserve() as blk:
                    ttl.copy(a[0, i], blk).wait()
            if node_x != node_y:
                if i > 1:
                    with dfb.reserve() as blk:
                        ttl.copy(a[1, 1], blk).wait()
                else:
                    with dfb.reserve() as blk:
                        ttl.copy(a[2, 2], blk).wait()


@ttl.operation(grid=(2, 2))
def carried_numbers(a, b, y):
    node_x, _ = ttl.node(dims=2)
    dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

    @ttl.datamovement()
    def read():
        row = 0
        step = 1
        for i in range(3):
            for j in range(2 + node_x):
                with dfb.reserve() as blk:
                    ttl.copy(a[row % 8, j], blk).wait()
                row += step
            step = step + 1 if i == 0 else step
        with dfb.reserve() as blk:
            ttl.copy(a[row % 8, step], blk).wait()
        first = True
        for i in range(3):
            if not first:
                with dfb.reserve() as blk:
                    ttl.copy(a[i, 3], blk).wait()
            first = False


@ttl.operation(grid=(2, 2))
def carried_through_branches(a, b, y):
    node_x, node_y = ttl.node(dims=2)
    dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

    @ttl.datamovement()
    def read():
        row = col = 0
        for i in range(3):
            if node_x == 0:
                row += 1
            for _ in range(2):
                if node_y == i:
                    row, col = row + 2, col + 1
                elif node_y:
                    col = row % 3
            with dfb.reserve() as blk:
                ttl.copy(a[row % 8, col], blk).wait()

    @ttl.compute()
    def compute():
        for _ in range(2):
            total = ttl.block.fill(0, shape=(1, 1))
            for k in range(4):
                if node_x == 0:
                    with dfb.wait() as blk:
                        total += blk
                elif k > 1:
                    total = total * 2
            with dfb.reserve() as blk:
                blk.store(total)


@ttl.operation(grid=(2, 2))
def bits_and_truths_as_numbers(a, b, y):
    node_x, node_y = ttl.node(dims=2)
    dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

    @ttl.datamovement()
    def read():
        for i in range(5):
            row = (i & 1) + (node_x << 1) + ((i + node_y) >> 1) + (3 & i)
            row += i > 2
            row -= ~node_y
            if (i > 1) & (node_x == 0) | (i < 3) ^ (node_y > 0):
                row = row + (node_x == i) * 2 + sum(node_x <= each for each in (0.0, 0.5, 1))
            if node_y < 0.5 or not i >= 1.5:
                row += 1
            if node_x == 1.0 or i == 2.5 or i != 2.5 and node_y > float("inf"):
                row += 2
            with dfb.reserve() as blk:
                ttl.copy(a[row % 8, i], blk).wait()


@ttl.operation(grid=(2, 2))
def while_loops(a, b, y):
    node_x, node_y = ttl.node(dims=2)
    dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

    @ttl.datamovement()
    def read():
        i = 0
        while i < 3:
            with dfb.reserve() as blk:
                ttl.copy(a[i, 0], blk).wait()
            i += 1
        i = node_x
        while i < 6:
            with dfb.reserve() as blk:
                ttl.copy(a[i, 1], blk).wait()
            i += 2
        i = 100
        while i > 0:
            with dfb.reserve() as blk:
                ttl.copy(a[i % 8, 2], blk).wait()
            i -= 1
        i = node_y
        while True:
            if i >= 3:
                break
            with dfb.reserve() as blk:
                ttl.copy(a[i, 3], blk).wait()
            i += 1
        while (i := i - 1) > 0:
            with dfb.reserve() as blk:
                ttl.copy(a[i, 4], blk).wait()


@ttl.operation(grid=(2, 2))
def break_and_continue(a, b, y):
    node_x, node_y = ttl.node(dims=2)
    dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

    @ttl.datamovement()
    def read():
        for i in range(6):
            if i == 1:
                continue
            if i == node_x + 3:
                break
            with dfb.reserve() as blk:
                ttl.copy(a[i, 0], blk).wait()
        for i in range(4):
            if node_y == 0:
                continue
            with dfb.reserve() as blk:
                ttl.copy(a[i, 1], blk).wait()
        else:
            with dfb.reserve() as blk:
                ttl.copy(a[7, 7], blk).wait()
        for i in range(5):
            for j in range(5):
                if j > i:
                    break
                if (i + j + node_x) % 2:
                    continue
                with dfb.reserve() as blk:
                    ttl.copy(a[i, j], blk).wait()
        for i in [4, 5, 6]:
            if i == 5:
                break
            with dfb.reserve() as blk:
                ttl.copy(a[i, 2], blk).wait()


@ttl.operation(grid=(2, 2))
def early_return(a, b, y):
    node_x, node_y = ttl.node(dims=2)
    dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

    @ttl.datamovement()
    def read():
        if node_x == 1 and node_y == 1:
            return
        for i in range(4):
            if i == 3 and node_x == 1:
                return
            with dfb.reserve() as blk:
                if i == 2 and node_y == 1:
                    return
                ttl.copy(a[i, 0], blk).wait()
        with dfb.reserve() as blk:
            ttl.copy(a[7, 7], blk).wait()


@ttl.operation(grid=(2, 2))
def helper_functions(a, b, y):
    node_x, _ = ttl.node(dims=2)
    dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    out_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

    def row_of(i, *, stride=2, offset=0):
        if i == 0:
            return offset
        return (i * stride + offset) % 8

    @ttl.datamovement()
    def read():
        for i in range(3):
            copy_in(a, dfb, row_of(i, offset=node_x), 0)
            helpers.copy_in(a, dfb, row=row_of(i, stride=1), col=helpers.next_column(i))
            copy_in(a, dfb, *helpers.corner(i))

    @ttl.compute()
    def compute():
        for _ in range(9):
            with dfb.wait() as blk, out_dfb.reserve() as out:
                out.store(scaled(blk, factor=2.0))

    @ttl.datamovement()
    def write():
        for i in range(9):
            copy_out(out_dfb, y, row=i % 8, col=0)


@ttl.operation(grid=(2, 2))
def local_functions_and_lambdas(a, b, y):
    node_x, node_y = ttl.node(dims=2)
    dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    pick = lambda i, j=1: (i + j) % 8
    shift = functools.partial(pick, j=3)
    counter = 0

    @ttl.datamovement()
    def read():
        done = 0

        def one(row):
            nonlocal done
            with dfb.reserve() as blk:
                ttl.copy(a[row, done], blk).wait()
            done += 1

        for i in range(2):
            one(pick(i))
        one(shift(node_x))
        for row in map(lambda i: i + 1, [1, 2]):
            one(row)
        for row in sorted([3, 1, 2], key=lambda i: -i):
            one(row)


@ttl.operation(grid=(2, 2))
def tuples_and_unpacking(a, b, y):
    node_x, node_y = ttl.node(dims=2)
    dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    first, *rest = [1, 2, 3]
    (top, left), size = (node_x, node_y), Shape(2, 3)

    @ttl.datamovement()
    def read():
        row, col = top + size.rows, left
        with dfb.reserve() as blk:
            ttl.copy(a[row, col], blk).wait()
        row, col = col, row
        with dfb.reserve() as blk:
            ttl.copy(a[row, col], blk).wait()
        for i, (p, q) in enumerate(PAIRS):
            index = (p + i, q)
            with dfb.reserve() as blk:
                ttl.copy(a[index], blk).wait()
        for each in rest:
            with dfb.reserve() as blk:
                ttl.copy(a[first, each], blk).wait()


@ttl.operation(grid=(2, 2))
def slices_as_values(a, b, y):
    node_x, node_y = ttl.node(dims=2)
    dfb = ttl.make_dataflow_buffer_like(a, shape=(BLOCK, BLOCK))

    @ttl.datamovement()
    def read():
        columns = slice(node_x * BLOCK, (node_x + 1) * BLOCK)
        for i in range(3):
            rows = slice(i * BLOCK, (i + 1) * BLOCK)
            with dfb.reserve() as blk:
                ttl.copy(a[rows, columns], blk).wait()
            index = (slice(6, None), slice(None, 2))
            with dfb.reserve() as blk:
                ttl.copy(a[index], blk).wait()


@ttl.operation(grid=(2, 2))
def several_with_items(a, b, y):
    a_dfb, b_dfb = (
        ttl.make_dataflow_buffer_like(a, shape=(1, 1)),
        ttl.make_dataflow_buffer_like(b, shape=(1, 1)),
    )
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))

    @ttl.datamovement()
    def read():
        for i in range(2):
            with a_dfb.reserve() as a_blk, b_dfb.reserve() as b_blk:
                a_xf = ttl.copy(a[i, 0], a_blk)
                b_xf = ttl.copy(b[i, 0], b_blk)
                a_xf.wait()
                b_xf.wait()

    @ttl.compute()
    def compute():
        for _ in range(2):
            with (
                a_dfb.wait() as a_blk,
                b_dfb.wait() as b_blk,
                y_dfb.reserve() as y_blk,
                ttl.signpost("sum"),
            ):
                y_blk.store(a_blk + b_blk * 2 - 1.5)

    @ttl.datamovement()
    def write():
        for i in range(2):
            blk = y_dfb.wait()
            ttl.copy(blk, y[i, 0]).wait()
            blk.pop()


@ttl.operation(grid=(2, 2))
def carried_expressions(a, b, y):
    dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))

    @ttl.compute()
    def compute():
        for n in range(2):
            with y_dfb.reserve() as y_blk:
                total = ttl.block.fill(0, shape=(1, 1))
                largest = None
                for k in range(4):
                    with dfb.wait() as blk:
                        total += blk if k % 2 else blk * 2
                        if n == 1:
                            total = ttl.math.relu(total)
                y_blk.store(total)
            with y_dfb.reserve() as y_blk:
                for k in range(3):
                    with dfb.wait() as blk:
                        y_blk += ttl.math.exp(blk)


@ttl.operation(grid=(2, 2))
def lists_of_buffers(a, b, y):
    dfbs = [ttl.make_dataflow_buffer_like(t, shape=(1, 1)) for t in (a, b)]
    named = {"out": ttl.make_dataflow_buffer_like(y, shape=(1, 1))}

    @ttl.datamovement()
    def read():
        for i in range(3):
            for k, t in enumerate((a, b)):
                with dfbs[k].reserve() as blk:
                    ttl.copy(t[i, k], blk).wait()
            transfers = []
            blocks = []
            for k in range(2):
                blocks.append(dfbs[k].reserve())
                transfers.append(ttl.copy(a[i, k], blocks[-1]))
            for xf in transfers:
                xf.wait()
            for blk in blocks:
                blk.push()

    @ttl.compute()
    def compute():
        for _ in range(6):
            with dfbs[0].wait() as p, dfbs[1].wait() as q, named["out"].reserve() as out:
                out.store(p @ q)


@ttl.operation(grid=(2, 2))
def group_transfers(a, b, y):
    dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=4)

    @ttl.datamovement()
    def write():
        for i in range(3):
            with dfb.wait() as blk:
                group = ttl.GroupTransfer()
                for row in range(2):
                    for col in range(2):
                        group.add(ttl.copy(blk, y[row + i, col]))
                group.wait_all()


@ttl.operation(grid=(2, 2))
def pipes(a, b, y):
    grid_x, grid_y = ttl.grid_size(dims=2)
    node_x, node_y = ttl.node(dims=2)
    columns = ttl.PipeNet([ttl.Pipe(src=(x, 0), dst=(x, slice(1, grid_y))) for x in range(grid_x)])
    ring = ttl.PipeNet(
        [ttl.Pipe((x, y), ((x + 1) % grid_x, y)) for x in range(grid_x) for y in range(grid_y) if x >= 0]
    )
    dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

    @ttl.datamovement()
    def read():
        for i in range(2):
            with dfb.reserve() as blk:

                def send(pipe):
                    ttl.copy(a[i, node_x], blk).wait()
                    ttl.copy(blk, pipe).wait()

                columns.if_src(send)
                columns.if_dst(lambda pipe: ttl.copy(pipe, blk).wait())
        if ring.is_active() and columns.is_src():
            with dfb.reserve() as blk:
                ttl.copy(a[3, 3], blk).wait()

    @ttl.datamovement()
    def write():
        for _ in range(2):
            with dfb.wait() as blk:

                def receive(pipe):
                    x, row = pipe.src
                    ttl.copy(blk, y[row + 4, x]).wait()

                ring.if_dst(receive)
                ttl.copy(blk, y[0, 0]).wait()


@ttl.operation(grid=(2, 2))
def semaphores(a, b, y):
    grid_x, grid_y = ttl.grid_size(dims=2)
    node_x, node_y = ttl.node(dims=2)
    ready = ttl.Semaphore(0)
    go = ttl.Semaphore(value=1)
    dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

    @ttl.datamovement()
    def read():
        for i in range(3):
            ready.get_remote((0, 0)).inc(1)
            if node_x == 0 and node_y == 0:
                ready.wait_ge((i + 1) * grid_x * grid_y)
                go.get_remote_multicast().set(i + 2)
                go.get_remote_multicast((slice(0, grid_x), node_y)).set(i)
            go.wait_eq(i + 2)
            go.get_remote((1 - node_x, node_y)).set(i)
            go.set(7)


@ttl.operation(grid=(2, 2))
def dataclasses_of_constants(a, b, y):
    config = Config(rows=2)
    dfb = ttl.make_dataflow_buffer_like(a, shape=(config.rows, config.cols))

    @ttl.datamovement()
    def read():
        for i in range(CONFIG.area // 3):
            with dfb.reserve() as blk:
                ttl.copy(a[i * config.rows : (i + 1) * config.rows, : config.cols], blk).wait()


@ttl.operation(grid=(2, 2))
def comprehensions(a, b, y):
    node_x, _ = ttl.node(dims=2)
    dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    rows = [r for r in range(8) if r % 2]
    table = {r: r * r % 8 for r in rows}
    unique = sorted({r // 2 for r in rows})

    @ttl.datamovement()
    def read():
        for row in rows:
            with dfb.reserve() as blk:
                ttl.copy(a[row, table[row]], blk).wait()
        for row in [r + node_x for r in unique]:
            with dfb.reserve() as blk:
                ttl.copy(a[row, 0], blk).wait()
        if any(row > 6 for row in rows) and all(r >= 0 for r in unique):
            with dfb.reserve() as blk:
                ttl.copy(a[len(rows), sum(unique)], blk).wait()


@ttl.operation(grid=(2, 2))
def printing_and_assertions(a, b, y):
    node_x, node_y = ttl.node(dims=2)
    dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    assert a.shape[0] % 32 == 0, "whole tiles"

    @ttl.datamovement()
    def read():
        for i in range(2):
            with dfb.reserve() as blk:
                ttl.copy(a[i, 0], blk).wait()
                if node_x > 5:
                    print(f"row {i:02d} on {node_x}", blk)
            assert i < 2
            assert node_x < 2, f"node {node_x}"


@ttl.operation(grid=(2, 2))
def pipelining(a, b, y):
    dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=3)

    @ttl.datamovement()
    def read():
        previous = None
        for i in range(4):
            blk = dfb.reserve()
            xf = ttl.copy(a[i, 0], blk)
            if previous is not None:
                previous[0].wait()
                previous[1].push()
            previous = (xf, blk)
        previous[0].wait()
        previous[1].push()


@ttl.operation(grid=(2, 2))
def augmented_and_deleted(a, b, y):
    node_x, _ = ttl.node(dims=2)
    dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    counts = [0, 0]
    counts[1] += 3
    counts.append(5)
    del counts[0]
    limit: int = counts[0]

    @ttl.datamovement()
    def read():
        row = 7
        row -= node_x
        row //= 2
        row *= 2
        with dfb.reserve() as blk:
            ttl.copy(a[row, limit], blk).wait()
        with dfb.reserve() as blk:
            ttl.copy(a[row - 1, counts[-1]], blk).wait()
        x = y_of = row % 3
        with dfb.reserve() as blk:
            ttl.copy(a[x, y_of], blk).wait()


@ttl.operation(grid=(2, 2))
def values_kept_alive(a, b, y):
    node_x, node_y = ttl.node(dims=2)
    dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=4)

    @ttl.datamovement()
    def read():
        blk = dfb.reserve()
        if node_x == 0:
            xf = ttl.copy(a[0, 0], blk)
        else:
            xf = ttl.copy(a[1, 1], blk)
            row = 2
        xf.wait()
        blk.push()
        for i in range(3):
            last = dfb.reserve()
            ttl.copy(a[i, 2], last).wait()
            if i < 2:
                last.push()
        last.push()
        for i in range(2):
            if i == node_y:
                other = dfb.reserve()
            else:
                other = dfb.reserve()
            ttl.copy(a[i, 3], other).wait()
            other.push()


@ttl.operation(grid=(2, 2))
def choices_of_anything(a, b, y):
    node_x, node_y = ttl.node(dims=2)
    dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

    @ttl.datamovement()
    def read():
        source = a if node_x == 0 else b
        for row in range(3) if node_y == 0 else (5, 6):
            with dfb.reserve() as blk:
                ttl.copy(source[row, 0], blk).wait()
        for i in range(2):
            with dfb.reserve() as blk:
                ttl.copy((a if i == node_x else b)[i, 1], blk).wait()


@ttl.operation(grid=(2, 2))
def branches_choose_between_texts(a, b, y):
    dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    x, z = ttl.node(dims=2)

    def fetch(row, col):
        with dfb.reserve() as blk:
            ttl.copy(a[row, col], blk).wait()

    @ttl.datamovement()
    def read():
        side = "left" if False else None
        if x == 1:
            side = "left"
        else:
            side = "right"
        if z == 0:
            other = None
        else:
            other = "up"
        k = 0
        if side == "left":
            k = k + 1
        if side != "left":
            k = k + 2
        if other is None:
            k = k + 3
        if other is not None:
            if side == "right":
                k = k + 1
            elif side == "up":
                k = 7
        for i in range(2):
            if side == "right":
                fetch(k, i)
            else:
                fetch(i, k)


MOVES = {"left": (1, 0), "right": (0, 1), "up": (2, 2)}
ONLY_TOGETHER = {("left", "up"): 1, ("right", "down"): 2, "left": 5}


def _next(k):
    return k + 1


def _named_side(x):
    if x == 0:
        return "left"
    return "right"


def _further(side, k):
    if side in ("left", "up"):
        return k + 1
    return k + 2


@ttl.operation(grid=(2, 2))
def branches_choose_between_values_of_any_kind(a, b, y):
    dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    x, z = ttl.node(dims=2)

    def fetch(row, col):
        with dfb.reserve() as blk:
            ttl.copy(a[row, col], blk).wait()

    @ttl.datamovement()
    def read():
        if x == 0:
            side, other, step, part, where = "left", "up", _next, slice(0, 1), a
        else:
            side, other, step, part, where = "right", "down", lambda k: k + 3, slice(z + 1, z + 2), b
        if z == 1:
            turn = "up"
        elif x == 0:
            turn = "left"
        else:
            turn = "right"
        fetch(ONLY_TOGETHER[side, other], 0)
        if side == "left":
            fetch(ONLY_TOGETHER[side], 0)
        dx, dy = MOVES[turn]
        fetch(dx, dy)
        if turn in ("left", "up"):
            fetch(5, 5)
        if not turn == "up" and side != "left":
            fetch(6, 5)
        k = step(_further(turn, 0))
        fetch(k, MOVES[f"{turn}"][1])
        fetch(k, len(_named_side(x)))
        place = (x // 2, z) if z == 0 else (z, x + 2)
        fetch(place[0], place[-1])
        with dfb.reserve() as blk:
            ttl.copy(where[part, 7], blk).wait()
        source = where if z == 1 else a
        with dfb.reserve() as blk:
            ttl.copy(source[0, 7], blk).wait()
        if x == 0:
            rows = [1, 2]
        elif z == 0:
            rows = [3, 4, 5]
        else:
            rows = None
        if rows is not None:
            for row in rows:
                fetch(row, 6)
        fetch(7 if rows else 6, 6)

    @ttl.datamovement()
    def write():
        pass


@ttl.operation(grid=(2, 2))
def what_is_chosen_changes_in_loops(a, b, y):
    dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    x, z = ttl.node(dims=2)

    def fetch(row, col):
        with dfb.reserve() as blk:
            ttl.copy(a[row, col], blk).wait()

    @ttl.datamovement()
    def read():
        side = "left" if x == 0 else "right"
        for i in range(4):
            fetch(i, 0 if side == "left" else 1)
            side = "right"
        for i in range(4):
            if i == z + 1:
                last = "left"
            else:
                last = "right"
            fetch(i, 2 if last == "left" else 3)
        if x == 0:
            places = [1]
        else:
            places = [2, 3]
        if z < 3:
            places.append(4)
        for place in places:
            fetch(place, 4)


@ttl.operation(grid=(2, 2))
def blocks_are_compared_with_numbers_of_the_node(a, b, y):
    dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))
    x, z = ttl.node(dims=2)

    @ttl.compute()
    def compute():
        with dfb.wait() as blk, y_dfb.reserve() as y_blk:
            y_blk.store((blk > x) + (x <= blk) * 2 + (blk < z - 1) + (0.5 * z >= blk))
