"""Three columns beside each other, added: slices of rows that begin anywhere, in both element sizes."""

import torch
import ttl
import ttnn

N, W = 16, 64


@ttl.operation(grid=(2, 2))
def blur(x, y):
    dfbs = [ttl.make_dataflow_buffer_like(x, shape=(N // 2, W // 2), block_count=2) for _ in range(3)]
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(N // 2, W // 2), block_count=2)
    c, r = ttl.node(dims=2)

    @ttl.datamovement()
    def read():
        for k in range(3):
            with dfbs[k].reserve() as blk:
                ttl.copy(
                    x[r * (N // 2) : (r + 1) * (N // 2), c * (W // 2) + k : c * (W // 2) + k + W // 2], blk
                ).wait()

    @ttl.compute()
    def compute():
        with dfbs[0].wait() as a, dfbs[1].wait() as b, dfbs[2].wait() as d, y_dfb.reserve() as o:
            o.store(a + 2 * b + d)

    @ttl.datamovement()
    def write():
        with y_dfb.wait() as o:
            ttl.copy(o, y[r * (N // 2) : (r + 1) * (N // 2), c * (W // 2) : (c + 1) * (W // 2)]).wait()


torch.manual_seed(0)
values = torch.randint(0, 9, (N, W + 2)).float()
wanted = values[:, :-2] + 2 * values[:, 1:-1] + values[:, 2:]
for dtype in (ttnn.float32, ttnn.bfloat16):
    x = ttnn.from_torch(values, dtype=dtype, layout=ttnn.ROW_MAJOR_LAYOUT)
    y = ttnn.zeros((N, W), dtype=dtype, layout=ttnn.ROW_MAJOR_LAYOUT)
    blur(x, y)
    assert torch.equal(ttnn.to_torch(y).float(), wanted)
print("stencil ok")
