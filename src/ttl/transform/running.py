"""An interpreter with all steps and all passes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.transform import NamedSequenceOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from ttl.transform import control, loops, scheduling, structured
from ttl.transform.dialect import TransformStep
from ttl.transform.interpreter import Effect, SequenceInterpreter, nobody, run_pass
from ttl.transform.registry import registered

EFFECTS: Mapping[type[TransformStep], Effect] = {
    **control.EFFECTS,
    **loops.EFFECTS,
    **structured.EFFECTS,
    **scheduling.EFFECTS,
}


def interpreter(
    named: Mapping[str, NamedSequenceOp],
    default: Sequence[ModulePass],
    *,
    apply: Callable[[ModulePass, ModuleOp], None] = run_pass,
    after: Callable[[Operation, ModuleOp], None] = nobody,
    most_steps: int | None = None,
) -> SequenceInterpreter:
    """Return an interpreter with these named sequences and compiler passes; see ``SequenceInterpreter``."""
    return SequenceInterpreter(
        effects=EFFECTS,
        passes=registered(),
        default=default,
        apply=apply,
        after=after,
        most_steps=most_steps,
        named=named,
    )
