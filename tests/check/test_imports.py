"""What checking a program imports, and what it does not: most of the time of a first check are imports (performance.md)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

PROGRAM = """\
import ttl
import ttnn


@ttl.operation(grid=(2, 1))
def twice(x, y):
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))
    node = ttl.node(dims=1)

    @ttl.datamovement()
    def read():
        with x_dfb.reserve() as blk:
            ttl.copy(x[0, node], blk).wait()

    @ttl.compute()
    def compute():
        with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
            y_blk.store(x_blk + x_blk)

    @ttl.datamovement()
    def write():
        with y_dfb.wait() as blk:
            ttl.copy(blk, y[0, node]).wait()


x = ttnn.zeros((32, 64), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)
y = ttnn.zeros((32, 64), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)
"""
CHECKED = """
before = set()
from ttl.cli.main import main
assert main(["check", __file__]) == 0
"""
# As ``ttl run`` does it; what the run needs is imported before.
CALLED = """
import ttl.check.launch, ttl.sim.launch
before = set(sys.modules)
ttl.check.launch.before(twice, (x, y), {}, ttl.settings.current())
"""
TOLD = """
def made():
    for name in sorted(set(sys.modules) - before):
        for value in list(vars(sys.modules[name]).values()):
            if isinstance(value, type) and value.__module__ == name and "__dataclass_fields__" in vars(value):
                yield f"{name}.{value.__qualname__}"

print(json.dumps([sorted(set(sys.modules) - before), sorted(set(made()))]))
"""
# What the compiler, the simulator, the other verbs and reports are made of.
NOT_NEEDED = (
    "torch",
    "xdsl.dialects.memref",
    "ttl.opt",
    "ttl.codegen",
    "ttl.emu",
    "ttl.kernel_api",
    "ttl.dialects.ttkernel",
    "ttl.dialects.kernel",
    "ttl.dialects.tiles",
    "ttl.ir.printer",
    "ttl.ir.tool",
    "ttl.ir.driver",
    "ttl.ir.expected",
    "ttl.ir.pipeline",
    "ttl.ir.upstream",
    "ttl.diag.text",
    "ttl.diag.json",
    "ttl.deadlock",
    "ttl.check.network.leftovers",
    "ttl.check.network.unequal",
)
PASSES = {
    "ttl.passes",
    "ttl.passes.buffers",
    "ttl.passes.buffers.l1",
    "ttl.passes.contracts",
    "ttl.passes.infer_sync",
}


@cache
def imported(folder: Path, what: str) -> tuple[frozenset[str], tuple[str, ...]]:
    """The modules that a fresh process imports, and the dataclasses made in them."""
    program = folder / "twice.py"
    if what == "check":
        program.write_text(PROGRAM + "\n\ntwice(x, y)\n", encoding="utf-8")
        code = f"import json, sys\n__file__ = {str(program)!r}\n{CHECKED}{TOLD}"
    else:
        program.write_text(f"import json, sys\n{PROGRAM}{CALLED}{TOLD}", encoding="utf-8")
        code = f"import runpy, ttl\nrunpy.run_path({str(program)!r})"
    environment = {**os.environ, "TTL_CACHE_DIR": str(folder / "cache")}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    modules, classes = json.loads(done.stdout.splitlines()[-1])
    return frozenset(modules), tuple(classes)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("imports")


@pytest.mark.parametrize("what", ["check", "first call"])
def test_a_program_without_a_mistake_imports_the_front_end_and_the_checks_only(
    folder: Path, what: str
) -> None:
    modules, _ = imported(folder, what)
    assert {"ttl.check.module", "xdsl.dialects.affine", "ttl.dialects.ttl"} <= modules
    unneeded = [
        name for name in modules for part in NOT_NEEDED if name == part or name.startswith(f"{part}.")
    ]
    assert unneeded == []
    assert {name for name in modules if name.startswith("ttl.passes")} == PASSES


def test_memref_can_be_imported_afterwards() -> None:
    program = (
        "from ttl.ir.lean import import_lean\nimport_lean()\nimport xdsl.dialects.affine as affine\n"
        "import xdsl.dialects.memref as memref\nassert memref.MemRefType is affine.MemRefType\n"
        "assert memref.LoadOp.name == 'memref.load'\nimport_lean()\nimport xdsl.dialects.memref as again\n"
        "assert again is memref"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.xfail(
    strict=True,
    raises=AssertionError,
    reason="first call of an operation, imports included: xDSL makes 240 dataclasses, half a millisecond each",
)
def test_a_first_call_makes_few_classes(folder: Path) -> None:
    _, classes = imported(folder, "first call")
    assert len(classes) <= 100


@pytest.mark.xfail(
    strict=True,
    raises=AssertionError,
    reason="ttl check of 300 lines in a fresh process takes 520 ms, asked 500: xDSL makes 240 dataclasses for it",
)
def test_a_cold_check_makes_few_classes(folder: Path) -> None:
    _, classes = imported(folder, "check")
    assert len(classes) <= 100
