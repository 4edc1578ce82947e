"""Specification, "Operation function": what an operation and its kernels are, and how they are called."""

from __future__ import annotations

from typing import Any

import numpy as np
import ttnn

import ttl
from support.failing import fails, line_of
from support.tensors import blank, numbers, tiled, values


def test_three_kernels_on_every_node() -> None:
    ran: list[tuple[str, int]] = []

    @ttl.operation(grid=(2, 1))
    def op(a: Any) -> None:
        me = ttl.node(dims=1)

        @ttl.compute()
        def some_compute() -> None:
            ran.append(("compute", me))

        @ttl.datamovement()
        def some_dm0() -> None:
            ran.append(("dm0", me))

        @ttl.datamovement()
        def some_dm1() -> None:
            ran.append(("dm1", me))

    assert op(tiled(numbers(32, 32))) is None  # type: ignore[func-returns-value]
    assert sorted(ran) == sorted((name, node) for name in ("compute", "dm0", "dm1") for node in (0, 1))


def test_it_mixes_with_ttnn_operations() -> None:
    """The specification's program, with an operation that doubles."""

    @ttl.operation(grid=(1, 1))
    def __double(x: ttnn.Tensor, y: ttnn.Tensor) -> None:
        x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))

        @ttl.datamovement()
        def read() -> None:
            with x_dfb.reserve() as blk:
                ttl.copy(x[0, 0], blk).wait()

        @ttl.compute()
        def compute() -> None:
            with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
                y_blk.store(x_blk + x_blk)

        @ttl.datamovement()
        def write() -> None:
            with y_dfb.wait() as blk:
                ttl.copy(blk, y[0, 0]).wait()

    def double(x: ttnn.Tensor) -> ttnn.Tensor:
        y = ttnn.zeros(x.shape, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)
        __double(x, y)
        return y

    a = numbers(32, 32)
    assert np.array_equal(values(ttnn.add(double(ttnn.abs(tiled(a))), tiled(a))), 2 * np.abs(a) + a)


def test_fewer_than_three_kernels() -> None:
    """One data movement kernel alone moves data; the compute kernel is not needed."""

    @ttl.operation(grid=(1, 1))
    def op(a: Any, out: Any) -> None:
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

        @ttl.datamovement()
        def move() -> None:
            with dfb.reserve() as blk:
                ttl.copy(a[0, 0], blk).wait()
                ttl.copy(blk, out[0, 0]).wait()

    a, out = numbers(32, 32), blank((32, 32))
    op(tiled(a), out)
    assert np.array_equal(values(out), a)


def test_two_kernels_without_a_second_data_movement_kernel() -> None:
    @ttl.operation(grid=(1, 1))
    def op(a: Any, out: Any) -> None:
        in_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
        out_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

        @ttl.datamovement()
        def both_ways() -> None:
            with in_dfb.reserve() as blk:
                ttl.copy(a[0, 0], blk).wait()
            with out_dfb.wait() as blk:
                ttl.copy(blk, out[0, 0]).wait()

        @ttl.compute()
        def compute() -> None:
            with in_dfb.wait() as in_blk, out_dfb.reserve() as out_blk:
                out_blk.store(-in_blk)

    a, out = numbers(32, 32), blank((32, 32))
    op(tiled(a), out)
    assert np.array_equal(values(out), -a)


def test_arguments_by_name_with_defaults_and_of_any_kind() -> None:
    seen: list[Any] = []

    @ttl.operation(grid=(1, 1))
    def op(a: Any, factor: float = 2.0, *, names: tuple[str, ...] = ()) -> None:
        seen.append((a.shape[0], factor, names))

        @ttl.compute()
        def kernel() -> None:
            pass

    a = tiled(numbers(32, 32))
    op(a)
    op(a=a, factor=3.0, names=("x",))
    assert seen == [(32, 2.0, ()), (32, 3.0, ("x",))]


def test_decorators_without_parentheses() -> None:
    ran: list[str] = []

    @ttl.operation
    def op(a: Any) -> None:
        @ttl.compute
        def first() -> None:
            ran.append("compute")

        @ttl.datamovement
        def second() -> None:
            ran.append("data movement")

    op(tiled(numbers(32, 32)))
    assert len(ran) == 128 and set(ran) == {"compute", "data movement"}


