"""``Workspace``: the texts that are being edited, their settings, and their analyses.

One thread analyses; others open, change and close texts and query results. Each sees whole texts and whole results.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from threading import Event, RLock
from typing import TYPE_CHECKING

from ttl.project import project_of
from ttl.service.analysis import Analysis
from ttl.service.symbols import symbols_of
from ttl.session import CANCELLED, CHOSEN, SOURCES, FileText, Session, Sources
from ttl.session.switches import Settings
from ttl.source.trees import TREES, Trees

if TYPE_CHECKING:
    from ttl.service.checking import Checker

# How long an analysis waits at a time for queries to be answered, in seconds.
_LONGEST_QUESTION = 0.1
# Edits by which an analysis is moved one by one; more are made one large change, which is faster but loses more.
_MOST_EDITS = 12


@dataclass(slots=True)
class OpenFile:
    """A file that a client has open: its unsaved text, and the client's number of this version."""

    path: str
    text: FileText
    version: int | None


@dataclass(frozen=True, slots=True)
class MovedAnalysis:
    """The analysis ``known``, and the same moved to a later text by ``edits`` edits."""

    known: Analysis
    moved: Analysis
    edits: int


class Workspace:
    """``root`` is the folder of the workspace, or None; ``settings`` apply unless a project has its own."""

    def __init__(self, root: str | None, settings: Settings) -> None:
        self.root = root
        self.settings = settings
        self._trees = Trees()
        self.session = Session({TREES: self._trees})
        self._made: Checker | None = None
        self._lock = RLock()
        self._open: dict[str, OpenFile] = {}
        self._latest: dict[str, Analysis] = {}
        # The analyses of earlier texts, moved to the present ones.
        self._moved: dict[str, MovedAnalysis] = {}
        self._closed: set[str] = set()
        # Held while a query is answered: the trees for queries are of one text at a time.
        self._asking = RLock()
        self._questions = 0
        self._quiet = Event()
        self._quiet.set()

    # --- texts ---------------------------------------------------------------------------------------------------

    def open(self, path: str, text: str, version: int | None = None) -> None:
        """Open a file with an unsaved text. ``path`` is absolute, or a name in angle brackets."""
        with self._lock:
            self._open[path] = OpenFile(path, FileText(text), version)

    def change(self, path: str, text: str, version: int | None = None) -> None:
        """Replace the text of a file, or open it. The latest call counts, whatever its version."""
        self.open(path, text, version)

    def close(self, path: str) -> None:
        """Close a file: its saved text counts again, and its analysis is forgotten."""
        with self._lock:
            self._open.pop(path, None)
            self._latest.pop(path, None)
            self._moved.pop(path, None)
            self._closed.add(path)
            # Answers to questions are kept by file and text, megabytes for a large one.
            self.session = Session({TREES: self._trees})

    def opened(self) -> tuple[str, ...]:
        """The paths of the files that are open."""
        with self._lock:
            return tuple(self._open)

    def texts(self) -> dict[str, FileText]:
        """The unsaved texts of all files that are open."""
        with self._lock:
            return {path: file.text for path, file in self._open.items()}

    def text(self, path: str) -> FileText | None:
        """The unsaved text of a file; None if it is not open."""
        with self._lock:
            file = self._open.get(path)
            return None if file is None else file.text

    def reload_settings(self, settings: Settings | None = None) -> None:
        """Take over changed settings of the client, if any, for later analyses."""
        with self._lock:
            self.settings = settings or self.settings

    def dependents(self, paths: Iterable[str]) -> tuple[str, ...]:
        """The open files whose analyses depend on one of these files, without these files themselves."""
        changed = set(paths)
        with self._lock:
            return tuple(
                path
                for path, known in self._latest.items()
                if path in self._open and path not in changed and not known.dependencies.isdisjoint(changed)
            )

    # --- analyses ------------------------------------------------------------------------------------------------

    def latest(self, path: str) -> Analysis | None:
        """Return the analysis for a file's present text: its own, or a stale one moved from an earlier text.

        None if the file was not analysed since it was opened.
        """
        with self._lock:
            known, file = self._latest.get(path), self._open.get(path)
            before = self._moved.get(path)
        if known is None or file is None or file.text is known.text:
            return known
        # Moved edit by edit: two edits far from each other would be one large change, in which all places are lost.
        moved, edits = known, 0
        if before is not None and before.known is known:
            if before.moved.text is file.text:
                return before.moved
            if before.edits < _MOST_EDITS:
                moved, edits = before.moved, before.edits
        moved = moved.moved_to(file.text, file.version)
        with self._lock:
            if path in self._open:
                self._moved[path] = MovedAnalysis(known, moved, edits + 1)
        return moved

    def known(self, path: str) -> Analysis | None:
        """Return the latest analysis of a file, whichever text it is of; None if it was not analysed."""
        with self._lock:
            return self._latest.get(path)

    def settings_for(self, path: str) -> Settings:
        """Return the settings that a file is checked with.

        For a file without an analysis, the settings of its project are read in the session of the caller.
        """
        known = self.known(path)
        if known is not None:
            return known.settings

        return project_of(path).over(self.settings)

    def _checker(self) -> Checker:
        """Return the checker; the first call imports it, which takes a second."""
        if self._made is None:
            from ttl.service.checking import Checker

            self._made = Checker()
        return self._made

    @contextmanager
    def reading(self) -> Iterator[None]:
        """A context for queries: inside, the session is that of the workspace, with the unsaved texts."""
        trees = self._trees if self._made is None else self._made.questions
        with (
            self._first(),
            self._asking,
            self.session.entered(),
            SOURCES.given(Sources(self.texts())),
            CHOSEN.given(self.settings),
            TREES.given(trees),
        ):
            yield

    @contextmanager
    def _first(self) -> Iterator[None]:
        """A context in which an analysis on another thread waits: only one of the two threads runs at a time anyway."""
        with self._lock:
            self._questions += 1
            self._quiet.clear()
        try:
            yield
        finally:
            with self._lock:
                self._questions -= 1
                if not self._questions:
                    self._quiet.set()

    def analyse(self, path: str, cancelled: Callable[[], bool] = lambda: False) -> Analysis:
        """Return the analysis of the present text of a file, made on first use, and prepared for queries.

        ``cancelled`` is called now and then. Raises ``Cancelled`` when it returns True; then nothing has changed. Queries of
        other threads go first.
        """

        def is_cancelled() -> bool:
            if not self._quiet.is_set():
                self._quiet.wait(_LONGEST_QUESTION)
            return cancelled()

        begun = time.perf_counter()
        with self._lock:
            files = {name: file.text for name, file in self._open.items()}
            file = self._open.get(path)
            known = self._latest.get(path)
            closed, self._closed = self._closed, set()
        for gone in closed - {path}:
            self._checker().forget(gone)
        sources, trees = Sources(files), self._checker().trees
        # State that is kept for queries about one text is of no use for the next: a session for each.
        session = Session({TREES: trees, SOURCES: sources, CHOSEN: self.settings, CANCELLED: is_cancelled})
        with session.entered():
            text = sources.of(path)
            version = None if file is None else file.version
            analysis = self._checker().analysed(path, text, version, known, self.settings)
        analysis = replace(analysis, seconds=time.perf_counter() - begun)
        if file is not None and self.text(path) is text:
            # The first step of every query: tens of milliseconds for a large text.
            with self.reading():
                symbols_of(path, text)
                self._checker().questions.prepare(path)
        with self._lock:
            if file is not None and path in self._open:
                self._latest[path] = analysis
                self._moved.pop(path, None)
        return analysis
