"""A whole program: a convolution with the weights as numbers in the kernel, a launch per output channel.

The host makes the shifted images; the kernel goes through taps and input channels one tile at a time and adds up in a
buffer.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import torch
import ttl
import ttnn

sys.path.insert(0, str(Path(__file__).parent))

from launching import Program, main, opened, random, tiled


@ttl.operation(grid=(2, 2))
def channel(images: Any, out: Any, weights: list[float], bias: float) -> None:
    taps = len(weights)
    rows, cols = out.shape[1] // 32, out.shape[2] // 32
    y, x = ttl.node(dims=2)
    in_dfb = ttl.make_dataflow_buffer_like(images, shape=(1, 1, 1), block_count=2)
    acc_dfb = ttl.make_dataflow_buffer_like(images, shape=(1, 1, 1), block_count=2)
    out_dfb = ttl.make_dataflow_buffer_like(images, shape=(1, 1, 1), block_count=2)

    @ttl.datamovement()
    def read() -> None:
        for row in range(y, rows, 2):
            for col in range(x, cols, 2):
                for tap in range(taps):
                    blk = in_dfb.reserve()
                    ttl.copy(images[tap, row, col], blk)

    @ttl.compute()
    def compute() -> None:
        for _row in range(y, rows, 2):
            for _col in range(x, cols, 2):
                for tap in range(taps):
                    value = in_dfb.wait() * weights[tap]
                    if tap > 0:
                        value = acc_dfb.wait() + value
                    acc_dfb.reserve().store(value)
                out_dfb.reserve().store(ttl.math.relu(acc_dfb.wait() + bias))

    @ttl.datamovement()
    def write() -> None:
        for row in range(y, rows, 2):
            for col in range(x, cols, 2):
                ttl.copy(out_dfb.wait(), out[0, row, col])


def in_torch(image: torch.Tensor, weights: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    """The same, in the type of the operands."""
    return torch.nn.functional.conv2d(image[None], weights, bias, padding=1)[0].relu()


def prepare(size: int = 64, inputs: int = 2, outputs: int = 2) -> Program:
    """An image of (inputs, size, size) elements and 3x3 filters."""
    device = opened()
    image = random(inputs, size, size, seed=0).float()
    weights = random(outputs, inputs, 3, 3, seed=1, scale=0.3).float()
    bias = random(outputs, seed=2).float()
    padded = torch.nn.functional.pad(image, (1, 1, 1, 1))
    shifted = torch.stack(
        [padded[c, i : i + size, j : j + size] for c in range(inputs) for i in range(3) for j in range(3)]
    )
    images = tiled(shifted, device, ttnn.float32)
    flat = weights.reshape(outputs, -1).tolist()
    results = [tiled(torch.zeros(1, size, size), device, ttnn.float32) for _ in range(outputs)]

    def run() -> Any:
        for number, result in enumerate(results):
            channel(images, result, flat[number], bias[number].item())
        return ttnn.concat(results, dim=0)

    return Program(
        device=device,
        run=run,
        in_torch=lambda: in_torch(image.bfloat16(), weights.bfloat16(), bias.bfloat16()),
        expected=lambda: in_torch(image, weights, bias),
    )


if __name__ == "__main__":
    main(prepare)
