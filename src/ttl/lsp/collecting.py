"""The times of Python's garbage collection of cycles: between analyses and in pauses, not while the user waits.

The IR of an operation has cycles. The time of a collection depends on the number of objects that it visits: 1 to 2 ms
for those of one analysis, 25 ms for those of twenty, for which a keystroke would wait now and then."""

from __future__ import annotations

import gc

# The number of new objects after which Python collects among them anyway, during an analysis; older ones are left out.
_AT_THE_LATEST = 100_000
_NEVER = 1 << 30
# The number of analyses without a pause after which the objects of all of them are collected.
_ANALYSES = 8
# The number of analyses after which the next pause collects among all objects, as objects of closed files are garbage.
_PAUSED_ANALYSES = 48
# The number of analyses after which all objects are collected even without a pause.
_MOST_ANALYSES = 160


def keep_imports() -> None:
    """Keep the imported objects out of all later collections."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(_AT_THE_LATEST, _NEVER, _NEVER)


class Collector:
    """Collects cycles on the thread of analyses."""

    def __init__(self) -> None:
        self._recent = self._all = 0
        """The numbers of analyses since their objects, and since all objects, were collected."""

    def after_analysis(self) -> None:
        """Collect after an analysis ended or was cancelled: no keystroke waits, or one that waits a moment anyway."""
        self._recent += 1
        self._all += 1
        # Python has collected during the analysis: objects that were in use then are garbage by now.
        is_large = gc.get_count()[1] >= self._recent
        if self._all >= _MOST_ANALYSES:
            self._collect_all()
        elif self._recent >= _ANALYSES or is_large:
            gc.collect(1)
            self._recent = 0
        else:
            gc.collect(0)

    def when_idle(self) -> None:
        """Release the IR and the trees of texts that are gone, while there is nothing to do."""
        if self._all >= _PAUSED_ANALYSES:
            self._collect_all()
        else:
            gc.collect(1)
            self._recent = 0

    def _collect_all(self) -> None:
        gc.collect(2)
        self._recent = self._all = 0
