"""Every node of a column sends to the whole column, itself included (specification, "Pipe net")."""

import torch
import ttl
import ttnn

device = ttnn.open_device(device_id=0)


@ttl.operation(grid=(2, 2))
def scatter_gather(a, y):
    columns, rows = ttl.grid_size(dims=2)
    x, row = ttl.node(dims=2)
    net = ttl.PipeNet(
        [ttl.Pipe(src=(c, r), dst=(c, slice(0, rows))) for c in range(columns) for r in range(rows)]
    )
    dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=1)

    @ttl.datamovement()
    def move():
        with dfb.reserve() as blk:

            def send(pipe):
                read_xf = ttl.copy(a[row, x], blk)
                read_xf.wait()
                sent_xf = ttl.copy(blk, pipe)
                sent_xf.wait()

            def receive(pipe):
                received_xf = ttl.copy(pipe, blk)
                received_xf.wait()
                written_xf = ttl.copy(blk, y[row, x * rows + pipe.src[1]])
                written_xf.wait()

            net.if_src(send)
            net.if_dst(receive)


data = torch.arange(64 * 64).reshape(64, 64).float()
a = ttnn.from_torch(data, dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT, device=device)
y = ttnn.zeros((64, 128), dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT, device=device)
scatter_gather(a, y)
assert torch.equal(ttnn.to_torch(y)[32:, 32:64], data[32:, :32])
