"""A card's measurements beside the emulated chip's cycles: ``ttl profile --measured profile_log_device.csv``.

The file is the device profiler's of TT-Metalium: a line with the chip and its clock, a line with the names of columns, then one
line for each begin and end of a zone on a processor. A line of a kernel without a zone was not measured."""

from __future__ import annotations

import csv
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any, TypeAlias

from ttl.arch import chip_named
from ttl.diag import Diagnostic, ProgramError, error
from ttl.diag.words import counted
from ttl.emu.profile import Profile
from ttl.emu.program import KernelLine
from ttl.settings import costed
from ttl.source.files import check_finite, display_name

# The code of a file that a card wrote and that cannot be read or compared; ``ttrt`` has files of its own.
WRONG_MEASUREMENT = "TTL0147"
_HEAD = re.compile(r"ARCH:\s*(?P<arch>\w+)\s*,\s*CHIP_FREQ\[MHz\]:\s*(?P<clock>[\d.]+)")
# The columns that are needed, and the beginnings of their names in all releases.
_COLUMNS = {
    "x": "core_x", "y": "core_y", "risc": "risc", "time": "time[cycles", "run": "run host id", "zone": "zone name", "phase": "type"
}  # fmt: skip
_PHASES = {"zone_start": 0, "begin": 0, "zone_end": 1, "end": 1}
_ROLES = {"BRISC": "brisc", "NCRISC": "ncrisc", "TRISC_0": "unpack", "TRISC_1": "math", "TRISC_2": "pack"}
_ROLES |= {name.replace("_", ""): role for name, role in _ROLES.items()}
_KERNEL = "-KERNEL"
_MOST_ROWS = 20_000_000

_ZoneKey: TypeAlias = tuple[str, str, str, str]
"""Column and row of a core, role of a processor, name of a zone."""
Cycles = Mapping[tuple[str, str], float]
"""Mean cycles of a zone, by role and name; the name is empty for a kernel, and both are for all kernels together."""


