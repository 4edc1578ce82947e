"""The texts of files: unsaved texts, texts that only Python knows (cells of notebooks), and files on disk."""

from __future__ import annotations

import io
import linecache
import os
import tokenize
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property

from ttl.session.session import Part


class FileText:
    """A text: each line has one ``\\n`` at its end; empty if it cannot be read."""

    def __init__(self, text: str) -> None:
        text = io.StringIO(text, newline=None).read()
        self.text = text if not text or text.endswith("\n") else f"{text}\n"

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The lines, without their ends."""
        return tuple(self.text.split("\n")[:-1])


def _text(text: str, known: FileText | None) -> FileText:
    """A text; the known object if the text has not changed, so that results that are cached for it stay valid."""
    file_text = FileText(text)
    return known if known is not None and known.text == file_text.text else file_text


class Sources:
    """Texts by path. A file on disk is read once for each state of the file."""

    def __init__(self, unsaved: Mapping[str, str | FileText] | None = None) -> None:
        self._unsaved = {
            path: FileText(text) if isinstance(text, str) else text for path, text in (unsaved or {}).items()
        }
        # The texts that were read, each with the state of the file: time of change, size and inode; None: not on disk.
        self._read: dict[str, tuple[tuple[int, int, int] | None, FileText]] = {}
        self._names: Mapping[str, str] = {}

    def show(self, path: str, text: str) -> None:
        """Show ``text`` as the contents of the file at ``path`` (absolute, or a name in angle brackets)."""
        self._unsaved[path] = _text(text, self._unsaved.get(path))

    def forget(self, path: str) -> None:
        """Show the saved contents of the file at ``path`` again."""
        self._unsaved.pop(path, None)

    def unsaved(self) -> dict[str, str]:
        """The texts that are shown instead of files, by path."""
        return {path: shown.text for path, shown in self._unsaved.items()}

    @contextmanager
    def calling(self, names: Mapping[str, str]) -> Iterator[None]:
        """A context in which files have other names, by path: ``In[3]`` for the cell of a notebook."""
        before, self._names = self._names, names
        try:
            yield
        finally:
            self._names = before

    def name_of(self, path: str) -> str | None:
        """The name that is used for a file instead of its path; None if it has no other name."""
        return self._names.get(path)

    @contextmanager
    def showing(self) -> Iterator[None]:
        """A context at whose end the texts that were shown inside it are forgotten."""
        before = dict(self._unsaved)
        try:
            yield
        finally:
            self._unsaved = before

    def of(self, path: str) -> FileText:
        """The present text of a file."""
        unsaved = self._unsaved.get(path)
        if unsaved is not None:
            return unsaved
        entry = linecache.cache.get(path)
        # An entry without a time of change does not stand for a file: a cell of a notebook, generated code.
        if not path.startswith("<") and not (entry is not None and len(entry) == 4 and entry[1] is None):
            try:
                status = os.stat(path)
            except (OSError, ValueError):
                pass
            else:
                return self._saved(path, (status.st_mtime_ns, status.st_size, status.st_ino))
        return self._of_python(path)

    def is_unsaved(self, path: str) -> bool:
        """Whether an unsaved text is shown instead of the saved file."""
        return path in self._unsaved

    def is_file(self, path: str) -> bool:
        """Whether a file exists, saved or not."""
        return path in self._unsaved or os.path.isfile(path)

    def _saved(self, path: str, revision: tuple[int, int, int]) -> FileText:
        at, known = self._read.get(path, (None, None))
        if known is None or at != revision:
            try:
                with tokenize.open(path) as file:
                    known = _text(file.read(), known)
            except (OSError, UnicodeDecodeError, SyntaxError):
                known = _text("", known)
            self._read[path] = revision, known
        return known

    def _of_python(self, path: str) -> FileText:
        """Return the text in ``linecache``, where loaders of modules, notebooks and tests put texts without a file."""
        linecache.checkcache(path)
        _, known = self._read.get(path, (None, None))
        text = _text("".join(linecache.getlines(path)), known)
        self._read[path] = None, text
        return text


SOURCES: Part[Sources] = Part(Sources)
