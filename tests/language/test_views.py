"""Sub-views of blocks, ``blk[0:1, 0:2]``: what they compute, and what a run and a check refuse, in the same words."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import pytest

from support.programs import run_ttl

PROGRAM = """
import ttl
import ttnn
{imports}

@ttl.operation(grid=({nodes}, 1))
def op(a, b, out):
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(2, 3))
    b_dfb = ttl.make_dataflow_buffer_like(b, shape=(2, 2))
    o_dfb = ttl.make_dataflow_buffer_like(out, shape=(2, 3))

    @ttl.datamovement()
    def read():
        with a_dfb.reserve() as blk:
            ttl.copy(a[0:2, 0:3], blk).wait()
        with b_dfb.reserve() as blk:
            ttl.copy(b[0:2, 0:2], blk).wait()

    @ttl.compute()
    def compute():
        with a_dfb.wait() as x, b_dfb.wait() as y:
            with o_dfb.reserve() as o:
{compute}

    @ttl.datamovement()
    def write():
        with o_dfb.wait() as blk:
            ttl.copy({copied}, out[0:2, 0:3]).wait()


a = ttnn.arange(0, 64 * 96, dtype=ttnn.int32).reshape((64, 96))
b = ttnn.arange(0, 64 * 64, dtype=ttnn.int32).reshape((64, 64))
a, b = (ttnn.to_layout(t, ttnn.TILE_LAYOUT) for t in (a, b))
out = ttnn.zeros((64, 96), dtype=ttnn.int32, layout=ttnn.TILE_LAYOUT)
op(a, b, out)
print(ttnn.to_torch(out)[::31, ::31].tolist())
"""
# What is not asked is used, so that nobody warns that it is not.
USES = "o.store(x)\n"
WAYS = (["check"], ["run", "--no-check"])


def program(compute: str, *, nodes: int = 1, copied: str = "blk", imports: str = "") -> str:
    inside = textwrap.indent(textwrap.dedent(compute).strip("\n"), " " * 16)
    return PROGRAM.format(compute=inside, nodes=nodes, copied=copied, imports=imports)


def said(arguments: list[str], source: str, folder: Path) -> list[tuple[str, str]]:
    """Errors, with their lines, and warnings about sub-views."""
    (folder / "program.py").write_text(source, encoding="utf-8")
    outcome = run_ttl([*arguments, "program.py"], folder=folder)
    text = outcome.stdout + outcome.stderr
    found = re.findall(r"^(\w+)\[(TTL\d+)\]: (.*)\n", text, re.MULTILINE)
    return [(code, message) for severity, code, message in found if severity == "error" or code == "TTL0367"]


REFUSED = {
    "outside": (
        "o[0:2, 1:4].store(x)",
        "TTL0363",
        "sub-view 1:4 is out of range in dimension 1, which has 3 tiles",
    ),
    "elements": (
        "o[0:32, 0:1].store(x)",
        "TTL0363",
        "sub-view 0:32 is out of range in dimension 0, which has 2 tiles",
    ),
    "negative": (
        "o[-1:2, 0:3].store(x)",
        "TTL0363",
        "sub-view -1:2 is out of range in dimension 0, which has 2 tiles",
    ),
    "empty": ("o[1:1].store(x)", "TTL0363", "empty sub-view 1:1 in dimension 0"),
    "in a loop": (
        "for r in range(3):\n    o[r:r + 1].store(x[0:1])",
        "TTL0363",
        "sub-view 2:3 is out of range in dimension 0, which has 2 tiles",
    ),
    "of a sub-view": (
        "o[0:1][1:2].store(x)",
        "TTL0363",
        "sub-view 1:2 is out of range in dimension 0, which has 1 tile",
    ),
    "a number": ("o[0, 0:3].store(x)", "TTL0364", "an index of the number 0 in a sub-view of a block"),
    "a number of a loop": (
        "for r in range(2):\n    o[r, 0:3].store(x)",
        "TTL0364",
        "an index of (a number|the number 0) in a sub-view of a block",
    ),
    "a step": ("o[0:2:2].store(x)", "TTL0364", "sub-view with step 2 in dimension 0"),
    "too many": ("o[0:1, 0:1, 0:1].store(x)", "TTL0364", "3 slices for a block of o_dfb of 2 dimensions"),
    "a fraction": ("o[0:2 / 2, 0:3].store(x)", "TTL0364", "bounds of a sub-view are whole numbers, not .*"),
    "pushed": ("o.store(x)\no[0:1].push()", "TTL0365", "push on a sub-view of a block"),
    "popped": ("o.store(x)\nx[0:1].pop()", "TTL0365", "pop on a sub-view of a block"),
    "assigned": ("o[0:1, 0:1] = x[0:1, 0:1]", "TTL0366", "assignment to a sub-view of a block of o_dfb"),
    "other shape": (
        "o[0:1, 0:3].store(x[0:1, 0:2])",
        "TTL0332",
        r"store of an expression of \(1, 2\) tiles = \(32, 64\) elements into sub-view \[0:1, 0:3\] of a block of o_dfb .*",
    ),
    "unwritten part": (
        "o[0:2, 0:2].store(y)",
        "TTL0302",
        "block of o_dfb pushed, but nothing was ever written to 2 of its 6 tiles",
    ),
    "unwritten in a loop": (
        "for r in range(2):\n    for c in range(1, 3):\n        o[r:r + 1, c:c + 1].store(x[r:r + 1, c:c + 1])",
        "TTL0302",
        "block of o_dfb pushed, but nothing was ever written to 2 of its 6 tiles",
    ),
    "read before written": (
        "o[0:1].store(x[0:1])\no[1:2].store(o[0:1] + o[1:2])",
        "TTL0301",
        r"sub-view \[1:2, 0:3\] of a block of o_dfb read in an expression before anything was written to it",
    ),
    "read partly before written": (
        "o[0:1].store(x[0:1])\no[1:2, 0:2].store(y[1:2])\no[1:2].store(o[1:2] + 1)",
        "TTL0301",
        r"sub-view \[1:2, 0:3\] .* read in an expression before anything was written to 1 of its 3 tiles",
    ),
    "whole read before all written": (
        "o[0:1].store(x[0:1])\no.store(o + 1)",
        "TTL0301",
        "block of o_dfb read in an expression before anything was written to 3 of its 6 tiles",
    ),
    "written twice": (
        "o.store(x)\no[0:1].store(x[1:2])",
        "TTL0304",
        r"sub-view \[0:1, 0:3\] of a block of o_dfb stored into before its data was read",
    ),
    "whole written over a part": (
        "o[0:1].store(x[0:1])\no.store(x)",
        "TTL0304",
        "block of o_dfb stored into before its data was read",
    ),
    "waited, not read": (
        "x[0:1].store(x[1:2])\no.store(x)",
        "TTL0304",
        r"sub-view \[0:1, 0:3\] of a block of a_dfb stored into before its data was read",
    ),
    "written over and lost": (
        "o.store(x)\nx[0:1].store(x[1:2])",
        "TTL0303",
        "block of a_dfb written over and popped, but nothing read what was written",
    ),
    "after the push": (
        "o.store(x)\no.push()\no[0:1].store(x[0:1])",
        "TTL0307",
        "block of o_dfb stored into after it was pushed",
    ),
    "after the pop": (
        "v = x[0:1]\no.store(x)\nx.pop()\no[0:1].store(o[0:1] + v)",
        "TTL0307",
        "block of a_dfb read in an expression after it was popped",
    ),
    "no expression": ("o[0:1].store(1)", "TTL0330", "store takes a block expression, not int 1"),
    "fractions into integers": (
        "o[0:1].store(ttl.math.typecast(x[0:1], ttnn.float32))",
        "TTL0334",
        r"store of an expression of float32 into sub-view \[0:1, 0:3\] of a block of o_dfb of int32",
    ),
}


@pytest.mark.parametrize("arguments", WAYS, ids=" ".join)
@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused(case: str, arguments: list[str], tmp_path: Path) -> None:
    compute, code, message = REFUSED[case]
    found = said(arguments, program(compute), tmp_path)
    assert [each for each, _ in found][:1] == [code], found
    assert re.fullmatch(message, found[0][1]), found[0][1]


@pytest.mark.parametrize("arguments", WAYS, ids=" ".join)
def test_a_node_that_leaves_the_block(arguments: list[str], tmp_path: Path) -> None:
    compute = "n = ttl.node(dims=1)\no.store(x)\no[n:n + 1].store(o[n:n + 1] + 1)"
    assert said(arguments, program(compute, nodes=2), tmp_path) == []
    found = said(arguments, program(compute, nodes=3), tmp_path)
    assert {*found} == {("TTL0363", "sub-view 2:3 is out of range in dimension 0, which has 2 tiles")}


@pytest.mark.parametrize("arguments", WAYS, ids=" ".join)
def test_copies_take_whole_blocks(arguments: list[str], tmp_path: Path) -> None:
    found = said(arguments, program(USES, copied="blk[0:2, 0:3]"), tmp_path)
    assert found == [("TTL0365", "ttl.copy() with a sub-view of a block of o_dfb")]


@pytest.mark.parametrize("arguments", WAYS, ids=" ".join)
def test_a_data_movement_kernel_computes_with_no_part(arguments: list[str], tmp_path: Path) -> None:
    source = program(USES).replace("ttl.copy(blk, out", "blk[0:1] + 1\n            ttl.copy(blk, out")
    found = said(arguments, source, tmp_path)
    assert found[0] == ("TTL0312", "block of o_dfb used in an expression in data movement kernel write")


def test_where_what_is_written_is_not_known_a_check_says_so(tmp_path: Path) -> None:
    """A loop that goes on until it is left has turns that nobody counted."""
    compute = """
        r = 0
        while r * r < 3:
            o[r:r + 1].store(x[r:r + 1])
            r += 1
    """
    found = said(["check"], program(compute), tmp_path)
    assert found in (
        [],
        [
            (
                "TTL0367",
                "block of o_dfb pushed, and whether each of its tiles was written is known only when the kernel runs",
            )
        ],
    )
    assert said(["run", "--no-check"], program(compute), tmp_path) == []


A = [[row * 96 + column for column in range(96)] for row in range(64)]
B = [[row * 64 + column for column in range(64)] for row in range(64)]
COMPUTED = {
    "loops": (
        "for r in range(2):\n    for c in range(3):\n        o[r:r + 1, c:c + 1].store(x[1 - r:2 - r, 2 - c:3 - c])",
        lambda r, c: A[(1 - r // 32) * 32 + r % 32][(2 - c // 32) * 32 + c % 32],
    ),
    "several, with a sum": (
        "o[0:2, 0:2].store(y)\no[0:2, 2:3].store(o[0:2, 0:1] + o[0:2, 1:2])",
        lambda r, c: B[r][c] if c < 64 else B[r][c - 64] + B[r][c - 32],
    ),
    "added to": (
        "o[0:1, 0:2] += x[0:1, 0:2]\nfor r in range(2):\n    o[r:r + 1, 0:2] += y[r:r + 1]\no[0:2, 2:3] += x[0:2, 2:3]",
        lambda r, c: (A[r][c] if r < 32 or c >= 64 else 0) + (B[r][c] if c < 64 else 0),
    ),
    "sub-views of sub-views": (
        "v = x[0:2, 1:3]\no.store(x)\no[1:2][..., 0:2].store(o[1:2, 0:2] + v[0:1])",
        lambda r, c: A[r][c] + (A[r - 32][c + 32] if r >= 32 and c < 64 else 0),
    ),
    "a waited block changed": (
        "x[0:1, 0:2].store(x[0:1, 0:2] + y[1:2])\no.store(x)",
        lambda r, c: A[r][c] + (B[r + 32][c] if r < 32 and c < 64 else 0),
    ),
    "all of it": ("o[:].store(x[...])", lambda r, c: A[r][c]),
}


@pytest.mark.parametrize("case", COMPUTED)
def test_what_they_compute(case: str, tmp_path: Path) -> None:
    compute, value = COMPUTED[case]
    (tmp_path / "program.py").write_text(program(compute), encoding="utf-8")
    outcome = run_ttl(["run", "program.py"], folder=tmp_path)
    assert "error" not in outcome.stderr, outcome.stderr
    assert eval(outcome.stdout) == [[value(r, c) for c in range(0, 96, 31)] for r in range(0, 64, 31)]
