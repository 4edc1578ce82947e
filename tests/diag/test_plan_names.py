"""Names of the plan (002) and of the tools of its day: understood with a note, or refused with what they are today."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from support.programs import run_ttl
from ttl.diag import plan_names
from ttl.dialects import ttl as dialect
from ttl.opt.main import TTL_OPT


def opt(text: str, *arguments: str) -> tuple[int, str]:
    """Exit code of ``ttl-opt`` for a text, and what it says."""
    output, errors = io.StringIO(), io.StringIO()
    return TTL_OPT.run(arguments, io.StringIO(text), output, errors), errors.getvalue()


CURRENT = {kind.name for kind in (*dialect.OPERATIONS, *dialect.TYPES, *dialect.ATTRIBUTES)}
PASSES = {kind.name for kind in TTL_OPT.passes}


def test_what_a_name_is_today_exists_and_the_name_does_not() -> None:
    assert set(plan_names.IR.values()) <= CURRENT
    assert not set(plan_names.IR) & CURRENT
    assert set(plan_names.PASSES.values()) <= PASSES
    assert not set(plan_names.PASSES) & PASSES


OLDER = """import torch
import ttnn
from ttlang import ttl

@ttl.ttl_kernel(grid=(1, 2), memory_space="L1", tiled=True)
def copied(a, y):
    a_cb = ttl.make_circular_buffer_like(a, shape=(1, 1), buffer_factor=2)

    @ttl.datamovement()
    def read():
        with a_cb.reserve() as blk:
            ttl.copy(a[ttl.core_dim(1), 0], blk).wait()

    @ttl.datamovement()
    def write():
        with a_cb.wait() as blk:
            ttl.copy(blk, y[ttl.core_dim(1), 0]).wait()

device = ttnn.open_device(device_id=0)
a = ttnn.from_torch(torch.full((64, 32), 3.0), layout=ttnn.TILE_LAYOUT, device=device)
y = ttnn.zeros_like(a)
copied(a, y)
print(float(ttnn.to_torch(y).sum()))
"""
NOTES = ("TTL1201", "TTL1203", "TTL1206", "TTL1207", "TTL1208", "TTL1215")


@pytest.mark.parametrize("verb", ["run", "check"])
def test_002_7_older_names_are_understood_with_a_note(verb: str, tmp_path: Path) -> None:
    (tmp_path / "older.py").write_text(OLDER)
    done = run_ttl([verb, "older.py"], folder=tmp_path)
    assert done.status == 0, done.stderr
    if verb == "run":
        assert done.stdout == "6144.0\n"
    said = done.stdout + done.stderr
    assert [code for code in NOTES if f"note[{code}]" not in said] == []


def test_the_fixes_are_todays_names(tmp_path: Path) -> None:
    program = tmp_path / "older.py"
    program.write_text(OLDER)
    run_ttl(["check", "--fix", "older.py"], folder=tmp_path)
    text = program.read_text()
    assert "import ttl\n" in text and "ttl.operation(grid=(1, 2))" in text and "ttl.node(1)" in text
    done = run_ttl(["run", "older.py"], folder=tmp_path)
    assert (done.status, done.stdout, done.stderr) == (0, "6144.0\n", "")


REFUSED = {
    "import ttl\nttl.if_pipe_src": "write net.if_src(function)",
    "import ttl\nttl.TensorAccessor": "slice the tensor itself",
    "import ttl\n@ttl.operation(grid=(1, 1), block_factors=[(1, 1)])\ndef f(a): pass": "the shape of its blocks",
    "import ttl\n@ttl.operation(grid=(1, 1), compile_time_args=[1])\ndef f(a): pass": "are constants of the compiled kernels",
    "from ttlang.d2m_api import compile_ttl_kernel": "write @ttl.operation(grid=...)",
    "from ttlang.runtime import execute_ttl_kernel": "call the operation, which launches it",
    "import ttl, ttnn\nttnn.DataFormat.Float16_b": "use ttnn.bfloat16 or another element type",
}  # fmt: skip


@pytest.mark.parametrize("program", REFUSED)
def test_002_7_names_without_a_counterpart_say_what_to_write(program: str, tmp_path: Path) -> None:
    (tmp_path / "older.py").write_text(f"{program}\n")
    done = run_ttl(["run", "older.py"], folder=tmp_path)
    assert done.status != 0 and "Traceback" not in done.stderr
    assert REFUSED[program] in done.stderr


@pytest.mark.parametrize("name", plan_names.IR)
def test_002_4_names_in_ir_are_refused_with_todays(name: str) -> None:
    current = plan_names.IR[name]
    if name in ("ttl.cb", "ttl.xf"):
        text = f"func.func private @f(!{name})\n"
    elif name in ("ttl.tensor_encoding", "ttl.core_mask"):
        text = f"module attributes {{a = #{name}<1>}} {{}}\n"
    else:
        text = f'"{name}"() : () -> ()\n'
    status, said = opt(text)
    assert status == 1
    assert f"note: {name} is a name of the plan: today that is {current}" in said


WRITTEN = (
    "TTLExpandThreads",
    "TTLCanonicalizePass",
    "TTLVerifyLayoutsPass",
    "TTLInferDSTRequirements",
    "TTLAllocateCircularBuffers",
)


@pytest.mark.parametrize("name", [*plan_names.PASSES, *WRITTEN])
@pytest.mark.parametrize("form", ["-p", "--", "--pass-pipeline"])
def test_002_5_names_of_passes_are_refused_with_todays(name: str, form: str) -> None:
    asked = {
        "-p": ["-p", name],
        "--": [f"--{name}"],
        "--pass-pipeline": ["--pass-pipeline", f"builtin.module({name})"],
    }
    status, said = opt("module {}\n", *asked[form])
    assert status == 2
    assert f"{name} is a pass of the plan" in said and said.rstrip().rpartition("today that is ")[2] in PASSES
