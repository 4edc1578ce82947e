"""The floor plan of a chip, with the nodes of a launch in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ttl.arch import Chip
from ttl.report.records import CellKind, ChipCell, ChipPlan


def plan_of(chip: Chip, nodes: Mapping[tuple[int, int], int]) -> ChipPlan:
    """The routers of a chip; ``nodes`` maps columns and rows of the compute grid to positions of the launch's nodes."""
    plan, (columns, rows) = chip.floorplan, chip.noc.torus
    kinds: dict[tuple[int, int], CellKind] = {}
    of_kind: tuple[tuple[CellKind, Sequence[tuple[int, int]]], ...] = (
        ("worker", [(x, y) for x in plan.columns for y in plan.rows]),
        ("dram", plan.dram),
        ("ethernet", plan.ethernet),
        ("arc", plan.arc),
        ("pcie", plan.pcie),
    )
    for kind, places in of_kind:
        kinds.update(dict.fromkeys(places, kind))
    at = {plan.node(*core): node for core, node in nodes.items()}
    banks = {place: bank for bank, place in enumerate(plan.banks_of_noc_1)}
    banks |= {place: bank for bank, place in enumerate(plan.banks)}
    return ChipPlan(
        name=chip.name,
        title=chip.title,
        clock_hz=chip.clock_hz,
        columns=columns,
        rows=rows,
        cells=tuple(
            ChipCell(x=x, y=y, kind=kinds.get((x, y), "other"), node=at.get((x, y)), bank=banks.get((x, y)))
            for y in range(rows)
            for x in range(columns)
        ),
    )
