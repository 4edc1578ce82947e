"""The report when no kernel can go on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ttl.diag import DeadlockError, error

if TYPE_CHECKING:
    from ttl.sim.engine import Engine


def error_of(engine: Engine) -> DeadlockError:
    """One report for the whole launch."""
    return DeadlockError(error("TTL0910", "deadlock: no kernel can go on"))


def where_every_kernel_is(engine: Engine) -> str:
    """For Ctrl-C: the line every kernel is at."""
    return "interrupted"
