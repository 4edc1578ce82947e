"""Pipes and semaphores on the emulated chip: what arrives is what the simulator says, and nobody waits for ever."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

import ttl
from passes.on_chip import program_of, same_as_simulated
from passes.test_datamovement import tensor
from ttl.arch import Chip
from ttl.dialects import ttkernel
from ttl.dialects import ttl as dialect
from ttl.ir.failure import NotLowered
from ttl.passes.pipes import plan, words


def buffers(program: ttkernel.ProgramOp) -> list[str]:
    return [op.declared_name for op in program.buffers]


def exchanged(operation: Any, nodes: int, steps: int, seeds: int = 5) -> ttkernel.ProgramOp:
    columns = 32 * steps
    return same_as_simulated(
        operation,
        tensor(nodes * 32, columns),
        tensor(nodes * 32, columns, seed=1),
        tensor(nodes * 32, 2 * columns, seed=2),
        seeds=seeds,
    )


def semaphores(program: ttkernel.ProgramOp) -> list[str]:
    return [op.declared_name for op in program.semaphores]


def one_net(pipes: Callable[[], list[Any]], grid: tuple[int, ...], steps: int = 1) -> Any:
    """Every node reads its tile, sends it on its pipes, and writes what it receives, ``steps`` times.

    ``y`` has a row of tiles for each node, and a column for each message; ``z`` gets the blocks as they were left.
    """

    @ttl.operation(grid=grid)
    def exchange(a: Any, y: Any, z: Any) -> None:
        net = ttl.PipeNet(pipes())
        sent = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=2)
        got = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=2)
        node = ttl.node(dims=1)

        @ttl.datamovement()
        def dm() -> None:
            for step in range(steps):
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
            for step in range(steps):
                with sent.wait() as out, got.wait() as blk:
                    ttl.copy(out, z[node, 2 * step]).wait()
                    ttl.copy(blk, z[node, 2 * step + 1]).wait()

    return exchange


def test_a_ring_goes_straight_into_blocks() -> None:
    ring = one_net(lambda: [ttl.Pipe((0, y), (0, (y + 1) % 4)) for y in range(4)], (1, 4), steps=3)
    program = exchanged(ring, 4, 3)
    assert semaphores(program) == ["one", "net_ready", "net_valid"]
    assert buffers(program) == ["sent", "got"]


@pytest.mark.parametrize("noc", [0, 1])
def test_a_multicast_goes_straight_into_blocks(noc: int) -> None:
    @ttl.operation(grid=(3, 4))
    def scatter(a: Any, y: Any) -> None:
        net = ttl.PipeNet([ttl.Pipe((x, 0), (x, slice(1, 4))) for x in range(3)])
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=2)
        x_node, y_node = ttl.node(dims=2)

        def share() -> None:
            for step in range(4):
                with dfb.reserve() as blk:

                    def send(pipe: Any) -> None:
                        ttl.copy(a[x_node, step], blk).wait()
                        ttl.copy(blk, pipe).wait()

                    net.if_src(send)
                    net.if_dst(lambda pipe: ttl.copy(pipe, blk).wait())

        def write() -> None:
            for step in range(4):
                with dfb.wait() as blk:
                    ttl.copy(blk, y[x_node * 4 + y_node, step]).wait()

        for function in (share, write) if noc == 0 else (write, share):
            ttl.datamovement()(function)

    program = same_as_simulated(scatter, tensor(96, 128), tensor(384, 128, seed=1))
    (kernel,) = (each for each in program.kernels if each.declared_name == "share")
    names = {op.call.name for op in kernel.walk() if isinstance(op, ttkernel.KernelCallOp)}
    assert "noc_async_write_multicast" in names and kernel.noc == 0
    assert buffers(program) == ["dfb"]


def test_a_multicast_over_noc_1() -> None:
    @ttl.operation(grid=(4, 1))
    def scatter(a: Any, y: Any) -> None:
        net = ttl.PipeNet([ttl.Pipe((0, 0), (slice(1, 4), 0))])
        inner = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=2)
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=2)
        node = ttl.node(dims=1)

        @ttl.datamovement()
        def read() -> None:
            with inner.reserve() as blk:
                ttl.copy(a[0, node], blk).wait()

        @ttl.datamovement()
        def share() -> None:
            with inner.wait() as own, dfb.reserve() as blk:
                net.if_src(lambda pipe: ttl.copy(own, pipe).wait())
                net.if_dst(lambda pipe: ttl.copy(pipe, blk).wait())
                ttl.copy(blk, y[node, 0]).wait()

        @ttl.compute()
        def take() -> None:
            with dfb.wait():
                pass

    program = program_of(scatter, tensor(32, 128), tensor(128, 32, seed=1))
    (kernel,) = (each for each in program.kernels if each.declared_name == "share")
    assert kernel.noc == 1


def test_a_multicast_that_contains_its_source() -> None:
    loop = one_net(lambda: [ttl.Pipe((1, 0), (slice(0, 3), 0))], (3, 1), steps=3)
    program = exchanged(loop, 3, 3)
    names = {op.call.name for op in program.walk() if isinstance(op, ttkernel.KernelCallOp)}
    assert "noc_async_write_multicast_loopback_src" in names
    assert buffers(program) == ["sent", "got"]


def test_a_node_that_sends_to_itself() -> None:
    loop = one_net(lambda: [ttl.Pipe((x, 0), (x, 0)) for x in range(2)], (2, 1), steps=2)
    exchanged(loop, 2, 2)


def test_several_pipes_of_one_source() -> None:
    fan = one_net(lambda: [ttl.Pipe((0, 0), (x, 0)) for x in range(1, 4)], (4, 1), steps=2)
    program = exchanged(fan, 4, 2)
    assert semaphores(program) == ["one", "net_ready", "net_valid"]


def test_a_source_with_other_pipes_than_the_next() -> None:
    pipes = [((0, 0), (2, 0)), ((1, 0), (3, 0)), ((0, 0), (slice(4, 6), 0)), ((0, 0), (6, 0))]
    fan = one_net(lambda: [ttl.Pipe(s, t) for s, t in pipes], (8, 1), steps=2)
    exchanged(fan, 8, 2)


def test_staged_pipes_with_other_numbers_of_receivers() -> None:
    pipes = [((0, 0), (slice(0, 2), 0)), ((1, 0), (slice(0, 3), 0)), ((0, 0), (2, 0)), ((2, 0), (0, 0))]
    mixed = one_net(lambda: [ttl.Pipe(s, t) for s, t in pipes], (3, 1), steps=3)
    program = exchanged(mixed, 3, 3, seeds=10)
    assert "net_landing" in buffers(program)


def test_pipes_without_a_pattern() -> None:
    nodes = [(0, 1), (2, 0), (1, 2), (0, 0), (2, 2)]
    targets = [(2, 1), (0, 2), (1, 1), (1, 0), (0, 1)]
    odd = one_net(lambda: [ttl.Pipe(s, t) for s, t in zip(nodes, targets, strict=True)], (3, 3), steps=2)
    exchanged(odd, 9, 2)


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
    net = one_net(lambda: [ttl.Pipe(src, dst) for src, dst in pipes], grid, steps=2)
    exchanged(net, grid[0] * grid[1], 2, seeds=3)


def test_gather_tells_where_the_block_is() -> None:
    gather = one_net(
        lambda: [ttl.Pipe((x, y), (0, y)) for x in range(1, 4) for y in range(2)], (4, 2), steps=2
    )
    program = exchanged(gather, 8, 2)
    assert semaphores(program) == ["one", "net_ready", "net_valid"]
    assert buffers(program) == ["sent", "got"]


def test_nodes_that_all_send_to_all_have_room_for_every_message() -> None:
    everyone = one_net(lambda: [ttl.Pipe((x, 0), (slice(0, 4), 0)) for x in range(4)], (4, 1), steps=3)
    program = exchanged(everyone, 4, 3, seeds=10)
    assert buffers(program) == ["sent", "got", "net_landing"]
    landing = program.buffers[-1]
    assert (landing.pages, landing.made_by) == (4, "compiler")
    # The address of a semaphore that depends on the node is asked for, not taken from a pointer that nobody needs.
    names = [op.call.name for op in program.walk() if isinstance(op, ttkernel.KernelCallOp)]
    assert names.count("semaphore_address_of_number") == names.count("semaphore_of_number") == 1


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
    assert "net_landing" in buffers(program)


def test_a_block_that_is_used_before_it_receives() -> None:
    @ttl.operation(grid=(2, 1))
    def scratch(a: Any, y: Any, z: Any) -> None:
        net = ttl.PipeNet([ttl.Pipe((0, 0), (1, 0))])
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=2)
        node = ttl.node(dims=1)

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

        @ttl.datamovement()
        def keep() -> None:
            with dfb.wait() as blk:
                ttl.copy(blk, z[node, 0]).wait()

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
    assert {"first_landing", "second_landing"} <= {*buffers(program)}


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

                    def send(pipe: Any) -> None:
                        ttl.copy(a[y_node, step], blk).wait()
                        ttl.copy(blk, pipe).wait()

                    a_net.if_src(send)
                    a_net.if_dst(lambda pipe: ttl.copy(pipe, blk).wait())

        @ttl.datamovement()
        def read_b_and_write() -> None:
            for step in range(3):
                with b_dfb.reserve() as blk:

                    def send(pipe: Any) -> None:
                        ttl.copy(b[step, x_node], blk).wait()
                        ttl.copy(blk, pipe).wait()

                    b_net.if_src(send)
                    b_net.if_dst(lambda pipe: ttl.copy(pipe, blk).wait())
            for step in range(3):
                with y_dfb.wait() as blk:
                    ttl.copy(blk, y[x_node * 2 + y_node, step]).wait()

        @ttl.compute()
        def choose() -> None:
            for _ in range(3):
                with a_dfb.wait() as a_blk, b_dfb.wait() as b_blk, y_dfb.reserve() as blk:
                    blk.store(ttl.math.max(a_blk, b_blk))

    program = same_as_simulated(both, tensor(64, 96), tensor(96, 96, seed=2), tensor(192, 96, seed=1))
    assert buffers(program) == ["a_dfb", "b_dfb", "y_dfb"]


def test_nets_that_follow_each_other_share_semaphores() -> None:
    @ttl.operation(grid=(1, 3))
    def twice(a: Any, y: Any) -> None:
        first = ttl.PipeNet([ttl.Pipe((0, 0), (0, slice(1, 3)))])
        second = ttl.PipeNet([ttl.Pipe((0, 0), (0, slice(1, 3)))])
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=2)
        node = ttl.node(dims=1)

        @ttl.datamovement()
        def share() -> None:
            for step in range(3):
                for index, net in enumerate((first, second)):
                    with dfb.reserve() as blk:

                        def send(pipe: Any) -> None:
                            ttl.copy(a[index, step], blk).wait()
                            ttl.copy(blk, pipe).wait()

                        net.if_src(send)
                        net.if_dst(lambda pipe: ttl.copy(pipe, blk).wait())

        @ttl.datamovement()
        def write() -> None:
            for step in range(6):
                with dfb.wait() as blk:
                    ttl.copy(blk, y[node, step]).wait()

    program = same_as_simulated(twice, tensor(64, 96), tensor(96, 192, seed=1), seeds=20)
    assert len(semaphores(program)) == 3


def test_semaphores_that_a_node_has_not_are_words() -> None:
    row = one_net(lambda: [ttl.Pipe((x, 0), (slice(0, 8), 0)) for x in range(8)], (8, 2))
    program = program_of(row, tensor(512, 32), tensor(512, 32), tensor(512, 64))
    assert len(semaphores(program)) == 10 and "pipe_words" not in buffers(program)
    crowd = one_net(
        lambda: [ttl.Pipe((x, y), (slice(0, 4), slice(0, 4))) for x in range(4) for y in range(4)], (4, 4)
    )
    program = exchanged(crowd, 16, 2, seeds=3)
    assert semaphores(program) == ["words_started", "words_arrived"]
    assert {"net_landing", "pipe_words"} < set(buffers(program))


def _many_nets(count: int, own: int = 0) -> Any:
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

    return rings


@pytest.mark.parametrize(
    ("nets", "own", "needed", "words"),
    [(10, 0, 9, False), (6, 1, 14, False), (10, 1, 3, True), (3, 14, 16, True)],
    ids=["share", "suffice", "many nets", "many of its own"],
)
def test_nets_of_one_operation_have_words_where_they_need_them(
    nets: int, own: int, needed: int, words: bool
) -> None:
    program = same_as_simulated(_many_nets(nets, own), tensor(128, 32 * nets), tensor(128, 64 * nets, seed=1))
    assert ("pipe_words" in buffers(program), len(semaphores(program))) == (words, needed)


_NETS: dict[str, tuple[Callable[[], list[Any]], tuple[int, int], int]] = {
    "early": (lambda: [ttl.Pipe((0, y), (0, (y + 1) % 4)) for y in range(4)], (1, 4), 3),
    "multicast": (lambda: [ttl.Pipe((1, 0), (slice(0, 3), 0))], (3, 1), 3),
    "several pipes of a node": (lambda: [ttl.Pipe((0, 0), (x, 0)) for x in range(1, 4)], (4, 1), 2),
    "staged": (lambda: [ttl.Pipe((x, 0), (slice(0, 4), 0)) for x in range(4)], (4, 1), 3),
}


def words_always(monkeypatch: pytest.MonkeyPatch) -> None:
    """The semaphores of nets are words even where a node has enough of its own."""

    def with_fewer(operation: dialect.OperationOp, target: Chip, one: str) -> str:
        return words.make_words(operation, replace(target, semaphores=2), one)

    monkeypatch.setattr(plan, "make_words", with_fewer)


@pytest.mark.parametrize("net", _NETS)
def test_words_do_what_semaphores_do(net: str, monkeypatch: pytest.MonkeyPatch) -> None:
    words_always(monkeypatch)
    pipes, grid, steps = _NETS[net]
    program = exchanged(one_net(pipes, grid, steps), grid[0] * grid[1], steps)
    assert "pipe_words" in buffers(program)


def test_nodes_meet_while_kernels_do_what_comes_before_their_first_message(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The wait for the words of all nodes stands in the first turn, behind the read; who neither sends nor receives meets."""
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
    exchange, keep = map(str, program.kernels)
    read, waited = exchange.index("noc_async_read_barrier"), exchange.index("noc_semaphore_wait")
    assert exchange.index("scf.for") < read < waited and "words_arrived" not in exchange
    assert "noc_semaphore_set_multicast" in keep


