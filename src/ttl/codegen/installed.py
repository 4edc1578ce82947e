"""The generation of the kernel API of the installed ttnn."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

from ttl.rows.row import Generation
from ttl.source.spans import is_our_file

NEWEST: Generation = "0.81"
# The name of a function in this header distinguishes the generations; version numbers do not, because functions were
# renamed one by one.
_HEADER = "tt_metal/hw/inc/api/compute/eltwise_binary.h"
_NEW_NAME = " add_init("


def installed_generation() -> Generation | None:
    """The generation of the kernel headers in the package of the real ttnn; None if there are no headers.

    The library is only located, and not imported, because an import opens devices.
    """
    folder = _real_ttnn()
    return None if folder is None else generation_of(folder)


def generation_of(folder: Path) -> Generation | None:
    """The generation of the kernel headers below the folder of a package ``ttnn``; None without headers."""
    try:
        text = (folder / _HEADER).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    return "0.81" if _NEW_NAME in text else "0.69"


def _real_ttnn() -> Path | None:
    loaded = sys.modules.get("ttnn")
    try:
        spec = loaded.__spec__ if loaded is not None else importlib.util.find_spec("ttnn")
    except ValueError:  # a module without a specification
        return None
    if spec is None or spec.origin is None or is_our_file(spec.origin):
        return None
    return Path(spec.origin).parent
