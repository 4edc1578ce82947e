"""``ttl.static_range``: the numbers of a loop that is unrolled (0.21, "Control flow")."""

from __future__ import annotations

from typing import Any

from ttl.lang.check import fail, is_int
from ttl.rules.kernel_definitions import no_static_range


def static_range(start: Any, stop: Any = None, step: Any = 1) -> tuple[int, ...]:
    """The numbers of ``range(start, stop, step)`` or ``range(stop)``, for a loop that is unrolled.

    In each iteration the number is a constant: it can index lists of buffers, choose between statements, and be a shape. All
    arguments must be integers that are known before kernels run, not numbers of the node or of a loop on it.

    Raises ``ProgramError``: TTL0246 an argument is not an integer that is known before kernels run, or the step is 0.
    """
    bounds = (0, start) if stop is None else (start, stop)
    for name, value in zip(("start", "stop", "step"), (*bounds, step), strict=True):
        if not is_int(value) or (name == "step" and int(value) == 0):
            fail(no_static_range(name, value))
    return tuple(range(int(bounds[0]), int(bounds[1]), int(step)))
