"""Layer normalization of rows: rows of a block, blocks of buffers, when the factors are read."""

import torch
import ttnn

import ttl

device = ttnn.open_device(device_id=0)


@ttl.tunable(
    rows=[1, 2, 4],
    x_count=[2, 1, 3, 4],
    y_count=[2, 1, 3],
    early=[False, True],
    along=["rows", "columns"],
    where=lambda x, rows: x.shape[0] // 32 % rows == 0,
)
@ttl.operation(grid=(8, 8))
def layernorm(x, gamma, beta, y, *, rows, x_count, y_count, early, along):
    columns = x.shape[1]
    col_tiles = columns // 32
    node_x, node_y = ttl.node(dims=2)
    first = node_x * 8 + node_y if along == "columns" else node_y * 8 + node_x
    own = range(first, x.shape[0] // 32 // rows, 64)
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(rows, col_tiles), block_count=x_count)
    gamma_dfb = ttl.make_dataflow_buffer_like(gamma, shape=(1, col_tiles), block_count=1)
    beta_dfb = ttl.make_dataflow_buffer_like(beta, shape=(1, col_tiles), block_count=1)
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(rows, col_tiles), block_count=y_count)

    @ttl.datamovement()
    def read():
        if early:
            with gamma_dfb.reserve() as gamma_blk, beta_dfb.reserve() as beta_blk:
                ttl.copy(gamma[0, :], gamma_blk).wait()
                ttl.copy(beta[0, :], beta_blk).wait()
        for block in own:
            with x_dfb.reserve() as x_blk:
                ttl.copy(x[block * rows : (block + 1) * rows, :], x_blk).wait()
            if not early and block == own.start:
                with gamma_dfb.reserve() as gamma_blk, beta_dfb.reserve() as beta_blk:
                    ttl.copy(gamma[0, :], gamma_blk).wait()
                    ttl.copy(beta[0, :], beta_blk).wait()

    @ttl.compute()
    def compute():
        column, whole = (rows, 1), (rows, col_tiles)
        if len(own) > 0:
            with gamma_dfb.wait() as gamma_blk, beta_dfb.wait() as beta_blk:
                gamma_rows = ttl.block.broadcast(gamma_blk, dims=[0], shape=whole)
                beta_rows = ttl.block.broadcast(beta_blk, dims=[0], shape=whole)
                for _ in own:
                    with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
                        mean = ttl.math.reduce_sum(x_blk, dims=[-1], shape=column) * (1 / columns)
                        centered = x_blk - ttl.block.broadcast(mean, dims=[-1], shape=whole)
                        squares = ttl.math.reduce_sum(ttl.math.square(centered), dims=[-1], shape=column)
                        scale = ttl.math.rsqrt(squares * (1 / columns) + 1e-5)
                        y_blk.store(
                            centered * ttl.block.broadcast(scale, dims=[-1], shape=whole) * gamma_rows
                            + beta_rows
                        )

    @ttl.datamovement()
    def write():
        for block in own:
            with y_dfb.wait() as y_blk:
                ttl.copy(y_blk, y[block * rows : (block + 1) * rows, :]).wait()


torch.manual_seed(0)


def tensor(*shape):
    return ttnn.from_torch(torch.randn(*shape), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)


x, gamma, beta, y = tensor(4096, 256), tensor(1, 256), tensor(1, 256), tensor(4096, 256)
layernorm(x, gamma, beta, y)
