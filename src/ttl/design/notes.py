"""A design line by line: for each line of the author's program a short and a long description."""

from __future__ import annotations

from dataclasses import dataclass

from ttl.design.graph import Item, Load, Loop, Store, items
from ttl.design.operation import Design
from ttl.design.plan import DesignPlan, PlannedBuffer
from ttl.design.text import explained
from ttl.diag.words import counted
from ttl.source.spans import Span

# The most buffers that a note names; a line of an unrolled loop may have many.
_MOST = 2


@dataclass(frozen=True, slots=True)
class DesignNote:
    """A description of the design: ``label`` is about the line of ``span``, ``why`` says more."""

    span: Span
    label: str
    why: str


def notes(design: Design) -> list[DesignNote]:
    """Return a note for each line with a part in the design: the definition, loops, loads and stores."""
    plan = design.plan
    labels: dict[tuple[str, int], tuple[Span, dict[str, None]]] = {}
    for item in items(plan.body):
        label = label_of(plan, item)
        if label:
            place = item.span.file, item.span.line
            labels.setdefault(place, (item.span, {}))[1][label] = None
    definition = plan.graph.span
    return [
        DesignNote(definition, design.summary, "designed: ttl design shows the explicit operation"),
        *(
            DesignNote(span, _joined(list(several)), "\n".join(explained(plan, span.line)))
            for span, several in labels.values()
        ),
    ]


def _joined(labels: list[str]) -> str:
    shown = "; ".join(labels[:_MOST])
    return shown if len(labels) <= _MOST else f"{shown}; and {counted(len(labels) - _MOST, 'other')}"


def label_of(plan: DesignPlan, item: Item) -> str:
    """Describe the design of a load, store or loop in a few words; empty for other items."""
    match item:
        case Load() | Store():
            buffer = plan.buffers[item]
            shape = ", ".join(map(str, buffer.shape)) + ("," if len(buffer.shape) == 1 else "")
            to = receivers_of(buffer, plan)
            way, kernel = f", multicast {to}" if to else "", "write" if buffer.mover else "read"
            return f"{buffer.name} {buffer.block_count} x ({shape}){way}, {kernel}"
        case Loop():
            share = plan.share_of(item)
            step = "" if item.step == item.units == 1 else f" of {counted(item.step, 'tile')}"
            if share is None:
                return f"{item.name}: {counted(item.count, 'iteration')}{step}"
            others = [loop.name for loop in share.loops if loop is not item]
            having = f"{', '.join([item.name, *others])}: {counted(share.nodes, 'node')}"
            return f"{having}, {'' if share.even else 'up to '}{counted(share.iterations, 'block')}{step}"
    return ""


def receivers_of(buffer: PlannedBuffer, plan: DesignPlan) -> str:
    """Return the nodes to which a reading node multicasts, as ``along rows``; empty where each node reads its own blocks."""
    wide, high = buffer.group
    if buffer.group == (1, 1):
        return ""
    if buffer.group == plan.grid:
        return "to all"
    if (wide, 1) == (plan.grid[0], high):
        return "along rows"
    return "along columns" if (1, high) == (wide, plan.grid[1]) else f"to {wide} x {high} nodes"
