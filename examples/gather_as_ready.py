"""A gather that works on whichever result arrives first: rows of a triangular matrix product, on unequal workers.

Worker w computes every third row of blocks of L @ x, and row r takes r + 1 products: nobody can say which of three results is
there first. The collecting node starts all receives and asks ``ttl.wait_any`` which one is complete; it writes that while
the others are under way. Where it begins to look moves on with each answer, so that no worker is always the last.
"""

import torch
import ttl
import ttnn

from checking import compare

WORKERS = 3
TURNS = 4  # rows of blocks for each worker
COL_TILES = 2  # of x

device = ttnn.open_device(device_id=0)


@ttl.operation(grid=(WORKERS + 1, 1))
def gather_as_ready(lower: ttnn.Tensor, x: ttnn.Tensor, y: ttnn.Tensor) -> None:
    """y = L @ x for a lower triangular L of TURNS * WORKERS rows of tiles."""
    worker, _ = ttl.node(dims=2)
    nets = [ttl.PipeNet([ttl.Pipe(src=(w, 0), dst=(WORKERS, 0))]) for w in range(WORKERS)]

    lower_dfb = ttl.make_dataflow_buffer_like(lower, shape=(1, 1))
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, COL_TILES))
    row_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, COL_TILES))
    arrived_dfbs = [ttl.make_dataflow_buffer_like(y, shape=(1, COL_TILES)) for _ in range(WORKERS)]

    @ttl.datamovement()
    def read():
        if worker < WORKERS:
            for turn in range(TURNS):
                row = turn * WORKERS + worker
                for k in range(row + 1):
                    with lower_dfb.reserve() as lower_blk, x_dfb.reserve() as x_blk:
                        lower_xf = ttl.copy(lower[row, k], lower_blk)
                        x_xf = ttl.copy(x[k, 0:COL_TILES], x_blk)
                        lower_xf.wait()
                        x_xf.wait()

    @ttl.compute()
    def multiply():
        if worker < WORKERS:
            for turn in range(TURNS):
                with row_dfb.reserve() as row_blk:
                    for _ in range(turn * WORKERS + worker + 1):
                        with lower_dfb.wait() as lower_blk, x_dfb.wait() as x_blk:
                            row_blk += lower_blk @ x_blk

    @ttl.datamovement()
    def move():
        def send(pipe):
            for _ in range(TURNS):
                with row_dfb.wait() as row_blk:
                    xf = ttl.copy(row_blk, pipe)
                    xf.wait()

        for net in nets:
            net.if_src(send)

        def write(turn, w):
            with arrived_dfbs[w].wait() as arrived_blk:
                xf = ttl.copy(arrived_blk, y[turn * WORKERS + w, 0:COL_TILES])
                xf.wait()

        def collect(*pipes):
            start = 0
            for turn in range(TURNS):
                blks = [dfb.reserve() for dfb in arrived_dfbs]
                receives = [ttl.copy(pipe, blk) for pipe, blk in zip(pipes, blks)]
                first = ttl.wait_any(tuple(receives), start=start).index()
                start = (first + 1) % WORKERS
                blks[first].push()
                write(turn, first)
                for other in range(WORKERS):
                    if other != first:
                        receives[other].wait()
                        blks[other].push()
                        write(turn, other)

        first_net, second_net, third_net = nets
        first_net.if_dst(
            lambda one: second_net.if_dst(
                lambda two: third_net.if_dst(lambda three: collect(one, two, three))
            )
        )


def to_device(tensor: torch.Tensor) -> ttnn.Tensor:
    return ttnn.from_torch(tensor, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)


torch.manual_seed(0)
rows = TURNS * WORKERS * 32
# Small whole numbers, of which bfloat16 rounds no sum.
lower = torch.tril(torch.randint(-1, 2, (rows, rows))).bfloat16()
x = torch.randint(-1, 2, (rows, COL_TILES * 32)).bfloat16()
y = to_device(torch.zeros(rows, COL_TILES * 32))
gather_as_ready(to_device(lower), to_device(x), y)

# Whoever is first: the result is the same.
compare("gather as ready", ttnn.to_torch(y), lower.float() @ x.float())
ttnn.close_device(device)