@dataclass(frozen=True, kw_only=True, slots=True)
class MeasuredRuns:
    """The programs of a file in their order, on one device."""

    path: str
    arch: str
    clock_hz: float
    runs: tuple[Cycles, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class MeasuredRow:
    """One line or kernel in cycles: estimated, on the emulated chip and on the card.

    ``estimated`` is the processor's own work, ``emulated`` includes all waits, and ``measured`` is None if it was not
    measured.
    """

    launch: int
    what: str
    estimated: float
    emulated: float
    measured: float | None
    place: KernelLine | None = None
    """The place of a signpost."""

    @property
    def error(self) -> float | None:
        """How far the emulated chip is from the card, as a part of the card's."""
        return None if not self.measured else self.emulated / self.measured - 1


def read(path: str) -> MeasuredRuns:
    """Read a file of the profiler.

    Raises ``ProgramError`` TTL0147 for a file that the profiler did not write, that lacks a row of a kernel, or has no
    run in it.
    """
    try:
        check_finite(path)
        with open(path, encoding="utf-8", errors="replace", newline="") as file:
            head = _HEAD.search(file.readline(1 << 16))
            if head is None:
                raise ProgramError(
                    _unreadable(path, "its first line does not have the chip and its clock (ARCH, CHIP_FREQ)")
                )
            columns = _places([name.strip().lower() for name in file.readline(1 << 16).split(",")])
            if columns is None:
                raise ProgramError(_unreadable(path, f"it lacks the columns {', '.join(_COLUMNS.values())}"))
            kernel_zones = list(_zones(csv.reader(file), columns).values())
    except OSError as problem:
        raise ProgramError(_unreadable(path, (problem.strerror or str(problem)).lower())) from None
    except csv.Error as problem:
        raise ProgramError(_unreadable(path, str(problem))) from None
    runs = tuple(run for run in map(_cycles, kernel_zones) if run)
    if not runs:
        raise ProgramError(_unreadable(path, "it has no kernel that begins and ends"))
    for zones in kernel_zones:
        half = [*zones.ends_alone, *(key for key in zones.open if key[-1].endswith(_KERNEL))]
        if half:
            x, y, role, _ = half[0]
            what = f"the kernel on {role} of core ({x}, {y}) {'ends' if zones.ends_alone else 'begins'}"
            raise ProgramError(_unreadable(path, f"{what} in it, and its other row is missing or damaged"))
    return MeasuredRuns(path=path, arch=head["arch"], clock_hz=float(head["clock"]) * 1e6, runs=runs)


def _places(names: Sequence[str]) -> dict[str, int] | None:
    result = {}
    for column, beginning in _COLUMNS.items():
        place = next((number for number, name in enumerate(names) if name.startswith(beginning)), None)
        if place is None:
            return None
        result[column] = place
    return result


@dataclass(slots=True)
class _Zones:
    """The zones of a run: the open begin and all durations of each zone of a processor, and when kernels began and ended."""

    open: dict[_ZoneKey, int]
    durations: defaultdict[tuple[str, str], list[int]]
    begin: int
    end: int
    ends_alone: list[_ZoneKey] = field(default_factory=list)
    """Kernels that end and have not begun."""


def _zones(rows: Iterator[list[str]], columns: Mapping[str, int]) -> dict[str, _Zones]:
    """The zones by run. A row that is damaged is left out; the profiler leaves some zones out itself when its memory is full."""
    result: dict[str, _Zones] = {}
    for _, row in zip(range(_MOST_ROWS), rows, strict=False):
        if len(row) <= max(columns.values()):
            continue
        x, y, risc, time, run, zone, phase = (row[place].strip() for place in columns.values())
        role, stage = _ROLES.get(risc.upper()), _PHASES.get(phase.lower())
        if role is None or stage is None or not (time.isdecimal() and time.isascii() and len(time) < 20):
            continue
        zones = result.setdefault(run, _Zones({}, defaultdict(list), 1 << 64, 0))
        key = x, y, role, zone
        if stage == 0:
            zones.open[key] = int(time)
        elif key in zones.open:
            begin, end = zones.open.pop(key), int(time)
            if end >= begin:
                name = "" if zone.endswith(_KERNEL) else zone
                zones.durations[role, name].append(end - begin)
                if not name:
                    zones.begin, zones.end = min(zones.begin, begin), max(zones.end, end)
        elif zone.endswith(_KERNEL):
            zones.ends_alone.append(key)
    return result


def _cycles(zones: _Zones) -> Cycles:
    means = {key: fmean(durations) for key, durations in zones.durations.items()}
    return {("", ""): float(zones.end - zones.begin), **means} if zones.end else {}


def compared(profiles: Sequence[Profile], measured: MeasuredRuns) -> list[MeasuredRow]:
    """The launches of a program beside those of a card. Raises ``ProgramError`` TTL0147 where they cannot be the same.

    Of a program with one launch, all runs of the file count, as their mean.
    """
    runs = measured.runs
    if len(profiles) == 1 and len(runs) > 1:
        keys = dict.fromkeys(key for run in runs for key in run)
        runs = ({key: fmean(run[key] for run in runs if key in run) for key in keys},)
    if len(runs) != len(profiles):
        why = f"{counted(len(runs), 'run')} measured, {counted(len(profiles), 'time')} launched here"
        raise ProgramError(_unfit(measured, why, "measure the same program with the same arguments"))
    rows: list[MeasuredRow] = []
    for number, (profile, run) in enumerate(zip(profiles, runs, strict=True), 1):
        arch = chip_named(profile.chip).arch
        if arch != measured.arch.lower():
            why = f"{measured.arch} was measured, and {arch} emulated"
            raise ProgramError(_unfit(measured, why, "choose the chip that was measured with --arch"))
        rows += _rows(number, profile, run)
    return rows


def _rows(number: int, profile: Profile, run: Cycles) -> Iterator[MeasuredRow]:
    before = costed(chip_named(profile.chip)).costs.launch.value
    yield MeasuredRow(
        launch=number,
        what=f"{profile.name}, first begin to last end",
        estimated=profile.roof.cycles,
        emulated=profile.cycles - before,
        measured=run.get(("", "")),
    )
    for processor in profile.processors:
        yield MeasuredRow(
            launch=number,
            what=f"kernels on {processor.role}",
            estimated=processor.busy,
            emulated=processor.busy + processor.waits,
            measured=run.get((processor.role, "")),
        )
    for key, cost in profile.signposts.items():
        yield MeasuredRow(
            launch=number,
            what=f"{key.name} on {key.role}, {display_name(key.place.file)}:{key.place.line}",
            estimated=(cost.cycles - cost.waits) / cost.times,
            emulated=cost.mean,
            measured=run.get((key.role, key.name)),
            place=key.place,
        )


def render(rows: Sequence[MeasuredRow], measured: MeasuredRuns) -> str:
    """The measurements as a table."""
    lines = [
        f"{'estimated':>12}  {'emulated':>12}  {'measured':>12}  {'error':>7}  cycles on {measured.arch} at {measured.clock_hz / 1e6:,.0f} MHz"
    ]
    for row in rows:
        card = "" if row.measured is None else f"{row.measured:,.0f}"
        wrong = "" if row.error is None else f"{row.error * 100:+.0f} %"
        lines.append(
            f"{row.estimated:>12,.0f}  {row.emulated:>12,.0f}  {card:>12}  {wrong:>7}  {row.what}".rstrip()
        )
    errors = [abs(row.error) for row in rows if row.error is not None]
    lines.append(
        "estimated: the work of the processor alone; of a launch, of the resource that would take longest alone. emulated: "
        "with all waits. measured: the mean over cores and times. error: emulated against measured"
        + (f", {fmean(errors) * 100:.1f} % in the mean of {counted(len(errors), 'row')}." if errors else ".")
    )
    lines.append('A line is measured where it stands in a zone: with ttl.signpost("name").')
    return "\n".join(lines)


def to_object(rows: Sequence[MeasuredRow], measured: MeasuredRuns) -> dict[str, Any]:
    """The table as an object for programs."""
    names = ("launch", "what", "estimated", "emulated", "measured", "error")
    return {
        "schema": 1,
        "kind": "measured",
        "file": measured.path,
        "arch": measured.arch,
        "clock_hz": measured.clock_hz,
        "rows": [{name: getattr(row, name) for name in names} for row in rows],
    }


def _unreadable(path: str, why: str) -> Diagnostic:
    return error(
        WRONG_MEASUREMENT,
        f"cannot read measured cycles from '{path}': {why}",
        help="TT_METAL_DEVICE_PROFILER=1 writes generated/profiler/.logs/profile_log_device.csv when the device is closed",
    )


def _unfit(measured: MeasuredRuns, why: str, help: str) -> Diagnostic:
    return error(WRONG_MEASUREMENT, f"'{measured.path}' is of another run: {why}", help=help)
