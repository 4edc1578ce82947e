"""``ttnn-decompose-layouts``: every ``ttnn.to_layout`` becomes a sequence of steps of the runtime.

Expects: TTNN after ``convert-ttir-to-ttnn``. Guarantees: a ``ttnn.to_layout`` changes the page layout only; the other
changes are operations of their own. The table of ``layout_steps`` has the steps and their order. Every step has the
location and the result type of the whole change; if nothing has to change, the users get the operand instead, and
results whose type follows their operand get its type, too. In the end the library takes every operand
(``operand_layouts``).
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import FunctionType, ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from tt_model.operations.explanation import EXPLANATION, Explanation
from tt_model.operations.tensors import tensor_type_of
from tt_model.operations.ttnn import TTNNClampOp, TTNNToLayoutOp, has_steps
from ttl.analysis.dominance import of_kinds
from ttl.ir.failure import NotLegalized
from ttl.ir.refusals import Refusal, Refused, reports_of
from ttmlir.transforms.conversion import device_in, layout_of
from ttmlir.transforms.layout_steps import LayoutChange, LayoutSide, LayoutStep
from ttmlir.transforms.operand_layouts import OperandLayouts, step_operation


@dataclass(frozen=True)
class TTNNDecomposeLayouts(ModulePass):
    """Split every ``ttnn.to_layout`` into steps of the runtime."""

    name = "ttnn-decompose-layouts"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        changes = of_kinds(op, TTNNToLayoutOp)
        refused: list[tuple[Operation, Refusal]] = []
        plans: list[tuple[TTNNToLayoutOp, list[LayoutStep], SSAValue | None]] = []
        devices: dict[Block, SSAValue | None] = {}
        for change in changes:
            try:
                plans.append(_plan(change, devices))
            except Refused as problem:
                refused.append((change, problem.refusal))
        if refused:
            raise NotLegalized(reports_of(refused))
        explanation = EXPLANATION.get()
        for change, steps, device in plans:
            _replace(change, steps, device, explanation)
        _make_operands_legal(op)


def _make_operands_legal(module: ModuleOp) -> None:
    for function in module.walk():
        if isinstance(function, FuncOp):
            for block in function.body.blocks:
                OperandLayouts(block).make_legal()


def in_steps(ctx: Context, module: ModuleOp) -> ModuleOp:
    """Return the module itself if every ``ttnn.to_layout`` is one step, else a decomposed copy.

    Raises ``NotLegalized`` if the module cannot be decomposed.
    """
    if not has_steps(module):
        return module
    copy = module.clone()
    TTNNDecomposeLayouts().apply(ctx, copy)
    return copy


def _plan(
    op: TTNNToLayoutOp, devices: dict[Block, SSAValue | None]
) -> tuple[TTNNToLayoutOp, list[LayoutStep], SSAValue | None]:
    steps = change_of(op).steps()
    device = op.device
    if device is None and (LayoutStep.TO_DEVICE in steps or LayoutStep.TO_DEVICE_AS_IT_IS in steps):
        block = op.parent
        assert block is not None
        if block not in devices:
            devices[block] = device_in(block)
        device = devices[block]
        if device is None:
            raise Refused(
                "its result is on the device, but neither the operation nor its block names a device",
                "what works: a ttnn.get_device in the block, as convert-ttir-to-ttnn makes it",
            )
    return op, steps, device


def change_of(op: TTNNToLayoutOp) -> LayoutChange:
    """Return the change that a ``ttnn.to_layout`` makes. Raises ``Refused`` if a tensor has no layout."""
    source, target = layout_of(op.input.type), layout_of(op.result.type)
    return LayoutChange(LayoutSide.of(source), LayoutSide.of(target))


def _replace(
    op: TTNNToLayoutOp, steps: list[LayoutStep], device: SSAValue | None, explanation: Explanation | None
) -> None:
    source = op.input
    value = source
    new: list[Operation] = []
    for step in steps:
        step_op = step_operation(step, value, tensor_type_of(op.result), device, op.location)
        value = step_op.result
        new.append(step_op)
        if explanation is not None:
            explanation.became(op.result, value)
            explanation.because(value, f"ttnn-decompose-layouts: {_reason(step, steps, op)}")
    block = op.parent
    assert block is not None
    block.insert_ops_before(new, op)
    if explanation is not None and not steps:
        explanation.became(op.result, value)
        explanation.because(value, "ttnn-decompose-layouts: a to_layout without effect was removed")
    if value.type == op.result.type:
        op.result.replace_all_uses_with(value)
    else:  # layouts that differ only in the grid of an interleaved tensor, which the runtime ignores
        _replace_with_another_type(op.result, value, explanation)
    block.erase_op(op)


def _replace_with_another_type(old: SSAValue, new: SSAValue, explanation: Explanation | None) -> None:
    """Replace a value by one of another type; results of users that have the type of their operand get it, too."""
    users = [use.operation for use in old.uses]
    old.replace_all_uses_with(new)
    for user in users:
        if isinstance(user, ReturnOp):
            function = user.parent_op()
            assert isinstance(function, FuncOp)
            outputs = [value.type for value in user.operands]
            function.function_type = FunctionType.from_lists(list(function.function_type.inputs), outputs)
        elif isinstance(user, TTNNClampOp) and user.results[0].type != new.type:
            result = user.results[0]
            retyped = Rewriter.replace_value_with_new_type(result, new.type)
            if explanation is not None and retyped is not result:
                explanation.became(result, retyped)
            _replace_with_another_type(retyped, retyped, explanation)


_REASONS = {
    LayoutStep.TO_DEVICE: "to_device, because the result is on the device",
    LayoutStep.TO_DEVICE_AS_IT_IS: "to_device, back from the host",
    LayoutStep.TYPECAST: "typecast, because the data type changes",
    LayoutStep.TO_MEMORY_CONFIG: "to_memory_config, because its place or its division on the device changes",
}


def _reason(step: LayoutStep, steps: list[LayoutStep], op: TTNNToLayoutOp) -> str:
    change = change_of(op)
    if step is LayoutStep.FROM_DEVICE:
        if change.target.is_host:
            return "from_device, because the result is on the host"
        return f"from_device, because the device cannot convert it from {_pages(change.source)} to {_pages(change.target)}"
    if step is LayoutStep.TO_LAYOUT:
        where = "on the device" if _on_device(step, steps, change) else "on the host"
        return f"to_layout {where}, to convert it to {_pages(change.target)}"
    return _REASONS[step]


def _on_device(step: LayoutStep, steps: list[LayoutStep], change: LayoutChange) -> bool:
    on_device = not change.source.is_host
    for done in steps[: steps.index(step)]:
        if done in (LayoutStep.TO_DEVICE, LayoutStep.TO_DEVICE_AS_IT_IS):
            on_device = True
        elif done is LayoutStep.FROM_DEVICE:
            on_device = False
    return on_device


def _pages(side: LayoutSide) -> str:
    return f"{'tiles' if side.is_tiled else 'rows'} of {side.data_type.keyword}"
