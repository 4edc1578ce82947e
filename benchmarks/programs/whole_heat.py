"""A whole program: heat in a plate, explicit steps, one launch per step; neighbours by products with shifts.

The diffusion number changes with time, so every step calls the operation with another number.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any

import torch
import ttl
import ttnn

sys.path.insert(0, str(Path(__file__).parent))

from launching import Program, main, opened, tiled


@ttl.operation(grid=(2, 2))
def step(u: Any, shift: Any, new: Any, alpha: float) -> None:
    rows, cols = u.shape[0] // 32, u.shape[1] // 32
    y, x = ttl.node(dims=2)
    u_dfb = ttl.make_dataflow_buffer_like(u, shape=(1, 1), block_count=2)
    left_dfb = ttl.make_dataflow_buffer_like(u, shape=(1, 1), block_count=2)
    right_dfb = ttl.make_dataflow_buffer_like(shift, shape=(1, 1), block_count=2)
    lap_dfb = ttl.make_dataflow_buffer_like(u, shape=(1, 1), block_count=2)
    new_dfb = ttl.make_dataflow_buffer_like(new, shape=(1, 1), block_count=2)

    @ttl.datamovement()
    def read() -> None:
        for row in range(y, rows, 2):
            for col in range(x, cols, 2):
                for k in range(rows):
                    if abs(k - row) > 1:
                        continue
                    a = left_dfb.reserve()
                    ttl.copy(shift[row, k], a).wait()
                    b = right_dfb.reserve()
                    ttl.copy(u[k, col], b).wait()
                for k in range(cols):
                    if abs(k - col) > 1:
                        continue
                    c = left_dfb.reserve()
                    ttl.copy(u[row, k], c).wait()
                    d = right_dfb.reserve()
                    ttl.copy(shift[k, col], d).wait()
                e = u_dfb.reserve()
                ttl.copy(u[row, col], e).wait()

    @ttl.compute()
    def compute() -> None:
        for row in range(y, rows, 2):
            for col in range(x, cols, 2):
                lap_dfb.reserve().store(left_dfb.wait() @ right_dfb.wait())
                terms = sum(abs(k - row) <= 1 for k in range(rows)) + sum(
                    abs(k - col) <= 1 for k in range(cols)
                )
                for _ in range(terms - 1):
                    lap_dfb.reserve().store(lap_dfb.wait() + left_dfb.wait() @ right_dfb.wait())
                old = u_dfb.wait()
                new_dfb.reserve().store(old + alpha * (lap_dfb.wait() - 4 * old))

    @ttl.datamovement()
    def write() -> None:
        for row in range(y, rows, 2):
            for col in range(x, cols, 2):
                ttl.copy(new_dfb.wait(), new[row, col]).wait()


def alpha_at(number: int) -> float:
    """The diffusion number of a step."""
    return 0.1 + 0.05 * math.sin(number / 10)


def in_torch(u: torch.Tensor, shift: torch.Tensor, steps: int) -> torch.Tensor:
    """The same, in the type of the operands."""
    for number in range(steps):
        u = u + alpha_at(number) * (shift @ u + u @ shift - 4 * u)
    return u


def prepare(size: int = 64, steps: int = 5) -> Program:
    """A plate of ``size`` by ``size`` elements in float32, hot in the middle."""
    device = opened()
    u = torch.zeros(size, size)
    u[size // 4 : -size // 4, size // 4 : -size // 4] = 1.0
    shift = torch.diag(torch.ones(size - 1), 1) + torch.diag(torch.ones(size - 1), -1)
    shift_t = tiled(shift, device, ttnn.float32)

    def run() -> Any:
        now, then = (tiled(u, device, ttnn.float32) for _ in range(2))
        for number in range(steps):
            step(now, shift_t, then, alpha_at(number))
            now, then = then, now
        return now

    return Program(
        device=device,
        run=run,
        in_torch=lambda: in_torch(u.bfloat16(), shift.bfloat16(), steps),
        expected=lambda: in_torch(u, shift, steps),
    )


if __name__ == "__main__":
    main(prepare)
