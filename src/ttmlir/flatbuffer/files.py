"""Files that are written whole or not at all: an interrupted run leaves the old one, or none."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path


def write_whole(path: str | os.PathLike[str], content: bytes | Iterable[bytes | memoryview]) -> None:
    """Write a file, whole or not at all, of bytes or of pieces; a device or a pipe, such as ``/dev/null``, is written to.

    Raises ``OSError``.
    """
    pieces = [content] if isinstance(content, bytes) else content
    target = Path(path)
    if target.exists() and not target.is_file():
        with target.open("wb") as file:
            file.writelines(pieces)
        return
    # Of this process: two runs that write one file do not write into each other's parts.
    partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
    try:
        with partial.open("wb") as file:
            file.writelines(pieces)
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)
