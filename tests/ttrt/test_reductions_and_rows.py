"""Reductions and embeddings as models of 2024-11-21 have them: run beside the reference, by our own rules for a card, and profiled."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
from support.ttmlir_models import compiled
from ttrt.common.main import run

_TILED = "#tt.operand_constraint<dram|l1|tile|any_device_tile>"
_ANY = "#tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>"


def reduction(name: str, before: str, after: str, dim: int, keep: bool, constraint: str = _TILED) -> str:
    source, result = f"tensor<{before}>", f"tensor<{after}>"
    return (
        f"func.func @{name}(%arg0: {source}) -> {result} {{\n  %0 = tensor.empty() : {result}\n"
        f'  %1 = "ttir.{name}"(%arg0, %0) <{{dim_arg = [{dim} : i32], keep_dim = {str(keep).lower()}, '
        f"operand_constraints = [{constraint}, {constraint}]}}> : ({source}, {result}) -> {result}\n"
        f"  return %1 : {result}\n}}\n"
    )


def embedding(numbers: str, result: str) -> str:
    return f"""func.func @forward(%arg0: tensor<{numbers}>, %arg1: tensor<512x128xbf16>) -> tensor<{result}> {{
  %0 = tensor.empty() : tensor<{result}>
  %1 = "ttir.embedding"(%arg0, %arg1, %0) <{{operand_constraints = [{_ANY}, {_ANY}, {_ANY}]}}> : (tensor<{numbers}>, tensor<512x128xbf16>, tensor<{result}>) -> tensor<{result}>
  return %1 : tensor<{result}>
}}"""


MODELS = {
    "4 to 3": reduction("sum", "128x10x32x4xf32", "128x32x4xf32", 1, False),
    "3 to 2": reduction("sum", "128x10x4xf32", "128x4xf32", 1, False),
    "2 to 1": reduction("max", "128x10xf32", "128xf32", 1, False),
    "kept": reduction("max", "128x10xf32", "128x1xf32", 1, True),
    "kept, in words only": reduction("sum", "1x1x512x64xbf16", "1x1x512xbf16", -1, True, _ANY),
    "max": reduction("max", "512x1024xbf16", "512xbf16", -1, True, _ANY),
    "mean": reduction("mean", "512x1024xbf16", "512xbf16", -1, True, _ANY),
    "embedding": embedding("32x32xbf16", "32x32x128xbf16"),
    "embedding of one dimension": embedding("32xi32", "32x128xbf16"),
}


@pytest.mark.parametrize("name", MODELS)
def test_run_and_perf(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("m.ttnn").write_bytes(bytes(compiled(MODELS[name]).content))
    assert run(["run", "--golden", "--strict", "m.ttnn"]) == 0
    (entry,) = json.loads(Path("run_results.json").read_text())
    assert entry["programs"][0]["operations_compared"] > 0
    assert run(["perf", "m.ttnn"]) == 0
    with open("ops_perf_results.csv", encoding="utf-8") as file:
        words = [row["OPERATION"] for row in csv.DictReader(file)]
    assert any(word.startswith(("ReductionOp.", "EmbeddingOp")) for word in words)


def test_a_row_that_is_no_whole_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import numpy as np

    monkeypatch.chdir(tmp_path)
    Path("m.ttnn").write_bytes(bytes(compiled(MODELS["embedding"]).content))
    Path("given").mkdir()
    np.save("given/input_0.npy", np.full((32, 32), 1.5, np.float32))
    assert run(["run", "--inputs", "given", "m.ttnn"]) == 1
    (entry,) = json.loads(Path("run_results.json").read_text())
    assert "asks for row 1.5" in entry["exception"]
