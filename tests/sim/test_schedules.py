"""Schedules: one fixed order, seeds for others, and ``--schedules`` to look for what depends on the order."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ttl
import ttl.diag
from support.failing import fails
from support.removal import load
from support.tensors import blank, numbered_tiles, numbers, tiled, values
from ttl import settings

SOURCE = Path(ttl.diag.__file__).parent.parent.parent
PROGRAMS = sorted((Path(__file__).parent.parent / "support" / "synchronised").glob("*.py"))


def order_of_kernels(seed: int | None) -> list[str]:
    """Which kernel took which step, in the order they ran."""
    log: list[str] = []

    @ttl.operation(grid=(2, 2))
    def op(a: Any, out: Any) -> None:
        me = ttl.node(dims=1)
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=1)

        @ttl.datamovement()
        def read() -> None:
            for tile in range(3):
                with dfb.reserve() as blk:
                    log.append(f"read {me} {tile}")
                    ttl.copy(a[0, tile], blk).wait()

        @ttl.datamovement()
        def write() -> None:
            for tile in range(3):
                with dfb.wait() as blk:
                    log.append(f"write {me} {tile}")
                    ttl.copy(blk, out[me, tile]).wait()

    with settings.override(schedule_seed=seed):
        op(tiled(numbered_tiles(1, 3)), blank((128, 96)))
    return log


@pytest.mark.parametrize("seed", [None, 0, 7])
def test_the_same_seed_gives_the_same_order(seed: int | None) -> None:
    assert order_of_kernels(seed) == order_of_kernels(seed)


def test_different_seeds_give_different_orders_of_the_same_steps() -> None:
    orders = [order_of_kernels(seed) for seed in (None, *range(6))]
    assert len({tuple(order) for order in orders}) > 4
    assert all(sorted(order) == sorted(orders[0]) for order in orders)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_results_of_correct_programs_do_not_depend_on_the_seed(program: Path, tmp_path: Path) -> None:
    loaded = load(program.read_text(encoding="utf-8"), tmp_path / "program.py")
    for seed in (None, *range(8)):
        with settings.override(schedule_seed=seed):
            assert np.array_equal(loaded["run"](), loaded["expected"]()), seed


def race(tensor: Any, out: Any) -> None:
    """Node 1 reads what node 0 writes, and nothing says who is first."""

    @ttl.operation(grid=(2, 1))
    def op(shared: Any, y: Any) -> None:
        me = ttl.node(dims=1)
        dfb = ttl.make_dataflow_buffer_like(shared, shape=(1, 1))

        @ttl.datamovement()
        def move() -> None:
            with dfb.reserve() as blk:
                if me == 0:
                    ttl.copy(shared[0, 1], blk).wait()
                    ttl.copy(blk, shared[0, 0]).wait()
                else:
                    ttl.copy(shared[0, 0], blk).wait()
                    ttl.copy(blk, y[0, 0]).wait()

    op(tensor, out)


def test_a_race_on_a_tensor_is_found() -> None:
    race(tiled(numbered_tiles(1, 2)), blank((32, 32)))
    with settings.override(schedules=8), fails("TTL1101", match="--schedule-seed"):
        race(tiled(numbered_tiles(1, 2)), blank((32, 32)))


def test_the_seed_that_is_named_reproduces_the_other_result() -> None:
    import re

    plain = blank((32, 32))
    race(tiled(numbered_tiles(1, 2)), plain)
    with settings.override(schedules=8), fails("TTL1101") as caught:
        race(tiled(numbered_tiles(1, 2)), blank((32, 32)))
    found = re.search(r"--schedule-seed (\d+)", str(caught.value))
    assert found
    other = blank((32, 32))
    with settings.override(schedule_seed=int(found[1])):
        race(tiled(numbered_tiles(1, 2)), other)
    assert not np.array_equal(values(plain), values(other))


def test_a_race_of_two_increments_and_a_read_is_found() -> None:
    """Each node adds 1 to a counter in a tensor, without a lock: updates get lost in some orders."""

    @ttl.operation(grid=(3, 1))
    def op(counter: Any) -> None:
        in_dfb, out_dfb = (ttl.make_dataflow_buffer_like(counter, shape=(1, 1)) for _ in range(2))

        @ttl.datamovement()
        def read() -> None:
            with in_dfb.reserve() as blk:
                ttl.copy(counter[0, 0], blk).wait()

        @ttl.compute()
        def compute() -> None:
            with in_dfb.wait() as in_blk, out_dfb.reserve() as out_blk:
                out_blk.store(in_blk + 1)

        @ttl.datamovement()
        def write() -> None:
            with out_dfb.wait() as blk:
                ttl.copy(blk, counter[0, 0]).wait()

    with settings.override(schedules=16), fails("TTL1101"):
        op(tiled(np.zeros((32, 32))))


def test_a_program_without_races_passes_and_keeps_its_result() -> None:
    a, out = numbers(32, 32), blank((32, 32))

    @ttl.operation(grid=(1, 1))
    def op(x: Any, y: Any) -> None:
        dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))

        @ttl.datamovement()
        def move() -> None:
            with dfb.reserve() as blk:
                ttl.copy(x[0, 0], blk).wait()
                ttl.copy(blk, y[0, 0]).wait()

    with settings.override(schedules=5):
        op(tiled(a), out)
    assert np.array_equal(values(out), a)


def test_an_in_place_operation_runs_on_the_same_input_under_every_schedule() -> None:
    a = numbers(32, 32)
    tensor = tiled(a)

    @ttl.operation(grid=(1, 1))
    def op(x: Any) -> None:
        in_dfb, out_dfb = (ttl.make_dataflow_buffer_like(x, shape=(1, 1)) for _ in range(2))

        @ttl.datamovement()
        def read() -> None:
            with in_dfb.reserve() as blk:
                ttl.copy(x[0, 0], blk).wait()

        @ttl.compute()
        def compute() -> None:
            with in_dfb.wait() as in_blk, out_dfb.reserve() as out_blk:
                out_blk.store(in_blk * 2)

        @ttl.datamovement()
        def write() -> None:
            with out_dfb.wait() as blk:
                ttl.copy(blk, x[0, 0]).wait()

    with settings.override(schedules=4):
        op(tensor)
    assert np.array_equal(values(tensor), 2 * a)


EVERYTHING = """
import sys
sys.path.insert(0, {tests!r})
import ttl, ttnn
from support.failing import TTLError
from support.synchronised import barriers, multicast_matmul, scatter_gather
for program in (barriers, multicast_matmul, scatter_gather):
    print(program.run().tobytes().hex()[:4000])

