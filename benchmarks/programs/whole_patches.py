"""A whole program: a convolution as a product. Kernels gather patches row by row from a row-major image, then multiply.

Every pixel and every tap of the filter is a copy of its own: a table of (pixels, taps * channels) is filled.
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
def gather(image: Any, table: Any, size: int) -> None:
    channels = image.shape[1]
    node = ttl.node(dims=1)
    patch_dfb = ttl.make_dataflow_buffer_like(image, shape=(1, channels), block_count=4)

    @ttl.datamovement()
    def read() -> None:
        for row in range(node, size, 4):
            for col in range(size):
                for i in range(3):
                    for j in range(3):
                        pixel = (row + i) * (size + 2) + col + j
                        ttl.copy(image[pixel : pixel + 1, 0:channels], patch_dfb.reserve())

    @ttl.datamovement()
    def write() -> None:
        for row in range(node, size, 4):
            for col in range(size):
                for tap in range(9):
                    place = row * size + col
                    patch = patch_dfb.wait()
                    ttl.copy(patch, table[place : place + 1, tap * channels : (tap + 1) * channels])


@ttl.operation(grid=(2, 2))
def product(a: Any, b: Any, c: Any) -> None:
    rows, inner, cols = a.shape[0] // 32, a.shape[1] // 32, b.shape[1] // 32
    y, x = ttl.node(dims=2)
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=2)
    b_dfb = ttl.make_dataflow_buffer_like(b, shape=(1, 1), block_count=2)
    c_dfb = ttl.make_dataflow_buffer_like(c, shape=(1, 1), block_count=2)
    acc_dfb = ttl.make_dataflow_buffer_like(c, shape=(1, 1), block_count=2)

    @ttl.datamovement()
    def read() -> None:
        for row in range(y, rows, 2):
            for col in range(x, cols, 2):
                for k in range(inner):
                    a_blk, b_blk = a_dfb.reserve(), b_dfb.reserve()
                    ttl.copy(a[row, k], a_blk).wait()
                    ttl.copy(b[k, col], b_blk).wait()
                    a_blk.push()
                    b_blk.push()

    @ttl.compute()
    def compute() -> None:
        for _ in range(y, rows, 2):
            for _ in range(x, cols, 2):
                acc_dfb.reserve().store(a_dfb.wait() @ b_dfb.wait())
                for _ in range(inner - 1):
                    acc_dfb.reserve().store(acc_dfb.wait() + a_dfb.wait() @ b_dfb.wait())
                c_dfb.reserve().store(acc_dfb.wait())

    @ttl.datamovement()
    def write() -> None:
        for row in range(y, rows, 2):
            for col in range(x, cols, 2):
                ttl.copy(c_dfb.wait(), c[row, col]).wait()


def in_torch(image: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    """The same, in the type of the operands."""
    filters = weights.shape[0]
    return (
        torch.nn.functional.conv2d(image.movedim(-1, 1), weights, padding=1)
        .movedim(1, -1)
        .reshape(-1, filters)
    )


def prepare(batch: int = 1, size: int = 16, channels: int = 32, filters: int = 32) -> Program:
    """Images of (batch, size, size, channels) elements and 3x3 filters."""
    device = opened()
    image = random(batch, size, size, channels, seed=0)
    weights = random(filters, channels, 3, 3, seed=1, scale=0.1)
    padded = torch.nn.functional.pad(image, (0, 0, 1, 1, 1, 1)).reshape(batch, -1, channels)
    flat = tiled(weights.permute(2, 3, 1, 0).reshape(9 * channels, filters).contiguous(), device)
    images = [
        ttnn.from_torch(each, dtype=ttnn.bfloat16, layout=ttnn.ROW_MAJOR_LAYOUT, device=device)
        for each in padded
    ]
    empty = torch.zeros(size * size, 9 * channels).bfloat16()
    results = [tiled(torch.zeros(size * size, filters), device) for _ in range(batch)]

    def run() -> Any:
        for each, result in zip(images, results, strict=True):
            table = ttnn.from_torch(empty, dtype=ttnn.bfloat16, layout=ttnn.ROW_MAJOR_LAYOUT, device=device)
            gather(each, table, size)
            product(ttnn.to_layout(table, ttnn.TILE_LAYOUT), flat, result)
        return ttnn.concat(results, dim=0) if batch > 1 else results[0]

    return Program(
        device=device,
        run=run,
        in_torch=lambda: in_torch(image, weights),
        expected=lambda: in_torch(image.float(), weights.float()),
    )


if __name__ == "__main__":
    main(prepare)
