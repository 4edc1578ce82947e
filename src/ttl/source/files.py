"""Lines of source files, and the file names that messages show."""

from __future__ import annotations

import errno
import os
import stat

from ttl.session import SOURCES, Sources

_MOST_OF_DEVICE = 1 << 20


def check_finite(path: str) -> None:
    """Raise ``OSError`` for an endless device such as ``/dev/zero``: one that is no terminal and yields a megabyte."""
    mode = os.stat(path).st_mode
    if not (stat.S_ISCHR(mode) or stat.S_ISBLK(mode)):
        return
    with open(path, "rb", buffering=0) as file:
        if not file.isatty() and len(file.read(_MOST_OF_DEVICE) or b"") == _MOST_OF_DEVICE:
            raise OSError(errno.EFBIG, "it is a device that has no end", path)


def _sources() -> Sources:
    return SOURCES.get()


def lines(file: str) -> tuple[str, ...] | None:
    """The lines of ``file`` without their line ends, or None if its text is not available."""
    return _sources().of(file).lines or None


def is_file(path: str) -> bool:
    """Whether a file exists, saved or not."""
    return _sources().is_file(path)


def line(file: str, number: int) -> str | None:
    """Line ``number``, from 1, without its line end, or None."""
    there = lines(file) or ()
    return there[number - 1] if 1 <= number <= len(there) else None


def display_name(file: str) -> str:
    """The name of ``file`` for messages: its given name, or relative to the working folder if it is inside of it."""
    name = _sources().name_of(file)
    if name is not None:
        return name
    if file.startswith("<") or not os.path.isabs(file):
        return file
    try:
        here = os.getcwd()
    except OSError:  # the working folder was removed
        return file
    return os.path.relpath(file, here) if file.startswith(here.rstrip(os.sep) + os.sep) else file


def short_name(file: str) -> str:
    """The name of ``file`` without folders, or its given name."""
    return os.path.basename(display_name(file))


def character_offset(file: str, number: int, byte_offset: int) -> int:
    """The offset in characters, from 0, for an offset in bytes of UTF-8, in which Python counts columns."""
    text = line(file, number)
    return byte_offset if text is None else characters(text, byte_offset)


def characters(text: str, byte_offset: int) -> int:
    """Return the number of characters in the first ``byte_offset`` bytes, in UTF-8, of a line."""
    return byte_offset if text.isascii() else len(text.encode()[:byte_offset].decode(errors="ignore"))
