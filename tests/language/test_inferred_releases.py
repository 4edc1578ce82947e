"""LANGUAGE.md, "Buffers, blocks": a missing push, pop or transfer wait is inferred.

Removing each of them from whole programs is in ``test_synchronisation``; here are the edges: what is inferred, when,
and that touching a block after its inferred release is an error and never a wrong result.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ttl
from support.failing import deadlocks, fails
from support.removal import load
from support.tensors import blank, numbered_tiles, numbers, tiled, values
from ttl import settings


def stream(produce: Callable[..., None], consume: Callable[..., None], *, block_count: int = 2) -> Any:
    """``produce(a, dfb)`` and ``consume(dfb, out)`` in two data movement kernels; what is in ``out``."""

    @ttl.operation(grid=(1, 1))
    def op(a: Any, out: Any) -> None:
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=block_count)

        @ttl.datamovement()
        def read() -> None:
            produce(a, dfb)

        @ttl.datamovement()
        def write() -> None:
            consume(dfb, out)

    out = blank((32, 160))
    op(tiled(numbered_tiles(1, 5)), out)
    return values(out)[0, ::32].tolist()


def produce_bare(a: Any, dfb: Any) -> None:
    for tile in range(5):
        bare_in = dfb.reserve()
        ttl.copy(a[0, tile], bare_in)


def consume_bare(dfb: Any, out: Any) -> None:
    for tile in range(5):
        bare_out = dfb.wait()
        ttl.copy(bare_out, out[0, tile])


def produce_plainly(a: Any, dfb: Any) -> None:
    for tile in range(5):
        with dfb.reserve() as blk:
            ttl.copy(a[0, tile], blk).wait()


def consume_plainly(dfb: Any, out: Any) -> None:
    for tile in range(5):
        with dfb.wait() as blk:
            ttl.copy(blk, out[0, tile]).wait()


@pytest.mark.parametrize("block_count", [1, 2, 5])
@pytest.mark.parametrize("produce", [produce_bare, produce_plainly])
@pytest.mark.parametrize("consume", [consume_bare, consume_plainly])
def test_nothing_is_written_out_on_one_or_both_sides(
    produce: Callable[..., None], consume: Callable[..., None], block_count: int
) -> None:
    assert stream(produce, consume, block_count=block_count) == [1, 2, 3, 4, 5]


def test_strict_infers_nothing() -> None:
    with settings.override(strict=True):
        assert stream(produce_plainly, consume_plainly) == [1, 2, 3, 4, 5]
        with fails("TTL0322", "TTL0901"):
            stream(produce_bare, consume_plainly)
        with fails("TTL0329", "TTL0902"):
            stream(produce_plainly, consume_bare)


def test_a_block_used_in_place_without_a_name() -> None:
    """``out.reserve().store(x.wait() + 1)`` as newer programs write it."""

    @ttl.operation(grid=(1, 1))
    def op(a: Any, out: Any) -> None:
        a_dfb, out_dfb = (ttl.make_dataflow_buffer_like(t, shape=(1, 1)) for t in (a, out))

        @ttl.datamovement()
        def read() -> None:
            for tile in range(5):
                ttl.copy(a[0, tile], a_dfb.reserve())

        @ttl.compute()
        def compute() -> None:
            for _ in range(5):
                out_dfb.reserve().store(a_dfb.wait() + 1)

        @ttl.datamovement()
        def write() -> None:
            for tile in range(5):
                ttl.copy(out_dfb.wait(), out[0, tile])

    out = blank((32, 160))
    op(tiled(numbered_tiles(1, 5)), out)
    assert values(out)[0, ::32].tolist() == [2, 3, 4, 5, 6]


def test_the_order_of_a_missing_and_a_written_release_of_one_buffer() -> None:
    """An older block whose release is left out goes first when a newer one is released."""

    @ttl.operation(grid=(1, 1))
    def op(a: Any, out: Any) -> None:
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=2)

        @ttl.datamovement()
        def read() -> None:
            older_in = dfb.reserve()
            ttl.copy(a[0, 0], older_in).wait()
            newer_in = dfb.reserve()
            ttl.copy(a[0, 1], newer_in).wait()
            newer_in.push()

        @ttl.datamovement()
        def write() -> None:
            older_out = dfb.wait()
            ttl.copy(older_out, out[0, 0]).wait()
            newer_out = dfb.wait()
            ttl.copy(newer_out, out[0, 1]).wait()
            newer_out.pop()

    out = blank((32, 64))
    op(tiled(numbered_tiles(1, 2)), out)
    assert values(out)[0, ::32].tolist() == [1, 2]


def test_a_block_touched_after_its_inferred_release_is_an_error() -> None:
    """The next acquisition at the same place releases the block before: keeping it for later does not work."""

    def consume(dfb: Any, out: Any) -> None:
        previous = None
        for tile in range(5):
            current = dfb.wait()
            ttl.copy(current, out[0, tile]).wait()
            if previous is not None:
                ttl.copy(previous, out[0, tile - 1]).wait()
            previous = current

    with fails("TTL0307", "TTL0902", "TTL0329"):
        stream(produce_plainly, consume)


def test_an_unread_block_is_not_silently_dropped_by_an_inferred_pop(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def consume(dfb: Any, out: Any) -> None:
        for tile in range(5):
            skipped = dfb.wait()
            if tile != 2:
                ttl.copy(skipped, out[0, tile])

    stream(produce_plainly, consume)
    assert "warning[TTL0303]" in capsys.readouterr().err


def test_an_inferred_pop_of_what_nobody_reads_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    def consume(dfb: Any, out: Any) -> None:
        for _ in range(5):
            dfb.wait()

    stream(produce_plainly, consume)
    assert "warning[TTL0303]: block of dfb popped, and nothing reads" in capsys.readouterr().err


def test_an_unwritten_block_is_not_silently_handed_on_by_an_inferred_push() -> None:
    def produce(a: Any, dfb: Any) -> None:
        for tile in range(5):
            unwritten = dfb.reserve()
            if tile != 2:
                ttl.copy(a[0, tile], unwritten)

    with fails("TTL0302"):
        stream(produce, consume_plainly)


def test_a_release_that_is_only_missing_on_one_path_is_not_inferred() -> None:
    """The program releases the block itself, just not always: that is a mistake and not a style."""

    def consume(dfb: Any, out: Any) -> None:
        for tile in range(5):
            sometimes = dfb.wait()
            ttl.copy(sometimes, out[0, tile]).wait()
            if tile != 4:
                sometimes.pop()

    with fails("TTL0902"):
        stream(produce_plainly, consume)


def test_a_wait_that_is_only_missing_on_one_path_is_not_inferred() -> None:
    def produce(a: Any, dfb: Any) -> None:
        for tile in range(5):
            with dfb.reserve() as blk:
                in_xf = ttl.copy(a[0, tile], blk)
                if tile != 3:
                    in_xf.wait()

    with fails("TTL0310"):
        stream(produce, consume_plainly)


def test_blocks_in_a_container_are_the_programs_own_business() -> None:
    def produce(a: Any, dfb: Any) -> None:
        blocks = [dfb.reserve() for _ in range(2)]
        for tile, blk in enumerate(blocks):
            ttl.copy(a[0, tile], blk).wait()

    with fails("TTL0901", "TTL0910") as caught:
        stream(produce, consume_plainly)
    assert "reserve" in str(caught.value) or "dfb" in str(caught.value)


def test_what_is_inferred_makes_no_difference_to_a_real_deadlock() -> None:
    def consume(dfb: Any, out: Any) -> None:
        for _ in range(6):
            one_more = dfb.wait()
            ttl.copy(one_more, out[0, 0])

    with deadlocks():
        stream(produce_plainly, consume)


def test_two_acquisitions_in_one_iteration_without_releases() -> None:
    """Different places in the source: both blocks are held until their own place comes round again, or until
    there is no room and they are not used any more.
    """

    def produce(a: Any, dfb: Any) -> None:
        for tile in range(0, 4, 2):
            even = dfb.reserve()
            ttl.copy(a[0, tile], even)
            odd = dfb.reserve()
            ttl.copy(a[0, tile + 1], odd)

    def consume(dfb: Any, out: Any) -> None:
        for tile in range(4):
            with dfb.wait() as blk:
                ttl.copy(blk, out[0, tile]).wait()

    for block_count in (1, 2, 3, 4):
        assert stream(produce, consume, block_count=block_count)[:4] == [1, 2, 3, 4]


def test_a_block_that_is_used_again_does_not_make_room() -> None:
    def produce(a: Any, dfb: Any) -> None:
        first = dfb.reserve()
        ttl.copy(a[0, 0], first).wait()
        second = dfb.reserve()
        ttl.copy(a[0, 1], second).wait()
        ttl.copy(first, a[0, 4]).wait()

    def consume(dfb: Any, out: Any) -> None:
        for tile in range(2):
            with dfb.wait() as blk:
                ttl.copy(blk, out[0, tile]).wait()

    assert stream(produce, consume, block_count=2)[:2] == [1, 2]
    with fails("TTL0322"):
        stream(produce, consume, block_count=1)


def test_a_program_edited_and_loaded_again_is_judged_by_its_new_text(tmp_path: Path) -> None:
    """Equal code in a file that changed, or in another file, is another program."""
    template = """
