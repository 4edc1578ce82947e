"""An operation of TT-Lang with two results and no reference of its own: golden results, files, and its cycles in ``ttrt perf``."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.tt_lang_models import content_of

torch = pytest.importorskip("torch")
from ttrt.common.api import Perf, Run

KERNEL = """
import ttl
import ttnn


@ttl.operation(grid=(1, 1))
def halves(x: ttnn.Tensor, low: ttnn.Tensor, high: ttnn.Tensor) -> None:
    rows = x.shape[0] // ttl.TILE_SHAPE[0]
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
    low_dfb = ttl.make_dataflow_buffer_like(low, shape=(1, 1))
    high_dfb = ttl.make_dataflow_buffer_like(high, shape=(1, 1))

    @ttl.datamovement()
    def read():
        for row in range(rows):
            with x_dfb.reserve() as x_blk:
                ttl.copy(x[row, 0], x_blk).wait()

    @ttl.compute()
    def compute():
        for _ in range(rows):
            with x_dfb.wait() as x_blk, low_dfb.reserve() as low_blk, high_dfb.reserve() as high_blk:
                high_blk.store(ttl.math.relu(x_blk))
                low_blk.store(x_blk - ttl.math.relu(x_blk))

    @ttl.datamovement()
    def write():
        for row in range(rows):
            with low_dfb.wait() as low_blk, high_dfb.wait() as high_blk:
                ttl.copy(low_blk, low[row, 0]).wait()
                ttl.copy(high_blk, high[row, 0]).wait()
"""
T = "tensor<64x32xf32>"
TILES = ", ".join(["#tt.operand_constraint<any_device_tile>"] * 3)
MODEL = f"""
func.func @forward(%x: {T}) -> ({T}, {T}) {{
  %0 = tensor.empty() : {T}
  %1 = tensor.empty() : {T}
  %2:2 = "ttir.tt_lang_op"(%x, %0, %1) <{{kernel_id = "halved.halves::v1", version_tag = "", arg_roles = "in,out,out"}}> : ({T}, {T}, {T}) -> ({T}, {T})
  %3 = tensor.empty() : {T}
  %4 = "ttir.subtract"(%2#0, %2#1, %3) <{{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = [{TILES}]}}> : ({T}, {T}, {T}) -> {T}
  return %4, %2#1 : {T}, {T}
}}
"""


@pytest.fixture(autouse=True)
def importable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / "halved.py").write_text(KERNEL, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    yield
    sys.modules.pop("halved", None)


def command(kind: Any, written: bool, **options: Any) -> dict[str, Any]:
    content = content_of(MODEL, allow_tt_lang=("halved",), lower_tt_lang_to_generic=written)
    Path("m.ttnn").write_bytes(content)
    given = {name.replace("_", "-"): value for name, value in options.items()}
    code, (entry,) = kind({"binary": "m.ttnn", **given})()
    assert code == 0, entry
    return dict(entry)


@pytest.mark.parametrize(("written", "target"), [(False, "sim"), (False, "emu"), (True, "emu")])
def test_both_results_are_those_of_their_places(written: bool, target: str, capsys: Any) -> None:
    options = {"allow_tt_lang": "halved", "allow_kernel_source": written, "tt_lang": target}
    entry = command(Run, written, golden=True, save_artifacts=True, **options)
    assert entry["programs"][0]["operations_compared"] >= 5
    assert "has no usable reference in NumPy" in capsys.readouterr().err
    (x,), (difference,), (high,) = (
        [torch.load(path) for path in Path("ttrt-artifacts").rglob(f"program_0_{name}.pt")]
        for name in ("input_0", "output_0", "output_1")
    )
    assert torch.equal(high, x.relu())
    assert torch.allclose(difference, -x.abs(), atol=1e-5)


@pytest.mark.parametrize("written", [False, True])
def test_perf_has_the_emulated_cycles_where_kernels_may_run(written: bool) -> None:
    run = command(Run, written, tt_lang="emu", allow_tt_lang="halved", allow_kernel_source=True)
    (kernel,) = run["programs"][0]["tt_lang_cycles"]
    assert kernel["cycles"] > 1000
    estimated = command(Perf, written)
    emulated = command(Perf, written, allow_kernel_source=True)
    assert emulated["estimated_cycles"] > estimated["estimated_cycles"]
    with open("ops_perf_results.csv", encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["BOUND BY"] == "emulated"]
    assert [int(row["ESTIMATED CYCLES"]) for row in rows] == [kernel["cycles"]]
