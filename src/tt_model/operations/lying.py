"""The layouts of a TTNN module's tensors when a program runs, which may differ from those in their types.

An operation that is one step of a change of layout has the type of the whole change, and the library itself chooses the
pages of its results.
"""

from __future__ import annotations

from xdsl.dialects.builtin import TensorType
from xdsl.ir import SSAValue

from tt_model.attributes.ttnn import TTNNLayoutAttr
from tt_model.layouts.elements import tile_of
from tt_model.layouts.enums import BufferType, PageLayout
from tt_model.layouts.layout import TTNNLayout
from tt_model.operations.operation import RowOperation, TTNNOperation
from tt_model.operations.ttnn import (
    TTNNEmptyOp,
    TTNNFromDeviceOp,
    TTNNToDeviceOp,
    TTNNToLayoutOp,
    TTNNToMemoryConfigOp,
    TTNNTypecastOp,
)


def stated_layout(value: SSAValue) -> TTNNLayout | None:
    """The layout in the type of a tensor, or None."""
    encoding = value.type.encoding if isinstance(value.type, TensorType) else None
    return encoding.data if isinstance(encoding, TTNNLayoutAttr) else None


def layout_when_run(
    value: SSAValue, known: dict[SSAValue, TTNNLayout | None] | None = None
) -> TTNNLayout | None:
    """Return the layout that a tensor has after the operation that produces it has run; None if its type has no layout.

    ``known`` keeps the answers for a caller that asks about many tensors; their operations must not change meanwhile.
    """
    known = {} if known is None else known
    waiting: list[tuple[SSAValue, TTNNOperation, TTNNLayout]] = []
    while value not in known:
        stated, op = stated_layout(value), value.owner
        if stated is None or not isinstance(op, TTNNOperation):
            known[value] = stated
        elif isinstance(op, TTNNEmptyOp) and op.device is None:
            known[value] = stated.with_buffer_type(BufferType.SystemMemory)
        elif op.operands and _follows_its_operand(op, stated):
            waiting.append((value, op, stated))
            value = op.operands[0]
        else:
            known[value] = _when_run(op, stated, None)
    layout = known[value]
    for value, op, stated in reversed(waiting):
        layout = known[value] = _when_run(op, stated, layout)
    return layout


def _follows_its_operand(op: TTNNOperation, stated: TTNNLayout) -> bool:
    """Whether the layout of the result depends on that of the first operand."""
    tiled = stated.is_tiled
    return (
        op.ROW.moves
        or op.ROW.keeps_place
        or op.result_is_tiled(stated=tiled, operand=True) != op.result_is_tiled(stated=tiled, operand=False)
    )


def _when_run(op: TTNNOperation, stated: TTNNLayout, source: TTNNLayout | None) -> TTNNLayout:
    """Return the layout, at run time, of an operation's result. ``source`` is that of its first operand, if known."""
    if op.ROW.moves:
        return stated if source is None else _moved(op, stated, source)
    if source is not None and op.ROW.keeps_place:
        stated = stated.with_buffer_type(source.buffer_type)
    operand = stated.is_tiled if source is None else source.is_tiled
    tiled = op.result_is_tiled(stated=stated.is_tiled, operand=operand)
    return stated.tiled() if tiled else stated.row_major()


def _moved(op: RowOperation, stated: TTNNLayout, source: TTNNLayout) -> TTNNLayout:
    """The layout after one step of a change, which performs only its own part of the change that its type states."""
    match op:
        case TTNNToDeviceOp() | TTNNToMemoryConfigOp():
            return stated.with_element(source.element)
        case TTNNFromDeviceOp():
            return stated.with_element(source.element).with_buffer_type(BufferType.SystemMemory)
        case TTNNTypecastOp():
            element = tile_of(stated.scalar_type) if source.is_tiled else stated.scalar_type
            return source.with_element(element)
        case TTNNToLayoutOp() if op.dtype is None and op.memory_config is None:
            tiled = op.layout is PageLayout.Tile
            return source.with_element(tile_of(source.scalar_type) if tiled else source.scalar_type)
    return stated
