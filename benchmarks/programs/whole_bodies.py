"""A whole program: bodies that attract each other, thousands of launches of operations of one line each.

Every operation is made by a factory with its number in it, as a library of elementwise functions would; positions and
velocities are rows of one tile.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import ttl
import ttnn

sys.path.insert(0, str(Path(__file__).parent))

from launching import Program, main, opened, tiled

N = 32


def binary(function: Callable[[Any, Any], Any]) -> Any:
    """An operation that computes ``function`` tile by tile."""

    @ttl.operation(grid=(1, 1))
    def op(a: Any, b: Any, out: Any) -> None:
        a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=2)
        b_dfb = ttl.make_dataflow_buffer_like(b, shape=(1, 1), block_count=2)
        out_dfb = ttl.make_dataflow_buffer_like(out, shape=(1, 1), block_count=2)

        @ttl.datamovement()
        def read() -> None:
            a_blk = a_dfb.reserve()
            b_blk = b_dfb.reserve()
            ttl.copy(a[0, 0], a_blk).wait()
            ttl.copy(b[0, 0], b_blk).wait()

        @ttl.compute()
        def compute() -> None:
            with a_dfb.wait() as a_blk, b_dfb.wait() as b_blk:
                out_dfb.reserve().store(function(a_blk, b_blk))

        @ttl.datamovement()
        def write() -> None:
            ttl.copy(out_dfb.wait(), out[0, 0]).wait()

    return op


add = binary(lambda a, b: a + b)
sub = binary(lambda a, b: a - b)
mul = binary(lambda a, b: a * b)
matmul = binary(lambda a, b: a @ b)
square_sum = binary(lambda a, b: a * a + b * b + 0.1)
inverse_cube = binary(lambda a, b: ttl.math.rsqrt(a) * ttl.math.rsqrt(a) * ttl.math.rsqrt(b))


def forces(x: torch.Tensor, y: torch.Tensor, mass: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Accelerations; everything is 32x32, positions the same in every column."""
    dx, dy = x.T - x, y.T - y
    d = dx * dx + dy * dy + 0.1
    weight = d.rsqrt() ** 3 * mass
    ones = torch.ones_like(x)
    return (weight * dx) @ ones, (weight * dy) @ ones


def in_torch(x: torch.Tensor, y: torch.Tensor, mass: torch.Tensor, steps: int) -> torch.Tensor:
    """The same, in the type of the operands."""
    vx, vy = torch.zeros_like(x), torch.zeros_like(y)
    for number in range(steps):
        dt = 0.001 * (1 + number / steps)
        ax, ay = forces(x, y, mass)
        vx, vy = vx + dt * ax, vy + dt * ay
        x, y = x + dt * vx, y + dt * vy
    return torch.cat([x, y])


def prepare(steps: int = 3) -> Program:
    """32 bodies in the plane, in float32."""
    device = opened()
    source = torch.Generator().manual_seed(1)
    x = torch.randn(N, 1, generator=source).expand(N, N).contiguous()
    y = torch.randn(N, 1, generator=source).expand(N, N).contiguous()
    mass = torch.rand(1, N, generator=source).expand(N, N).contiguous()

    def make(tensor: torch.Tensor) -> Any:
        return tiled(tensor, device, ttnn.float32)

    mass_t, ones_t = make(mass), make(torch.ones(N, N))

    def run() -> Any:
        x_t, y_t, vx, vy = make(x), make(y), make(torch.zeros(N, N)), make(torch.zeros(N, N))
        xt, yt, dx, dy, d, w, fx, fy, ax, ay, t = (make(torch.zeros(N, N)) for _ in range(11))
        for number in range(steps):
            dt = 0.001 * (1 + number / steps)
            axpy = binary(lambda a, b: a + dt * b)
            xt, yt = ttnn.transpose(x_t, 0, 1), ttnn.transpose(y_t, 0, 1)
            sub(xt, x_t, dx)
            sub(yt, y_t, dy)
            square_sum(dx, dy, d)
            inverse_cube(d, d, w)
            mul(w, mass_t, t)
            mul(t, dx, fx)
            mul(t, dy, fy)
            matmul(fx, ones_t, ax)
            matmul(fy, ones_t, ay)
            axpy(vx, ax, new := make(torch.zeros(N, N)))
            vx = new
            axpy(vy, ay, new := make(torch.zeros(N, N)))
            vy = new
            axpy(x_t, vx, new := make(torch.zeros(N, N)))
            x_t = new
            axpy(y_t, vy, new := make(torch.zeros(N, N)))
            y_t = new
        return ttnn.concat([x_t, y_t], dim=0)

    return Program(
        device=device,
        run=run,
        in_torch=lambda: in_torch(x.bfloat16(), y.bfloat16(), mass.bfloat16(), steps),
        expected=lambda: in_torch(x, y, mass, steps),
    )


if __name__ == "__main__":
    main(prepare)
