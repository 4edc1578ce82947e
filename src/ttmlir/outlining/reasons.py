"""Why an operation of a model is not in one of TT-Lang: for ``--explain``."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from ttmlir.operations.explanation import EXPLANATION
from ttmlir.operations.operation import TTIROperation
from ttmlir.operations.shared import TTIRTTLangOp
from ttmlir.operations.ttir import TTIRConstantOp
from ttmlir.outlining.grouping import is_elementwise, why_no_step


def explain(module: ModuleOp, failed: Mapping[Operation, str]) -> None:
    """Say of every operation of TTIR that a module still has why it stays. ``failed``: last operations of regions, and what is wrong."""
    explanation = EXPLANATION.get()
    if explanation is None:
        return
    for op in module.walk():
        if isinstance(op, TTIROperation) and not isinstance(op, TTIRTTLangOp | TTIRConstantOp):
            reason = (
                f"no operation of TT-Lang is possible: {failed[op]}" if op in failed else _why_it_stays(op)
            )
            for result in op.results:
                explanation.because(result, f"stays TTIR: {reason}")


def _why_it_stays(op: TTIROperation) -> str:
    if reason := why_no_step(op):
        return reason
    if is_elementwise(op):
        return "alone it gains nothing: TTNN has the same operation"
    return "the region that it is in is no operation of TT-Lang, or its blocks are no whole tiles of what it reads"
