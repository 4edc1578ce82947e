"""The parts of a score: the stages, the worth of each, and the total."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

SCHEMA = 1
KIND = "score"

StageName = Literal[
    "parsed", "checked", "ran", "right", "schedules", "sanitized", "compiled", "emulated", "speed"
]
WORTH: Mapping[StageName, float] = {
    "parsed": 0.01,
    "checked": 0.04,
    "ran": 0.05,
    "right": 0.40,
    "schedules": 0.08,
    "sanitized": 0.06,
    "compiled": 0.08,
    "emulated": 0.08,
    "speed": 0.20,
}
"""The worth of every stage; the sum is 1."""

# Later stages earn nothing unless these are passed: a program with wrong results earns nothing for being fast.
NEEDED: tuple[StageName, ...] = ("parsed", "checked", "ran", "right")
FIRST_STATUS = 10
"""The exit code of a program that fails the first stage; each later stage has the next number."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ScoreStage:
    """The result of one stage."""

    name: StageName
    passed: bool | None
    """Whether the stage was passed; None if it could not be tried because of an earlier stage."""
    why: str = ""
    """The mistake, or the checks that were made."""
    help: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)
    share: float = 1.0
    """The share of its worth that the stage earns if it is passed."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Score:
    """The score of one program."""

    program: str
    stages: tuple[ScoreStage, ...]
    reference: Mapping[str, Any]
    calls: tuple[Mapping[str, Any], ...] = ()
    findings: tuple[Mapping[str, Any], ...] = ()
    """Diagnostics, in the form of ``--format json``."""
    isolation: Mapping[str, str] = field(default_factory=dict)
    disqualified: str | None = None
    """The act that disqualifies the program: its total is 0."""

    def stage(self, name: StageName) -> ScoreStage | None:
        """The stage of a name; None if the program did not reach it."""
        return next((stage for stage in self.stages if stage.name == name), None)

    def earned(self, stage: ScoreStage) -> float:
        """Return the amount that a stage adds to the total."""
        if not stage.passed or self.disqualified is not None:
            return 0.0
        before = [name for name in NEEDED if name != stage.name]
        if stage.name in NEEDED:
            before = before[: NEEDED.index(stage.name)]
        if stage.name == "speed":
            # A program without a barrier is faster: speed earns nothing unless all other stages are passed.
            before = [name for name in WORTH if name != "speed"]
        if all((other := self.stage(name)) is not None and other.passed for name in before):
            return WORTH[stage.name] * stage.share
        return 0.0

    @property
    def total(self) -> float:
        """The total of the score, from 0 to 1."""
        if self.disqualified is not None:
            return 0.0
        return round(sum(self.earned(stage) for stage in self.stages), 4)

    @property
    def failed(self) -> ScoreStage | None:
        """The first stage that was not passed."""
        return next((stage for stage in self.stages if stage.passed is False), None)

    @property
    def headline(self) -> str:
        """The first thing to do, in a sentence: about the first failed stage, else the call that can save most."""
        failed = self.failed
        if failed is not None:
            return f"First, {failed.name}: {failed.help or failed.why}"
        return str(max(self.calls, key=_saves)["headline"]) if self.calls else ""

    @property
    def status(self) -> int:
        """The exit code: 0, or that of the first stage that failed."""
        failed = self.failed
        return 0 if failed is None else FIRST_STATUS + list(WORTH).index(failed.name)

    def to_object(self) -> dict[str, Any]:
        """Return an object that ``json.dumps`` takes; docs/reference/score.md has the schema."""
        failed = self.failed
        speed = self.stage("speed")
        return {
            "schema": SCHEMA,
            "kind": KIND,
            "program": self.program,
            "total": self.total,
            "status": self.status,
            "failed": None if failed is None else failed.name,
            "disqualified": self.disqualified,
            "headline": self.headline,
            "next": None if failed is None else {"why": failed.why, "help": failed.help},
            "stages": [
                {
                    "stage": stage.name,
                    "passed": stage.passed,
                    "worth": WORTH[stage.name],
                    "earned": round(self.earned(stage), 4),
                    "why": stage.why,
                    "help": stage.help,
                    **({"facts": dict(stage.facts)} if stage.facts else {}),
                }
                for stage in self.stages
            ],
            "reference": dict(self.reference),
            "cycles": None if speed is None else speed.facts.get("cycles"),
            "of_roofline": None if speed is None else speed.facts.get("of_roofline"),
            "of_best": None if speed is None else speed.facts.get("of_best"),
            "calls": [dict(call) for call in self.calls],
            "diagnostics": [dict(finding) for finding in self.findings],
            "isolation": dict(self.isolation),
        }


def _saves(call: Mapping[str, Any]) -> tuple[int, int]:
    """The cycles that the first advice saves which keeps the results of a call right; then the cycles of the call."""
    return next((item["cycles"] for item in call["advice"] if not item["wrong"]), 0), call["cycles"]
