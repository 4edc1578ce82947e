"""The work to do for each item, and its result."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ttl.diag.internal import version

Loss = Literal["", "died", "failed", "time", "memory", "cluster"]
"""Why an item has no result.

Its process was killed, ended by itself, took too long, used too much memory; or the cluster gave the item up.
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class SweepLimits:
    """The limits of an item, in a process that may do many of them."""

    seconds: float = 60.0
    """The seconds for an item, from the moment at which the process reports that it has begun."""
    first: float = 600.0
    """The seconds until a process reports that it has begun with an item, including its start before the first item."""
    megabytes: int = 4096
    """The megabytes of memory of a process and all that it starts."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SweepWork:
    """Work for many items. Everything is JSON, so that another machine can do it."""

    function: str = ""
    """``package.module:name`` of a function of a task and an item, which returns JSON."""
    module: str = "ttl.sweeps.child"
    """The module that does the work; a replacement must communicate over a ``ParentChannel``."""
    task: Mapping[str, Any] = field(default_factory=dict)
    """The part of the task that all items have in common."""
    limits: SweepLimits = field(default_factory=SweepLimits)
    files: tuple[str, ...] = ()
    """Files (absolute paths) that the work reads, which must be equal on the machine that does it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SweepAnswer:
    """The result of one item."""

    number: int
    """The number with which the item was submitted."""
    value: Any = None
    """A JSON value; None for a lost item."""
    loss: Loss = ""
    why: str = ""
    """The reason of the loss in words."""
    report: str = ""
    """The last part of the lost process's standard error."""


def fingerprint(path: str) -> str:
    """Return the fingerprint of a file's contents; empty if it cannot be read."""
    try:
        with open(path, "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()
    except OSError:
        return ""


def versions() -> str:
    """Return the versions that must be the same on all machines of a cluster."""
    return f"ttlang {version()} on Python {sys.version_info.major}.{sys.version_info.minor}"
