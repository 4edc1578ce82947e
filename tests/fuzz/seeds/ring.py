"""Every node adds up the tiles of all by passing them round a ring of unicast pipes."""

import torch
import ttl
import ttnn

NODES = 3
device = ttnn.open_device(device_id=0)
net = ttl.PipeNet([ttl.Pipe(src=(0, n), dst=(0, (n + 1) % NODES)) for n in range(NODES)])


@ttl.operation(grid=(1, NODES))
def ring(a, y):
    _, me = ttl.node()
    mine_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=1)
    passed_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=NODES)
    sum_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

    @ttl.datamovement()
    def move():
        mine_blk = mine_dfb.reserve()
        mine_xf = ttl.copy(a[0, me], mine_blk)
        mine_xf.wait()
        current = mine_blk
        for _ in range(NODES - 1):
            next_blk = passed_dfb.reserve()

            def send(pipe):
                sent_xf = ttl.copy(current, pipe)
                sent_xf.wait()

            def receive(pipe):
                received_xf = ttl.copy(pipe, next_blk)
                received_xf.wait()

            net.if_src(send)
            net.if_dst(receive)
            current.push()
            current = next_blk
        current.push()

    @ttl.compute()
    def compute():
        with sum_dfb.reserve() as sum_blk:
            with mine_dfb.wait() as own_blk:
                total = own_blk + 0
            for _ in range(NODES - 1):
                with passed_dfb.wait() as other_blk:
                    total = total + other_blk
            sum_blk.store(total)

    @ttl.datamovement()
    def write():
        with sum_dfb.wait() as sum_out:
            y_xf = ttl.copy(sum_out, y[0, me])
            y_xf.wait()


data = torch.arange(32 * 32 * NODES).reshape(32, 32 * NODES).float()
a = ttnn.from_torch(data, dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT, device=device)
y = ttnn.zeros_like(a)
ring(a, y)
assert torch.equal(ttnn.to_torch(y), sum(data.split(32, dim=1)).repeat(1, NODES))
