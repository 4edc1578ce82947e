"""One kernel of a node fills a dataflow buffer, and one empties it."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Operation

from ttl.check.context import Context
from ttl.check.deadlock import played
from ttl.check.network.events import Kind, totals
from ttl.check.network.game import Game, Round
from ttl.diag.model import Diagnostic
from ttl.dialects import ttl as dialect
from ttl.ir.locations import span_of
from ttl.protocol.blocks import Acquired
from ttl.protocol.grid import coordinate
from ttl.rules.buffers import second_user
from ttl.rules.labels import does_so
from ttl.rules.words import kernel_where


def check(operation: dialect.OperationOp, context: Context) -> list[Diagnostic]:
    """Buffers with two producers (TTL0315) or two consumers (TTL0316) on a node.

    Where the operation stops before the second one comes to it, the deadlock is what is reported.
    """
    game, rounds = played(operation, context)
    if any(each.stuck for each in rounds):
        return []
    return list(_two_kernels(game, rounds))


def _two_kernels(game: Game, rounds: tuple[Round, ...]) -> Iterator[Diagnostic]:
    came_first = _first_kernels(rounds)
    told: set[tuple[Acquired, int]] = set()
    for each in game.classes:
        users: dict[tuple[Acquired, int], dict[int, Operation]] = {}
        for kernel, sequence in enumerate(each.kernels):
            for number in totals(sequence):
                event = game.event(number)
                if event.kind in (Kind.RESERVE, Kind.WAIT):
                    acquired: Acquired = "reserve" if event.kind is Kind.RESERVE else "wait"
                    users.setdefault((acquired, event.resource), {}).setdefault(kernel, event.op)
        for (acquired, buffer), kernels in users.items():
            if len(kernels) < 2 or (acquired, buffer) in told:
                continue
            told.add((acquired, buffer))
            order = sorted(kernels, key=lambda kernel: kernel != came_first.get((acquired, buffer)))
            first, second = order[:2]
            names = [game.kernels[kernel].kernel_name for kernel in (first, second)]
            node = coordinate(each.nodes[0], game.grid, len(game.grid))
            where = kernel_where(game.kernels[second].kind, names[1], node)
            yield (
                second_user(acquired, game.resources.buffers[buffer].buffer_name.data, *names)
                .at(span_of(kernels[second]))
                .also(span_of(kernels[first]), does_so(names[0]))
                .noting(f"in {where}")
            )


def _first_kernels(rounds: tuple[Round, ...]) -> dict[tuple[Acquired, int], int]:
    """Who came first, where the game got that far."""
    found: dict[tuple[Acquired, int], int] = {}
    for each in rounds:
        machine = each.machine
        for (way, buffer), process in machine.owners.items():
            acquired: Acquired = "wait" if way else "reserve"
            found.setdefault((acquired, buffer % machine.per_row), machine.processes[process].kernel)
    return found
