"""The models of ``examples/models``, which ``make demo-model`` runs."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

pytest.importorskip("torch")
from support.ttmlir_models import compiled, golden_run

FOLDER = Path(__file__).parents[3] / "examples" / "models"


def test_the_files_are_those_that_the_program_writes() -> None:
    spec = importlib.util.spec_from_file_location("write_models", FOLDER / "write_models.py")
    assert spec is not None and spec.loader is not None
    program = importlib.util.module_from_spec(spec)
    import sys

    sys.modules["write_models"] = program
    try:
        spec.loader.exec_module(program)
        written = dict(program.models())
    finally:
        del sys.modules["write_models"]
    assert {name: (FOLDER / name).read_text(encoding="utf-8") for name in written} == written


@pytest.mark.parametrize(("name", "operations"), [("mlp.mlir", 30), ("transformer_layer.mlir", 90)])
def test_a_model_gives_what_the_reference_says(name: str, operations: int) -> None:
    run = golden_run(compiled((FOLDER / name).read_text(encoding="utf-8")))
    assert run.complaint() == ""
    assert len(run.golden.comparisons) >= operations
    assert any(comparison.operation.endswith("SoftmaxOp") for comparison in run.golden.comparisons)
