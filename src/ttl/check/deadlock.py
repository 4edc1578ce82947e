"""Deadlock and leftovers: all kernels are played against each other, with counters only (``network``).

What only a deadlock needs is imported when there is one: most programs have none.
"""

from __future__ import annotations

from dataclasses import replace

from ttl.check.context import Context
from ttl.check.network.game import Game, Round
from ttl.diag.model import Diagnostic, Severity
from ttl.dialects import ttl as dialect


def check(operation: dialect.OperationOp, context: Context) -> list[Diagnostic]:
    """The deadlock an operation ends in, or what it leaves behind (TTL0903, TTL0904, TTL0910 to TTL0921).

    Silent where the kernels cannot be followed to their end, and where they run into another error first.
    """
    game, rounds = played(operation, context)
    stuck = [each for each in rounds if each.stuck]
    if stuck:
        return _deadlock(game, stuck, context)
    if game.unproven or any(each.machine.failure is not None for each in rounds):
        return []
    if not any(any(each.machine.missing) or any(each.machine.full) for each in rounds):
        return []
    from ttl.check.network.leftovers import left_over

    return list(left_over(game, rounds))


def _deadlock(game: Game, stuck: list[Round], context: Context) -> list[Diagnostic]:
    from ttl.check.network.certain import is_certain
    from ttl.check.network.stalled import StalledRound
    from ttl.deadlock.report import report

    round_ = stuck[0] if len(stuck) == 1 else game.together([each.classes[0] for each in stuck])
    if not round_.stuck:  # too much to be played together
        round_ = stuck[0]
    network = StalledRound(game, round_, context.chip.l1_available_bytes)
    certain = is_certain(game, round_, network.waiting())
    finding = report(network, certain=certain)
    return [finding if certain else replace(finding, severity=Severity.WARNING)]


def played(operation: dialect.OperationOp, context: Context) -> tuple[Game, tuple[Round, ...]]:
    """The game of an operation, played to its end."""

    def play() -> tuple[Game, tuple[Round, ...]]:
        game = Game(operation)
        return game, tuple(game.rounds())

    return context.once("game", play)
