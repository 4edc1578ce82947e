"""What of a program can be looked at while it runs and when it has run, and where its source says so."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp

from ttl.codegen.filled import Filled, cut_of, filled_of, leaves_undefined
from ttl.codegen.outputs import Output, outputs_of


@dataclass(frozen=True, kw_only=True, slots=True)
class Traced:
    """Of one operation."""

    buffers: tuple[Filled, ...]
    outputs: tuple[Output, ...]
    undefined: bool
    """Whether some elements of blocks may hold nothing defined."""
    cut: tuple[str, ...] = ()
    """Buffers of float32 of which the chip keeps fewer bits."""


def traced(module: ModuleOp) -> Traced:
    """Of the only operation of a module."""
    return Traced(
        buffers=filled_of(module),
        outputs=outputs_of(module),
        undefined=leaves_undefined(module),
        cut=cut_of(module),
    )
