"""The work to do for each item, and its result."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ttl.diag.internal import version

Loss = Literal["", "died", "failed", "time", "memory", "cluster"]
"""Why an item has no result: its process was killed, ended by itself, took too long, used too much; or the cluster gave it up."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SweepLimits:
    """The limits of an item, in a process that may do many of them."""

    seconds: float = 60.0
    """From when the process says that it has begun with the item."""
    first: float = 600.0
    """The seconds until a process says that it has begun with its first item."""
    megabytes: int = 4096
    """The megabytes of memory of a process and all that it starts."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SweepWork:
    """Work for many items. All of it is JSON, so that it can be done on another machine."""

    function: str = ""
    """``package.module:name`` of a function of a task and an item, which returns JSON."""
    module: str = "ttl.sweeps.child"
    """The program that does it; another one speaks over a ``ParentChannel`` as this one does."""
    task: Mapping[str, Any] = field(default_factory=dict)
    """The part of the task that all items have in common."""
    limits: SweepLimits = field(default_factory=SweepLimits)
    files: tuple[str, ...] = ()
    """Files (absolute) that it reads, and that have to be the same where it is done."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SweepAnswer:
    """The result of one item."""

    number: int
    """The one that it was submitted with."""
    value: Any = None
    """JSON; None where it was lost."""
    loss: Loss = ""
    why: str = ""
    """The loss in words."""
    report: str = ""
    """The end of what a process that was lost wrote to standard error."""


def fingerprint(path: str) -> str:
    """The fingerprint of the contents of a file; empty if it cannot be read."""
    try:
        with open(path, "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()
    except OSError:
        return ""


def versions() -> str:
    """Return the versions that must be the same on all machines of a cluster."""
    return f"ttlang {version()} on Python {sys.version_info.major}.{sys.version_info.minor}"
