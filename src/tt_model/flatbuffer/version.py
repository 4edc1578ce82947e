"""The release that files are written as: the one whose dialects these are, of 2024-11-21."""

from __future__ import annotations

from typing import Any

# Release v0.0, and 431 changes since.
MAJOR, MINOR, PATCH = 0, 0, 431
GIT_HASH = "9d731b7484"


def version_fields() -> dict[str, Any]:
    """Return the fields in which every file names its writer."""
    return {
        "version": {"major": MAJOR, "minor": MINOR, "patch": PATCH},
        "ttmlir_git_hash": GIT_HASH,
    }
