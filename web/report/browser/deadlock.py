"""A sum over four nodes that deadlocks: node (1, 0) sends one block less than the others. For a picture of the guide, and tests."""

import ttnn

import ttl


@ttl.operation(grid=(4, 1))
def gather(a: ttnn.Tensor, y: ttnn.Tensor):
    net = ttl.PipeNet([ttl.Pipe(src=(x, 0), dst=(0, 0)) for x in range(1, 4)])
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=2)
    sum_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=2)
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1), block_count=2)

    @ttl.compute()
    def add():
        x, _ = ttl.node(dims=2)
        if x == 0:
            for _ in range(2):
                with y_dfb.reserve() as y_blk:
                    total = ttl.block.fill(0, shape=(1, 1))
                    for _ in range(3):
                        with sum_dfb.wait() as sum_blk:
                            total += sum_blk
                    y_blk.store(total)

    @ttl.datamovement()
    def read():
        x, _ = ttl.node(dims=2)
        for turn in range(2 if x != 1 else 1):
            if x != 0:
                with a_dfb.reserve() as a_blk:
                    ttl.copy(a[turn, x], a_blk).wait()

            def receive(pipe):
                with sum_dfb.reserve() as sum_blk:
                    ttl.copy(pipe, sum_blk).wait()

            net.if_dst(receive)

    @ttl.datamovement()
    def send_and_write():
        x, _ = ttl.node(dims=2)
        for turn in range(2 if x != 1 else 1):
            if x == 0:
                with y_dfb.wait() as y_blk:
                    ttl.copy(y_blk, y[turn, 0]).wait()
            else:
                with a_dfb.wait() as a_blk:

                    def send(pipe):
                        ttl.copy(a_blk, pipe).wait()

                    net.if_src(send)


device = ttnn.open_device(device_id=0)
a = ttnn.ones((64, 128), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
y = ttnn.zeros((64, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
gather(a, y)
