"""A profile beside the lines of a text: turns the objects of ``--profile --format json`` into notes in the margin."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ttl.service.moves import change_between
from ttl.session import FileText
from ttl.source.spans import Span

# Keys of a profile that describe a launch, and advise on the first change to make.
_OF_A_LAUNCH = (
    "name", "launch", "device", "arguments", "constants", "cycles", "verdict", "bound_by", "advice",
)  # fmt: skip
# Fewer cycles than this of work or waiting are not shown.
_LEAST = 0.5


@dataclass(frozen=True, kw_only=True, slots=True)
class MarginLine:
    """The note beside a line (from 1)."""

    line: int
    text: str
    cycles: int
    """Cycles on the critical path, summed over all launches."""
    share: float
    """The share of the cycles of all launches, 0 to 1."""
    busy: float
    """Cycles in which the processor that works most on this line works on it; the mean over the nodes."""
    waits: float
    heat: float
    """The cycles relative to those of the line with the most cycles, 0 to 1."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Margin:
    """The profile of one file's text."""

    path: str
    text: FileText
    """The text that the numbers are about."""
    verdict: str
    launches: tuple[dict[str, Any], ...]
    lines: tuple[MarginLine, ...]
    operations: Mapping[str, str] = field(default_factory=dict)
    """The verdict on the launches of each operation that was launched."""
    stale: bool = False

    def moved_to(self, text: FileText) -> Margin:
        """Return the notes for another text: places are moved, changed lines are left out, and it is marked stale."""
        if text is self.text:
            return self
        change = change_between(self.text, text)
        lines = []
        for item in self.lines:
            own = self.text.lines[item.line - 1] if item.line <= len(self.text.lines) else ""
            whole = Span(
                file=self.path, line=item.line, column=1, end_line=item.line, end_column=len(own) + 1
            )
            span = change.span(whole)
            # A range around the change grows with it: the line's text may have changed.
            if span is not None and text.lines[span.line - 1].strip() == own.strip():
                lines.append(replace(item, line=span.line))
        return replace(self, text=text, lines=tuple(lines), stale=True)


def margin_of(
    path: str, text: FileText, profiles: Sequence[Mapping[str, Any]], operation: str | None = None
) -> Margin:
    """Return the notes beside the lines of a file; ``profiles`` are objects of all launches of a run, in their order.

    If ``operation`` is named, only its launches count.
    """
    if operation is not None:
        profiles = [profile for profile in profiles if profile["name"] == operation]
    cycles = _cycles(profiles)
    paths: defaultdict[int, int] = defaultdict(int)
    busy: defaultdict[int, defaultdict[str, float]] = defaultdict(lambda: defaultdict(float))
    waits: defaultdict[int, defaultdict[str, float]] = defaultdict(lambda: defaultdict(float))
    for profile in profiles:
        for item in profile["lines"]:
            if item["file"] != path:
                continue
            paths[item["line"]] += item["path"]
            _add(busy[item["line"]], item["busy"])
            _add(waits[item["line"]], item["waits"])
    hottest = max(paths.values(), default=0)
    lines = (
        _line(number, paths[number], busy[number], waits[number], cycles, hottest) for number in sorted(paths)
    )
    return Margin(
        path=path,
        text=text,
        verdict=_verdict(profiles, cycles, operation),
        launches=tuple({key: profile.get(key) for key in _OF_A_LAUNCH} for profile in profiles),
        lines=tuple(line for line in lines if line.text),
        operations={name: _verdict(own, _cycles(own), name) for name, own in _by_operation(profiles).items()},
    )


def files_of(profiles: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    """The files that cycles were counted in."""
    return frozenset(item["file"] for profile in profiles for item in profile["lines"])


def _by_operation(profiles: Iterable[Mapping[str, Any]]) -> dict[str, list[Mapping[str, Any]]]:
    groups: defaultdict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for profile in profiles:
        groups[profile["name"]].append(profile)
    return groups


def _cycles(profiles: Iterable[Mapping[str, Any]]) -> int:
    return sum(profile["cycles"] for profile in profiles)


def _verdict(profiles: Sequence[Mapping[str, Any]], cycles: int, operation: str | None) -> str:
    if not profiles:
        return f"the program does not launch {operation or 'an operation'}"
    if len(profiles) == 1:
        first = profiles[0].get("headline")
        return f"{first}. {profiles[0]['verdict']}" if first else str(profiles[0]["verdict"])
    most = max(profiles, key=lambda profile: int(profile["cycles"]))
    share = 100 * most["cycles"] / max(cycles, 1)
    return f"{cycles:,} cycles in {len(profiles):,} launches, {share:.0f} % of them in launch {most['launch']}: {most['verdict']}"


def _add(sums: defaultdict[str, float], cycles: Mapping[str, float]) -> None:
    for role, value in cycles.items():
        sums[role] += value


def _line(
    number: int, path: int, busy: Mapping[str, float], waits: Mapping[str, float], cycles: int, hottest: int
) -> MarginLine:
    share = path / max(cycles, 1)
    parts = [f"{path:,} cycles, {100 * share:.0f} %"] if path else []
    worked, waited = _most(busy.items()), _most(waits.items())
    parts += [f"busy {worked[1]:,.0f} {worked[0]}"] if worked[1] >= _LEAST else []
    parts += [f"waits {waited[1]:,.0f} {waited[0]}"] if waited[1] >= _LEAST else []
    return MarginLine(
        line=number,
        text=" | ".join(parts),
        cycles=path,
        share=round(share, 4),
        busy=worked[1],
        waits=waited[1],
        heat=round(path / hottest, 4) if hottest else 0.0,
    )


def _most(costs: Iterable[tuple[str, float]]) -> tuple[str, float]:
    return max(costs, key=lambda item: item[1], default=("", 0.0))
