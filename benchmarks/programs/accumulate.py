"""Matrix multiplication, bias and ReLU, the running sum in a dataflow buffer: examples/matmul_accumulate_dfb.py."""

from __future__ import annotations

import torch
import ttl  # noqa: F401  (lets "import ttnn" find the host library)
import ttnn

from harness import Benchmark, Prepared
from programs.example import load
from programs.tensors import blank, check, tiled


def prepare() -> Prepared:
    """512x512 by 512x256 on 4x4 nodes; the accumulator is float32."""
    found = load("matmul_accumulate_dfb")
    a, b, c = (found[name] for name in "abc")
    arguments = [tiled(each) for each in (a, b, c)]
    like = ttnn.zeros((32, 32), dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT)
    y = blank(*c.shape)
    run = found["__linear_relu"]
    return Prepared(
        run=lambda: run(*arguments, like, y),
        torch=lambda: torch.relu(torch.addmm(c, a, b)),
        check=lambda: check(y, torch.relu(a.double() @ b.double() + c.double())),
    )


def benchmarks(*, quick: bool) -> list[Benchmark]:
    """As it is in the example."""
    return [
        Benchmark(
            name="matmul, through a buffer",
            parameters={"size": (512, 256, 512), "grid": (4, 4)},
            prepare=prepare,
        )
    ]
