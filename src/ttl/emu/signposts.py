"""The cost of named stretches of kernels: ``ttl.signpost``, or a zone of a kernel written by hand."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ttl.codegen.description import ProgramDescription
from ttl.emu.launch import ChipRun, place_of
from ttl.emu.program import ROLES, KernelLine
from ttl.rows.dtypes import Array
from ttl.sim.diaries import WORKS, Diary


@dataclass(frozen=True, kw_only=True, slots=True, order=True)
class SignpostKey:
    """A stretch as one processor of the nodes runs it."""

    place: KernelLine
    role: str
    name: str


@dataclass(frozen=True, kw_only=True, slots=True)
class SignpostCost:
    """Cycles in a stretch, over all nodes and all the times that they were in it."""

    times: int
    cycles: int
    least: int
    most: int
    waits: int
    """The cycles in which the processor waited."""
    longest: int
    """The cycles of the node that spent most cycles in it, over all its times."""

    @property
    def mean(self) -> float:
        """The mean cycles of one time."""
        return self.cycles / self.times


def signposts(
    run: ChipRun, description: ProgramDescription | None = None
) -> Mapping[SignpostKey, SignpostCost]:
    """Return the cost of every stretch on every processor of a recorded run, in the order of the lines."""
    assert run.record is not None, "the run was not recorded"
    record = run.record
    zones = record.zones
    places = [place_of(signpost, run, description) for signpost in record.signposts]
    parts: defaultdict[SignpostKey, list[tuple[Array, Array]]] = defaultdict(list)
    for number, diary in record.diaries.items():
        own = zones[zones["fiber"] == number]
        for name in np.unique(own["name"]):
            key = SignpostKey(
                place=places[name], role=ROLES[number % len(ROLES)], name=record.signposts[name].name
            )
            of_name = own[own["name"] == name]
            parts[key].append(
                ((of_name["ends"] - of_name["begins"]).astype(np.int64), _waited(diary, of_name))
            )
    return {key: _cost(parts[key]) for key in sorted(parts)}


def together(runs: Sequence[Mapping[SignpostKey, SignpostCost]]) -> Mapping[SignpostKey, SignpostCost]:
    """Return the costs of several launches of a program together."""
    result: dict[SignpostKey, SignpostCost] = {}
    for run in runs:
        for key, cost in run.items():
            known = result.get(key)
            result[key] = cost if known is None else _added(known, cost)
    return dict(sorted(result.items()))


def lines(costs: Mapping[SignpostKey, SignpostCost]) -> Iterator[str]:
    """The table of a profile."""
    if not costs:
        return
    width = max(len("signpost"), *(len(key.name) for key in costs))
    kernels = max(len("kernel"), *(len(key.place.kernel) for key in costs))
    yield (
        f"{'signpost':{width}}  {'kernel':{kernels}}  {'line':>5}  {'processor':9}  {'times':>9}  {'cycles each':>11}  {'least':>9}  "
        f"{'most':>9}  {'waits':>6}"
    )
    for key, cost in costs.items():
        share = f"{100 * cost.waits / max(cost.cycles, 1):.0f} %"
        yield (
            f"{key.name:{width}}  {key.place.kernel:{kernels}}  {key.place.line:>5}  {key.role:9}  {cost.times:>9,}  {cost.mean:>11,.0f}  "
            f"{cost.least:>9,}  {cost.most:>9,}  {share:>6}"
        )


def _waited(diary: Diary, zones: Array) -> Array:
    """Cycles that a processor waited in each of some stretches. A stretch begins and ends where a span does."""
    spans = diary.spans
    took = (spans["ends"] - spans["begins"]).astype(np.int64)
    before = np.concatenate([[0], np.cumsum(np.where(spans["reason"] == WORKS, 0, took))])
    first = np.searchsorted(spans["begins"], zones["begins"], "left")
    last = np.searchsorted(spans["begins"], zones["ends"], "left")
    return np.asarray(before[last] - before[first])


def _cost(parts: Sequence[tuple[Array, Array]]) -> SignpostCost:
    cycles = np.concatenate([taken for taken, _ in parts])
    return SignpostCost(
        times=len(cycles),
        cycles=int(cycles.sum()),
        least=int(cycles.min()),
        most=int(cycles.max()),
        waits=sum(int(waited.sum()) for _, waited in parts),
        longest=max(int(taken.sum()) for taken, _ in parts),
    )


def _added(one: SignpostCost, other: SignpostCost) -> SignpostCost:
    return SignpostCost(
        times=one.times + other.times,
        cycles=one.cycles + other.cycles,
        least=min(one.least, other.least),
        most=max(one.most, other.most),
        waits=one.waits + other.waits,
        longest=one.longest + other.longest,
    )
