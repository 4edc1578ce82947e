"""``ttl.example``: arguments that are declared are checked like those of calls."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest
import ttnn

import ttl
from ttl.frontend.file import lower_file
from ttl.frontend.lowered import Lowered

BODY = """
def first(x, count=1):
    dfb = ttl.make_dataflow_buffer_like(x, shape=(1, count))

    @ttl.datamovement()
    def read():
        with dfb.reserve() as blk:
            ttl.copy(x[0, :], blk).wait()

    @ttl.datamovement()
    def write():
        dfb.wait().pop()
"""


def read(folder: Path, decorators: str, rest: str = "") -> Lowered:
    path = folder / "program.py"
    path.write_text(f"import ttl\nimport ttnn\n{dedent(decorators).strip()}{BODY}{dedent(rest)}")
    return lower_file(str(path))


def test_declared_arguments_are_specialisations_besides_the_calls(tmp_path: Path) -> None:
    lowered = read(
        tmp_path,
        """
        @ttl.example(ttl.TensorSpec((64, 32)))
        @ttl.example(ttl.TensorSpec((64, 96), ttnn.float32), count=3)
        @ttl.operation(grid=(1, 1))
        """,
        """
        first(ttnn.zeros((32, 64), layout=ttnn.TILE_LAYOUT), 2)
        """,
    )
    assert [finding.code for finding in lowered.diagnostics] == []
    assert [call.arguments for call in lowered.calls] == [
        ("x: 32x64 bfloat16", "count=2"),
        ("x: 64x32 bfloat16", "count=1"),
        ("x: 64x96 float32", "count=3"),
    ]
    assert lowered.notes == []


def test_mistakes_with_declared_arguments_are_found(tmp_path: Path) -> None:
    lowered = read(tmp_path, "@ttl.example(ttl.TensorSpec((64, 64)))\n@ttl.operation(grid=(1, 1))")
    (finding,) = lowered.diagnostics
    assert finding.code == "TTL0515"


def test_layout_and_memory_configuration_are_those_declared(tmp_path: Path) -> None:
    lowered = read(
        tmp_path,
        """
        @ttl.example(ttl.TensorSpec((4, 1), ttnn.float32, ttnn.ROW_MAJOR_LAYOUT, ttnn.L1_MEMORY_CONFIG))
        @ttl.operation(grid=(1, 1))
        """,
    )
    text = str(lowered.module)
    assert "row_major" in text
    assert "l1" in text


WRONG = {
    "too few": "@ttl.example()\n@ttl.operation(grid=(1, 1))",
    "unknown name": "@ttl.example(ttl.TensorSpec((64, 32)), size=1)\n@ttl.operation(grid=(1, 1))",
    "below": "@ttl.operation(grid=(1, 1))\n@ttl.example(ttl.TensorSpec((64, 32)))",
    "shape": "@ttl.example(ttl.TensorSpec(64))\n@ttl.operation(grid=(1, 1))",
    "no extent": "@ttl.example(ttl.TensorSpec((0, 32)))\n@ttl.operation(grid=(1, 1))",
    "type": "@ttl.example(ttl.TensorSpec((64, 32), 'bf16'))\n@ttl.operation(grid=(1, 1))",
    "layout": "@ttl.example(ttl.TensorSpec((64, 32), layout=1))\n@ttl.operation(grid=(1, 1))",
    "memory": "@ttl.example(ttl.TensorSpec((64, 32), memory_config=1))\n@ttl.operation(grid=(1, 1))",
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_declaration_is_an_error_read_and_run(what: str, tmp_path: Path) -> None:
    finding = read(tmp_path, WRONG[what]).diagnostics[0]
    with pytest.raises(ttl.ProgramError) as raised:
        exec(f"{WRONG[what]}{BODY}", {"ttl": ttl, "ttnn": ttnn})
    assert finding.code == raised.value.diagnostic.code == "TTL1315"
    assert finding.message == raised.value.diagnostic.message


def test_the_operation_stays_what_it_is() -> None:
    @ttl.operation(grid=(1, 1))
    def nothing(x):  # type: ignore[no-untyped-def]
        return None

    declared = ttl.example(ttl.TensorSpec([64, 64]))(nothing)  # type: ignore[arg-type]
    assert declared is nothing  # type: ignore[comparison-overlap]
    (example,) = declared.examples
    assert example.args[0] == ttl.TensorSpec((64, 64), ttnn.bfloat16, ttnn.TILE_LAYOUT)
    assert example.kwargs == {}
