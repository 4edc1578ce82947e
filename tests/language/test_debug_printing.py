"""Specification, "Debug printing" and "Profiling signpost"."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

import pytest
import ttnn

import ttl
from support.failing import fails
from support.tensors import numbered_tiles, numbers, row_major, tiled


def printed(
    body: Callable[[Any, Any, Any], None], capsys: pytest.CaptureFixture[str], tensor: Any = None
) -> str:
    """What ``body(a, dfb, blk)`` prints in a data movement kernel whose block holds the first tile of ``a``."""

    @ttl.operation(grid=(1, 1))
    def op(a: Any) -> None:
        c_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

        @ttl.datamovement()
        def kernel() -> None:
            with c_dfb.reserve() as blk:
                ttl.copy(a[0:1, 0:1], blk).wait()
                body(a, c_dfb, blk)

    capsys.readouterr()
    op(tiled(numbered_tiles(2, 2)) if tensor is None else tensor)
    return capsys.readouterr().out


def test_strings_and_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    def body(a: Any, dfb: Any, blk: Any) -> None:
        print("i_tile=", 3, "half", 0.5, sep="|", end="!\n")

    assert printed(body, capsys) == "i_tile=|3|half|0.5!\n"


def test_a_block_shows_its_content(capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(lambda a, dfb, blk: print("blk:", blk), capsys)
    assert text.startswith("blk: <block of c_dfb")
    assert "1. 1. 1." in text


def test_a_block_that_holds_nothing_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    @ttl.operation(grid=(1, 1))
    def op(a: Any) -> None:
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

        @ttl.datamovement()
        def kernel() -> None:
            blk = dfb.reserve()
            print(blk)
            xf = ttl.copy(a[0, 0], blk)
            print(blk)
            xf.wait()
            blk.push()
            print(blk)

    op(tiled(numbered_tiles(1, 1)))
    lines = capsys.readouterr().out.splitlines()
    assert ["not written" in lines[0], "copied into" in lines[1], "released" in lines[2]] == [True] * 3


def test_printing_a_block_does_not_count_as_reading_it(capsys: pytest.CaptureFixture[str]) -> None:
    @ttl.operation(grid=(1, 1))
    def op(a: Any) -> None:
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

        @ttl.datamovement()
        def produce() -> None:
            with dfb.reserve() as blk:
                ttl.copy(a[0, 0], blk).wait()

        @ttl.compute()
        def consume() -> None:
            with dfb.wait() as blk:
                print(blk)

    op(tiled(numbered_tiles(1, 1)))
    assert "warning[TTL0303]" in capsys.readouterr().err


def test_an_expression_shows_its_value(capsys: pytest.CaptureFixture[str]) -> None:
    @ttl.operation(grid=(1, 1))
    def op(a: Any) -> None:
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

        @ttl.compute()
        def kernel() -> None:
            with dfb.reserve() as blk:
                blk.store(ttl.block.fill(2, shape=(1, 1)))
                print("sum", blk + blk + 1)

    op(tiled(numbered_tiles(1, 1)))
    assert "5. 5. 5." in capsys.readouterr().out


def test_a_tensor_shows_its_first_page(capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(lambda a, dfb, blk: print("a: ", a), capsys)
    assert "1. 1. 1." in text and "2. 2. 2." not in text


def test_num_pages(capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(lambda a, dfb, blk: print(a, num_pages=3), capsys)  # type: ignore[call-overload]
    assert all(f"{tile}. {tile}. {tile}." in text for tile in (1, 2, 3)) and "4. 4. 4." not in text


def test_a_page_of_a_row_major_tensor_is_a_row(capsys: pytest.CaptureFixture[str]) -> None:
    a = numbers(3, 4)
    tensor = row_major(a)
    text = printed(lambda a, dfb, blk: print(a, num_pages=2), capsys, tensor)  # type: ignore[call-overload]
    assert text.count("page") == 2


def test_a_buffer_shows_sizes_and_pointers(capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(lambda a, dfb, blk: print("c_dfb after reserve:", dfb), capsys)
    for word in ("c_dfb", "size=", "page_size=2048", "rd_ptr=", "wr_ptr=", "wr_tile_ptr="):
        assert word in text


def test_the_pointers_move(capsys: pytest.CaptureFixture[str]) -> None:
    @ttl.operation(grid=(1, 1))
    def op(a: Any) -> None:
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 2), block_count=2)

        @ttl.datamovement()
        def kernel() -> None:
            print(dfb)
            blk = dfb.reserve()
            ttl.copy(a[0, 0:2], blk).wait()
            blk.push()
            print(dfb)

    op(tiled(numbered_tiles(1, 2)))
    before, after = capsys.readouterr().out.splitlines()
    assert "wr_ptr=0 wr_tile_ptr=0" in before and "wr_ptr=4096 wr_tile_ptr=2" in after
    assert "filled=0" in before and "filled=1" in after


def test_one_object_per_print(capsys: pytest.CaptureFixture[str]) -> None:
    with fails("TTL0212"):
        printed(lambda a, dfb, blk: print(blk, dfb), capsys)


def test_num_pages_is_for_tensors_and_a_positive_number(capsys: pytest.CaptureFixture[str]) -> None:
    with fails("TTL0216"):
        printed(lambda a, dfb, blk: print(blk, num_pages=2), capsys)  # type: ignore[call-overload]
    with fails("TTL0217"):
        printed(lambda a, dfb, blk: print(a, num_pages=0), capsys)  # type: ignore[call-overload]


def test_pending_work_is_done_before_something_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    """A tensor that was written earlier in the operation shows what was written."""

    @ttl.operation(grid=(1, 1))
    def op(a: Any, out: Any) -> None:
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

        @ttl.datamovement()
        def kernel() -> None:
            with dfb.reserve() as blk:
                ttl.copy(a[0, 1], blk).wait()
                ttl.copy(blk, out[0, 0]).wait()
                print(out)

    op(tiled(numbered_tiles(1, 2)), tiled(numbered_tiles(1, 1)))
    assert "2. 2. 2." in capsys.readouterr().out


def test_print_is_pythons_own_before_and_after_even_after_an_error() -> None:
    original = builtins.print

    @ttl.operation(grid=(1, 1))
    def op(a: Any, broken: bool) -> None:
        @ttl.datamovement()
        def kernel() -> None:
            if broken:
                raise ValueError

    op(tiled(numbers(32, 32)), False)
    assert builtins.print is original
    with pytest.raises(ValueError):
        op(tiled(numbers(32, 32)), True)
    assert builtins.print is original


def test_a_signpost_names_a_region_and_changes_nothing() -> None:
    entered: list[str] = []

    @ttl.operation(grid=(1, 1))
    def op(a: Any) -> None:
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

        @ttl.datamovement()
        def read() -> None:
            for _ in range(2):
                with ttl.signpost("iteration"), ttl.signpost("push a"), dfb.reserve() as blk:
                    with ttl.signpost("read a"):
                        ttl.copy(a[0, 0], blk).wait()
                    entered.append("read")

        @ttl.compute()
        def compute() -> None:
            for _ in range(2):
                with ttl.signpost("compute"), dfb.wait() as blk:
                    blk.store(blk + 1)
                    blk.store(blk + 1)
                    entered.append("computed")
                    blk + 0

    op(tiled(numbers(32, 32)))
    assert sorted(entered) == ["computed", "computed", "read", "read"]


def test_a_signpost_is_named_by_a_string_inside_an_operation() -> None:
    with fails("TTL0214"):
        ttl.signpost(3)  # type: ignore[arg-type]
    with fails("TTL0201"):
        ttl.signpost("outside")


def test_a_tensor_prints_outside_an_operation_too(capsys: pytest.CaptureFixture[str]) -> None:
    print(tiled(numbers(32, 32)))
    assert "bfloat16" in capsys.readouterr().out
    assert isinstance(str(ttnn.zeros((2, 2))), str)
