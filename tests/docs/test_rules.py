"""The table of what may be used where (docs/reference/rules.md) says what happens."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from docs.blocks import ROOT
from support.programs import run_program

TEXT = (ROOT / "docs" / "reference" / "rules.md").read_text(encoding="utf-8")

PROGRAM = """
import torch
import ttl
import ttnn

a = ttnn.from_torch(torch.ones(64, 64), layout=ttnn.TILE_LAYOUT)
y = ttnn.zeros_like(a)
shared = {}


@ttl.operation(grid=(1, 1))
def operation(a, y):
    a_dfb = shared["a_dfb"] = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    b_dfb = shared["b_dfb"] = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))
    net = shared["net"] = ttl.PipeNet([ttl.Pipe(src=(0, 0), dst=(0, 0))])
    semaphore = shared["semaphore"] = ttl.Semaphore()
    blk = a_dfb
    pass  # body

    @ttl.datamovement()
    def read():
        with a_dfb.reserve() as a_blk:
            ttl.copy(a[0, 0], a_blk).wait()
            blk = shared["blk"] = a_blk
            pass  # data movement

    @ttl.compute()
    def compute():
        with a_dfb.wait() as a_blk, y_dfb.reserve() as y_blk:
            y_blk.store(a_blk + 1)
            blk = a_blk
            pass  # compute

    @ttl.datamovement()
    def write():
        with y_dfb.wait() as y_blk:
            ttl.copy(y_blk, y[0, 0]).wait()


operation(a, y)
a_dfb, b_dfb, net, semaphore, blk = (
    shared[name] for name in ("a_dfb", "b_dfb", "net", "semaphore", "blk")
)
pass  # host
"""
PLACES = ("body", "data movement", "compute", "host")
# What a row of the table stands for. In the body ``blk`` is a buffer: there is no block yet.
SNIPPETS = {
    "ttl.make_dataflow_buffer_like": "ttl.make_dataflow_buffer_like(a, shape=(1, 1))",
    "ttl.PipeNet": "ttl.PipeNet([])",
    "ttl.Semaphore": "ttl.Semaphore()",
    "ttl.grid_size": "ttl.grid_size()",
    "ttl.node": "ttl.node()",
    "dfb.reserve": "b_dfb.reserve()",
    "tensor[...]": "a[0, 1]",
    "ttl.copy": "ttl.copy(blk, blk) if PLACE != 'data movement' else ttl.copy(blk, y[1, 1]).wait()",
    "operators": "ttl.block.fill(1, shape=(1, 1)) if PLACE == 'body' else blk * 2",
    "net.if_src": "net.if_src(lambda pipe: None)",
    "net.if_dst": "net.if_dst(lambda pipe: None)",
    "net.is_src": "net.is_src()",
    "net.is_active": "net.is_active()",
    "get_remote": "semaphore.get_remote((0, 0))",
    "get_remote_multicast": "semaphore.get_remote_multicast()",
    "set": "semaphore.set(1)",
    "inc": "semaphore.get_remote((0, 0)).inc(1)",
    "wait_ge": "semaphore.wait_ge(0)",
    "print": "print(a)",
}


def cells() -> list[tuple[str, str, str]]:
    """Name, place, and what the table says."""
    section = TEXT.partition("## What may be used where")[2].partition("\n## ")[0]
    found = []
    for row in re.findall(r"^\| (`.*|operators.*) \|$", section, re.MULTILINE):
        label, *said = (cell.strip() for cell in row.split(" | "))
        assert len(said) == len(PLACES), row
        names = [name for name in SNIPPETS if re.search(rf"(?<![\w.]){re.escape(name)}(?![\w])", label)]
        assert names, f"nothing to try for {label}"
        found += [(name, place, cell) for name in names for place, cell in zip(PLACES, said, strict=True)]
    return found


def test_every_snippet_is_in_the_table() -> None:
    assert {name for name, _, _ in cells()} == set(SNIPPETS)


@pytest.mark.parametrize(("name", "place", "said"), cells())
def test_the_table_says_what_happens(name: str, place: str, said: str, tmp_path: Path) -> None:
    source = PROGRAM.replace(f"pass  # {place}\n", f"{SNIPPETS[name].replace('PLACE', repr(place))}\n")
    outcome = run_program(source, folder=tmp_path)
    code = re.search(r"errors/(TTL\d{4})", said)
    if code is not None:
        assert f"error[{code[1]}]" in outcome.stderr
    elif said == "no":
        assert "error[TTL" in outcome.stderr or "Error" in outcome.stderr
    elif said == "yes" and name == "dfb.reserve":
        # The block is never written: that is what is wrong, and not the place.
        assert "error[TTL0302]" in outcome.stderr
    elif said == "yes":
        assert (outcome.status, re.findall(r"error\[\w+\]", outcome.stderr)) == (0, [])
