"""Unsaved texts of an editor: the program, and modules that it imports, as they are being typed."""

from __future__ import annotations

import importlib.abc
import json
import linecache
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import spec_from_file_location
from types import ModuleType

from ttl.session import SOURCES

_PACKAGE = "__init__.py"


def texts_of(given: str) -> dict[str, str]:
    """Parse a JSON object of texts by path. Raises ``ValueError`` for any other input.

    A file that is reached through a link is listed under both of its paths.
    """
    known = json.loads(given)
    if not isinstance(known, dict) or not all(isinstance(text, str) for text in known.values()):
        raise ValueError("not an object of texts by path")
    real = {path if path.startswith("<") else os.path.realpath(path): text for path, text in known.items()}
    return {**real, **known}


@contextmanager
def imported(texts: Mapping[str, str]) -> Iterator[None]:
    """A context in which a module with unsaved text is imported with that text; no file is written."""
    finder = _UnsavedFinder(texts)
    for path, text in texts.items():
        show_to_python(path, text)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)


def show_to_python(path: str, text: str) -> None:
    """Let Python's own tracebacks, and ``inspect``, show an unsaved text."""
    # The time of change is None, so Python does not look for the file on disk.
    linecache.cache[path] = (1, None, text.splitlines(keepends=True), path)


class _UnsavedFinder(importlib.abc.MetaPathFinder):
    """Finds modules that have an unsaved text, also if they are not files yet; leaves other modules to Python."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts
        self._names = {_module_name(path) for path in texts if path.endswith(".py")}

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        last = name.rpartition(".")[2]
        if last not in self._names:
            return None
        for folder in sys.path if path is None else path:
            there = PathFinder.find_spec(name, [folder], target)
            if there is not None and there.origin is not None:
                return self._spec(name, there.origin)
            base = os.path.join(os.path.realpath(folder or os.curdir), last)
            for file in (os.path.join(base, _PACKAGE), f"{base}.py"):
                if file in self._texts:
                    return self._spec(name, file)
        return None

    def _spec(self, name: str, file: str) -> ModuleSpec | None:
        if file not in self._texts:
            return None
        package = [os.path.dirname(file)] if os.path.basename(file) == _PACKAGE else None
        loader = _UnsavedLoader(name, file, self._texts[file])
        return spec_from_file_location(name, file, loader=loader, submodule_search_locations=package)


class _UnsavedLoader(SourceFileLoader):
    """Loads a module from a text; the compiled code of the file on disk is neither read nor written."""

    def __init__(self, name: str, file: str, text: str) -> None:
        super().__init__(name, file)
        self._text = text

    def get_data(self, path: str) -> bytes:
        """Return the unsaved text instead of the contents of the file."""
        return self._text.encode("utf-8", "surrogatepass") if path == self.path else super().get_data(path)

    def path_stats(self, path: str) -> Mapping[str, float]:
        """Raise ``OSError``: the text has no time of change to compare compiled code with."""
        raise OSError(path)


def _module_name(path: str) -> str:
    folder, name = os.path.split(path)
    return os.path.basename(folder) if name == _PACKAGE else name.removesuffix(".py")


def show_all(texts: Mapping[str, str]) -> None:
    """Let every later read of these files as text return these texts."""
    for path, text in texts.items():
        SOURCES.get().show(path, text)
