"""Conditions on regions, and on where an operation stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ttmlir.operations.operation import RowOperation
    from ttmlir.operations.row import Check


# Work on a grid of cores.


def _region_takes_the_operands(op: RowOperation) -> str | None:
    arguments = len(op.regions[0].blocks[0].args) if op.regions[0].blocks else 0
    operands = len(op.group("inputs")) + len(op.group("outputs"))
    if arguments == operands:
        return None
    return (
        "The number of input and output operands and region/block arguments must match: "
        f"{operands} operands, {arguments} arguments"
    )


def _streams_exist(op: RowOperation) -> str | None:
    count = len(op.group("cbs"))
    for index in op.integers("operand_cb_mapping"):
        if not -1 <= index < count:
            return f"CB index out of bounds: {index} of {count}"
    return None


GENERIC: tuple[Check, ...] = (_region_takes_the_operands, _streams_exist)
