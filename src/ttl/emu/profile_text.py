"""``--profile``: the user's source with cycles beside each line, and the resource that bounds the program."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from ttl.diag.words import listed
from ttl.emu.advice.text import lines as advice_lines
from ttl.emu.advice.text import shown, wrapped
from ttl.emu.claim import CLAIM
from ttl.emu.fabric_profile import lines as fabric_lines
from ttl.emu.headline import headline, hottest, joined
from ttl.emu.profile import LineCost, Profile, text_of, together
from ttl.emu.program import KernelLine
from ttl.emu.signposts import lines as signpost_lines
from ttl.lang.launches import LaunchName
from ttl.source.files import display_name

# Lines without cycles that are shown between two with cycles; where there are more, dots stand for them.
_MOST_BETWEEN = 6
# Lines in the table of the hottest, each with a hundredth of the cycles or more.
_MOST_HOTTEST = 8
_COLUMNS = "{path:>11}  {share:>5}  {busy:>10}  {waits:>10}  {number:>5} | {text}"


def render_all(profiles: Sequence[Profile]) -> str:
    """The reports of several launches, those of one program together, in the order of the first of each."""
    programs: defaultdict[object, list[Profile]] = defaultdict(list)
    for profile in profiles:
        programs[profile.name, profile.chip, profile.grid, tuple(profile.sources.items())].append(profile)
    return "\n\n".join(
        render(together(same), [item.launch for item in same if item.launch is not None])
        for same in programs.values()
    )


def render(profile: Profile, launches: Sequence[LaunchName] = ()) -> str:
    """The report of a profile; ``launches`` are the launches that it covers."""
    lines = [
        *_summary(profile, launches),
        *advice_lines(profile.advice, profile.cycles // (len(launches) or 1)),
        *_hottest(profile),
    ]
    by_file: defaultdict[str, dict[int, LineCost]] = defaultdict(dict)
    kernels: defaultdict[tuple[str, int], list[str]] = defaultdict(list)
    for place, cost in profile.lines.items():
        kernels[place.file, place.line].append(place.kernel)
        known = by_file[place.file].get(place.line)
        by_file[place.file][place.line] = cost if known is None else joined(known, cost)
    for file, costs in by_file.items():
        lines += ["", display_name(file)]
        lines.append(
            _COLUMNS.format(path="path", share="", busy="busy", waits="waits", number="", text="").rstrip(
                " |"
            )
        )
        headings = {line: _heading(kernels[file, line], profile) for line in costs}
        lines += _source(file, costs, headings, profile)
    if profile.fabric is not None:
        lines += ["", *fabric_lines(profile.fabric)]
    table = list(signpost_lines(profile.signposts))
    if table:
        lines += ["", *table]
    return "\n".join([*lines, "", *_legend(profile)])


def _summary(profile: Profile, launches: Sequence[LaunchName]) -> Iterator[str]:
    first = headline(profile, len(launches))
    if first:
        yield from wrapped("", first, "")
    yield profile.verdict_of(len(launches) or 1)
    yield from _named(launches)
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
        f"  own work       {profile.roof.cycles:,} cycles, {profile.roof.resource}: {profile.roof.because}; "
        f"the program is at {_percent(profile.roof.cycles, profile.cycles)} of it"
    )


def _named(launches: Sequence[LaunchName]) -> Iterator[str]:
    """Return the names of launches: launches of one program on the same device have one line."""
    groups: defaultdict[tuple[int | None, str], list[int]] = defaultdict(list)
    for launch in launches:
        groups[launch.device, launch.values].append(launch.number)
    for (device, values), numbers in groups.items():
        word = "launch" if len(numbers) == 1 else "launches"
        where = "" if device is None else f" on device {device}"
        yield f"  {word} {_numbers(numbers)}{where}: {values}"


def _numbers(numbers: Sequence[int]) -> str:
    """``1 to 4, 7``: numbers that follow each other as a range."""
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and number == ranges[-1][-1] + 1:
            ranges[-1][1:] = [number]
        else:
            ranges.append([number])
    return ", ".join(" to ".join(map(str, item)) for item in ranges)


def _hottest(profile: Profile) -> Iterator[str]:
    """The lines with most cycles on the critical path, over all files, the hottest first."""
    lines = [item for item in hottest(profile.lines) if item[1].path * 100 >= profile.cycles][:_MOST_HOTTEST]
    places = [shown(place) for place, _ in lines]
    width = max(map(len, places), default=0)
    if lines:
        yield ""
        yield f"{'path':>11}{'':9}{'busy':>10}  {'waits':>10}  hottest lines"
    for where, (_, cost) in zip(places, lines, strict=True):
        columns = _costs(cost, profile)
        yield (
            f"{columns['path']:>11}  {columns['share']:>5}  {columns['busy']:>10}  {columns['waits']:>10}  "
            f"{where:<{width}} | {cost.text.strip()}"
        ).rstrip()


def _source(
    file: str,
    costs: Mapping[int, LineCost],
    headings: Mapping[int, str],
    profile: Profile,
) -> Iterator[str]:
    """The lines of a file, with a heading wherever the kernels that run them change."""
    before: int | None = None
    for line in sorted(costs):
        if before is not None and line - before - 1 <= _MOST_BETWEEN:
            yield from (_row(file, between, None, profile) for between in range(before + 1, line))
        elif before is not None:
            yield _COLUMNS.format(path="", share="", busy="", waits="", number="...", text="").rstrip()
        if before is None or headings[line] != headings[before]:
            yield _COLUMNS.format(path="", share="", busy="", waits="", number="", text=headings[line])
        yield _row(file, line, costs[line], profile)
        before = line


def _heading(kernels: Sequence[str], profile: Profile) -> str:
    """The kernels that run a line, each with its microcores."""
    return ", ".join(f"{name} on {_microcores(name, profile)}" for name in dict.fromkeys(kernels))


def _microcores(name: str, profile: Profile) -> str:
    """``NOC0 (ncrisc)``; ``UNPACK, MATH and PACK``."""
    cores, roles = profile.microcores.get(name, ()), profile.kernels.get(name, ())
    processors = [role for role in roles if role.upper() not in cores]
    return listed(cores or roles) + (f" ({listed(processors)})" if cores and processors else "")


def _row(file: str, line: int, cost: LineCost | None, profile: Profile) -> str:
    if cost is None:
        return _COLUMNS.format(
            path="",
            share="",
            busy="",
            waits="",
            number=line,
            text=text_of(KernelLine(file=file, line=line, kernel=""), profile.sources),
        ).rstrip()
    return _COLUMNS.format(**_costs(cost, profile), number=line, text=cost.text).rstrip()


def _costs(cost: LineCost, profile: Profile) -> dict[str, str]:
    """Return the columns of a line with its costs."""
    return {
        "path": f"{cost.path:,}" if cost.path else "",
        "share": _percent(cost.path, profile.cycles) if cost.path * 200 >= profile.cycles else "",
        "busy": _whole(max(cost.busy.values(), default=0)),
        "waits": _whole(max(cost.waits.values(), default=0)),
    }


def _legend(profile: Profile) -> Iterator[str]:
    yield "path: cycles of the critical path; all of them, and the launch, are the run's."
    yield "busy, waits: of the processor that has most of it at the line, the mean over the nodes."
    if profile.signposts:
        yield "signposts: every time on every node; waits: the share of their cycles in which the processor waited."
    yield CLAIM


def _whole(cycles: float) -> str:
    return f"{cycles:,.0f}" if cycles >= 0.5 else ""


def _percent(part: float, whole: float) -> str:
    return f"{100 * part / max(whole, 1):.0f} %"
