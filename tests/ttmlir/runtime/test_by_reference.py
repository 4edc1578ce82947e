"""Steps that follow from the reference: of operations that have a step of their own, both give the same."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")
from support.ttmlir_models import compiled, drawn, operation
from tt_model.binaries.submission import prepared, system_of
from tt_model.runtime.devices import SimulatedDevice
from tt_model.runtime.executor import run_program
from tt_model.runtime.step_kinds.by_reference import step_by_reference
from tt_model.runtime.steps import prepare

# Operations, the types of their operands and results, and attributes that are what files do not write (0), too.
MODULES = (
    ("transpose", ["64x96xf32"], "96x64xf32", "dim0 = 0 : si32, dim1 = 1 : si32"),
    ("concat", ["32x64xf32", "32x64xf32"], "64x64xf32", "dim = 0 : si32"),
    ("softmax", ["32x64xf32"], "32x64xf32", "dimension = 0 : si32"),
    ("matmul", ["32x64xf32", "64x32xf32"], "32x32xf32", ""),
)


@pytest.mark.parametrize(("name", "operands", "result", "attributes"), MODULES)
def test_both_steps_give_the_same(
    name: str, operands: list[str], result: str, attributes: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    binary = compiled(operation(name, operands, result, attributes))
    inputs = drawn(binary)
    device = SimulatedDevice(system_of(binary), [0])
    (own,), _ = run_program(device, prepared(binary, 0), inputs)
    derived: list[Any] = []

    def by_reference(kind: Any, fields: Any) -> Any:
        if kind.ROW.mnemonic != name:
            return prepare(kind, fields)
        derived.append(kind)
        return step_by_reference(kind, fields)

    monkeypatch.setattr("tt_model.runtime.executor.prepare", by_reference)
    (other,), _ = run_program(device, prepared(binary, 0), inputs)
    assert [kind.ROW.mnemonic for kind in derived] == [name]
    assert torch.allclose(own, other, rtol=1e-5, atol=1e-6)
