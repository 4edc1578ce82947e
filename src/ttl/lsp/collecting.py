"""The times at which Python searches for cycles of objects: between analyses and in pauses, not while the user waits.

The IR of an operation has cycles. A search takes as long as there are objects that it looks at: 1 to 2 ms for those of one
analysis, 25 ms for those of twenty, which a keystroke would wait for now and then."""

from __future__ import annotations

import gc

# Objects more than before after which Python searches those anyway, in the middle of an analysis; never older ones.
_AT_THE_LATEST = 100_000
_NEVER = 1 << 30
# After so many analyses without a pause the objects of all of them are looked at.
_ANALYSES = 8
# In the first pause after so many analyses all there are: what is left of a file is garbage when it is closed, too.
_PAUSED_ANALYSES = 48
# After so many analyses all there are, pause or not.
_MOST_ANALYSES = 160


def keep_imports() -> None:
    """Keep the imported objects out of all later searches."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(_AT_THE_LATEST, _NEVER, _NEVER)


class Collector:
    """Searches on the thread of analyses."""

    def __init__(self) -> None:
        self._recent = self._all = 0
        """How many analyses there were since their objects, and all objects, were looked at."""

    def after_analysis(self) -> None:
        """Search after an analysis, or after it was cancelled; the next keystroke is not there yet, or waits a moment anyway."""
        self._recent += 1
        self._all += 1
        # Python has made a search of its own in the middle: what was in use then is not by now.
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
