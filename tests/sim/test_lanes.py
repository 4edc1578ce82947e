"""Nodes that run the same path are run once: what comes of it is what the kernels of every node compute, task by task."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import ttl
from support.executions import needs_native
from support.tensors import blank, numbers, row_major, tiled, values
from ttl.sim import lanes, launch, replay
from ttl.sim.lanes import attempts
from ttl.sim.lanes.coordinates import LaneNumber, NodeLanes
from ttl.sim.numbers import TracedNumberError

pytestmark = needs_native


class Watched:
    """What became of the launches: how many nodes were run for all, or None where nodes were run one by one."""

    def __init__(self) -> None:
        self.run: list[int | None] = []
        self.groups = 0

    def of_lanes(self, launched: Any, tensors: Any, outcome: Any) -> Any:
        """As ``launch._of_lanes``: the launch is run both ways, and the tapes have to be the same."""
        if outcome.carry_out is None:
            return None

        def run(launched: Any, attempt: Any, tensors: Any) -> None:
            self.groups = len(attempt._groups)
            launch._run_lanes(launched, attempt, tensors)

        tape = lanes.trace(launched, tensors, run)
        self.run.append(None if tape is None else self.groups)
        if tape is None:
            return None
        recorder = replay.TapeRecorder(tensors)
        launch._run(launched, None, recorder)
        assert tape.difference(recorder.result) is None
        assert recorder.result.difference(tape) is None
        return tape if outcome.carry_out(tape) else None


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> Iterator[Watched]:
    """Every launch is tried, however small."""
    watched = Watched()
    monkeypatch.setattr(attempts, "_LEAST_ELEMENTS", 0)
    monkeypatch.setattr(launch, "_of_lanes", watched.of_lanes)
    yield watched


def eltwise(places: Callable[[Any, Any], Any], grid: tuple[int, int] = (4, 2)) -> Any:
    """An operation in which a node doubles the tiles at ``places(x, y)``."""

    @ttl.operation(grid=grid)
    def op(a: Any, out: Any) -> None:
        x, y = ttl.node(dims=2)
        a_dfb, out_dfb = (ttl.make_dataflow_buffer_like(t, shape=(1, 1)) for t in (a, out))

        @ttl.datamovement()
        def read() -> None:
            for row, col in places(x, y):
                ttl.copy(a[row, col], a_dfb.reserve())

        @ttl.compute()
        def compute() -> None:
            for _ in places(x, y):
                out_dfb.reserve().store(a_dfb.wait() * 2)

        @ttl.datamovement()
        def write() -> None:
            for row, col in places(x, y):
                ttl.copy(out_dfb.wait(), out[row, col])

    return op


# By a name: what a node does, and how many nodes stand for eight.
PLACES: dict[str, tuple[Callable[[Any, Any], Any], int | None]] = {
    "one tile each": (lambda x, y: [(y, x)], 1),
    "a row of blocks": (lambda x, y: [(row, x) for row in range(y * 2, (y + 1) * 2)], 1),
    "every other row": (lambda x, y: [(row, x) for row in range(y, 4, 2)], 1),
    "of its number": (lambda x, y: [divmod(x * 2 + y, 4)], 1),
    "quotients": (lambda x, y: [((x * 2 + y) // 4, (x * 2 + y) % 4)], 1),
    "the least": (lambda x, y: [(row, x) for row in range(y, min(y + 1, 4))], 1),
    "slices": (lambda x, y: [(slice(y, y + 1), slice(x, x + 1))], 1),
    "a mirrored grid": (lambda x, y: [(1 - y, 3 - x)], 1),
    "bits": (lambda x, y: [(y ^ 1, x & 3)], 1),
    "products": (lambda x, y: [(y, x), (x // 2 * 0 + 2 + y, x)], 1),
    "reversed": (lambda x, y: [(row, x) for row in reversed(range(y, y + 2, 2))], 1),
    "an own order": (lambda x, y: [(row, x) for row in range(y, y + 3, 2)][:2], 1),
    "by a condition": (lambda x, y: [(y, x)] if y == 0 else [(y, x), (y + 2, x)], 2),
    "by truth": (lambda x, y: [(y, x)] if y else [(y, x), (y + 2, x)], 2),
    "two lists": (lambda x, y: [(y, x) for _ in range(1)] if isinstance(y, int) else [], 1),
    "a table": (lambda x, y: [((1, 0)[y], x)], 2),
    "a dictionary": (lambda x, y: [({0: 1, 1: 0}[y], x)], 2),
    "more on the last": (lambda x, y: [(row, x) for row in range(y, 2 + y)][: 1 + y], 2),
    "nodes of its own": (lambda x, y: [(y, x)][: x * 2 + y], None),
    "the same place": (lambda x, y: [(0, 0)], None),
    "beside each other": (lambda x, y: [(0, x)], None),
}


@pytest.mark.parametrize("name", PLACES)
def test_what_nodes_slice(watched: Watched, name: str) -> None:
    places, groups = PLACES[name]
    a = numbers(128, 128)
    out = blank((128, 128))
    eltwise(places)(tiled(a), out)
    expected = values(blank((128, 128)))
    for x, y in itertools.product(range(4), range(2)):
        for row, col in places(x, y):
            tile = tuple(part if isinstance(part, slice) else slice(part, part + 1) for part in (row, col))
            there = tuple(slice(part.start * 32, part.stop * 32) for part in tile)
            expected[there] = 2 * a[there]
    assert np.array_equal(values(out), expected)
    limit = None if groups is None or groups * 2 > 8 else groups
    assert watched.run == [limit]


@pytest.mark.parametrize("layout", [tiled, row_major])
def test_elements_and_padding(watched: Watched, layout: Any) -> None:
    # A tensor whose last tiles are padded: on some lanes perhaps, so the nodes are run one by one
    a = numbers(128, 112)
    out = layout(np.zeros_like(a))
    shape = (1, 1) if layout is tiled else (32, 28)
    rows, cols = shape

    @ttl.operation(grid=(4, 1))
    def op(a: Any, out: Any) -> None:
        node = ttl.node(dims=1)
        dfb = ttl.make_dataflow_buffer_like(a, shape=shape)

        @ttl.datamovement()
        def read() -> None:
            for row in range(4):
                here = slice(row * rows, (row + 1) * rows), slice(node * cols, (node + 1) * cols)
                ttl.copy(a[here[0], here[1]], dfb.reserve())

        @ttl.datamovement()
        def write() -> None:
            for row in range(4):
                here = slice(row * rows, (row + 1) * rows), slice(node * cols, (node + 1) * cols)
                ttl.copy(dfb.wait(), out[here[0], here[1]])

    op(layout(a), out)
    assert np.array_equal(values(out), a)
    assert watched.run == [None if layout is tiled else 1]


def multicast(look: Callable[[Any], object] | None = None) -> Any:
    @ttl.operation(grid=(4, 4))
    def op(a: Any, out: Any) -> None:
        x, y = ttl.node(dims=2)
        net = ttl.PipeNet([ttl.Pipe(src=(0, row), dst=(slice(1, 4), row)) for row in range(4)])
        a_dfb, out_dfb = (ttl.make_dataflow_buffer_like(t, shape=(1, 1)) for t in (a, out))

        @ttl.datamovement()
        def read() -> None:
            with a_dfb.reserve() as blk:

                def send(pipe: Any) -> None:
                    ttl.copy(a[y, 0], blk).wait()
                    ttl.copy(blk, pipe).wait()

                def receive(pipe: Any) -> None:
                    if look is not None:
                        look(pipe)
                    ttl.copy(pipe, blk).wait()

                net.if_src(send)
                net.if_dst(receive)

        @ttl.compute()
        def compute() -> None:
            out_dfb.reserve().store(a_dfb.wait() * 2)

        @ttl.datamovement()
        def write() -> None:
            ttl.copy(out_dfb.wait(), out[y, x])

    return op


@pytest.mark.parametrize(("look", "groups"), [(None, 2), (lambda pipe: pipe.src, None)])
def test_pipes(watched: Watched, look: Any, groups: int | None) -> None:
    a, out = numbers(128, 128), blank((128, 128))
    multicast(look)(tiled(a), out)
    assert np.array_equal(values(out), np.tile(a[:, :32] * 2, (1, 4)))
    assert watched.run == [groups]


def test_a_ring_is_run_node_by_node(watched: Watched) -> None:
    @ttl.operation(grid=(4, 1))
    def op(a: Any, out: Any) -> None:
        node = ttl.node(dims=1)
        net = ttl.PipeNet([ttl.Pipe(src=(k, 0), dst=((k + 1) % 4, 0)) for k in range(4)])
        a_dfb, b_dfb = (ttl.make_dataflow_buffer_like(t, shape=(1, 1)) for t in (a, out))

        @ttl.datamovement()
        def read() -> None:
            ttl.copy(a[0, node], a_dfb.reserve()).wait()
            with a_dfb.wait() as blk:
                net.if_src(lambda pipe: ttl.copy(blk, pipe).wait())

        @ttl.datamovement()
        def write() -> None:
            with b_dfb.reserve() as blk:
                net.if_dst(lambda pipe: ttl.copy(pipe, blk).wait())
            ttl.copy(b_dfb.wait(), out[0, node])

    a, out = numbers(32, 128), blank((32, 128))
    op(tiled(a), out)
    assert np.array_equal(values(out), np.roll(a, 32, axis=1))
    assert watched.run == [None]


def test_a_tensor_that_is_read_and_written(watched: Watched) -> None:
    a = numbers(128, 128)
    tensor = tiled(a)
    eltwise(PLACES["one tile each"][0])(tensor, tensor)
    assert np.array_equal(values(tensor)[:64], a[:64] * 2)
    assert watched.run == [None]


def test_a_list_that_kernels_change_is_changed_by_every_node(watched: Watched) -> None:
    @ttl.operation(grid=(4, 1))
    def op(a: Any, out: Any, seen: list[int]) -> None:
        node = ttl.node(dims=1)
        seen.append(1)
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

        @ttl.datamovement()
        def read() -> None:
            ttl.copy(a[0, node], dfb.reserve())

        @ttl.datamovement()
        def write() -> None:
            ttl.copy(dfb.wait(), out[0, node])

    seen: list[int] = []
    op(tiled(numbers(32, 128)), blank((32, 128)), seen)
    assert seen == [1] * 4
    assert watched.run == [None]


def test_what_is_wrong_is_said_of_the_node_it_is_wrong_on(watched: Watched) -> None:
    with pytest.raises(ttl.diag.ProgramError) as failure:
        eltwise(lambda x, y: [(y, x + 1)])(tiled(numbers(128, 128)), blank((128, 128)))
    assert failure.value.diagnostics[0].code == "TTL0507"
    assert "on node (3, 0)" in str(failure.value)
    assert watched.run == [None]


def test_numbers_given_and_other_calls(watched: Watched) -> None:
    operation = eltwise(PLACES["one tile each"][0])
    for seed in range(3):
        a, out = numbers(64, 128, seed=seed), blank((64, 128))
        operation(tiled(a), out)
        assert np.array_equal(values(out), a * 2)
    assert watched.run == [1]  # replayed after that
    other = blank((128, 128))
    operation(tiled(numbers(128, 128)), other)
    assert watched.run == [1]  # the first of its kind: not looked at


LANES = NodeLanes(tuple(range(6)))
OPERATORS = [
    operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod, operator.and_, operator.or_, operator.xor,
    operator.lshift, operator.rshift, operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne, divmod,
    operator.truediv, pow,
]  # fmt: skip


@pytest.mark.parametrize("function", OPERATORS)
def test_operators_compute_lane_by_lane(function: Callable[[Any, Any], Any]) -> None:
    rows = [(0, 1, 2, 3, 4, 5), (3, 3, 3, 3, 3, 3), (7, 5, 3, 1, 9, 11), (2, 4, 6, 8, 10, 12)]
    for left, right in itertools.product(rows, repeat=2):
        try:
            expected = [function(a, b) for a, b in zip(left, right, strict=True)]
        except ZeroDivisionError:
            continue
        try:
            result = function(LANES.number(left), LANES.number(right))
        except TracedNumberError as parted:
            groups: dict[Any, list[int]] = {}
            for lane, answer in enumerate(expected):
                groups.setdefault(answer, []).append(lane)
            assert parted.groups == [tuple(group) for group in groups.values()]
            assert len(groups) > 1
            continue
        parts = zip(*expected, strict=True) if isinstance(expected[0], tuple) else [expected]
        results = result if isinstance(expected[0], tuple) else [result]
        for part, numbers_ in zip(parts, results, strict=True):
            assert _lane_values(numbers_) == list(part)


def _lane_values(number: Any) -> list[Any]:
    if type(number) is not LaneNumber:
        return [number] * 6
    return [number.first + by for by in number.shift.by]


QUESTIONS: list[Callable[[Any], object]] = [
    hash, bool, int, float, str, repr, operator.index, range, lambda x: f"{x:>3}", lambda x: {x: 1}, lambda x: [0] * x,
    lambda x: (1, 2, 3, 4, 5, 6, 7)[x], lambda x: x in (3, 4), abs, lambda x: sorted([x, 2]), np.int64, lambda x: np.int64(1) + x,
]  # fmt: skip


@pytest.mark.parametrize("question", QUESTIONS)
def test_what_lanes_answer_differently_parts_them(question: Callable[[Any], object]) -> None:
    with pytest.raises((TracedNumberError, TypeError)):
        question(LANES.number((-1, 0, 1, 2, 3, 4)))


def test_a_number_that_is_the_same_on_all_lanes_is_plain() -> None:
    x = LANES.number((0, 1, 2, 3, 4, 5))
    assert type(x - x) is int
    assert type(x * 0) is int
    assert type((x + 6) // 6) is int
    assert isinstance(x, LaneNumber)
