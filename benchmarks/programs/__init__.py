"""The benchmarks: one module per program, each with ``benchmarks(quick)`` and a function that takes the parameters."""

from __future__ import annotations

from harness import Benchmark
from programs import (
    accumulate,
    eltwise,
    flash_attention,
    matmul,
    multicast,
    one_tile,
    ragged,
    softmax,
)

PROGRAMS = (one_tile, eltwise, matmul, multicast, accumulate, ragged, softmax, flash_attention)


def all_benchmarks(*, quick: bool) -> list[Benchmark]:
    """Every benchmark, in the order of the table. ``quick``: smaller sizes, without targets."""
    return [benchmark for program in PROGRAMS for benchmark in program.benchmarks(quick=quick)]
