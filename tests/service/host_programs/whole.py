"""Containers and objects that other statements change, names bound twice, closures, defaults, iterators."""

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


device = ttnn.open_device(device_id=0)
x = tensor((64, 64), device)
y = tensor((64, 64), device)
again = x
doubled(x, y)
shapes.append((128, 64))
shapes += [(32, 64)]
options["rows"].append(3)
for number, shape in enumerate(shapes):
    doubled(tensor(shape, device), tensor(shape, device), 1)
for rows in options["rows"]:
    doubled(tensor((rows * 32, 64), device), tensor((rows * 32, 64), device), rows)
base = Base(1)
base.run(x, y)
twice = Twice(1)
twice.run(tensor((128, 64), device), y)
twice.rows = 1
twice.run(x, y)
next_count = counting(1)
doubled(x, y, next_count(0))
first, *others = [tensor((32 * n, 64), device) for n in (1, 2, 4)]
doubled(first, first, collected(1)[0])
doubled(others[0], others[-1], len(collected(2)))
pairs = iter([(1, 2), (2, 1)])
left = next(pairs)
right = next(pairs)
doubled(x, y, right[1])
grow = shapes.append
grow((256, 64))
doubled(tensor(shapes[-1], device), y, len(shapes) - 3)
if unknown_library.flag():
    SCALE_OF = 1
    shapes.append((1, 1))
else:
    SCALE_OF = 2
doubled(x, y, SCALE_OF)
try:
    rows_wanted = int(sys.argv[1])
except IndexError:
    rows_wanted = 1
doubled(x, y, rows_wanted)
picked = max(options["rows"], key=lambda row: -row)
doubled(x, y, picked)
LIMIT = math.prod((1, 2)) - 1
doubled(x, y, LIMIT)
total = 0
for n in range(3):
    total += n
doubled(x, y, total - 2)
del total
device_two = device
ttnn.close_device(device)
