"""What a report says of a launch, in the simulator and on the emulated chip: it agrees with itself and with other reports."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from run_reports.reports import ReadLaunch, example, launch_of, report_of
from support.programs import run_program, run_ttl
from ttl import control
from ttl.arch import all_chips
from ttl.report.chip_plan import plan_of
from ttl.report.pack import unpacked
from ttl.report.records import LaunchReport, Track

# Pipes to many, pipes one to one, a semaphore; several buffers.
PROGRAMS = ("matmul_multicast", "spec_ring_forward", "spec_many_to_one_barrier")
TARGETS = ("sim", "emu")


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], dict[str, Any]]:
    return {
        (name, target): report_of(example(name), target, tmp_path_factory.mktemp(name))
        for name in PROGRAMS
        for target in TARGETS
    }


@pytest.fixture(params=[(name, target) for name in PROGRAMS for target in TARGETS], ids="-".join)
def launch(request: pytest.FixtureRequest, reports: dict[tuple[str, str], dict[str, Any]]) -> ReadLaunch:
    return launch_of(reports[request.param])


def test_every_field_of_the_model_is_there(launch: ReadLaunch) -> None:
    assert list(launch.data) == [item.name for item in fields(LaunchReport)]
    assert set(launch.data["tracks"][0]) == {item.name for item in fields(Track)}


def test_slices_follow_each_other_within_the_launch(launch: ReadLaunch) -> None:
    assert (launch.begin < launch.end).all()
    assert launch.end.max() == launch.data["length"]
    firsts = [track["first"] for track in launch.data["tracks"]]
    counts = [track["count"] for track in launch.data["tracks"]]
    assert firsts == [0, *np.cumsum(counts)[:-1].tolist()] and sum(counts) == len(launch.begin)
    for first, count in zip(firsts, counts, strict=True):
        own = slice(first, first + count)
        assert (launch.begin[own][1:] >= launch.end[own][:-1]).all()


def test_no_processor_works_and_waits_longer_than_the_launch(launch: ReadLaunch) -> None:
    length, nodes = launch.data["length"], launch.data["nodes"]
    for number, node in enumerate(nodes):
        assert all(busy + waits <= length for busy, waits in node["roles"].values())
        # The map shows the mean over the tracks of a node.
        assert len(node["roles"]) == sum(track["node"] == number for track in launch.data["tracks"])
        assert node["busy"] + node["waits"] == sum(map(sum, node["roles"].values()))
    # All processors of a node together: more than the launch, which is why the map divides.
    assert max(node["busy"] + node["waits"] for node in nodes) > length


def test_a_wait_ends_when_its_cause_has_happened(launch: ReadLaunch) -> None:
    waits = np.array([label["kind"] == "wait" for label in launch.data["labels"]])[launch.label]
    caused = launch.cause >= 0
    assert waits.any() and not (caused & ~waits).any()
    assert caused[waits].mean() > 0.9
    by_slice = caused & (launch.cause < len(launch.begin))
    # Slices join what happens at one expression: the cause lies in one that had begun.
    assert (launch.begin[launch.cause[by_slice]] < launch.end[by_slice]).all()
    by_transfer = launch.cause >= len(launch.begin)
    transfer = launch.cause[by_transfer] - len(launch.begin)
    assert (launch.transfers["begin"][transfer] < launch.end[by_transfer]).all()


def test_positions_are_those_of_something(launch: ReadLaunch) -> None:
    data = launch.data
    ends, nodes = len(data["ends"]), len(data["nodes"])
    for name, count in (
        ("source", ends), ("destination", ends), ("node", nodes), ("label", len(data["labels"])),
        ("kind", len(data["transfer_kinds"])),
    ):  # fmt: skip
        assert launch.transfers[name].min() >= 0 and launch.transfers[name].max() < count
    for label in data["labels"]:
        for name, table in (("file", "sources"), ("kernel", "kernels"), ("buffer", "buffer_names")):
            assert label[name] is None or 0 <= label[name] < len(data[table])
        if label["file"] is not None:
            text = data["sources"][label["file"]]["text"].splitlines()
            assert 1 <= label["line"] <= len(text)
    for pipe in data["pipes"]:
        assert {pipe["source"], *pipe["destinations"]} <= set(range(nodes))
        assert pipe["transfers"] > 0 and pipe["bytes"] > 0
    for track in data["tracks"]:
        assert track["role"] in data["kernels"][track["kernel"]]["roles"]


def test_the_path_is_the_whole_launch(launch: ReadLaunch) -> None:
    path = launch.path
    assert path["length"].sum() == launch.data["length"]
    times = np.cumsum(path["length"])
    inside = (path["at"] >= 0) & (path["at"] < len(launch.begin))
    assert inside.any()
    at = path["at"][inside]
    assert (times[inside] <= launch.end[at]).all() and (launch.begin[at] < times[inside]).all()


def test_no_two_transfers_of_a_lane_overlap(launch: ReadLaunch) -> None:
    t = launch.transfers
    order = np.lexsort((t["begin"], t["lane"], t["noc"], t["node"]))
    same = np.ones(len(order) - 1, bool)
    for name in ("lane", "noc", "node"):
        same &= t[name][order][1:] == t[name][order][:-1]
    ends = (t["begin"] + t["length"])[order]
    assert (t["begin"][order][1:] >= ends[:-1])[same].all()


@pytest.mark.parametrize("name", PROGRAMS)
def test_buffers_and_pipes_are_those_of_both_targets(
    name: str, reports: dict[tuple[str, str], dict[str, Any]]
) -> None:
    sim, emu = (launch_of(reports[name, target]).data for target in TARGETS)
    assert [item["text"] for item in sim["buffer_names"]] == [
        item["text"] for item in emu["buffer_names"] if item["made_by"] == "user"
    ]
    keys = ("name", "source", "destinations", "bytes", "transfers", "line")
    pipes = [sorted([pipe[key] for key in keys] for pipe in data["pipes"]) for data in (sim, emu)]
    assert pipes[0] == pipes[1]
    assert [node["node"] for node in sim["nodes"]] == [node["node"] for node in emu["nodes"]]
    assert sum(node["dram_written"] for node in sim["nodes"]) == sum(
        node["dram_written"] for node in emu["nodes"]
    )


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("target", TARGETS)
def test_buffers_end_empty_and_are_never_fuller_than_they_are_large(
    name: str, target: str, reports: dict[tuple[str, str], dict[str, Any]]
) -> None:
    data = reports[name, target]["launches"][0]
    fill, time = unpacked(data["fills"]["fill"]), unpacked(data["fills"]["time"])
    for buffer in data["buffers"]:
        called = data["buffer_names"][buffer["name"]]
        own = slice(buffer["first"], buffer["first"] + buffer["count"])
        assert (np.diff(time[own]) >= 0).all() and time[own].max() <= data["length"]
        if called["made_by"] == "user":
            assert fill[own][-1] == 0
            assert 0 < fill[own].max() <= called["blocks"] * called["block_pages"]


def test_the_profile_and_the_report_agree(reports: dict[tuple[str, str], dict[str, Any]]) -> None:
    data = reports["matmul_multicast", "emu"]["launches"][0]
    (source,) = data["sources"]
    by_line: dict[int, int] = {}
    for line in data["profile"]["lines"]:
        if line["file"] != source["file"]:  # of a kernel, where it stands for no line of the program
            continue
        by_line[line["line"]] = by_line.get(line["line"], 0) + line["path"]
    assert {line["line"]: line["cycles"] for line in source["lines"]} == by_line
    assert data["verdict"] == data["profile"]["verdict"]
    assert (
        sum(node["dram_read"] + node["dram_written"] for node in data["nodes"])
        == data["profile"]["dram_bytes"]
    )
    kernels = {kernel["name"]: kernel for kernel in data["kernels"]}
    assert "copy" in source["text"] and "cb_reserve_back" in kernels["read_a"]["text"]
    for cpp, file, line in kernels["read_a"]["lines"]:
        assert file == 0 and 1 <= cpp <= len(kernels["read_a"]["text"].splitlines())
        assert 1 <= line <= len(source["text"].splitlines())
    assert data["decisions"] and {item["kind"] for item in data["decisions"]} == {"explanation"}
    assert data["roof"]["attained"] <= 1


def test_the_roof_of_the_noc_where_that_bounds(reports: dict[tuple[str, str], dict[str, Any]]) -> None:
    """Its height is the work of the launch over the time of the busiest link."""
    (data,) = reports["matmul_multicast", "emu"]["launches"]
    roof, point = data["roof"], data["roof"]["points"][0]
    assert data["profile"]["bound_by"] == "NoC" and roof["bound_by"] == "NoC"
    (noc,) = [ceiling for ceiling in roof["ceilings"] if ceiling["name"] == "NoC"]
    share = data["profile"]["busiest_link"]
    assert point["y"] / (noc["per_cycle"] * point["x"]) == pytest.approx(share, rel=1e-3)
    assert roof["attained"] == pytest.approx(share, rel=1e-3)
    others = [
        launch["roof"]
        for (_, target), report in reports.items()
        for launch in report["launches"]
        if target == "emu"
    ]
    assert any("NoC" not in {ceiling["name"] for ceiling in one["ceilings"]} for one in others if one)


def test_a_multicast_arrives_at_every_receiver(reports: dict[tuple[str, str], dict[str, Any]]) -> None:
    data = reports["matmul_multicast", "emu"]["launches"][0]
    inner = next(node for node in data["nodes"] if node["node"] == [3, 3])
    sent = sum(pipe["bytes"] for pipe in data["pipes"] if data["nodes"].index(inner) in pipe["destinations"])
    words = inner["noc_in"] - sent
    assert inner["dram_read"] == 0 and 0 <= words < 1024


@pytest.mark.parametrize("target", TARGETS)
def test_the_same_run_gives_the_same_bytes(target: str, tmp_path: Path) -> None:
    texts = []
    for _ in range(2):
        report_of(example("spec_ring_forward"), target, tmp_path)
        texts.append((tmp_path / "report.json").read_bytes())
    assert texts[0] == texts[1]


@pytest.mark.skipif(not control.NATIVE, reason="there is one core")
def test_both_cores_of_the_simulator_say_the_same(
    reports: dict[tuple[str, str], dict[str, Any]], tmp_path: Path
) -> None:
    name = "spec_many_to_one_barrier"  # pipes and a semaphore
    command = [sys.executable, "-m", "ttl", "run", "--core", "python", "--report", "r.json", example(name)]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    other = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert other["launches"] == reports[name, "sim"]["launches"]


@pytest.mark.parametrize("chip", all_chips(), ids=lambda chip: chip.name)
def test_a_floor_plan_has_every_router_once(chip: Any) -> None:
    columns, rows = chip.max_grid
    plan = plan_of(chip, {(x, y): y * columns + x for y in range(rows) for x in range(columns)})
    assert [(cell.x, cell.y) for cell in plan.cells] == [
        (x, y) for y in range(plan.rows) for x in range(plan.columns)
    ]
    workers = [cell for cell in plan.cells if cell.kind == "worker"]
    assert sorted(cell.node for cell in workers if cell.node is not None) == list(range(columns * rows))
    assert len(workers) == columns * rows
    banks = {cell.bank for cell in plan.cells if cell.bank is not None}
    assert banks == set(range(len(chip.floorplan.banks)))
    assert all(cell.kind == "dram" for cell in plan.cells if cell.bank is not None)
    for kind in ("ethernet", "arc", "pcie", "dram"):
        assert (
            len([cell for cell in plan.cells if cell.kind == kind]) == len(getattr(chip.floorplan, kind)) > 0
        )


TWO = """
import ttl
import ttnn


