"""The schedule of analyses: on one thread, a moment after the last keystroke, the newest text first."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from ttl.service.analysis import Analysis
from ttl.service.workspace import Workspace
from ttl.session import Cancelled

# While a user types without a pause, a text waits at most this many times the delay after the last keystroke.
_MOST_DELAYS = 8
# The number of consecutive analyses of a file that newer text may cancel, so that results do not get too old.
_MOST_CANCELLED = 3
# The seconds without a request after which a pause begins: a user who reads findings asks for details sooner.
_PAUSE = 0.5


@dataclass(slots=True)
class _Request:
    """A file whose text is to be analysed."""

    due: float
    latest: float
    """The time at which it is due at the latest, even if the user continues to type."""
    number: int


class AnalysisThread:
    """Analyses files on a thread of its own.

    All functions are called on that thread: ``started`` first, ``done`` with a result, ``failed`` with the exception of
    an analysis, ``behind`` after each analysis, ``idle`` after a while without work.
    """

    def __init__(
        self,
        workspace: Workspace,
        *,
        started: Callable[[], None],
        done: Callable[[Analysis], None],
        failed: Callable[[str, Exception], None],
        behind: Callable[[], None],
        idle: Callable[[], None],
    ) -> None:
        self._workspace = workspace
        self._started, self._done, self._failed = started, done, failed
        self._behind, self._idle = behind, idle
        self._changed = threading.Condition()
        self._requests: dict[str, _Request] = {}
        self._number = 0
        self._under_way: str | None = None
        # The number of analyses of a file that were cancelled since the last one that finished.
        self._cancelled: Counter[str] = Counter()
        self._stopping = False
        # Whether there was an analysis since ``idle`` was called.
        self._analysed = False
        self._thread = threading.Thread(target=self._run, name="ttl analysis", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """End the thread; the current analysis is cancelled."""
        with self._changed:
            self._stopping = True
            self._changed.notify()

    def request(self, path: str, delay: float) -> None:
        """Analyse the file in ``delay`` seconds, unless it is requested again until then. An analysis of it that is under way is
        cancelled."""
        now = time.monotonic()
        with self._changed:
            self._number += 1
            known = self._requests.get(path)
            latest = now + _MOST_DELAYS * delay if known is None else known.latest
            self._requests[path] = _Request(min(now + delay, latest), latest, self._number)
            self._changed.notify()

    def forget(self, path: str) -> None:
        """Drop the requests for a file."""
        with self._changed:
            self._requests.pop(path, None)
            self._cancelled.pop(path, None)

    def is_settled(self, path: str) -> bool:
        """Return whether no analysis of the file is due or under way."""
        with self._changed:
            return path not in self._requests and self._under_way != path

    # --- the thread ----------------------------------------------------------------------------------------------

    def _run(self) -> None:
        self._started()
        while not self._stopping:
            path = self._next()
            if path is None:
                self._idle()
                continue
            try:
                analysis = self._workspace.analyse(path, lambda path=path: self._is_outdated(path))  # type: ignore[misc]
            except Cancelled:
                self._cancelled[path] += 1
            except Exception as raised:
                self._failed(path, raised)
            else:
                self._cancelled.pop(path, None)
                self._done(analysis)
            self._behind()
            self._analysed = True

    def _is_outdated(self, path: str) -> bool:
        is_newer = path in self._requests and self._cancelled[path] < _MOST_CANCELLED
        return is_newer or self._stopping

    def _next(self) -> str | None:
        """Wait for the next file to analyse: of those that are due, the one requested last.

        None after a pause, or when the thread is to end.
        """
        with self._changed:
            self._under_way = None
            while not self._stopping:
                now = time.monotonic()
                due = [path for path, request in self._requests.items() if request.due <= now]
                if due:
                    path = max(due, key=lambda path: self._requests[path].number)
                    del self._requests[path]
                    self._under_way = path
                    return path
                soonest = min((request.due for request in self._requests.values()), default=None)
                if soonest is not None:
                    self._changed.wait(max(soonest - now, 0))
                elif not self._analysed:
                    self._changed.wait()
                elif not self._changed.wait(_PAUSE) and not self._requests:
                    self._analysed = False
                    return None
        return None