def test_too_many_semaphores_are_explained() -> None:
    with pytest.raises(NotLowered) as refused:
        program_of(_many_nets(1, own=15), tensor(128, 32), tensor(128, 64))
    (found,) = refused.value.diagnostics
    assert found.code == "TTL1416"
    assert "18 semaphores" in found.message and "15  signals to signals_15" in found.notes[0]


# --- semaphores -------------------------------------------------------------------------------------------------


def test_barriers_of_the_specification() -> None:
    @ttl.operation(grid=(2, 2))
    def barrier(a: Any, table: Any, y: Any, z: Any) -> None:
        done, go = ttl.Semaphore(), ttl.Semaphore(0)
        first, everyone = done.get_remote((0, 0)), go.get_remote_multicast()
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=2)
        node = ttl.node(dims=1)

        @ttl.datamovement()
        def dm() -> None:
            with dfb.reserve() as blk:
                ttl.copy(a[node, 0], blk).wait()
                ttl.copy(blk, table[node, 0]).wait()
                if node == 0:
                    done.wait_eq(3)
                    everyone.set(1)
                else:
                    first.inc(1)
                    go.wait_ge(1)
                ttl.copy(table[(node + 1) % 4, 0], blk).wait()
                ttl.copy(blk, y[node, 0]).wait()

        @ttl.datamovement()
        def keep() -> None:
            with dfb.wait() as blk:
                ttl.copy(blk, z[node, 0]).wait()

    same_as_simulated(
        barrier, tensor(128, 32), tensor(128, 32, seed=1), tensor(128, 32, seed=2), tensor(128, 32)
    )


