"""The debugger in kernels: ``breakpoint()`` stops in the user's kernel, steps go through the user's code."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import ttl.diag

SOURCE = Path(ttl.diag.__file__).parent.parent.parent

PROGRAM = """\
import ttl
import ttnn


@ttl.operation(grid=(2, 1))
def op(a, out):
    me = ttl.node(dims=1)
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    out_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

    @ttl.datamovement()
    def read():
        with a_dfb.reserve() as blk:
            ttl.copy(a[0, 0], blk).wait()

    @ttl.compute()
    def compute():
        with a_dfb.wait() as a_blk, out_dfb.reserve() as out_blk:
            if me == 1:
                breakpoint()
            doubled = a_blk + a_blk
            out_blk.store(doubled)
            last = "of the block"

    @ttl.datamovement()
    def write():
        with out_dfb.wait() as blk:
            ttl.copy(blk, out[me, 0]).wait()


a = ttnn.full((32, 32), 3, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)
out = ttnn.zeros((64, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)
op(a, out)
print("sum", ttnn.to_numpy(out).sum())
"""


def debugged(
    commands: list[str], folder: Path, *arguments: str, program: str = PROGRAM
) -> tuple[str, str, int]:
    """Standard output and error of the program with these debugger commands."""
    (folder / "debugged.py").write_text(program, encoding="utf-8")
    outcome = subprocess.run(
        [sys.executable, *arguments, "debugged.py"],
        input="\n".join([*commands, ""]),
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(SOURCE), "OMP_NUM_THREADS": "1"},
        timeout=120,
    )
    return outcome.stdout, outcome.stderr, outcome.returncode


def test_a_breakpoint_shows_blocks_and_steps_in_user_code(tmp_path: Path) -> None:
    # From Python 3.13 on the debugger stops at the call of ``breakpoint`` and not at the line after it.
    first = ["n"] if sys.version_info >= (3, 13) else []
    commands = [
        *first,
        "p me",
        "p a_blk",
        "p out_blk",
        "p a_dfb",
        "n",
        "p doubled",
        "n",
        "p out_blk",
        "n",
        "p last",
        "w",
        "c",
    ]
    for arguments in ((), ("-m", "ttl", "run")):
        stdout, stderr, status = debugged(commands, tmp_path, *arguments)
        assert (status, stderr) == (0, ""), stderr
        answers = [part.strip() for part in stdout.split("(Pdb)")][len(first) :]
        stopped, me, a_blk, out_blk, a_dfb, step, doubled, second, stored, third, last, stack, rest = answers
        assert "debugged.py" in stopped and "doubled = a_blk + a_blk" in stopped
        assert me == "1"
        assert "block of a_dfb" in a_blk and "3. 3. 3." in a_blk
        assert "not written" in out_blk
        assert "a_dfb: shape=(1, 1)" in a_dfb
        assert "out_blk.store(doubled)" in step
        assert "6. 6. 6." in doubled
        assert 'last = "of the block"' in second
        assert "6. 6. 6." in stored
        assert "debugged.py" in third
        assert last == "'of the block'"
        assert "compute()" in stack
        assert "sum 12288.0" in rest


def test_a_breakpoint_of_the_debugger_itself(tmp_path: Path) -> None:
    """``python -m pdb`` and ``b LINE`` inside a kernel."""
    line = PROGRAM.splitlines().index("            out_blk.store(doubled)") + 1
    program = PROGRAM.replace("                breakpoint()", "                pass")
    commands = [f"b {line}", "c", "p me, doubled", "c", "p me", "c", "q"]
    stdout, _, _ = debugged(commands, tmp_path, "-m", "pdb", program=program)
    answers = [part.strip() for part in stdout.split("(Pdb)")]
    assert "out_blk.store(doubled)" in answers[2]
    assert answers[3].startswith("(0, <expression add") and "6. 6. 6." in answers[3]
    assert "out_blk.store(doubled)" in answers[4]
    assert answers[5] == "1"
    assert "sum 12288.0" in answers[6]


def test_quitting_the_debugger_ends_the_program(tmp_path: Path) -> None:
    stdout, stderr, status = debugged(["q"], tmp_path)
    assert status != 0
    assert "sum" not in stdout
    assert "BdbQuit" in stderr
    assert "InternalError" not in stderr and "TTL9001" not in stderr
