"""Operations as one body (specification 0.19, "Unified body"): run, checked and emulated, with the results of NumPy."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.programs import run_ttl

HEAD = """\
import numpy as np
import ttl
import ttnn
from ttl import copy as move
from ttl import math as functions


def load(source, blk):
    move(source, blk).wait()


"""
OPERATION = """\
@ttl.operation(grid=(2, 1))
def run(a, b, y):
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    b_dfb = ttl.make_dataflow_buffer_like(b, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))
"""
TAIL = """

generator = np.random.default_rng(0)
a, b = (generator.integers(-8, 8, (64, 128)).astype(np.float32) for _ in range(2))
device = ttnn.open_device(device_id=0)
on = dict(dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT, device=device)
y = ttnn.zeros((64, 128), **on)
run(ttnn.Tensor(a, **on), ttnn.Tensor(b, **on), y)
wanted = WANTED
assert np.array_equal(y.numpy(), wanted), (y.numpy() - wanted)
print("ok")
"""

# Of each: the body behind the buffers, and what y is.
BODIES = {
    "transfers under way in a list": (
        """
    x, _ = ttl.node(dims=2)
    for column in range(4):
        transfers, blks = [], [a_dfb.reserve(), b_dfb.reserve()]
        for tensor, blk in zip((a, b), blks):
            transfers.append(ttl.copy(tensor[x, column], blk))
        for transfer in reversed(transfers):
            transfer.wait()
        for blk in blks:
            blk.push()
        with a_dfb.wait() as blk, b_dfb.wait() as b_blk, y_dfb.reserve() as y_blk:
            y_blk.store(blk - b_blk)
        with y_dfb.wait() as blk:
            ttl.copy(blk, y[x, column]).wait()
""",
        "a - b",
    ),
    "transfers in a list that is made before all loops": (
        """
    x, _ = ttl.node(dims=2)
    transfers = []
    for column in range(4):
        with a_dfb.reserve() as blk, b_dfb.reserve() as b_blk:
            transfers.append(ttl.copy(a[x, column], blk))
            transfers.append(ttl.copy(b[x, column], b_blk))
            transfers[-2].wait()
            transfers[-1].wait()
        with a_dfb.wait() as blk, b_dfb.wait() as b_blk, y_dfb.reserve() as y_blk:
            y_blk.store(blk * 2 + b_blk)
        with y_dfb.wait() as blk:
            ttl.copy(blk, y[x, column]).wait()
""",
        "a * 2 + b",
    ),
    "a list of parts of a tensor": (
        """
    x, _ = ttl.node(dims=2)
    parts = [a[x, column] for column in range(4)]
    for part in range(4):
        with a_dfb.reserve() as blk, b_dfb.reserve() as b_blk:
            ttl.copy(parts[part], blk).wait()
            ttl.copy(b[x, part], b_blk).wait()
        with a_dfb.wait() as blk, b_dfb.wait() as b_blk, y_dfb.reserve() as y_blk:
            y_blk.store(blk + b_blk)
        with y_dfb.wait() as blk:
            ttl.copy(blk, y[x, part]).wait()
""",
        "a + b",
    ),
    "elementwise": (
        """
    x, _ = ttl.node(dims=2)
    for column in range(4):
        with a_dfb.reserve() as blk, b_dfb.reserve() as b_blk:
            ttl.copy(a[x, column], blk).wait()
            ttl.copy(b[x, column], b_blk).wait()
        with a_dfb.wait() as blk, b_dfb.wait() as b_blk, y_dfb.reserve() as y_blk:
            y_blk.store(blk + b_blk)
        with y_dfb.wait() as blk:
            ttl.copy(blk, y[x, column]).wait()
""",
        "a + b",
    ),
    "nested, by other names, with a function around the body": (
        """
    x, _ = ttl.node(dims=2)
    for column in range(4):
        with a_dfb.reserve() as blk:
            load(a[x, column], blk)
        with a_dfb.wait() as blk, y_dfb.reserve() as y_blk:
            with b_dfb.reserve() as other:
                load(source=b[x, column], blk=other)
            with b_dfb.wait() as other:
                y_blk.store(functions.max(blk, other))
        with y_dfb.wait() as blk:
            move(blk, y[x, column])
