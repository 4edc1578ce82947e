"""What ``--explain`` says of a function that was optimized: of every result its candidates, their costs, and what decided."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Block, Operation

from ttmlir.layouts.enums import BufferType
from ttmlir.layouts.layout import TTNNLayout
from ttmlir.operations.explanation import ExplainedCandidate, Explanation
from ttmlir.operations.lying import stated_layout
from ttmlir.operations.tensors import shape_of
from ttmlir.transforms.optimizer.chip import TargetChip
from ttmlir.transforms.optimizer.cost import CostModel
from ttmlir.transforms.optimizer.decisions import Decisions
from ttmlir.transforms.optimizer.l1 import bytes_in_l1, operands_of
from ttmlir.transforms.optimizer.legality import cannot_take, chosen_result, legal_layouts
from ttmlir.transforms.optimizer.requests import override_text

# How many layouts in shards are said beside one that a user wants.
_SHOWN = 64


def explain(block: Block, chip: TargetChip, decisions: Decisions, explanation: Explanation) -> None:
    """Say what was decided about the results of a function, and why."""
    for op, reasons in decisions.why.items():
        for reason in reasons:
            explanation.because(op.results[0], f"ttnn-optimizer: {reason}")
    for op in block.ops:
        if op in decisions.legal and chosen_result(op) is not None:
            explanation.offered(op.results[0], tuple(candidates(op, chip, decisions)))
    for (op, position), layout in decisions.edges.items():
        reason = f"operand {position} of {op.name} gets it as {override_text(layout)}"
        explanation.because(op.operands[position], f"ttnn-optimizer: {reason}")


def candidates(op: Operation, chip: TargetChip, decisions: Decisions) -> Iterator[ExplainedCandidate]:
    """The layouts of a result in the order of the optimizer, each with its cost and what speaks against it."""
    model, chosen = CostModel(chip), decisions.chosen[op]
    shape, operands = shape_of(op.results[0]), operands_of(op, decisions)
    # Beside what a user wants there is what else may be wanted.
    legal = decisions.legal[op] if op not in decisions.overridden else legal_layouts(op, chip, _SHOWN)
    # A result that lies where its operand lies may have got a layout that is none of these.
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
    """What spoke against a layout that was not chosen."""
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
            return f"operand {position} does not go with it: {reason}"
    for use in op.results[0].uses:
        user, position = use.operation, use.index
        if (user, position) in decisions.edges:
            continue
        if (reason := cannot_take(user, position, layout, decisions.now(user), layout)) is not None:
            return f"{user.name}, which uses it, does not take it: {reason}"
    if (usage := decisions.usage.get(op)) is not None and layout in usage:
        return (
            f"uses {usage[layout]:,} cores over the rest of the chain, not more than the one that was chosen"
        )
    if decisions.chosen[op].buffer_type is BufferType.L1:
        return "the policy of the chain wants the other kind"
    return "only results in chains are in L1"
