"""The decisions about a function, written into its operations."""

from __future__ import annotations

from xdsl.dialects.builtin import FunctionType, TensorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import Rewriter

from tt_model.layouts.layout import TTNNLayout
from tt_model.operations.dialects import build
from tt_model.operations.explanation import EXPLANATION
from tt_model.operations.operation import RowOperation
from tt_model.operations.ttnn import TTNNEmptyOp, TTNNToLayoutOp
from ttmlir.transforms.conversion import (
    data_type_attribute,
    device_in,
    memory_config_attribute,
    page_layout_attribute,
    with_layout,
)
from ttmlir.transforms.optimizer.decisions import Decisions
from ttmlir.transforms.optimizer.schedule import reorder


def rewrite(function: FuncOp, decisions: Decisions) -> None:
    """Give results and operands their layouts, and put operations in their order."""
    block = function.body.block
    if len(decisions.order) > 1:
        reorder(block, decisions.order)
    for op in [op for op in block.ops if op in decisions.chosen]:
        _give(op, decisions.chosen[op])
    device = device_in(block)
    for (op, position), layout in decisions.edges.items():
        _lay_anew(op, position, layout, device)
    end = block.last_op
    if isinstance(end, ReturnOp):
        inputs, outputs = list(function.function_type.inputs), [value.type for value in end.operands]
        function.function_type = FunctionType.from_lists(inputs, outputs)


def _give(op: Operation, layout: TTNNLayout) -> None:
    """Set the layout of a result and of its destination, and the attributes of a change of layout."""
    result = op.results[0]
    type = result.type
    assert isinstance(type, TensorType)
    if isinstance(op, RowOperation) and op.inits:
        start, _ = op.init_bounds
        destination = op.operands[start].owner
        if isinstance(destination, TTNNEmptyOp):
            _retype(destination.results[0], layout)
            _say(destination, layout)
    _retype(result, layout)
    if isinstance(op, TTNNToLayoutOp):
        _say(op, layout)


def _retype(value: SSAValue, layout: TTNNLayout) -> SSAValue:
    type = value.type
    assert isinstance(type, TensorType)
    wanted = with_layout(type, layout)
    if wanted == type:
        return value
    explanation = EXPLANATION.get()
    new = Rewriter.replace_value_with_new_type(value, wanted)
    if explanation is not None and new is not value:
        explanation.became(value, new)
    return new


def _say(op: Operation, layout: TTNNLayout) -> None:
    """Set the attributes in which a destination or a change of layout states its result's layout."""
    op.properties["dtype"] = data_type_attribute(layout)
    op.properties["layout"] = page_layout_attribute(layout)
    op.properties["memory_config"] = memory_config_attribute(layout)


def _lay_anew(op: Operation, position: int, layout: TTNNLayout, device: SSAValue | None) -> None:
    """Give an operand another layout: change the ``ttnn.to_layout`` that has only this use, or insert a new one."""
    value = op.operands[position]
    owner = value.owner
    if isinstance(owner, TTNNToLayoutOp) and value.has_one_use():
        _give(owner, layout)
        return
    type = value.type
    assert isinstance(type, TensorType)
    changed = build(
        "ttnn.to_layout",
        [value, device],
        [with_layout(type, layout)],
        {
            "dtype": data_type_attribute(layout),
            "layout": page_layout_attribute(layout),
            "memory_config": memory_config_attribute(layout),
        },
        location=op.location,
    )
    block: Block | None = op.parent
    assert block is not None
    block.insert_op_before(changed, op)
    op.operands[position] = changed.result
