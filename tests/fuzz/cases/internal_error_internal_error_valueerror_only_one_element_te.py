# was: internal error: internal error: ValueError: only one element tensors can be converted to Python scalars
# is: TTL0506
import torch
import ttl
import ttnn

N, H, W, C = (1, 2, 3, 16)


@ttl.operation()
def upsample(images, output):

    @ttl.datamovement()
    def writer():
        for w in range(W):
            gxf = ttl.GroupTransfer()
            for j in range(2):
                gxf.add(ttl.copy(output[2 * w + (torch.zeros(2) + j),]))


data = torch.arange(N * H * W * C).reshape(H, W, C)
images = ttnn.from_torch(data)
output = ttnn.zeros(())
upsample(images, output)
