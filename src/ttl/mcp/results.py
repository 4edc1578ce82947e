"""The answers of the tools: typed records, whose long texts and lists are cut."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

MOST_DIAGNOSTICS = 20
MOST_LINES = 20


@dataclass(frozen=True, kw_only=True)
class ToolPlace:
    """A place in a file; lines and columns count from 1."""

    file: str
    line: int
    column: int
    text: str = ""
    """The message about the place."""


@dataclass(frozen=True, kw_only=True)
class ToolFinding:
    """One diagnostic: the error, its place, and advice (``help``). The tool ``explain`` has the page of its code."""

    code: str
    severity: str
    message: str
    place: ToolPlace | None
    related: list[ToolPlace]
    notes: list[str]
    help: list[str]
    fixable: bool
    """Whether the tool ``fix`` repairs it."""


@dataclass(frozen=True, kw_only=True)
class ToolFindings:
    """The diagnostics of a program, errors first."""

    errors: int
    warnings: int
    findings: list[ToolFinding]
    """At most 20 of them."""


@dataclass(frozen=True, kw_only=True)
class Checked(ToolFindings):
    """The result of ``ttl check``; the program did not run."""

    ok: bool
    """Whether there is no error, and every operation was analysed completely."""
    operations: int
    not_checked: list[str]
    """The operations that could not be checked, each with the reason."""


@dataclass(frozen=True, kw_only=True)
class Fixed(ToolFindings):
    """A program after all fixes; the remaining findings are in ``findings``."""

    applied: int
    diff: str
    source: str
    """The whole changed program."""


@dataclass(frozen=True, kw_only=True)
class RunResult(ToolFindings):
    """A run of the program."""

    ok: bool
    exit_code: int | None
    """The exit code; None if the process was ended: ``reason`` says why."""
    reason: str
    seconds: float
    output: str
    output_cut: int
    """Characters of output that are left out."""
    exception: dict[str, Any] | None
    """An exception of the program's own, with its frames."""


@dataclass(frozen=True, kw_only=True)
class CompiledKernels(ToolFindings):
    """The kernels of the operations that a program calls."""

    ok: bool
    cpp: str
    """All kernels, cut at the limit."""
    cut: int


@dataclass(frozen=True, kw_only=True)
class LaunchCost:
    """The estimated cost of one launch on the emulated chip."""

    name: str
    cycles: int
    headline: str
    """The first thing to do."""
    verdict: str
    advice: list[dict[str, Any]] = field(default_factory=list)
    lines: list[dict[str, Any]] = field(default_factory=list)
    """The 20 lines with most of the critical path."""


@dataclass(frozen=True, kw_only=True)
class Profiled(ToolFindings):
    """Cycles of a program on the emulated chip."""

    ok: bool
    cycles: int
    launches: list[LaunchCost]
    claim: str
    """A statement about the accuracy of the estimates."""
    output: str


@dataclass(frozen=True, kw_only=True)
class ScoredStage:
    """One stage of a score."""

    stage: str
    passed: bool | None
    """Whether the stage was passed; None if it was not reached."""
    earned: float
    worth: float
    why: str
    help: str


@dataclass(frozen=True, kw_only=True)
class Scored(ToolFindings):
    """The score of a program."""

    total: float
    """The total of the score, from 0 to 1."""
    failed: str | None
    """The first stage that was not passed."""
    disqualified: str | None
    """The program's forbidden action, for which its total is 0."""
    next: str
    """The next thing to do about the program."""
    stages: list[ScoredStage]
    reference: str | None
    """The source of the reference: ``given``, ``declared`` or ``compared``, the last two by the program itself."""
    cycles: int | None
    of_roofline: float | None
    advice: list[str]
    """The advised changes to make the program faster, at most 5; the tool ``profile`` has the rest."""


@dataclass(frozen=True, kw_only=True)
class CodePage:
    """The page of an error code."""

    code: str
    title: str
    text: str


@dataclass(frozen=True, kw_only=True)
class Hit:
    """A section of the documentation, or an example."""

    page: str
    section: str
    text: str


def scored_of(score: dict[str, Any]) -> Scored:
    """The answer for a score in the form of ``ttl score --format json``."""
    following = score["next"]
    keys = ("stage", "passed", "earned", "worth", "why", "help")
    advice = [str(item.get("change", "")) for call in score["calls"] for item in call["advice"]]
    return Scored(
        total=score["total"],
        failed=score["failed"],
        disqualified=score["disqualified"],
        next="" if following is None else following["help"] or following["why"],
        stages=[ScoredStage(**{key: stage[key] for key in keys}) for stage in score["stages"]],
        reference=score["reference"]["kind"],
        cycles=score["cycles"],
        of_roofline=score["of_roofline"],
        advice=advice[:5],
        **findings_of(score["diagnostics"]),
    )


def findings_of(diagnostics: list[dict[str, Any]]) -> dict[str, Any]:
    """The arguments of ``ToolFindings`` for diagnostics in the form of ``--format json``."""
    order = {"error": 0, "warning": 1, "note": 2}
    ranked = sorted(diagnostics, key=lambda item: order.get(item["severity"], 3))
    return {
        "errors": sum(item["severity"] == "error" for item in diagnostics),
        "warnings": sum(item["severity"] == "warning" for item in diagnostics),
        "findings": [_finding(item) for item in ranked[:MOST_DIAGNOSTICS]],
    }


def _finding(item: dict[str, Any]) -> ToolFinding:
    return ToolFinding(
        code=item["code"],
        severity=item["severity"],
        message=item["message"],
        place=None if item["primary"] is None else _place(item["primary"]),
        related=[_place(label) for label in item["secondary"]],
        notes=item["notes"],
        help=item["help"],
        fixable=item["fix"] is not None,
    )


def _place(label: dict[str, Any]) -> ToolPlace:
    return ToolPlace(file=label["file"], line=label["line"], column=label["column"], text=label["label"])