def test_kernels_of_different_nodes_may_differ() -> None:
    """The body runs once per node: which kernels there are may depend on the node."""
    ran: list[tuple[int, str]] = []

    @ttl.operation(grid=(2, 1))
    def op(a: Any) -> None:
        me = ttl.node(dims=1)
        if me == 0:

            @ttl.datamovement()
            def zero() -> None:
                ran.append((me, "zero"))
        else:

            @ttl.datamovement()
            def one() -> None:
                ran.append((me, "one"))

    op(tiled(numbers(32, 32)))
    assert sorted(ran) == [(0, "zero"), (1, "one")]


def test_two_kernels_of_the_same_name() -> None:
    @ttl.operation(grid=(1, 1))
    def op(a: Any) -> None:
        @ttl.datamovement()
        def move() -> None:
            pass

        @ttl.datamovement()
        def move() -> None:  # noqa: F811
            pass

    with fails("TTL0204", match="move"):
        op(tiled(numbers(32, 32)))


def test_too_many_kernels_of_a_kind() -> None:
    @ttl.operation(grid=(1, 1))
    def op(a: Any, kind: Any, count: int) -> None:
        def make(number: int) -> None:
            def kernel() -> None:
                pass

            kernel.__name__ = f"kernel{number}"
            kind()(kernel)

        for number in range(count):
            make(number)

    a = tiled(numbers(32, 32))
    op(a, ttl.compute, 1)
    op(a, ttl.datamovement, 2)
    with fails("TTL0205"):
        op(a, ttl.compute, 2)
    with fails("TTL0205"):
        op(a, ttl.datamovement, 3)


def test_an_operation_without_a_kernel() -> None:
    @ttl.operation(grid=(1, 1))
    def op(a: Any) -> None:
        ttl.make_dataflow_buffer_like(a, shape=(1, 1))

    with fails("TTL0203"):
        op(tiled(numbers(32, 32)))


def test_a_kernel_that_is_defined_and_never_used() -> None:
    @ttl.operation(grid=(1, 1))
    def op(a: Any) -> None:
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

        @ttl.compute()
        def compute() -> None:
            pass

        def forgotten() -> None:
            with dfb.reserve() as blk:
                ttl.copy(a[0, 0], blk).wait()

    with fails("TTL0219", match="forgotten"):
        op(tiled(numbers(32, 32)))


def test_a_return_value_of_the_operation_or_of_a_kernel() -> None:
    @ttl.operation(grid=(1, 1))
    def op(a: Any, which: str) -> Any:
        @ttl.compute()
        def kernel() -> Any:
            return 1 if which == "kernel" else None

        return a if which == "operation" else None

    a = tiled(numbers(32, 32))
    op(a, "neither")
    with fails("TTL0206", match="kernel"):
        op(a, "kernel")
    with fails("TTL0206", match="operation"):
        op(a, "operation")


def test_wrong_arguments_are_an_error_at_the_call() -> None:
    @ttl.operation(grid=(1, 1))
    def op(a: Any, out: Any) -> None:
        @ttl.compute()
        def kernel() -> None:
            pass

    with fails("TTL0208") as caught:
        op(tiled(numbers(32, 32)))
    assert line_of(caught) == "op(tiled(numbers(32, 32)))"


def test_an_operation_inside_an_operation() -> None:
    @ttl.operation(grid=(1, 1))
    def inner(a: Any) -> None:
        @ttl.compute()
        def kernel() -> None:
            pass

    @ttl.operation(grid=(1, 1))
    def outer(a: Any) -> None:
        @ttl.datamovement()
        def kernel() -> None:
            inner(a)

    with fails("TTL0218"):
        outer(tiled(numbers(32, 32)))


def test_a_failed_launch_leaves_nothing_to_reset() -> None:
    @ttl.operation(grid=(2, 2))
    def op(a: Any, out: Any, broken: bool) -> None:
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

        @ttl.datamovement()
        def read() -> None:
            with dfb.reserve() as blk:
                ttl.copy(a[0, 0], blk).wait()
            if broken and ttl.node(dims=1) == 3:
                dfb.reserve().push()

        @ttl.datamovement()
        def write() -> None:
            with dfb.wait() as blk:
                ttl.copy(blk, out[0, 0]).wait()

    a, out = numbers(32, 32), blank((32, 32))
    for _ in range(2):
        with fails("TTL0302"):
            op(tiled(a), out, True)
        op(tiled(a), out, False)
        assert np.array_equal(values(out), a)
