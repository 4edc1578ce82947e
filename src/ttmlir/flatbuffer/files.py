"""Files that are written whole or not at all: an interrupted run leaves the old one, or none."""

from __future__ import annotations

import os
from pathlib import Path


def write_whole(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file, whole or not at all; a device or a pipe, such as ``/dev/null``, is written to. Raises ``OSError``."""
    target = Path(path)
    if target.exists() and not target.is_file():
        with target.open("wb") as file:
            file.write(content)
        return
    # Of this process: two runs that write one file do not write into each other's parts.
    partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
    try:
        partial.write_bytes(content)
        partial.replace(target)
    except OSError as problem:
        raise type(problem)(problem.errno, problem.strerror, str(target)) from None
    finally:
        partial.unlink(missing_ok=True)
