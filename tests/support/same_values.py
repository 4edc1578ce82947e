"""A module of TT-MLIR computes the same before and after each pass: both are interpreted."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from support.random_programs.ttir.modules import RandomModule
from tt_model.operations.dialects import DIALECTS
from tt_model.reference.formats import Values
from tt_model.reference.interpreter import InterpretedRun, interpret
from ttl.ir.context import ToolContext, make_context
from ttl.ir.parser import parse_text
from ttl.ir.verifier import RepeatedVerification, require_valid
from ttl.rows.comparison import within

# Order of additions may differ where a pass moves dimensions: the sums are those of a few hundred numbers in float64.
RELATIVE = 1e-11

Outputs = dict[str, tuple[Values, ...]]


class Changed(AssertionError):
    """A pass changed what a function computes."""


def read(text: str) -> tuple[ToolContext, ModuleOp]:
    """A module and the context it was read in."""
    context = make_context(DIALECTS)
    return context, parse_text(context, text, "random.mlir")


def outputs(module: ModuleOp, random: RandomModule, run: InterpretedRun | None = None) -> Outputs:
    """What the public functions give for the module's inputs."""
    return {name: interpret(module, name, random.inputs(name), run=run) for name in random.functions}


def check_through(random: RandomModule, passes: Iterable[ModulePass]) -> tuple[ModuleOp, InterpretedRun]:
    """Run passes; after each one the module must be valid and compute the same. Raises ``Changed``.

    Returns the module and what is known of the last run.
    """
    context, module = read(random.text)
    verification = RepeatedVerification()
    verification.require_valid(module)
    run = InterpretedRun()
    expected = outputs(module, random, run)
    for step in passes:
        step.apply(context, module)
        verification.require_valid(module)
        run = InterpretedRun()
        compare(expected, outputs(module, random, run), f"seed {random.seed}: after {step.name}")
    require_valid(module)
    return module, run


def compare(expected: Outputs, actual: Outputs, where: str) -> None:
    """Raise ``Changed`` where outputs differ."""
    for name, values in expected.items():
        for position, (before, after) in enumerate(zip(values, actual[name], strict=True)):
            if before.shape != after.shape:
                raise Changed(f"{where}: output {position} of '{name}' is {after.shape}, was {before.shape}")
            wrong = np.flatnonzero(~within(after, before, RELATIVE, 1e-300))
            if wrong.size:
                first = np.unravel_index(wrong[0], before.shape)
                raise Changed(
                    f"{where}: output {position} of '{name}' differs in {wrong.size} of {before.size} elements, "
                    f"at {tuple(map(int, first))} it is {after[first]}, was {before[first]}"
                )
