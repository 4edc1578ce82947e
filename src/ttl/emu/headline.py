"""The first thing to do about a launch, in a sentence: every report of cycles begins with it.

It is the advice that saves most cycles and leaves the results right, with its saving; without such advice, the line of the
program with most of the critical path."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from ttl.emu.advice.piece import Advice
from ttl.emu.advice.text import saved
from ttl.emu.profile import LineCost, Profile
from ttl.emu.program import KernelLine
from ttl.source.files import short_name


def headline(profile: Profile, launches: int = 1) -> str:
    """The sentence for a profile of ``launches`` launches together; advice is about one of them."""
    advice = first_advice(profile)
    if advice is not None:
        return _advised(advice, profile.cycles // max(launches, 1))
    lines = hottest(profile.lines)
    # The user cannot change the compiler's output: a line of the program is preferred to one of the C++.
    place, cost = next((item for item in lines if not item[0].file.endswith(".cpp")), (None, None))
    if place is None or cost is None:
        return ""
    share = 100 * cost.path / max(profile.cycles, 1)
    text = cost.text.strip()
    return (
        f"Look first at {_place(place)}, {cost.path:,} of {profile.cycles:,} cycles ({share:.0f} %)"
        f"{f': {text}' if text else ''}"
    )


def headline_of(profiles: Sequence[Profile]) -> str:
    """The sentence about several launches: of the advice that saves most, else about the longest launch."""
    advised = [(advice, item) for item in profiles if (advice := first_advice(item)) is not None]
    if not advised:
        return headline(max(profiles, key=lambda item: item.cycles))
    advice, launch = max(advised, key=lambda pair: pair[0].cycles)
    return _advised(advice, launch.cycles)


def first_advice(profile: Profile) -> Advice | None:
    """The most valuable advice that leaves the results right."""
    return next((item for item in profile.advice if not item.wrong), None)


def hottest(lines: Mapping[KernelLine, LineCost]) -> list[tuple[KernelLine, LineCost]]:
    """The lines with cycles on the critical path, those with most first; kernels that run the same line are joined."""
    places: defaultdict[tuple[str, int], list[tuple[KernelLine, LineCost]]] = defaultdict(list)
    for place, cost in lines.items():
        places[place.file, place.line].append((place, cost))
    result = []
    for same in places.values():
        place, cost = same[0]
        for _, other in same[1:]:
            cost = joined(cost, other)
        if cost.path:
            result.append((place, cost))
    return sorted(result, key=lambda item: (-item[1].path, item[0].file, item[0].line))


def joined(one: LineCost, other: LineCost) -> LineCost:
    """Return the cost of a line that two kernels run.

    It is the sum of their cycles on the path, and the larger work and waits by role.
    """

    def most(a: Mapping[str, float], b: Mapping[str, float]) -> dict[str, float]:
        return {role: max(a.get(role, 0), b.get(role, 0)) for role in {**a, **b}}

    return LineCost(
        path=one.path + other.path,
        busy=most(one.busy, other.busy),
        waits=most(one.waits, other.waits),
        text=one.text,
    )


def _advised(advice: Advice, cycles: int) -> str:
    where = f", at {_place(advice.lines[0])}" if advice.lines else ""
    return f"Change first{where}: {advice.change}; saves {saved(advice, cycles)}"


def _place(line: KernelLine) -> str:
    return f"{short_name(line.file)}:{line.line}"
