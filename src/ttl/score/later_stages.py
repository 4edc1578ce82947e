"""The stages after ``right``: schedules, sanitized, compiled and emulated, made from the answers of processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ttl.score.runs import ScoringRuns, wrong_run
from ttl.score.stages import ScoreStage, StageName

Calls = Sequence[Mapping[str, Any]]


def later_stages(
    runs: ScoringRuns, read: Mapping[str, Any], tried: Mapping[str, Any] | None
) -> Iterator[ScoreStage]:
    """Yield those of the stages schedules, sanitized, compiled and emulated that the request includes.

    ``tried`` has the results of trials, if any.
    """
    calls: Calls = () if tried is None else tried["calls"]
    stages: Mapping[StageName, Callable[[], ScoreStage]] = {
        "schedules": lambda: _schedules(runs, read, calls, tried is not None),
        "sanitized": lambda: _sanitized(runs, read, calls, tried is not None),
        "compiled": lambda: _compiled(read),
        "emulated": lambda: not_tried("emulated") if tried is None else _emulated(calls),
    }
    for name, stage in stages.items():
        if runs.wants(name):
            yield stage()


def not_tried(name: StageName) -> ScoreStage:
    """A stage that is unknown because no call was run on the emulated chip."""
    return ScoreStage(name=name, passed=None, why="no call was run on the emulated chip")


def staged(name: StageName, passed: bool, why: str, help: str = "", **facts: Any) -> ScoreStage:
    """A stage; ``help`` is kept only if it was not passed."""
    return ScoreStage(name=name, passed=passed, why=why, help="" if passed else help, facts=facts)


def _schedules(runs: ScoringRuns, read: Mapping[str, Any], calls: Calls, tried: bool) -> ScoreStage:
    orders = runs.request.orders
    wrong = wrong_run(runs.witnessed(read, schedules=orders))
    differing = [name for call in calls for name in call["orders"]]
    why = f"{differing[0]} depends on when transfers arrive" if differing else f"the same in {orders} orders"
    return staged(
        "schedules",
        not wrong and not differing and tried,
        wrong or why,
        "synchronise with a semaphore or a pipe; 'ttl run --schedules N' shows what differs",
    )


def _sanitized(runs: ScoringRuns, read: Mapping[str, Any], calls: Calls, tried: bool) -> ScoreStage:
    wrong = wrong_run(runs.witnessed(read, sanitize=True))
    rubbish = [name for call in calls for name in call["rubbish"]]
    why = (
        f"{rubbish[0]} depends on what was in memory before"
        if rubbish
        else "reads only memory that was written"
    )
    return staged(
        "sanitized",
        not wrong and not rubbish and tried,
        wrong or why,
        "'ttl run --sanitize' shows where something undefined is read",
    )


def _compiled(read: Mapping[str, Any]) -> ScoreStage:
    problems = {target: findings for target, findings in read["compiled"].items() if findings}
    first = next(iter(problems.items()), None)
    return staged(
        "compiled",
        first is None,
        f"for {', '.join(read['compiled'])}"
        if first is None
        else f"for {first[0]}: {first[1][0]['code']}: {first[1][0]['message']}",
        "ttl compile says what the hardware or the compiler lacks",
        targets={target: not findings for target, findings in read["compiled"].items()},
    )


def _emulated(calls: Calls) -> ScoreStage:
    elsewhere = [(target, text) for call in calls for target, text in call["elsewhere"].items() if text]
    simulated = [call["simulated"] for call in calls if call["simulated"]]
    unseen = sum(call["simulated"] is None for call in calls)
    why = "the same on both chips, in both generations and in the simulator"
    if unseen == len(calls):
        why = "no call could be compared with the simulator"
    elif elsewhere:
        why = f"on {elsewhere[0][0]}: {elsewhere[0][1]}"
    elif simulated:
        why = simulated[0]
    return staged(
        "emulated",
        not elsewhere and not simulated and unseen < len(calls),
        why,
        "'ttl run --target emu --compare' finds the first block that differs"
        if simulated or not elsewhere
        else "results have to be the same on every chip and in every generation: 'ttl run --arch' tries a chip",
    )
