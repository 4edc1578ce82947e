"""The headers of kernels, precompiled for all kernels of a kind: a generation, a chip, computing or moving data.

Precompiling takes as long as compiling a few kernels, so it is done for the fourth kernel; compiled kernels are the
same to the byte. A compiler that cannot use a precompiled header reads the header beside it.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Sequence
from threading import Lock

from ttl.session import Part

# The number of kernels with the same arguments at which their header is precompiled.
_WORTHWHILE = 4
_NAME = "kernels.h"
# The most headers that are kept, of 3 to 7 MB each; if there are more, the half that was not used for the longest time
# is removed.
_MOST_KEPT = 48


class _Precompiled:
    """The kernels that this process has compiled, counted by kind."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.kernels: Counter[str] = Counter()


_OF_PROCESS: Part[_Precompiled] = Part(_Precompiled)


def header_for(
    command: Sequence[str], arguments: Sequence[str], headers: Sequence[str], identity: str, folder: str
) -> str | None:
    """A header that includes ``headers``, precompiled for a command with these arguments, or None.

    It is None until so many kernels of this process need it that making it is worthwhile, if it cannot be made, and for
    clang. ``folder`` keeps the headers; ``identity`` changes with the compiler and with the contents of the headers.
    """
    if "clang" in identity:
        return None
    told = "\0".join((*command, *arguments, *headers, identity))
    name = hashlib.sha256(told.encode()).hexdigest()[:32]
    path = os.path.join(folder, name, _NAME)
    if os.path.exists(path):
        with contextlib.suppress(OSError):
            os.utime(os.path.dirname(path))
        return path
    known = _OF_PROCESS.get()
    with known.lock:
        known.kernels[name] += 1
        if known.kernels[name] != _WORTHWHILE:
            return None
    return path if _make(path, command, arguments, headers) else None


def forget(path: str) -> None:
    """Remove a precompiled header that cannot be used."""
    shutil.rmtree(os.path.dirname(path), ignore_errors=True)


def _make(path: str, command: Sequence[str], arguments: Sequence[str], headers: Sequence[str]) -> bool:
    """Write header and precompiled header, both or nothing. Return whether they are there."""
    target = os.path.dirname(path)
    try:
        os.makedirs(os.path.dirname(target), mode=0o700, exist_ok=True)
        unfinished = tempfile.mkdtemp(dir=os.path.dirname(target))
        try:
            header = os.path.join(unfinished, _NAME)
            with open(header, "w", encoding="utf-8") as file:
                file.writelines(f'#include "{name}"\n' for name in headers)
            words = [*command, *arguments, "-x", "c++-header", "-o", f"{header}.gch", header]
            done = subprocess.run(words, capture_output=True, check=False)
            if done.returncode:
                return False
            os.rename(unfinished, target)
            _make_room(os.path.dirname(target))
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
    except OSError:  # the disk is full, or another process was faster
        return os.path.exists(path)
    return True


def _make_room(folder: str) -> None:
    """Remove the least recently used headers if there are too many.

    A process that was about to use one of them compiles without it.
    """
    with os.scandir(folder) as there:
        kept = sorted((entry.stat().st_mtime, entry.path) for entry in there)
    for _, path in kept[: len(kept) // 2] if len(kept) > _MOST_KEPT else ():
        shutil.rmtree(path, ignore_errors=True)
