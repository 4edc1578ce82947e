"""What the guides under docs/internals say is done in a copy of the package: so many files, and it works.

The changes stand on the pages as blocks in the language ``udiff``, with paths from the root of the project. What is
in a copy is found by Python first: nothing here changes the tree.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
GUIDES = ROOT / "docs" / "internals"
_CHANGE = re.compile(r"^```udiff\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_CODES = "src/ttl/diag/codes/"

CHECKED = '''
import pathlib
from ttl.check.module import check_module
from ttl.frontend.file import lower_file

pathlib.Path("program.py").write_text("""
import ttl, ttnn

@ttl.operation(grid=(1, 1))
def op(x: ttnn.Tensor):
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1), block_count=1)

    @ttl.datamovement()
    def read():
        with x_dfb.reserve() as x_blk:
            ttl.copy(x[0, 0], x_blk).wait()

    @ttl.datamovement()
    def write():
        with x_dfb.wait() as x_blk:
            ttl.copy(x_blk, x[0, 0]).wait()

device = ttnn.open_device(device_id=0)
op(ttnn.zeros((32, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device))
""")
print([(finding.code, finding.primary.span.line) for finding in check_module(lower_file("program.py").module)])
'''

STRIPPED = """
import sys
from io import StringIO
from ttl.opt.main import TTL_OPT

PROGRAM = '''
ttkernel.program @loud() grid <1x1> {
  ttkernel.kernel @compute tensix {
    ttkernel.dprint ["here"]
  }
}
'''
printed = StringIO()
assert TTL_OPT.run(["-p", sys.argv[1]], StringIO(PROGRAM), printed, sys.stderr) == 0
print(printed.getvalue().count("dprint"))
"""

CUBE_ROOT = """
import torch
import ttl
import ttnn

@ttl.operation(grid=(1, 1))
def op(x: ttnn.Tensor, y: ttnn.Tensor):
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))

    @ttl.datamovement()
    def read():
        with x_dfb.reserve() as x_blk:
            ttl.copy(x[0, 0], x_blk).wait()

    @ttl.compute()
    def compute():
        with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
            y_blk.store(ttl.math.cbrt(x_blk))

    @ttl.datamovement()
    def write():
        with y_dfb.wait() as y_blk:
            ttl.copy(y_blk, y[0, 0]).wait()

device = ttnn.open_device(device_id=0)
x = ttnn.full((32, 32), -27.0, dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT, device=device)
y = ttnn.zeros((32, 32), dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT, device=device)
op(x, y)
print(round(ttnn.to_torch(y)[0, 0].item(), 4))
"""

GRID = """
import ttl
import ttnn

@ttl.operation(grid="auto")
def op(x: ttnn.Tensor, y: ttnn.Tensor):
    first = ttl.node() == (0, 0)
    if first:
        print(ttl.grid_size())
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))

    @ttl.datamovement()
    def read():
        if first:
            with x_dfb.reserve() as x_blk:
                ttl.copy(x[0, 0], x_blk).wait()

    @ttl.datamovement()
    def write():
        if first:
            with x_dfb.wait() as x_blk:
                ttl.copy(x_blk, y[0, 0]).wait()

