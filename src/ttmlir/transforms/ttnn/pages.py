"""Conversion of ``ttir.to_layout`` to TTNN: to the host in the requested layout, to the device in the pages that its users read."""

from __future__ import annotations

from xdsl.dialects.func import ReturnOp
from xdsl.ir import Operation, Use

from tt_model.layouts.layout import TTNNLayout
from tt_model.operations.operation import RowOperation, TTIROperation
from tt_model.operations.row import Row
from tt_model.operations.shared import TTNNReshapeOp
from tt_model.operations.tensors import tensor_type_of
from tt_model.operations.ttir import TTIRSqueezeOp, TTIRToLayoutOp, TTIRUnsqueezeOp
from tt_model.operations.ttnn import TTNN, TTNNEmptyOp
from ttmlir.transforms.conversion import (
    Conversion,
    data_type_attribute,
    layout_of,
    memory_config_attribute,
    page_layout_attribute,
    with_layout,
)


def to_layout(op: TTIRToLayoutOp, conversion: Conversion) -> None:
    """Convert a change of layout, without its destination.

    A tensor on the host gets the requested layout, one on the device tiles unless its users read rows.
    """
    source = conversion.whole(op.input)
    type = tensor_type_of(op.result)
    layout = layout_of(type)
    reason = None
    if not layout.buffer_type.is_host:
        layout, reason = _forced(op, layout)
        type = with_layout(type, layout)
    on_device = not layout.buffer_type.is_host
    new = conversion.make(
        "ttnn.to_layout",
        [source, conversion.device() if on_device else None],
        [type],
        {
            "dtype": data_type_attribute(layout),
            "layout": page_layout_attribute(layout),
            "memory_config": memory_config_attribute(layout),
        },
    )
    conversion.become([op.result], [new.result])
    if reason is not None:
        conversion.because(new.result, reason)
    _drop_destination(op, conversion)


def _forced(op: TTIRToLayoutOp, layout: TTNNLayout) -> tuple[TTNNLayout, str]:
    """Return the layout of a change's result on the device, and the reason."""
    for use in op.result.uses:
        if _reads_rows(use) and not _comes_to_tiles(use.operation):
            return layout.row_major(), f"rows, because {use.operation.name} reads it, which needs rows"
    reason = (
        "tiles, because no user needs rows (ttir.conv2d, ttir.max_pool2d, ttir.embedding do, and ttir.slice before none that "
        "takes tiles)"
    )
    return layout.tiled(), reason


def _comes_to_tiles(op: Operation) -> bool:
    """Whether an operation keeps rows as rows, and an operation behind it takes tiles only."""
    if not _keeps_pages(op):
        return False
    waiting, seen = [op], {op}
    while waiting:
        for use in [use for result in waiting.pop().results for use in result.uses]:
            user = use.operation
            if _keeps_pages(user):
                if user not in seen:
                    seen.add(user)
                    waiting.append(user)
            elif not _reads_rows(use) and not _is_left(user):
                return True
    return False


def _becomes(op: Operation) -> Row | None:
    """The row of the TTNN operation that a TTIR operation becomes; None if it does not become a single one."""
    if isinstance(op, TTIRSqueezeOp | TTIRUnsqueezeOp):
        return TTNNReshapeOp.ROW
    return TTNN.by_name.get(f"ttnn.{op.ROW.mnemonic}") if isinstance(op, TTIROperation) else None


def _keeps_pages(op: Operation) -> bool:
    """Whether the result has the pages of the single operand, so that rows stay rows for later operations."""
    row = _becomes(op)
    return (
        row is not None and not row.moves and row.pages == "of its operand" and row.operands[0].arity == "one"
    )


def _reads_rows(use: Use) -> bool:
    """Whether the library prefers rows for this use of a tensor."""
    op, row = use.operation, _becomes(use.operation)
    return (
        isinstance(op, RowOperation)
        and row is not None
        and any(
            group.takes is not None
            and group.takes.prefers_rows
            and op.operands[use.index] in op.operands_of(group)
            for group in row.operands
        )
    )


def _is_left(user: Operation) -> bool:
    """Whether a user takes a tensor from the device."""
    if not isinstance(user, TTIRToLayoutOp):
        return isinstance(user, ReturnOp)
    return layout_of(tensor_type_of(user.results[0])).buffer_type.is_host


def _drop_destination(op: TTIRToLayoutOp, conversion: Conversion) -> None:
    """Remove the ``ttnn.empty`` of a destination that only this operation uses."""
    (old,) = op.inits
    new = conversion.use(old)
    empty = new.owner
    if isinstance(empty, TTNNEmptyOp) and old.has_one_use():
        conversion.block.erase_op(empty, safe_erase=False)
