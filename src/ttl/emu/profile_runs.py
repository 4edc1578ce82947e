"""Several runs of a program against one, the baseline: by operation, by kernel, by line.

Every run is matched with the baseline as ``ttl profile --diff`` matches two runs (``profile_diff``). An operation, a
kernel or a line is one row, with a column for each run.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ttl.emu.profile import Profile, lines_together
from ttl.emu.profile_diff import LaunchChange, ProfileDiff, changes_of, compared
from ttl.emu.program import KernelLine
from ttl.source.files import display_name

# The most lines in a table of a terminal, and the share of the baseline's cycles below which a line is left out.
_MOST_LINES = 12
_LEAST_SHARE = 0.005


@dataclass(frozen=True, kw_only=True, slots=True)
class CycleRow:
    """Cycles of the critical path in the baseline and in every run.

    A run is None if it does not have all launches of the operation, the baseline if it lacks the kernel or line.
    """

    baseline: int | None
    runs: tuple[int | None, ...]

    @property
    def largest_change(self) -> int:
        """The largest difference of a run from the baseline, in cycles.

        A run that lacks the line or kernel, but launched the operation, counts 0 for it.
        """
        own = self.baseline or 0
        return max((abs(run - own) for run in self.runs if run is not None), default=0)

    def to_object(self) -> dict[str, Any]:
        """Return the row as an object that ``json.dumps`` accepts."""
        return {"baseline": self.baseline, "runs": list(self.runs)}


@dataclass(frozen=True, kw_only=True, slots=True)
class LineRow:
    """A line, at its place in the baseline; where the baseline lacks it, at its place in the first run that has it."""

    place: KernelLine
    text: str
    cycles: CycleRow


@dataclass(frozen=True, kw_only=True, slots=True)
class OperationRuns:
    """Launches of one operation on tensors of the same shapes, with the constants of the baseline."""

    name: str
    values: str
    """Tensors and constants of the baseline on one line."""
    launches: int
    total: CycleRow
    """None for a run that does not have all of these launches."""
    nanoseconds: tuple[float | None, ...]
    """The nanoseconds of the baseline, then of the runs: chips may have different clocks."""
    kernels: Mapping[str, CycleRow]
    lines: tuple[LineRow, ...]
    """The lines with the largest differences of a run."""

    @property
    def speedups(self) -> list[float | None]:
        """The speed of every run relative to the baseline's."""
        own, *runs = self.nanoseconds
        return [None if run is None else round((own or 0.0) / max(run, 1e-9), 4) for run in runs]


@dataclass(frozen=True, kw_only=True, slots=True)
class RunsCompared:
    """Several runs and their baseline, each with its name."""

    baseline: str
    runs: tuple[str, ...]
    operations: tuple[OperationRuns, ...]
    others: tuple[tuple[str, ...], ...]
    """The launches of every run that the baseline does not have, in a few words."""

    @property
    def headline(self) -> str:
        """The recommendation in a sentence: the run to keep."""
        ratios = [
            (sum(before for before, _ in both) / max(sum(after for _, after in both), 1e-9), number)
            for number in range(len(self.runs))
            if (both := self._times(number))
        ]
        if not ratios:
            return f"Nothing to compare: no run launches what {self.baseline} does"
        ratio, number = max(ratios, key=lambda item: (item[0], -item[1]))
        run = self.runs[number]
        if ratio > 1:
            return f"Keep {run}: {ratio:.2f} times as fast as {self.baseline}{self._cycles(number)}"
        if ratio == 1:
            return f"Keep {self.baseline}: no run is faster"
        slow = f"is {1 / ratio:.2f} times as slow{self._cycles(number)}"
        return f"Keep {self.baseline}: the fastest other run, {run}, {slow}"

    def _times(self, number: int) -> list[tuple[float, float]]:
        """Nanoseconds of the operations that the baseline and a run have."""
        return [
            (before, after)
            for operation in self.operations
            if (before := operation.nanoseconds[0]) is not None
            and (after := operation.nanoseconds[number + 1]) is not None
        ]

    def _cycles(self, number: int) -> str:
        rows = [one.total for one in self.operations if one.total.runs[number] is not None]
        before, after = sum(row.baseline or 0 for row in rows), sum(row.runs[number] or 0 for row in rows)
        return f" ({before:,} -> {after:,} cycles)"


def compared_runs(
    baseline: tuple[str, Sequence[Profile]], runs: Sequence[tuple[str, Sequence[Profile]]]
) -> RunsCompared:
    """Every run, by its name, against the baseline."""
    name, profiles = baseline
    diffs = [compared(profiles, own) for _, own in runs]
    after = [_partners(diff) for diff in diffs]
    groups: defaultdict[str, list[Profile]] = defaultdict(list)
    for profile in profiles:
        values = "" if profile.launch is None else f"{profile.launch.values} {profile.launch.device}"
        groups[f"{profile.name} {values}"].append(profile)
    return RunsCompared(
        baseline=name,
        runs=tuple(run for run, _ in runs),
        operations=tuple(_operation(group, after) for group in groups.values()),
        others=tuple(
            tuple(f"{item.launch or item.name}: {item.cycles:,} cycles" for item in diff.only_after)
            for diff in diffs
        ),
    )


def _partners(diff: ProfileDiff) -> dict[int, Profile]:
    """Return the launches of a run that match those of the baseline, by the identity of the baseline's."""
    return {
        id(before): after
        for change in diff.launches
        for before, after in zip(change.before, change.after, strict=True)
    }


