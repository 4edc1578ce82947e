"""Changes of layout in front of TTNN operations whose operands the library may otherwise refuse.

The class of an operation says which operands it takes (``tt_model.operations.takes``), and
``tt_model.operations.lying`` how tensors lie. These changes are the last part of ``ttnn-decompose-layouts``, when all
changes of layout in a program are steps of the runtime.
"""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import LocationAttr, TensorType
from xdsl.ir import Block, Operation, SSAValue

from tt_model.layouts.enums import BufferType, TensorMemoryLayout
from tt_model.layouts.layout import TTNNLayout
from tt_model.operations.dialects import build
from tt_model.operations.explanation import EXPLANATION
from tt_model.operations.lying import layout_when_run
from tt_model.operations.operation import RowOperation, TTNNOperation
from tt_model.operations.stages import Stage, on
from tt_model.operations.takes import OperandRequirement, ends_within_a_tile
from tt_model.operations.tensors import shape_of, tensor_type_of
from tt_model.operations.ttnn import TTNNAllGatherOp, TTNNEmptyOp, TTNNReduceScatterOp
from ttl.ir.failure import NotLegalized
from ttl.ir.refusals import Refusal, Refused, reports_of
from ttmlir.transforms.conversion import (
    data_type_attribute,
    device_in,
    layout_of,
    memory_config_attribute,
    page_layout_attribute,
    with_layout,
)
from ttmlir.transforms.layout_steps import LayoutChange, LayoutSide, LayoutStep

# The dimension along which chips exchange parts of a tensor, and the extent of a part along it.
_PARTS = Stage(
    on(TTNNAllGatherOp, lambda op: (op.dim, shape_of(op.input)[op.dim])),
    on(TTNNReduceScatterOp, lambda op: (op.scatter_split_dim, shape_of(op.result)[op.scatter_split_dim])),
)


def step_operation(
    step: LayoutStep,
    value: SSAValue,
    type: TensorType[Any],
    device: SSAValue | None,
    location: LocationAttr,
) -> RowOperation:
    """Build one step of changing a tensor to the type ``type``, which every step has as its result type."""
    target = layout_of(type)
    operands: list[Any] = [value]
    attributes: dict[str, Any] = {}
    match step:
        case LayoutStep.TO_DEVICE:
            name = "ttnn.to_device"
            operands.append(device)
            attributes["memory_config"] = memory_config_attribute(target)
        case LayoutStep.TO_DEVICE_AS_IT_IS:
            name = "ttnn.to_device"
            operands.append(device)
        case LayoutStep.FROM_DEVICE:
            name = "ttnn.from_device"
        case LayoutStep.TO_LAYOUT:
            name = "ttnn.to_layout"
            operands.append(None)
            attributes["layout"] = page_layout_attribute(target)
        case LayoutStep.TYPECAST:
            name = "ttnn.typecast"
            attributes["dtype"] = data_type_attribute(target)
        case LayoutStep.TO_MEMORY_CONFIG:
            name = "ttnn.to_memory_config"
            attributes["memory_config"] = memory_config_attribute(target)
    return build(name, operands, [type], attributes, location=location)


