"""Specification, "Pipe" and "Pipe net": unicast, multicast, loopback, identities, predicates, order, scope."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
import ttnn

import ttl
from support.failing import deadlocks, fails
from support.tensors import TILE, blank, numbered_tiles, numbers, row_major, tiled, values
from ttl import settings
from ttl.diag import Diagnostic
from ttl.diag.report import COLLECTOR
from ttl.frontend.live import lower_call

Op = Callable[..., None]


@contextmanager
def collecting(findings: list[Diagnostic]) -> Iterator[None]:
    """Warnings go into a list."""
    with COLLECTOR.given(findings.append):
        yield


def pass_on(grid: tuple[int, int], pipes: Callable[[], list[Any]], *, extra: int = 1) -> Any:
    """Every node sends its own tile on its pipes and writes what it receives, in order, to its row of ``out``.

    Tiles are numbered by node from 1. The result is one list of numbers per node.
    """
    nodes = grid[0] * grid[1]

    @ttl.operation(grid=grid)
    def op(a: Any, out: Any) -> None:
        me = ttl.node(dims=1)
        net = ttl.PipeNet(pipes())
        mine_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
        got_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=extra)

        @ttl.datamovement()
        def move() -> None:
            column = 0
            with mine_dfb.reserve() as mine_blk:
                ttl.copy(a[0, me], mine_blk).wait()
                net.if_src(lambda pipe: ttl.copy(mine_blk, pipe).wait())

                def receive(pipe: Any) -> None:
                    nonlocal column
                    blk = got_dfb.reserve()
                    ttl.copy(pipe, blk).wait()
                    ttl.copy(blk, out[me, column]).wait()
                    column += 1
                    blk.push()

                net.if_dst(receive)

    out = ttnn.from_numpy(
        np.zeros((TILE * nodes, TILE * extra), np.float32), ttnn.bfloat16, layout=ttnn.TILE_LAYOUT
    )
    op(tiled(numbered_tiles(1, nodes)), out)
    rows = values(out)[::TILE, ::TILE].astype(int).tolist()
    return [[number for number in row if number] for row in rows]


def test_unicast() -> None:
    assert pass_on((2, 1), lambda: [ttl.Pipe(src=(0, 0), dst=(1, 0))]) == [[], [1]]


def test_multicast_to_a_node_range() -> None:
    assert pass_on((2, 3), lambda: [ttl.Pipe(src=(0, 0), dst=(1, slice(0, 3)))]) == [
        [],
        [],
        [],
        [1],
        [1],
        [1],
    ]


def test_a_range_of_two_dimensions_and_open_slices() -> None:
    received = pass_on((3, 2), lambda: [ttl.Pipe(src=(0, 0), dst=(slice(1, 3), slice(None, None)))])
    assert received == [[], [], [1], [1], [1], [1]]


def test_loopback_the_source_is_in_its_own_range() -> None:
    assert pass_on((1, 3), lambda: [ttl.Pipe(src=(0, 1), dst=(0, slice(0, 3)))]) == [[2], [2], [2]]


def test_a_pipe_from_a_node_to_itself() -> None:
    assert pass_on((2, 1), lambda: [ttl.Pipe(src=(1, 0), dst=(1, 0))]) == [[], [2]]


def test_gather_receives_in_the_order_of_the_pipe_list() -> None:
    def gather() -> list[Any]:
        x_size, y_size = ttl.grid_size()
        return [ttl.Pipe(src=(x, y), dst=(0, y)) for x in reversed(range(1, x_size)) for y in range(y_size)]

    received = pass_on((4, 2), gather, extra=3)
    assert received[:2] == [[7, 5, 3], [8, 6, 4]]
    assert received[2:] == [[]] * 6


def test_scatter_gather() -> None:
    def pipes() -> list[Any]:
        x_size, y_size = ttl.grid_size()
        return [ttl.Pipe(src=(x, y), dst=(x, slice(0, y_size))) for x in range(x_size) for y in range(y_size)]

    assert pass_on((2, 3), pipes, extra=3) == [[1, 2, 3]] * 3 + [[4, 5, 6]] * 3


def test_forward_to_the_next_neighbour_of_a_ring_although_everyone_sends_first() -> None:
    def ring() -> list[Any]:
        x_size, y_size = ttl.grid_size()
        return [ttl.Pipe(src=(x, y), dst=(x, (y + 1) % y_size)) for x in range(x_size) for y in range(y_size)]

    assert pass_on((2, 3), ring) == [[3], [1], [2], [6], [4], [5]]


def test_coordinates_of_one_dimension() -> None:
    assert pass_on((2, 2), lambda: [ttl.Pipe(src=0, dst=3)]) == [[], [], [], [1]]
    assert pass_on((2, 2), lambda: [ttl.Pipe(src=(0,), dst=(slice(2, 4),))]) == [[], [], [1], [1]]


def test_pipe_identities_tell_source_and_destination() -> None:
    told: list[tuple[str, Any, Any]] = []

    @ttl.operation(grid=(2, 2))
    def op(a: Any) -> None:
        net = ttl.PipeNet([ttl.Pipe(src=(0, 0), dst=(1, slice(0, 2)))])
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

        @ttl.datamovement()
        def move() -> None:
            with dfb.reserve() as blk:
                ttl.copy(a[0, 0], blk).wait()

                def send(pipe: Any) -> None:
                    told.append(("send", ttl.node(), pipe.dst))
                    ttl.copy(blk, pipe).wait()

                def receive(pipe: Any) -> None:
                    told.append(("receive", ttl.node(), pipe.src))
                    ttl.copy(pipe, blk).wait()

                net.if_src(send)
                ttl.copy(blk, a[0, 0]).wait()
                net.if_dst(receive)

    op(tiled(numbers(32, 32)))
    assert told[0] == ("send", (0, 0), (1, slice(0, 2)))
    assert sorted(told[1:]) == [("receive", (1, 0), (0, 0)), ("receive", (1, 1), (0, 0))]


def test_properties_are_read_only() -> None:
    @ttl.operation(grid=(1, 1))
    def op(a: Any) -> None:
        net = ttl.PipeNet([ttl.Pipe(src=(0, 0), dst=(0, 0))])

        @ttl.datamovement()
        def move() -> None:
            def send(pipe: Any) -> None:
                with pytest.raises(AttributeError):
                    pipe.dst = (1, 1)

            net.if_src(send)

    op(tiled(numbers(32, 32)))


def test_predicates_are_the_roles_of_the_node_in_body_and_kernels() -> None:
    """The role domain may be smaller than the launch extent."""
    roles: dict[tuple[int, int], tuple[bool, bool, bool]] = {}

    @ttl.operation(grid=(4, 4))
    def op(a: Any) -> None:
        net = ttl.PipeNet([ttl.Pipe(src=(0, y), dst=(slice(1, 3), y)) for y in range(2)])
        roles[ttl.node()] = (net.is_src(), net.is_dst(), net.is_active())

        @ttl.compute()
        def compute() -> None:
            assert roles[ttl.node()] == (net.is_src(), net.is_dst(), net.is_active())

    op(tiled(numbers(32, 32)))
    for (x, y), found in roles.items():
        src, dst = x == 0 and y < 2, x in (1, 2) and y < 2
        assert found == (src, dst, src or dst)


def test_a_net_from_an_enclosing_scope_is_captured() -> None:
    net: Any = ttl.PipeNet([ttl.Pipe(src=(0, 0), dst=(1, 0))])

    @ttl.operation(grid=(2, 1))
    def op(a: Any, out: Any) -> None:
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

        @ttl.datamovement()
        def move() -> None:
            if not net.is_active():
                return
            with dfb.reserve() as blk:
                if net.is_src():
                    ttl.copy(a[0, 0], blk).wait()
                net.if_src(lambda pipe: ttl.copy(blk, pipe).wait())
                net.if_dst(lambda pipe: ttl.copy(pipe, blk).wait())
                ttl.copy(blk, out[0, ttl.node(dims=1)]).wait()

    a = numbers(32, 32)
    for _ in range(2):  # the same net in two launches
        out = blank((32, 64))
        op(tiled(a), out)
        assert np.array_equal(values(out), np.tile(a, 2))


def test_condition_functions_of_different_nets_nest() -> None:
    """A node forwards what it receives on one net into another, inside the condition function of the first."""

    @ttl.operation(grid=(3, 1))
    def op(a: Any, out: Any) -> None:
        first = ttl.PipeNet([ttl.Pipe(src=(0, 0), dst=(1, 0))])
        second = ttl.PipeNet([ttl.Pipe(src=(1, 0), dst=(2, 0))])
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

        @ttl.datamovement()
        def move() -> None:
            with dfb.reserve() as blk:

                def send(pipe: Any) -> None:
                    ttl.copy(a[0, 0], blk).wait()
                    ttl.copy(blk, pipe).wait()

                def forward(received: Any) -> None:
                    def onward(sent: Any) -> None:
                        ttl.copy(received, blk).wait()
                        ttl.copy(blk, sent).wait()

                    second.if_src(onward)

                first.if_src(send)
                first.if_dst(forward)
                second.if_dst(lambda pipe: ttl.copy(pipe, blk).wait())
                ttl.copy(blk, out[0, ttl.node(dims=1)]).wait()

    a, out = numbers(32, 32), blank((32, 96))
    op(tiled(a), out)
    assert np.array_equal(values(out), np.tile(a, 3))


def test_many_transfers_over_one_pipe_keep_their_order() -> None:
    count = 9

    @ttl.operation(grid=(2, 1))
    def op(a: Any, out: Any) -> None:
        net = ttl.PipeNet([ttl.Pipe(src=(0, 0), dst=(1, 0))])
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

        @ttl.datamovement()
        def move() -> None:
            with dfb.reserve() as blk:
                for tile in range(count):

                    def send(pipe: Any) -> None:
                        ttl.copy(a[0, tile], blk).wait()
                        ttl.copy(blk, pipe).wait()

                    def receive(pipe: Any) -> None:
                        ttl.copy(pipe, blk).wait()
                        ttl.copy(blk, out[0, tile]).wait()

                    net.if_src(send)
                    net.if_dst(receive)

    a = numbered_tiles(1, count)
    for seed in (None, 1, 2, 3):
        out = blank((32, 32 * count))
        with settings.override(schedule_seed=seed):
            op(tiled(a), out)
        assert np.array_equal(values(out), a)


def test_both_data_movement_kernels_use_pipes() -> None:
    @ttl.operation(grid=(2, 1))
    def op(a: Any, out: Any) -> None:
        there = ttl.PipeNet([ttl.Pipe(src=(0, 0), dst=(1, 0))])
        back = ttl.PipeNet([ttl.Pipe(src=(1, 0), dst=(0, 0))])
        me = ttl.node(dims=1)
        first_dfb, second_dfb = (ttl.make_dataflow_buffer_like(a, shape=(1, 1)) for _ in range(2))

        def exchange(net: Any, dfb: Any, column: int) -> None:
            with dfb.reserve() as blk:
                if net.is_src():
                    ttl.copy(a[0, me], blk).wait()
                net.if_src(lambda pipe: ttl.copy(blk, pipe).wait())
                net.if_dst(lambda pipe: ttl.copy(pipe, blk).wait())
                if net.is_dst():
                    ttl.copy(blk, out[0, me]).wait()

        @ttl.datamovement()
        def first() -> None:
            exchange(there, first_dfb, 0)

        @ttl.datamovement()
        def second() -> None:
            exchange(back, second_dfb, 1)

    a, out = numbered_tiles(1, 2), blank((32, 64))
    op(tiled(a), out)
    assert np.array_equal(values(out)[0, ::32], [2, 1])


def test_a_pipe_of_row_major_blocks() -> None:
    @ttl.operation(grid=(2, 1))
    def op(a: Any, out: Any) -> None:
        net = ttl.PipeNet([ttl.Pipe(src=(0, 0), dst=(1, 0))])
        dfb = ttl.make_dataflow_buffer_like(a, shape=(3, 5))

        @ttl.datamovement()
        def move() -> None:
            with dfb.reserve() as blk:
                if net.is_src():
                    ttl.copy(a[0:3, 0:5], blk).wait()
                net.if_src(lambda pipe: ttl.copy(blk, pipe).wait())
                net.if_dst(lambda pipe: ttl.copy(pipe, blk).wait())
                if net.is_dst():
                    ttl.copy(blk, out[0:3, 0:5]).wait()

    a, out = numbers(3, 5), blank((3, 5), layout=ttnn.ROW_MAJOR_LAYOUT)
    op(row_major(a), out)
    assert np.array_equal(values(out), a)


# --- mistakes ---------------------------------------------------------------------------------------------


def one_pipe(
    *,
    send: bool = True,
    receive: bool = True,
    pipe: Callable[[], Any] | None = None,
    receive_shape: tuple[int, int] = (1, 1),
    compute: bool = False,
    outside: bool = False,
) -> None:
    @ttl.operation(grid=(2, 1))
    def op(a: Any) -> None:
        net = ttl.PipeNet([pipe() if pipe else ttl.Pipe(src=(0, 0), dst=(1, 0))])
        src_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
        dst_dfb = ttl.make_dataflow_buffer_like(a, shape=receive_shape)

        @ttl.datamovement()
        def move() -> None:
            kept: list[Any] = []

            def sends(pipe: Any) -> None:
                kept.append(pipe)
                with src_dfb.reserve() as blk:
                    ttl.copy(a[0, 0], blk).wait()
                    if not outside:
                        ttl.copy(blk, pipe).wait()

            def receives(pipe: Any) -> None:
                with dst_dfb.reserve() as blk:
                    ttl.copy(pipe, blk).wait()

            if send:
                net.if_src(sends)
            if receive:
                net.if_dst(receives)
            if outside:
                with src_dfb.reserve() as blk:
                    ttl.copy(a[0, 0], blk).wait()
                    ttl.copy(blk, kept[0]).wait()

        @ttl.compute()
        def math() -> None:
            if compute:
                net.if_src(lambda pipe: None)

    op(tiled(numbers(32, 64)))


def test_a_send_nobody_receives() -> None:
    with fails("TTL0903", match=r"\(1, 0\)"):
        one_pipe(receive=False)


def test_a_receive_nobody_sends() -> None:
    with deadlocks():
        one_pipe(send=False)


def test_shapes_of_both_ends_agree() -> None:
    with fails("TTL0611"):
        one_pipe(receive_shape=(1, 2))


def test_a_copy_outside_the_condition_function() -> None:
    with fails("TTL0607"):
        one_pipe(outside=True)


def test_if_src_in_a_compute_kernel() -> None:
    with fails("TTL0610"):
        one_pipe(compute=True)


@pytest.mark.parametrize(
    ("pipe", "code"),
    [
        (lambda: ttl.Pipe(src=(2, 0), dst=(1, 0)), "TTL0603"),
        (lambda: ttl.Pipe(src=(0, 0), dst=(0, 1)), "TTL0603"),
        (lambda: ttl.Pipe(src=(0, -1), dst=(0, 0)), "TTL0603"),
        (lambda: ttl.Pipe(src=(0, 0), dst=(slice(0, 3), 0)), "TTL0603"),
        (lambda: ttl.Pipe(src=(0, 0), dst=(slice(1, 1), 0)), "TTL0603"),
        (lambda: ttl.Pipe(src=(0, 0), dst=(slice(0, 2, 0), 0)), "TTL0602"),
        (lambda: ttl.Pipe(src=(0, 0), dst=(slice(1, 0, -1), 0)), "TTL0602"),
        (lambda: ttl.Pipe(src=(0.5, 0), dst=(1, 0)), "TTL0601"),
        (lambda: ttl.Pipe(src=(0, 0), dst="all"), "TTL0601"),
        (lambda: ttl.Pipe(src=(0, 0)), "TTL0604"),
        (lambda: (0, 0), "TTL0605"),
    ],
)
def test_coordinates_are_nodes_of_the_grid(pipe: Callable[[], Any], code: str) -> None:
    with fails(code):
        one_pipe(pipe=pipe)


def test_a_range_with_a_step_reaches_every_other_node() -> None:
    sent = pass_on((4, 1), lambda: [ttl.Pipe(src=(1, 0), dst=(slice(0, 4, 2), 0))])
    assert sent == [[2], [], [2], []]


@pytest.mark.parametrize(
    ("pipes", "code"),
    [
        ([], "TTL0612"),
        ([ttl.Pipe(src=(0, 0), dst=(1, 0)), ttl.Pipe(src=[0, 0], dst=(1, 0))], "TTL0613"),
        ([ttl.Pipe(src=(0, 0), dst=(1, slice(0, 1)))] * 2, "TTL0613"),
        ([ttl.Pipe(src=(0, 0), dst=(1, 0)), ttl.Pipe(src=(1, 0), dst=(0, 0))], ""),
        ([ttl.Pipe(src=(0, 0), dst=(1, 0)), ttl.Pipe(src=(0, 0), dst=(1, slice(0, 1)))], ""),
    ],
)
def test_odd_nets_are_told_where_they_are_made(pipes: list[Any], code: str) -> None:
    @ttl.operation(grid=(2, 1))
    def op(a: Any) -> None:
        net = ttl.PipeNet(pipes)  # here

        @ttl.datamovement()
        def move() -> None:
            assert net is not None

    line = op.function.__code__.co_firstlineno + 2
    runs: list[Diagnostic] = []
    with collecting(runs):
        op(blank((32, 32)))
    outside: list[Diagnostic] = []
    with collecting(outside):
        ttl.PipeNet(pipes)
    checks = [each for each in lower_call(op, (blank((32, 32)),), {}).diagnostics if each.code == code]
    assert [each.code for each in runs] == [each.code for each in checks] == [each.code for each in outside]
    assert [each.code for each in runs] == ([code] if code else [])
    assert [each.primary.span.line for each in (*runs, *checks) if each.primary] == (
        [line] * 2 if code else []
    )


def test_an_end_outside_of_the_grid_is_told_where_the_pipe_is_made() -> None:
    @ttl.operation(grid=(2, 1))
    def op(a: Any) -> None:
        far = ttl.Pipe(src=(0, 0), dst=(2, 0))  # here
        ttl.PipeNet([far])

    line = op.function.__code__.co_firstlineno + 2
    with fails("TTL0603") as caught:
        op(blank((32, 32)))
    (finding,) = [
        each for each in lower_call(op, (blank((32, 32)),), {}).diagnostics if each.code == "TTL0603"
    ]
    for each in (caught.value.diagnostic, finding):
        assert each.primary is not None and each.primary.span.line == line


def test_nodes_that_disagree_about_a_net() -> None:
    @ttl.operation(grid=(2, 1))
    def op(a: Any) -> None:
        me = ttl.node(dims=1)
        net = ttl.PipeNet([ttl.Pipe(src=(me, 0), dst=(1 - me, 0))])

        @ttl.datamovement()
        def move() -> None:
            net.is_src()

    with fails("TTL0608"):
        op(tiled(numbers(32, 32)))


def test_a_condition_function_that_is_none() -> None:
    @ttl.operation(grid=(1, 1))
    def op(a: Any) -> None:
        net = ttl.PipeNet([ttl.Pipe(src=(0, 0), dst=(0, 0))])

        @ttl.datamovement()
        def move() -> None:
            net.if_src(None)  # type: ignore[arg-type]

    with fails("TTL0606"):
        op(tiled(numbers(32, 32)))


def test_two_kernels_of_a_node_are_in_functions_of_one_end_at_once() -> None:
    """One waits in its function for the block that the other, in its own, receives: each may use its pipe."""

    @ttl.operation(grid=(2, 1))
    def op(a: Any, out: Any) -> None:
        net = ttl.PipeNet([ttl.Pipe(src=(0, 0), dst=(1, 0))])
        a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
        got_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

        @ttl.datamovement()
        def write() -> None:
            def drain(pipe: Any) -> None:
                with got_dfb.wait() as blk:
                    ttl.copy(blk, out[0, pipe.src[0]]).wait()

            net.if_dst(drain)

        @ttl.datamovement()
        def move() -> None:
            with a_dfb.reserve() as blk:
                ttl.copy(a[0, 0], blk).wait()
                net.if_src(lambda pipe: ttl.copy(blk, pipe).wait())
            with a_dfb.wait() as blk:
                ttl.copy(blk, out[1, 0]).wait() if ttl.node(dims=1) == 0 else None

            def receive(pipe: Any) -> None:
                with got_dfb.reserve() as blk:
                    ttl.copy(pipe, blk).wait()

            net.if_dst(receive)

    out = tiled(np.zeros((2 * TILE, TILE)))
    op(tiled(np.full((TILE, TILE), 3)), out)
    assert np.array_equal(values(out), np.full((2 * TILE, TILE), 3))