@ttl.operation(grid=(3, 2))
def broken(a):
    names = {{"a_dfb", "b_dfb", "c_dfb"}}
    net = ttl.PipeNet([ttl.Pipe(src=(0, 0), dst=(slice(1, 3), slice(0, 2)))])
    dfbs = {{name: ttl.make_dataflow_buffer_like(a, shape=(1, 1)) for name in sorted(names)}}
    @ttl.datamovement()
    def move():
        with dfbs["a_dfb"].reserve() as blk:
            net.if_dst(lambda pipe: ttl.copy(pipe, blk).wait())
            ttl.copy(a[0, 0], blk).wait()
    @ttl.compute()
    def compute():
        dfbs["b_dfb"].wait().pop()
try:
    broken(ttnn.zeros((32, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT))
except TTLError as problem:
    print(problem)
"""


def test_results_diagnostics_and_statistics_are_the_same_in_every_process(tmp_path: Path) -> None:
    """Also across hash seeds: nothing depends on the order of a set."""
    program = tmp_path / "everything.py"
    program.write_text(EVERYTHING.format(tests=str(SOURCE.parent / "tests")), encoding="utf-8")
    outputs = []
    for hash_seed in ("1", "2"):
        outcome = subprocess.run(
            [sys.executable, str(program)],
            env={
                "PYTHONPATH": str(SOURCE), "PYTHONHASHSEED": hash_seed, "TTL_STATS": "1", "OMP_NUM_THREADS": "1",
            },
            capture_output=True,
            text=True,
            check=True,
            cwd=tmp_path,
        )  # fmt: skip
        outputs.append((outcome.stdout, outcome.stderr))
    assert outputs[0] == outputs[1]
    assert "TTL09" in outputs[0][0] and "statistics of op" in outputs[0][1]


def test_captured_tensors_are_compared_and_put_back_too() -> None:
    """The tensors an operation writes are found by watching it, not by looking at its arguments."""
    shared, result = tiled(numbered_tiles(1, 2)), blank((32, 32))

    @ttl.operation(grid=(2, 1))
    def op() -> None:
        me = ttl.node(dims=1)
        dfb = ttl.make_dataflow_buffer_like(shared, shape=(1, 1))

        @ttl.datamovement()
        def move() -> None:
            with dfb.reserve() as blk:
                source, target = ((shared, 1), (shared, 0)) if me == 0 else ((shared, 0), (result, 0))
                ttl.copy(source[0][0, source[1]], blk).wait()
                ttl.copy(blk, target[0][0, target[1]]).wait()

    with settings.override(schedules=8), fails("TTL1101", match="captures"):
        op()

    total = tiled(np.ones((32, 32)))

    @ttl.operation(grid=(1, 1))
    def double() -> None:
        in_dfb, out_dfb = (ttl.make_dataflow_buffer_like(total, shape=(1, 1)) for _ in range(2))

        @ttl.datamovement()
        def read() -> None:
            with in_dfb.reserve() as blk:
                ttl.copy(total[0, 0], blk).wait()

        @ttl.compute()
        def compute() -> None:
            with in_dfb.wait() as in_blk, out_dfb.reserve() as out_blk:
                out_blk.store(in_blk * 2)

        @ttl.datamovement()
        def write() -> None:
            with out_dfb.wait() as blk:
                ttl.copy(blk, total[0, 0]).wait()

    with settings.override(schedules=5):
        double()
    assert np.all(values(total) == 2)


def test_a_failure_of_some_schedules_names_one() -> None:
    """``wait_eq(1)`` misses the 1 when both increments come first: a deadlock that the fixed order does not show."""

    @ttl.operation(grid=(3, 1))
    def op(a: Any) -> None:
        me = ttl.node(dims=1)
        semaphore = ttl.Semaphore()

        @ttl.datamovement()
        def move() -> None:
            if me == 0:
                semaphore.wait_eq(1)
                semaphore.wait_ge(2)
            else:
                semaphore.get_remote((0, 0)).inc(1)

    a = tiled(numbers(32, 32))
    op(a)
    with settings.override(schedules=16), pytest.raises(ttl.DeadlockError, match="--schedule-seed") as caught:
        op(a)
    import re

    found = re.search(r"--schedule-seed (\d+)", str(caught.value))
    assert found
    with settings.override(schedule_seed=int(found[1])), pytest.raises(ttl.DeadlockError):
        op(a)


def test_launches_in_several_threads() -> None:
    """They share nothing; afterwards Python's print and its collector are as before."""
    import builtins
    import gc
    import threading

    before = (builtins.print, gc.get_threshold())
    failures: list[BaseException] = []
    barrier = threading.Barrier(4)

    def work(seed: int) -> None:
        try:
            barrier.wait(timeout=60)
            for _ in range(5):
                a, out = numbers(32, 192, seed=seed), blank((32, 192))
                copy_tiles(tiled(a), out, 6)
                assert np.array_equal(values(out), a)
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert (builtins.print, gc.get_threshold()) == before


def copy_tiles(tensor: Any, out: Any, tiles: int) -> None:
    @ttl.operation(grid=(2, 1))
    def op(a: Any, y: Any) -> None:
        me = ttl.node(dims=1)
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

        @ttl.datamovement()
        def read() -> None:
            for tile in range(me, tiles, 2):
                with dfb.reserve() as blk:
                    ttl.copy(a[0, tile], blk).wait()

        @ttl.datamovement()
        def write() -> None:
            for tile in range(me, tiles, 2):
                with dfb.wait() as blk:
                    ttl.copy(blk, y[0, tile]).wait()

    op(tensor, out)
