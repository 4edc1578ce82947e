"""How far emulated numbers are from published ones: by family, and whether they put variants into the right order."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from published import Row


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """A row, and what the emulated chip says."""

    row: Row
    value: float

    @property
    def error(self) -> float:
        """Emulated over published, less one. Of percentages over another variant: of the two times."""
        if self.row.unit.startswith("percent"):
            return (100 + self.value) / (100 + self.row.value) - 1
        return self.value / self.row.value - 1


@dataclass(frozen=True, kw_only=True, slots=True)
class Errors:
    """Of some rows, in percent."""

    rows: int
    mean: float
    median: float
    bias: float
    within_10: float
    within_20: float
    worst: Found


def errors(found: Sequence[Found]) -> Errors:
    """What the page says about them; at least one."""
    sizes = [abs(each.error) for each in found]
    return Errors(
        rows=len(found),
        mean=100 * statistics.fmean(sizes),
        median=100 * statistics.median(sizes),
        bias=100 * statistics.fmean(each.error for each in found),
        within_10=100 * sum(size <= 0.1 for size in sizes) / len(sizes),
        within_20=100 * sum(size <= 0.2 for size in sizes) / len(sizes),
        worst=max(found, key=lambda each: abs(each.error)),
    )


def by_family(found: Iterable[Found]) -> dict[str, list[Found]]:
    """Rows of each family, in the order of their first."""
    result: defaultdict[str, list[Found]] = defaultdict(list)
    for each in found:
        result[each.row.family].append(each)
    return dict(result)


def mean_of(families: Iterable[Errors]) -> tuple[float, float, float]:
    """MAPE, share within 10 and within 20 %, as means of families."""
    given = list(families)
    return (
        statistics.fmean(each.mean for each in given),
        statistics.fmean(each.within_10 for each in given),
        statistics.fmean(each.within_20 for each in given),
    )


# What is compared in an order: of rows that differ in nothing else.
_VARIANTS: Mapping[str, tuple[str, ...]] = {
    "MB2": ("how",),
    "MB5.A": ("c",),
    "MB5.B": ("h", "w"),
    "MB5.D": ("h", "w"),
    "pipes": ("variant",),
}
# Published numbers nearer than that are equal: what their authors' second runs differ by.
NOISE = 0.03


@dataclass(frozen=True, kw_only=True, slots=True)
class Order:
    """Whether variants come in the published order: pairs that differ by more than noise, and groups with the right fastest one."""

    pairs: int
    right: int
    groups: int
    fastest: int


def order(found: Sequence[Found]) -> Order | None:
    """The order of the rows of a family; None where nothing is a variant of something else."""
    variants = _VARIANTS.get(found[0].row.set.removesuffix(".blocks").removesuffix(".rerun"))
    if variants is None:
        return None
    groups: defaultdict[object, list[Found]] = defaultdict(list)
    for each in found:
        row = each.row
        groups[row.set, *((key, value) for key, value in row.at.items() if key not in variants)].append(each)
    pairs = right = number = fastest = 0
    for group in groups.values():
        apart = [
            (one, other)
            for one, other in combinations(group, 2)
            if abs(one.row.value - other.row.value) > NOISE * min(one.row.value, other.row.value)
        ]
        pairs += len(apart)
        right += sum((one.row.value < other.row.value) == (one.value < other.value) for one, other in apart)
        if len(group) < 2:
            continue
        number += 1
        least = min(each.row.value for each in group)
        chosen = min(group, key=lambda each: each.value)
        fastest += chosen.row.value <= least * (1 + NOISE)
    return Order(pairs=pairs, right=right, groups=number, fastest=fastest)


def correlation(pairs: Sequence[tuple[float, float]]) -> float:
    """Spearman's: of the ranks."""

    def ranks(values: Sequence[float]) -> list[float]:
        inorder = sorted(values)
        first = {value: inorder.index(value) for value in set(values)}
        return [first[value] + (inorder.count(value) - 1) / 2 for value in values]

    return statistics.correlation(*(ranks([pair[side] for pair in pairs]) for side in (0, 1)))
