"""What ``ttl compile`` writes: folders, their names, what is said about them, and explanations."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ttl.cli.compile_output import descriptions, explanation, folders, listing, sources, summary, write
from ttl.cli.options import UsageError
from ttl.codegen.compile import Remark
from ttl.codegen.description import KernelDescription, OperandDescription, ProgramDescription
from ttl.source.spans import Span

TENSOR = OperandDescription(
    name="a",
    index=0,
    shape=(-1, 64),
    dtype="bfloat16",
    layout="tile",
    memory="dram",
    memory_layout="interleaved",
    page_bytes=2048,
    accessor=(2, 2048),
)


def program(name: str) -> ProgramDescription:
    kernel = KernelDescription(name="read", file="read.cpp", source=f"// {name}\n", thread="noc")
    return ProgramDescription(
        name=name,
        generation="0.81",
        chip="wormhole",
        grid=(1, 1),
        tensors=(TENSOR,),
        kernels=(kernel,),
        circular_buffers=(),
        semaphores=(),
    )


def test_names_that_differ_in_case_only_are_two_folders() -> None:
    assert folders(map(program, ("add", "add_2", "Add", "mul"))) == ["add", "add_2", "Add_3", "mul"]
    assert list(sources([program("add"), program("Add")])) == ["add/read.cpp", "Add_2/read.cpp"]


def test_kernels_are_listed_under_their_paths() -> None:
    text = "// ----- add/read.cpp -----\n// add\n// ----- mul/read.cpp -----\n// mul\n"
    assert listing([program("add"), program("mul")]) == text


def test_descriptions_are_one_document() -> None:
    found = json.loads(descriptions([program("add"), program("mul")]))
    assert {name: each["name"] for name, each in found.items()} == {"add": "add", "mul": "mul"}


def test_a_summary_says_where_and_for_what() -> None:
    assert summary("out", [program("add")]) == "out/add: 1 kernel for a ?x64 bfloat16\n"


def test_files_are_written_below_the_folder_and_others_stay(tmp_path: Path) -> None:
    (tmp_path / "out" / "add").mkdir(parents=True)
    (tmp_path / "out" / "add" / "mine.txt").write_text("mine")
    write(str(tmp_path / "out"), {"add/kernels/read.cpp": "new\n", "add/run.py": ""})
    write(str(tmp_path / "out"), {"add/kernels/read.cpp": "newer\n"})
    assert (tmp_path / "out" / "add" / "kernels" / "read.cpp").read_text() == "newer\n"
    assert (tmp_path / "out" / "add" / "mine.txt").read_text() == "mine"


@pytest.mark.parametrize("name", ["../read.cpp", "add/../../read.cpp", "/read.cpp", ""])
def test_no_file_is_written_elsewhere(name: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="below a folder"):
        write(str(tmp_path / "out"), {name: ""})
    assert not list(tmp_path.iterdir())


def test_a_file_in_the_way_is_said(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("")
    with pytest.raises(UsageError) as raised:
        write(str(tmp_path / "out"), {"add/read.cpp": ""})
    assert raised.value.diagnostic.code == "TTL0117"


def test_remarks_stand_under_their_lines(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("import ttl\n\n    y_blk.store(a_blk @ b_blk)\n")
    line = Span(file=str(file), line=3, column=17, end_line=3, end_column=30)
    first = Span(file=str(file), line=1, column=1)
    remarks = [
        Remark(None, "two buffers share their memory"),
        Remark(line, "the sum over k stays in DST"),
        Remark(first, "here"),
        Remark(line, "packed once"),
        Remark(line, "the sum over k stays in DST"),
    ]
    assert explanation(remarks, color=False).replace(str(file), "mine.py") == (
        "mine.py:1: import ttl\n"
        "  - here\n"
        "mine.py:3: y_blk.store(a_blk @ b_blk)\n"
        "  - the sum over k stays in DST\n"
        "  - packed once\n"
        "the operation as a whole:\n"
        "  - two buffers share their memory\n"
    )
    assert explanation([], color=False) == "nothing to explain: no operation was compiled\n"
