"""Traces of runs on the emulated chip: the rules of the trace event format, and names that a person can read."""

from __future__ import annotations

import json
import shutil
from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.programs import run_ttl
from ttl.emu.trace_slices import load

ROOT = Path(__file__).parents[2]
PROGRAMS = ROOT / "benchmarks" / "programs"
Event = dict[str, Any]

RUN = """
import sys
sys.path.insert(0, {folder!r})
import matmul_multicast
matmul_multicast.prepare({size}, {grid}, {block}).run()
"""


def traced(folder: Path, size: int, grid: tuple[int, int], block: tuple[int, int, int]) -> Path:
    text = RUN.format(folder=str(PROGRAMS), size=size, grid=grid, block=block)
    (folder / "program.py").write_text(text, encoding="utf-8")
    outcome = run_ttl(["run", "--target", "emu", "--trace", "out.json", "program.py"], folder=folder)
    assert outcome.status == 0, outcome.stderr
    return folder / "out.json"


@pytest.fixture(scope="module")
def events(tmp_path_factory: pytest.TempPathFactory) -> list[Event]:
    """Of a matrix multiplication with multicasts on 2 x 2 nodes."""
    path = traced(tmp_path_factory.mktemp("trace"), 256, (2, 2), (2, 2, 2))
    data = json.loads(path.read_text(encoding="utf-8"))
    assert data["displayTimeUnit"] == "ns" and "estimates" in data["otherData"]["note"]
    return list(data["traceEvents"])


def slices(events: list[Event]) -> dict[tuple[int, int], list[Event]]:
    tracks: defaultdict[tuple[int, int], list[Event]] = defaultdict(list)
    for event in events:
        if event["ph"] == "X":
            tracks[event["pid"], event["tid"]].append(event)
    return tracks


def line_of(text: str) -> int:
    lines = (PROGRAMS / "matmul_multicast.py").read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


def test_every_event_has_what_its_phase_needs(events: list[Event]) -> None:
    needs = {
        "M": {"pid", "tid", "name", "args"}, "X": {"pid", "tid", "name", "cat", "ts", "dur"},
        "C": {"pid", "name", "ts", "args"}, "i": {"pid", "tid", "name", "ts", "s"},
        "s": {"pid", "tid", "name", "cat", "ts", "id"}, "f": {"pid", "tid", "name", "cat", "ts", "id", "bp"},
    }  # fmt: skip
    for event in events:
        assert needs[event["ph"]] <= set(event), event
        assert event.get("ts", 0) >= 0 and event.get("dur", 0) >= 0
        if event["ph"] == "C":
            assert all(isinstance(value, int | float) for value in event["args"].values())
    assert {event["pid"] for event in events} == {1, 2, 3, 10, 11}, (
        "the chip, and nodes by their number on it"
    )


def test_slices_of_a_track_are_nested(events: list[Event]) -> None:
    """Viewers draw no others."""
    for track in slices(events).values():
        spans = sorted(
            ((round(e["ts"] * 1000), round((e["ts"] + e["dur"]) * 1000)) for e in track),
            key=lambda span: (span[0], -span[1]),
        )
        for (_, ends), (begins, _) in pairwise(spans):
            assert ends <= begins, "there are no signposts in this program"


def test_arrows_begin_and_end_in_slices(events: list[Event]) -> None:
    tracks = slices(events)
    ends = {phase: {e["id"]: e for e in events if e["ph"] == phase} for phase in "sf"}
    assert set(ends["s"]) == set(ends["f"]) != set()
    for of_phase in ends.values():
        for event in of_phase.values():
            assert any(
                e["ts"] <= event["ts"] <= e["ts"] + e["dur"] for e in tracks[event["pid"], event["tid"]]
            ), event
    assert all(ends["s"][number]["ts"] <= ends["f"][number]["ts"] for number in ends["s"])
    assert {e["name"] for e in ends["s"].values()} == {"transfer", "hand over"}
    assert any(ends["s"][n]["pid"] != ends["f"][n]["pid"] for n in ends["s"]), "from node to node"


