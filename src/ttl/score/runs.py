"""The request for a score, and its processes: some run the program, others judge it.

The answer of a process that runs the program (``ttl.cli.score_witness``) can only lower the score; the answer of
``ttl.score.judge``, which does not execute the program, is trusted.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ttl.arch import names
from ttl.processes.tasks import Limits
from ttl.score.best import BestTable
from ttl.score.processes import JUDGE, REFEREE, WITNESS, Answer, Isolation, Processes
from ttl.score.references import ScoreReference
from ttl.score.stages import WORTH, StageName
from ttl.settings import Settings, to_json

# The orders that the emulated chip tries at most: it delays single transfers, the simulator whole kernels.
_EMULATED_ORDERS = 4


@dataclass(frozen=True, kw_only=True, slots=True)
class ScoreRequest:
    """The program to score, with the options of the score."""

    program: str
    """The absolute path of the program."""
    arguments: tuple[str, ...] = ()
    reference: ScoreReference | None = None
    best: BestTable | None = None
    limits: Limits
    """The limits of each process."""
    isolation: Isolation
    orders: int = 10
    tolerance: float | None = None
    seed: int | None = None
    """The seed of the hidden inputs; None means another seed each time."""
    until: StageName = "speed"
    """The last stage to score."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CallTrials:
    """The trials of calls on the emulated chip: the answer, its data, and the reason if there are no data."""

    answer: Answer
    data: Mapping[str, Any] | None
    why: str


class ScoringRuns:
    """The processes of one score. Diagnostics of failures on the emulated chip are added to ``findings``."""

    def __init__(self, request: ScoreRequest, chosen: Settings, processes: Processes, seed: int) -> None:
        self.request = request
        self.chosen = chosen
        self.processes = processes
        self.seed = seed
        self.findings: list[Mapping[str, Any]] = []
        self.cheats: list[str] = []
        """The reasons why the program is disqualified."""
        self._chips = [chosen.arch, *(name for name in names() if name != chosen.arch)]

    def wants(self, name: StageName) -> bool:
        """Whether the request includes a stage."""
        order = list(WORTH)
        return order.index(name) <= order.index(self.request.until)

    def judged(self, mode: str, **more: Any) -> Answer:
        """Run the judge in a mode: ``read`` the program, or ``try`` its calls."""
        return self.processes.run(
            JUDGE,
            {
                "mode": mode,
                "program": self.request.program,
                "arguments": list(self.request.arguments),
                "settings": to_json(self.chosen),
                "chips": self._chips,
                **more,
            },
            trusted=True,
        )

    def witnessed(
        self, read: Mapping[str, Any], salt: int = 0, spoil: int | None = None, **chosen: Any
    ) -> Answer:
        """Run the program with the settings ``chosen`` instead of its own.

        ``salt`` changes its random numbers; ``spoil`` is the number of a call whose results are spoilt.
        """
        origins = {**self.chosen.origins, **dict.fromkeys((*chosen, "check", "progress"), "ttl score")}
        values = {"target": "sim", "check": "off", "progress": "off", "format": "text", "cache_dir": "off"}
        origins |= dict.fromkeys(values, "ttl score")
        given = replace(self.chosen, **{**values, **chosen, "origins": origins})
        answer = self.processes.run(
            WITNESS,
            {
                "program": self.request.program,
                "arguments": list(self.request.arguments),
                "settings": to_json(given),
                "calls": read["calls"],
                "salt": salt,
                "spoil": spoil,
            },
            trusted=False,
            folder=os.path.dirname(self.request.program),
            shown=[os.path.dirname(self.request.program)],
        )
        self.cheats += answer.cheats
        return answer

    def refereed(self, file: str, task: Mapping[str, Any], shown: Sequence[str] = ()) -> Answer:
        """Call a reference function of a file, which may be the program; it can read the files ``shown``."""
        answer = self.processes.run(
            REFEREE,
            {"file": file, **task},
            trusted=False,
            shown=[os.path.dirname(os.path.abspath(file)), *shown],
        )
        self.cheats += () if task["whole"] else answer.cheats
        return answer

    def tried(self, **more: Any) -> CallTrials:
        """Try all calls on the emulated chip."""
        answer = self.judged(
            "try",
            seed=self.seed,
            orders=min(self.request.orders, _EMULATED_ORDERS),
            elsewhere=self.wants("emulated"),
            **more,
        )
        data = answer.data
        if data is None:
            why = f"the emulated chip did not finish: {answer.why_nothing}"
            return CallTrials(answer=answer, data=None, why=why)
        failed = data.get("failed") or next(
            (call["failed"] for call in data["calls"] if "failed" in call), None
        )
        if failed is None:
            return CallTrials(answer=answer, data=data, why="")
        self.findings.append(failed)
        why = f"on the emulated chip: {failed['code']}: {failed['message']}"
        return CallTrials(answer=answer, data=None, why=why)


def wrong_run(answer: Answer) -> str:
    """Return the reason why a run failed; empty if it succeeded."""
    data = answer.data
    if data is None:
        return answer.why_nothing
    if data.get("status") != 0:
        said = [line for line in answer.ended.output.strip().splitlines() if line.strip()]
        last = next((line for line in said if line.startswith("error")), said[-1] if said else "")
        return f"it ended with exit code {data.get('status')}" + (f": {last[:300]}" if last else "")
    if data.get("begun") != data.get("ended"):
        return "a call of an operation failed, and the program continued"
    return ""
