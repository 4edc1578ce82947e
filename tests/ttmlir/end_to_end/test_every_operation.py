"""Every operation of the format, of every element type and layout, from TTIR through a binary to numbers.

A row of the table is an operation with its operands' shapes. It is compiled, written, read and run, and its result compared
with the float64 reference.
"""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")
from support.operation_cases import CASES
from support.ttmlir_models import compiled, drawn, golden_run


@pytest.mark.one_of(4)
@pytest.mark.parametrize("constraint", ["any_device", "any_device_tile"])
@pytest.mark.parametrize("name", sorted({case.name for case in CASES}))
def test_an_operation_of_every_type(name: str, constraint: str) -> None:
    wrong = []
    for case in (case for case in CASES if case.name == name):
        for dtype in case.dtypes:
            binary = compiled(case.text(dtype, constraint))
            inputs = None
            if name == "embedding":
                indices, table = drawn(binary)
                inputs = [(indices.to(torch.int64) % 40).to(indices.dtype), table]
            run = golden_run(binary, 0, inputs)
            if complaint := run.complaint() or "; ".join(run.report.warnings):
                wrong.append(f"{case.inputs} {dtype} {case.attributes}: {complaint}")
    assert not wrong, "\n".join(wrong)
