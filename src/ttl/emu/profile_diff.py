"""``ttl profile --diff``: the differences in cycles between two runs.

Launches are matched by operation, tensors and device; among those that are alike, first those with the same constants, then in
order. Lines are matched by their text, in order, within a file; where one line replaces another, by place."""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from ttl.emu.critical import Resource
from ttl.emu.profile import LineCost, Profile, lines_together, path_together
from ttl.emu.profile_json import named
from ttl.emu.program import KernelLine
from ttl.lang.launches import Constant, shown
from ttl.source.files import display_name

SCHEMA = 1
KIND = "profile-diff"
# Lines whose change is less than this share of the cycles before are summed up.
_LEAST_SHARE = 0.005
_COLUMNS = "{before:>11}  {after:>11}  {change:>11}  {number:>5} {mark} {text}"

Line = tuple[KernelLine, LineCost]


@dataclass(frozen=True, kw_only=True, slots=True)
class LineChange:
    """A line in two runs; None where only one of them has it."""

    before: Line | None
    after: Line | None

    @property
    def place(self) -> KernelLine:
        """Its place in the later run, or in the earlier one if only that has it."""
        line = self.after or self.before
        assert line is not None
        return line[0]

    @property
    def cycles(self) -> tuple[int, int]:
        """Cycles of the critical path before and after."""
        before, after = (0 if line is None else line[1].path for line in (self.before, self.after))
        return before, after

    @property
    def change(self) -> int:
        """The increase of its cycles on the critical path."""
        before, after = self.cycles
        return after - before


@dataclass(frozen=True, kw_only=True, slots=True)
class LaunchChange:
    """Launches of one operation on tensors of the same shapes, as many before as after."""

    before: tuple[Profile, ...]
    after: tuple[Profile, ...]
    lines: tuple[LineChange, ...]

    @property
    def nanoseconds(self) -> tuple[float, float]:
        """The nanoseconds before and after."""
        return _nanoseconds(self.before), _nanoseconds(self.after)

    @property
    def constants(self) -> dict[str, tuple[Constant, Constant]]:
        """The constants that differ, before and after. A constant that one of the two lacks is None there."""
        before, after = (
            {} if run[0].launch is None else run[0].launch.constants for run in (self.before, self.after)
        )
        return {
            name: (before.get(name), after.get(name))
            for name in {**before, **after}
            if before.get(name) != after.get(name)
        }


@dataclass(frozen=True, kw_only=True, slots=True)
class ProfileDiff:
    """Two runs."""

    launches: tuple[LaunchChange, ...]
    only_before: tuple[Profile, ...]
    only_after: tuple[Profile, ...]


def compared(before: Sequence[Profile], after: Sequence[Profile]) -> ProfileDiff:
    """Return the differences between the launches of two runs."""
    rest_before, rest_after = list(before), list(after)
    pairs: list[tuple[Profile, Profile]] = []
    for key in (_with_constants, _without_constants):
        pairs += _matched(rest_before, rest_after, key)
    order = {id(profile): number for number, profile in enumerate(before)}
    groups: defaultdict[object, list[tuple[Profile, Profile]]] = defaultdict(list)
    for pair in sorted(pairs, key=lambda pair: order[id(pair[0])]):
        groups[tuple(map(_with_constants, pair))].append(pair)
    return ProfileDiff(
        launches=tuple(changes_of(*zip(*group, strict=True)) for group in groups.values()),
        only_before=tuple(rest_before),
        only_after=tuple(rest_after),
    )


def _without_constants(profile: Profile) -> object:
    launch = profile.launch
    return profile.name, None if launch is None else (launch.arguments, launch.device)


def _with_constants(profile: Profile) -> object:
    constants = {} if profile.launch is None else profile.launch.constants
    return _without_constants(profile), json.dumps(constants, sort_keys=True)


def _matched(
    before: list[Profile], after: list[Profile], key: Callable[[Profile], object]
) -> list[tuple[Profile, Profile]]:
    """Pairs with the same key, in order; they are taken out of the lists."""
    waiting: defaultdict[object, list[Profile]] = defaultdict(list)
    for profile in reversed(after):
        waiting[key(profile)].append(profile)
    pairs, rest = [], []
    for profile in before:
        same = waiting[key(profile)]
        if same:
            pairs.append((profile, same.pop()))
        else:
            rest.append(profile)
    taken = {id(profile) for _, profile in pairs}
    before[:] = rest
    after[:] = [profile for profile in after if id(profile) not in taken]
    return pairs


