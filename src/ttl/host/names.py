"""What to say about a name that the library does not have."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher


def nearest(name: str, known: Iterable[str], count: int = 3) -> tuple[str, ...]:
    """Advice that names the nearest known names, or none when nothing is near."""
    scored = sorted(((_likeness(name, each), each) for each in known), reverse=True)
    near = [each for score, each in scored[:count] if score >= 0.5]
    return (f"nearest here: {', '.join(near)}",) if near else ()


def _likeness(name: str, other: str) -> float:
    """1 for equal names; parts between underscores count as much as letters."""
    letters = SequenceMatcher(None, name.lower(), other.lower()).ratio()
    parts, others = set(name.lower().split("_")), set(other.lower().split("_"))
    common = len(parts & others) / max(len(parts | others), 1)
    return max(letters, 0.5 * letters + 0.5 * common)
