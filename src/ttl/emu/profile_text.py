"""``--profile``: the user's source with cycles beside each line, and what bounds the program."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from ttl.diag.words import counted
from ttl.emu.claim import CLAIM
from ttl.emu.profile import LineCost, Profile
from ttl.emu.signposts import lines as signpost_lines
from ttl.source.files import line as source_line

# Lines without cycles that are shown between two with cycles; where there are more, dots stand for them.
_MOST_BETWEEN = 6
_COLUMNS = "{path:>11}  {share:>5}  {busy:>10}  {waits:>10}  {number:>5} | {text}"


def render(profile: Profile, sources: Mapping[str, Sequence[str]] | None = None, launches: int = 1) -> str:
    """The report. ``sources``: lines of files that are nowhere on disk, such as kernels."""
    lines = [*_summary(profile, launches)]
    by_file: defaultdict[str, dict[int, LineCost]] = defaultdict(dict)
    for place, cost in profile.lines.items():
        known = by_file[place.file].get(place.line)
        by_file[place.file][place.line] = cost if known is None else _joined(known, cost)
    for file, costs in by_file.items():
        lines += ["", _shown(file)]
        lines.append(
            _COLUMNS.format(path="path", share="", busy="busy", waits="waits", number="", text="").rstrip(
                " |"
            )
        )
        lines += _source(file, costs, profile.cycles, sources or {})
    table = list(signpost_lines(profile.signposts))
    if table:
        lines += ["", *table]
    return "\n".join([*lines, "", *_legend(profile)])


def _summary(profile: Profile, launches: int) -> Iterator[str]:
    again = f" in {launches:,} launches" if launches > 1 else ""
    yield (
        f"{profile.name}: {profile.cycles:,} cycles{again} on {counted(profile.nodes, 'node')} of {profile.chip} "
        f"({profile.nanoseconds / 1e3:,.1f} us), bound by {profile.bound_by}"
    )
    yield "  critical path  " + ", ".join(
        f"{resource} {_percent(cycles, profile.cycles)}"
        for resource, cycles in profile.path.items()
        if cycles * 200 >= profile.cycles
    )
    busy = [
        f"{processor.role} {_percent(processor.busy, profile.cycles)}" for processor in profile.processors
    ]
    busy += [
        f"busiest bank {profile.busiest_bank:.0%}".replace("%", " %"),
        f"busiest link {profile.busiest_link:.0%}".replace("%", " %"),
    ]
    yield "  busy           " + ", ".join(busy)
    yield (
        f"  roofline       {profile.roof.cycles:,} cycles, {profile.roof.resource}: {profile.roof.because}; "
        f"the program is at {_percent(profile.roof.cycles, profile.cycles)} of it"
    )


def _source(
    file: str, costs: Mapping[int, LineCost], cycles: int, sources: Mapping[str, Sequence[str]]
) -> Iterator[str]:
    before: int | None = None
    for line in sorted(costs):
        if before is not None and line - before - 1 <= _MOST_BETWEEN:
            yield from (_row(file, between, None, cycles, sources) for between in range(before + 1, line))
        elif before is not None:
            yield _COLUMNS.format(path="", share="", busy="", waits="", number="...", text="").rstrip()
        yield _row(file, line, costs[line], cycles, sources)
        before = line


def _row(
    file: str, line: int, cost: LineCost | None, cycles: int, sources: Mapping[str, Sequence[str]]
) -> str:
    given = sources.get(file)
    text = source_line(file, line) or "" if given is None else given[line - 1] if line <= len(given) else ""
    result = {"path": "", "share": "", "busy": "", "waits": ""}
    if cost is not None:
        result = {
            "path": f"{cost.path:,}" if cost.path else "",
            "share": _percent(cost.path, cycles) if cost.path * 200 >= cycles else "",
            "busy": _whole(max(cost.busy.values(), default=0)),
            "waits": _whole(max(cost.waits.values(), default=0)),
        }
    return _COLUMNS.format(**result, number=line, text=text.rstrip()).rstrip()


def _legend(profile: Profile) -> Iterator[str]:
    yield "path: cycles of the critical path; all of them, and the launch, are the run's."
    yield "busy, waits: of the processor that has most of it at the line, the mean over the nodes."
    if profile.signposts:
        yield "signposts: every time on every node; waits: the share of their cycles in which the processor waited."
    yield CLAIM


def _joined(one: LineCost, other: LineCost) -> LineCost:
    def most(a: Mapping[str, float], b: Mapping[str, float]) -> dict[str, float]:
        return {role: max(a.get(role, 0), b.get(role, 0)) for role in {**a, **b}}

    return LineCost(
        path=one.path + other.path, busy=most(one.busy, other.busy), waits=most(one.waits, other.waits)
    )


def _whole(cycles: float) -> str:
    return f"{cycles:,.0f}" if cycles >= 0.5 else ""


def _percent(part: float, whole: float) -> str:
    return f"{100 * part / max(whole, 1):.0f} %"


def _shown(file: str) -> str:
    """Relative to the working folder where it lies below it."""
    path = os.path.relpath(file) if os.path.isabs(file) else file
    return file if path.startswith("..") else path
