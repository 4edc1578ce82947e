"""TTL0333 says when a tensor is row-major only because nobody gave a layout, where it is made, and repairs that."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.findings import findings, repaired

_PROGRAM = """\
import numpy as np
import torch
import ttl
import ttnn


@ttl.operation(grid=(1, 1))
def double(x, y):
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))

    @ttl.datamovement()
    def read():
        with x_dfb.reserve() as blk:
            ttl.copy(x[0, 0], blk).wait()

    @ttl.compute()
    def compute():
        with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
            y_blk.store(2 * x_blk)

    @ttl.datamovement()
    def write():
        with y_dfb.wait() as blk:
            ttl.copy(blk, y[0, 0]).wait()


x = ttnn.from_torch(torch.ones(32, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)
y = {made}
double(x, y)
"""


@pytest.mark.parametrize("checked", ["--check", "--no-check"])
@pytest.mark.parametrize(
    "made",
    [
        "ttnn.empty((32, 32), dtype=ttnn.bfloat16)",
        "ttnn.zeros([32, 32], ttnn.bfloat16)",
        "ttnn.from_torch(torch.zeros(32, 32), dtype=ttnn.bfloat16)",
        "ttnn.from_torch(np.zeros((32, 32), np.float32), ttnn.bfloat16)",
    ],
)
def test_a_layout_that_nobody_gave(made: str, checked: str, tmp_path: Path) -> None:
    source = _PROGRAM.format(made=made)
    found = [each for each in findings(source, tmp_path, checked) if each.code == "TTL0333"]
    assert len(found) == 1 and "row-major" in found[0].notes[0]
    assert findings(repaired(source, found), tmp_path, checked) == []


def test_a_layout_that_was_given_is_nobodys_default(tmp_path: Path) -> None:
    source = _PROGRAM.format(made="ttnn.empty((32, 32), dtype=ttnn.bfloat16, layout=ttnn.ROW_MAJOR_LAYOUT)")
    found = next(each for each in findings(source, tmp_path) if each.code == "TTL0333")
    assert found.fix is None and not any("no layout" in note for note in found.notes)
