"""Errors found around a launch rather than inside a call of the language."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ttl.diag import ProgramError, error
from ttl.lang.check import describe

if TYPE_CHECKING:
    from ttl.sim.engine import Engine
    from ttl.sim.kernel import Kernel


def fail_returned(engine: Engine, kernel: Kernel, result: object) -> None:
    """A kernel, or the operation's body, returned something."""
    function = kernel.function
    what = f"kernel {kernel.name}" if kernel.is_kernel else "operation"
    site = (function.__code__, 0) if function is not None and hasattr(function, "__code__") else None
    raise ProgramError(
        engine.located(
            error(
                "TTL0206",
                f"{what} returned {describe(result)}, and it returns None",
                notes=("results leave an operation through its output tensors",),
                help="write into an output tensor with ttl.copy(blk, out[...]) and drop the return value",
            ),
            site,
        )
    )
