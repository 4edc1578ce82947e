"""A node reads what another wrote to memory, when a semaphore says so."""

import torch
import ttl
import ttnn

device = ttnn.open_device(device_id=0)


def dev(t, layout=ttnn.TILE_LAYOUT, dtype=ttnn.bfloat16):
    return ttnn.from_torch(t, dtype=dtype, layout=layout, device=device)


@ttl.operation(grid=(2, 1))
def through_memory(x: ttnn.Tensor, scratch: ttnn.Tensor, y: ttnn.Tensor) -> None:
    """Node 0 doubles into scratch memory; node 1 reads it when told, and adds one."""
    col, _ = ttl.node(dims=2)
    ready = ttl.Semaphore()
    tell = ready.get_remote((1, 0))
    src = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
    dst = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
    count = x.shape[0] // 32

    @ttl.datamovement()
    def read():
        for i in range(count):
            if col == 1:
                ready.wait_ge(i + 1)
            with src.reserve() as blk:
                if col == 0:
                    ttl.copy(x[i, 0], blk).wait()
                else:
                    ttl.copy(scratch[i, 0], blk).wait()

    @ttl.compute()
    def compute():
        for _ in range(count):
            with src.wait() as a, dst.reserve() as b:
                b.store(a * 2 if col == 0 else a + 1)

    @ttl.datamovement()
    def write():
        target = scratch if col == 0 else y
        for i in range(count):
            with dst.wait() as blk:
                ttl.copy(blk, target[i, 0]).wait()
            if col == 0:
                tell.inc(1)


x = torch.ones(128, 32)
y = dev(torch.zeros(128, 32))
through_memory(dev(x), dev(torch.zeros(128, 32)), y)
assert ttnn.to_torch(y).eq(3).all()
