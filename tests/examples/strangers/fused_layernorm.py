"""Layer norm of rows that eight nodes share: each node sums its part, the first gathers the sums and scatters the mean, twice."""

import torch
import ttl
import ttnn

COLUMNS, ROWS = 8, 2
WIDTH = COLUMNS * 32


@ttl.operation(grid=(COLUMNS, ROWS))
def layer_norm(x, y):
    gathers = [
        ttl.PipeNet([ttl.Pipe(src=(c, r), dst=(0, r)) for r in range(ROWS) for c in range(1, COLUMNS)])
        for _ in range(2)
    ]
    scatters = [
        ttl.PipeNet([ttl.Pipe(src=(0, r), dst=(slice(0, COLUMNS), r)) for r in range(ROWS)]) for _ in range(2)
    ]
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1), block_count=1)
    part_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1), block_count=2)
    got_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1), block_count=2)
    total_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1), block_count=2)
    mean_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1), block_count=2)
    centred_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1), block_count=1)
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1), block_count=2)
    column, row = ttl.node(dims=2)

    @ttl.datamovement()
    def exchange():
        with x_dfb.reserve() as blk:
            ttl.copy(x[row, column], blk).wait()
        for step in range(2):

            def send(pipe):
                with part_dfb.wait() as part:
                    ttl.copy(part, pipe).wait()

            def gather(pipe):
                with got_dfb.reserve() as got:
                    ttl.copy(pipe, got).wait()

            def scatter(pipe):
                with total_dfb.wait() as total:
                    ttl.copy(total, pipe).wait()

            def receive(pipe):
                with mean_dfb.reserve() as mean:
                    ttl.copy(pipe, mean).wait()

            gathers[step].if_src(send)
            gathers[step].if_dst(gather)
            scatters[step].if_src(scatter)
            scatters[step].if_dst(receive)

    @ttl.compute()
    def compute():
        def row_mean(values):
            part = ttl.math.reduce_sum(values, dims=[-1], shape=(1, 1)) * (1 / WIDTH)
            if column > 0:
                with part_dfb.reserve() as blk:
                    blk.store(part)
            else:
                total = part
                for _ in range(COLUMNS - 1):
                    with got_dfb.wait() as got:
                        total = total + got
                with total_dfb.reserve() as blk:
                    blk.store(total)

        with x_dfb.wait() as x_blk:
            row_mean(x_blk)
            with mean_dfb.wait() as mean, centred_dfb.reserve() as centred:
                centred.store(x_blk - ttl.block.broadcast(mean, dims=[-1], shape=(1, 1)))
        with centred_dfb.wait() as centred:
            row_mean(centred * centred)
            with mean_dfb.wait() as variance, y_dfb.reserve() as out:
                out.store(
                    centred * ttl.block.broadcast(ttl.math.rsqrt(variance + 1e-5), dims=[-1], shape=(1, 1))
                )

    @ttl.datamovement()
    def write():
        with y_dfb.wait() as out:
            ttl.copy(out, y[row, column]).wait()


torch.manual_seed(0)
values = torch.randn(ROWS * 32, WIDTH)
x = ttnn.from_torch(values, dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT)
y = ttnn.zeros((ROWS * 32, WIDTH), dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT)
layer_norm(x, y)
wanted = torch.nn.functional.layer_norm(values, (WIDTH,))
assert torch.allclose(ttnn.to_torch(y), wanted, atol=2e-2), (ttnn.to_torch(y) - wanted).abs().max()
print("fused layer norm ok")
