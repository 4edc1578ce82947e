"""``ttl.static_range``: the numbers of a loop that is written out (0.21, "Control flow")."""

from __future__ import annotations

from typing import Any

from ttl.lang.check import fail, is_int
from ttl.rules.kernels import no_static_range


def static_range(start: Any, stop: Any = None, step: Any = 1) -> tuple[int, ...]:
    """The numbers of ``range(start, stop, step)`` or ``range(stop)``, of a loop that is written out iteration by iteration.

    In each iteration the number is a constant: it indexes lists of buffers, chooses between statements, is a shape. All
    arguments are integers that are known before kernels run, not numbers of the node or of a loop on it.

    Raises ``ProgramError``: TTL0246 an argument is no integer that is known before kernels run, or the step is 0.
    """
    bounds = (0, start) if stop is None else (start, stop)
    for name, value in zip(("start", "stop", "step"), (*bounds, step), strict=True):
        if not is_int(value) or (name == "step" and int(value) == 0):
            fail(no_static_range(name, value))
    return tuple(range(int(bounds[0]), int(bounds[1]), int(step)))
