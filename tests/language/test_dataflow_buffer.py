"""Specification, "Dataflow buffer": shapes, sizes, order, blocking, who may use it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import ttnn

import ttl
from support.failing import deadlocks, fails
from support.tensors import blank, numbered_tiles, numbers, row_major, tiled, values
from ttl.diag.errors import ResourceError

TILED_SHAPES = [
    # The specification's table: torch shape, shape in tiles.
    ((1, 128), (1, 4)),
    ((32, 128), (1, 4)),
    ((128, 1), (4, 1)),
    ((128, 32), (4, 1)),
    ((2, 128, 32), (2, 4, 1)),
    ((2, 2, 128, 32), (2, 2, 4, 1)),
    ((2, 2, 120, 30), (2, 2, 4, 1)),
]


def round_trip(tensor: ttnn.Tensor, out: ttnn.Tensor, shape: Any) -> None:
    """The whole tensor through one block of ``shape`` and into ``out``."""

    @ttl.operation(grid=(1, 1))
    def op(source: Any, target: Any) -> None:
        dfb = ttl.make_dataflow_buffer_like(source, shape=shape, block_count=1)

        @ttl.datamovement()
        def read() -> None:
            with dfb.reserve() as blk:
                ttl.copy(source[...], blk).wait()

        @ttl.datamovement()
        def write() -> None:
            with dfb.wait() as blk:
                ttl.copy(blk, target[...]).wait()

    op(tensor, out)


@pytest.mark.parametrize(("torch_shape", "tiles"), TILED_SHAPES)
def test_the_block_that_fits_a_tiled_tensor(torch_shape: tuple[int, ...], tiles: tuple[int, ...]) -> None:
    data = numbers(*torch_shape)
    tensor = tiled(data)
    padded = list(tensor.padded_shape)
    assert (*padded[:-2], padded[-2] // 32, padded[-1] // 32) == tiles
    out = blank(torch_shape)
    round_trip(tensor, out, tiles)
    assert np.array_equal(values(out), data)


@pytest.mark.parametrize("shape", [(128,), (1, 128), (2, 12, 30), (2, 2, 12, 30)])
def test_the_block_that_fits_a_row_major_tensor_is_its_shape(shape: tuple[int, ...]) -> None:
    data = numbers(*shape)
    out = blank(shape, layout=ttnn.ROW_MAJOR_LAYOUT)
    round_trip(row_major(data), out, shape)
    assert np.array_equal(values(out), data)


def test_shape_dtype_and_block_count_of_buffer_and_block() -> None:
    @ttl.operation(grid=(1, 1))
    def op(a: Any) -> None:
        two = ttl.make_dataflow_buffer_like(a, shape=(2, 3))
        four = ttl.make_dataflow_buffer_like(a, (1, 1), block_count=4)
        assert (two.shape, two.dtype, two.block_count) == ((2, 3), ttnn.float32, 2)
        assert four.block_count == 4

        @ttl.datamovement()
        def kernel() -> None:
            blk = two.reserve()
            assert (blk.shape, blk.dtype) == ((2, 3), ttnn.float32)
            ttl.copy(a[0:2, 0:3], blk).wait()
            blk.push()

    op(tiled(numbers(64, 96), ttnn.float32))


def test_the_size_of_a_block_in_l1() -> None:
    """The specification's example: (2, 2, 4, 1) tiles of bfloat16 are 32768 bytes; a buffer has two blocks."""
    from ttl.rows.dtypes import BFLOAT16
    from ttl.rows.types import BlockType

    assert BlockType.of((2, 2, 4, 1), BFLOAT16).nbytes == 32768

    @ttl.operation(grid=(1, 1))
    def op(a: Any) -> None:
        dfb = ttl.make_dataflow_buffer_like(a, shape=(2, 2, 4, 1))

        @ttl.datamovement()
        def kernel() -> None:
            assert "size=65536" in repr(dfb)

    op(tiled(numbers(2, 2, 128, 32)))


@pytest.mark.parametrize("block_count", [1, 2, 3])
def test_a_queue_is_bounded_by_its_block_count(block_count: int) -> None:
    """The producer is never more than ``block_count`` blocks ahead, and blocks arrive in order."""
    ahead: list[int] = []
    order: list[int] = []
    total = 8

    @ttl.operation(grid=(1, 1))
    def op(a: Any, out: Any) -> None:
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=block_count)
        pushed = popped = 0

        @ttl.datamovement()
        def produce() -> None:
            nonlocal pushed
            for tile in range(total):
                blk = dfb.reserve()
                ahead.append(pushed + 1 - popped)
                ttl.copy(a[0, tile], blk).wait()
                blk.push()
                pushed += 1

        @ttl.datamovement()
        def consume() -> None:
            nonlocal popped
            for tile in range(total):
                blk = dfb.wait()
                order.append(tile)
                ttl.copy(blk, out[0, tile]).wait()
                blk.pop()
                popped += 1

    a, out = numbered_tiles(1, total), blank((32, 32 * total))
    op(tiled(a), out)
    assert np.array_equal(values(out), a)
    assert max(ahead) == block_count


