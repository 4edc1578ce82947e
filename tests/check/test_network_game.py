"""The token game: skipping what repeats changes nothing, and takes no time."""

from __future__ import annotations

import random

import pytest
from xdsl.dialects import test as made_for_tests

from support.memory_ir import Program, tiles
from ttl.analysis.events.sequences import EventKind, EventTable, assemble, totals
from ttl.check.network.accelerate import Accelerator
from ttl.check.network.game import Game
from ttl.check.network.machine import Machine, Process
from ttl.dialects import ttl as dialect
from ttl.protocol.sequences import Repeat, Sequence, length, repeated

HERE = made_for_tests.TestOp()


class Network:
    """Random kernels, each a tree of loops, that push and take blocks, send and receive, count semaphores up."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.table = EventTable()
        self.buffers = self.random.randint(1, 4)
        self.counts = [self.random.randint(1, 3) for _ in range(self.buffers)]
        self.nodes = self.random.choice((1, 1, 2))
        ends = [(0, (1,))] if self.nodes == 2 else [(0, (0,))]
        self.pipes = ends if self.random.random() < 0.4 else []
        self.semaphores = [0] if self.random.random() < 0.2 else []
        kernels: list[list[list[Sequence]]] = [[[], [], []] for _ in range(self.nodes)]
        # Every loop nest of a buffer has the same turns on both sides, or nearly.
        for node in range(self.nodes):
            for buffer in range(self.buffers):
                shape = [self.random.choice((2, 3, 20, 60)) for _ in range(self.random.randint(1, 2))]
                other = list(shape)
                if self.random.random() < 0.2:
                    other[0] += self.random.choice((-1, 1))
                elif self.random.random() < 0.5:
                    other = [*other[1:], other[0]]
                put = (self.number(EventKind.RESERVE, buffer), self.number(EventKind.PUSH, buffer))
                take = (self.number(EventKind.WAIT, buffer), self.number(EventKind.POP, buffer))
                kernels[node][self.random.randrange(3)].append(self.nest(shape, put))
                kernels[node][self.random.randrange(3)].append(self.nest(other, take))
        for pipe, (source, destinations) in enumerate(self.pipes):
            turns = [self.random.choice((2, 5, 40))]
            send = (self.number(EventKind.SEND, pipe), self.number(EventKind.SENT, pipe, 1))
            receive = (self.number(EventKind.RECEIVE, pipe), self.number(EventKind.RECEIVED, pipe, 1))
            kernels[source][self.random.randrange(3)].append(self.nest(turns, send))
            kernels[destinations[0]][self.random.randrange(3)].append(self.nest(turns, receive))
        for semaphore in range(len(self.semaphores)):
            turns = self.random.choice((3, 30))
            up = self.table.number(EventKind.INCREMENT, semaphore, HERE, 1, (0,))
            kernels[0][0].append(self.nest([turns], (up,)))
            kernels[0][1].append((self.number(EventKind.UNTIL_AT_LEAST, semaphore, turns),))
        self.kernels = [[self.merged(parts) for parts in each] for each in kernels]

    def number(self, kind: EventKind, resource: int, value: int = 0) -> int:
        return self.table.number(kind, resource, HERE, value)

    def nest(self, turns: list[int], body: Sequence) -> Sequence:
        for count in reversed(turns):
            body = repeated(count, body)
        return body

    def merged(self, parts: list[Sequence]) -> Sequence:
        """The parts one after the other, or in one loop where they have the same turns."""
        self.random.shuffle(parts)
        result: list[int | Repeat] = []
        for part in parts:
            last = result[-1] if result else None
            first = part[0] if len(part) == 1 else None
            alike = isinstance(first, Repeat) and isinstance(last, Repeat) and first.count == last.count
            if alike and self.random.random() < 0.7:
                assert isinstance(first, Repeat) and isinstance(last, Repeat)
                result[-1] = Repeat(last.count, last.body + first.body)
                continue
            result.extend(part)
        return tuple(result)

    def machine(self) -> Machine:
        processes = [
            Process(kernel=kernel, node=node, row=node, code=assemble(sequence, self.table))
            for node, each in enumerate(self.kernels)
            for kernel, sequence in enumerate(each)
        ]
        return Machine(
            processes, self.counts, self.nodes, self.pipes, self.semaphores, self.nodes, Accelerator
        )


def state(machine: Machine) -> tuple[object, ...]:
    return (
        machine.at, machine.iterations, machine.done, machine.space, machine.full, machine.reading, machine.pushed,
        machine.waited, machine.sent, machine.left, machine.started, machine.got, machine.values, machine.failure,
    )  # fmt: skip


@pytest.mark.parametrize("chunk", range(8))
def test_skipping_what_repeats_changes_nothing(chunk: int) -> None:
    skipped = stuck = 0
    for seed in range(chunk * 50, chunk * 50 + 50):
        network = Network(seed)
        fast, slow = network.machine(), network.machine()
        slow.accelerator.stop()
        slow.limit = fast.limit = 2_000_000
        fast.run()
        slow.run()
        assert not slow.exhausted
        assert state(fast) == state(slow), f"seed {seed}"
        skipped += fast.accelerator.skipped > 0
        stuck += not fast.ended
    assert skipped > 10
    assert 5 < stuck < 45


def elementwise(rows: int, columns: int) -> Program:
    p = Program((8, 8))
    a_dfb, y_dfb = p.buffer("a_dfb", tiles(1, 1)), p.buffer("y_dfb", tiles(1, 1))

    def put(dfb: object) -> None:
        p.emit(dialect.DfbPushOp(p.emit(dialect.DfbReserveOp(dfb)).result, how="with"))  # type: ignore[arg-type]

    def take(dfb: object) -> None:
        p.emit(dialect.DfbPopOp(p.emit(dialect.DfbWaitOp(dfb)).result, how="with"))  # type: ignore[arg-type]

    with p.kernel("read"), p.loop("m", 0, rows), p.loop("n", 0, columns):
        put(a_dfb)
    with p.kernel("compute", compute=True), p.loop("m", 0, rows), p.loop("n", 0, columns):
        take(a_dfb)
        put(y_dfb)
    with p.kernel("write"), p.loop("m", 0, rows), p.loop("n", 0, columns):
        take(y_dfb)
    return p


@pytest.mark.parametrize("turns", [4, 1000, 10**6])
def test_the_work_does_not_grow_with_the_loops(turns: int) -> None:
    game = Game(elementwise(turns, turns).built())
    (only,) = game.rounds()
    assert only.machine.ended
    assert only.machine.pushed == [turns * turns] * 2
    assert only.machine.steps < 400
    assert [length(each) for each in game.classes[0].kernels] == [2 * turns**2, 4 * turns**2, 2 * turns**2]


def test_nodes_that_do_the_same_are_one_class() -> None:
    p = Program((4, 2))
    dfb = p.buffer("a_dfb", tiles(1, 1))
    with p.kernel("read"), p.where("slt", p.node[0], 3), p.loop("m", 0, 5):
        p.emit(dialect.DfbPushOp(p.emit(dialect.DfbReserveOp(dfb)).result, how="with"))
    with p.kernel("write"), p.loop("m", 0, 5), p.where("slt", p.node[0], 3):
        p.emit(dialect.DfbPopOp(p.emit(dialect.DfbWaitOp(dfb)).result, how="with"))
    game = Game(p.built())
    assert [each.nodes for each in game.classes] == [(0, 1, 2, 3, 4, 5), (6, 7)]
    assert totals(game.classes[0].kernels[0]) == {0: 5, 1: 5}
    assert all(each.machine.ended for each in game.rounds())


def test_a_loop_that_nobody_can_count_is_not_proved() -> None:
    p = Program((1, 1))
    dfb = p.buffer("a_dfb", tiles(1, 1))
    unknown = p.emit(made_for_tests.TestOp(result_types=[p.node[0].type])).results[0]
    with p.kernel("read"), p.loop("m", 0, unknown):
        p.emit(dialect.DfbPushOp(p.emit(dialect.DfbReserveOp(dfb)).result, how="with"))
    game = Game(p.built())
    assert not list(game.rounds())
    assert game.unproven


def test_a_local_set_is_of_the_semaphore_of_each_node() -> None:
    p = Program((3, 1))
    go = p.semaphore("go")
    with p.kernel("first"):
        p.emit(dialect.SemaphoreSetOp(go, p.index(1)))
    with p.kernel("second"):
        p.emit(dialect.SemaphoreWaitOp(go, p.index(1), comparison="eq"))
    game = Game(p.built())
    (only,) = game.rounds()
    assert only.machine.ended
    assert only.machine.values == [1, 1, 1]


def test_two_kernels_at_one_end_of_a_pipe_are_not_followed() -> None:
    p = Program((2, 1))
    dfb = p.buffer("a_dfb", tiles(1, 1))
    net = p.net(((0, 0), (1, 0)))
    for name in ("first", "second"):
        with p.kernel(name), p.if_pipe(net, "src") as pipe:
            p.send(dfb, pipe)
    game = Game(p.built())
    assert not list(game.rounds())
    assert game.unproven == "two kernels of a node use the same end of a pipe"


@pytest.mark.parametrize("ago", [1, 2])
def test_a_transfer_may_be_waited_for_later(ago: int) -> None:
    """Two sends are under way before the first, or the second, is waited for; the pipe holds one."""
    p = Program((2, 1))
    dfb = p.buffer("a_dfb", tiles(1, 1))
    net = p.net(((0, 0), (1, 0)))
    with p.kernel("send"), p.if_pipe(net, "src") as pipe:
        block = p.emit(dialect.DfbReserveOp(dfb)).result
        copies = [p.emit(dialect.CopyOp(block, pipe)).result for _ in range(2)]
        p.emit(dialect.WaitOp(copies[-ago]))
        p.emit(dialect.DfbPushOp(block, how="with"))
    game = Game(p.built())
    (only,) = game.rounds()
    assert only.machine.sent == [2]
    assert only.machine.left == [1]
    assert only.stuck == (ago == 1), "nobody receives: the second never leaves"
