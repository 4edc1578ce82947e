"""A block that sections compute one after the other is handed over, and copied to its tensor, in parts: nothing is lost.

``lit/hand_over.mlir`` shows where that is so, and what the kernels wait for; ``lit/arrivals.mlir`` is about blocks that are read in parts.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import ttnn

import ttl
from emu.harness import tensor_of, values_of
from ttl import settings
from ttl.codegen.compiled_calls import compile_call


@pytest.mark.parametrize("seed", [None, 1])
@pytest.mark.parametrize(("rows", "columns", "width"), [(1, 32, 32), (4, 4, 12), (2, 16, 24)])
def test_nothing_is_lost_on_the_emulated_chip(rows: int, columns: int, width: int, seed: int | None) -> None:
    @ttl.operation(grid=(1, 1))
    def negated(x: Any, y: Any) -> None:
        x_dfb = ttl.make_dataflow_buffer_like(x, shape=(rows, columns))
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=(rows, columns), block_count=3)

        @ttl.datamovement()
        def read() -> None:
            for start in range(0, x.shape[0] // 32, rows):
                with x_dfb.reserve() as x_blk:
                    ttl.copy(x[start : start + rows, 0:columns], x_blk).wait()

        @ttl.compute()
        def compute() -> None:
            for _ in range(0, x.shape[0] // 32, rows):
                with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
                    y_blk.store(-x_blk)

        @ttl.datamovement()
        def write() -> None:
            for start in range(0, x.shape[0] // 32, rows):
                with y_dfb.wait() as y_blk:
                    ttl.copy(y_blk, y[start : start + rows, 0:columns]).wait()

    random = np.random.default_rng(1)
    shape = (4 * rows * 32, width * 32)
    given = random.integers(-8, 8, shape).astype(np.float32)
    x, y = (
        ttnn.to_device(tensor_of(each), ttnn.open_device(device_id=0))
        for each in (given, np.zeros(shape, np.float32))
    )
    description, _ = compile_call(negated, (x, y), {})
    sources = {kernel.name: kernel.source for kernel in description.kernels}
    assert "cb_push_back(y_dfb, 8);" in sources["compute"], "a section hands over its part"
    with settings.override(target="emu", emu_seed=seed):
        negated(x, y)
    expected = np.zeros(shape, np.float32)
    expected[:, : columns * 32] = -given[:, : columns * 32]
    np.testing.assert_array_equal(values_of(y), expected)
