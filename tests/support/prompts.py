"""Notebooks that tests start set the prompts of an interactive session, in which notes are said at once."""

from __future__ import annotations

import sys


def without_prompts() -> None:
    """This process is not interactive (any more)."""
    for name in ("ps1", "ps2", "ps3"):
        vars(sys).pop(name, None)
