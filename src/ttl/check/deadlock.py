"""Findings of running all kernels against each other, with counters only (``network``): deadlocks, leftovers, second
users of a buffer; and notes where they cannot be run.

Modules that only a deadlock needs are imported after one is found: most programs do not deadlock.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from xdsl.ir import Operation

from ttl.analysis.events.sequences import EventKind, totals
from ttl.check.context import CheckContext
from ttl.check.network.game import Game, PlayedRound
from ttl.check.network.machine import ReceiveDecision
from ttl.check.network.roles import Verdict
from ttl.diag.model import Diagnostic, Severity
from ttl.dialects import ttl as dialect
from ttl.dialects.structure import kernel_of
from ttl.ir.locations import span_of
from ttl.protocol.blocks import Acquired
from ttl.protocol.grid import coordinate
from ttl.rules.buffers import second_user
from ttl.rules.labels import does_so
from ttl.rules.words import kernel_where

_SHOWN = 4
"""The most decisions that a report names."""


def check(operation: dialect.OperationOp, context: CheckContext) -> list[Diagnostic]:
    """Return the deadlock of an operation, or findings about leftovers (TTL0903, TTL0904, TTL0910 to TTL0921).

    There are no findings if the kernels cannot be followed to their end, or run into another error first.
    """
    game, rounds = played(operation, context)
    stuck = [round_ for round_ in rounds if round_.stuck]
    if stuck:
        return _deadlock(game, stuck, context)
    if game.unproven or any(round_.machine.failure is not None for round_ in rounds):
        return []
    if not any(any(round_.machine.missing) or any(round_.machine.full) for round_ in rounds):
        return []
    from ttl.check.network.leftovers import left_over

    return list(left_over(game, rounds))


def _deadlock(game: Game, stuck: list[PlayedRound], context: CheckContext) -> list[Diagnostic]:
    from ttl.check.network.certain import is_certain
    from ttl.check.network.stalled import StalledRound
    from ttl.deadlock.report import report

    round_ = stuck[0] if len(stuck) == 1 else game.together([item.classes[0] for item in stuck])
    if not round_.stuck:  # too much to play in one machine
        round_ = stuck[0]
    network = StalledRound(game, round_, context.chip.l1_available_bytes)
    certain, orders = is_certain(game, round_, network.waiting()), game.orders
    if orders is not None:
        certain &= orders.complete and not orders.others
    finding = report(network, certain=certain)
    followed, nodes = len(game.followed), game.slots.nodes
    if followed < nodes:
        # The game treats nodes that were not followed as idle.
        notes = tuple(text for text in finding.notes if not text.startswith("all kernels ended on"))
        finding = replace(finding, notes=notes).noting(
            f"{followed} of {nodes} nodes that depend on each other were followed; the others may be stuck, too"
        )
    if orders is not None and orders.others and orders.decided:
        finding = finding.noting(_decided(game, round_, orders.decided))
    return [finding if certain else replace(finding, severity=Severity.WARNING)]


def _decided(game: Game, round_: PlayedRound, decided: tuple[ReceiveDecision, ...]) -> str:
    """Return a sentence that names the last decisions about receives before a deadlock, ``_SHOWN`` at most."""
    said = []
    for decision in decided[-_SHOWN:]:
        process = round_.machine.processes[decision.process]
        kernel, node = game.kernels[process.kernel], coordinate(process.node, game.grid, len(game.grid))
        span = span_of(game.event(decision.event).op)
        where = "" if span is None else f" of those at line {span.line}"
        said.append(f"receive {decision.way}{where} in {kernel_where(kernel.kind, kernel.kernel_name, node)}")
    before = "" if len(decided) <= _SHOWN else "..., then "
    return f"it happens if these are complete first: {before}{', then '.join(said)}"


def played(operation: dialect.OperationOp, context: CheckContext) -> tuple[Game, tuple[PlayedRound, ...]]:
    """Return the game of an operation, played to its end."""

    def play() -> tuple[Game, tuple[PlayedRound, ...]]:
        game = Game(operation)
        return game, tuple(game.rounds())

    return context.once("game", play)


# --- unknown shapes --------------------------------------------------------------------------------------------


def check_balance(operation: dialect.OperationOp, context: CheckContext) -> list[Diagnostic]:
    """Buffers of which more blocks are waited for than pushed (TTL0913), or too few to continue (TTL0914).

    A finding is certain if the difference is the same for all shapes; else possible, with example shapes. Only
    for operations that could not be played: for the others ``deadlock`` reports more.
    """
    game, _ = played(operation, context)
    if game.proof.verdict is Verdict.ENDS or game.classes:
        return []
    from ttl.check.network.unequal import unequal

    return list(unequal(game, context.grid))


# --- second users ----------------------------------------------------------------------------------------------


def check_producers(operation: dialect.OperationOp, context: CheckContext) -> list[Diagnostic]:
    """Find buffers with two producers (TTL0315) or two consumers (TTL0316) on a node.

    Where the operation stops before the second kernel reaches the buffer, the deadlock is reported instead.
    """
    game, rounds = played(operation, context)
    if game.proof.verdict is Verdict.ENDS or any(round_.stuck for round_ in rounds):
        return []
    return list(_two_kernels(game, rounds))


def _two_kernels(game: Game, rounds: tuple[PlayedRound, ...]) -> Iterator[Diagnostic]:
    came_first = _first_kernels(rounds)
    told: set[tuple[Acquired, int]] = set()
    for node_class in game.classes:
        users: dict[tuple[Acquired, int], dict[int, Operation]] = {}
        for kernel, sequence in enumerate(node_class.kernels):
            for number in totals(sequence):
                event = game.event(number)
                if event.kind in (EventKind.RESERVE, EventKind.WAIT):
                    acquired: Acquired = "reserve" if event.kind is EventKind.RESERVE else "wait"
                    users.setdefault((acquired, event.resource), {}).setdefault(kernel, event.op)
        for (acquired, buffer), kernels in users.items():
            if len(kernels) < 2 or (acquired, buffer) in told:
                continue
            told.add((acquired, buffer))
            order = sorted(kernels, key=lambda kernel: kernel != came_first.get((acquired, buffer)))
            first, second = order[:2]
            names = [game.kernels[kernel].kernel_name for kernel in (first, second)]
            node = coordinate(node_class.nodes[0], game.grid, len(game.grid))
            where = kernel_where(game.kernels[second].kind, names[1], node)
            yield (
                second_user(acquired, game.resources.buffers[buffer].buffer_name.data, *names)
                .at(span_of(kernels[second]))
                .also(span_of(kernels[first]), does_so(names[0]))
                .noting(f"in {where}")
            )


def _first_kernels(rounds: tuple[PlayedRound, ...]) -> dict[tuple[Acquired, int], int]:
    """Return the kernel that first used each buffer with several users, by method and buffer, as far as was played."""
    first_kernels: dict[tuple[Acquired, int], int] = {}
    for round_ in rounds:
        machine = round_.machine
        for (way, buffer), process in machine.owners.items():
            acquired: Acquired = "wait" if way else "reserve"
            first_kernels.setdefault((acquired, buffer % machine.per_row), machine.processes[process].kernel)
    return first_kernels


# --- kernels that were not followed ----------------------------------------------------------------------------


def unfollowed(operation: dialect.OperationOp, context: CheckContext) -> str | None:
    """Return the place and the reason where the kernels could not be followed to their end; None if they were.

    This is of interest only without other findings: a mistake elsewhere, say in a pipe, is a reason, too.
    """
    game, _ = played(operation, context)
    if not game.unproven:
        return None
    name = f"operation {operation.operation_name}"
    place = game.unproven_at
    span = None if place is None else span_of(place)
    if place is None or span is None:
        return f"{name}: {game.unproven}; a deadlock would not be found"
    kernel = kernel_of(place).kernel_name
    return f"{name} in line {span.line}: {game.unproven}; a deadlock of kernel {kernel} from there on would not be found"
