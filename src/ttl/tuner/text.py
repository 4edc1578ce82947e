"""The output of ``ttl tune``: the best configuration, the costs of the others, and the influence of parameters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from ttl.diag.words import counted
from ttl.rules import tuning as rules
from ttl.tuner.coordinator import TunedCall
from ttl.tuner.shapes import ShapesTogether
from ttl.tuner.trial import TunerTrial

# Rows of the table of the fastest configurations.
_MOST = 10
WORDS: Mapping[str, str] = {
    "excluded": "excluded by where",
    "refused": "refused",
    "wrong": "with wrong results",
    "failed": "failed on the chip",
    "lost": "lost",
    "bound": "not run",
    "slower": "stopped early",
}
_FAILED = ("refused", "wrong", "failed", "lost")
_WHY: Mapping[str, str] = {
    "bound": ": slower than the best even if nothing ever waited",
    "slower": ", when they were certain to be too slow",
}
# Half of the estimates are within this of published measurements of programs (docs/reference/cycles.md).
_SURE = 1.10


def render(call: TunedCall) -> Iterator[str]:
    """The report on one call."""
    about = call.about
    yield f"{about['operation']}({', '.join(about['key'])}) on {about['chip']}"
    if "problem" in about:
        problem = about["problem"]
        yield f"  not tuned: {problem['code']}{': ' * bool(problem['code'])}{problem['message']}"
        return
    tried = [trial for trial in call.trials.values() if trial.verdict not in ("excluded", "bound")]
    known = f", {call.known} of them in an earlier run" if call.known else ""
    yield f"  {len(tried)} of {counted(len(call.configurations), 'configuration')} tried in {call.seconds:.1f} s{known}"
    ranking = call.ranking
    if ranking:
        yield from _table(call, ranking)
        yield from _summary(call, ranking)
    yield from _not_right(call)


def _table(call: TunedCall, ranking: Sequence[TunerTrial]) -> Iterator[str]:
    best = ranking[0]
    yield f"  {'cycles':>11}  {'':>6}  {'L1':>8}  configuration"
    for trial in ranking[:_MOST]:
        mark = "  (without tuning)" if trial.number == call.preferred else ""
        configuration = shown(call.configurations[trial.number])
        yield f"  {trial.cycles:>11,}  {trial.cycles / best.cycles:>5.2f}x  {trial.l1_bytes / 1024:>5.0f} KB  {configuration}{mark}"
    if len(ranking) > _MOST:
        yield f"  {counted(len(ranking) - _MOST, 'slower one')} not shown"


def _summary(call: TunedCall, ranking: Sequence[TunerTrial]) -> Iterator[str]:
    best = ranking[0]
    before = None if call.preferred is None else call.trials.get(call.preferred)
    if before is not None and before.verdict == "measured" and before.cycles > 1.005 * best.cycles:
        yield f"  {before.cycles / best.cycles:.2f} times as fast as without tuning"
    compiled = call.best_compiled
    if compiled is not None:
        faster = best.cycles / compiled.cycles
        yield f"  {faster:.2f} times as fast with other choices of the compiler, {compiled.cycles:,} cycles: --compile-option '{compiled.compile_option}'"
    elif call.compiled:
        yield f"  no other choice of the compiler makes it faster ({counted(len(call.compiled), 'one')} tried)"
    scheduled = call.best_scheduled
    if scheduled is not None:
        faster = (compiled or best).cycles / scheduled.cycles
        yield f"  {faster:.2f} times as fast with a schedule, {scheduled.cycles:,} cycles: --schedule '{scheduled.schedule}'"
    elif call.scheduled:
        yield f"  no schedule makes it faster ({counted(len(call.scheduled), 'schedule')} tried)"
    alike = sum(trial.cycles <= _SURE * best.cycles for trial in ranking[1:])
    if alike:
        yield f"  {counted(alike, 'other one')} within {_SURE - 1:.0%}, which is as sure as estimates of cycles are: on a card one of them may be faster"
    frontier = on_frontier(ranking)
    if len(frontier) > 1:
        less = "; ".join(
            f"{trial.l1_bytes / 1024:.0f} KB: {trial.cycles:,} cycles ({shown(call.configurations[trial.number])})"
            for trial in frontier[1:4]
        )
        yield f"  with less L1: {less}"
    for name, costs in influence(call, ranking):
        values = ", ".join(
            f"{value}: {f'{cycles:,}' if cycles else 'slower'}" for value, cycles in costs.items()
        )
        yield f"  best by {name}: {values}"


def _not_right(call: TunedCall) -> Iterator[str]:
    trials = call.trials.values()
    for verdict in ("excluded", "bound", "slower"):
        count = sum(trial.verdict == verdict for trial in trials)
        if count:
            yield f"  {count} {WORDS[verdict]}{_WHY.get(verdict, '')}"
    counts = Counter((trial.verdict, trial.code, trial.why) for trial in trials if trial.verdict in _FAILED)
    for (verdict, code, why), count in counts.most_common(5):
        reason = f"{code}: {why}" if code else why
        yield f"  {count} {WORDS[verdict]}: {reason}"
    left = len(call.configurations) - len(call.trials)
    if left:
        yield f"  {left} not looked at: --budget"


def shown(configuration: Mapping[str, Any]) -> str:
    """Return a configuration in Python syntax."""
    return rules.shown({name: written(value) for name, value in configuration.items()})


def written(value: Any) -> Any:
    """Return a value of a file as programs write it: lists become tuples."""
    return tuple(map(written, value)) if isinstance(value, list) else value


def on_frontier(ranking: Sequence[TunerTrial]) -> list[TunerTrial]:
    """Return the correct trials, the fastest first, that need less L1 than all faster ones."""
    frontier: list[TunerTrial] = []
    for trial in ranking:
        if not frontier or trial.l1_bytes < frontier[-1].l1_bytes:
            frontier.append(trial)
    return frontier


def influence(call: TunedCall, ranking: Sequence[TunerTrial]) -> list[tuple[str, dict[str, int]]]:
    """Return the fewest cycles with each value of each parameter that has several, the most influential one first.

    0 means that all trials with that value were stopped early, or not run.
    """
    result: list[tuple[str, dict[str, int]]] = []
    for name in call.configurations[0]:
        costs: dict[str, int] = {}
        for trial in ranking:
            costs.setdefault(str(written(call.configurations[trial.number][name])), trial.cycles)
        for trial in call.trials.values():
            if trial.verdict in ("slower", "bound"):
                costs.setdefault(str(written(call.configurations[trial.number][name])), 0)
        if len(costs) > 1:
            result.append((name, costs))
    return sorted(result, key=lambda item: -_matters(item[1].values()))


def _matters(costs: Collection[int]) -> float:
    """Return the ratio of the cycles with the worst and best value; infinite if a value was too slow to finish."""
    return float("inf") if 0 in costs else max(costs) / min(costs)


def as_json(call: TunedCall) -> dict[str, Any]:
    """Return the outcome of a call as an object for programs."""
    ranking = call.ranking
    best = call.configurations[ranking[0].number] if ranking else None
    compiled = call.best_compiled if ranking else None
    return {
        **call.about,
        "best": best,
        "compile": None if compiled is None else compiled.as_json(),
        "frontier": [trial.number for trial in on_frontier(ranking)],
        "influence": dict(influence(call, ranking)) if ranking else {},
        "as_fast_as_sure": sum(trial.cycles <= _SURE * ranking[0].cycles for trial in ranking),
        "trials": [trial.as_json() for _, trial in sorted(call.trials.items())],
        "screenings": [item.as_json() for _, item in sorted(call.screenings.items())],
        "known": call.known,
        "compiled_known": call.compiled_known,
        "seconds": round(call.seconds, 3),
    }


def portability(calls: Mapping[str, Sequence[TunedCall]]) -> Iterator[str]:
    """Report the results of each chip's best configuration on the other chips."""
    chips = list(calls)
    for tuned in zip(*calls.values(), strict=False):
        by_chip = dict(zip(chips, tuned, strict=True))
        if not all(call.ranking for call in tuned):
            continue
        yield ""
        yield f"{tuned[0].about['operation']}({', '.join(tuned[0].about['key'])}): the best of each chip on the others"
        for chip, call in by_chip.items():
            configuration = call.configurations[call.ranking[0].number]
            costs = [f"{other}: {_elsewhere(there, configuration)}" for other, there in by_chip.items()]
            yield f"  best on {chip}, {shown(configuration)}: {', '.join(costs)}"


