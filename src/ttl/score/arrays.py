"""Arrays that a process of a score leaves for another one: NumPy files of numbers, which are read without unpickling.

The process that writes a file is not trusted.
"""

from __future__ import annotations

import os
import zipfile
from collections.abc import Mapping

import numpy as np

from ttl.rows.dtypes import Array

# The most bytes of a file, unpacked.
MOST_BYTES = 1 << 30


def save(path: str, arrays: Mapping[str, Array]) -> None:
    """Write a file of arrays."""
    with open(path, "wb") as file:
        np.savez(file, **dict(arrays))  # type: ignore[arg-type]


def load(path: str) -> dict[str, Array]:
    """Read a file of arrays without unpickling objects. Raises ``ValueError`` for other files, and too large ones."""
    try:
        if os.path.islink(path) or not os.path.isfile(path):
            raise ValueError("there is no file of arrays")
        with zipfile.ZipFile(path) as file:
            if sum(item.file_size for item in file.infolist()) > MOST_BYTES:
                raise ValueError(f"more than {MOST_BYTES >> 20} MB of arrays")
        with np.load(path, allow_pickle=False) as stored:
            return {name: stored[name] for name in stored.files}
    except (OSError, EOFError, KeyError, zipfile.BadZipFile, MemoryError) as problem:
        raise ValueError(f"no file of arrays: {problem}") from None


def named(call: int, tensor: str, what: str) -> str:
    """The name of an array in a file of arrays."""
    return f"{call}|{what}|{tensor}"
