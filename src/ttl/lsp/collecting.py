"""When Python searches for cycles of objects: between analyses and in pauses, not while somebody waits.

The IR of an operation has cycles. A search takes as long as there are objects that it looks at: 1 to 2 ms for those of
one analysis, 25 ms for those of twenty, which a keystroke would wait for now and then.
"""

from __future__ import annotations

import gc

# Objects more than before after which Python searches all the same, in the middle of an analysis.
_AT_THE_LATEST = 100_000
# After so many analyses the objects of all of them are looked at, and after so many pauses all there are.
_ANALYSES = 64
_PAUSES = 16


def keep_imports() -> None:
    """What was imported stays: no search has to look at it again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(_AT_THE_LATEST, *gc.get_threshold()[1:])


class Collector:
    """Searches on the thread of analyses."""

    def __init__(self) -> None:
        self._analyses = self._pauses = 0

    def after_analysis(self) -> None:
        """An analysis is over; the next keystroke is not there yet, or waits a moment anyway."""
        self._analyses += 1
        gc.collect(0 if self._analyses % _ANALYSES else 1)

    def when_idle(self) -> None:
        """Nothing is to do: let go of the IR and the trees of texts that are gone."""
        self._pauses += 1
        gc.collect(1 if self._pauses % _PAUSES else 2)
