"""What to say about a name that the library does not have."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher

from ttl.diag.remedies import Rename


def nearest(name: str, known: Iterable[str], count: int = 3) -> tuple[str, ...]:
    """Advice that names the nearest known names, or none when nothing is near."""
    near = _near(name, known)[:count]
    return (f"nearest here: {', '.join(near)}",) if near else ()


def renamed(name: str, known: Iterable[str]) -> Rename | None:
    """The nearest known name in place of ``name``, where one is clearly meant."""
    near = _near(name, known, 0.8)
    return Rename(description=f"write {near[0]}", older=name, current=near[0]) if near else None


def _near(name: str, known: Iterable[str], least: float = 0.5) -> list[str]:
    """Known names that are like ``name``, the most alike first."""
    scored = sorted(((_likeness(name, each), each) for each in known), reverse=True)
    return [each for score, each in scored if score >= least]


def _likeness(name: str, other: str) -> float:
    """1 for equal names; parts between underscores count as much as letters."""
    letters = SequenceMatcher(None, name.lower(), other.lower()).ratio()
    parts, others = set(name.lower().split("_")), set(other.lower().split("_"))
    common = len(parts & others) / max(len(parts | others), 1)
    return max(letters, 0.5 * letters + 0.5 * common)
