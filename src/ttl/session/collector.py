"""Python's search for cycles of objects, run at times when no cycles worth a search exist."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

# Objects more than before after which Python searches anyway.
_COLLECT_AFTER = 100_000


@contextmanager
def patient_collector() -> Iterator[None]:
    """Search for cycles less often: for work that makes many small objects and hardly any cycles to be rid of.

    Until all of the work is gone, or the first search afterwards would look at all of it.
    """
    thresholds = gc.get_threshold()
    patient = (
        0 < thresholds[0] < _COLLECT_AFTER
    )  # not so when another thread, or a caller, has done it already
    if patient:
        gc.set_threshold(_COLLECT_AFTER, *thresholds[1:])
    try:
        yield
    finally:
        if patient:
            gc.set_threshold(*thresholds)
