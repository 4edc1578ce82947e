"""Lists of integers that are indexed on the node: block-sparse patterns, schedules, neighbours.

``COLUMNS[i]`` becomes a lookup in a constant of the kernel. Lists of lists are stored one after the other, with the
start of each; a row of them, and a part of a list, is an iterable.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from ttl.frontend.kernel.builder import Builder
from ttl.frontend.scalars import NodeInteger, bounds_of, compare, largest, smallest
from ttl.frontend.unknown import ReadArray
from ttl.frontend.values import Sequential

# Kernels have little memory of their own: on Wormhole, 2 KB for all data of a compute processor.
MOST_BYTES = 1024
# For so few members, choosing costs no more than a lookup.
_FEW = 4
_MOST_DICTIONARY = 256


def as_list(value: Any) -> Any:
    """Return an array of integers whose members are known as a list; any other value unchanged."""
    if isinstance(value, ReadArray):
        return value if value.members is None else value.members
    if isinstance(value, np.ndarray) and value.dtype.kind in "iub":
        return value.tolist()
    if type(value).__module__.partition(".")[0] == "torch" and hasattr(value, "tolist"):
        return value if value.is_floating_point() or value.is_complex() else value.tolist()
    return value


def plain(value: Any) -> Any:
    """An integer of NumPy or torch as a Python integer, for comparisons and computations with integers of the node."""
    if isinstance(value, np.integer | np.bool_):
        return value.item()
    if type(value).__module__ == "torch" and getattr(value, "ndim", None) == 0 and hasattr(value, "tolist"):
        return as_list(value)
    return value


def can_look_up(members: Any) -> bool:
    """Whether members of a list, tuple or dictionary can be looked up on the node."""
    if isinstance(members, dict):
        return (
            0 < len(members) <= _MOST_DICTIONARY
            and all(type(key) is int for key in members)
            and sorted(members) == [*range(min(members), min(members) + len(members))]
            and _fits([*members.values()])
        )
    return isinstance(members, list | tuple) and _fits(members)


def look_up(builder: Builder, members: Any, index: NodeInteger | int, name: str | None = None) -> Any:
    """Return ``members[index]``, for members that can be looked up.

    Raises ``IndexError`` if no possible index is in the list.
    """
    if isinstance(members, dict):
        first = min(members)
        return _found(
            builder, [members[first + number] for number in range(len(members))], index - first, name
        )
    if isinstance(index, int):
        return members[index]
    low, high = index.bounds
    if (low is not None and low >= len(members)) or (high is not None and high < -len(members)):
        raise IndexError(f"{type(members).__name__} index out of range")
    return _found(builder, members, builder.from_start(index, len(members)), name)


def part(of: Sequential, start: Any, stop: Any) -> Sequential | None:
    """``of[start:stop]``; None if a bound may be negative, which would count from the end."""
    first = 0 if start is None else start
    last = of.length if stop is None else stop
    for item in (first, last):
        low = bounds_of(item)[0]
        if low is None or low < 0:
            return None
    first, last = smallest(first, of.length), smallest(last, of.length)
    return Sequential(largest(last - first, 0), lambda position: of.at(first + position))


def row_of(builder: Builder, members: Sequence[Any], begin: Any, length: Any) -> Sequential:
    """An iterable of ``length`` members, from index ``begin`` on, of a list whose members can be looked up."""
    return Sequential(length, lambda position: look_up(builder, members, begin + position))


def _fits(members: Sequence[Any]) -> bool:
    if not members:
        return False
    if all(type(member) is bool for member in members):
        return len(members) <= MOST_BYTES
    if all(type(member) is int for member in members):
        size = _bytes(members)
        return size is not None and size <= MOST_BYTES
    if not all(isinstance(member, list | tuple) for member in members):
        return False
    flat = [member for item in members for member in item]
    return len(members) * 2 <= MOST_BYTES and (not flat or _fits(flat))


def _bytes(members: Sequence[int]) -> int | None:
    """Return the bytes that a list takes in a kernel; None if its members do not fit in 32 bits."""
    least, most = min(members), max(members)
    for width in (1, 2, 4):
        if (least >= 0 and most < 2 ** (8 * width)) or (
            -(2 ** (8 * width - 1)) <= least and most < 2 ** (8 * width - 1)
        ):
            return width * len(members)
    return None


def _found(builder: Builder, members: Sequence[Any], index: Any, name: str | None) -> Any:
    """The member at an index that is not negative."""
    if isinstance(members[0], list | tuple):
        return _row(builder, members, index, name)
    if type(members[0]) is bool:
        return compare("ne", _found(builder, [int(member) for member in members], index, name), 0)
    if isinstance(index, int):
        return members[index]
    low, high = index.bounds
    is_inside = low is not None and high is not None and 0 <= low <= high < len(members)
    # If the index may be out of range, the lookup stays in the IR, where the check finds it.
    first, last = (low, high) if is_inside else (0, len(members) - 1)
    assert first is not None and last is not None
    there = members[first : last + 1]
    step = there[1] - there[0] if len(there) > 1 else 0
    if is_inside and all(second - one == step for one, second in pairwise(there)):
        return there[0] + (index - first) * step
    if is_inside and last - first < _FEW and not index.loops:
        return builder.chosen(members, index, (first, last))
    return builder.looked_up(members, index, (min(there), max(there)), name)


def _row(builder: Builder, rows: Sequence[Any], index: Any, name: str | None) -> Any:
    lengths = [len(row) for row in rows]
    flat = [member for row in rows for member in row]
    if len(set(lengths)) == 1 and lengths[0] <= _FEW and isinstance(rows[0], tuple):
        return tuple(
            _found(builder, [row[position] for row in rows], index, name) for position in range(lengths[0])
        )
    begins = [0, *accumulate(lengths)][:-1]
    begin = _found(builder, begins, index, None if name is None else f"{name}_begin")
    length = _found(builder, lengths, index, None if name is None else f"{name}_length")
    return row_of(builder, flat, begin, length)
