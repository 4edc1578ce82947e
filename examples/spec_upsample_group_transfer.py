"""Specification, "Group transfer": nearest neighbor upsampling of images in row-major layout.

A pixel is read once and written to every output pixel it covers; one wait serves for all these writes. No
arithmetic, so there is no compute kernel: a pixel goes from one data movement kernel to the other.

    Tensor              Torch shape
    input_images        N, HI, WI, C
    output_images       N, HO, WO, C
"""

import torch
import ttl
import ttnn

from checking import compare

N, HI, WI, C = 2, 6, 8, 48
H_SCALE_FACTOR, W_SCALE_FACTOR = 2, 3

device = ttnn.open_device(device_id=0)


@ttl.operation(grid=(1, 1))
def upsample(input_images: ttnn.Tensor, output_images: ttnn.Tensor) -> None:
    io_dfb = ttl.make_dataflow_buffer_like(input_images, shape=(C,), block_count=2)

    @ttl.datamovement()
    def reader():
        for n in range(N):
            for hi in range(HI):
                for wi in range(WI):
                    with io_dfb.reserve() as io_blk:
                        # Load input pixel channels

                        xf = ttl.copy(input_images[n, hi, wi, :], io_blk)

                        xf.wait()

    @ttl.datamovement()
    def writer():
        for n in range(N):
            for hi in range(HI):
                for wi in range(WI):
                    with io_dfb.wait() as io_blk:
                        gxf = ttl.GroupTransfer()

                        for h_scale_index in range(H_SCALE_FACTOR):
                            for w_scale_index in range(W_SCALE_FACTOR):
                                # Copy output pixel channels

                                xf = ttl.copy(
                                    io_blk,
                                    output_images[
                                        n,
                                        hi * H_SCALE_FACTOR + h_scale_index,
                                        wi * W_SCALE_FACTOR + w_scale_index,
                                        :,
                                    ],
                                )

                                # Add transfer handle to a group

                                gxf.add(xf)

                        # Wait for all transfers to complete

                        gxf.wait_all()


def to_device(tensor: torch.Tensor) -> ttnn.Tensor:
    return ttnn.from_torch(tensor, dtype=ttnn.bfloat16, layout=ttnn.ROW_MAJOR_LAYOUT, device=device)


torch.manual_seed(0)
images = torch.randn(N, HI, WI, C).bfloat16()
output_images = to_device(torch.zeros(N, HI * H_SCALE_FACTOR, WI * W_SCALE_FACTOR, C))
upsample(to_device(images), output_images)

# Data only moves: nothing may differ.
expected = images.repeat_interleave(H_SCALE_FACTOR, dim=1).repeat_interleave(W_SCALE_FACTOR, dim=2)
compare("upsample", ttnn.to_torch(output_images), expected)
ttnn.close_device(device)