def operation_of(grid):
    @ttl.operation(grid=grid)
    def double(x, y):
        x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))

        @ttl.datamovement()
        def read():
            with x_dfb.reserve() as x_blk:
                ttl.copy(x[0, 0], x_blk).wait()

        @ttl.compute()
        def compute():
            with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
                y_blk.store(2 * x_blk)

        @ttl.datamovement()
        def write():
            with y_dfb.wait() as y_blk:
                ttl.copy(y_blk, y[0, 0]).wait()

    return double


device = ttnn.open_device(device_id=0)
x, y = (ttnn.ones((32, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device) for _ in range(2))
for _ in range(4):
    operation_of((1, 1))(x, y)
    same = operation_of((1, 1))
    same(x, y)
    same(x, y)
    same(x, y)
    same(x, y)
"""


def test_every_launch_is_there_also_where_calls_would_be_replayed(tmp_path: Path) -> None:
    outcome = run_program(TWO, folder=tmp_path, flags=("--report", "all.json"), check="auto")
    assert (outcome.status, outcome.stderr) == (0, "")
    launches = json.loads((tmp_path / "all.json").read_text(encoding="utf-8"))["launches"]
    assert [launch["number"] for launch in launches] == list(range(1, 21))
    assert len({json.dumps(launch["slices"]) for launch in launches}) == 1


def test_of_several_schedules_the_first_is_reported(tmp_path: Path) -> None:
    program = tmp_path / "example.py"
    program.write_text(TWO, encoding="utf-8")
    outcome = run_ttl(["run", "--schedules", "3", "--report", "r.json", "example.py"], folder=tmp_path)
    assert outcome.status == 0
    assert len(json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))["launches"]) == 20
