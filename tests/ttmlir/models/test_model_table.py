"""Ten models of docs/models.md, of each family one or two: they compile, give what their framework gives, and run strictly."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")
sys.path.append(str(Path(__file__).parents[3] / "benchmarks"))
import model_table
from zoo import ENTRIES, FAMILIES

CHOSEN = (
    "SqueezeNet fire",
    "MLP-Mixer layer",
    "Llama layer",
    "decoder step with caches",
    "log mel classifier",
    "DiT block",
    "two towers",
    "RetNet layer",
    "GCN",
    "perceptron, gradient descent",
)


@pytest.mark.one_of(2)
@pytest.mark.parametrize("name", CHOSEN)
def test_a_model_gives_what_its_framework_gives(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = next(entry for entry in ENTRIES if entry.name == name)
    if entry.road == "JAX":
        pytest.importorskip("jax")
    monkeypatch.setattr(
        model_table, "_golden", lambda *given: None
    )  # tests/ttrt has goldens; a process takes seconds
    row = model_table.measured(entry)
    assert not row.refused
    assert row.correlation is None or row.correlation >= entry.least
    assert row.integers is not False and row.strict and row.operations > 0


def test_there_are_sixty_of_all_families() -> None:
    assert len({entry.name for entry in ENTRIES}) == len(ENTRIES) >= 60
    assert {entry.family for entry in ENTRIES} == set(FAMILIES)
    assert sum(entry.is_real for entry in ENTRIES) == 10
    assert {entry.family for entry in ENTRIES if entry.name in CHOSEN} == set(FAMILIES)
