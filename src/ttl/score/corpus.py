"""Scoring a program, perhaps in another process: the task, and the score as an object."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ttl.processes.tasks import Limits
from ttl.score.best import read_best
from ttl.score.processes import Isolation
from ttl.score.references import given_reference
from ttl.score.runs import ScoreRequest
from ttl.score.scorer import score_program
from ttl.score.stages import StageName
from ttl.session import CHOSEN
from ttl.settings import Settings, from_json, to_json

FUNCTION = f"{__name__}:scored"
"""The function for ``SweepWork``."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ScoreOptions:
    """The options that all programs of a command line have in common."""

    arguments: tuple[str, ...] = ()
    reference: str | None = None
    """A file, perhaps with a function after a colon; or a folder with a file for each program, of the same name."""
    best: str | None = None
    seconds: int = 60
    megabytes: int = 4096
    orders: int = 10
    tolerance: float | None = None
    seed: int | None = None
    until: StageName = "speed"


def task_of(options: ScoreOptions, isolation: Isolation, chosen: Settings) -> dict[str, Any]:
    """Return the task that ``scored`` takes."""
    return {
        "options": {name: getattr(options, name) for name in options.__slots__},
        "isolation": {"network": isolation.network, "files": isolation.files},
        "settings": to_json(chosen),
    }


def scored(task: Mapping[str, Any], item: str) -> dict[str, Any]:
    """Score the program ``item`` (an absolute path); return the score as an object. Raises ``ProgramError`` TTL0129."""
    options = ScoreOptions(**task["options"])
    request = ScoreRequest(
        program=item,
        arguments=tuple(options.arguments),
        reference=None if (file := reference_for(options.reference, item)) is None else given_reference(file),
        best=None if options.best is None else read_best(options.best),
        limits=Limits(seconds=options.seconds, megabytes=options.megabytes),
        isolation=Isolation(**task["isolation"]),
        orders=options.orders,
        tolerance=options.tolerance,
        seed=options.seed,
        until=options.until,
    )
    chosen = from_json(task["settings"])
    with CHOSEN.given(chosen):
        return score_program(request, chosen).to_object()


def reference_for(given: str | None, program: str) -> str | None:
    """The reference of a program; if ``given`` is a folder, the file with the program's name in it, or None."""
    if given is None or not os.path.isdir(given):
        return given
    path = os.path.join(given, os.path.basename(program))
    return path if os.path.isfile(path) else None


def lost(program: str, why: str) -> dict[str, Any]:
    """The object that stands for the score of a program whose process died."""
    return {"schema": 1, "kind": "score", "program": os.path.basename(program), "total": 0.0, "status": 70, "failed": None, "disqualified": None, "headline": f"First: {why}", "next": {"why": why, "help": ""}, "stages": []}  # fmt: skip


def together(scores: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The scores of several programs as one object."""
    mean = sum(score["total"] for score in scores) / max(len(scores), 1)
    return {"schema": 1, "kind": "scores", "mean": round(mean, 4), "programs": list(scores)}
