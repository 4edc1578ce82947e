"""Row-major pixels, repeated; no arithmetic, a group of transfers; an integer type."""

import torch
import ttl
import ttnn

N, H, W, C = 1, 2, 3, 16
device = ttnn.open_device(device_id=0)


@ttl.operation(grid=(1, 1))
def upsample(images, output):
    io_dfb = ttl.make_dataflow_buffer_like(images, shape=(C,), block_count=2)

    @ttl.datamovement()
    def reader():
        for n in range(N):
            for h in range(H):
                for w in range(W):
                    with io_dfb.reserve() as io_blk:
                        xf = ttl.copy(images[n, h, w, :], io_blk)
                        xf.wait()

    @ttl.datamovement()
    def writer():
        for n in range(N):
            for h in range(H):
                for w in range(W):
                    with io_dfb.wait() as io_blk:
                        gxf = ttl.GroupTransfer()
                        for i in range(2):
                            for j in range(2):
                                gxf.add(ttl.copy(io_blk, output[n, 2 * h + i, 2 * w + j, :]))
                        gxf.wait_all()


data = torch.arange(N * H * W * C, dtype=torch.int32).reshape(N, H, W, C)
images = ttnn.from_torch(data, dtype=ttnn.int32, layout=ttnn.ROW_MAJOR_LAYOUT, device=device)
output = ttnn.zeros((N, 2 * H, 2 * W, C), dtype=ttnn.int32, layout=ttnn.ROW_MAJOR_LAYOUT, device=device)
upsample(images, output)
assert torch.equal(ttnn.to_torch(output), data.repeat_interleave(2, 1).repeat_interleave(2, 2))
