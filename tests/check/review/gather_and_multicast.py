"""Pipes both ways: tiles to one node, their mean back to all."""

import torch
import ttl
import ttnn

device = ttnn.open_device(device_id=0)


def dev(t, layout=ttnn.TILE_LAYOUT, dtype=ttnn.bfloat16):
    return ttnn.from_torch(t, dtype=dtype, layout=layout, device=device)


@ttl.operation(grid=(3, 1))
def mean_everywhere(x: ttnn.Tensor, y: ttnn.Tensor) -> None:
    """Tiles go to node 0, which averages; the mean comes back by multicast."""
    (col, _) = ttl.node(dims=2)
    width, _ = ttl.grid_size(dims=2)
    up = ttl.PipeNet([ttl.Pipe(src=(i, 0), dst=(0, 0)) for i in range(1, width)])
    down = ttl.PipeNet([ttl.Pipe(src=(0, 0), dst=(slice(1, width), 0))])
    own = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
    gathered = ttl.make_dataflow_buffer_like(x, shape=(1, 1), block_count=2)
    mean = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
    back = ttl.make_dataflow_buffer_like(x, shape=(1, 1))

    @ttl.datamovement()
    def move():
        if col == 0:
            with gathered.reserve() as blk:
                ttl.copy(x[0, 0], blk).wait()
        else:
            with own.reserve() as blk:
                ttl.copy(x[0, col], blk).wait()
            with own.wait() as blk:

                def send(pipe):
                    ttl.copy(blk, pipe).wait()

                up.if_src(send)

        def receive(pipe):
            with gathered.reserve() as blk:
                ttl.copy(pipe, blk).wait()

        up.if_dst(receive)

    @ttl.compute()
    def compute():
        if col == 0:
            total = ttl.block.fill(0, shape=(1, 1))
            for _ in range(width):
                with gathered.wait() as blk:
                    total = total + blk
            with mean.reserve() as out:
                out.store(total * (1 / width))

    @ttl.datamovement()
    def spread():
        if col == 0:
            with mean.wait() as blk:

                def send(pipe):
                    ttl.copy(blk, pipe).wait()

                down.if_src(send)
                ttl.copy(blk, y[0, 0]).wait()
        else:
            with back.reserve() as blk:
                down.if_dst(lambda pipe: ttl.copy(pipe, blk).wait())
            with back.wait() as blk:
                ttl.copy(blk, y[0, col]).wait()


x = torch.arange(3).repeat_interleave(32).repeat(32, 1).float()
y = dev(torch.zeros(32, 96))
mean_everywhere(dev(x), y)
assert ttnn.to_torch(y).eq(1).all()
