"""Faults of the cache folder and their repair, for ``ttl doctor``."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ttl.cli.cache import PARTS, folders_of
from ttl.emu import headers, kernel_cache

# The seconds without a write after which a file counts as left behind by a killed process.
_LEFT = 3600
_LARGEST_ENTRY = 1 << 20
# The bytes that must be free on the disk: enough for the kernels of a program or two.
_ROOM = 32 << 20


@dataclass(frozen=True, kw_only=True, slots=True)
class CacheFault:
    """A fault of the cache folder."""

    what: str
    path: str
    mended: bool = False
    """Whether the fault has been repaired."""


def faults(folder: str, *, fix: bool) -> list[CacheFault]:
    """Return the faults of a cache folder; with ``fix``, repair them where possible.

    Only files of this package are touched.
    """
    wrong = list(_of_folder(folder, fix))
    if any(not fault.mended for fault in wrong):
        return wrong
    for path, what in _damaged(Path(folder)):
        wrong.append(CacheFault(what=what, path=str(path), mended=fix and _removed(path)))
    return wrong


def state_of(folder: str | None) -> str:
    """Return the cache folder and its first fault, in one line."""
    if folder is None:
        return "switched off"
    wrong = faults(folder, fix=False)
    if not wrong:
        return folder
    more = f", and {len(wrong) - 1} more" if len(wrong) > 1 else ""
    return f"{folder}: {wrong[0].path} {wrong[0].what}{more} ('ttl doctor --fix' mends it)"


def _of_folder(folder: str, fix: bool) -> Iterator[CacheFault]:
    """Yield a fault for the folder, and for each folder in it, that cannot be written."""
    for path in (folder, *(os.path.join(folder, name.partition("/")[0]) for name, _ in PARTS)):
        if os.path.lexists(path) and not os.path.isdir(path):
            # The file in the way is kept, under another name.
            mended = False
            if fix:
                with contextlib.suppress(OSError):
                    os.rename(path, _free_name(path))
                    mended = True
            yield CacheFault(what="is not a folder", path=path, mended=mended)
        elif path == folder or os.path.isdir(path):
            problem = _unwritable(path) or _open_to_others(path)
            if problem and fix:
                with contextlib.suppress(OSError):
                    os.chmod(path, (os.stat(path).st_mode | 0o700) & ~0o002)
            if problem:
                mended = fix and not (_unwritable(path) or _open_to_others(path))
                yield CacheFault(what=problem, path=path, mended=mended)
    there = folder
    while not os.path.isdir(there) and os.path.dirname(there) != there:
        there = os.path.dirname(there)
    with contextlib.suppress(OSError):
        free = shutil.disk_usage(there).free
        if free < _ROOM:
            if fix:
                kernel_cache.make_room(os.path.join(folder, "emu", "kernels"), 0)
            room = shutil.disk_usage(there).free
            yield CacheFault(what=f"has {room >> 20} MB left on its disk", path=folder, mended=room >= _ROOM)


def _unwritable(path: str) -> str:
    try:
        os.makedirs(path, mode=0o700, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            return ""
    except OSError as problem:
        return f"cannot be written: {(problem.strerror or str(problem)).lower()}"


def _open_to_others(path: str) -> str:
    """Say how other users may put files into a folder, whose kernels are loaded as libraries; empty if they may not."""
    if not hasattr(os, "getuid"):
        return ""
    status = os.stat(path)
    if status.st_uid not in (os.getuid(), 0):
        return "belongs to another user"
    return "may be written by all users" if status.st_mode & 0o002 else ""


def _damaged(folder: Path) -> Iterator[tuple[Path, str]]:
    """Yield damaged files, and files left behind by killed processes, each with a description of the fault."""
    now = time.time()
    for name, _ in PARTS:
        for part in folders_of(folder, name):
            for path in sorted(part.rglob("*.tmp")):
                with contextlib.suppress(OSError):
                    if now - path.stat().st_mtime > _LEFT:
                        yield path, "was left by a process that was killed"
    for kernels in (folder / "emu" / "kernels", folder / "of-programs" / "emu" / "kernels"):
        for path in sorted(kernels.glob("*.so")):
            with contextlib.suppress(FileNotFoundError):
                if path.is_dir() or not kernel_cache.is_whole(str(path)):
                    yield path, "is not a whole kernel"
    for path in sorted((folder / "emu").glob("include-*")):
        for generation in headers.GENERATIONS:
            if path.name == headers.name_of(generation) and not headers.is_whole(path, generation):
                yield path, "has not all headers"
    for path in sorted((folder / "check").glob("*.json")):
        try:
            if path.stat().st_size > _LARGEST_ENTRY or not isinstance(json.loads(path.read_bytes()), dict):
                raise ValueError
        except FileNotFoundError:
            continue
        except (OSError, ValueError, RecursionError):
            yield path, "is not a result of a check"


def _removed(path: Path) -> bool:
    try:
        shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


def _free_name(path: str) -> str:
    number = 1
    while os.path.lexists(f"{path}.old{number}"):
        number += 1
    return f"{path}.old{number}"
