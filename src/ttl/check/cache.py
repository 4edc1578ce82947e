"""The findings of checks, kept for the next run of the program: one small JSON file for each specialisation.

Nothing in here may fail a run: a file that cannot be read or written, or is not ours, counts as missing.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
from collections.abc import Iterable, Sequence
from functools import cache

from ttl.diag import Diagnostic
from ttl.diag import json as diag_json
from ttl.diag.internal import version
from ttl.session import SOURCES
from ttl.settings import Settings, cache_failed, cache_folder, current_chip, write_kept
from ttl.source.spans import PACKAGE_FOLDER

_SCHEMA = 1
_ENTRIES = 4096
_LARGEST_ENTRY = 256 * 1024
# The folders of the code that findings depend on: if the code changes, everything is checked again.
_CODE = (
    "analysis",
    "arch",
    "check",
    "deadlock",
    "diag",
    "dialects",
    "frontend",
    "ir",
    "rows",
    "passes",
    "protocol",
    "rules",
    "session",
    "source",
)

Dependencies = Sequence[tuple[str, str]]
"""Files that were read, each with its ``text_hash``."""


def digest(specialisation: str, file: str, settings: Settings) -> str:
    """Return the name of the entry for a specialisation of an operation in ``file`` under ``settings``."""
    parts = (
        str(_SCHEMA), version(), _fingerprint(), sys.version, file, specialisation,
        repr(current_chip(settings)), repr(settings.system), repr(settings.grid), repr(settings.strict),
    )  # fmt: skip
    return hashlib.sha256("\0".join(parts).encode(errors="surrogatepass")).hexdigest()


def load(name: str) -> tuple[Diagnostic, ...] | None:
    """Return the findings stored as ``name`` if all files that they depend on are unchanged; else None."""
    folder = _folder()
    if folder is None:
        return None
    try:
        with open(os.path.join(folder, f"{name}.json"), "rb") as file:
            entry = json.loads(file.read(_LARGEST_ENTRY + 1))
        if entry["schema"] != _SCHEMA or entry["name"] != name:
            return None
        if any(text_hash(path) != expected for path, expected in entry["dependencies"]):
            return None
        return tuple(diag_json.from_object(finding) for finding in entry["findings"])
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None


def store(name: str, findings: Iterable[Diagnostic], dependencies: Dependencies) -> None:
    """Store findings as ``name``, completely or not at all."""
    folder = _folder()
    if folder is None:
        return
    entry = {
        "schema": _SCHEMA,
        "name": name,
        "dependencies": [[path, digest_then] for path, digest_then in dependencies],
        "findings": [diag_json.to_object(finding) for finding in findings],
    }
    content = json.dumps(entry).encode()
    if len(content) > _LARGEST_ENTRY:
        return
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        _make_room(folder)
        write_kept(os.path.join(folder, f"{name}.json"), content)
    except OSError as problem:
        cache_failed(problem)


def text_hash(path: str) -> str:
    """Return the SHA-256 of the text of a file in the session, or of an empty text if it cannot be read."""
    return hashlib.sha256(SOURCES.get().of(path).text.encode(errors="surrogatepass")).hexdigest()


def _folder() -> str | None:
    base = cache_folder()
    return None if base is None else os.path.join(base, "check")


def _make_room(folder: str) -> None:
    """Delete the older half when there are too many entries."""
    with os.scandir(folder) as there:
        names = [entry.name for entry in there if entry.name.endswith((".json", ".tmp"))]
    if len(names) < _ENTRIES:
        return
    aged = []
    for name in names:
        with contextlib.suppress(OSError):  # another process may delete entries, too
            aged.append((os.stat(os.path.join(folder, name)).st_mtime_ns, name))
    for _, name in sorted(aged)[: len(names) // 2]:
        with contextlib.suppress(OSError):
            os.unlink(os.path.join(folder, name))


@cache
def _fingerprint() -> str:
    """Return a text that changes with the code of the checks: in a source tree the version alone does not."""
    content = hashlib.sha256()
    for part in _CODE:
        for where, folders, files in os.walk(os.path.join(PACKAGE_FOLDER, part)):
            folders.sort()
            for name in sorted(files):
                if name.endswith(".py"):
                    status = os.stat(os.path.join(where, name))
                    content.update(f"{part}/{name}:{status.st_size}:{status.st_mtime_ns}\n".encode())
    return content.hexdigest()