class OperandLayouts:
    """Makes the operands in a block legal. A change of a tensor that several operations need is made once."""

    def __init__(self, block: Block) -> None:
        self._block = block
        self._changed: dict[tuple[SSAValue, TTNNLayout], SSAValue] = {}
        # The layouts of the results of operations whose own operands are legal.
        self._lying: dict[SSAValue, TTNNLayout | None] = {}
        self._explanation = EXPLANATION.get()

    def make_legal(self) -> None:
        """Change the layouts that the library refuses.

        Raises ``NotLegalized`` if that needs a device and the block has no device.
        """
        refused: list[tuple[Operation, Refusal]] = []
        for op in list(self._block.ops):
            if isinstance(op, TTNNOperation) and (op.ROW.keeps_place or not op.ROW.moves):
                try:
                    self._make_operands_legal(op)
                except Refused as problem:
                    refused.append((op, problem.refusal))
        if refused:
            raise NotLegalized(reports_of(refused))

    def _make_operands_legal(self, op: TTNNOperation) -> None:
        for group in op.ROW.operands:
            if group.takes is not None:
                place = op.STRUCTURE.bounds(op, op.ROW.group_index[group.name])
                self._make_group_legal(op, group.takes, *place)

    def _make_group_legal(self, op: RowOperation, takes: OperandRequirement, start: int, end: int) -> None:
        layouts = [layout_when_run(value, self._lying) for value in op.operands[start:end]]
        mixed = takes.pages == "alike" and len({one.is_tiled for one in layouts if one is not None}) > 1
        for position, layout in enumerate(layouts, start):
            if layout is not None:
                wanted = _wanted(op, takes, op.operands[position], layout)
                wanted = wanted.tiled() if mixed else wanted
                if wanted != layout:
                    value = op.operands[position]
                    op.operands[position] = self._change(op, value, layout, wanted)
                    if isinstance(value.owner, TTNNEmptyOp) and value.first_use is None:
                        self._block.erase_op(value.owner)

    def _change(self, op: RowOperation, value: SSAValue, layout: TTNNLayout, wanted: TTNNLayout) -> SSAValue:
        known = self._changed.get((value, wanted))
        if known is not None:
            return known
        type = with_layout(tensor_type_of(value), wanted)
        if isinstance(value.owner, TTNNEmptyOp):
            self._changed[value, wanted] = self._zeros(value.owner, type, op)
            return self._changed[value, wanted]
        steps = LayoutChange(LayoutSide.of(layout), LayoutSide.of(wanted)).steps()
        device = device_in(self._block)
        if device is None and not wanted.buffer_type.is_host:
            raise Refused(
                f"{op.name} takes tensors of the device, and its operand {value.type} is on the host",
                "what works: a ttnn.get_device in the block, as convert-ttir-to-ttnn makes it",
            )
        changed = value
        for step in steps:
            new = step_operation(step, changed, type, device, op.location)
            self._block.insert_op_before(new, op)
            changed = new.result
            if self._explanation is not None:
                if wanted.buffer_type.is_host:
                    where = "on the host"
                elif step is LayoutStep.TO_MEMORY_CONFIG:
                    where = "interleaved"
                else:
                    where = "in tiles" if wanted.is_tiled else "in rows"
                self._explanation.because(
                    changed, f"ttnn-decompose-layouts: {step}, because {op.name} takes it {where}"
                )
        self._changed[value, wanted] = changed
        return changed

    def _zeros(self, owner: TTNNEmptyOp, type: TensorType[Any], user: RowOperation) -> SSAValue:
        """Build a ``ttnn.empty`` like ``owner`` with another layout, as zeros for ``user``."""
        layout = layout_of(type)
        own = {
            "dtype": data_type_attribute(layout),
            "layout": page_layout_attribute(layout),
            "memory_config": memory_config_attribute(layout),
        }
        zeros = build(
            "ttnn.empty",
            [device_in(self._block)],
            [type],
            {**owner.properties, **own},
            location=owner.location,
        )
        self._block.insert_op_before(zeros, owner)
        if self._explanation is not None:
            self._explanation.because(zeros.result, f"ttnn-decompose-layouts: zeros that {user.name} takes")
        return zeros.result


def _wanted(op: RowOperation, takes: OperandRequirement, value: SSAValue, layout: TTNNLayout) -> TTNNLayout:
    """Return the layout that an operation takes and that is closest to the operand's current ``layout``."""
    on_device = not layout.buffer_type.is_host
    if not takes.memory_of(on_device):
        on_device = not on_device
        memory = (
            (BufferType.DRAM, TensorMemoryLayout.Interleaved)
            if on_device
            else (BufferType.SystemMemory, TensorMemoryLayout.None_)
        )
        layout = TTNNLayout.make(
            shape_of(value),
            layout.element if on_device else layout.scalar_type,
            memory[0],
            (1,) * layout.grid.rank,
            memory[1],
        )
    if not takes.pages_of(on_device, layout.is_tiled):
        layout = layout.tiled()
    if layout.buffer_type is BufferType.L1 and not takes.layout_of(layout.memory_layout):
        layout = TTNNLayout.make(
            shape_of(value),
            layout.element,
            BufferType.L1,
            (1,) * layout.grid.rank,
            TensorMemoryLayout.Interleaved,
        )
    parts = _PARTS.of(type(op))
    if parts is not None and ends_within_a_tile(len(shape_of(value)), *parts(op)):
        layout = layout.row_major()
    return layout
