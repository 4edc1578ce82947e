"""Why the other side of the split misses: its costs with one changed at a time, and which rows that moves by how much.

A cost that no family of that side shows kept its old number. Set to what the side that has such a family found, it must move the rows
that are off and no others: that is the measurement. ``Cause.value`` is a number that no side has, for what two sources disagree about.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from errors import Found, by_family, errors
from ttl.arch import chip_named

Costs = dict[str, dict[str, int]]
CHIP = "blackhole"


@dataclass(frozen=True, kw_only=True, slots=True)
class Cause:
    """Costs that are set, and the family that they are to explain."""

    family: str
    costs: tuple[str, ...]
    what: str
    value: int | None = None


CAUSES = (
    Cause(family="MB1 BH", costs=("pack_wide",), what="no float32 on that side"),
    Cause(family="MB4 BH", costs=("vector.recip", "vector.sqrt", "vector.rsqrt"), what="no root, no reciprocal"),
    Cause(family="MB4 BH", costs=("unpack_two",), what="no sum of two buffers"),
    Cause(family="MB4 BH", costs=("reduce_row_phase",), what="two sources: 49 cycles for the audit, 139 for MB4", value=42),
    Cause(family="MB5.B BH", costs=("unpack_two",), what="no sum of two buffers"),
    Cause(family="MB5.B BH", costs=("unpack_transpose", "math_transpose"), what="no transposition"),
)  # fmt: skip


def own(name: str) -> int:
    """What a chip's record has: the number of the side that could tell it."""
    chip = chip_named(CHIP)
    vector = name.removeprefix("vector.")
    return (chip.costs.by_name()[name] if vector == name else chip.operations[vector]).value


def with_causes(costs: Costs, causes: Sequence[Cause]) -> Costs:
    """Costs with those of causes set."""
    changed = {
        name: own(name) if each.value is None else each.value for each in causes for name in each.costs
    }
    return {**costs, CHIP: {**costs[CHIP], **changed}}


def of_family(family: str) -> list[Cause]:
    """The causes of one."""
    return [each for each in CAUSES if each.family == family]


def table(swapped: Sequence[Found], changed: Mapping[Sequence[Cause], Sequence[Found]]) -> str:
    """A row for each cause alone and for all of a family together. ``changed``: rows of the family with these costs set."""
    lines = [
        "| family | costs that are set | why that side cannot tell them | rows that change | their MAPE | of the family, within 20 % |\n"
        "| --- | --- | --- | ---: | ---: | ---: |"
    ]
    for causes, found in changed.items():
        family = causes[0].family
        before = by_family(swapped)[family]
        moved = [
            (one, other)
            for one, other in zip(before, found, strict=True)
            if abs(one.error - other.error) > 0.005
        ]
        was, now = (errors([pair[side] for pair in moved]).mean for side in (0, 1))
        whole, old = errors(found), errors(before)
        names = (
            ", ".join(f"`{name}`" for each in causes for name in each.costs)
            if len(causes) == 1
            else "all of these"
        )
        lines.append(
            f"| {family} | {names} | {causes[0].what if len(causes) == 1 else ''} | {len(moved)} of {len(found)} | "
            f"{was:.1f} to {now:.1f} | {old.mean:.1f}, {old.within_20:.0f} to {whole.mean:.1f}, {whole.within_20:.0f} |"
        )
    return "\n".join(lines)
