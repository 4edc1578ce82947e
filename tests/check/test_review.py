"""Programs in the styles that authors of kernels write in: each right, then with one mistake.

Right ones have no finding and run. Of a mistake the checker says first what the simulator says, at the same line.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from support.programs import run_ttl

pytest.importorskip("torch")

FOLDER = Path(__file__).parent / "review"
HELPERS = "row_helpers"
RIGHT = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != HELPERS)

# Program, what is replaced, by what, and the code of what is wrong then.
MISTAKES = {
    "a block is not popped": ("lists_of_buffers", "reversed(blocks)", "blocks[1:]", "TTL0329"),
    "a block is pushed before it is written": (
        "lists_of_buffers",
        "with y_dfb.reserve() as out:\n                out.store(total)",
        "out = y_dfb.reserve()\n            out.push()\n            out.store(total)",
        "TTL0302",
    ),
    "tensor after tensor is read, tile after tile is used": (
        "lists_of_buffers",
        "for i in range(tiles):\n            for t, dfb in zip(inputs, dfbs, strict=True):",
        "for t, dfb in zip(inputs, dfbs, strict=True):\n            for i in range(tiles):",
        "TTL0917",
    ),
    "a kernel is not decorated": ("lists_of_buffers", "    @ttl.compute()\n", "", "TTL0219"),
    "the writer reserves": (
        "lists_of_buffers",
        "with y_dfb.wait() as blk:\n                ttl.copy(blk, y[i, 0])",
        "with y_dfb.reserve() as blk:\n                ttl.copy(y[i, 0], blk)",
        "TTL0315",
    ),
    "a block is pushed twice": (
        "functions_returning_blocks",
        "fetch(b_dfb, b[r, c]).push()",
        "blk = fetch(b_dfb, b[r, c])\n                blk.push()\n                blk.push()",
        "TTL0311",
    ),
    "one buffer is waited for in place of another": (
        "functions_returning_blocks",
        "b_dfb.wait() as b_blk",
        "a_dfb.wait() as b_blk",
        "TTL0913",
    ),
    "too few blocks for a transfer in flight": ("prefetch", "block_count=3)", "block_count=1)", "TTL0322"),
    "the last block is not pushed": ("prefetch", "            pending[1].push()\n\n", "\n", "TTL0901"),
    "a slice beyond the tensor": ("prefetch", "y[n + row, 0:2]", "y[n + row, 1:3]", "TTL0507"),
    "one turn too many": ("configuration_object", "_ in range(ks)", "_ in range(ks + 1)", "TTL0913"),
    "factors that do not fit": (
        "configuration_object",
        "shape=(cfg.k, cfg.n)",
        "shape=(cfg.n + 1, cfg.n)",
        "TTL0515",
    ),
    "nobody receives": (
        "row_major_ring",
        "ring.if_dst(lambda pipe: ttl.copy(pipe, blk).wait())",
        "ttl.copy(x[me, :], blk).wait()",
        "TTL0903",
    ),
    "a pipe leaves the grid": ("row_major_ring", "(i + 1) % N,", "i + 1,", "TTL0603"),
    "two shapes at the ends of a pipe": (
        "row_major_ring",
        "in_dfb = ttl.make_dataflow_buffer_like(y, shape=(width,))",
        "in_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, width))",
        "TTL0611",
    ),
    "a multicast to the sender": ("gather_and_multicast", "slice(1, width)", "slice(0, width)", "TTL0903"),
    "a buffer with two consumers": (
        "gather_and_multicast",
        "with mean.wait()",
        "with gathered.wait()",
        "TTL0316",
    ),
    "a semaphore is awaited too high": ("semaphore", "wait_ge(i + 1)", "wait_ge(i + 2)", "TTL0920"),
    "the wrong node increments": (
        "semaphore",
        "if col == 0:\n                tell",
        "if col == 1:\n                tell",
        "TTL0917",
    ),
    "a semaphore outside the grid": ("semaphore", "get_remote((1, 0))", "get_remote((2, 0))", "TTL0603"),
    "a condition on a block": ("semaphore", "a * 2 if col == 0", "a * 2 if a > 0", "TTL0422"),
    "an argument is missing": ("semaphore", "dev(torch.zeros(128, 32)), y)", "y)", "TTL0208"),
    "shapes that differ in a helper": ("helper_module", "softmax(x_blk, cols)", "softmax(x_blk, cols + 1)", "TTL0405"),
    "a block that a helper cannot fill": (
        "helper_module",
        "x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, cols))",
        "x_dfb = ttl.make_dataflow_buffer_like(x, shape=(2, cols))",
        "TTL0515",
    ),
    "more than fits into L1": (
        "two_stages",
        "sq_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, cols))",
        "sq_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, cols), block_count=200)",
        "TTL0801",
    ),
    "a copy the wrong way round": (
        "two_stages",
        "ttl.copy(x[i % rows, :], blk)",
        "ttl.copy(blk, x[i % rows, :])",
        "TTL0301",
    ),
    "a kernel returns a tensor": ("two_stages", "            xf.wait()\n", "            xf.wait()\n        return y\n", "TTL0206"),
    "a function that does not exist": ("operation_factory", "math.sigmoid", "math.sigmiod", "TTL0228"),
    "a tensor in place of a block": ("operation_factory", "function(x_blk)", "function(x)", "TTL0401"),
}  # fmt: skip


def _found(said: str) -> tuple[str, str]:
    """Code and line of the first error."""
    found = re.search(r"^error\[(TTL\d+)\].*?\n +--> ([\w./]+:\d+)", said, re.MULTILINE)
    assert found is not None, said
    return found[1], found[2]


def _written(folder: Path, name: str, text: str) -> None:
    shutil.copy(FOLDER / f"{HELPERS}.py", folder)
    (folder / f"{name}.py").write_text(text, encoding="utf-8")


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_program_has_no_finding_and_runs(name: str, tmp_path: Path) -> None:
    _written(tmp_path, name, (FOLDER / f"{name}.py").read_text(encoding="utf-8"))
    checked = run_ttl(["check", f"{name}.py"], folder=tmp_path)
    assert checked.status == 0
    assert re.fullmatch(
        r"checked 1 file, [12] operations?, [1-4] specialisations?: nothing found\n", checked.stdout
    )
    ran = run_ttl(["run", f"{name}.py"], folder=tmp_path)
    assert (ran.status, ran.stderr) == (0, "")


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_found_without_running_it(mistake: str, tmp_path: Path) -> None:
    name, right, wrong, code = MISTAKES[mistake]
    text = (FOLDER / f"{name}.py").read_text(encoding="utf-8")
    assert right in text
    _written(tmp_path, name, text.replace(right, wrong, 1))
    checked = run_ttl(["check", f"{name}.py"], folder=tmp_path)
    ran = run_ttl(["run", "--no-check", f"{name}.py"], folder=tmp_path)
    assert (checked.status, ran.status) == (1, 1), ran.stderr
    assert _found(checked.stdout) == _found(ran.stderr)
    assert _found(ran.stderr)[0] == code


def test_an_operation_that_needs_data_is_not_counted_as_checked(tmp_path: Path) -> None:
    (tmp_path / "data.py").write_text(NEEDS_DATA, encoding="utf-8")
    checked = run_ttl(["check", "data.py"], folder=tmp_path)
    assert (checked.status, checked.stdout) == (
        3,
        "checked 1 file, 0 of 1 operation, 0 specialisations: nothing was checked\n"
        "not checked in data.py: operation first in line 18 is not compiled: "
        "order comes from the values in an array of torch in line 5\n",
    )


NEEDS_DATA = """import torch
import ttl
import ttnn

