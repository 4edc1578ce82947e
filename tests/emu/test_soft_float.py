"""Floats of data movement kernels: the functions of libgcc that compute them take their time (docs/reference/cycles.md)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support.programs import run_ttl
from ttl.arch import chip_named

COSTS = chip_named("wormhole").costs
PROGRAM = """
import numpy as np
import ttl
import ttnn


@ttl.operation(grid=(1, 1))
def op(a, y):
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

    @ttl.datamovement()
    def read():
        with a_dfb.reserve() as blk:
            ttl.copy(a[0, 0], blk).wait()

    @ttl.datamovement()
    def write():
        with a_dfb.wait() as blk:
            for i in range(32):
                v, w = ttl.raw_element_read(blk, i, 0), ttl.raw_element_read(blk, i, 1)
                {computed}
            ttl.copy(blk, y[0, 0]).wait()


on = dict(dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT, device=ttnn.open_device(device_id=0))
values = np.random.default_rng(0).uniform(1, 2, (32, 32)).astype(np.float32)
y = ttnn.zeros((32, 32), **on)
op(ttnn.Tensor(values, **on), y)
print(y.numpy()[:, 0].astype(np.float64).sum().hex())
"""
ELEMENT = "ttl.raw_element_write(blk, i, 0, {})"


def ran(computed: str, folder: Path) -> tuple[str, int]:
    """What is printed, as simulator and emulated chip have it, and the cycles there."""
    (folder / "program.py").write_text(PROGRAM.format(computed=computed))
    simulated = run_ttl(["run", "program.py"], folder=folder)
    emulated = run_ttl(["run", "--target", "emu", "--profile", "program.py"], folder=folder)
    assert emulated.status == 0, emulated.stderr
    said = emulated.stdout + emulated.stderr
    assert simulated.stdout.strip() in said
    (cycles,) = re.findall(r"op: ([\d,]+) cycles on 1 node", said)
    return simulated.stdout, int(cycles.replace(",", ""))


@pytest.mark.parametrize(
    ("more", "cost"),
    [
        ("w + (v - w)", COSTS.float_add.value),
        ("w + v * w", COSTS.float_multiply.value),
        ("w + v / w", COSTS.float_divide.value),
    ],
)
def test_what_an_operation_more_costs(more: str, cost: int, tmp_path: Path) -> None:
    result, cycles = ran(ELEMENT.format("w + v"), tmp_path)
    other, longer = ran(ELEMENT.format(more), tmp_path)
    assert result != other
    assert longer - cycles == 32 * cost


def test_a_comparison_is_counted(tmp_path: Path) -> None:
    _, cycles = ran(ELEMENT.format("w + v"), tmp_path)
    _, longer = ran("if v < 5.0:\n                    " + ELEMENT.format("w + v"), tmp_path)
    assert longer - cycles == 32 * COSTS.float_compare.value
