"""What models compute of rows, a row of tiles in a block: normalisation, losses, activations, the choice of a token.

Argmax and top-k are no operations of the language: they are written with comparisons and maxima, as a kernel would be.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import ttl

sys.path.insert(0, str(Path(__file__).parent))  # not every package runs a file with its folder on the path

from launching import Program, launched, main, opened, random

EPSILON, MOST = 1e-5, 8


def operation(grid: tuple[int, int], of_row: Callable[..., Any], kind: str) -> Any:
    """The operation, ``y = of_row(x)`` or ``of_row(x, other)``; node n takes every so many rows of tiles, from n on.

    ``kind`` says what the other operand is: "none", "a row" for all of them, or "rows" of its own for each.
    """

    @ttl.operation(grid=grid)
    def alone(x: Any, y: Any) -> None:
        own_rows = range(ttl.node(dims=1), x.shape[0] // 32, ttl.grid_size(dims=1))
        x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, x.shape[1] // 32), block_count=2)
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, -(-y.shape[1] // 32)), block_count=2)

        @ttl.datamovement()
        def read() -> None:
            for row in own_rows:
                with x_dfb.reserve() as x_blk:
                    ttl.copy(x[row, :], x_blk).wait()

        @ttl.compute()
        def compute() -> None:
            for _ in own_rows:
                with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
                    y_blk.store(of_row(x_blk))

        @ttl.datamovement()
        def write() -> None:
            for row in own_rows:
                with y_dfb.wait() as y_blk:
                    ttl.copy(y_blk, y[row, :]).wait()

    @ttl.operation(grid=grid)
    def with_row(x: Any, weight: Any, y: Any) -> None:
        own_rows = range(ttl.node(dims=1), x.shape[0] // 32, ttl.grid_size(dims=1))
        x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, x.shape[1] // 32), block_count=2)
        weight_dfb = ttl.make_dataflow_buffer_like(weight, shape=(1, x.shape[1] // 32), block_count=1)
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, -(-y.shape[1] // 32)), block_count=2)

        @ttl.datamovement()
        def read() -> None:
            if len(own_rows) > 0:
                with weight_dfb.reserve() as weight_blk:
                    ttl.copy(weight[0, :], weight_blk).wait()
            for row in own_rows:
                with x_dfb.reserve() as x_blk:
                    ttl.copy(x[row, :], x_blk).wait()

        @ttl.compute()
        def compute() -> None:
            if len(own_rows) > 0:
                with weight_dfb.wait() as weight_blk:
                    weights = ttl.block.broadcast(weight_blk, dims=[0], shape=(1, x.shape[1] // 32))
                    for _ in own_rows:
                        with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
                            y_blk.store(of_row(x_blk, weights))

        @ttl.datamovement()
        def write() -> None:
            for row in own_rows:
                with y_dfb.wait() as y_blk:
                    ttl.copy(y_blk, y[row, :]).wait()

    @ttl.operation(grid=grid)
    def with_rows(x: Any, other: Any, y: Any) -> None:
        own_rows = range(ttl.node(dims=1), x.shape[0] // 32, ttl.grid_size(dims=1))
        x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, x.shape[1] // 32), block_count=2)
        other_dfb = ttl.make_dataflow_buffer_like(other, shape=(1, x.shape[1] // 32), block_count=2)
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, -(-y.shape[1] // 32)), block_count=2)

        @ttl.datamovement()
        def read() -> None:
            for row in own_rows:
                with x_dfb.reserve() as x_blk, other_dfb.reserve() as other_blk:
                    x_xf, other_xf = ttl.copy(x[row, :], x_blk), ttl.copy(other[row, :], other_blk)
                    x_xf.wait()
                    other_xf.wait()

        @ttl.compute()
        def compute() -> None:
            for _ in own_rows:
                with x_dfb.wait() as x_blk, other_dfb.wait() as other_blk, y_dfb.reserve() as y_blk:
                    y_blk.store(of_row(x_blk, other_blk))

        @ttl.datamovement()
        def write() -> None:
            for row in own_rows:
                with y_dfb.wait() as y_blk:
                    ttl.copy(y_blk, y[row, :]).wait()

    return {"none": alone, "a row": with_row, "rows": with_rows}[kind]


def _wide(column: Any, like: Any) -> Any:
    return ttl.block.broadcast(column, dims=[-1], shape=like.shape)


def _most(block: Any) -> Any:
    return ttl.math.reduce_max(block, dims=[-1], shape=(1, 1))


def _sum(block: Any) -> Any:
    return ttl.math.reduce_sum(block, dims=[-1], shape=(1, 1))


def rms_norm(x: Any, gamma: Any) -> Any:
    """``x / sqrt(mean(x²) + EPSILON) * gamma``."""
    columns = x.shape[1] * 32
    return x * _wide(ttl.math.rsqrt(_sum(ttl.math.square(x)) * (1 / columns) + EPSILON), x) * gamma


def masked_softmax(x: Any, mask: Any) -> Any:
    """``softmax(x + mask)``."""
    masked = x + mask
    powers = ttl.math.exp(masked - _wide(_most(masked), x))
    return powers * _wide(ttl.math.recip(_sum(powers)), x)


def cross_entropy(x: Any, chosen: Any) -> Any:
    """``log(sum(exp(x))) - x[target]`` of each row; ``chosen`` is 1 at the target, else 0."""
    largest = _most(x)
    return ttl.math.log(_sum(ttl.math.exp(x - _wide(largest, x)))) + largest - _sum(x * chosen)


def argmax(x: Any, places: Any) -> Any:
    """Where the first of the largest is; ``places`` are 256, 255, ... down to 1."""
    return 256 - _most(ttl.math.eq(x, _wide(_most(x), x)) * places)


def top_k(x: Any) -> Any:
    """The MOST largest of each row, which are different, and zeros."""
    rest = x
    for _ in range(MOST - 1):
        rest = rest - 1000 * ttl.math.ge(rest, _wide(_most(rest), x))
    return x * ttl.math.ge(x, _wide(_most(rest), x))


def _loss(x: torch.Tensor, chosen: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.cross_entropy(x, chosen.argmax(-1), reduction="none")[:, None]


def _largest_of(x: torch.Tensor) -> torch.Tensor:
    return torch.where(x >= x.topk(MOST).values[:, -1:], x, 0)


def _different(rows: int, cols: int) -> torch.Tensor:
    """Rows of different numbers from 1 on, shuffled."""
    numbers = torch.arange(0x3F80, 0x3F80 + cols, dtype=torch.int32).to(torch.int16).view(torch.bfloat16)
    return numbers[torch.rand(rows, cols, generator=torch.Generator().manual_seed(0)).argsort(-1)]


def prepare(kind: str = "gelu", rows: int = 128, cols: int = 256, grid: tuple[int, int] = (2, 2)) -> Program:
    """A tensor of ``rows`` x ``cols`` elements."""
    x = random(rows, cols, seed=0)
    lower = torch.ones(rows, cols).tril(cols - rows).log().clamp(min=-1e4).bfloat16()
    targets = torch.randint(0, cols, (rows,), generator=torch.Generator().manual_seed(1))
    chosen = torch.nn.functional.one_hot(targets, cols).bfloat16()
    places = torch.arange(256, 256 - cols, -1)[None].bfloat16()
    function, others, (inputs, columns, in_torch) = {
        "gelu": (ttl.math.gelu, "none", ((x,), cols, torch.nn.functional.gelu)),
        "rms_norm": (rms_norm, "a row", ((x, random(1, cols, seed=1)), cols, _rms_norm)),
        "masked_softmax": (masked_softmax, "rows", ((x, lower), cols, lambda x, m: (x + m).softmax(-1))),
        "cross_entropy": (cross_entropy, "rows", ((x, chosen), 1, _loss)),
        "argmax": (argmax, "a row", ((x, places), 1, lambda x, _: x.argmax(-1, keepdim=True))),
        "top_k": (top_k, "none", ((_different(rows, cols),), cols, _largest_of)),
    }[kind]
    return launched(opened(), operation(grid, function, others), inputs, (rows, columns), in_torch=in_torch)


def _rms_norm(x: torch.Tensor, gamma: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.rms_norm(x, [x.shape[1]], gamma[0], eps=EPSILON)


if __name__ == "__main__":
    main(prepare)
