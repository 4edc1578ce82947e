"""A product reads what is scaled by a power of two in 16 bits: the scale of attention, for one."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
import pytest
import ttnn

import ttl
from support.executions import needs_native
from support.tensors import blank, tiled, values
from ttl.rows.dtypes import BFLOAT16
from ttl.rows.table import OPS
from ttl.rows.types import BlockType, Layout
from ttl.sim.native import lowering
from ttl.sim.program import Instruction

pytestmark = needs_native

ROWS = {row.name: row for row in OPS}
POWERS = (0.125, 2.0, -0.5)
OTHERS = (0.3, 1e-4, 2.0**-12)


def blocks_of_floats(scale: float, *, unrounded: bool) -> int:
    """In how many places the code of ``(a * scale) @ b`` mentions blocks of float32; ``unrounded``: ``b`` is one."""
    block = BlockType.of((1, 1), BFLOAT16, Layout.TILE)
    scaled = Instruction(ROWS["mul"], (), (("leaf", 0), ("number", scale)), block, (None, None))
    product = Instruction(ROWS["matmul"], (), (("result", 0), ("leaf", 1)), block, (None, None))
    code = lowering.lower([scaled, product], [(block, False), (block, unrounded)], block, BFLOAT16)
    assert code is not None
    return code.count(struct.pack("=iqqq", 0, 1, 32, 32))


@pytest.mark.parametrize("scale", [*POWERS, *OTHERS])
def test_in_which_format_it_is_read(scale: float) -> None:
    for unrounded in (False, True):
        fewer = blocks_of_floats(0.3, unrounded=unrounded) - blocks_of_floats(scale, unrounded=unrounded)
        assert fewer == (scale in POWERS and not unrounded)


@pytest.mark.parametrize("scale", [*POWERS, *OTHERS])
def test_what_it_gives(scale: float) -> None:
    @ttl.operation(grid=(1, 1))
    def op(a: Any, b: Any, out: Any) -> None:
        a_dfb, b_dfb, out_dfb = (ttl.make_dataflow_buffer_like(t, shape=(2, 2)) for t in (a, b, out))

        @ttl.datamovement()
        def read() -> None:
            ttl.copy(a[0:2, 0:2], a_dfb.reserve())
            ttl.copy(b[0:2, 0:2], b_dfb.reserve())

        @ttl.compute()
        def compute() -> None:
            with a_dfb.wait() as x, b_dfb.wait() as y, out_dfb.reserve() as z:
                z.store((x * scale) @ y)

        @ttl.datamovement()
        def write() -> None:
            ttl.copy(out_dfb.wait(), out[0:2, 0:2])

    random = np.random.default_rng(3)
    a, b = (random.standard_normal((64, 64)).astype(np.float32) for _ in range(2))
    tensors = tiled(a), tiled(b), blank((64, 64))
    op(*tensors)
    exact = values(tensors[0]).astype(np.float64) * scale @ values(tensors[1]).astype(np.float64)
    bound = abs(values(tensors[0]) * scale) @ abs(values(tensors[1]))
    # One rounding to bfloat16, and float32 sums
    assert (abs(values(tensors[2]) - exact) <= 2**-8 * abs(exact) + 2**-20 * bound).all()
    assert tensors[2].dtype == ttnn.bfloat16
