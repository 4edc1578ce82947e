"""What the language releases for a program follows the use of blocks, not of names: under every execution, and checked.

Before, a name counted as long as it was used anywhere further down, also for a block it no longer stood for (TTL0329
with one block, TTL0318 with two), and an operand that waits for the rest of its expression did not count (TTL0307).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from support.child import Child
from support.executions import python_core  # noqa: F401 - a fixture
from support.outcomes import of_file

PROGRAM = """
import ttl
import ttnn

@ttl.operation(grid=(1, 1))
def op(a, out):
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=COUNT)
    t_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=1)
    u_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=1)
    y_dfb = ttl.make_dataflow_buffer_like(out, shape=(1, 1), block_count=COUNT)

    @ttl.datamovement()
    def read():
READ

    @ttl.compute()
    def compute():
COMPUTE

    @ttl.datamovement()
    def write():
WRITE

a = ttnn.full((32, 64), 3.0, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)
for _ in range(2):
    out = ttnn.zeros((32, 64), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)
    op(a, out)
    print(out.to_numpy()[0, 0], out.to_numpy()[0, 63])
"""
READ = """
for i in range(2):
    ttl.copy(a[0, i], a_dfb.reserve())
"""
WRITE = """
for i in range(2):
    ttl.copy(y_dfb.wait(), out[0, i])
"""
COMPUTE = """
for _ in range(2):
    y_dfb.reserve().store(a_dfb.wait() + 1)
"""
REBOUND_READ = """
blk = a_dfb.reserve()
ttl.copy(a[0, 0], blk).wait()
blk = a_dfb.reserve()
ttl.copy(a[0, 1], blk).wait()
"""
REBOUND_WRITE = """
blk = y_dfb.wait()
ttl.copy(blk, out[0, 0]).wait()
blk = y_dfb.wait()
ttl.copy(blk, out[0, 1]).wait()
"""
# The last block of the name is released by the program, the one before is not.
LAST_POPPED = REBOUND_WRITE + "blk.pop()\n"
LAST_PUSHED = REBOUND_READ + "blk.push()\n"
REBOUND_IN_BRANCHES = """
for i in range(2):
    if i == 0:
        blk = y_dfb.wait()
    else:
        blk = y_dfb.wait()
    ttl.copy(blk, out[0, i]).wait()
"""

OPERAND = """
for _ in range(2):
    x = a_dfb.wait()
    t_dfb.reserve().store(x * 2)
    y_dfb.reserve().store(x - t_dfb.wait())
"""
METHOD = """
for _ in range(2):
    x = a_dfb.wait()
    y = y_dfb.reserve()
    y.store(x)
    t_dfb.reserve().store(y * 2)
    y.store(y - t_dfb.wait())
"""
ACCUMULATED = """
for _ in range(2):
    x = a_dfb.wait()
    t_dfb.reserve().store(x * 2)
    y = y_dfb.reserve()
    y.store(x * 0)
    y += x
    y += t_dfb.wait()
"""
LOCAL_FUNCTION = """
for _ in range(2):
    x = a_dfb.wait()
    t_dfb.reserve().store(x * 2)
    def rest():
        return x - t_dfb.wait()
    y_dfb.reserve().store(rest())
"""
CHAIN = """
for _ in range(2):
    t = t_dfb.reserve()
    t.store(a_dfb.wait() * 2)
    t = t_dfb.wait()
    u = u_dfb.reserve()
    u.store(t + t)
    t = t_dfb.reserve()
    t.store(u_dfb
        .wait() - 6)
    t = t_dfb.wait()
    y_dfb.reserve().store(t)
"""

CASES = {
    "a name for two waited blocks": (READ, COMPUTE, REBOUND_WRITE, (4, 4)),
    "a name for two reserved blocks": (REBOUND_READ, COMPUTE, WRITE, (4, 4)),
    "the last one popped": (READ, COMPUTE, LAST_POPPED, (4, 4)),
    "the last one pushed": (LAST_PUSHED, COMPUTE, WRITE, (4, 4)),
    "rebound in branches": (READ, COMPUTE, REBOUND_IN_BRANCHES, (4, 4)),
    "an operand that waits": (READ, OPERAND, WRITE, (-3, -3)),
    "a method that waits": (READ, METHOD, WRITE, (-3, -3)),
    "an accumulator that waits": (READ, ACCUMULATED, WRITE, (9, 9)),
    "in a function of the kernel": (READ, LOCAL_FUNCTION, WRITE, (-3, -3)),
    "a name for three blocks of one buffer": (READ, CHAIN, WRITE, (6, 6)),
}


def program(name: str, count: int) -> tuple[str, str]:
    """Text of a case, and what it prints."""
    read, compute, write, (first, last) = CASES[name]
    used = (
        line
        for line in PROGRAM.splitlines(True)
        if line[4:9] not in ("t_dfb", "u_dfb") or line[4:9] in compute
    )
    text = "".join(used).replace("COUNT", str(count))
    for word, body in (("READ\n", read), ("COMPUTE\n", compute), ("WRITE\n", write)):
        text = text.replace(word, "".join(f"        {line}\n" for line in body.strip().splitlines()))
    return text, f"{first:.1f} {last:.1f}\n" * 2


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("name", CASES)
def test_blocks_are_released_after_their_last_use(
    name: str,
    count: int,
    tmp_path: Path,
    python_core: Child | None,  # noqa: F811
) -> None:
    text, prints = program(name, count)
    (tmp_path / "case.py").write_text(text)
    # The first is checked before it runs; the last is compiled.
    for flags in ([], ["--no-check"], ["--no-check", "--replay"], ["--no-check", "--schedule-seed", "1"]):
        found = of_file("case.py", flags, str(tmp_path))
        assert (found.stdout, found.stderr) == (prints, ""), flags
    if python_core is not None:
        found = python_core.call("support.outcomes:of_file", "case.py", ["--no-check"], str(tmp_path))
        assert (found.stdout, found.stderr) == (prints, "")


@pytest.mark.parametrize("name", CASES)
def test_it_compiles(name: str, tmp_path: Path) -> None:
    text, prints = program(name, 1)
    (tmp_path / "case.py").write_text(text)
    found = of_file("case.py", ["--target", "emu"], str(tmp_path))
    assert (found.stdout, found.stderr) == (prints, "")
