"""The parts of a program that can be inspected during and after a run, with their places in its source."""

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
    """Whether some elements of blocks may be undefined."""
    cut: tuple[str, ...] = ()
    """The buffers of float32 whose elements the chip keeps with fewer bits."""
    approximated: float = 0.0
    """The largest error of values due to approximations that the program requests and the simulator does not make."""


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
    """Return twice the largest error of a requested approximation: both operands of a quotient may have it."""
    asked = {
        op.row.approximation.worst
        for op in module.walk()
        if isinstance(op, dialect.BlockComputeOp)
        and op.row.approximation is not None
        and op.row.asks_approximation(op.params)
    }
    return 2 * max(asked, default=0.0)