order = [int(row) for row in torch.randperm(4)]


@ttl.operation(grid=(2, 1))
def first(x: ttnn.Tensor) -> None:
    dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))

    @ttl.datamovement()
    def read():
        with dfb.reserve() as blk:
            ttl.copy(x[order[ttl.node(dims=1)], 0], blk).wait()


first(ttnn.zeros((128, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT))
"""


def test_a_mistake_in_a_function_is_not_a_second_one_where_it_is_called(tmp_path: Path) -> None:
    """What a function returns is not known when it fails: that is not one more thing to say."""
    text = (FOLDER / "helper_module.py").read_text(encoding="utf-8")
    _written(tmp_path, "helper_module", text.replace("(x_blk, cols)", "(x_blk, cols + 1)"))
    checked = run_ttl(["check", "helper_module.py"], folder=tmp_path)
    assert re.findall(r"^error\[(\w+)\]", checked.stdout, re.MULTILINE) == ["TTL0405"]


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        # What a list of tiles holds depends on the node; ranges may.
        (
            "functions_returning_blocks",
            "own_rows, own_cols = ",
            "work = [(r, c) for r in range(ny, rows, gy) for c in range(nx, cols, gx)]\n    own_rows, own_cols = ",
        ),
        # A transfer is kept from turn to turn, and the node decides how many turns there are: 20 rows for 3 nodes.
        ("prefetch", "[i * total for i in range(rows // total)]", "range(0, rows - n, total)"),
    ],
)
def test_what_cannot_be_compiled_runs_with_a_warning(
    name: str, right: str, wrong: str, tmp_path: Path
) -> None:
    text = (FOLDER / f"{name}.py").read_text(encoding="utf-8")
    assert right in text
    _written(tmp_path, name, text.replace(right, wrong).replace("grid=(4, 1)", "grid=(3, 1)"))
    checked = run_ttl(["check", f"{name}.py"], folder=tmp_path)
    assert (checked.status, _found(checked.stdout)[0]) == (1, "TTL1305")
    ran = run_ttl(["run", f"{name}.py"], folder=tmp_path)
    assert ran.status == 0 and "warning[TTL1305]" in ran.stderr
