"""Compiled programs are as exact as ``differences.md`` says, for both generations of the kernel API, and no bound is idle."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from differential.exactness import EXACTNESS, ORDER, Measured
from differential.expressions import run
from ttl import settings
from ttl.rows.dtypes import BFLOAT16
from ttl.rows.row import Generation

Array = Any
MEASURED = {each.name: each for row in EXACTNESS for each in row.measured}
# What a bound may be too large by: the numbers are few.
_ROOM = 64


def _inputs(case: Measured) -> dict[str, Array]:
    random = np.random.default_rng(5)
    found = {}
    for name, shape in case.inputs.items():
        # Positive: what is cut off always makes a sum smaller, and nothing cancels.
        values = random.uniform(0.5, 4.0, shape).astype(np.float32)
        found[name] = values if case.dtype == "float32" else BFLOAT16.load(BFLOAT16.store(values))
    return found


def _error(case: Measured, folder: Path) -> float:
    inputs = _inputs(case)
    outputs = {"y": case.output}
    if "z.store" in case.body:
        outputs["z"] = case.output
    dtypes = {**dict.fromkeys(inputs, case.dtype), **dict.fromkeys(outputs, "float32")}
    with settings.override(emu_hostile=1):
        simulated, found = run(case.body, inputs, outputs, folder, dtypes=dtypes, options=case.options)
    wanted, got = _defined(case, simulated["y"]), _defined(case, found["y"])
    size = np.abs(inputs["x"]) @ np.abs(inputs["w"]) if case.size == "terms" else np.abs(wanted)
    return float((np.abs(got.astype(np.float64) - wanted) / size).max())


def _defined(case: Measured, values: Array) -> Array:
    if "dims=[-2, -1]))" in case.body and "broadcast" not in case.body:
        return values[:1, :1]
    if "dims=[-1]))" in case.body and "broadcast" not in case.body:
        return values[:, :1]
    if "dims=[-2]))" in case.body and "broadcast" not in case.body:
        return values[:1]
    return values


@pytest.mark.one_of(3)
@pytest.mark.parametrize("generation", ["0.69", "0.81"])
@pytest.mark.parametrize("name", MEASURED)
def test_the_chip_keeps_what_it_is_said_to_keep(
    name: str, generation: Generation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ttl.codegen.compile.installed_generation", lambda: generation)
    case = MEASURED[name]
    error = _error(case, tmp_path)
    assert error <= case.bound
    assert case.bound <= ORDER or error > case.bound / _ROOM
