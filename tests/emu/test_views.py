"""Sub-views of blocks on the emulated chip: what the simulator computes, and kernels that the real headers accept."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from support.compiled import complaints_about, emitted_file
from support.kernel_check import needs_compiler
from support.programs import run_ttl

HEAD = """
import torch
import ttl
import ttnn
"""
OPERATION = """

@ttl.operation(grid=({nodes}, 1))
def {name}(a, b, out):
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
        n = ttl.node(dims=1)
        with a_dfb.wait() as x, b_dfb.wait() as y, o_dfb.reserve() as o:
{body}

    @ttl.datamovement()
    def write():
        row = 2 * ttl.node(dims=1)
        with o_dfb.wait() as blk:
            ttl.copy(blk, out[row:row + 2, 0:3]).wait()
"""
TAIL = """

torch.manual_seed(1)
a, b = (torch.randint(-4, 5, shape).to(torch.bfloat16) for shape in ((64, 96), (64, 64)))
a, b = (ttnn.from_torch(t, layout=ttnn.TILE_LAYOUT) for t in (a, b))
for op in ({names},):
    out = ttnn.zeros((128, 96), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)
    op(a, b, out)
    result = ttnn.to_torch(out).float()
    print(result.sum().item(), (result * torch.arange(128 * 96).reshape(128, 96) % 977).sum().item())
"""
BODIES = {
    # Written in parts, read in parts: other pages, and nothing else.
    "parts": """
        o[0:2, 0:2].store(x[0:2, 1:3] @ y)
        for r in range(2):
            o[r:r + 1, 2:3].store(x[1 - r:2 - r, 0:1] + y[r:r + 1, 1:2])
    """,
    "by_node": """
        o[n:n + 1, 0:3].store(x[1 - n:2 - n, 0:3] * 2)
        o[1 - n:2 - n, 0:2].store(ttl.block.broadcast(
            ttl.math.reduce_sum(y[n:n + 1, 0:2], dims=[-1]), dims=[-1], shape=(1, 2)))
        o[1 - n:2 - n, 2:3].store(ttl.math.max(x[n:n + 1, 1:2], x[n:n + 1, 2:3]))
    """,
    # Read back while reserved, and waited blocks that are changed.
    "read_back": """
        o.store(x)
        for r in range(2):
            o[r:r + 1, 0:1].store(o[r:r + 1, 0:1] + o[r:r + 1, 1:2] * 2)
        x[n:n + 1, 1:2].store(x[n:n + 1, 1:2] + y[n:n + 1, 0:1])
        o[0:2, 2:3].store(o[0:2, 2:3] + x[0:2, 1:2])
    """,
    "added": """
        for c in range(2):
            for r in range(2):
                o[r:r + 1, c:c + 1] += x[r:r + 1, c:c + 1]
                o[r:r + 1, c:c + 1] += y[1 - r:2 - r, 1 - c:2 - c]
        o[0:2, 2:3] += ttl.block.transpose(y[1:2, 0:2])
    """,
}


def write(folder: Path) -> Path:
    """A program with one operation of each body."""
    parts = [HEAD]
    for name, body in BODIES.items():
        inside = textwrap.indent(textwrap.dedent(body).strip(), " " * 12)
        parts.append(OPERATION.format(name=name, body=inside, nodes=2))
    path = folder / "program.py"
    path.write_text("".join([*parts, TAIL.format(names=", ".join(BODIES))]), encoding="utf-8")
    return path


def test_the_chip_computes_what_the_simulator_computes(tmp_path: Path) -> None:
    write(tmp_path)
    simulated = run_ttl(["run", "program.py"], folder=tmp_path)
    assert simulated.status == 0, simulated.stderr
    assert len(simulated.stdout.splitlines()) == len(BODIES)
    emulated = run_ttl(["run", "--no-check", "--target", "emu", "program.py"], folder=tmp_path)
    assert (emulated.stdout, emulated.status) == (simulated.stdout, 0), emulated.stderr


@pytest.mark.headers
@needs_compiler
def test_the_headers_accept_the_kernels(tmp_path: Path) -> None:
    emitted = emitted_file(write(tmp_path))
    assert emitted.refused == ()
    assert complaints_about([emitted]) == []
