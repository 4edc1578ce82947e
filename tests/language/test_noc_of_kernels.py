"""``noc=`` of ``ttl.datamovement`` (002, sections 4.1 and 10.1: hints): one decision for runs, checks, the compiler and its options."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.programs import run_program, run_ttl

PROGRAM = """
import ttl
import ttnn


@ttl.operation(grid=(2, 1))
def double(x, y):
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))
    n = ttl.node(dims=1)

    @ttl.datamovement(noc=READ)
    def read():
        with x_dfb.reserve() as blk:
            ttl.copy(x[0, n], blk).wait()

    @ttl.compute()
    def compute():
        with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
            y_blk.store(2 * x_blk)

    @ttl.datamovement(noc=WRITE)
    def write():
        with y_dfb.wait() as blk:
            ttl.copy(blk, y[0, n]).wait()


x = ttnn.ones((32, 64), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)
y = ttnn.zeros((32, 64), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)
double(x, y)
print(y.numpy().sum())
"""


def program(read: object, write: object) -> str:
    return PROGRAM.replace("READ", str(read)).replace("WRITE", str(write))


def described(read: object, write: object, folder: Path, *flags: str) -> list[tuple[str, int]]:
    """Processor and NoC of the two kernels that move data, in the description that the compiler writes."""
    (folder / "example.py").write_text(program(read, write))
    said = run_ttl(["compile", "example.py", "--emit", "descriptor", *flags], folder=folder)
    assert said.status == 0, said.stderr
    kernels = {item["name"]: item for item in json.loads(said.stdout)["double"]["kernels"]}
    return [(kernels[name]["processor"], kernels[name]["noc"]) for name in ("read", "write")]


@pytest.mark.parametrize(
    ("read", "write", "places"),
    [
        (None, None, [("ncrisc", 0), ("brisc", 1)]),
        (0, 1, [("ncrisc", 0), ("brisc", 1)]),
        (1, 0, [("brisc", 1), ("ncrisc", 0)]),
        (1, None, [("brisc", 1), ("ncrisc", 0)]),
        (None, 0, [("brisc", 1), ("ncrisc", 0)]),
        (0, 0, [("ncrisc", 0), ("brisc", 0)]),
        (1, 1, [("ncrisc", 1), ("brisc", 1)]),
    ],
)
def test_002_4_1_a_kernel_has_the_noc_that_its_author_says(
    read: int | None, write: int | None, places: list[tuple[str, int]], tmp_path: Path
) -> None:
    assert described(read, write, tmp_path) == places
    for flags in ([], ["--target", "emu"]):
        said = run_program(program(read, write), folder=tmp_path, flags=flags, check="auto")
        assert (said.stdout, said.stderr) == ("4096.0\n", "")


@pytest.mark.parametrize("wrong", ["2", "-1", "True", "'1'", "1.0", "(0,)"])
def test_002_4_1_there_are_two_nocs(wrong: str, tmp_path: Path) -> None:
    """What a run says, a check says."""
    text = program(wrong, None)
    (tmp_path / "example.py").write_text(text)
    run = run_program(text, folder=tmp_path, check="off")
    check = run_ttl(["check", "example.py"], folder=tmp_path)
    for said in (run.stderr, check.stdout):
        assert "error[TTL0271]: noc= of @ttl.datamovement() is " in said and "example.py:12:6" in said


def test_002_4_1_a_noc_is_the_same_on_all_nodes(tmp_path: Path) -> None:
    text = program("n", None)
    (tmp_path / "example.py").write_text(text)
    run = run_program(text, folder=tmp_path, check="off")
    assert "error[TTL0271]: noc= of kernel read is 0 on one node and 1 on another" in run.stderr
    assert (
        "error[TTL0271]: noc= of @ttl.datamovement() is "
        in run_ttl(["check", "example.py"], folder=tmp_path).stdout
    )


def test_002_4_1_a_compute_kernel_has_no_noc(tmp_path: Path) -> None:
    text = program(None, None).replace("@ttl.compute()", "@ttl.compute(noc=1)")
    (tmp_path / "example.py").write_text(text)
    for said in (
        run_program(text, folder=tmp_path, check="off").stderr,
        run_ttl(["check", "example.py"], folder=tmp_path).stdout,
    ):
        assert "error[TTL0223]: ttl.compute(): it has no argument noc" in said


def test_002_10_1_hint_and_compile_option_are_one_decision(tmp_path: Path) -> None:
    option = ["--compile-option", "noc.read=1"]
    assert described(None, None, tmp_path, *option) == described(1, None, tmp_path)
    assert described(1, None, tmp_path, *option) == described(1, None, tmp_path)
    assert described(None, 1, tmp_path, *option) == described(1, 1, tmp_path)
    said = run_ttl(
        ["compile", "example.py", "--emit", "descriptor", "--compile-option", "noc.write=0"], folder=tmp_path
    )
    assert said.status == 1 and "TTL1461" in said.stderr
    assert "the program asks for network 1 itself, @ttl.datamovement(noc=1)" in said.stderr


def test_002_10_1_the_tuner_is_offered_what_the_author_left_open(tmp_path: Path) -> None:
    (tmp_path / "example.py").write_text(program(1, None))
    said = run_ttl(["compile", "example.py", "--explain", "--emit", "descriptor"], folder=tmp_path)
    text = " ".join((said.stdout + said.stderr).split())
    assert "@ttl.datamovement(noc=1) asks for it" in text and "the other network is asked for" in text


def test_002_10_1_a_shared_noc_is_written_into_the_host_program(tmp_path: Path) -> None:
    for nocs, count in (((1, 1), 2), ((0, 1), 0)):
        (tmp_path / "example.py").write_text(program(*nocs))
        assert run_ttl(["compile", "example.py", "-o", f"out{count}"], folder=tmp_path).status == 0
        texts = [
            path.read_text()
            for path in (tmp_path / f"out{count}").rglob("*")
            if path.suffix in (".py", ".cpp")
        ]
        assert sum(text.count("noc_mode=ttnn.NOC_MODE.DM_DYNAMIC_NOC") for text in texts) == count
        assert sum(text.count("noc_mode = metal::NOC_MODE::DM_DYNAMIC_NOC") for text in texts) in (0, count)


def test_002_10_1_kernels_of_operations_that_are_called_have_none(tmp_path: Path) -> None:
    text = program(1, None).replace(
        "double(x, y)\nprint",
        "@ttl.operation(grid=(2, 1))\ndef outer(x, y):\n    double(x, y)\n\n\nouter(x, y)\nprint",
    )
    said = run_program(text, folder=tmp_path, check="off")
    assert "error[TTL0271]: kernel read of an operation that is called has noc=" in said.stderr
