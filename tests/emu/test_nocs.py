"""Which NoC a kernel's transfers use changes cycles as the published measurements say, and no result (002, section 10.1).

Of DRAM at random places, NoC 0 reads 190 to 200 GB/s and NoC 1 78 to 82; NoC 0 writes 52 to 57, NoC 1 134 to 155 (Wormhole).
"""

from __future__ import annotations

from functools import cache
from typing import Any, Literal

import numpy as np
import pytest

import ttl
from emu.advice_programs import profiled, tensor
from emu.harness import values_of
from ttl.emu.profile import Profile
from ttl.emu.profile_json import from_object, to_object
from ttl.emu.profile_text import render

pytestmark = pytest.mark.filterwarnings("ignore")
ROWS, BYTES = 4, 64 * 4 * 8 * 2048
Kind = Literal["read", "write", "both", "two readers"]
Nocs = tuple[int, int]


def moved(kind: Kind, nocs: Nocs | tuple[None, None]) -> Any:
    """Every node moves four rows of eight tiles of ``x``, ``y`` or both; the first kernel reads, the second writes, or reads, too."""

    @ttl.operation(grid=(8, 8))
    def move(x: Any, y: Any, z: Any) -> None:
        x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 8))
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 8))
        z_dfb = ttl.make_dataflow_buffer_like(z, shape=(1, 1))
        first = ttl.node(dims=1) * ROWS
        reads = 1 if kind == "write" else ROWS
        writes = ROWS if kind in ("write", "both") else 0

        @ttl.datamovement(noc=nocs[0])
        def one() -> None:
            for row in range(reads):
                with x_dfb.reserve() as blk:
                    ttl.copy(x[first + row, 0:8], blk).wait()

        @ttl.compute()
        def compute() -> None:
            for _ in range(reads):
                with x_dfb.wait() as a_blk:
                    if kind == "two readers":
                        with y_dfb.wait() as b_blk, z_dfb.reserve() as out_blk:
                            out_blk.store(ttl.math.reduce_sum(a_blk + b_blk, dims=[-1], shape=(1, 1)))
                    elif kind == "read":
                        with z_dfb.reserve() as out_blk:
                            out_blk.store(ttl.math.reduce_sum(a_blk, dims=[-1], shape=(1, 1)))
                    else:
                        with y_dfb.reserve() as out_blk:
                            out_blk.store(a_blk)

        @ttl.datamovement(noc=nocs[1])
        def two() -> None:
            if kind == "write":
                with y_dfb.wait() as blk:
                    for row in range(writes):
                        ttl.copy(blk, y[first + row, 0:8]).wait()
            for row in range(writes if kind == "both" else 0):
                with y_dfb.wait() as blk:
                    ttl.copy(blk, y[first + row, 0:8]).wait()
            for row in range(ROWS if kind in ("read", "two readers") else 0):
                if kind == "two readers":
                    with y_dfb.reserve() as blk:
                        ttl.copy(y[first + row, 0:8], blk).wait()
                with z_dfb.wait() as blk:
                    ttl.copy(blk, z[first + row, 0]).wait()

    return move


@cache
def run(kind: Kind, nocs: Nocs | tuple[None, None]) -> tuple[Profile, tuple[np.ndarray[Any, Any], ...]]:
    tensors = tensor(64 * ROWS * 32, 256), tensor(64 * ROWS * 32, 256, 1), tensor(64 * ROWS * 32, 32, 2)
    profile = profiled(moved(kind, nocs), tensors)
    return profile, tuple(values_of(each).copy() for each in tensors)


def cycles(kind: Kind, *nocs: int) -> int:
    return run(kind, (nocs[0], nocs[1]))[0].cycles


def test_002_10_1_noc_0_is_better_for_reading_memory() -> None:
    """By a factor of 2.4; the launch and what is computed are in both."""
    assert 1.8 < cycles("read", 1, 0) / cycles("read", 0, 1) < 3.0
    assert 1.8 < cycles("read", 1, 1) / cycles("read", 0, 0) < 3.0


def test_002_10_1_noc_1_is_better_for_writing_memory() -> None:
    """By a factor of 2.6."""
    assert 1.8 < cycles("write", 1, 0) / cycles("write", 0, 1) < 3.3
    assert 1.8 < cycles("write", 0, 0) / cycles("write", 1, 1) < 3.3


def test_002_10_1_both_directions_over_one_noc_take_longer() -> None:
    best = cycles("both", 0, 1)
    assert best == run("both", (None, None))[0].cycles, "the compiler's rule"
    for nocs in ((0, 0), (1, 1), (1, 0)):
        assert cycles("both", *nocs) > 1.3 * best


def test_002_10_1_two_readers_are_faster_over_noc_0_together_than_apart() -> None:
    """What NoC 1 reads takes so long that NoC 0 has read both before."""
    assert cycles("two readers", 0, 0) < 0.9 * cycles("two readers", 0, 1) < cycles("two readers", 1, 1)


@pytest.mark.parametrize("kind", ["read", "write", "both", "two readers"])
def test_002_10_1_results_are_the_same(kind: Kind) -> None:
    expected = run(kind, (None, None))[1]
    for nocs in ((0, 0), (0, 1), (1, 0), (1, 1)):
        for one, other in zip(run(kind, nocs)[1], expected, strict=True):
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    ("kind", "asked", "better"),
    [
        ("both", (1, 0), (0, 1)),
        ("both", (1, 1), (0, 1)),
        ("two readers", (None, None), (0, 0)),
        ("two readers", (1, 1), (0, 0)),
    ],
)
def test_002_10_1_advice_is_the_noc_that_gains(kind: Kind, asked: Any, better: Nocs) -> None:
    """It is tried before it is said, and a program that does as it says takes as many cycles."""
    profile = run(kind, asked)[0]
    (advice,) = [item for item in profile.advice if "write @ttl.datamovement" in item.change]
    assert advice.name == "unbalanced-nocs" and advice.basis == "emulated"
    first, second = better
    assert (
        advice.change
        == f"write @ttl.datamovement(noc={first}) at one and @ttl.datamovement(noc={second}) at two"
    )
    assert cycles(kind, *better) == profile.cycles - advice.cycles


def test_002_10_1_no_advice_where_the_nocs_are_the_best_ones() -> None:
    for kind, nocs in (("both", (0, 1)), ("two readers", (0, 0))):
        profile = run(kind, nocs)[0]  # type: ignore[arg-type]
        assert not any("write @ttl.datamovement" in item.change for item in profile.advice)


@pytest.mark.parametrize(
    ("nocs", "headings"),
    [
        ((1, 0), ("one on NOC1 (brisc)", "compute on UNPACK, MATH and PACK", "two on NOC0 (ncrisc)")),
        ((0, 0), ("one on NOC0 (ncrisc)", "compute on UNPACK, MATH and PACK", "two on NOC0 (brisc)")),
    ],
)
def test_002_10_1_a_profile_shows_kernels_by_microcore(nocs: Nocs, headings: tuple[str, ...]) -> None:
    profile = run("both", nocs)[0]
    text, data = render(profile), to_object(profile)
    assert all(f"| {heading}\n" in text for heading in headings)
    assert {item["name"]: item["microcores"] for item in data["kernels"]} == {
        "one": [f"NOC{nocs[0]}"],
        "compute": ["UNPACK", "MATH", "PACK"],
        "two": [f"NOC{nocs[1]}"],
    }
    assert from_object(data).microcores == profile.microcores
