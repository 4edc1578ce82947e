"""Every operation is read and printed the same, also as MLIR's own tool reads it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from support.single_operations import SingleOperation, valid
from tt_model.operations.dialects import DIALECTS, all_rows
from tt_model.operations.operation import RowOperation
from ttl.ir.context import make_context
from ttl.ir.parser import parse_text
from ttl.ir.printer import print_module
from ttl.ir.verifier import verify

MLIR_OPT = Path("/usr/lib/llvm-19/bin/mlir-opt")


def test_every_operation_has_an_example() -> None:
    terminators = {row.name for row in all_rows() if "Terminator" in row.traits}
    assert {single.name for single in valid()} == {row.name for row in all_rows()} - terminators


@pytest.mark.parametrize("single", valid(), ids=lambda single: single.name)
def test_round_trip(single: SingleOperation) -> None:
    module = parse_text(make_context(DIALECTS), single.text(), "m.mlir")
    assert verify(module) == []
    printed = print_module(module)
    again = parse_text(make_context(DIALECTS), printed, "m.mlir")
    assert print_module(again) == printed
    op = next(op for op in module.walk() if isinstance(op, RowOperation))
    assert op.name == single.name
    assert list(op.properties) == sorted(op.properties)
    clone = op.clone()
    assert clone.properties == op.properties
    for group in op.ROW.operands:
        assert clone.operands_of(group) == op.operands_of(group)


@pytest.mark.skipif(not MLIR_OPT.exists(), reason="LLVM 19's mlir-opt is not installed")
@pytest.mark.parametrize("dialect", ["ttir", "ttnn", "ttmetal", "ttkernel"])
def test_mlir_opt_reads_what_is_printed(dialect: str) -> None:
    texts = [
        print_module(parse_text(make_context(DIALECTS), single.text(), "m.mlir"), generic=True)
        for single in valid()
        if single.name.startswith(f"{dialect}.")
    ]
    run = subprocess.run(
        [MLIR_OPT, "--allow-unregistered-dialect", "--split-input-file", "-o", "/dev/null"],
        input="\n// -----\n".join(texts),
        text=True,
        capture_output=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr[:2000]
