"""Attributes in a module: aliases outside and inside other attributes, and text that LLVM's ``mlir-opt`` reads."""

from __future__ import annotations

import io
import shutil
import subprocess
from pathlib import Path

import pytest

from support.ttmlir_text import ATTRIBUTE_EXAMPLES as EXAMPLES
from ttmlir.opt.main import TTMLIR_OPT

MLIR_OPT = next(
    (path for name in ("mlir-opt", "/usr/lib/llvm-19/bin/mlir-opt") if (path := shutil.which(name))), None
)
MODULE = "\n".join(f'"a.b{number}"() {{x = {text}}} : () -> ()' for number, text in enumerate(EXAMPLES))


def opt(text: str) -> str:
    output, errors = io.StringIO(), io.StringIO()
    assert TTMLIR_OPT.run(["--allow-unregistered-dialect"], io.StringIO(text), output, errors) == 0, (
        errors.getvalue()
    )
    return output.getvalue()


def test_all_attributes_in_one_module() -> None:
    printed = opt(MODULE)
    assert opt(printed) == printed
    # An alias stands in place of the short form, and of the whole.
    assert "#ttnn.memory_config<<interleaved>, #dram, <<64x128>>>" in printed
    assert "!tt.device<#device>" in printed
    assert "#tt.buffer<memref<2x2xf32, #l1_>, alias>" in printed
    assert "!ttkernel.cb<cb_in0, 1024, memref<1x1x!tt.tile<32x32, f32>, #l1_>, 4096, 1>" in printed


@pytest.mark.mlir
@pytest.mark.skipif(MLIR_OPT is None, reason="no mlir-opt")
def test_mlir_reads_them(tmp_path: Path) -> None:
    path = tmp_path / "a.mlir"
    path.write_text(opt(MODULE))
    assert MLIR_OPT is not None
    run = subprocess.run(
        [MLIR_OPT, "--allow-unregistered-dialect", path], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
