"""``ttl compile`` with the compiler behind it: what is written for a program, and what is said about it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.programs import Outcome, run_ttl
from ttl.cli.status import Status
from ttl.dialects.text import parse_module
from ttl.passes.pipeline import PASSES

PROGRAM = """
import ttl
import ttnn


@ttl.operation(grid=(1, 1))
def double(x, y):
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))

    @ttl.datamovement()
    def read():
        for row in range(x.shape[0] // 32):
            with x_dfb.reserve() as x_blk:
                ttl.copy(x[row, 0], x_blk).wait()

    @ttl.compute()
    def compute():
        for row in range(x.shape[0] // 32):
            with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
                y_blk.store(x_blk + x_blk)

    @ttl.datamovement()
    def write():
        for row in range(x.shape[0] // 32):
            with y_dfb.wait() as y_blk:
                ttl.copy(y_blk, y[row, 0]).wait()


def tensor(rows, dtype=ttnn.bfloat16):
    return ttnn.ones((rows, 32), dtype=dtype, layout=ttnn.TILE_LAYOUT)


double(tensor(32), tensor(32))
double(tensor(64), tensor(64))
double(tensor(32), tensor(32))
"""
FILES = {"CMakeLists.txt", "README.md", "host.cpp", "kernels", "program.json", "run.py"}


def compile(folder: Path, *arguments: str, text: str = PROGRAM) -> Outcome:
    (folder / "mine.py").write_text(text, encoding="utf-8")
    return run_ttl(["compile", "mine.py", *arguments], folder=folder)


def test_every_kind_of_call_gets_a_folder(tmp_path: Path) -> None:
    outcome = compile(tmp_path, "-o", "out/made")
    assert (outcome.status, outcome.stderr) == (Status.OK, "")
    assert outcome.stdout == (
        "out/made/double: 3 kernels for x 32x32 bfloat16, y 32x32 bfloat16\n"
        "out/made/double_2: 3 kernels for x 64x32 bfloat16, y 64x32 bfloat16\n"
    )
    folder = tmp_path / "out" / "made"
    assert {path.name for path in folder.iterdir()} == {"double", "double_2"}
    assert {path.name for path in (folder / "double").iterdir()} == FILES
    assert {path.name for path in (folder / "double" / "kernels").iterdir()} == {
        "read.cpp",
        "compute.cpp",
        "write.cpp",
    }


def test_the_same_program_gives_the_same_files(tmp_path: Path) -> None:
    for name in ("one", "two"):
        compile(tmp_path, "-o", name)
    one, two = (
        {path.relative_to(tmp_path / name): path.read_bytes() for path in tmp_path.glob(f"{name}/**/*.*")}
        for name in ("one", "two")
    )
    assert one and one == two


def test_kernels_alone(tmp_path: Path) -> None:
    printed = compile(tmp_path, "--emit", "cpp").stdout
    assert [line for line in printed.splitlines() if line.startswith("// -----")] == [
        f"// ----- {folder}/{kernel}.cpp -----"
        for folder in ("double", "double_2")
        for kernel in ("read", "compute", "write")
    ]
    assert compile(tmp_path, "--emit", "cpp", "-o", "out").stdout == ""
    assert (tmp_path / "out" / "double" / "read.cpp").read_text() in printed


@pytest.mark.parametrize(("generation", "name"), [("0.69", "add_tiles_init("), ("0.81", "add_init(")])
def test_kernels_are_written_for_a_generation_of_the_api(generation: str, name: str, tmp_path: Path) -> None:
    assert name in compile(tmp_path, "--emit", "cpp", "--api", generation).stdout
    described = json.loads(compile(tmp_path, "--emit", "descriptor", "--api", generation).stdout)
    assert [each["generation"] for each in described.values()] == [generation] * 2


def test_descriptions_are_one_document(tmp_path: Path) -> None:
    outcome = compile(tmp_path, "--emit", "descriptor", "-o", "out.json")
    described = json.loads((tmp_path / "out.json").read_text())
    assert outcome.stdout == "" and described.keys() == {"double", "double_2"}
    assert [kernel["name"] for kernel in described["double"]["kernels"]] == ["read", "compute", "write"]


def test_the_ir_of_the_chip_can_be_read_again(tmp_path: Path) -> None:
    printed = compile(tmp_path, "--emit", "ttkernel").stdout
    module = parse_module(printed, "out.mlir")
    assert [op.name for op in module.ops] == ["ttkernel.program"] * 2


def test_every_step_is_shown_on_the_side(tmp_path: Path) -> None:
    outcome = compile(tmp_path, "--emit", "cpp", "--print-ir-after-all")
    steps = [
        line.removeprefix("// -----// IR after ").removesuffix(" //----- //")
        for line in outcome.stderr.splitlines()
        if line.startswith("// -----//")
    ]
    assert steps == ["the front end", *[kind.name for kind in PASSES] * 2]


def test_decisions_are_explained_at_their_lines(tmp_path: Path) -> None:
    text = PROGRAM.replace("x_blk + x_blk", "ttl.math.reduce_sum(ttl.math.exp(x_blk), dims=[-1])")
    alone = compile(tmp_path, "--explain", text=text)
    number = 1 + next(n for n, line in enumerate(text.splitlines()) if "reduce_sum" in line)
    assert f"mine.py:{number}: y_blk.store(" in alone.stdout
    assert (alone.status, alone.stderr) == (Status.OK, "")
    beside = compile(tmp_path, "--explain", "--emit", "cpp", text=text)
    assert beside.stderr == alone.stdout and beside.stdout.startswith("// -----")


def test_without_a_flag_it_prints_the_kernels(tmp_path: Path) -> None:
    plain, asked = compile(tmp_path), compile(tmp_path, "--emit", "cpp")
    assert plain == asked and plain.status == Status.OK
    assert "// ----- double/compute.cpp -----" in plain.stdout


def test_what_is_wrong_is_not_compiled(tmp_path: Path) -> None:
    wrong = PROGRAM.replace("y_blk.store(x_blk + x_blk)", "pass")
    outcome = compile(tmp_path, "-o", "out", text=wrong)
    assert (outcome.status, outcome.stdout) == (Status.FAILED, "")
    assert "error[TTL0302]" in outcome.stderr
    assert not (tmp_path / "out").exists()


def test_states_of_blocks_are_checked_whatever_is_written(tmp_path: Path) -> None:
    wrong = PROGRAM.replace("ttl.copy(x[row, 0], x_blk).wait()", "pass", 1)
    for emit in ("ttl", "ttkernel", "emitc", "cpp", "descriptor"):
        outcome = compile(tmp_path, "--emit", emit, text=wrong)
        assert outcome.status == Status.FAILED, emit
        assert "error[TTL0302]" in outcome.stderr, emit
        # The IR of the language is that of the program as it is.
        assert ("ttl.operation" in outcome.stdout) == (emit == "ttl"), emit


def test_what_cannot_be_compiled_does_not_hide_the_rest(tmp_path: Path) -> None:
    both = PROGRAM.replace("double(tensor(64), tensor(64))", "double(*(tensor(32, ttnn.uint8),) * 2)")
    outcome = compile(tmp_path, "-o", "out", text=both)
    assert outcome.status == Status.FAILED
    assert outcome.stderr.startswith("error[TTL14") and "x_blk + x_blk" in outcome.stderr
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"double"}


def test_a_program_without_a_call_is_told_so(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("x = 1\n")
    found = run_ttl(["compile", "--emit", "cpp", "mine.py"], folder=tmp_path)
    assert found == Outcome(
        status=1, stdout="", stderr="nothing was compiled: the program calls no operation\n"
    )


def test_an_operation_that_nothing_calls_is_named(tmp_path: Path) -> None:
    outcome = compile(tmp_path, "--emit", "cpp", text=PROGRAM.partition("\n\n\ndouble(")[0] + "\n")
    assert (outcome.status, outcome.stdout) == (Status.FAILED, "")
    assert outcome.stderr.startswith(
        "not compiled: operation double: no call passes it tensors of known shapes"
    )
