"""Formulas for numbers that differ from node to node.

A net of 64 pipes is usually one pattern, such as "from the first node of this row". The numbers that a kernel needs about its
n-th pipe are fitted by a formula of its column, its row and n; if there is no formula, comparisons choose them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from math import prod

from xdsl.ir import SSAValue

from ttl.analysis.network import Node, device_grid
from ttl.dialects.ttkernel import TableOp
from ttl.passes.building import Building, Number
from ttl.passes.movement.nodes import chip, column, row
from ttl.protocol.chips import chip_count
from ttl.protocol.grid import Grid, linear_index

# Column, row, the number of the pipe among those of the node, the chip, and which destination on another chip.
Key = tuple[int, int, int, int, int]


@dataclass(frozen=True, slots=True)
class Here:
    """Where a kernel is: the node, which of its pipes, the chip, and which of the destinations on other chips is next."""

    column: Number
    row: Number
    pipe: Number
    chip: Number = 0
    iteration: Number = 0

    @property
    def all(self) -> tuple[Number, ...]:
        """The numbers, in the order of a key."""
        return (self.column, self.row, self.pipe, self.chip, self.iteration)


def value_at(build: Building, here: Here, table: Mapping[Key, int], grid: Grid) -> Number:
    """The number that a table has for ``here``; formulas may wrap around at the ends of the grid."""
    known = set(table.values())
    if len(known) == 1:
        return known.pop()
    for axis, variable in enumerate(here.all):
        shifts = {value - key[axis] for key, value in table.items()}
        if len(shifts) == 1:
            return build.sum(variable, shifts.pop())
    columns, rows = device_grid(grid)
    for axis, extent in ((0, columns), (1, rows), (_CHIP, chip_count(grid))):
        shifts = {(value - key[axis]) % extent for key, value in table.items()}
        if len(shifts) == 1 and all(0 <= value < extent for value in known):
            return build.remainder(build.sum(here.all[axis], shifts.pop()), extent)
    return _chosen(build, here, table)


_CHIP = 3


def _chosen(build: Building, here: Here, table: Mapping[Key, int]) -> Number:
    """Choose a number by comparing as few coordinates as tell the values apart; by chip it is looked up."""
    axes = _telling_axes(table)
    if _CHIP in axes or _CHIP + 1 in axes:
        return _looked_up(build, here, table, axes)
    groups: dict[int, set[tuple[int, ...]]] = {}
    for key, value in table.items():
        groups.setdefault(value, set()).add(tuple(key[axis] for axis in axes))
    ordered = sorted(groups.items(), key=lambda entry: -len(entry[1]))
    result: Number = ordered[0][0]
    for value, keys in ordered[1:]:
        result = build.select(is_one_of(build, [here.all[axis] for axis in axes], keys), value, result)
    return result


def _looked_up(build: Building, here: Here, table: Mapping[Key, int], axes: Sequence[int]) -> SSAValue:
    """Return a member of a table over all possible coordinates; coordinates that do not occur have 0."""
    extents = tuple(max(key[axis] for key in table) + 1 for axis in axes)
    members = [0] * prod(extents)
    for key, value in table.items():
        members[linear_index(tuple(key[axis] for axis in axes), extents)] = value
    index: Number = 0
    for axis, extent in zip(axes, extents, strict=True):
        index = build.sum(build.product(index, extent), here.all[axis])
    return build.result(TableOp(members, build.value(index), "by_chip"))


def _telling_axes(table: Mapping[Key, int]) -> tuple[int, ...]:
    every = range(len(next(iter(table))))
    for count in range(1, len(every)):
        for axes in combinations(every, count):
            seen: dict[tuple[int, ...], int] = {}
            if all(
                seen.setdefault(tuple(key[a] for a in axes), value) == value for key, value in table.items()
            ):
                return axes
    return tuple(every)


def is_one_of(build: Building, values: Sequence[Number], keys: Iterable[tuple[int, ...]]) -> SSAValue:
    """Whether ``values`` equal one of several tuples; a range of the last number is compared at once."""
    conditions: list[SSAValue] = []
    for prefix, first, last in _runs(sorted(keys)):
        parts = [build.compare(value, "eq", number) for value, number in zip(values, prefix)]
        if first == last:
            parts.append(build.compare(values[-1], "eq", first))
        else:
            parts.append(build.compare(values[-1], "sge", first))
            parts.append(build.compare(values[-1], "sle", last))
        condition = build.all_of(*parts)
        assert condition is not None
        conditions.append(condition)
    any_ = build.any_of(*conditions)
    return build.truth(False) if any_ is None else any_


def _runs(keys: Sequence[tuple[int, ...]]) -> list[tuple[tuple[int, ...], int, int]]:
    runs: list[tuple[tuple[int, ...], int, int]] = []
    for key in keys:
        if runs and runs[-1][0] == key[:-1] and runs[-1][2] == key[-1] - 1:
            runs[-1] = (key[:-1], runs[-1][1], key[-1])
        else:
            runs.append((key[:-1], key[-1], key[-1]))
    return runs


def is_node_of(build: Building, nodes: Collection[Node], grid: Grid) -> SSAValue | None:
    """Whether this node is one of several; None where every node of the grid is."""
    asked = [partial(ask, build, grid) for ask in (column, row, chip)]
    return is_among(build, asked, nodes, (*device_grid(grid), chip_count(grid)))


def is_among(
    build: Building,
    asked: Sequence[Callable[[], Number]],
    nodes: Collection[Node],
    extents: tuple[int, int, int],
) -> SSAValue | None:
    """Return whether the node with these column, row and chip is among ``nodes``. A box takes six comparisons."""
    nodes = set(nodes)
    if len(nodes) == prod(extents):
        return None
    if not nodes:
        return build.truth(False)
    axes = [sorted({node[axis] for node in nodes}) for axis in range(len(extents))]
    if prod(map(len, axes)) == len(nodes):
        parts = [
            part
            for ask, numbers, extent in zip(asked, axes, extents, strict=True)
            for part in _within(build, ask, numbers, extent)
        ]
        return build.all_of(*parts)
    # By chip first, if there are several: rows that follow each other are compared at once.
    order = (0, 1) if extents[2] == 1 else (2, 0, 1)
    return is_one_of(
        build, [asked[axis]() for axis in order], [tuple(n[axis] for axis in order) for n in nodes]
    )


def _within(build: Building, value: Callable[[], Number], numbers: list[int], extent: int) -> list[SSAValue]:
    if len(numbers) == extent:
        return []
    first, last = numbers[0], numbers[-1]
    if last - first + 1 != len(numbers):
        return [is_one_of(build, [value()], {(number,) for number in numbers})]
    if first == last:
        return [build.compare(value(), "eq", first)]
    parts = []
    if first > 0:
        parts.append(build.compare(value(), "sge", first))
    if last < extent - 1:
        parts.append(build.compare(value(), "sle", last))
    return parts