def test_several_blocks_held_at_once_on_both_sides() -> None:
    @ttl.operation(grid=(1, 1))
    def op(a: Any, out: Any) -> None:
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=3)

        @ttl.datamovement()
        def produce() -> None:
            blocks = [dfb.reserve() for _ in range(3)]
            for tile in (2, 0, 1):  # written in any order, pushed in the order of reservation
                ttl.copy(a[0, tile], blocks[tile]).wait()
            for blk in blocks:
                blk.push()

        @ttl.datamovement()
        def consume() -> None:
            blocks = [dfb.wait() for _ in range(3)]
            for tile, blk in enumerate(blocks):
                ttl.copy(blk, out[0, tile]).wait()
            for blk in blocks:
                blk.pop()

    a, out = numbered_tiles(1, 3), blank((32, 96))
    op(tiled(a), out)
    assert np.array_equal(values(out), a)


def release_second_first(release: str) -> None:
    @ttl.operation(grid=(1, 1))
    def op(a: Any, out: Any) -> None:
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

        @ttl.datamovement()
        def produce() -> None:
            blocks = [dfb.reserve(), dfb.reserve()]
            for blk in blocks:
                ttl.copy(a[0, 0], blk).wait()
            for blk in blocks[::-1] if release == "push" else blocks:
                blk.push()

        @ttl.datamovement()
        def consume() -> None:
            blocks = [dfb.wait(), dfb.wait()]
            for blk in blocks:
                ttl.copy(blk, out[0, 0]).wait()
            for blk in blocks[::-1]:
                blk.pop()

    op(tiled(numbers(32, 32)), blank((32, 32)))


def test_blocks_are_released_in_the_order_they_were_acquired() -> None:
    with fails("TTL0317"):
        release_second_first("push")
    with fails("TTL0318"):
        release_second_first("pop")


def test_with_releases_at_its_end_in_reverse_order_of_entry_for_different_buffers() -> None:
    """``with a.reserve() as x, b.reserve() as y`` pushes both; the consumer may want either first."""

    @ttl.operation(grid=(1, 1))
    def op(a: Any, out: Any) -> None:
        first = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
        second = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

        @ttl.datamovement()
        def produce() -> None:
            with (
                first.reserve() as first_blk,
                second.reserve() as second_blk,
            ):
                ttl.copy(a[0, 0], first_blk).wait()
                ttl.copy(a[0, 1], second_blk).wait()

        @ttl.datamovement()
        def consume() -> None:
            with second.wait() as blk:
                ttl.copy(blk, out[0, 0]).wait()
            with first.wait() as blk:
                ttl.copy(blk, out[0, 1]).wait()

    a, out = numbered_tiles(1, 2), blank((32, 64))
    op(tiled(a), out)
    assert np.array_equal(values(out)[0, ::32], [2, 1])


def test_an_exception_in_a_with_does_not_push() -> None:
    """A user's exception is not replaced by a complaint about the block it left unwritten."""

    @ttl.operation(grid=(1, 1))
    def op(a: Any) -> None:
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

        @ttl.datamovement()
        def kernel() -> None:
            with dfb.reserve():
                raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        op(tiled(numbers(32, 32)))


def test_one_producer_and_one_consumer_per_node() -> None:
    @ttl.operation(grid=(1, 1))
    def op(a: Any, twice: str) -> None:
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=4)

        def produce() -> None:
            blk = dfb.reserve()
            ttl.copy(a[0, 0], blk).wait()
            blk.push()

        def consume() -> None:
            blk = dfb.wait()
            ttl.copy(blk, a[0, 1]).wait()
            blk.pop()

        @ttl.datamovement()
        def first() -> None:
            produce()
            produce()
            if twice == "consumer":
                consume()

        @ttl.datamovement()
        def second() -> None:
            consume()
            if twice == "producer":
                produce()

    for twice, code in (("producer", "TTL0315"), ("consumer", "TTL0316")):
        with fails(code, match="first"):
            op(tiled(numbers(32, 64)), twice)


