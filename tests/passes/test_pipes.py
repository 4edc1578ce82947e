"""Pipes and semaphores on the emulated chip: what arrives is what the simulator says, and nobody waits for ever.

The code of messages is in ``lit/pipes.mlir``, where the sender knows the receiver's block, and in ``lit/pipes_landing.mlir``, where
it does not; ``lit/pipe_words.mlir`` and ``lit/too_many_semaphores.mlir`` are about more semaphores than a node has, and
``lit/semaphores.mlir`` shows the code for those of the program.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from typing import Any

import pytest

import ttl
from passes.on_chip import same_as_simulated
from passes.test_datamovement import tensor
from ttl.arch import Chip
from ttl.dialects import ttkernel
from ttl.dialects import ttl as dialect
from ttl.passes.pipes import plan, words


def of_compiler(program: ttkernel.ProgramOp) -> set[str]:
    """The buffers that the compiler adds to a program."""
    return {op.declared_name for op in program.buffers if op.made_by == "compiler"}


def keep(dfb: Any, kept: Any, row: Any, steps: int = 1) -> None:
    """Add a kernel to an operation that writes the blocks of a buffer into a row of tiles."""

    @ttl.datamovement()
    def keep() -> None:
        for step in range(steps):
            with dfb.wait() as blk:
                ttl.copy(blk, kept[row, step]).wait()


def share(net: Any, blk: Any, part: Any) -> None:
    """The sources of a net read a part of a tensor into a block and send it, and its destinations receive it there."""

    def send(pipe: Any) -> None:
        ttl.copy(part, blk).wait()
        ttl.copy(blk, pipe).wait()

    net.if_src(send)
    net.if_dst(lambda pipe: ttl.copy(pipe, blk).wait())


# --- one net ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Net:
    """Pipes, each with its source and its destination; how often they are used, and the buffers that this takes."""

    grid: tuple[int, int]
    pipes: list[tuple[Any, Any]]
    steps: int = 2
    seeds: int = 5
    buffers: frozenset[str] = frozenset()


LANDING = frozenset({"net_landing"})
NETS = {
    "ring": Net(grid=(1, 4), pipes=[((0, y), (0, (y + 1) % 4)) for y in range(4)], steps=3),
    "multicast with its source": Net(grid=(3, 1), pipes=[((1, 0), (slice(0, 3), 0))], steps=3),
    "to itself": Net(grid=(2, 1), pipes=[((x, 0), (x, 0)) for x in range(2)]),
    "several pipes of a node": Net(grid=(4, 1), pipes=[((0, 0), (x, 0)) for x in range(1, 4)]),
    "other pipes than the next": Net(
        grid=(8, 1),
        pipes=[((0, 0), (2, 0)), ((1, 0), (3, 0)), ((0, 0), (slice(4, 6), 0)), ((0, 0), (6, 0))],
    ),
    "other numbers of receivers": Net(
        grid=(3, 1),
        pipes=[((0, 0), (slice(0, 2), 0)), ((1, 0), (slice(0, 3), 0)), ((0, 0), (2, 0)), ((2, 0), (0, 0))],
        steps=3,
        seeds=10,
        buffers=LANDING,
    ),
    "no pattern": Net(
        grid=(3, 3),
        pipes=[((0, 1), (2, 1)), ((2, 0), (0, 2)), ((1, 2), (1, 1)), ((0, 0), (1, 0)), ((2, 2), (0, 1))],
    ),
    "gather": Net(grid=(4, 2), pipes=[((x, y), (0, y)) for x in range(1, 4) for y in range(2)]),
    "all to all": Net(
        grid=(4, 1),
        pipes=[((x, 0), (slice(0, 4), 0)) for x in range(4)],
        steps=3,
        seeds=10,
        buffers=LANDING,
    ),
    "more semaphores than a node has": Net(
        grid=(4, 4),
        pipes=[((x, y), (slice(0, 4), slice(0, 4))) for x in range(4) for y in range(4)],
        seeds=3,
        buffers=LANDING | {"pipe_words"},
    ),
}


def exchanged(case: Net) -> ttkernel.ProgramOp:
    """Run an operation whose nodes read a tile, send it on their pipes, and write what they receive, in each step.

    ``y`` has a row of tiles for each node, and a column for each message; ``z`` gets the blocks as they were left.
    """

    @ttl.operation(grid=case.grid)
    def exchange(a: Any, y: Any, z: Any) -> None:
        net = ttl.PipeNet([ttl.Pipe(source, destination) for source, destination in case.pipes])
        sent = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=2)
        got = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=2)
        node = ttl.node(dims=1)

        @ttl.datamovement()
        def dm() -> None:
            for step in range(case.steps):
                with sent.reserve() as out, got.reserve() as blk:

                    def send(pipe: Any) -> None:
                        ttl.copy(a[node, step], out).wait()
                        ttl.copy(out, pipe).wait()

                    def receive(pipe: Any) -> None:
                        ttl.copy(pipe, blk).wait()
                        ttl.copy(blk, y[node, step]).wait()

                    net.if_src(send)
                    net.if_dst(receive)
                    if not net.is_src():
                        ttl.copy(a[node, step], out).wait()
                    if not net.is_dst():
                        ttl.copy(a[node, step], blk).wait()

        @ttl.datamovement()
        def keep() -> None:
            for step in range(case.steps):
                with sent.wait() as out, got.wait() as blk:
                    ttl.copy(out, z[node, 2 * step]).wait()
                    ttl.copy(blk, z[node, 2 * step + 1]).wait()

    rows, columns = 32 * case.grid[0] * case.grid[1], 32 * case.steps
    tensors = tensor(rows, columns), tensor(rows, columns, seed=1), tensor(rows, 2 * columns, seed=2)
    return same_as_simulated(exchange, *tensors, seeds=case.seeds)


@pytest.mark.parametrize("name", NETS)
def test_messages_of_a_net_arrive(name: str) -> None:
    assert of_compiler(exchanged(NETS[name])) == NETS[name].buffers


@pytest.mark.parametrize("seed", range(8))
def test_nets_at_random(seed: int) -> None:
    draw = random.Random(seed)
    grid = draw.choice([(2, 2), (3, 1), (2, 3)])

    def side(extent: int) -> slice:
        first = draw.randrange(extent)
        return slice(first, draw.randrange(first, extent) + 1)

    pipes = []
    for _ in range(draw.randint(1, 4)):
        source = tuple(map(draw.randrange, grid))
        pipe = (source, draw.choice([tuple(map(draw.randrange, grid)), tuple(map(side, grid))]))
        if pipe not in pipes:  # twice is a warning
            pipes.append(pipe)
    exchanged(Net(grid=grid, pipes=pipes, seeds=3))


def words_always(monkeypatch: pytest.MonkeyPatch) -> None:
    """The semaphores of nets are words even where a node has enough of its own."""

    def with_fewer(operation: dialect.OperationOp, target: Chip, one: str) -> str:
        return words.make_words(operation, replace(target, semaphores=2), one)

    monkeypatch.setattr(plan, "make_words", with_fewer)


@pytest.mark.parametrize(
    "name", ["ring", "multicast with its source", "several pipes of a node", "all to all"]
)
def test_words_do_what_semaphores_do(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    words_always(monkeypatch)
    case = replace(NETS[name], seeds=5)
    assert of_compiler(exchanged(case)) == case.buffers | {"pipe_words"}


# --- operations with nets ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("reads_first", [True, False])
def test_the_sender_of_a_multicast_keeps_what_it_sends(reads_first: bool) -> None:
    @ttl.operation(grid=(3, 4))
    def scatter(a: Any, y: Any) -> None:
        net = ttl.PipeNet([ttl.Pipe((x, 0), (x, slice(1, 4))) for x in range(3)])
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=2)
        x_node, y_node = ttl.node(dims=2)

        def read() -> None:
            for step in range(4):
                with dfb.reserve() as blk:
                    share(net, blk, a[x_node, step])

        def write() -> None:
            for step in range(4):
                with dfb.wait() as blk:
                    ttl.copy(blk, y[x_node * 4 + y_node, step]).wait()

        for function in (read, write) if reads_first else (write, read):
            ttl.datamovement()(function)

    program = same_as_simulated(scatter, tensor(96, 128), tensor(384, 128, seed=1))
    assert not of_compiler(program)


def test_a_node_sends_before_the_receiver_has_a_block() -> None:
    @ttl.operation(grid=(1, 4))
    def all_gather(parts: Any, gathered: Any) -> None:
        net = ttl.PipeNet([ttl.Pipe((0, y), (0, (y + 1) % 4)) for y in range(4)])
        dfb = ttl.make_dataflow_buffer_like(parts, shape=(1, 2), block_count=2)
        node = ttl.node(dims=1)

        @ttl.datamovement()
        def forward() -> None:
            for step in range(4):
                with dfb.reserve() as blk:
                    if step == 0:
                        ttl.copy(parts[node, 0:2], blk).wait()
                    else:
                        net.if_dst(lambda pipe: ttl.copy(pipe, blk).wait())
                    if step < 3:
                        net.if_src(lambda pipe: ttl.copy(blk, pipe).wait())

        @ttl.datamovement()
        def write() -> None:
            for step in range(4):
                with dfb.wait() as blk:
                    row = node * 4 + (node - step) % 4
                    ttl.copy(blk, gathered[row, 0:2]).wait()

    program = same_as_simulated(all_gather, tensor(128, 64), tensor(512, 64, seed=1), seeds=10)
    assert of_compiler(program) == LANDING


def test_a_block_that_is_used_before_it_receives() -> None:
    @ttl.operation(grid=(2, 1))
    def scratch(a: Any, y: Any, z: Any) -> None:
        net = ttl.PipeNet([ttl.Pipe((0, 0), (1, 0))])
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=2)

        @ttl.datamovement()
        def dm() -> None:
            with dfb.reserve() as blk:

                def send(pipe: Any) -> None:
                    ttl.copy(a[0, 0], blk).wait()
                    ttl.copy(blk, pipe).wait()

                def receive(pipe: Any) -> None:
                    ttl.copy(a[0, 1], blk).wait()
                    ttl.copy(blk, y[0, 0]).wait()
                    ttl.copy(pipe, blk).wait()

                net.if_src(send)
                net.if_dst(receive)

        keep(dfb, z, ttl.node(dims=1))

    same_as_simulated(scratch, tensor(32, 64), tensor(32, 32, seed=1), tensor(64, 32, seed=2), seeds=20)


def test_sends_and_receives_in_opposite_orders() -> None:
    @ttl.operation(grid=(2, 1))
    def crossed(a: Any, y: Any, z: Any) -> None:
        first = ttl.PipeNet([ttl.Pipe((0, 0), (1, 0))])
        second = ttl.PipeNet([ttl.Pipe((0, 0), (1, 0))])
        out = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=2)
        got = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=2)
        node = ttl.node(dims=1)

        @ttl.datamovement()
        def dm() -> None:
            def send(net: Any, column: int) -> None:
                def each(pipe: Any) -> None:
                    with out.reserve() as blk:
                        ttl.copy(a[0, column], blk).wait()
                        ttl.copy(blk, pipe).wait()

                net.if_src(each)

            def receive(net: Any, column: int) -> None:
                def each(pipe: Any) -> None:
                    with got.reserve() as blk:
                        ttl.copy(pipe, blk).wait()
                        ttl.copy(blk, y[0, column]).wait()

                net.if_dst(each)

            send(first, 0)
            send(second, 1)
            receive(second, 1)
            receive(first, 0)

        @ttl.datamovement()
        def drop() -> None:
            for step in range(2):
                if node == 0:
                    with out.wait() as blk:
                        ttl.copy(blk, z[0, step]).wait()
                else:
                    with got.wait() as blk:
                        ttl.copy(blk, z[1, step]).wait()

    program = same_as_simulated(crossed, tensor(32, 64), tensor(32, 64, seed=1), tensor(64, 64, seed=2))
    assert of_compiler(program) == {"first_landing", "second_landing"}


def test_two_nets_over_rows_and_columns_with_a_compute_kernel() -> None:
    @ttl.operation(grid=(3, 2))
    def both(a: Any, b: Any, y: Any) -> None:
        a_net = ttl.PipeNet([ttl.Pipe((0, y), (slice(1, 3), y)) for y in range(2)])
        b_net = ttl.PipeNet([ttl.Pipe((x, 0), (x, slice(1, 2))) for x in range(3)])
        a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=2)
        b_dfb = ttl.make_dataflow_buffer_like(b, shape=(1, 1), block_count=2)
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1), block_count=2)
        x_node, y_node = ttl.node(dims=2)

        @ttl.datamovement()
        def read_a() -> None:
            for step in range(3):
                with a_dfb.reserve() as blk:
                    share(a_net, blk, a[y_node, step])

        @ttl.datamovement()
        def read_b_and_write() -> None:
            for step in range(3):
                with b_dfb.reserve() as blk:
                    share(b_net, blk, b[step, x_node])
            for step in range(3):
                with y_dfb.wait() as blk:
                    ttl.copy(blk, y[x_node * 2 + y_node, step]).wait()

        @ttl.compute()
        def choose() -> None:
            for _ in range(3):
                with a_dfb.wait() as a_blk, b_dfb.wait() as b_blk, y_dfb.reserve() as blk:
                    blk.store(ttl.math.max(a_blk, b_blk))

    program = same_as_simulated(both, tensor(64, 96), tensor(96, 96, seed=2), tensor(192, 96, seed=1))
    assert not of_compiler(program)


def test_nets_that_follow_each_other_share_semaphores() -> None:
    @ttl.operation(grid=(1, 3))
    def twice(a: Any, y: Any) -> None:
        first = ttl.PipeNet([ttl.Pipe((0, 0), (0, slice(1, 3)))])
        second = ttl.PipeNet([ttl.Pipe((0, 0), (0, slice(1, 3)))])
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=2)

        @ttl.datamovement()
        def read() -> None:
            for step in range(3):
                for index, net in enumerate((first, second)):
                    with dfb.reserve() as blk:
                        share(net, blk, a[index, step])

        keep(dfb, y, ttl.node(dims=1), 6)

    program = same_as_simulated(twice, tensor(64, 96), tensor(96, 192, seed=1), seeds=20)
    assert len(list(program.semaphores)) == 3


@pytest.mark.parametrize(
    ("count", "own", "needed", "words"),
    [(10, 0, 9, False), (6, 1, 14, False), (10, 1, 3, True), (3, 14, 16, True)],
    ids=["share", "suffice", "many nets", "many of its own"],
)
def test_nets_of_one_operation_have_words_where_they_need_them(
    count: int, own: int, needed: int, words: bool
) -> None:
    @ttl.operation(grid=(4, 1))
    def rings(a: Any, y: Any) -> None:
        signals = [ttl.Semaphore() for _ in range(own)]
        nets = [ttl.PipeNet([ttl.Pipe((x, 0), ((x + k + 1) % 4, 0)) for x in range(4)]) for k in range(count)]
        sent = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=2)
        got = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=2)
        node = ttl.node(dims=1)

        @ttl.datamovement()
        def dm() -> None:
            for signal in signals:
                signal.set(1)
            for k, net in enumerate(nets):
                with sent.reserve() as out, got.reserve() as blk:

                    def send(pipe: Any) -> None:
                        ttl.copy(a[node, k], out).wait()
                        ttl.copy(out, pipe).wait()

                    net.if_src(send)
                    net.if_dst(lambda pipe: ttl.copy(pipe, blk).wait())

        @ttl.datamovement()
        def keep() -> None:
            for signal in signals:
                signal.wait_ge(1)
            for k in range(count):
                with sent.wait() as out, got.wait() as blk:
                    ttl.copy(out, y[node, 2 * k]).wait()
                    ttl.copy(blk, y[node, 2 * k + 1]).wait()

    program = same_as_simulated(rings, tensor(128, 32 * count), tensor(128, 64 * count, seed=1))
    assert (len([*program.semaphores]), "pipe_words" in of_compiler(program)) == (needed, words)


def test_nodes_meet_while_kernels_do_what_comes_before_their_first_message(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    words_always(monkeypatch)

    @ttl.operation(grid=(4, 1))
    def gather(a: Any, y: Any) -> None:
        net = ttl.PipeNet([ttl.Pipe((x, 0), (0, 0)) for x in range(1, 4)])
        sent = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=2)
        got = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=2)
        node = ttl.node(dims=1)

        @ttl.datamovement()
        def exchange() -> None:
            for step in range(3):
                with sent.reserve() as out:
                    ttl.copy(a[node, step], out).wait()
                    net.if_src(lambda pipe: ttl.copy(out, pipe).wait())

                def receive(pipe: Any) -> None:
                    with got.reserve() as blk:
                        ttl.copy(pipe, blk).wait()

                net.if_dst(receive)

        @ttl.datamovement()
        def keep() -> None:
            for step in range(3):
                with sent.wait() as out:
                    ttl.copy(out, y[node, step]).wait()
                if node == 0:
                    for x in range(3):
                        with got.wait() as blk:
                            ttl.copy(blk, y[1 + x, 3 + step]).wait()

    program = same_as_simulated(gather, tensor(128, 96), tensor(128, 192, seed=1))
    assert of_compiler(program) == {"pipe_words"}


# --- semaphores -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("itself", [False, True])
def test_a_barrier_of_the_others_and_of_all_nodes(itself: bool) -> None:
    """What every node wrote into memory before is there for every node behind it."""

    @ttl.operation(grid=(2, 3))
    def barrier(a: Any, table: Any, y: Any) -> None:
        done, go = ttl.Semaphore(), ttl.Semaphore(0)
        first, everyone = done.get_remote((0, 0)), go.get_remote_multicast()
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=2)
        node = ttl.node(dims=1)

        @ttl.datamovement()
        def dm() -> None:
            with dfb.reserve() as blk:
                ttl.copy(a[node, 0], blk).wait()
                ttl.copy(blk, table[node, 0]).wait()
                if itself or node > 0:
                    first.inc(1)
                if node == 0:
                    done.wait_eq(6 if itself else 5)
                    everyone.set(1)
                if itself:
                    go.wait_eq(1)
                elif node > 0:
                    go.wait_ge(1)
                ttl.copy(table[(node + 1) % 6, 0], blk).wait()

        keep(dfb, y, node)

    same_as_simulated(barrier, tensor(192, 32), tensor(192, 32, seed=1), tensor(192, 32, seed=2))


@pytest.mark.parametrize("source", [0, 5])
def test_a_range_of_nodes_is_set(source: int) -> None:
    @ttl.operation(grid=(3, 2))
    def signal(a: Any, y: Any) -> None:
        turn = ttl.Semaphore(7)
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=2)
        x_node, _ = ttl.node(dims=2)
        node = ttl.node(dims=1)

        @ttl.datamovement()
        def dm() -> None:
            some = turn.get_remote_multicast((slice(1, 3), slice(0, 2)))
            with dfb.reserve() as blk:
                if node == source:
                    some.set(3)
                    some.set(2)
                if x_node >= 1:
                    turn.wait_eq(2)
                else:
                    turn.wait_eq(7)
                ttl.copy(a[0, 0], blk).wait()

        keep(dfb, y, node)

    same_as_simulated(signal, tensor(32, 32), tensor(192, 32, seed=1))


def test_a_value_is_written_to_another_node() -> None:
    @ttl.operation(grid=(2, 1))
    def turns(a: Any, y: Any) -> None:
        turn = ttl.Semaphore()
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=2)
        node = ttl.node(dims=1)
        other = turn.get_remote((1 - node, 0))

        @ttl.datamovement()
        def dm() -> None:
            for step in range(3):
                with dfb.reserve() as blk:
                    if node == 1 or step > 0:
                        turn.wait_eq(step + node)
                    ttl.copy(a[0, step], blk).wait()
                    other.set(step + 1)

        keep(dfb, y, node, 3)

    same_as_simulated(turns, tensor(32, 96), tensor(64, 96, seed=1))
