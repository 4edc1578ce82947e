"""What of a program can be looked at while it runs and when it has run, and where its source says so."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp

from ttl.codegen.filled import Filled, cut_of, filled_of, leaves_undefined
from ttl.codegen.outputs import Output, outputs_of
from ttl.dialects import ttl as dialect


@dataclass(frozen=True, kw_only=True, slots=True)
class Traced:
    """The trace of one operation."""

    buffers: tuple[Filled, ...]
    outputs: tuple[Output, ...]
    undefined: bool
    """Whether some elements of blocks may hold nothing defined."""
    cut: tuple[str, ...] = ()
    """Buffers of float32 of which the chip keeps fewer bits."""
    approximated: float = 0.0
    """How far values may be off because the program asks for approximations, which the simulator does not make."""


def traced(module: ModuleOp) -> Traced:
    """The trace of the only operation of a module."""
    return Traced(
        buffers=filled_of(module),
        outputs=outputs_of(module),
        undefined=leaves_undefined(module),
        cut=cut_of(module),
        approximated=_approximated(module),
    )


def _approximated(module: ModuleOp) -> float:
    """Twice what one function may be off: of a quotient, both sides may be."""
    asked = {
        op.row.approximation.worst
        for op in module.walk()
        if isinstance(op, dialect.BlockComputeOp)
        and op.row.approximation is not None
        and op.row.asks_approximation(op.params)
    }
    return 2 * max(asked, default=0.0)
