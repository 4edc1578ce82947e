"""Files of the formats: the error for broken ones, and writing a file completely or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path


class FlatbufferError(ValueError):
    """A file of another format, or a broken file; a schema that cannot be read, or a value that does not fit its type.

    The text names the file and says what it is instead; or it names the field, as a path from the root. ``table`` is
    the field's table. Both are given where they are known.
    """

    table = ""


def write_whole(path: str | os.PathLike[str], content: bytes | Iterable[bytes | memoryview]) -> None:
    """Write bytes, or pieces of them, to a file, which is written completely or not at all. Raises ``OSError``.

    A device or a pipe, such as ``/dev/null``, is written to directly.
    """
    pieces = [content] if isinstance(content, bytes) else content
    target = Path(path)
    if target.exists() and not target.is_file():
        with target.open("wb") as file:
            file.writelines(pieces)
        return
    # The name has the process id: two runs that write the same file do not write into each other's parts.
    partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
    try:
        with partial.open("wb") as file:
            file.writelines(pieces)
        partial.replace(target)
    except OSError as problem:
        raise type(problem)(problem.errno, problem.strerror, str(target)) from None
    finally:
        partial.unlink(missing_ok=True)
