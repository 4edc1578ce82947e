"""What differs from node to node, as a formula.

A net of 64 pipes is usually one pattern, such as "from the first node of this row". What a kernel has to know of its
n-th pipe is looked for as a formula of its column, its row and n; where there is none, it is chosen by comparing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from xdsl.ir import SSAValue

from ttl.passes.building import Building, Number

# Column, row, and the number of the pipe among those of the node.
Key = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Here:
    """Where a kernel is: the node, and which of its pipes."""

    column: Number
    row: Number
    pipe: Number

    @property
    def all(self) -> tuple[Number, Number, Number]:
        """The three numbers."""
        return (self.column, self.row, self.pipe)


def value_at(build: Building, here: Here, table: Mapping[Key, int], extents: tuple[int, int]) -> Number:
    """The number that a table has for here; ``extents`` are those of the grid, where things wrap around."""
    known = set(table.values())
    if len(known) == 1:
        return known.pop()
    for axis, variable in enumerate(here.all):
        shifts = {value - key[axis] for key, value in table.items()}
        if len(shifts) == 1:
            return build.sum(variable, shifts.pop())
    for axis, extent in enumerate(extents):
        shifts = {(value - key[axis]) % extent for key, value in table.items()}
        if len(shifts) == 1 and all(0 <= value < extent for value in known):
            return build.remainder(build.sum(here.all[axis], shifts.pop()), extent)
    return _chosen(build, here, table)


def _chosen(build: Building, here: Here, table: Mapping[Key, int]) -> Number:
    """Compare with the keys of each value; by as few of the coordinates as tell values apart."""
    axes = _telling_axes(table)
    groups: dict[int, set[tuple[int, ...]]] = {}
    for key, value in table.items():
        groups.setdefault(value, set()).add(tuple(key[axis] for axis in axes))
    ordered = sorted(groups.items(), key=lambda entry: -len(entry[1]))
    result: Number = ordered[0][0]
    for value, keys in ordered[1:]:
        result = build.select(is_one_of(build, [here.all[axis] for axis in axes], keys), value, result)
    return result


def _telling_axes(table: Mapping[Key, int]) -> tuple[int, ...]:
    for axes in ((0,), (1,), (2,), (0, 1), (0, 2), (1, 2)):
        seen: dict[tuple[int, ...], int] = {}
        if all(seen.setdefault(tuple(key[a] for a in axes), value) == value for key, value in table.items()):
            return axes
    return (0, 1, 2)


def is_one_of(build: Building, values: Sequence[Number], keys: Iterable[tuple[int, ...]]) -> SSAValue:
    """Whether numbers are one of several tuples: ranges of the last one are compared at once."""
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


def is_node_of(
    build: Building,
    column: Callable[[], Number],
    row: Callable[[], Number],
    nodes: set[tuple[int, int]],
    extents: tuple[int, int],
) -> SSAValue | None:
    """Whether this node is one of several; None where every node of the grid is. A rectangle takes four comparisons."""
    if len(nodes) == extents[0] * extents[1]:
        return None
    if not nodes:
        return build.truth(False)
    columns, rows = {node[0] for node in nodes}, {node[1] for node in nodes}
    if len(columns) * len(rows) == len(nodes):
        parts = [
            *_within(build, column, sorted(columns), extents[0]),
            *_within(build, row, sorted(rows), extents[1]),
        ]
        return build.all_of(*parts)
    return is_one_of(build, [column(), row()], nodes)


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
