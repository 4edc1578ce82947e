"""Integers of the node are Python's, judged by CPython: in 32 bits, in 64, or refused, and never others than they are."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import ttnn
from tests.support.ir_events import ir_events
from tests.support.python_events import python_events

from emu.harness import tensor_of, values_of
from support.compiled import complaints_about, emitted
from support.kernel_check import needs_compiler
from support.random_programs.integers import SHOWN, source
from ttl.check.integers import too_wide_in
from ttl.diag import TTLError
from ttl.dialects import ttl as dialect
from ttl.frontend.live import lower_call
from ttl.lang.operation import Operation
from ttl.settings import override

GRID = (2, 3)
NODES = 6
# Programs that are compared with the IR, and with the emulated chip.
READ, EMULATED, PRINTED = 25, 5, 6
# Of these so many may be too wide: the generator likes large numbers.
MOST_REFUSED = 0.15


def operations(count: int, folder: Path) -> Iterator[tuple[int, Operation]]:
    for seed in range(count):
        path = folder / f"integers_{seed}.py"
        path.write_text(source(seed), encoding="utf-8")
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        yield seed, module.op


def arguments() -> tuple[ttnn.Tensor, ttnn.Tensor]:
    """Tiles that say which they are, and room for what is shown."""
    tiles = np.kron(np.arange(64, dtype=np.float32).reshape(8, 8), np.ones((32, 32), np.float32))
    shown = np.zeros((NODES * 32, SHOWN * 32), np.float32)
    device = ttnn.open_device(device_id=0)
    a, y = (ttnn.to_device(tensor_of(values, "float32"), device) for values in (tiles, shown))
    return a, y


def test_what_is_read_is_what_python_computes(tmp_path: Path) -> None:
    refused = []
    for seed, operation in operations(READ, tmp_path):
        given = arguments()
        result = lower_call(operation, given, {})
        assert result.diagnostics == [], seed
        (made,) = result.module.body.block.ops
        assert isinstance(made, dialect.OperationOp)
        assert ir_events(made) == python_events(operation, GRID, *given), seed
        refused += [(seed, finding.code) for finding in too_wide_in(made, GRID)[:1]]
    assert {code for _, code in refused} <= {"TTL1317"}
    assert len(refused) <= MOST_REFUSED * READ, refused


def test_the_emulated_chip_computes_what_python_does(tmp_path: Path) -> None:
    compared = 0
    for seed, operation in operations(EMULATED, tmp_path):
        found = []
        for target in ("sim", "emu"):
            a, y = arguments()
            try:
                with override(target=target):
                    operation(a, y)
            except TTLError as refused:
                assert target == "emu" and {each.code for each in refused.diagnostics} == {"TTL1317"}, seed
                break
            found.append(values_of(y))
        if len(found) == 2:
            compared += 1
            np.testing.assert_array_equal(found[0], found[1], err_msg=str(seed))
    assert compared >= EMULATED - 1


@pytest.mark.headers
@needs_compiler
def test_the_headers_accept_64_bits(tmp_path: Path) -> None:
    compiled = [
        emitted(lower_call(operation, arguments(), {}).module)
        for _, operation in operations(PRINTED, tmp_path)
    ]
    texts = [
        kernel.source for each in compiled for program in each.programs["0.81"] for kernel in program.kernels
    ]
    assert sum("int64_t" in text for text in texts) > PRINTED // 2
    assert complaints_about(compiled) == []
