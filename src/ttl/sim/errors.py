"""Errors found around a launch rather than inside a call of the language."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ttl.diag import Diagnostic, ProgramError, error
from ttl.lang.check import describe
from ttl.source.calls import returned_span

if TYPE_CHECKING:
    from ttl.sim.engine import Engine
    from ttl.sim.kernel import Kernel


def fail_returned(engine: Engine, kernel: Kernel, result: object) -> None:
    """A kernel, or the operation's body, returned something."""
    function = kernel.function
    what = f"kernel {kernel.name}" if kernel.is_kernel else f"operation {getattr(function, '__name__', '')}"
    code = getattr(function, "__code__", None)
    finding = error(
        "TTL0206",
        f"{what} returned {describe(result)}, and it returns None",
        notes=("results leave an operation through its output tensors",),
        help="write into an output tensor with ttl.copy(blk, out[...]) and drop the return value",
    )
    if code is not None:
        finding = finding.at(returned_span(code))
    raise ProgramError(engine.located(finding, None if code is None else (code, 0)))


def used_after_the_end(what: str) -> Diagnostic:
    """A block, or an expression, that a program kept beyond its launch."""
    return error(
        "TTL0335",
        f"{what} used after its operation ended",
        notes=("a block is memory of a node, and the operation has given it back",),
        help="copy what is needed later into an output tensor: ttl.copy(blk, out[...])",
    )
