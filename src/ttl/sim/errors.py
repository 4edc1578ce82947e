"""Errors found around a launch rather than inside a call of the language."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ttl.diag import ProgramError
from ttl.rules.kernels import returned
from ttl.source.calls import returned_span

if TYPE_CHECKING:
    from ttl.sim.engine import Engine
    from ttl.sim.kernel import Kernel


def fail_returned(engine: Engine, kernel: Kernel, result: object) -> None:
    """A kernel, or the operation's body, returned something."""
    function = kernel.function
    what = f"kernel {kernel.name}" if kernel.is_kernel else f"operation {getattr(function, '__name__', '')}"
    code = getattr(function, "__code__", None)
    finding = returned(what, result)
    if code is not None:
        finding = finding.at(returned_span(code))
    raise ProgramError(engine.located(finding, None if code is None else (code, 0)))
