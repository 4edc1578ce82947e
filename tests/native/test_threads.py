"""Threads of the machine: any number gives the same bits, and a process that used them can still be forked."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import ttnn

import ttl
from support.executions import needs_native
from support.tensors import numbers
from ttl import settings

pytestmark = needs_native

SIDE, TILES = 1024, 32
# More threads than cores, and a number that divides nothing.
COUNTS = (2, 3, 8)
Array = np.ndarray


def eltwise(block: tuple[int, int]) -> Callable[..., None]:
    """``y = a * b + a`` in blocks of this shape."""
    rows, columns = TILES // block[0], TILES // block[1]

    @ttl.operation(grid=(4, 4))
    def op(a: Any, b: Any, y: Any) -> None:
        a_dfb, b_dfb, y_dfb = (ttl.make_dataflow_buffer_like(t, shape=block) for t in (a, b, y))
        me, nodes = ttl.node(dims=1), ttl.grid_size(dims=1)

        def part(tensor: Any, item: int) -> Any:
            row, column = divmod(item, columns)
            (height, width) = block
            return tensor[row * height : (row + 1) * height, column * width : (column + 1) * width]

        @ttl.datamovement()
        def read() -> None:
            for item in range(me, rows * columns, nodes):
                with a_dfb.reserve() as a_blk, b_dfb.reserve() as b_blk:
                    ttl.copy(part(a, item), a_blk).wait()
                    ttl.copy(part(b, item), b_blk).wait()

        @ttl.compute()
        def compute() -> None:
            for _ in range(me, rows * columns, nodes):
                with a_dfb.wait() as a_blk, b_dfb.wait() as b_blk, y_dfb.reserve() as y_blk:
                    y_blk.store(a_blk * b_blk + a_blk)

        @ttl.datamovement()
        def write() -> None:
            for item in range(me, rows * columns, nodes):
                with y_dfb.wait() as blk:
                    ttl.copy(blk, part(y, item)).wait()

    return op


@ttl.operation(grid=(4, 4))
def softmax(a: Any, b: Any, y: Any) -> None:
    """Along rows; ``b`` is added first. Sums of 1024 terms: their order must not depend on threads."""
    a_dfb, b_dfb, y_dfb = (ttl.make_dataflow_buffer_like(t, shape=(1, TILES)) for t in (a, b, y))
    me, nodes = ttl.node(dims=1), ttl.grid_size(dims=1)

    @ttl.datamovement()
    def read() -> None:
        for row in range(me, TILES, nodes):
            with a_dfb.reserve() as a_blk, b_dfb.reserve() as b_blk:
                ttl.copy(a[row, :], a_blk).wait()
                ttl.copy(b[row, :], b_blk).wait()

    @ttl.compute()
    def compute() -> None:
        for _ in range(me, TILES, nodes):
            with a_dfb.wait() as a_blk, b_dfb.wait() as b_blk, y_dfb.reserve() as y_blk:
                x = a_blk * 0.1 + b_blk
                top = ttl.block.broadcast(ttl.math.reduce_max(x, dims=[-1]), dims=[-1], shape=(1, TILES))
                e = ttl.math.exp(x - top)
                total = ttl.block.broadcast(ttl.math.reduce_sum(e, dims=[-1]), dims=[-1], shape=(1, TILES))
                y_blk.store(e / total)

    @ttl.datamovement()
    def write() -> None:
        for row in range(me, TILES, nodes):
            with y_dfb.wait() as blk:
                ttl.copy(blk, y[row, :]).wait()


@ttl.operation(grid=(4, 4))
def matmul(a: Any, b: Any, y: Any) -> None:
    """``y = a @ b`` in blocks of 4x4 tiles, K in steps of 4 tiles, accumulated in an expression."""
    a_dfb, b_dfb, y_dfb = (ttl.make_dataflow_buffer_like(t, shape=(4, 4)) for t in (a, b, y))
    me, nodes = ttl.node(dims=1), ttl.grid_size(dims=1)
    steps = TILES // 4

    @ttl.datamovement()
    def read() -> None:
        for item in range(me, steps * steps, nodes):
            row, column = divmod(item, steps)
            for k in range(steps):
                with a_dfb.reserve() as a_blk, b_dfb.reserve() as b_blk:
                    ttl.copy(a[row * 4 : row * 4 + 4, k * 4 : k * 4 + 4], a_blk).wait()
                    ttl.copy(b[k * 4 : k * 4 + 4, column * 4 : column * 4 + 4], b_blk).wait()

    @ttl.compute()
    def compute() -> None:
        for _ in range(me, steps * steps, nodes):
            total = ttl.block.fill(0, shape=(4, 4))
            for _ in range(steps):
                with a_dfb.wait() as a_blk, b_dfb.wait() as b_blk:
                    total += a_blk @ b_blk
            with y_dfb.reserve() as y_blk:
                y_blk.store(total)

    @ttl.datamovement()
    def write() -> None:
        for item in range(me, steps * steps, nodes):
            row, column = divmod(item, steps)
            with y_dfb.wait() as blk:
                ttl.copy(blk, y[row * 4 : row * 4 + 4, column * 4 : column * 4 + 4]).wait()


OPERATIONS = {
    "eltwise 1x1": eltwise((1, 1)),
    "eltwise 4x4": eltwise((4, 4)),
    "softmax": softmax,
    "matmul": matmul,
}


def result(operation: Callable[..., None], threads: int, dtype: Any = ttnn.bfloat16, **more: Any) -> Array:
    """What an operation computes from the same random numbers each time."""
    random = np.random.default_rng(7)
    a, b = (random.standard_normal((SIDE, SIDE)).astype(np.float32) for _ in range(2))
    tensors = [ttnn.from_numpy(array, dtype, layout=ttnn.TILE_LAYOUT) for array in (a, b, np.zeros_like(a))]
    with settings.override(threads=threads, **more):
        operation(*tensors)
    return np.array(ttnn.to_numpy(tensors[-1]))


@pytest.mark.parametrize("dtype", [ttnn.bfloat16, ttnn.float32], ids=["bfloat16", "float32"])
@pytest.mark.parametrize("name", OPERATIONS)
def test_any_number_of_threads_gives_the_same_bits(name: str, dtype: Any) -> None:
    single = result(OPERATIONS[name], 1, dtype)
    assert np.abs(single).max() > 0
    for threads in (*COUNTS, 0):
        assert np.array_equal(result(OPERATIONS[name], threads, dtype), single), f"{threads} threads"


@pytest.mark.parametrize("name", OPERATIONS)
def test_a_run_can_be_repeated_to_the_bit(name: str) -> None:
    first = result(OPERATIONS[name], 2)
    for _ in range(3):
        assert np.array_equal(result(OPERATIONS[name], 2), first)


def test_replay_with_any_number_of_threads_gives_the_same_bits() -> None:
    for operation in OPERATIONS.values():
        single = result(operation, 1)
        for threads in (1, 1, *COUNTS):  # the first call is traced, the others replayed
            assert np.array_equal(result(operation, threads, replay="on"), single)


def _compute_in_child(threads: int, connection: Any) -> None:
    connection.send_bytes(result(matmul, threads).tobytes())
    connection.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
@pytest.mark.parametrize("before", [1, 2])
@pytest.mark.parametrize("after", [1, 2])
def test_a_forked_process_computes(before: int, after: int) -> None:
    """The pool's threads are not in the child: it must not wait for them."""
    expected = result(matmul, before)
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=_compute_in_child, args=(after, there))
    process.start()
    there.close()
    try:
        assert here.poll(120), "the child does not come back"
        found = np.frombuffer(here.recv_bytes(), np.float32)
        process.join(60)
        assert process.exitcode == 0
    finally:
        if process.is_alive():
            process.kill()
            process.join()
    assert np.array_equal(found, expected.ravel())
    # The parent's threads are still there.
    assert np.array_equal(result(matmul, 2), expected)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_child_of_os_fork_ends_as_it_should() -> None:
    """No thread of the pool, and no destructor of a static, keeps the child from ending or brings it down."""
    result(matmul, 2)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            code = 0 if np.isfinite(result(matmul, 2)).all() else 2
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0


def test_operations_can_run_in_several_threads_of_the_program() -> None:
    expected = {name: result(operation, 1) for name, operation in OPERATIONS.items()}
    found: dict[str, Array] = {}

    def work(name: str) -> None:
        for _ in range(2):
            found[name] = result(OPERATIONS[name], 2)

    workers = [threading.Thread(target=work, args=(name,)) for name in OPERATIONS]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    for name, array in expected.items():
        assert np.array_equal(found[name], array), name


def test_whole_numbers_are_exact() -> None:
    """The operations themselves are right: sums of products of small whole numbers, in float32."""
    a, b = numbers(SIDE, SIDE, seed=1), numbers(SIDE, SIDE, seed=2)
    tensors = [
        ttnn.from_numpy(array, ttnn.float32, layout=ttnn.TILE_LAYOUT) for array in (a, b, np.zeros_like(a))
    ]
    with settings.override(threads=2):
        matmul(*tensors)
        product = np.array(ttnn.to_numpy(tensors[2]))
        OPERATIONS["eltwise 1x1"](*tensors)
    assert np.array_equal(product, a @ b)
    assert np.array_equal(ttnn.to_numpy(tensors[2]), a * b + a)
