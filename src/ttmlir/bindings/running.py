"""Passes over modules that are in memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from ttl.diag.errors import WrongRequest
from ttl.ir.driver import Driver, Dumps, Options, Timing
from ttl.ir.forms import MLIRText
from ttl.ir.pipeline import parse_pipeline
from ttl.ir.pipeline import steps_of as steps_of_steps
from ttmlir.bindings.scope import raise_for
from ttmlir.transforms.pipelines import PASSES, PIPELINES

if TYPE_CHECKING:
    from ttmlir.bindings.operations import OperationHandle


def steps_of(pipeline: str) -> list[ModulePass]:
    """Parse a pipeline, such as ``builtin.module(canonicalize,cse)``, to its passes. Raises ``ValueError``."""
    try:
        return steps_of_steps(parse_pipeline(pipeline), PASSES, PIPELINES)
    except WrongRequest as problem:
        raise ValueError(str(problem)) from None


def run_passes(
    operation: OperationHandle,
    passes: Sequence[ModulePass],
    what: str,
    *,
    verify_each: bool = True,
    print_after_all: bool = False,
) -> None:
    """Run passes on a module. Raises ``MLIRError`` with all diagnostics, which the handlers of the context get, too."""
    import sys

    module = operation.xdsl
    if not isinstance(module, ModuleOp):
        raise ValueError(f"passes run on a module, not on {operation.name}")
    options = Options(verify_each=verify_each, dumps=Dumps(after_all=print_after_all))
    driver = Driver({}, passes, options, Timing(), sys.stderr.write, MLIRText())
    raise_for(what, driver.run_passes(operation.context.xdsl, module), operation.context)
