"""Scores as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

_SIGNS = {True: "ok", False: "FAILED", None: "-"}


def render(score: Mapping[str, Any]) -> str:
    """Return the score as text: the first thing to do, then a line for every stage."""
    lines = [score["headline"]] if score["headline"] else []
    lines.append(f"{score['program']}: {score['total']:.2f} of 1")
    if score.get("disqualified"):
        lines.append(f"disqualified: {score['disqualified']}")
    for stage in score["stages"]:
        lines.append(
            f"  {stage['stage']:<10}{_SIGNS[stage['passed']]:<7} {stage['earned']:.2f} of {stage['worth']:.2f}  {stage['why']}"
        )
    open_ = [name for name, how in score.get("isolation", {}).items() if how == "open"]
    if open_:
        lines.append(f"the program had access to: {', '.join(open_)}")
    return "\n".join(lines)


def render_all(scores: Sequence[Mapping[str, Any]]) -> str:
    """A line for every program."""
    width = max((len(score["program"]) for score in scores), default=0)
    lines = [
        f"{score['program']:<{width}}  {score['total']:.2f}  {score['failed'] or 'all stages'}{_why(score)}"
        for score in scores
    ]
    mean = sum(score["total"] for score in scores) / max(len(scores), 1)
    return "\n".join([*lines, f"mean of {len(scores)}: {mean:.2f}"])


def _why(score: Mapping[str, Any]) -> str:
    return f": {score['next']['why']}" if score.get("next") else ""
