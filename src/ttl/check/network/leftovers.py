"""What is left when all kernels have ended: messages nobody received, blocks nobody waited for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ttl.check.network.events import Kind
from ttl.check.network.game import Game, Round
from ttl.check.pipe_ends import destination_of
from ttl.diag.model import Diagnostic
from ttl.dialects.locations import span_of
from ttl.protocol.grid import coordinate
from ttl.rules import leftovers as rules
from ttl.rules.labels import BUFFER_MADE, SENT
from ttl.rules.words import kernel_where


def left_over(game: Game, rounds: Sequence[Round]) -> Iterator[Diagnostic]:
    """Findings about an operation all of whose kernels end."""
    for round_ in rounds:
        messages = list(_messages(game, round_))
        if messages:
            yield messages[0]
            return
    yield from _blocks(game, rounds)


def _messages(game: Game, round_: Round) -> Iterator[Diagnostic]:
    machine = round_.machine
    for pipe, (net, index) in enumerate(game.resources.pipes):
        if not machine.missing[pipe]:
            continue
        source, destinations = net.ends[index]
        missing = [
            coordinate(node, game.grid, len(game.grid))
            for node, end in zip(destinations, machine.ends[pipe], strict=True)
            if machine.got[end] < machine.left[pipe]
        ]
        received = sum(machine.got[end] for end in machine.ends[pipe])
        sent = machine.sent[pipe]
        told = rules.never_received(
            tuple(net.pipes[index].src),
            destination_of(net.pipes[index]),
            sent,
            received,
            sent * len(destinations),
            missing,
        )
        for process in machine.processes:
            if process.node != source:
                continue
            sends = [each for each in process.code.instructions if each[0] == Kind.SEND and each[1] == pipe]
            if sends:
                kernel = game.kernels[process.kernel]
                where = kernel_where(
                    kernel.kind, kernel.kernel_name, coordinate(source, game.grid, len(game.grid))
                )
                yield told.at(span_of(game.event(sends[-1][4]).op), SENT).noting(f"in {where}")
                break


def _blocks(game: Game, rounds: Sequence[Round]) -> Iterator[Diagnostic]:
    blocks = [0] * len(game.resources.buffers)
    nodes = [0] * len(blocks)
    for round_ in rounds:
        for buffer, full in enumerate(round_.machine.full):
            if not full:
                continue
            row, local = divmod(buffer, round_.machine.per_row)
            weight = 1 if game.meets else len(round_.classes[row].nodes)
            blocks[local] += full * weight
            nodes[local] += weight
    for op, count, on in zip(game.resources.buffers, blocks, nodes, strict=True):
        if count:
            told = rules.never_waited_for(op.buffer_name.data, count, on)
            yield told.at(span_of(op), BUFFER_MADE)
