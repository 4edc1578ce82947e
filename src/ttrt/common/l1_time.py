"""L1 over time: the use of the fullest core while each operation of a binary runs, and a picture of it.

Tensors are live from the operation that writes them to their ``DeallocateOp``. A result takes memory in addition to the
destination that was allocated for it. Circular buffers are those of the cost model (``tt_model.cost``).
"""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tt_model.binaries.estimate import Estimate
from tt_model.layouts.banks import bytes_of_bank
from tt_model.layouts.enums import BufferType
from tt_model.layouts.system_desc import ChipDesc
from tt_model.layouts.values import volume
from tt_model.operations.shared import TTNNReshapeOp
from tt_model.operations.ttnn import TTNNDeallocateOp, TTNNGetDeviceOp
from tt_model.runtime.operands import first_read
from tt_model.runtime.steps import is_of
from tt_model.runtime.tensors import TensorDescription, description_of

_HEIGHT, _TOP = 180, 14
_WIDEST, _NARROWEST = 24.0, 0.5
_WIDTH = 1100
_COLORS = {"tensors": "#3b7dd8", "copies": "#9cc0f0", "buffers": "#d8743b"}


@dataclass(frozen=True, kw_only=True, slots=True)
class L1Step:
    """The bytes of L1 in use on the fullest core while an operation runs.

    They are tensors by their numbers, second copies of results, and circular buffers.
    """

    index: int
    operation: str
    location: str
    tensors: Mapping[int, int]
    copies: int
    buffers: int

    @property
    def used(self) -> int:
        """The bytes of tensors, copies and circular buffers together."""
        return sum(self.tensors.values()) + self.copies + self.buffers

    def as_dict(self) -> dict[str, Any]:
        """Return the step as an object for a page or another program."""
        return {
            "index": self.index,
            "operation": self.operation,
            "location": self.location,
            "tensors": {str(number): size for number, size in self.tensors.items()},
            "copies": self.copies,
            "buffers": self.buffers,
            "used": self.used,
        }


def l1_over_time(program: Mapping[str, Any], chip: ChipDesc, estimated: Sequence[Estimate]) -> list[L1Step]:
    """The use of L1 at every operation of a program that has an estimate."""
    costs = {one.index: one for one in estimated}
    alive: dict[int, int] = {}
    views: dict[int, int] = {}
    steps: list[L1Step] = []
    for index, operation in enumerate(program.get("operations", [])):
        fields = operation.get("type", {})
        if is_of(operation, TTNNDeallocateOp):
            number = first_read(fields)
            source = views.pop(number, number)
            if source not in views.values():
                alive.pop(source, None)
            continue
        if is_of(operation, TTNNGetDeviceOp) or "out" not in fields:
            continue
        out = description_of(fields["out"])
        copies = 0
        if is_of(operation, TTNNReshapeOp):
            first = first_read(fields)
            views[out.id] = views.get(first, first)
            views.setdefault(first, first)
        elif size := _bytes(out, chip):
            copies = size if out.id in alive else 0
            alive[out.id] = size
        if index in costs:
            steps.append(
                L1Step(
                    index=index,
                    operation=costs[index].operation,
                    location=costs[index].location,
                    tensors=dict(alive),
                    copies=copies,
                    buffers=costs[index].buffers,
                )
            )
    return steps


def _bytes(tensor: TensorDescription, chip: ChipDesc) -> int:
    if tensor.config is None or tensor.config.buffer_type is not BufferType.L1:
        return 0
    return bytes_of_bank(
        tensor.shape,
        tensor.data_type,
        tensor.tiled,
        tensor.config,
        banks=volume(chip.grid),
        alignment=chip.noc_l1_address_align_bytes,
    )


def picture(name: str, steps: Sequence[L1Step], capacity: int) -> str:
    """A bar for each operation, as SVG: tensors, copies, circular buffers; the line is the capacity of a core."""
    if not steps:
        return ""
    top = max(capacity, *(step.used for step in steps))
    width = max(_NARROWEST, min(_WIDEST, _WIDTH / len(steps)))
    bars = "".join(_bar(step, place * width, width, top) for place, step in enumerate(steps))
    most = max(steps, key=lambda step: step.used)
    line = _TOP + _HEIGHT * (1 - capacity / top)
    key = "".join(f'<span style="background:{color}"></span>{what}' for what, color in _COLORS.items())
    return (
        f"<h2>L1 over time: {html.escape(name)}</h2>"
        f'<p class="note">The fullest core, operation by operation; at most {most.used:,} of {capacity:,} bytes, at '
        f'{html.escape(most.operation)}.</p><p class="key">{key}</p>'
        f'<svg class="l1" role="img" aria-label="L1 over time" width="{width * len(steps):.0f}" height="{_HEIGHT + _TOP + 2}">{bars}'
        f'<line x1="0" x2="{width * len(steps):.1f}" y1="{line:.1f}" y2="{line:.1f}" stroke="#c33" stroke-dasharray="4 3"/></svg>'
    )


def _bar(step: L1Step, left: float, width: float, top: int) -> str:
    parts = {"tensors": sum(step.tensors.values()), "copies": step.copies, "buffers": step.buffers}
    said = ", ".join(f"{size:,} of {what}" for what, size in parts.items() if size) or "nothing in L1"
    rectangles, below = "", _TOP + float(_HEIGHT)
    for what, size in parts.items():
        height = _HEIGHT * size / top
        below -= height
        if size:
            rectangles += (
                f'<rect x="{left:.1f}" y="{below:.1f}" width="{max(width - 1, _NARROWEST):.1f}" height="{height:.1f}" '
                f'fill="{_COLORS[what]}"/>'
            )
    title = f"{step.index} {step.operation} {step.location}: {said}"
    return f"<g><title>{html.escape(title)}</title>{rectangles}</g>"