import ttl
from support.tensors import blank, numbered_tiles, tiled, values

def run():
    @ttl.operation(grid=(1, 1))
    def op(a, out):
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

        @ttl.datamovement()
        def read():
            for tile in range(3):
                blk = dfb.reserve()
                ttl.copy(a[0, tile], blk).wait()
{push}
        @ttl.datamovement()
        def write():
            for tile in range(3):
                with dfb.wait() as got:
                    ttl.copy(got, out[0, tile]).wait()
    out = blank((32, 96))
    op(tiled(numbered_tiles(1, 3)), out)
    return values(out)[0, ::32].tolist()
"""
    for push in ("                blk.push()\n", "", "                blk.push()\n", "\n"):
        program = load(template.format(push=push), tmp_path / "edited.py")
        assert program["run"]() == [1, 2, 3]
    other = load(template.format(push=""), tmp_path / "other.py")
    assert other["run"]() == [1, 2, 3]


def test_a_name_that_is_not_ascii() -> None:
    @ttl.operation(grid=(1, 1))
    def op(a: Any, out: Any) -> None:
        α_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=1)

        @ttl.datamovement()
        def read() -> None:
            for tile in range(3):
                α_blk = α_dfb.reserve()
                ttl.copy(a[0, tile], α_blk)

        @ttl.datamovement()
        def write() -> None:
            for tile in range(3):
                with α_dfb.wait() as blk:
                    ttl.copy(blk, out[0, tile]).wait()

    a, out = numbers(32, 96), blank((32, 96))
    op(tiled(a), out)
    assert np.array_equal(values(out), a)


def test_the_message_says_that_the_release_was_inferred() -> None:
    """The accumulator is pushed while everyone waits, and the program goes on writing it."""

    @ttl.operation(grid=(1, 1))
    def op(a: Any, out: Any) -> None:
        a_dfb, sum_dfb = (ttl.make_dataflow_buffer_like(t, shape=(1, 1), block_count=1) for t in (a, out))

        @ttl.datamovement()
        def move() -> None:
            with a_dfb.reserve() as blk:
                ttl.copy(a[0, 0], blk).wait()
            with sum_dfb.wait() as total:
                ttl.copy(total, out[0, 0]).wait()
            with a_dfb.reserve() as second:
                ttl.copy(a[0, 1], second).wait()

        @ttl.compute()
        def compute() -> None:
            acc = sum_dfb.reserve()
            for _ in range(2):
                with a_dfb.wait() as term:
                    acc += term

    with fails("TTL0307", match=r"the program has no push\(\) for it"):
        op(tiled(numbered_tiles(1, 2)), blank((32, 32)))


@pytest.mark.parametrize("last_first", [False, True])
def test_of_several_blocks_the_one_that_is_not_used_any_more_is_released(last_first: bool) -> None:
    """Everyone waits. One node's sum goes on, another node's block is complete: only the latter is pushed."""
    receiver, sender = (1, 0) if last_first else (0, 1)

    @ttl.operation(grid=(2, 1))
    def op(a: Any, out: Any) -> None:
        me = ttl.node(dims=1)
        net = ttl.PipeNet([ttl.Pipe(src=(sender, 0), dst=(receiver, 0))])
        got_dfb, sum_dfb, first_dfb, second_dfb = (
            ttl.make_dataflow_buffer_like(a, shape=(1, 1)) for _ in range(4)
        )

        @ttl.datamovement()
        def move() -> None:
            for tile in range(3):
                if me == sender:
                    # Complete, and never pushed by the program; the answer comes through the compute kernel.
                    question = first_dfb.reserve()
                    ttl.copy(a[0, tile], question).wait()
                    with second_dfb.wait() as answer:
                        net.if_src(lambda pipe: ttl.copy(answer, pipe).wait())
                else:
                    with got_dfb.reserve() as got:
                        net.if_dst(lambda pipe: ttl.copy(pipe, got).wait())

        @ttl.compute()
        def compute() -> None:
            if me == sender:
                for _ in range(3):
                    with first_dfb.wait() as question, second_dfb.reserve() as answer:
                        answer.store(question * 2)
            else:
                total = sum_dfb.reserve()
                for _ in range(3):
                    with got_dfb.wait() as term:
                        total += term

        @ttl.datamovement()
        def write() -> None:
            if me == receiver:
                with sum_dfb.wait() as result:
                    ttl.copy(result, out[0, 0]).wait()

    for seed in (None, 0, 1, 2):
        out = blank((32, 32))
        with settings.override(schedule_seed=seed):
            op(tiled(numbered_tiles(1, 3)), out)
        assert np.all(values(out) == 12)
