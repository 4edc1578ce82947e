"""What the indices and conditions of the IR mean.

``compile_scalar(value, slots)`` is a value at one node and iteration, ``points(op)`` all nodes and iterations at
which an operation runs, ``linear(value)`` a value as a sum of products, for shapes that are not given.
"""

from __future__ import annotations

from ttl.check.evaluate import NODE, Scalar, Slots, compile_scalar, grid_of, loop_bounds, trip_count
from ttl.check.linear import Atom, Linear, linear
from ttl.check.points import BUDGET, Points, points

__all__ = [
    "BUDGET", "NODE", "Atom", "Linear", "Points", "Scalar", "Slots", "compile_scalar", "grid_of", "linear",
    "loop_bounds", "points", "trip_count",
]  # fmt: skip