""",
        "np.maximum(a, b)",
    ),
    "kept transfers, two in flight, without with": (
        """
    x, _ = ttl.node(dims=2)
    for column in range(4):
        a_blk, b_blk = a_dfb.reserve(), b_dfb.reserve()
        xf_a = ttl.copy(a[x, column], a_blk)
        xf_b = ttl.copy(b[x, column], b_blk)
        xf_a.wait()
        xf_b.wait()
        a_blk.push()
        b_blk.push()
        a_blk, b_blk, y_blk = a_dfb.wait(), b_dfb.wait(), y_dfb.reserve()
        product = a_blk * b_blk
        y_blk.store(product - 1)
        a_blk.pop()
        b_blk.pop()
        y_blk.push()
        y_blk = y_dfb.wait()
        xf = ttl.copy(y_blk, y[x, column])
        xf.wait()
        y_blk.pop()
""",
        "a * b - 1",
    ),
    "conditions, and numbers that every thread computes": (
        """
    x, _ = ttl.node(dims=2)
    column = 0
    while column < 4:
        odd = column % 2 == 1
        if odd:
            with b_dfb.reserve() as blk:
                ttl.copy(b[x, column], blk).wait()
            with b_dfb.wait() as blk, y_dfb.reserve() as y_blk:
                y_blk.store(blk * 3)
        else:
            with a_dfb.reserve() as blk:
                ttl.copy(a[x, column], blk).wait()
            with a_dfb.wait() as blk, y_dfb.reserve() as y_blk:
                y_blk.store(blk)
        with y_dfb.wait() as blk:
            ttl.copy(blk, y[x, column]).wait()
        column += 1
""",
        "np.where(np.arange(128) // 32 % 2 == 1, b * 3, a)",
    ),
    "an accumulation, a function of the body for two threads, break": (
        """
    x, _ = ttl.node(dims=2)

    def step(column):
        with a_dfb.reserve() as blk:
            ttl.copy(a[x, column], blk).wait()
        with b_dfb.reserve() as blk:
            ttl.copy(b[x, column], blk).wait()

    for target in range(4):
        with y_dfb.reserve() as y_blk:
            total = ttl.block.fill(0, shape=(1, 1))
            for column in range(10):
                if column > target:
                    break
                step(column)
                with a_dfb.wait() as a_blk, b_dfb.wait() as b_blk:
                    total += a_blk * b_blk
            y_blk.store(total)
        with y_dfb.wait() as y_blk:
            ttl.copy(y_blk, y[x, target]).wait()
""",
        "np.cumsum((a * b).reshape(64, 4, 32), axis=1).reshape(64, 128)",
    ),
    "lists of buffers": (
        """
    x, _ = ttl.node(dims=2)
    inputs, buffers = (a, b), (a_dfb, b_dfb)
    for column in range(4):
        for source, dfb in zip(inputs, buffers):
            with dfb.reserve() as blk:
                ttl.copy(source[x, column], blk).wait()
        with buffers[0].wait() as first, buffers[1].wait() as second, y_dfb.reserve() as y_blk:
            y_blk.store(first - second)
        with y_dfb.wait() as blk:
            ttl.copy(blk, y[x, column]).wait()
""",
        "a - b",
    ),
    "a pipe": (
        """
    net = ttl.PipeNet([ttl.Pipe(src=(0, 0), dst=(1, 0))])
    x, _ = ttl.node(dims=2)
    for column in range(4):
        with b_dfb.reserve() as blk:
            ttl.copy(b[x, column], blk).wait()
        with a_dfb.reserve() as blk:

            def send(pipe):
                ttl.copy(a[0, column], blk).wait()
                ttl.copy(blk, pipe).wait()

            net.if_src(send)
            net.if_dst(lambda pipe: ttl.copy(pipe, blk).wait())
        with a_dfb.wait() as blk, b_dfb.wait() as b_blk, y_dfb.reserve() as y_blk:
            y_blk.store(blk + b_blk)
        with y_dfb.wait() as blk:
            ttl.copy(blk, y[x, column]).wait()