device = ttnn.open_device(device_id=0)
x, y = (ttnn.zeros((32, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device) for _ in range(2))
op(x, y)
"""


ROLL = """
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
func.func @forward(%x: tensor<64x96xbf16>) -> tensor<64x96xbf16> {
  %out = tensor.empty() : tensor<64x96xbf16>
  %rolled = "ttir.roll"(%x, %out) <{dim = 1 : si32, operand_constraints = [#any_device, #any_device], shift = 32 : si32}> : (tensor<64x96xbf16>, tensor<64x96xbf16>) -> tensor<64x96xbf16>
  return %rolled : tensor<64x96xbf16>
}
"""

ROLLED = """
import sys

sys.path.insert(0, "tests")
from support.single_operations import valid
from ttl.ir.context import make_context
from ttl.ir.parser import parse_text
from ttmlir.dialects import ttir
from tt_model.operations.dialects import DIALECTS
from tt_model.reference.interpreter import interpret

text = open("model.mlir").read().replace("64x96", "1x3").replace("32 :", "1 :")
(values,) = interpret(parse_text(make_context(DIALECTS), text, "model.mlir"), "forward", [[[1.0, 2.0, 3.0]]])
example = next(one for one in valid() if one.name == "ttir.roll")
print(values.tolist(), ttir.RollOp.__name__, '"ttir.roll"' in example.text())
"""


CUMSUM = """
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
func.func @forward(%x: tensor<64x96xbf16>) -> tensor<64x96xbf16> {
  %out = tensor.empty() : tensor<64x96xbf16>
  %sums = "ttir.cumsum"(%x, %out) <{dim = 1 : si32, operand_constraints = [#any_device, #any_device]}> : (tensor<64x96xbf16>, tensor<64x96xbf16>) -> tensor<64x96xbf16>
  return %sums : tensor<64x96xbf16>
}
"""

SUMMED = """
import sys

import torch

sys.path.insert(0, "tests")
from support.single_operations import valid
from ttmlir.dialects import ttnn
from ttmlir.loaded import load

model = load("model.ttnn")
x = torch.randn(64, 96).bfloat16()
right = torch.equal(model.run(x), torch.cumsum(x.double(), 1).bfloat16())
assert [one.cycles > 0 for one in model.estimates() if one.kind.name == "ttnn.cumsum"] == [True]
names = [one.name for one in valid() if one.name.endswith("cumsum")]
print(right, ttnn.CumsumOp.__name__, names)
"""


def test_adding_a_function(tmp_path: Path) -> None:
    """The row and its kernel: it runs, is checked and compiled, and the tables for C++ follow."""
    assert len(applied("adding-a-function.md", tmp_path)) == 2
    (tmp_path / "program.py").write_text(CUBE_ROOT, encoding="utf-8")
    assert ran(tmp_path, "program.py") == "-3.0"
    kernels = ran(tmp_path, "-m", "ttl", "compile", "--emit", "cpp", "program.py")
    assert "cbrt_tile_init();" in kernels and "cbrt_tile(0);" in kernels
    shutil.copytree(ROOT / "scripts", tmp_path / "scripts")
    ran(tmp_path, "scripts/update_native_tables.py")
    assert '"cbrt"' in (tmp_path / "native" / "generated" / "tables.h").read_text(encoding="utf-8")
    compiler = os.environ.get("CXX") or shutil.which("c++")
    if compiler is not None:
        machine = tmp_path / "native" / "machine" / "kernels_plain.cpp"
        subprocess.run([compiler, "-std=c++20", "-fsyntax-only", f"-I{tmp_path}/native", machine], check=True)


def test_adding_a_check(tmp_path: Path) -> None:
    touched = applied("adding-a-check.md", tmp_path)
    assert len([path for path in touched if not path.startswith(_CODES)]) == 2
    assert ran(tmp_path, "-c", CHECKED) == "[('TTL0899', 6)]"


def test_adding_a_pass(tmp_path: Path) -> None:
    assert len(applied("adding-a-pass.md", tmp_path)) == 2
    assert ran(tmp_path, "-c", STRIPPED, "ttkernel-strip-prints{all=true}") == "0"
    assert ran(tmp_path, "-c", STRIPPED, "ttkernel-strip-prints") == "1"


def test_adding_an_operation_of_ttir(tmp_path: Path) -> None:
    """The class and what stages do with it: it is read, compiled, written, run, and compared with the reference after each pass."""
    assert len(applied("adding-a-ttir-operation.md", tmp_path, "An operation that is decomposed")) == 4
    _compiled_and_run(tmp_path, ROLL)
    assert ran(tmp_path, "-c", ROLLED) == "[[3.0, 1.0, 2.0]] RollOp True"


def test_adding_an_operation_of_ttir_and_ttnn(tmp_path: Path) -> None:
    """All stages follow from the class: file, run, cost, call of the library; torch says what is right."""
    assert len(applied("adding-a-ttir-operation.md", tmp_path, "An operation that TTNN has, too")) == 4
    _compiled_and_run(tmp_path, CUMSUM)
    assert ran(tmp_path, "-c", SUMMED) == "True CumsumOp ['ttir.cumsum', 'ttnn.cumsum']"
    script = ran(tmp_path, "-m", "ttmlir.translate", "--ttnn-to-python", "model.ttnn.mlir")
    assert re.search(r"ttnn\.cumsum\(\w+, dim=1, memory_config=", script), script


def _compiled_and_run(tmp_path: Path, model: str) -> None:
    (tmp_path / "model.mlir").write_text(model, encoding="utf-8")
    ran(
        tmp_path, "-m", "ttmlir.opt", "--ttir-to-ttnn-backend-pipeline", "model.mlir", "-o", "model.ttnn.mlir"
    )
    ran(tmp_path, "-m", "ttmlir.translate", "--ttnn-to-flatbuffer", "model.ttnn.mlir", "-o", "model.ttnn")
    ran(tmp_path, "-m", "ttrt", "run", "--golden", "model.ttnn")
    assert [one["result"] for one in json.loads((tmp_path / "run_results.json").read_text())] == ["pass"]


def test_adding_a_chip(tmp_path: Path) -> None:
    assert len(applied("adding-a-chip.md", tmp_path)) == 1
    (tmp_path / "program.py").write_text(GRID, encoding="utf-8")
    assert ran(tmp_path, "-m", "ttl", "run", "--arch", "p100", "program.py") == "(11, 10)"
    assert "nothing found" in ran(tmp_path, "-m", "ttl", "check", "--arch", "p100", "program.py")
    assert "wormhole|blackhole|p100" in ran(tmp_path, "-m", "ttl", "check", "--help")


def applied(guide: str, folder: Path, section: str = "") -> set[str]:
    """Copy the package into a folder and change the copy as a page says, or a section of it; the paths of the files it touches."""
    text = (GUIDES / guide).read_text(encoding="utf-8")
    changes = _CHANGE.findall(
        text.partition(f"\n## {section}\n")[2].partition("\n## ")[0] if section else text
    )
    assert changes, f"{guide} changes nothing"
    # Byte code is that of the copy, too: it goes by the times of the sources, which are copied. pytest's own is of no use.
    ignored = shutil.ignore_patterns("*.so", "*-pytest-*", "*.pyc.*")
    for name in ("src", "native", "tests/support", "tests/ttmlir/operations"):
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    touched: set[str] = set()
    for change in changes:
        # A page shows few lines around a change, and line numbers are of no use to its readers.
        done = subprocess.run(
            ["git", "apply", "--recount", "-C1", "--whitespace=nowarn", "-"],
            cwd=folder,
            input=change,
            text=True,
            capture_output=True,
            env={**os.environ, "GIT_CEILING_DIRECTORIES": str(folder.parent)},
        )
        assert done.returncode == 0, f"{guide}: {done.stderr}\n{change}"
        touched.update(re.findall(r"^\+\+\+ b/(\S+)$", change, re.MULTILINE))
    return touched


def ran(folder: Path, *arguments: str) -> str:
    """What Python prints, called with these arguments, where ``ttl`` is the copy."""
    set_here: Mapping[str, str] = {"PYTHONPATH": str(folder / "src"), "TTL_CORE": "python"}
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        env={**os.environ, **set_here},
    )
    if done.returncode:
        pytest.fail(done.stderr)
    return done.stdout.strip()
