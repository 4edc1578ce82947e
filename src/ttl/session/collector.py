"""Python's garbage collection of cycles, run less often during work that creates few cycles."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

# The number of new objects after which Python collects cycles anyway.
_COLLECT_AFTER = 100_000


@contextmanager
def patient_collector() -> Iterator[None]:
    """A context in which Python collects cycles less often: for work with many small objects and hardly any cycles.

    It should end after the objects of the work are released: otherwise the next collection visits all of them.
    """
    thresholds = gc.get_threshold()
    patient = (
        0 < thresholds[0] < _COLLECT_AFTER
    )  # False if another thread, or a caller, has already raised it
    if patient:
        gc.set_threshold(_COLLECT_AFTER, *thresholds[1:])
    try:
        yield
    finally:
        if patient:
            gc.set_threshold(*thresholds)
