"""Runs commands one after the other, because they share the compiler and the output of one process."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock

from tt_adapter.commands import Reply, Settings

_ONE_AT_A_TIME = Lock()


def replied(command: Callable[[str, Settings], Reply], model_path: str, settings: Settings) -> Reply:
    """Run a command and return its reply. Commands run one at a time: this one waits until the earlier ones are done."""
    with _ONE_AT_A_TIME:
        return command(model_path, settings)
