"""Reports and profiles that were written to files, and the comparison of several."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import MISSING, fields
from typing import Any

import numpy as np

from ttl.arch import chip_named, names
from ttl.diag import Diagnostic, ProgramError, error
from ttl.diag.words import listed
from ttl.emu import profile_diff, profile_json, profile_runs
from ttl.emu.headline import first_advice, headline
from ttl.emu.profile import Profile
from ttl.emu.profile_runs import RunsCompared, compared_runs
from ttl.emu.record import KINDS
from ttl.report.chip_plan import plan_of
from ttl.report.pack import unpacked
from ttl.report.records import (
    KIND,
    PAIR_KIND,
    RUNS_KIND,
    SCHEMA,
    FillColumns,
    FirstChange,
    KernelText,
    LaunchReport,
    LineUse,
    ReportSource,
    SliceColumns,
    TransferColumns,
)
from ttl.report.sources import shown_files
from ttl.source.files import check_finite, display_name

_ADVICE = "'ttl run --report FILE.json PROGRAM' writes one; profiles of 'ttl profile -o FILE PROGRAM' do, too"
# The tables of a launch: the columns of each have the same length.
_TABLES = ("slices", "transfers", "fills")


def read(path: str) -> dict[str, Any]:
    """Return the report in a file; profiles become a report without a timeline. Raises ``ProgramError`` TTL0142."""
    try:
        check_finite(path)
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except OSError as problem:
        raise ProgramError(_not_a_report(path, (problem.strerror or str(problem)).lower())) from None
    except UnicodeDecodeError:
        raise ProgramError(_not_a_report(path, "it is not text")) from None
    try:
        data = json.loads(text)
    except ValueError as problem:
        data = None
        if '"kind":"report"' in text[:200]:
            raise ProgramError(_not_a_report(path, f"it is incomplete ({problem})")) from None
    if isinstance(data, dict) and data.get("kind") in (KIND, PAIR_KIND, RUNS_KIND):
        return _checked(path, data)
    profiles = []
    for number, item in enumerate(profile_json.objects_in(text), 1):
        try:
            profiles.append(profile_json.from_object(item))
        except (ValueError, TypeError, KeyError, AttributeError) as problem:
            why = f"profile {number} in it is not one of this version ({type(problem).__name__}: {problem})"
            raise ProgramError(_not_a_report(path, why)) from None
    if not profiles:
        raise ProgramError(_not_a_report(path, "there is no report and no profile in it"))
    return of_profiles(os.path.basename(path), profiles)


def compared(reports: Sequence[Mapping[str, Any]], names: Sequence[str]) -> RunsCompared | None:
    """Compare runs, called by ``names``, with the first one, the baseline; return None where a run has no cycles."""
    profiles = [_profiles(report) for report in reports]
    if not all(profiles):
        return None
    baseline, *runs = zip(names, profiles, strict=True)
    return compared_runs(baseline, runs)


def runs(reports: Sequence[Mapping[str, Any]], names: Sequence[str]) -> dict[str, Any]:
    """Return a report that compares several reports, called by ``names``, with the first one, the baseline.

    Raises ``ProgramError`` TTL0143 where a report is about other operations than the baseline.
    """
    baseline = reports[0]
    pairs = [
        pair(baseline, report, (names[0], name)) for report, name in zip(reports[1:], names[1:], strict=True)
    ]
    result = compared(reports, names)
    return {
        "schema": SCHEMA,
        "kind": RUNS_KIND,
        "title": f"{listed(names[1:])} against {names[0]}",
        "baseline": baseline,
        "runs": list(reports[1:]),
        "names": list(names),
        "diffs": [item["diff"] for item in pairs],
        "compared": None if result is None else shown_files(profile_runs.to_object(result)),
    }


def names_of(files: Sequence[str]) -> list[str]:
    """Return the names of runs: those of their files, or whole paths where two files have the same name."""
    short = [os.path.basename(file).removesuffix(".json") for file in files]
    return short if len(set(short)) == len(short) else [os.path.normpath(file) for file in files]


def pair(before: Mapping[str, Any], after: Mapping[str, Any], files: tuple[str, str]) -> dict[str, Any]:
    """Return a report with two reports side by side; ``files`` are the files that they were read from.

    Raises ``ProgramError`` TTL0143 where they are about different operations.
    """
    launched = [{launch["name"] for launch in report["launches"]} for report in (before, after)]
    if not launched[0] & launched[1]:
        raise ProgramError(_of_others(files, launched))
    profiles = [_profiles(report) for report in (before, after)]
    diff = None
    if all(profiles):
        diff = profile_diff.to_object(profile_diff.compared(*profiles))
    return {
        "schema": SCHEMA,
        "kind": PAIR_KIND,
        "title": f"{before['title']} and {after['title']}",
        "before": before,
        "after": after,
        "diff": diff,
    }


def _profiles(report: Mapping[str, Any]) -> list[Profile]:
    return [profile_json.from_object(launch["profile"]) for launch in report["launches"] if launch["profile"]]


def of_profiles(title: str, profiles: Sequence[Profile]) -> dict[str, Any]:
    """A report of profiles, which have no timeline."""
    return {
        "schema": SCHEMA,
        "kind": KIND,
        "title": title,
        "command": "",
        "launches": [_of_profile(number, profile).to_object() for number, profile in enumerate(profiles, 1)],
    }


def _of_profile(number: int, profile: Profile) -> LaunchReport:
    none = np.empty(0, np.int64)
    columns, rows = profile.grid
    chip = chip_named(profile.chip if profile.chip in names() else names()[0])
    places = {(x, y): y * columns + x for y in range(rows) for x in range(columns)}
    files = list(dict.fromkeys(place.file for place in profile.lines))
    whole = max(profile.cycles, 1)
    advice = first_advice(profile)
    return LaunchReport(
        name=profile.name,
        number=number if profile.launch is None else profile.launch.number,
        values="" if profile.launch is None else profile.launch.values,
        target="emu",
        unit="cycles",
        length=profile.cycles,
        chip=plan_of(chip, places),
        grid=profile.grid,
        headline=headline(profile),
        verdict=profile.verdict,
        first=None
        if advice is None
        else FirstChange(
            sentence=advice.sentence,
            change=advice.change,
            lines=tuple(
                (files.index(line.file) if line.file in files else None, line.line) for line in advice.lines
            ),
            cycles=advice.cycles,
        ),
        profile=shown_files(profile_json.to_object(profile)),
        stats=None,
        nodes=(),
        labels=(),
        tracks=(),
        slices=SliceColumns(gap=none, length=none, label=none, cause=none),
        transfers=TransferColumns(**{item.name: none for item in fields(TransferColumns)}),
        transfer_kinds=KINDS,
        ends=(),
        links=(),
        buffer_names=(),
        buffers=(),
        fills=FillColumns(time=none, fill=none),
        pipes=(),
        kernels=tuple(
            KernelText(
                name=name,
                roles=roles,
                microcores=profile.microcores.get(name, ()),
                file="",
                text="",
                lines=(),
            )
            for name, roles in profile.kernels.items()
        ),
        decisions=(),
        roof=None,
        path=None,
        sources=tuple(_source(file, profile, whole) for file in files),
    )


def _source(file: str, profile: Profile, whole: int) -> ReportSource:
    """A source file as far as a profile has it: the lines that cost something."""
    own = {place.line: cost for place, cost in profile.lines.items() if place.file == file}
    text = "".join(f"{own[line].text if line in own else ''}\n" for line in range(1, max(own, default=0) + 1))
    return ReportSource(
        file=display_name(file),
        text=text,
        lines=tuple(
            LineUse(
                line=line,
                cycles=cost.path,
                share=round(cost.path / whole, 4),
                busy=dict(cost.busy),
                waits=dict(cost.waits),
            )
            for line, cost in sorted(own.items())
        ),
    )


def _checked(path: str, data: dict[str, Any]) -> dict[str, Any]:
    """Return a report if this version can read it. Raises ``ProgramError`` TTL0142 otherwise."""
    schema = data.get("schema")
    if schema != SCHEMA:
        newer = isinstance(schema, int) and schema > SCHEMA
        why = f"its schema is {schema!r}, and this version of ttl reads {SCHEMA}"
        help_ = "use the version of ttl that wrote it, or a newer one" if newer else _ADVICE
        raise ProgramError(_not_a_report(path, why, help_))
    if data.get("kind") != KIND:
        many = "a pair of reports" if data.get("kind") == PAIR_KIND else "several reports"
        raise ProgramError(_not_a_report(path, f"it has {many}, but one is needed"))
    with of_this_version(path):
        for number, wrong in enumerate(map(_wrong, data["launches"]), 1):
            if wrong:
                raise ProgramError(_not_a_report(path, f"launch {number} in it {wrong}"))
        if not data["launches"] or not isinstance(data["title"], str):
            raise ValueError("no launch, or no title")
    return data


@contextmanager
def of_this_version(path: str) -> Iterator[None]:
    """Raise errors of reading a report's contents as ``ProgramError`` TTL0142: it is damaged, or of another version."""
    try:
        yield
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError) as problem:
        why = f"it is not one of this version ({type(problem).__name__}: {problem})"
        raise ProgramError(_not_a_report(path, why)) from None


