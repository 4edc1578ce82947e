"""The parts of ``ttl-opt``: our dialects, our passes, those of xDSL, and the checks of the language as a pass."""

from __future__ import annotations

from dataclasses import dataclass, replace

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Dialect
from xdsl.passes import ModulePass

from ttl.check.module import check_module
from ttl.diag.families import Family
from ttl.diag.model import Severity
from ttl.diag.plan_names import ir_today, pass_today
from ttl.dialects.text import DIALECTS
from ttl.ir.failure import NotLowered
from ttl.ir.tool import Tool
from ttl.passes.microcores import MicrocoresToKernels
from ttl.transform.registry import registered
from ttl.transform.tool import TransformInterpreter


@dataclass(frozen=True)
class CheckPass(ModulePass):
    """Check every ttl.operation against the rules of the language.

    Expects: operations as the front end makes them. Changes nothing; reports what breaks the rules. With ``strict`` what
    the language infers (a push, a pop, a wait) is reported, too.
    """

    name = "ttl-check"
    strict: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        op = op.clone()
        MicrocoresToKernels().apply(ctx, op)

        findings = check_module(op, strict=self.strict)
        if findings:
            # An analysis that failed by a mistake of ours has not said that the module is right.
            defects = Family.DEFECTS
            raise NotLowered(
                [
                    replace(finding, severity=Severity.ERROR) if finding.family is defects else finding
                    for finding in findings
                ]
            )


def _transform() -> Dialect:
    """Steps of schedules, which few modules have."""
    from ttl.transform.dialect import dialect

    return dialect()


TTL_OPT = Tool(
    name="ttl-opt",
    dialects={**DIALECTS, "transform": _transform},
    passes=(*registered(), CheckPass, TransformInterpreter),
    hint=lambda report, line: ir_today(report.message),
    today=pass_today,
)
main = TTL_OPT.main
