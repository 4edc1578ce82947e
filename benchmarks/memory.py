"""Memory of this process: what it holds now, and the most it held since asked to forget. Linux; None elsewhere.

Native memory counts, which tracemalloc does not see.
"""

from __future__ import annotations

import ctypes
import gc
from pathlib import Path

_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")
_FORGET_PEAK = "5"  # man 5 proc: resets VmHWM to the present resident set

# malloc.h
_M_TRIM_THRESHOLD = -1
_M_MMAP_THRESHOLD = -3
_NEVER = 1 << 30


def start() -> float | None:
    """Forget the peak; MiB held now."""
    gc.collect()
    try:
        _CLEAR.write_text(_FORGET_PEAK)
    except OSError:
        return None
    return _mib("VmRSS")


def peak() -> float | None:
    """The most MiB held since ``start``."""
    return _mib("VmHWM")


def keep_what_is_freed() -> None:
    """From now on malloc gives nothing back to the system, as far as it can be told (glibc).

    By default it depends on what lies at the end of the heap whether torch's temporaries of 16 MB are given back and
    come anew, page by page: unfused attention takes 19 or 40 ms. Both would be torch's time.
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):
        return
    mallopt(_M_MMAP_THRESHOLD, _NEVER)
    mallopt(_M_TRIM_THRESHOLD, _NEVER)


def _mib(name: str) -> float | None:
    try:
        lines = _STATUS.read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    for line in lines:
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) / 1024
    return None