def _operation(group: Sequence[Profile], after: Sequence[Mapping[int, Profile]]) -> OperationRuns:
    changes: list[LaunchChange | None] = [
        changes_of(tuple(group), tuple(run[id(profile)] for profile in group))
        if all(id(profile) in run for profile in group)
        else None
        for run in after
    ]
    launch = group[0].launch
    return OperationRuns(
        name=group[0].name,
        values="" if launch is None else launch.values,
        launches=len(group),
        total=CycleRow(
            baseline=sum(profile.cycles for profile in group),
            runs=tuple(
                None if change is None else sum(profile.cycles for profile in change.after)
                for change in changes
            ),
        ),
        nanoseconds=(
            sum(profile.nanoseconds for profile in group),
            *(None if change is None else change.nanoseconds[1] for change in changes),
        ),
        kernels=_kernels(group, changes),
        lines=tuple(_lines(group, changes)),
    )


def _kernels(group: Sequence[Profile], changes: Sequence[LaunchChange | None]) -> dict[str, CycleRow]:
    own = _by_kernel(group)
    runs = [None if change is None else _by_kernel(change.after) for change in changes]
    names = dict.fromkeys([*own, *(name for run in runs if run is not None for name in run)])
    return {
        name: CycleRow(
            baseline=own.get(name), runs=tuple(None if run is None else run.get(name, 0) for run in runs)
        )
        for name in names
    }


def _by_kernel(profiles: Sequence[Profile]) -> dict[str, int]:
    cycles: defaultdict[str, int] = defaultdict(int)
    for place, cost in lines_together(profiles).items():
        cycles[place.kernel] += cost.path
    return dict(cycles)


def _lines(group: Sequence[Profile], changes: Sequence[LaunchChange | None]) -> Iterator[LineRow]:
    """Yield the rows of lines, those with the largest changes first.

    A line of the baseline is identified by its place; a line that the baseline lacks by its kernel, its text and its
    number among equal lines.
    """
    rows: dict[object, tuple[KernelLine, str, int | None, list[int | None]]] = {}
    none: list[int | None] = [None if change is None else 0 for change in changes]
    for place, cost in lines_together(group).items():
        rows[place] = (place, cost.text, cost.path, list(none))
    for number, change in enumerate(changes):
        new: defaultdict[object, int] = defaultdict(int)
        for line in () if change is None else change.lines:
            if line.before is not None:
                rows[line.before[0]][3][number] = line.cycles[1]
                continue
            assert line.after is not None
            place, cost = line.after
            kind = (place.kernel, cost.text.strip())
            row = rows.setdefault((kind, new[kind]), (place, cost.text, None, list(none)))
            row[3][number] = cost.path
            new[kind] += 1
    result = (
        LineRow(place=place, text=text, cycles=CycleRow(baseline=own, runs=tuple(runs)))
        for place, text, own, runs in rows.values()
    )
    yield from sorted(result, key=lambda row: (-row.cycles.largest_change, -(row.cycles.baseline or 0)))


# --- JSON


def to_object(compared: RunsCompared) -> dict[str, Any]:
    """Return the comparison as an object that ``json.dumps`` accepts."""
    return {
        "headline": compared.headline,
        "baseline": compared.baseline,
        "runs": list(compared.runs),
        "operations": [
            {
                "name": operation.name,
                "values": operation.values,
                "launches": operation.launches,
                "total": operation.total.to_object(),
                "speedups": operation.speedups,
                "kernels": [{"kernel": name, **row.to_object()} for name, row in operation.kernels.items()],
                "lines": [
                    {
                        "file": display_name(row.place.file),
                        "line": row.place.line,
                        "kernel": row.place.kernel,
                        "text": row.text,
                        **row.cycles.to_object(),
                    }
                    for row in operation.lines
                ],
            }
            for operation in compared.operations
        ],
        "others": [list(names) for names in compared.others],
    }


# --- text


def render(compared: RunsCompared) -> str:
    """The comparison as tables: the cycles of the baseline, and the difference of each run from it."""
    lines = [compared.headline]
    for operation in compared.operations:
        lines += _table(operation, compared)
    for run, names in zip(compared.runs, compared.others, strict=True):
        if names:
            lines += ["", f"only in {run}:", *(f"  {name}" for name in names)]
    return "\n".join(lines)


def _table(operation: OperationRuns, compared: RunsCompared) -> Iterator[str]:
    again = f" in {operation.launches:,} launches" if operation.launches > 1 else ""
    widths = [max(12, len(name)) for name in (compared.baseline, *compared.runs)]

    def row(cells: Sequence[str], text: str) -> str:
        return "  ".join(
            [*(f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True)), text]
        ).rstrip()

    def cycles(of: CycleRow, text: str) -> str:
        own = of.baseline or 0
        first = "" if of.baseline is None else f"{own:,}"
        return row(
            [first, *("" if run is None else f"{run - own:+,}" if run != own else "=" for run in of.runs)],
            text,
        )

    yield ""
    yield f"{operation.name}: {operation.total.baseline or 0:,} cycles in {compared.baseline}{again}"
    if operation.values:
        yield f"  {operation.values}"
    yield row([compared.baseline, *compared.runs], "")
    yield cycles(operation.total, "all")
    ratios = ("" if ratio is None else f"{ratio:.2f}" for ratio in operation.speedups)
    yield row(["", *ratios], "times as fast")
    for name, of in operation.kernels.items():
        yield cycles(of, f"kernel {name}")
    least = max(_LEAST_SHARE * (operation.total.baseline or 0), 1)
    lines = [line for line in operation.lines if line.cycles.largest_change >= least]
    for line in lines[:_MOST_LINES]:
        yield cycles(line.cycles, f"{display_name(line.place.file)}:{line.place.line} | {line.text.strip()}")
    if len(lines) > _MOST_LINES:
        yield f"  {len(lines) - _MOST_LINES} more lines with --format json"
