"""Reports as text: JSON, and files."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from ttl.diag.fixes import replace_whole
from ttl.report.assembly import page
from ttl.report.pack import as_json

# The permissions of a new report.
_MODE = 0o644


def is_data(path: str) -> bool:
    """Whether a report in a file consists of the data alone: the name of the file ends in ``.json``."""
    return path.lower().endswith(".json")


def write(path: str, report: Mapping[str, Any]) -> None:
    """Write a report, completely or not at all: data alone where the path ends in ``.json``, a page otherwise.

    Raises ``OSError``, and ``ProgramError`` TTL0140 where the page was not built.
    """
    if is_data(path):
        content = as_json(report)
    else:
        content = page(report)
    if os.path.exists(path) and not os.path.isfile(path):  # a pipe, /dev/stdout
        with open(path, "w", encoding="utf-8") as file:
            file.write(content)
        return
    mode = os.stat(path).st_mode & 0o7777 if os.path.exists(path) else _MODE
    replace_whole(os.path.realpath(path), content.encode(), mode)
