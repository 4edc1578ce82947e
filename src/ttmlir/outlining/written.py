"""The text that is generated for one operation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class WrittenKernels:
    """The body of an operation, and the arguments of its decorators.

    ``tunable``: for each parameter that may be chosen, its type and its values, the preferred one first. ``buffering``
    is chosen as large as fits, so its values are in ascending order.
    """

    body: str
    tunable: Mapping[str, tuple[str, list[str]]]
    grid: str