def test_nodes_and_tracks_are_in_order(events: list[Event]) -> None:
    names = {
        (e["pid"], e["tid"]): e["args"]["name"]
        for e in events
        if e["name"] in ("process_name", "thread_name")
    }
    order = {
        (e["pid"], e["tid"]): e["args"]["sort_index"] for e in events if e["name"].endswith("_sort_index")
    }
    assert set(names) == set(order)
    processes = sorted((key for key in names if key[1] == 0), key=order.__getitem__)
    assert [names[key] for key in processes] == [
        "wormhole", "node (0, 0)", "node (1, 0)", "node (0, 1)", "node (1, 1)",
    ]  # fmt: skip
    threads = sorted((key for key in names if key[0] == 2 and key[1]), key=order.__getitem__)
    assert [names[key] for key in threads][:5] == ["brisc", "ncrisc", "unpack", "math", "pack"]
    assert {names[key] for key in threads[5:]} >= {"NoC 0", "NoC 1"}


def test_names_are_those_of_the_program(events: list[Event]) -> None:
    named = {(e["cat"], e["name"]) for e in events if e["ph"] == "X"}
    reserve, product = line_of("with a_dfb.reserve()"), line_of("total += a_blk @ b_blk")
    copy, wait = line_of("a_xf = ttl.copy(a["), line_of("a_xf.wait()")
    assert ("work", f"a_dfb.reserve() :{reserve}") in named
    assert ("work", f"a_blk @ b_blk :{product}") in named
    assert ("work", f"ttl.copy(a[rows, inner], a_blk) :{copy}") in named
    assert ("wait", f"waits for a, in DRAM :{wait}") in named
    assert ("wait", f"waits for data in a_dfb :{line_of('with a_dfb.wait()')}") in named
    assert any(cat == "wait" and name.startswith("waits for semaphore a_net_valid :") for cat, name in named)
    assert ("transfer", "a, in DRAM -> a_dfb, 4 x 2,048 bytes") in named
    assert ("transfer", "a_dfb -> a_net_landing of node (1, 0), 8,192 bytes") in named
    assert ("transfer", "y_dfb -> y, in DRAM, 4 x 2,048 bytes") in named
    assert ("launch", "matmul, launch 1") in named
    assert [e["name"] for e in events if e["ph"] == "i"] == ["matmul, launch 1"]


def test_counters_say_what_is_in_buffers_and_on_the_way(events: list[Event]) -> None:
    counters = [e for e in events if e["ph"] == "C"]
    fill = [e["args"]["pages"] for e in counters if e["pid"] == 2 and e["name"] == "a_dfb"]
    assert max(fill) >= 4 and min(fill) == fill[-1] == 0 and set(fill) <= {0, 4, 8}
    moved = defaultdict(float)
    chip = [e for e in counters if e["pid"] == 1]
    for before, after in pairwise(e for e in chip if e["name"] == "DRAM"):
        moved["DRAM"] += before["args"]["bytes a cycle"] * (after["ts"] - before["ts"]) * 1000
    assert {e["name"] for e in chip} == {"NoC 0", "NoC 1", "DRAM"}
    needed = 3 * 256 * 256 * 2 + 256 * 256 * 2 * 2  # a and b are read twice: a node has four blocks
    assert moved["DRAM"] == pytest.approx(needed, rel=0.02)


def test_load_is_the_mean_between_edges() -> None:
    begins, ends, amounts = np.array([0, 10]), np.array([10, 30]), np.array([100, 40])
    assert load(begins, ends, amounts, np.array([0, 10, 20, 40])).tolist() == [10.0, 2.0, 1.0]


def test_64_nodes_fit_into_ten_megabytes(tmp_path: Path) -> None:
    path = traced(tmp_path, 1024, (8, 8), (4, 4, 4))
    assert path.stat().st_size <= 10_000_000
    shutil.rmtree(tmp_path)