def changes_of(before: tuple[Profile, ...], after: tuple[Profile, ...]) -> LaunchChange:
    """Return the differences between launches that are paired by their order."""
    return LaunchChange(
        before=before,
        after=after,
        lines=tuple(_lines(lines_together(before), lines_together(after))),
    )


def _lines(
    before: Mapping[KernelLine, LineCost], after: Mapping[KernelLine, LineCost]
) -> Iterator[LineChange]:
    """Yield the lines of both runs, file by file, in the order of the later run.

    A file that was moved is recognised by its name or its lines.
    """
    old, new = _by_file(before), _by_file(after)
    _rename(old, new)
    for name in {**new, **old}:
        yield from _of_file(old.get(name, []), new.get(name, []))


def _rename(old: dict[str, list[Line]], new: Mapping[str, list[Line]]) -> None:
    """Give a file that only the earlier run has the name of the new file with which it shares most lines, if any."""

    def common(pair: tuple[str, str]) -> int:
        texts = [{cost.text.strip() for _, cost in lines} for lines in (old[pair[0]], new[pair[1]])]
        return len(texts[0] & texts[1])

    while pairs := [(gone, name) for gone in old if gone not in new for name in new if name not in old]:
        gone, name = max(pairs, key=common)
        if not common((gone, name)):
            return
        old[name] = old.pop(gone)


def _by_file(lines: Mapping[KernelLine, LineCost]) -> dict[str, list[Line]]:
    result: defaultdict[str, list[Line]] = defaultdict(list)
    for place, cost in sorted(lines.items(), key=lambda item: item[0]):
        result[os.path.basename(place.file)].append((place, cost))
    return result


def _of_file(before: list[Line], after: list[Line]) -> Iterator[LineChange]:
    old_texts, new_texts = ([cost.text.strip() for _, cost in lines] for lines in (before, after))
    matcher = SequenceMatcher(None, old_texts, new_texts, autojunk=False)
    for kind, begin, end, new_begin, new_end in matcher.get_opcodes():
        old, new = before[begin:end], after[new_begin:new_end]
        if kind == "equal" or len(old) == len(new):
            yield from (LineChange(before=one, after=other) for one, other in zip(old, new, strict=True))
        else:
            yield from (LineChange(before=line, after=None) for line in old)
            yield from (LineChange(before=None, after=line) for line in new)


# --- JSON


def to_object(diff: ProfileDiff) -> dict[str, Any]:
    """Return the differences as an object that ``json.dumps`` accepts."""
    return {
        "schema": SCHEMA,
        "kind": KIND,
        "launches": [_launches_object(change) for change in diff.launches],
        "only_before": [_short(profile) for profile in diff.only_before],
        "only_after": [_short(profile) for profile in diff.only_after],
    }


def _launches_object(change: LaunchChange) -> dict[str, Any]:
    before, after = change.nanoseconds
    return {
        "name": change.after[0].name,
        "device": named(change.after[0].launch)["device"],
        "arguments": named(change.after[0].launch)["arguments"],
        "before": _run_object(change.before),
        "after": _run_object(change.after),
        "speedup": round(before / max(after, 1e-9), 4),
        "lines": [_line_object(line) for line in change.lines],
    }


def _run_object(profiles: Sequence[Profile]) -> dict[str, Any]:
    return {
        "launches": [named(profile.launch)["launch"] for profile in profiles],
        "constants": named(profiles[0].launch)["constants"],
        "chip": profiles[0].chip,
        "cycles": sum(profile.cycles for profile in profiles),
        "nanoseconds": round(_nanoseconds(profiles), 3),
        "path": path_together(profiles),
        "bound_by": _bound_by(profiles),
    }


def _line_object(line: LineChange) -> dict[str, Any]:
    return {"change": line.change, "before": _side(line.before), "after": _side(line.after)}


def _side(line: Line | None) -> dict[str, Any] | None:
    if line is None:
        return None
    place, cost = line
    busy, waits = (
        {role: round(cycles, 1) for role, cycles in costs.items()} for costs in (cost.busy, cost.waits)
    )
    return {
        "file": place.file,
        "line": place.line,
        "kernel": place.kernel,
        "text": cost.text,
        "path": cost.path,
        "busy": busy,
        "waits": waits,
    }