def test_a_compute_kernel_may_be_both_ends_of_an_accumulator() -> None:
    @ttl.operation(grid=(1, 1))
    def op(a: Any, out: Any) -> None:
        in_dfb, out_dfb, acc_dfb = (ttl.make_dataflow_buffer_like(a, shape=(1, 1)) for _ in range(3))

        @ttl.datamovement()
        def read() -> None:
            for tile in range(4):
                with in_dfb.reserve() as blk:
                    ttl.copy(a[0, tile], blk).wait()

        @ttl.compute()
        def compute() -> None:
            with acc_dfb.reserve() as acc:
                acc.store(ttl.block.fill(0, shape=(1, 1)))
            for _ in range(4):
                with acc_dfb.wait() as old, in_dfb.wait() as blk, acc_dfb.reserve() as new:
                    new.store(old + blk)
            with acc_dfb.wait() as acc, out_dfb.reserve() as blk:
                blk.store(acc)

        @ttl.datamovement()
        def write() -> None:
            with out_dfb.wait() as blk:
                ttl.copy(blk, out[0, 0]).wait()

    out = blank((32, 32))
    op(tiled(numbered_tiles(1, 4)), out)
    assert np.all(values(out) == 10)


def test_buffers_of_different_nodes_are_different() -> None:
    @ttl.operation(grid=(2, 2))
    def op(a: Any, out: Any) -> None:
        x, y = ttl.node()
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=1)

        @ttl.datamovement()
        def read() -> None:
            with dfb.reserve() as blk:
                ttl.copy(a[x, y], blk).wait()

        @ttl.datamovement()
        def write() -> None:
            with dfb.wait() as blk:
                ttl.copy(blk, out[y, x]).wait()

    a, out = numbered_tiles(2, 2), blank((64, 64))
    op(tiled(a), out)
    assert np.array_equal(values(out)[::32, ::32], [[1, 3], [2, 4]])


def test_acquiring_outside_a_kernel() -> None:
    @ttl.operation(grid=(1, 1))
    def op(a: Any, method: str) -> None:
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
        getattr(dfb, method)()

        @ttl.compute()
        def kernel() -> None:
            pass

    for method in ("reserve", "wait"):
        with fails("TTL0314"):
            op(tiled(numbers(32, 32)), method)


def test_a_buffer_made_inside_a_kernel() -> None:
    @ttl.operation(grid=(1, 1))
    def op(a: Any) -> None:
        @ttl.compute()
        def kernel() -> None:
            ttl.make_dataflow_buffer_like(a, shape=(1, 1))

    with fails("TTL0211"):
        op(tiled(numbers(32, 32)))


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"shape": (1,)}, "TTL0320"),
        ({"shape": 4}, "TTL0320"),
        ({"shape": (0, 1)}, "TTL0323"),
        ({"shape": ()}, "TTL0323"),
        ({"shape": (1, 2.0)}, "TTL0323"),
        ({"shape": "11"}, "TTL0323"),
        ({"shape": (1, 1), "block_count": 0}, "TTL0321"),
        ({"shape": (1, 1), "block_count": 2.0}, "TTL0321"),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any], code: str) -> None:
    @ttl.operation(grid=(1, 1))
    def op(a: Any) -> None:
        ttl.make_dataflow_buffer_like(a, **arguments)

        @ttl.compute()
        def kernel() -> None:
            pass

    with fails(code):
        op(tiled(numbers(32, 32)))


def test_holding_all_blocks_and_asking_for_another() -> None:
    @ttl.operation(grid=(1, 1))
    def op(a: Any) -> None:
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

        @ttl.datamovement()
        def kernel() -> None:
            blocks = [dfb.reserve() for _ in range(3)]
            blocks[0].push()

    with fails("TTL0322", match="block_count=3"):
        op(tiled(numbers(32, 32)))


def test_waiting_for_a_block_nobody_pushes_is_a_deadlock() -> None:
    @ttl.operation(grid=(1, 1))
    def op(a: Any) -> None:
        a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

        @ttl.datamovement()
        def kernel() -> None:
            a_dfb.wait().pop()

    with deadlocks(match="a_dfb"):
        op(tiled(numbers(32, 32)))


@pytest.mark.parametrize(("arch", "limit"), [("wormhole", 32), ("blackhole", 64)])
def test_the_number_of_buffers_is_the_chips(arch: str, limit: int) -> None:
    from ttl import settings

    @ttl.operation(grid=(1, 1))
    def op(a: Any, count: int) -> None:
        for _ in range(count):
            ttl.make_dataflow_buffer_like(a, shape=(1, 1))

        @ttl.compute()
        def kernel() -> None:
            pass

    with settings.override(arch=arch):
        op(tiled(numbers(32, 32)), limit)
        with fails("TTL0802") as caught:
            op(tiled(numbers(32, 32)), limit + 1)
    assert isinstance(caught.value, ResourceError)


def test_the_sum_of_all_buffers_fits_l1() -> None:
    @ttl.operation(grid=(1, 1))
    def op(a: Any, tiles: int) -> None:
        big_dfb = ttl.make_dataflow_buffer_like(a, shape=(tiles, 16), block_count=3)  # noqa: F841
        ttl.make_dataflow_buffer_like(a, shape=(4, 4))

        @ttl.compute()
        def kernel() -> None:
            pass

    op(tiled(numbers(32, 32)), 12)
    with fails("TTL0801", match="big_dfb") as caught:
        op(tiled(numbers(32, 32)), 16)
    assert isinstance(caught.value, ResourceError)
    assert "block_count=2 for big_dfb would fit" in str(caught.value)


