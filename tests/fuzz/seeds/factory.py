"""Kernels from a factory, buffers in lists and dicts, closures, prints, signposts, several statements per line."""

import torch
import ttl
import ttnn

device = ttnn.open_device(device_id=0)
seen = []


def mover(dfb, tensor, count, outward):
    def move():
        for index in range(count):
            with dfb.wait() if outward else dfb.reserve() as blk:
                part = tensor[index, 0:2]
                xf = ttl.copy(blk, part) if outward else ttl.copy(part, blk)
                xf.wait()

    move.__name__ = "outward" if outward else "inward"
    return ttl.datamovement()(move)


@ttl.operation(grid=(1, 1))
def op(a, y):
    dfbs = [ttl.make_dataflow_buffer_like(t, shape=(1, 2)) for t in (a, y)]
    scale = {"factor": 3.0}
    seen.append(ttl.node(dims=1))
    read = mover(dfbs[0], a, 2, False)

    @ttl.compute()
    def compute():
        def scaled(blk):
            return ttl.math.tanh(blk) * scale["factor"] / 2 + (-blk) ** 2

        for index in range(2):
            with dfbs[0].wait() as a_blk, dfbs[1].reserve() as y_blk:
                with ttl.signpost("scale"):
                    y_blk.store(scaled(a_blk))
                if index == 0:
                    print("block", a_blk.shape, a_blk.dtype, f"{index:02d}")
                    print(a_blk)
                    print(dfbs[0])

    write = mover(dfbs[1], y, 2, True)


data = torch.linspace(-1, 1, 64 * 64).reshape(64, 64)
a = ttnn.from_torch(data, dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT, device=device)
y = ttnn.empty_like(a)
op(a, y)
op(a, y)
assert torch.allclose(ttnn.to_torch(y), torch.tanh(data) * 1.5 + data**2, atol=1e-5)
