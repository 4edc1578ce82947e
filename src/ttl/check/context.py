"""What the analyses are told besides the operation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from ttl.arch import Chip

Result = TypeVar("Result")


@dataclass(frozen=True, kw_only=True, slots=True)
class Context:
    """For one ``ttl.operation``."""

    chip: Chip
    strict: bool
    """Whether what the language infers (push, pop, wait) is a finding."""
    grid: tuple[int, ...]
    """Extents of the grid the operation is launched on."""
    results: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)
    """What several analyses need; see ``once``."""

    def once(self, name: str, make: Callable[[], Result]) -> Result:
        """What ``make`` returns, made the first time an analysis of this operation asks for it."""
        if name not in self.results:
            self.results[name] = make()
        found: Result = self.results[name]
        return found
