"""What a program keeps of a launch beyond its end can be shown, and not used (specification, "Block")."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.programs import run_program

PROGRAM = """
import torch
import ttl
import ttnn

kept = {}


@ttl.operation(grid=(1, 1))
def operation(a):
    a_dfb = kept["dfb"] = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

    @ttl.datamovement()
    def read():
        with a_dfb.reserve() as a_blk:
            ttl.copy(a[0, 0], a_blk).wait()

    @ttl.compute()
    def compute():
        with a_dfb.wait() as a_blk, y_dfb.reserve() as y_blk:
            kept["blk"], kept["expr"] = a_blk, a_blk + 1
            y_blk.store(kept["expr"])

    @ttl.datamovement()
    def write():
        with y_dfb.wait() as y_blk:
            ttl.copy(y_blk, a[0, 0]).wait()


operation(ttnn.from_torch(torch.ones(32, 32), layout=ttnn.TILE_LAYOUT))
"""


@pytest.mark.parametrize(
    ("use", "message"),
    [
        ("kept['dfb'].reserve()", "error[TTL0328]: reserve() on a_dfb after its operation ended"),
        ("kept['dfb'].wait()", "error[TTL0328]: wait() on a_dfb after its operation ended"),
        ("kept['blk'] * 2", "error[TTL0335]: block of a_dfb used after its operation ended"),
        ("kept['blk'].pop()", "error[TTL0335]: block of a_dfb used after its operation ended"),
        ("kept['blk'].store(kept['expr'])", "error[TTL0335]: block of a_dfb used after its operation ended"),
        ("kept['expr'] * 2", "error[TTL0335]: a block expression used after its operation ended"),
        ("ttl.math.exp(kept['expr'])", "error[TTL0335]: a block expression used after its operation ended"),
    ],
)
def test_using_it_is_an_error_that_says_so(use: str, message: str, tmp_path: Path) -> None:
    outcome = run_program(PROGRAM + use, folder=tmp_path)
    assert outcome.stderr.splitlines()[0] == message
    assert outcome.status == 1


@pytest.mark.parametrize("name", ["dfb", "blk", "expr"])
def test_showing_it_works(name: str, tmp_path: Path) -> None:
    outcome = run_program(f"{PROGRAM}print(repr(kept[{name!r}]))", folder=tmp_path)
    assert outcome.status == 0
    assert outcome.stdout.startswith("<")
