"""The files of a folder with dumps; their contents say which tool wrote each."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field

from ttl.codegen import debug_info
from ttl.codegen.debug_info import DebugInfo
from ttl.diag import Diagnostic, ProgramError, error
from ttl.hang import triage, watcher
from ttl.hang.dump_content import Dump
from ttl.hang.tables import plain

# A larger file is not a dump, and a folder with more files is not one of dumps.
_MOST_BYTES, _MOST_FILES = 64 << 20, 4096
_TEXTS = (".txt", ".log", ".out", ".md", ".csv", "")
_SOURCES = (".cpp", ".cc", ".hpp", ".h")


@dataclass(kw_only=True, slots=True)
class CollectedDump:
    """The content of a folder: its dumps, and its debug information."""

    dump: Dump = field(default_factory=Dump)
    infos: list[DebugInfo] = field(default_factory=list)
    sources: dict[str, str] = field(default_factory=dict)
    """Texts of kernels by the names of their files."""


def collect(folder: str) -> CollectedDump:
    """Read a folder, or one file. Raises ``ProgramError`` TTL0149 where no part of it is about a hang."""
    result = CollectedDump()
    if not os.path.exists(folder):
        raise ProgramError(_nothing(folder, "there is no such folder"))
    logs: list[tuple[list[str], str]] = []
    for path in _files(folder):
        name = os.path.relpath(path, folder) if os.path.isdir(folder) else os.path.basename(path)
        try:
            _add(path, name, result, logs)
        except OSError as problem:
            result.dump.damaged.append(f"{name}: {(problem.strerror or str(problem)).lower()}")
    # tt-triage has more about a processor than the watcher, so it comes first.
    for lines, name in logs:
        watcher.read(lines, result.dump, name)
    if not (result.dump.riscs or result.dump.broken):
        why = "no file in it has call stacks of tt-triage or dumps of the watcher"
        raise ProgramError(_nothing(folder, why, *(f"not read: {one}" for one in result.dump.damaged)))
    return result


def _nothing(folder: str, why: str, *notes: str) -> Diagnostic:
    return error(
        "TTL0149",
        f"nothing to explain in '{folder}': {why}",
        notes=notes[:8],
        help="put the output of tt-triage, or generated/watcher/watcher.log, into a folder and name that",
    )


def _files(folder: str) -> Iterator[str]:
    if not os.path.isdir(folder):
        yield folder
        return
    count = 0
    for where, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            count += 1
            if count > _MOST_FILES:
                return
            yield os.path.join(where, name)


def _add(path: str, name: str, to: CollectedDump, logs: list[tuple[list[str], str]]) -> None:
    ending = os.path.splitext(name)[1].lower()
    is_info = name.endswith(debug_info.SUFFIX)
    if not os.path.isfile(path) or not (is_info or ending in _TEXTS + _SOURCES):
        return
    if os.path.getsize(path) > _MOST_BYTES:
        to.dump.damaged.append(f"{name}: it has more than {_MOST_BYTES >> 20} MB")
        return
    with open(path, encoding="utf-8", errors="replace") as file:
        text = file.read()
    if is_info:
        try:
            to.infos.append(debug_info.from_text(text))
        except (ValueError, KeyError, TypeError, AttributeError) as problem:
            to.dump.damaged.append(f"{name}: {problem}")
            return
        to.dump.read.append(name)
        return
    if ending in _SOURCES:
        to.sources[os.path.basename(name)] = text
        return
    lines = plain(text)
    is_triage, is_watcher = triage.is_triage(lines), watcher.is_watcher(lines)
    if is_triage:
        triage.read(text, to.dump, name)
    if is_watcher:
        logs.append((lines, name))
    if is_triage or is_watcher:
        to.dump.read.append(name)
