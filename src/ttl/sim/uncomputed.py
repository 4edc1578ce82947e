"""A value that is needed and has no data: computing it failed, and the program caught that and went on."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from ttl.diag import error

if TYPE_CHECKING:
    from ttl.sim.engine import Engine


def fail_uncomputed(engine: Engine) -> NoReturn:
    """Report it where the value is needed, which may be the end of the operation."""
    engine.fail(
        error(
            "TTL1103",
            "a block holds a value whose computation has failed",
            notes=("an exception ended the computation, and the program caught it and went on",),
            help="let the exception end the operation, or make room before it: the values are lost",
        )
    )
