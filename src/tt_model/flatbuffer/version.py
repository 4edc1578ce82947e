"""The release that files name as their writer: that of 2024-11-21, whose dialects these are."""

from __future__ import annotations

from typing import Any

# Release v0.0 and the 431 changes after it.
MAJOR, MINOR, PATCH = 0, 0, 431
GIT_HASH = "9d731b7484"


def version_fields() -> dict[str, Any]:
    """Return the fields in which every file names its writer."""
    return {
        "version": {"major": MAJOR, "minor": MINOR, "patch": PATCH},
        "ttmlir_git_hash": GIT_HASH,
    }
