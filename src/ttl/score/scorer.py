"""Scoring one program: which processes run, in which order, and which of their answers are trusted.

Whether a stage is passed is decided from answers of processes that run no code of the program (``ttl.score.judge``).
The process that runs it (``ttl.cli.score_witness``) can only lower the score: its reports of failures are believed, its
results are verified. This module has the stages up to ``ran``, and ``speed``; ``correctness`` and ``later_stages`` have
the others.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ttl.arch import Chip, chip_named
from ttl.check.source import problem_of
from ttl.diag.json import to_object
from ttl.rows.types import TILE
from ttl.score.beside import clock_in, why_disqualified
from ttl.score.best import BestTable
from ttl.score.correctness import correctness
from ttl.score.later_stages import later_stages, not_tried, staged
from ttl.score.processes import Answer, Processes
from ttl.score.runs import ScoreRequest, ScoringRuns, wrong_run
from ttl.score.stages import Score, ScoreStage, StageName
from ttl.settings import Settings, cache_failed, cache_folder, costed


def speed_of(
    read: Sequence[Mapping[str, Any]], tried: Sequence[Mapping[str, Any]], chip: Chip, known: BestTable | None
) -> tuple[list[dict[str, Any]], ScoreStage]:
    """Return the calls of a score and the stage ``speed``; ``read`` has facts of each call, ``tried`` its trials."""
    cycles = floor = best = 0
    complete = known is not None
    calls = []
    for about, call in zip(read, tried, strict=True):
        spent = call["profile"]["cycles"]
        least = _least_cycles(call, chip)
        entry = known.find(about["operation"], chip.name, about["arguments"]) if known is not None else None
        complete = complete and entry is not None
        cycles, floor, best = cycles + spent, floor + least, best + (entry or 0)
        calls.append(
            {
                "operation": about["operation"],
                "arguments": about["arguments"],
                "line": about["line"],
                "cycles": spent,
                "least_cycles": least,
                "best_cycles": entry,
                "l1_bytes": call["l1_bytes"],
                "headline": call["profile"]["headline"],
                "verdict": call["profile"]["verdict"],
                "of_own_work": call["profile"]["roof"]["share"],
                "advice": call["profile"]["advice"],
            }
        )
    of_roofline = min(floor / cycles, 1.0)
    of_best = min(best / cycles, 1.0) if complete else None
    beside = (
        f"{of_best:.0%} of the best known" if of_best is not None else f"{of_roofline:.0%} of the roofline"
    )
    facts = {
        "cycles": cycles,
        "of_roofline": round(of_roofline, 4),
        "of_best": None if of_best is None else round(of_best, 4),
    }
    stage = ScoreStage(
        name="speed",
        passed=True,
        why=f"{cycles:,} cycles, {beside}",
        facts=facts,
        share=of_roofline if of_best is None else of_best,
    )
    return calls, stage


def _least_cycles(call: Mapping[str, Any], chip: Chip) -> int:
    """Return the cycles that every program needs: a launch, each tensor once over the DRAM, or the reference's products.

    They do not depend on the work that the program does, so useless work does not bring a program nearer to them.
    """
    moved = sum(tensor["bytes"] for tensor in call["tensors"])
    transfers = int(moved / chip.dram_bytes_per_cycle)
    nodes = chip.grid[0] * chip.grid[1]
    tiles = call.get("flops", 0) / (2 * TILE**3)
    products = int(tiles * chip.costs.matmul_phase.value / nodes)
    return int(max(chip.costs.launch.value, transfers, products))


def score_program(request: ScoreRequest, chosen: Settings) -> Score:
    """Score a program."""
    before = _fingerprint(request)
    with tempfile.TemporaryDirectory(prefix="ttl-score-", ignore_cleanup_errors=True) as folder:
        os.chmod(folder, 0o755)
        cache = cache_folder(chosen)
        if cache is not None:
            try:
                os.makedirs(cache, mode=0o700, exist_ok=True)
            except OSError as problem:
                cache_failed(problem)
                cache, chosen = None, replace(chosen, cache_dir="off")
        scoring = _Scoring(
            request, chosen, Processes(os.path.realpath(folder), request.isolation, request.limits, cache)
        )
        score = scoring.score()
    if _fingerprint(request) != before:
        tampered = ScoreStage(
            name="parsed",
            passed=False,
            why="the program, its reference or this package was changed while it was scored",
            help="a program that is scored leaves files alone",
        )
        return replace(score, stages=(tampered,), disqualified=tampered.why)
    return score


def _fingerprint(request: ScoreRequest) -> list[str]:
    """Return digests of the files that a program must not change.

    The files of this package are included if there is no fence to protect them.
    """
    files = [request.program, *([request.reference.file] if request.reference is not None else ())]
    texts = [hashlib.sha256(Path(file).read_bytes()).hexdigest() for file in files if os.path.isfile(file)]
    if request.isolation.files != "open":
        return texts
    package = Path(__file__).parent.parent
    states = [(path, path.stat()) for path in sorted(package.rglob("*.py"))]
    return [*texts, *(f"{path} {state.st_size} {state.st_mtime_ns}" for path, state in states)]


class _Scoring:
    """The scoring of one program."""

    def __init__(self, request: ScoreRequest, chosen: Settings, processes: Processes) -> None:
        self._request = request
        self._chosen = chosen
        seed = secrets.randbits(31) if request.seed is None else request.seed
        self._runs = ScoringRuns(request, chosen, processes, seed)
        self._stages: list[ScoreStage] = []
        self._reference: Mapping[str, Any] = {"kind": None}
        self._calls: list[dict[str, Any]] = []

    def score(self) -> Score:
        """Score all stages until one ends the score."""
        self._all()
        cheats = self._runs.cheats
        return Score(
            program=os.path.basename(self._request.program),
            disqualified=cheats[0] if cheats else None,
            stages=tuple(self._stages),
            reference=self._reference,
            calls=tuple(self._calls),
            findings=tuple(self._runs.findings),
            isolation={"network": self._request.isolation.network, "files": self._request.isolation.files},
        )

    def _all(self) -> None:
        runs = self._runs
        text = self._parsed()
        if text is None:
            return
        read = self._checked(text) if runs.wants("checked") else None
        if read is None:
            return
        plain = self._ran(read) if runs.wants("ran") else None
        if plain is None or not runs.wants("right"):
            return
        right = correctness(runs, read, plain, text)
        self._reference = right.reference
        if self._disqualified("right"):
            return
        self._stages.append(right.stage)
        for stage in later_stages(runs, read, right.tried):
            if self._disqualified(stage.name):
                return
            self._stages.append(stage)
        if not runs.wants("speed"):
            return
        if right.tried is None:
            self._stages.append(not_tried("speed"))
            return
        chip = costed(chip_named(self._chosen.arch), self._chosen)
        self._calls, stage = speed_of(read["calls"], right.tried["calls"], chip, self._request.best)
        self._stages.append(stage)

    def _add(self, name: StageName, passed: bool, why: str, help: str = "", **facts: Any) -> None:
        self._stages.append(staged(name, passed, why, help, **facts))

    def _disqualified(self, name: StageName, why: str = "") -> bool:
        """Whether the program is disqualified, with ``why`` as one more reason; if it is, the stage ``name`` fails."""
        cheats = self._runs.cheats
        if why:
            cheats.append(why)
        if cheats:
            self._add(name, False, cheats[0], "let the kernels do the work, and leave the scorer alone")
        return bool(cheats)

    def _parsed(self) -> str | None:
        program = self._request.program
        if self._disqualified("parsed", why_disqualified(program)):
            return None
        try:
            text = Path(program).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            self._add("parsed", False, "it is not text", "a program is a Python file in UTF-8")
            return None
        problem = problem_of(text, os.path.basename(program), program)
        if problem is not None:
            self._runs.findings.append(to_object(problem))
            self._add("parsed", False, problem.message, "write Python")
            return None
        self._add("parsed", True, "it is Python")
        return text

    def _checked(self, text: str) -> Mapping[str, Any] | None:
        answer = self._runs.judged("read", compiled=self._runs.wants("compiled"))
        read = answer.data
        if read is None or "failed" in read:
            why = answer.why_nothing if read is None else read["failed"]["message"]
            self._add(
                "checked",
                False,
                f"it could not be checked: {why}",
                "make it smaller, or give more time and memory",
            )
            return None
        self._runs.findings += read["findings"]
        errors = [finding for finding in read["findings"] if finding["severity"] == "error"]
        if errors:
            more = f", and {len(errors) - 1} more" if len(errors) > 1 else ""
            help_ = errors[0]["help"][0] if errors[0]["help"] else f"ttl explain {errors[0]['code']}"
            self._add("checked", False, f"{errors[0]['code']}: {errors[0]['message']}{more}", help_)
        elif read["not_checked"] and (line := clock_in(text)) is not None:
            self._disqualified("checked", f"what it does depends on the clock, in line {line}")
        elif read["not_checked"]:
            self._add(
                "checked",
                False,
                f"not all of it can be read: {read['not_checked'][0]}",
                "declare arguments with ttl.example, or give the program's arguments behind --",
            )
        elif not read["calls"]:
            self._add(
                "checked", False, "it calls no operation", "write an operation with kernels, and call it"
            )
        else:
            calls = len(read["calls"])
            self._add("checked", True, f"no errors in {calls} kind{'s' if calls > 1 else ''} of calls")
            return read
        return None

    def _ran(self, read: Mapping[str, Any]) -> Answer | None:
        answer = self._runs.witnessed(read)
        if self._disqualified("ran"):
            return None
        wrong = wrong_run(answer)
        if wrong:
            self._add("ran", False, wrong, "make 'ttl run PROGRAM' end with exit code 0")
            return None
        seen = answer.data["seen"] if answer.data is not None else []
        missing = [
            call
            for number, call in enumerate(read["calls"])
            if call["origin"] == "call" and number not in seen
        ]
        if missing:
            self._add(
                "ran",
                False,
                f"the call of {missing[0]['operation']} in line {missing[0]['line']} did not happen",
                "let the program run to its end and make every call that it contains",
            )
            return None
        self._add("ran", True, "it ran to its end in the simulator", seconds=round(answer.ended.seconds, 3))
        return answer
