"""A value that starts as what a block holds, and that a loop changes: ``total = first_blk``, ``total = total + blk``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import ttnn

import ttl
from emu.harness import tensor_of, values_of
from ttl.dialects import ttl as ir
from ttl.frontend.live import lower_call
from ttl.lang.operation import Operation
from ttl.settings import override

TURNS = 3
Compute = Callable[[Any, Any, Any], None]


def operation(compute_with: Compute) -> Operation:
    @ttl.operation(grid=(1, 1))
    def fold(a, y):  # type: ignore[no-untyped-def]
        first_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))

        @ttl.datamovement()
        def read():  # type: ignore[no-untyped-def]
            with first_dfb.reserve() as blk:
                ttl.copy(a[0, 0], blk).wait()
            for i in range(1, TURNS + 1):
                with dfb.reserve() as blk:
                    ttl.copy(a[i, 0], blk).wait()

        @ttl.compute()
        def compute():  # type: ignore[no-untyped-def]
            with first_dfb.wait() as first, y_dfb.reserve() as y_blk:
                compute_with(first, dfb, y_blk)

        @ttl.datamovement()
        def write():  # type: ignore[no-untyped-def]
            with y_dfb.wait() as blk:
                ttl.copy(blk, y[0, 0]).wait()

    return fold


def summed(first, dfb, y_blk):  # type: ignore[no-untyped-def]
    total = first
    for _ in range(TURNS):
        with dfb.wait() as blk:
            total = total + blk
    y_blk.store(total)


def largest(first, dfb, y_blk):  # type: ignore[no-untyped-def]
    total = first
    for _ in range(TURNS):
        with dfb.wait() as blk:
            total = ttl.math.max(total, blk)
    y_blk.store(total)


def changed_meanwhile(first, dfb, y_blk):  # type: ignore[no-untyped-def]
    """``total`` is the block itself when the first turn reads it, and the block has been written to by then."""
    total = first
    for _ in range(TURNS):
        with dfb.wait() as blk:
            first.store(first + 2 * blk)
            total = total + blk
    y_blk.store(total + first)


def handed_on(first, dfb, y_blk):  # type: ignore[no-untyped-def]
    """The name is a block's all along."""
    held = first
    total = ttl.block.fill(0, shape=(1, 1))
    for _ in range(TURNS):
        blk = dfb.wait()
        total = total + blk * held.shape[0]
        held = blk
        held.pop()
    y_blk.store(total + first)


CASES: list[tuple[Compute, int, Callable[[list[Any]], Any]]] = [
    (summed, 1, lambda t: t[0] + t[1] + t[2] + t[3]),
    (largest, 1, lambda t: np.maximum.reduce(t)),
    (changed_meanwhile, 0, lambda t: 2 * t[0] + 5 * t[1] + 3 * t[2] + 3 * t[3]),
    (handed_on, 0, lambda t: t[0] + t[1] + t[2] + t[3]),
]


@pytest.mark.parametrize(("compute", "loops", "expected"), CASES, ids=[each[0].__name__ for each in CASES])
def test_it_stays_a_loop_where_only_the_value_goes_on(
    compute: Compute, loops: int, expected: Callable[[list[Any]], Any]
) -> None:
    numbers = np.random.default_rng(3).integers(-8, 8, (32 * (TURNS + 1), 32)).astype(np.float32)
    device = ttnn.open_device(device_id=0)
    a, y = (ttnn.to_device(tensor_of(each), device) for each in (numbers, np.zeros((32, 32), np.float32)))
    fold = operation(compute)
    (made,) = (op for op in lower_call(fold, (a, y), {}).module.walk() if isinstance(op, ir.ComputeKernelOp))
    assert sum(op.name == "affine.for" for op in made.walk()) == loops
    with override(target="emu", compare=True):
        fold(a, y)
    np.testing.assert_array_equal(values_of(y), expected(np.split(numbers, TURNS + 1)))
