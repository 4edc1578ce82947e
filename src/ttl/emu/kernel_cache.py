"""The emulated chip's part of the cache folder: its place, its kernels and their times of use, and room for more.

Where the cache folder cannot be written (read-only, full, a file in its place), a folder of this process replaces it. A
kernel ends with a seal, the hash of its bytes: one that was truncated, or that another program has written, is not
loaded.

The modification time of a file is the time of its last use. Several processes share one folder: a file may vanish at
any time, and making room spares files that were used in the last minutes.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from threading import Lock
from typing import TypeVar

from ttl import settings
from ttl.session import Part

# Seconds: after ``_NOTED`` a use is noted again, and files that were used within ``_RECENT`` stay.
_NOTED = 60
_RECENT = 600
# Leftovers of processes that were killed while they compiled go after this.
_UNFINISHED = 3600
# The kernels that a process stores between two checks whether there are too many; and the share of the limit that
# making room leaves.
_LOOKS = 128
_LEFT = 0.8
_MEGABYTE = 1 << 20
_MARK = b"ttl-kernel:"
_SEAL = len(_MARK) + hashlib.sha256().digest_size

T = TypeVar("T")


@dataclass(slots=True)
class _KernelPlaces:
    """Where this session keeps kernels."""

    spare: str = ""
    """The folder of this process, where the cache folder cannot be used."""
    whole: set[tuple[str, int, int]] = field(default_factory=set)
    """Kernels that were found to be whole: path, time of change, size."""
    lock: Lock = field(default_factory=Lock)
    stored: int = _LOOKS
    """Kernels stored since the last check whether there are too many."""


_PLACES: Part[_KernelPlaces] = Part(_KernelPlaces)


def bases() -> list[str]:
    """The folders to look for kernels in, the cache folder first."""
    folder, spare = settings.cache_folder(), _PLACES.get().spare
    return [os.path.join(base, "emu") for base in (folder, spare) if base]


def written(write: Callable[[str], T]) -> T:
    """Return ``write(folder)`` for the cache folder, or, if that raises ``OSError``, for this process's own folder."""
    places = _PLACES.get()
    folder = settings.cache_folder()
    if folder is not None and not places.spare:
        try:
            return write(os.path.join(folder, "emu"))
        except OSError as problem:
            settings.cache_failed(problem)
    with places.lock:
        places.spare = places.spare or _temporary()
    return write(os.path.join(places.spare, "emu"))


@cache
def _temporary() -> str:
    folder = tempfile.mkdtemp(prefix="ttl-emu-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def seal(path: str) -> None:
    """Write a kernel's seal behind it, and both to the disk. Raises ``OSError``."""
    with open(path, "r+b") as file:
        digest = hashlib.file_digest(file, "sha256").digest()
        file.seek(0, os.SEEK_END)
        file.write(_MARK + digest)
        file.flush()
        os.fsync(file.fileno())


def is_whole(path: str) -> bool:
    """Whether a kernel is as it was sealed. Raises ``OSError``."""
    with open(path, "rb") as file:
        content = file.read()
    return content[-_SEAL:] == _MARK + hashlib.sha256(content[:-_SEAL]).digest()


def is_kept(path: str) -> bool:
    """Whether a kernel is there, and whole. This counts as a use."""
    known = _PLACES.get().whole
    try:
        status = os.stat(path)
        state = (path, status.st_mtime_ns, status.st_size)
        if state not in known and not is_whole(path):
            return False
        known.add(state)
        used = status.st_mtime
    except OSError:
        return False
    if time.time() - used > _NOTED:
        with contextlib.suppress(OSError):  # the cache may be another user's, which can be read only
            os.utime(path)
    return True


def stored(folder: str, count: int) -> None:
    """Count stored kernels. From time to time, the least recently used ones are removed where there are too many."""
    places = _PLACES.get()
    places.stored += count
    if places.stored >= _LOOKS:
        places.stored = 0
        make_room(folder, settings.current().cache_limit * _MEGABYTE)


def make_room(folder: str, limit: int) -> None:
    """Keep the files of a folder below a number of bytes by removing the least recently used ones."""
    now, whole, files = time.time(), 0, []
    with contextlib.suppress(OSError), os.scandir(folder) as there:
        for entry in there:
            with contextlib.suppress(OSError):  # another process makes room, too
                status = entry.stat()
                size = status.st_blocks * 512
                whole += size
                age = now - status.st_mtime
                if age > (_UNFINISHED if entry.name.endswith(".tmp") else _RECENT):
                    files.append((status.st_mtime_ns, entry.path, size))
    if whole <= limit:
        return
    for used, path, size in sorted(files):
        if whole <= limit * _LEFT:
            return
        with contextlib.suppress(OSError):
            if os.stat(path).st_mtime_ns == used:  # else another process has used it meanwhile
                os.unlink(path)
            whole -= size
