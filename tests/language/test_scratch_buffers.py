"""A buffer that no kernel waits for is scratch of the kernel that reserves its blocks (LANGUAGE, "Buffers, blocks").

Where that kernel used each block before it pushed it, nobody says a word; where it did not, what is said is true.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support.programs import run_ttl

PROGRAM = """
import ttl
import ttnn


@ttl.operation(grid=({nodes}, 1))
def op(a, y):
    net = ttl.PipeNet([ttl.Pipe(src=(x, 0), dst=(x + 1, 0)) for x in range({nodes} - 1)])
    dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=4)
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))
    node = ttl.node(dims=1)

    @ttl.datamovement()
    def first():
{first}

    @ttl.datamovement()
    def second():
{second}

    @ttl.compute()
    def compute():
{compute}


device = ttnn.open_device(device_id=0)
a = ttnn.ones((32, 96), dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT, device=device)
op(a, ttnn.zeros_like(a))
"""
READ = "with dfb.reserve() as blk:\n    ttl.copy(a[0, node], blk).wait()\n"
SEND = "    net.if_src(lambda pipe: ttl.copy(blk, pipe).wait())\n"
RECEIVE = "with y_dfb.reserve() as y_blk:\n    net.if_dst(lambda pipe: ttl.copy(pipe, y_blk).wait())\n"
RECEIVE = (
    "if net.is_dst():\n    " + RECEIVE.replace("\n", "\n    ") + "    ttl.copy(y_blk, y[0, node]).wait()\n"
)
READ_TWICE = (
    "for _ in range(2):\n    "
    + READ.replace("\n    ", "\n        ")
    + "        ttl.copy(blk, y[0, node]).wait()\n"
)
COPY_ON = "    ttl.copy(blk, y[0, node]).wait()\n"
AWAITED = "with dfb.wait() as blk, y_dfb.reserve() as y_blk:\n    y_blk.store(blk)\n"
WRITE = "with y_dfb.wait() as y_blk:\n    ttl.copy(y_blk, y[0, node]).wait()\n"
COMPUTED = "with dfb.reserve() as blk:\n    blk.store(ttl.block.fill(1, shape=(1, 1)))\n"
USED_HERE = COMPUTED + "    with y_dfb.reserve() as y_blk:\n        y_blk.store(2 * blk)\n"
RUNS = (["check"], ["run", "--no-check"], ["run", "--target", "emu"])


def told(arguments: list[str], folder: Path, nodes: int = 3, **kernels: str) -> list[tuple[str, ...]]:
    """The warnings of a program: blocks, nodes, and why."""
    bodies = {
        name: "\n".join("        " + line for line in kernels.get(name, "pass").splitlines())
        for name in ("first", "second", "compute")
    }
    (folder / "program.py").write_text(PROGRAM.format(nodes=nodes, **bodies), encoding="utf-8")
    outcome = run_ttl([*arguments, "program.py"], folder=folder)
    text = outcome.stdout + outcome.stderr
    assert outcome.status == 0, text
    return re.findall(
        r"^warning\[TTL0904\]: (\d+) blocks? of dfb .* on (\d+).*?= note: ([^\n]*)", text, re.M | re.S
    )


@pytest.mark.parametrize("arguments", RUNS, ids=" ".join)
@pytest.mark.parametrize(
    "kernels",
    [
        {"first": READ + COPY_ON},
        {
            "first": READ + SEND + "    if net.is_dst():\n    " + COPY_ON.replace("y[", "a["),
            "second": RECEIVE,
        },
        {"first": READ_TWICE},
        {"compute": USED_HERE, "first": WRITE},
    ],
    ids=["copied on", "sent", "twice", "computed with"],
)
def test_what_was_used_is_not_mentioned(
    arguments: list[str], kernels: dict[str, str], tmp_path: Path
) -> None:
    assert told(arguments, tmp_path, **kernels) == []  # type: ignore[arg-type]


IDLE = "no kernel waits for them there, and the kernel that pushed them did not use their data, either"
FEWER = "a kernel that waits for blocks of dfb takes fewer than are pushed"


@pytest.mark.parametrize("arguments", RUNS, ids=" ".join)
@pytest.mark.parametrize(
    ("kernels", "expected"),
    [
        ({"first": READ}, ("3", "3", IDLE)),
        # The last node has nobody to send to.
        ({"first": READ + SEND, "second": RECEIVE}, ("1", "1", IDLE)),
        ({"first": READ_TWICE, "compute": AWAITED, "second": WRITE}, ("3", "3", FEWER)),
    ],
    ids=["on all nodes", "on the last node", "taken once"],
)
def test_what_nobody_used_is_counted(
    arguments: list[str], kernels: dict[str, str], expected: tuple[str, ...], tmp_path: Path
) -> None:
    assert told(arguments, tmp_path, **kernels) == [expected]  # type: ignore[arg-type]
