"""``ttl.report.load``: what stands in a report, as objects, is what the profile and the report say."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import ttl
from emu.test_measured import PROGRAM
from support.programs import run_ttl
from ttl.diag import ProgramError


@pytest.mark.parametrize("target", ["emu", "sim"])
def test_events_add_up_to_what_the_nodes_say(target: str, tmp_path: Path) -> None:
    (tmp_path / "double.py").write_text(PROGRAM)
    outcome = run_ttl(["run", "--target", target, "--report", "run.json", "double.py"], folder=tmp_path)
    assert outcome.status == 0
    report = ttl.report.load(tmp_path / "run.json")
    assert report.title == "double.py"
    (launch,) = report.launches
    assert (launch.name, launch.number, launch.target, launch.chip) == ("double", 1, target, "wormhole")
    assert {kernel.name for kernel in launch.kernels} == {"read", "compute", "write"}
    assert [node.node for node in launch.nodes] == [(0, 0), (1, 0)]
    for node in launch.nodes:
        own = [event for event in launch.events if event.node == node.node]
        # A short wait is part of the event of its call.
        assert sum(event.length for event in own) == node.busy + node.waits
        assert sum(event.length for event in launch.waits if event.node == node.node) <= node.waits
        for role in node.roles:
            mine = [event for event in own if event.role == role]
            assert all(a.begin + a.length <= b.begin for a, b in pairwise(mine))
            assert mine[-1].begin + mine[-1].length <= launch.length
    waits = launch.waits
    assert [event.length for event in waits] == sorted((event.length for event in waits), reverse=True)
    assert {event.file for event in launch.events if event.line} == {"double.py"}


def test_lines_are_those_of_the_profile(tmp_path: Path) -> None:
    (tmp_path / "double.py").write_text(PROGRAM)
    assert (
        run_ttl(["run", "--target", "emu", "--report", "run.json", "double.py"], folder=tmp_path).status == 0
    )
    (launch,) = ttl.report.load(str(tmp_path / "run.json")).launches
    assert launch.profile is not None and launch.profile.cycles == launch.length
    known = {
        place.line: cost for place, cost in launch.profile.lines.items() if place.file.endswith("double.py")
    }
    assert {line.line for line in launch.lines} <= set(known)
    for line in launch.lines:
        assert line.cycles == known[line.line].path
        assert line.text == PROGRAM.split("\n")[line.line - 1]


def test_a_file_of_profiles_has_no_events(tmp_path: Path) -> None:
    (tmp_path / "double.py").write_text(PROGRAM)
    assert run_ttl(["profile", "-o", "run.json", "double.py"], folder=tmp_path).status == 0
    (launch,) = ttl.report.load(tmp_path / "run.json").launches
    assert launch.events == () and launch.profile is not None and launch.lines


def test_what_is_no_report_is_refused(tmp_path: Path) -> None:
    (tmp_path / "none.json").write_text("{}")
    with pytest.raises(ProgramError, match="TTL0142"):
        ttl.report.load(tmp_path / "none.json")
    with pytest.raises(AttributeError, match="has no attribute 'lode'"):
        ttl.report.lode


def _places(data: Any) -> Iterator[tuple[Any, Any]]:
    """Every member of what JSON gave, with what it is in; of a list the first three."""
    items = list(data.items()) if isinstance(data, dict) else list(enumerate(data))[:3]
    for key, value in items:
        yield data, key
        if isinstance(value, dict | list):
            yield from _places(value)


def test_a_damaged_report_is_an_error_or_read(tmp_path: Path) -> None:
    """One member at a time gone, or something else: never an exception of Python's, from what is read at once or later."""
    (tmp_path / "double.py").write_text(PROGRAM)
    run_ttl(["run", "--target", "emu", "--report", "run.json", "double.py"], folder=tmp_path)
    text = (tmp_path / "run.json").read_text()
    generator, path, codes = random.Random(39), tmp_path / "damaged.json", set[str]()
    for _ in range(120):
        data = json.loads(text)
        around, key = generator.choice(list(_places(data)))
        around[key] = generator.choice([None, "x", -7, [], {}])
        if isinstance(around, dict) and generator.random() < 0.3:
            del around[key]
        path.write_text(json.dumps(data))
        try:
            codes |= {str(len(launch.waits) >= 0) for launch in ttl.report.load(path).launches}
        except ProgramError as damaged:
            codes.add(damaged.code)
    assert codes == {"True", "TTL0142"}