def _short(profile: Profile) -> dict[str, Any]:
    return {
        "name": profile.name,
        **named(profile.launch),
        "chip": profile.chip,
        "cycles": profile.cycles,
        "verdict": profile.verdict,
    }


# --- text


def render(diff: ProfileDiff) -> str:
    """The differences as text."""
    parts = ["\n".join(_launches(change)) for change in diff.launches]
    for when, profiles in (("before", diff.only_before), ("after", diff.only_after)):
        if profiles:
            rows = (f"  {profile.launch or profile.name}: {profile.cycles:,} cycles" for profile in profiles)
            parts.append("\n".join((f"only {when}:", *rows)))
    return "\n\n".join(parts)


def _launches(change: LaunchChange) -> Iterator[str]:
    first = change.after[0]
    old, new = change.nanoseconds
    before, after = (sum(item.cycles for item in run) for run in (change.before, change.after))
    again = f" in {len(change.after):,} launches" if len(change.after) > 1 else ""
    yield f"{first.name}: {before:,} -> {after:,} cycles{again}, {_faster(old, new)}"
    launch = first.launch
    if launch is not None and launch.arguments:
        yield f"  tensors        {', '.join(map(str, launch.arguments))}"
    for what, one, other in (
        ("chip", change.before[0].chip, first.chip),
        ("grid", *("x".join(map(str, run[0].grid)) for run in (change.before, change.after))),
        ("bound by", _bound_by(change.before), _bound_by(change.after)),
    ):
        yield f"  {what:13}  {one if one == other else f'{one} -> {other}'}"
    if change.constants:
        values = (f"{name} {shown(one)} -> {shown(other)}" for name, (one, other) in change.constants.items())
        yield f"  constants      {', '.join(values)}"
    yield f"  critical path  {_path(change)}"
    yield from _source(change, before)


def _path(change: LaunchChange) -> str:
    before, after = path_together(change.before), path_together(change.after)
    names: dict[Resource, int] = {**before, **after}
    changed = [
        f"{name} {before.get(name, 0):,} -> {after.get(name, 0):,}"
        for name in sorted(names, key=lambda name: -abs(after.get(name, 0) - before.get(name, 0)))
        if after.get(name, 0) != before.get(name, 0)
    ]
    return ", ".join(changed) or "as before"


def _source(change: LaunchChange, cycles: int) -> Iterator[str]:
    file, left = None, 0
    for line in change.lines:
        if abs(line.change) < max(_LEAST_SHARE * cycles, 1):
            left += line.change
            continue
        if line.place.file != file:
            file = line.place.file
            yield ""
            yield display_name(file)
            yield _COLUMNS.format(
                before="before", after="after", change="change", number="", mark=" ", text=""
            ).rstrip()
        yield from _rows(line)
    if left:
        yield f"  lines with less change, together: {left:+,}"


def _rows(line: LineChange) -> Iterator[str]:
    before, after = line.cycles
    numbers = {"before": f"{before:,}", "after": f"{after:,}", "change": f"{line.change:+,}"}
    none = {"before": "", "after": "", "change": ""}
    match line.before, line.after:
        case (_, cost), (place, now) if cost.text.strip() == now.text.strip():
            yield _COLUMNS.format(**numbers, number=place.line, mark="|", text=now.text)
        case (_, cost), (place, now):
            yield _COLUMNS.format(**none, number="", mark="-", text=cost.text)
            yield _COLUMNS.format(**numbers, number=place.line, mark="+", text=now.text)
        case None, (place, now):
            yield _COLUMNS.format(**{**numbers, "before": ""}, number=place.line, mark="+", text=now.text)
        case (place, cost), None:
            yield _COLUMNS.format(**{**numbers, "after": ""}, number="", mark="-", text=cost.text)


def _faster(before: float, after: float) -> str:
    if before == after:
        return "as fast as before"
    ratio = before / max(after, 1e-9)
    return f"{ratio:.2f} times as fast" if ratio > 1 else f"{1 / max(ratio, 1e-9):.2f} times as slow"


def _bound_by(profiles: Sequence[Profile]) -> Resource:
    return next(iter(path_together(profiles)))


def _nanoseconds(profiles: Sequence[Profile]) -> float:
    return sum(profile.nanoseconds for profile in profiles)
