"""Forward pass of a transformer of several layers: operations of our own mixed with functions of TT-NN.

Of our own: layer normalization, attention, and bias with GELU. Of TT-NN: the products with weights, the heads apart
and together again, the residual sums. torch does all of it in eager bfloat16, the attention unfused.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import ttl
import ttnn

sys.path.insert(0, str(Path(__file__).parent))  # not every package runs a file with its folder on the path

import flash_attention
import layernorm
from launching import Program, main, opened, random, tiled


def bias_gelu(grid: tuple[int, int], block: tuple[int, int]) -> Any:
    """An operation, ``y = gelu(x + bias)``, in blocks of so many tiles."""
    row_tiles, col_tiles = block

    @ttl.operation(grid=grid)
    def bias_and_gelu(x: Any, bias: Any, y: Any) -> None:
        row_blocks = x.shape[0] // 32 // row_tiles
        col_blocks = x.shape[1] // 32 // col_tiles
        own_blocks = range(ttl.node(dims=1), row_blocks * col_blocks, ttl.grid_size(dims=1))

        x_dfb = ttl.make_dataflow_buffer_like(x, shape=(row_tiles, col_tiles), block_count=2)
        bias_dfb = ttl.make_dataflow_buffer_like(bias, shape=(1, col_tiles), block_count=2)
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=(row_tiles, col_tiles), block_count=2)

        @ttl.datamovement()
        def read() -> None:
            for item in own_blocks:
                row = item // col_blocks
                col = item % col_blocks
                rows = slice(row * row_tiles, (row + 1) * row_tiles)
                cols = slice(col * col_tiles, (col + 1) * col_tiles)
                with x_dfb.reserve() as x_blk, bias_dfb.reserve() as bias_blk:
                    x_xf = ttl.copy(x[rows, cols], x_blk)
                    bias_xf = ttl.copy(bias[0:1, cols], bias_blk)
                    x_xf.wait()
                    bias_xf.wait()

        @ttl.compute()
        def compute() -> None:
            for _ in own_blocks:
                with x_dfb.wait() as x_blk, bias_dfb.wait() as bias_blk, y_dfb.reserve() as y_blk:
                    rows = ttl.block.broadcast(bias_blk, dims=[0], shape=(row_tiles, col_tiles))
                    y_blk.store(ttl.math.gelu(x_blk + rows))

        @ttl.datamovement()
        def write() -> None:
            for item in own_blocks:
                row = item // col_blocks
                col = item % col_blocks
                rows = slice(row * row_tiles, (row + 1) * row_tiles)
                cols = slice(col * col_tiles, (col + 1) * col_tiles)
                with y_dfb.wait() as y_blk:
                    y_xf = ttl.copy(y_blk, y[rows, cols])
                    y_xf.wait()

    return bias_and_gelu


@dataclass(frozen=True, kw_only=True)
class Sizes:
    """Of the network, in elements."""

    layers: int
    sequence: int
    width: int
    heads: int
    hidden: int


def weights(sizes: Sizes) -> list[dict[str, torch.Tensor]]:
    """Of every layer, scaled so that values keep their size."""
    width, hidden = sizes.width, sizes.hidden
    shapes = {
        "query": (width, width),
        "key": (width, width),
        "value": (width, width),
        "out": (width, width),
        "up": (width, hidden),
        "down": (hidden, width),
    }
    rows = {"gamma_1": width, "beta_1": width, "gamma_2": width, "beta_2": width, "bias": hidden}
    layers = []
    for number in range(sizes.layers):
        seed = 100 * number
        layer = {}
        for name, shape in shapes.items():
            seed += 1
            layer[name] = random(*shape, seed=seed, scale=shape[0] ** -0.5)
        for name, extent in rows.items():
            seed += 1
            layer[name] = random(1, extent, seed=seed, scale=0.5)
        layers.append(layer)
    return layers


def forward_in_torch(x: torch.Tensor, layers: list[dict[str, torch.Tensor]], heads: int) -> torch.Tensor:
    """In the type of the operands."""
    for layer in layers:
        z = layernorm.in_torch(x, layer["gamma_1"], layer["beta_1"])
        q, k, v = (
            (z @ layer[name]).reshape(x.shape[0], heads, -1).permute(1, 0, 2)
            for name in ("query", "key", "value")
        )
        o = flash_attention.in_torch(q, k, v).permute(1, 0, 2).reshape(x.shape)
        x = x + o @ layer["out"]
        z = layernorm.in_torch(x, layer["gamma_2"], layer["beta_2"])
        x = x + torch.nn.functional.gelu(z @ layer["up"] + layer["bias"]) @ layer["down"]
    return x


class Network:
    """The forward pass of ``ttl`` and ``ttnn``."""

    def __init__(
        self, sizes: Sizes, layers: list[dict[str, torch.Tensor]], grid: tuple[int, int], device: Any
    ):
        self.sizes = sizes
        self.device = device
        self.layers = [{name: tiled(each, device) for name, each in layer.items()} for layer in layers]
        tiles = min(4, sizes.sequence // 32)
        self.layer_norm = layernorm.operation(grid)
        self.attention = flash_attention.operation(grid, tiles, tiles)
        self.bias_gelu = bias_gelu(grid, (tiles, min(4, sizes.hidden // 32)))

    def __call__(self, x: Any) -> Any:
        for layer in self.layers:
            z = self.normalized(x, layer["gamma_1"], layer["beta_1"])
            q, k, v = (self.heads_of(ttnn.matmul(z, layer[name])) for name in ("query", "key", "value"))
            o = self.empty(q.shape)
            self.attention(q, k, v, o)
            together = ttnn.reshape(ttnn.permute(o, (1, 0, 2)), (self.sizes.sequence, self.sizes.width))
            x = ttnn.add(x, ttnn.matmul(together, layer["out"]))
            z = self.normalized(x, layer["gamma_2"], layer["beta_2"])
            up = ttnn.matmul(z, layer["up"])
            hidden = self.empty(up.shape)
            self.bias_gelu(up, layer["bias"], hidden)
            x = ttnn.add(x, ttnn.matmul(hidden, layer["down"]))
        return x

    def normalized(self, x: Any, gamma: Any, beta: Any) -> Any:
        y = self.empty(x.shape)
        self.layer_norm(x, gamma, beta, y)
        return y

    def heads_of(self, x: Any) -> Any:
        sizes = self.sizes
        apart = ttnn.reshape(x, (sizes.sequence, sizes.heads, sizes.width // sizes.heads))
        return ttnn.permute(apart, (1, 0, 2))

    def empty(self, shape: Any) -> Any:
        return ttnn.zeros(tuple(shape), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=self.device)


def prepare(
    layers: int = 1,
    sequence: int = 64,
    width: int = 64,
    heads: int = 2,
    hidden: int = 128,
    grid: tuple[int, int] = (2, 2),
) -> Program:
    """``sequence`` vectors of ``width`` elements."""
    sizes = Sizes(layers=layers, sequence=sequence, width=width, heads=heads, hidden=hidden)
    device = opened()
    parameters = weights(sizes)
    x = random(sequence, width, seed=0)
    network = Network(sizes, parameters, grid, device)
    x_tiled = tiled(x, device)

    def expected() -> torch.Tensor:
        exact = [{name: each.float() for name, each in layer.items()} for layer in parameters]
        return forward_in_torch(x.float(), exact, heads)

    return Program(
        device=device,
        run=lambda: network(x_tiled),
        in_torch=lambda: forward_in_torch(x, parameters, heads),
        expected=expected,
    )


if __name__ == "__main__":
    main(prepare)
