"""Blocks pushed against blocks waited for, where shapes are not given and the game cannot be played."""

from __future__ import annotations

from ttl.check.context import Context
from ttl.check.deadlock import played
from ttl.diag.model import Diagnostic
from ttl.dialects import ttl as dialect


def check(operation: dialect.OperationOp, context: Context) -> list[Diagnostic]:
    """Buffers of which more blocks are waited for than pushed (TTL0913), or too few to go on (TTL0914).

    Certain where the difference is the same for all shapes; else possible, with shapes for which it happens. Only
    for operations that could not be played: of the others ``deadlock`` knows.
    """
    game, _ = played(operation, context)
    if game.classes:
        return []
    from ttl.check.network.unequal import unequal

    return list(unequal(game, context.grid))