def test_the_entire_grid_is_set_with_the_node_that_sets_it() -> None:
    @ttl.operation(grid=(2, 3))
    def barrier(a: Any, y: Any, z: Any) -> None:
        done, go = ttl.Semaphore(), ttl.Semaphore(0)
        first, everyone = done.get_remote((0, 0)), go.get_remote_multicast()
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=2)
        node = ttl.node(dims=1)

        @ttl.datamovement()
        def dm() -> None:
            with dfb.reserve() as blk:
                first.inc(1)
                if node == 0:
                    done.wait_eq(6)
                    everyone.set(1)
                go.wait_eq(1)
                ttl.copy(a[0, 0], blk).wait()
                ttl.copy(blk, y[node, 0]).wait()

        @ttl.datamovement()
        def keep() -> None:
            with dfb.wait() as blk:
                ttl.copy(blk, z[node, 0]).wait()

    same_as_simulated(barrier, tensor(32, 32), tensor(192, 32), tensor(192, 32, seed=1))


@pytest.mark.parametrize("source", [0, 5])
def test_a_range_of_nodes_is_set(source: int) -> None:
    @ttl.operation(grid=(3, 2))
    def signal(a: Any, y: Any, z: Any) -> None:
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
                ttl.copy(blk, y[node, 0]).wait()

        @ttl.datamovement()
        def keep() -> None:
            with dfb.wait() as blk:
                ttl.copy(blk, z[node, 0]).wait()

    same_as_simulated(signal, tensor(32, 32), tensor(192, 32, seed=1), tensor(192, 32))


def test_a_value_is_written_to_another_node() -> None:
    @ttl.operation(grid=(2, 1))
    def turns(a: Any, y: Any, z: Any) -> None:
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
                    ttl.copy(blk, y[node, step]).wait()
                    other.set(step + 1)

        @ttl.datamovement()
        def keep() -> None:
            for step in range(3):
                with dfb.wait() as blk:
                    ttl.copy(blk, z[node, step]).wait()

    same_as_simulated(turns, tensor(32, 96), tensor(64, 96, seed=1), tensor(64, 96))
