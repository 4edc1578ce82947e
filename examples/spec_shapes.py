"""Specification, "Dataflow buffer": the shape of the block that fits a whole tensor, tiled and row-major."""

import sys

import torch
import ttl  # noqa: F401  finds ttnn where the real one is not installed
import ttnn

device = ttnn.open_device(device_id=0)


def from_torch(tensor: torch.Tensor, layout: ttnn.Layout) -> ttnn.Tensor:
    return ttnn.from_torch(tensor, layout=layout, device=device)


def shape_in_tiles(tensor: ttnn.Tensor) -> list[int]:
    padded_shape = list(tensor.padded_shape)
    tile_shape = list(tensor.tile.tile_shape)
    return padded_shape[:-2] + [dim // tile_dim for dim, tile_dim in zip(padded_shape[-2:], tile_shape)]


def row_major_shape(tensor: ttnn.Tensor) -> list[int]:
    return list(tensor.padded_shape)


# torch shape, block in tiles, block in elements
CASES = [
    ((), [1, 1], [1]),
    ((128,), [1, 4], [128]),
    ((1, 128), [1, 4], [1, 128]),
    ((32, 128), [1, 4], [32, 128]),
    ((128, 1), [4, 1], [128, 1]),
    ((128, 32), [4, 1], [128, 32]),
    ((2, 128, 32), [2, 4, 1], [2, 128, 32]),
    ((2, 2, 128, 32), [2, 2, 4, 1], [2, 2, 128, 32]),
    ((2, 2, 120, 30), [2, 2, 4, 1], [2, 2, 120, 30]),
]

wrong = 0
for torch_shape, tiles, elements in CASES:
    found_tiles = shape_in_tiles(from_torch(torch.randn(torch_shape), ttnn.TILE_LAYOUT))
    found_elements = row_major_shape(from_torch(torch.randn(torch_shape), ttnn.ROW_MAJOR_LAYOUT))
    if (found_tiles, found_elements) != (tiles, elements):
        wrong += 1
        print(f"torch shape {torch_shape}: tiled {found_tiles}, row-major {found_elements}")

print(f"shapes: {len(CASES) - wrong} of {len(CASES)} as the specification says, {'WRONG' if wrong else 'ok'}")
ttnn.close_device(device)
sys.exit(1 if wrong else 0)
