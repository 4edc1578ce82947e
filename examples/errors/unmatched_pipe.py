# error[TTL0918]: node (0, 0) waits for a block from a pipe that its source never sends
"""The source of a pipe sends only if it has an even number; the destination receives from all.

Right: build the net from the pipes that are used, or send on all of them.
"""

import torch
import ttl
import ttnn

device = ttnn.open_device(device_id=0)


@ttl.operation(grid=(4, 1))
def gather(x: ttnn.Tensor, y: ttnn.Tensor) -> None:
    node = ttl.node(dims=1)
    net = ttl.PipeNet([ttl.Pipe(src=(n, 0), dst=(0, 0)) for n in range(1, 4)])

    tile_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))

    @ttl.datamovement()
    def read():
        with tile_dfb.reserve() as tile_blk:

            def send(pipe):
                x_xf = ttl.copy(x[node, 0], tile_blk)
                x_xf.wait()
                if node % 2 == 0:
                    xf = ttl.copy(tile_blk, pipe)
                    xf.wait()

            def receive(pipe):
                xf = ttl.copy(pipe, tile_blk)
                xf.wait()
                y_xf = ttl.copy(tile_blk, y[pipe.src[0], 0])
                y_xf.wait()

            net.if_src(send)
            net.if_dst(receive)

    @ttl.datamovement()
    def write():
        with tile_dfb.wait() as tile_blk:
            y_xf = ttl.copy(tile_blk, y[node, 0])
            y_xf.wait()


x = ttnn.from_torch(torch.ones(128, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
y = ttnn.from_torch(torch.zeros(128, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
gather(x, y)
