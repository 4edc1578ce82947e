"""``ttnn-optimizer``: chooses the memory and the shards of the results of TTNN operations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation
from xdsl.passes import ModulePass

from tt_model.layouts.enums import BufferType
from tt_model.layouts.layout import TTNNLayout
from tt_model.operations.emission import about_module
from tt_model.operations.explanation import EXPLANATION, ExplainedCandidate, Explanation
from tt_model.operations.lying import stated_layout
from tt_model.operations.tensors import shape_of
from tt_model.operations.ttnn import TTNNDeallocateOp
from ttl.analysis.dominance import of_kinds
from ttl.ir.failure import NotLegalized, Remarks, without_effect
from ttl.ir.refusals import Refused, reports_of
from ttl.ir.reports import Report, about
from ttmlir.transforms.optimizer.chains import FASTEST, POLICIES, Policy
from ttmlir.transforms.optimizer.chip import TargetChip
from ttmlir.transforms.optimizer.cost import CostModel
from ttmlir.transforms.optimizer.decisions import Decisions, decide
from ttmlir.transforms.optimizer.l1 import bytes_in_l1, estimated_cycles, fit, operands_of
from ttmlir.transforms.optimizer.legality import cannot_take, chosen_result, legal_layouts
from ttmlir.transforms.optimizer.overrides import parse_memory_reconfigurations, parse_output_layouts
from ttmlir.transforms.optimizer.requests import Requests, override_text, requested
from ttmlir.transforms.optimizer.rewrite import rewrite

_WORDS = (*POLICIES, FASTEST)


@dataclass(frozen=True)
class TTNNOptimizer(ModulePass):
    """Choose the layouts of results: legal ones, those of chains that stay in L1, and those that a user requests.

    Expects: TTNN after ``convert-ttir-to-ttnn`` and ``remove-dead-values``, a function of one block, a module with
    ``tt.device`` and ``tt.system_desc``. Guarantees: the same values; every result has a layout that its operation can
    make and its users can take, with shards of whole tiles on a rectangle of cores; a ``ttnn.to_layout`` is between
    operations whose layouts are not compatible. Without analysis every result lies in DRAM, interleaved over all cores,
    unless a user requests otherwise.
    """

    name = "ttnn-optimizer"
    insert_memreconfig: str = ""
    override_output_layout: str = ""
    memory_layout_analysis_enabled: bool = False
    memreconfig_enabled: bool = True
    memory_layout_analysis_policy: str = "DFSharding"
    max_legal_layouts: int = 64

    def __post_init__(self) -> None:
        parse_output_layouts(self.override_output_layout)
        parse_memory_reconfigurations(self.insert_memreconfig)
        if self.memory_layout_analysis_policy not in _WORDS:
            raise ValueError(
                "invalid memory layout analysis policy "
                f"{self.memory_layout_analysis_policy}; it is one of {', '.join(_WORDS)}"
            )
        if self.max_legal_layouts < 0:
            raise ValueError(
                f"max-legal-layouts is a number of layouts in shards, 0 for none, not {self.max_legal_layouts}"
            )

    @property
    def policies(self) -> tuple[Policy | None, ...]:
        """The policies to try, of which the fastest is taken; None stands for no analysis."""
        if not self.memory_layout_analysis_enabled:
            return (None,)
        if self.memory_layout_analysis_policy == FASTEST:
            return (None, *POLICIES)
        return tuple(policy for policy in POLICIES if policy == self.memory_layout_analysis_policy)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        decided = self.decisions(op)
        explanation, chip = EXPLANATION.get(), TargetChip.of(op)
        for function, decisions in decided:
            if explanation is not None and chip is not None:
                explain(function.body.block, chip, decisions, explanation)
            rewrite(function, decisions)
        if ignored := self._ignored([decisions for _, decisions in decided]):
            raise Remarks(ignored)

    def decisions(self, module: ModuleOp) -> list[tuple[FuncOp, Decisions]]:
        """Return the decisions of the pass for every function with a body; nothing is changed. Raises ``NotLegalized``."""
        chip = TargetChip.of(module)
        if chip is None:
            way = "run --ttir-load-system-desc and --ttir-implicit-device before, or the whole --ttir-to-ttnn-backend-pipeline"
            raise NotLegalized(
                [about_module(module, "'builtin.module' op has no tt.device and tt.system_desc", way)]
            )
        functions = [op for op in of_kinds(module, FuncOp) if op.body.blocks]
        if reports := [report for function in functions for report in _not_ready(function)]:
            raise NotLegalized(reports)
        requests = requested(
            module,
            parse_output_layouts(self.override_output_layout),
            parse_memory_reconfigurations(self.insert_memreconfig),
            chip,
        )
        return [(function, self._decide(function, chip, requests)) for function in functions]

    def _decide(self, function: FuncOp, chip: TargetChip, requests: Requests) -> Decisions:
        block = function.body.block
        tried = {policy: self._by_policy(function, chip, requests, policy) for policy in self.policies}
        if len(tried) == 1:
            return next(iter(tried.values()))
        cycles = {policy: estimated_cycles(block, chip, decisions) for policy, decisions in tried.items()}
        best = min(cycles, key=lambda policy: cycles[policy])
        said = ", ".join(f"{policy or 'no analysis'} {count:,}" for policy, count in cycles.items())
        for op in tried[best].chosen:
            tried[best].because(op, f"{FASTEST}: the function is estimated to take, in cycles: {said}")
        return tried[best]

    def _by_policy(
        self, function: FuncOp, chip: TargetChip, requests: Requests, policy: Policy | None
    ) -> Decisions:
        block = function.body.block
        try:
            decisions = decide(
                block,
                chip,
                requests,
                policy,
                most=self.max_legal_layouts,
                reconfigure=self.memreconfig_enabled,
            )
            fit(block, chip, decisions, reconfigure=self.memreconfig_enabled)
        except Refused as problem:
            raise NotLegalized(reports_of([(problem.op or function, problem.refusal)])) from None
        return decisions

    def _ignored(self, decided: list[Decisions]) -> list[Report]:
        """Return warnings about options that have no effect, as in the real optimizer."""
        no_analysis = "memory-layout-analysis-enabled is false"
        reasons = {
            no_analysis: self.policies == (None,),
            "the policy is L1Interleaved": self.policies == ("L1Interleaved",),
        }
        ignored = []
        if self.insert_memreconfig and not any(decisions.edges for decisions in decided):
            reason = _first(
                reasons
                | {
                    "another policy is faster": len(self.policies) > 1,
                    "memreconfig-enabled is false": not self.memreconfig_enabled,
                    "no chain is formed": True,
                }
            )
            ignored.append(without_effect(f"insert-memreconfig={self.insert_memreconfig}", reason))
        if self.max_legal_layouts != type(self).max_legal_layouts and (reason := _first(reasons)):
            ignored.append(without_effect(f"max-legal-layouts={self.max_legal_layouts}", reason))
        default = type(self).memory_layout_analysis_policy
        if self.memory_layout_analysis_policy != default and not self.memory_layout_analysis_enabled:
            asked = f"memory-layout-analysis-policy={self.memory_layout_analysis_policy}"
            ignored.append(without_effect(asked, no_analysis))
        return ignored


def _first(reasons: Mapping[str, bool]) -> str:
    """The first reason that holds; empty if none holds."""
    return next((text for text, holds in reasons.items() if holds), "")


def _not_ready(function: FuncOp) -> list[Report]:
    """Return errors about a function that the pass does not support."""
    if len(function.body.blocks) != 1:
        return [
            about(
                function,
                f"'func.func' op has {len(function.body.blocks)} blocks; the optimizer takes functions of one",
            )
        ]
    late: list[Operation] = [op for op in function.body.block.ops if isinstance(op, TTNNDeallocateOp)]
    if not late:
        return []
    return [
        about(late[0], "'ttnn.deallocate' op is there already: the optimizer runs before --ttnn-deallocate")
    ]


# How many sharded layouts the explanation lists next to the one that a user requests.
_SHOWN = 64


def explain(block: Block, chip: TargetChip, decisions: Decisions, explanation: Explanation) -> None:
    """Record the decisions about the results of a function in the explanation, with their reasons."""
    for op, reasons in decisions.why.items():
        for reason in reasons:
            explanation.because(op.results[0], f"ttnn-optimizer: {reason}")
    for op in block.ops:
        if op in decisions.legal and chosen_result(op) is not None:
            explanation.offered(op.results[0], tuple(candidates(op, chip, decisions)))
    for (op, position), layout in decisions.edges.items():
        reason = f"operand {position} of {op.name} is read in the layout {override_text(layout)}"
        explanation.because(op.operands[position], f"ttnn-optimizer: {reason}")


def candidates(op: Operation, chip: TargetChip, decisions: Decisions) -> Iterator[ExplainedCandidate]:
    """The layouts of a result in the order of the optimizer, each with its cost and the reason against it."""
    model, chosen = CostModel(chip), decisions.chosen[op]
    shape, operands = shape_of(op.results[0]), operands_of(op, decisions)
    # If a user requests the layout, its alternatives are listed, too.
    legal = decisions.legal[op] if op not in decisions.overridden else legal_layouts(op, chip, _SHOWN)
    # A result in the memory of its operand may have a layout that is not one of these.
    for layout in legal if chosen in legal else (chosen, *legal):
        cost = model.of(op, operands, (layout, shape))
        yield ExplainedCandidate(
            override=override_text(layout),
            chosen=layout == chosen,
            cycles=None if cost is None else cost.cycles,
            bound="" if cost is None else cost.bound,
            cores=0 if cost is None else cost.cores,
            l1_bytes=bytes_in_l1(layout, shape, chip),
            against="" if layout == chosen else _against(op, layout, chip, decisions),
        )


def _against(op: Operation, layout: TTNNLayout, chip: TargetChip, decisions: Decisions) -> str:
    """Return the reason against a layout that was not chosen."""
    if op in decisions.overridden:
        return "override-output-layout asks for another"
    if layout.buffer_type is BufferType.DRAM:
        return "its chain stays in L1"
    if op in decisions.unpaid and layout.memory_layout.is_sharded:
        return "the chain is estimated to take fewer cycles with it in DRAM"
    for position, value in enumerate(op.operands):
        operand, original = decisions.operand(op, position), stated_layout(value)
        if operand is None or original is None or value in getattr(op, "inits", ()):
            continue
        if (reason := cannot_take(op, position, operand, layout, original)) is not None:
            return f"does not fit operand {position}: {reason}"
    for use in op.results[0].uses:
        user, position = use.operation, use.index
        if (user, position) in decisions.edges:
            continue
        if (reason := cannot_take(user, position, layout, decisions.now(user), layout)) is not None:
            return f"{user.name}, which uses it, does not support it: {reason}"
    if (usage := decisions.usage.get(op)) is not None and layout in usage:
        return (
            f"uses {usage[layout]:,} cores over the rest of the chain, not more than the one that was chosen"
        )
    if decisions.chosen[op].buffer_type is BufferType.L1:
        return "the policy of the chain needs the other kind"
    return "only results in chains are put into L1"