def test_tensors_that_are_in_l1_leave_less_to_buffers() -> None:
    @ttl.operation(grid=(1, 1))
    def op(a: Any, b: Any) -> None:
        big_dfb = ttl.make_dataflow_buffer_like(a, shape=(13, 16), block_count=3)  # noqa: F841

        @ttl.compute()
        def kernel() -> None:
            pass

    cores = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(1, 1), ttnn.CoreCoord(2, 1))])
    spec = ttnn.ShardSpec(cores, (1024, 64))
    sharded = ttnn.MemoryConfig(ttnn.TensorMemoryLayout.HEIGHT_SHARDED, ttnn.BufferType.L1, spec)
    a = ttnn.to_device(tiled(numbers(2048, 64)), ttnn.open_device(device_id=0))
    in_l1 = ttnn.to_memory_config(a, sharded)
    op(a, a)
    with fails("TTL0801", match="beside 131072 of tensors in L1") as caught:
        op(in_l1, in_l1)
    assert "or keep a in DRAM" in str(caught.value)


def test_a_warning_for_a_block_that_nobody_waits_for(capsys: pytest.CaptureFixture[str]) -> None:
    @ttl.operation(grid=(2, 1))
    def op(a: Any) -> None:
        lost_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

        @ttl.datamovement()
        def kernel() -> None:
            with lost_dfb.reserve() as blk:
                ttl.copy(a[0, 0], blk).wait()

    op(tiled(numbers(32, 32)))
    told = capsys.readouterr().err
    assert "warning[TTL0904]" in told and "lost_dfb" in told and "2 nodes" in told


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda new: {"dfb": new()}, "a_dfb"),
        (lambda new: {"dfb": [new(), new()][1]}, "a_dfb"),
        (lambda new: {"dfbs": [new(), new()]}, r"dfbs\[1\]"),
        (lambda new: {"dfbs": {"left": new(), 1: new()}}, r"dfbs\[1\]"),
    ],
)
def test_messages_call_a_buffer_what_the_kernel_calls_it(make: Any, name: str) -> None:
    @ttl.operation(grid=(1, 1))
    def op(a: Any) -> None:
        def new() -> Any:
            made = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
            return made  # noqa: RET504

        kept = make(new)
        if "dfbs" in kept:
            dfbs = kept["dfbs"]

            @ttl.datamovement()
            def kernel() -> None:
                dfbs[1].reserve().push()
        else:
            a_dfb = kept["dfb"]

            @ttl.datamovement()
            def kernel() -> None:
                a_dfb.reserve().push()

    with fails("TTL0302", match=f"block of {name} "):
        op(tiled(numbers(32, 32)))


def test_several_blocks_of_one_buffer_in_a_with() -> None:
    """They are released in the order they were acquired, although Python leaves the last one first."""

    @ttl.operation(grid=(1, 1))
    def op(a: Any, out: Any) -> None:
        a_dfb, out_dfb = (ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=3) for _ in range(2))

        @ttl.datamovement()
        def read() -> None:
            for _ in range(2):
                with a_dfb.reserve() as first, a_dfb.reserve() as second:
                    with a_dfb.reserve() as third:
                        ttl.copy(a[0, 2], third).wait()
                    ttl.copy(a[0, 0], first).wait()
                    ttl.copy(a[0, 1], second).wait()

        @ttl.compute()
        def compute() -> None:
            for _ in range(2):
                with (
                    a_dfb.wait() as first,
                    a_dfb.wait() as second,
                    a_dfb.wait() as third,
                    out_dfb.reserve() as blk,
                ):
                    blk.store(first * 100 + second * 10 + third)

        @ttl.datamovement()
        def write() -> None:
            for tile in range(2):
                with out_dfb.wait() as blk:
                    ttl.copy(blk, out[0, tile]).wait()

    out = blank((32, 64), ttnn.float32)
    op(tiled(numbered_tiles(1, 3), ttnn.float32), out)
    assert values(out)[0, ::32].tolist() == [123, 123]


def test_a_block_whose_with_is_over_is_released_even_if_an_older_one_is_held() -> None:
    @ttl.operation(grid=(1, 1))
    def op(a: Any) -> None:
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

        @ttl.datamovement()
        def kernel() -> None:
            with dfb.reserve() as first:
                with dfb.reserve() as second:
                    ttl.copy(a[0, 0], second).wait()
                ttl.copy(second, a[0, 0])
                ttl.copy(a[0, 0], first).wait()

    with fails("TTL0307"):
        op(tiled(numbers(32, 32)))
