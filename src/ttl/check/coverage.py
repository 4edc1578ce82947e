"""What of a tensor no node writes, where every node writes some of it (TTL0908).

An operation that only reads a part of a tensor, or writes a part from some of its nodes, says so by what it does. Where
all nodes of a grid of several write to a tensor that nobody reads, and a part of it stays as it was, the parts of the
nodes do not fit together: coordinates that have changed places, say.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from ttl.check.regions import Boxes, cells_of

Part = tuple[tuple[int, int], ...]


def untouched(boxes: Boxes, extents: Sequence[int], grid: tuple[int, ...]) -> tuple[Part, int] | None:
    """Rows, columns or planes of a tensor of which no box has any part, and how much there is of the kind in all.

    Corners that are left out (above a diagonal, say) are what an operation may well mean. None where all of it is touched, or not every one of several nodes touches it, and where that is not known: of symbolic
    shapes, and on a mesh, each of whose devices has memory of its own (the first dimension of a box).
    """
    nodes = prod(grid)
    if nodes < 2 or len(grid) > 2 or min(extents) < 0 or len(set(boxes.node.tolist())) < nodes:
        return None
    cells = cells_of(boxes.low[:, 1:], boxes.high[:, 1:], extents)
    if cells is None:
        return None
    cuts, counts = cells
    for axis, cut in enumerate(cuts):
        others = tuple(other for other in range(counts.ndim) if other != axis)
        free = np.flatnonzero(counts.sum(axis=others) == 0)
        if len(free):
            # From the first free index on, as far as it goes.
            first = last = int(free[0])
            while last + 1 in free:
                last += 1
            part = [(0, extent) for extent in extents]
            part[axis] = (int(cut[first]), int(cut[last + 1]))
            return tuple(part), int(sum(cut[index + 1] - cut[index] for index in free)) * prod(
                extents
            ) // extents[axis]
    return None