""",
        "np.concatenate([a[:32], a[:32]]) + b",
    ),
    "a send on a mover of its own, behind its receive, in a with over all": (
        """
    net = ttl.PipeNet([ttl.Pipe(src=(x, 0), dst=(1 - x, 0)) for x in range(2)])
    x, _ = ttl.node(dims=2)
    with a_dfb.reserve() as source:
        for column in range(4):
            with b_dfb.reserve() as landing:

                def receive(pipe):
                    ttl.copy(pipe, landing).wait()

                net.if_dst(receive)

            def send(pipe):
                ttl.copy(a[x, column], source).wait()
                ttl.copy(source, pipe).wait()

            net.if_src(send)
            with b_dfb.wait() as blk, y_dfb.reserve() as y_blk:
                y_blk.store(blk + 1)
            with y_dfb.wait() as blk:
                ttl.copy(blk, y[x, column]).wait()
""",
        "np.concatenate([a[32:], a[:32]]) + 1",
    ),
    "a loop that is written out, which indexes a list of buffers": (
        """
    x, _ = ttl.node(dims=2)
    dfbs = [a_dfb, b_dfb]
    for column in ttl.static_range(0, a.shape[1] // 32, 1):
        with dfbs[column % 2].reserve() as blk:
            ttl.copy((a, b)[column % 2][x, column], blk).wait()
        with dfbs[column % 2].wait() as blk, y_dfb.reserve() as y_blk:
            y_blk.store(blk + column)
        with y_dfb.wait() as blk:
            ttl.copy(blk, y[x, column]).wait()
""",
        "np.where(np.arange(128) // 32 % 2, b, a) + np.arange(128) // 32",
    ),
    "semaphores": (
        """
    ready = ttl.Semaphore(0)
    x, _ = ttl.node(dims=2)
    remote = ready.get_remote((1, 0))
    for column in range(4):
        if x == 1:
            ready.wait_ge(column + 1)
            with b_dfb.reserve() as blk:
                ttl.copy(y[0, column], blk).wait()
            with b_dfb.wait() as blk, y_dfb.reserve() as y_blk:
                y_blk.store(blk * 2)
        else:
            with a_dfb.reserve() as blk:
                ttl.copy(a[x, column], blk).wait()
            with a_dfb.wait() as blk, y_dfb.reserve() as y_blk:
                y_blk.store(blk * 2)
        with y_dfb.wait() as blk:
            ttl.copy(blk, y[x, column]).wait()
        if x == 0:
            remote.inc(1)
""",
        "np.concatenate([a[:32] * 2, a[:32] * 4])",
    ),
}


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("how", ["run", "check", "emu"])
def test_a_body_is_kernels(name: str, how: str, tmp_path: Path) -> None:
    body, wanted = BODIES[name]
    (tmp_path / "example.py").write_text(HEAD + OPERATION + body + TAIL.replace("WANTED", wanted))
    arguments = {"run": ["run"], "check": ["check"], "emu": ["run", "--target", "emu"]}[how]
    outcome = run_ttl([*arguments, "example.py"], folder=tmp_path)
    assert (outcome.status, outcome.stderr) == (0, "")
    assert outcome.stdout.endswith("ok\n" if how != "check" else ": nothing found\n")


def test_static_range_wants_numbers_that_are_known_before_kernels_run(tmp_path: Path) -> None:
    body = """
    for column in ttl.static_range(ttl.node(dims=1) + 2):
        with a_dfb.reserve() as blk:
            ttl.copy(a[0, column], blk).wait()
"""
    (tmp_path / "example.py").write_text(HEAD + OPERATION + body + TAIL.replace("WANTED", "a"))
    outcome = run_ttl(["check", "example.py"], folder=tmp_path)
    assert "error[TTL0246]: stop of ttl.static_range is" in outcome.stdout + outcome.stderr
