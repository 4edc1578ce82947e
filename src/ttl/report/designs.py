"""The plan of a tile program in the report of a launch: the designer's expectations beside the measurements."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ttl.design.graph import Load, Loop, items
from ttl.design.notes import label_of, receivers_of
from ttl.design.operation import Design
from ttl.design.plan import DesignPlan, PlannedBuffer
from ttl.report.records import DesignedStream, DesignReport, LaunchReport
from ttl.source.files import display_name


def with_design(report: LaunchReport, design: Design | None) -> LaunchReport:
    """The report with the plan from which the launched operation was generated, or unchanged if there was no plan."""
    if design is None:
        return report
    plan = design.plan
    measured = ""
    if report.unit == "cycles" and report.path is not None:
        difference = round(100 * (report.length - plan.estimate) / max(plan.estimate, 1))
        measured = f"; measured {report.length:,} ({difference:+} %)"
    shown = DesignReport(
        grid=plan.grid,
        sentence=f"{design.summary}{measured}",
        estimate=plan.estimate,
        limited_by=plan.limited_by,
        loops=tuple(label_of(plan, item) for item in items(plan.body) if isinstance(item, Loop)),
        streams=tuple(_stream(buffer, plan, report) for buffer in plan.streams),
        source=design.text,
    )
    return replace(report, design=shown)


def _stream(buffer: PlannedBuffer, plan: DesignPlan, report: LaunchReport) -> DesignedStream:
    span = buffer.item.span
    name = display_name(span.file)
    file = next((number for number, source in enumerate(report.sources) if source.file == name), None)
    uses = () if file is None or report.unit != "cycles" else report.sources[file].lines
    return DesignedStream(
        buffer=buffer.name,
        tensor=buffer.tensor,
        direction="in" if isinstance(buffer.item, Load) else "out",
        kernel="write" if buffer.mover else "read",
        multicast=receivers_of(buffer, plan),
        group=buffer.group,
        movers=tuple(_movers(buffer, plan)),
        block=buffer.shape,
        blocks=buffer.block_count,
        bytes=buffer.nbytes,
        turns=buffer.iterations,
        reasons=tuple(buffer.reasons),
        file=file,
        line=span.line,
        cycles=sum(use.cycles for use in uses if use.line == span.line),
    )


def _movers(buffer: PlannedBuffer, plan: DesignPlan) -> Iterator[int]:
    """The node of each group that reads, chosen as in ``ProgramWriter``; all nodes where there are no groups."""
    columns, rows = plan.grid
    wide, high = buffer.group
    for node in range(columns * rows):
        y, x = divmod(node, columns)
        shift = plan.is_diagonal(buffer)
        first = x % wide == (y % wide if shift and wide > 1 else 0)
        if first and y % high == (x % high if shift and high > 1 else 0):
            yield node