def _wrong(launch: Mapping[str, Any]) -> str:
    """Return a text about missing or inconsistent data of a launch; empty if it is valid.

    Raises the errors of reading it.
    """
    # A field with a default was added later: an old report lacks it.
    needed = [item.name for item in fields(LaunchReport) if item.default is MISSING]
    missing = [name for name in needed if name not in launch]
    if missing:
        return f"has no {listed(missing)}"
    if launch["profile"] is not None:
        profile_json.from_object(launch["profile"])
    for table in _TABLES:
        lengths = {name: len(unpacked(column)) for name, column in launch[table].items()}
        if len(set(lengths.values())) > 1:
            return f"has {table} with columns of different lengths"
    return ""


def _not_a_report(path: str, why: str, advice: str = _ADVICE) -> Diagnostic:
    return error("TTL0142", f"cannot read a report from '{path}': {why}", help=advice)


def _of_others(files: tuple[str, str], launched: Sequence[set[str]]) -> Diagnostic:
    return error(
        "TTL0143",
        f"'{files[0]}' and '{files[1]}' are about different operations and cannot be compared",
        notes=tuple(
            f"{file} has launches of {listed(sorted(operations))}"
            for file, operations in zip(files, launched, strict=True)
        ),
        help="give two reports of one program, before and after a change of it",
    )
