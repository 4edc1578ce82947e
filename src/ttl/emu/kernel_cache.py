"""Compiled kernels in the cache folder: which are there, when they were used, and room for more.

The time of change of a file is when it was used last. Several processes use one folder: a file may go at any time, and who
makes room leaves alone what somebody has used in the last minutes.
"""

from __future__ import annotations

import contextlib
import os
import time
from dataclasses import dataclass

from ttl import settings
from ttl.session import Part

# Seconds: a use is noted again after this, and what was used within this stays.
_NOTED = 60
_RECENT = 600
# Leftovers of processes that were killed while they compiled go after this.
_UNFINISHED = 3600
# Kernels that a process stores until it looks again whether there are too many; and how full the cache is left.
_LOOKS = 128
_LEFT = 0.8
_MEGABYTE = 1 << 20


@dataclass(slots=True)
class _Stored:
    """Kernels that this process has stored since it looked, and whether it ever did."""

    count: int = _LOOKS


_STORED: Part[_Stored] = Part(_Stored)


def is_kept(path: str) -> bool:
    """Whether a kernel is there; it is used now."""
    try:
        used = os.stat(path).st_mtime
    except OSError:
        return False
    if time.time() - used > _NOTED:
        with contextlib.suppress(OSError):  # of somebody else's cache, which may be read
            os.utime(path)
    return True


def stored(folder: str, count: int) -> None:
    """So many kernels were stored: now and then, those go that were used the longest time ago, where there are too many."""
    state = _STORED.get()
    state.count += count
    if state.count >= _LOOKS:
        state.count = 0
        make_room(folder, settings.current().cache_limit * _MEGABYTE)


def make_room(folder: str, limit: int) -> None:
    """Keep the files of a folder below so many bytes, by leaving out those that were used the longest time ago."""
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
            if os.stat(path).st_mtime_ns == used:  # else somebody has used it meanwhile
                os.unlink(path)
            whole -= size
