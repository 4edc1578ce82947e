"""One node reads a tile and multicasts it to its row, another node's column is a unicast back."""

import torch
import ttl
import ttnn

GRID = (3, 1)
device = ttnn.open_device(device_id=0)


@ttl.operation(grid=GRID)
def spread(a, y):
    grid_x, _ = ttl.grid_size(dims=2)
    node_x, node_y = ttl.node(dims=2)
    out_net = ttl.PipeNet([ttl.Pipe(src=(0, 0), dst=(slice(1, grid_x), 0))])
    back_net = ttl.PipeNet([ttl.Pipe(src=(x, 0), dst=(0, 0)) for x in range(1, grid_x)])
    dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    back_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=grid_x)

    @ttl.datamovement()
    def read():
        with dfb.reserve() as blk:

            def send(pipe):
                xf = ttl.copy(a[0, 0], blk)
                xf.wait()
                sent_xf = ttl.copy(blk, pipe)
                sent_xf.wait()

            def receive(pipe):
                xf = ttl.copy(pipe, blk)
                xf.wait()

            out_net.if_src(send)
            out_net.if_dst(receive)
        if back_net.is_dst():

            def collect(pipe):
                with back_dfb.reserve() as back_blk:
                    ttl.copy(pipe, back_blk).wait()

            back_net.if_dst(collect)

    @ttl.datamovement()
    def write():
        with dfb.wait() as blk:
            xf = ttl.copy(blk, y[0, node_x])
            xf.wait()
            if back_net.is_src():
                back_net.if_src(lambda pipe: ttl.copy(blk, pipe).wait())
        if back_net.is_active() and node_x == 0:
            for x in range(1, grid_x):
                with back_dfb.wait() as back_blk:
                    ttl.copy(back_blk, y[1, x]).wait()


data = torch.arange(1024.0).reshape(32, 32)
a = ttnn.from_torch(data, dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT, device=device)
y = ttnn.zeros((64, 96), dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT, device=device)
spread(a, y)
got = ttnn.to_torch(y)
assert torch.equal(got[:32], data.repeat(1, 3)) and torch.equal(got[32:, 32:], data.repeat(1, 2))