def _elsewhere(call: TunedCall, configuration: Mapping[str, Any]) -> str:
    if configuration not in call.configurations:
        return "not declared"
    trial = call.trials.get(call.configurations.index(dict(configuration)))
    if trial is None:
        return "not tried"
    best = call.ranking[0].cycles
    return (
        f"{trial.cycles:,} cycles, {trial.cycles / best:.2f}x"
        if trial.verdict == "measured"
        else trial.verdict
    )


def of_shapes(shapes: ShapesTogether) -> Iterator[str]:
    """Report the best configuration for all shapes of an operation, and its cycles on each shape."""
    about, best = shapes.calls[0].about, shapes.best
    head = f"{about['operation']} on {about['chip']}, {counted(len(shapes.calls), 'shape')}"
    if best is None:
        yield f"{head}: no configuration is right on all of them"
        return
    yield f"For all shapes at once choose {shown(best.configuration)}"
    worst = max(
        cycles / call.ranking[0].cycles for cycles, call in zip(best.cycles, shapes.calls, strict=True)
    )
    yield f"  {head}: {best.mean:.2f} times the cycles of each shape's best (geometric mean), at most {worst:.2f} times"
    for cycles, call in zip(best.cycles, shapes.calls, strict=True):
        first = call.ranking[0]
        own = (
            "the best there"
            if cycles == first.cycles
            else f"{cycles / first.cycles:.2f}x of {first.cycles:,} with {shown(call.configurations[first.number])}"
        )
        yield f"  {cycles:>11,}  {', '.join(call.about['key'])}: {own}"
    left = len(shapes.undecided)
    if left:
        yield f"  {counted(left, 'other one')} may be better: not tried to the end on every shape; --exhaustive tries all"
