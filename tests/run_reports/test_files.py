"""Files of reports: what is written, what is read again, and what is said where that cannot be."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from docs.blocks import ROOT
from run_reports.reports import example, launch_of, report_of
from support.programs import run_program, run_ttl
from ttl.report import assembly
from ttl.report.assembly import page
from ttl.report.pack import as_json

HOSTILE = "</script><script>alert(1)</script><!--\u2028&"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report of the simulator and one of the chip, of one program; the profiles of the second; one of another program."""
    folder = tmp_path_factory.mktemp("files")
    ring = example("spec_ring_forward")
    report_of(ring, "sim", folder)
    (folder / "report.json").rename(folder / "sim.json")
    run_ttl(["profile", "--report", "emu.json", "-o", "profiles", ring], folder=folder)
    report_of(example("spec_many_to_one_barrier"), "sim", folder)
    (folder / "report.json").rename(folder / "other.json")
    return folder


def test_a_verb_makes_the_same_report_of_its_data(files: Path) -> None:
    outcome = run_ttl(["report", "emu.json", "-o", "again.json"], folder=files)
    assert (outcome.status, outcome.stdout + outcome.stderr) == (0, "")
    assert (files / "again.json").read_bytes() == (files / "emu.json").read_bytes()


def test_profiles_make_a_report_without_a_timeline(files: Path) -> None:
    assert run_ttl(["report", "profiles", "-o", "of_profiles.json"], folder=files).status == 0
    ours, whole = (json.loads((files / name).read_text()) for name in ("of_profiles.json", "emu.json"))
    (launch,), (recorded,) = ours["launches"], whole["launches"]
    assert set(launch) == set(recorded) and launch["tracks"] == []
    assert launch["profile"] == recorded["profile"] and launch["verdict"] == recorded["verdict"]
    costs = [
        {line["line"]: line["cycles"] for line in item["sources"][0]["lines"]} for item in (launch, recorded)
    ]
    assert costs[0] == costs[1]
    assert run_ttl(["report", "of_profiles.json", "-o", "again.json"], folder=files).status == 0


@pytest.mark.parametrize("before", ["sim.json", "emu.json", "profiles"])
def test_two_runs_are_a_pair(before: str, files: Path) -> None:
    assert run_ttl(["report", before, "emu.json", "-o", "pair.json"], folder=files).status == 0
    pair = json.loads((files / "pair.json").read_text())
    assert (pair["schema"], pair["kind"]) == (1, "reports")
    assert pair["after"] == json.loads((files / "emu.json").read_text())
    if before == "sim.json":
        assert pair["diff"] is None and pair["before"] == json.loads((files / before).read_text())
    else:
        assert pair["diff"]["kind"] == "profile-diff"


def test_several_runs_are_compared_with_the_first_or_a_baseline_and_the_baseline_is_kept(files: Path) -> None:
    outcome = run_ttl(["report", "emu.json", "profiles", "emu.json", "-o", "runs.json"], folder=files)
    assert outcome.status == 0, outcome.stderr
    runs = json.loads((files / "runs.json").read_text())
    assert (runs["kind"], runs["names"], len(runs["diffs"])) == (
        "runs",
        ["emu.json", "profiles", "emu.json"],
        2,
    )
    (operation,) = runs["compared"]["operations"]
    length = runs["baseline"]["launches"][0]["length"]
    assert operation["total"] == {"baseline": length, "runs": [length, length]}
    assert outcome.stdout.splitlines()[0] == runs["compared"]["headline"]
    # Where there is no such file the first run is the baseline from now on; then it stays.
    assert run_ttl(["report", "emu.json", "--keep-baseline", "kept.json"], folder=files).status == 0
    kept = (files / "kept.json").read_bytes()
    assert kept == (files / "emu.json").read_bytes()
    again = run_ttl(["report", "profiles", "--keep-baseline", "kept.json"], folder=files)
    assert (
        again.stdout.startswith("Keep kept: no run is faster\n")
        and (files / "kept.json").read_bytes() == kept
    )
    named = run_ttl(["report", "profiles", "--baseline", "kept.json", "--format", "json"], folder=files)
    assert json.loads(named.stdout)["baseline"] == "kept"
    steps = run_ttl(["report", "sim.json", "emu.json"], folder=files)
    assert steps.status == 0 and "the simulator counts steps" in steps.stdout


def test_a_baseline_has_to_be_there_and_of_the_same_program(files: Path) -> None:
    for arguments, code in (
        (["emu.json", "--baseline", "gone.json"], "TTL0142"),
        (["emu.json", "sim.json", "--baseline", "other.json"], "TTL0143"),
        (["emu.json", "--keep-baseline", ""], "TTL0117"),
        (["emu.json", "--keep-baseline", "nowhere/base.json"], "TTL0117"),
        (["emu.json", "--keep-baseline", "a", "--baseline", "b"], "TTL0113"),
    ):
        outcome = run_ttl(["report", *arguments], folder=files)
        assert outcome.status == 2 and f"error[{code}]" in outcome.stderr, outcome.stderr


def test_a_report_of_before_a_field_was_added_is_read(files: Path) -> None:
    report = json.loads((files / "emu.json").read_text())
    del report["launches"][0]["headline"]
    (files / "older.json").write_text(json.dumps(report))
    assert run_ttl(["report", "older.json", "emu.json"], folder=files).status == 0


def broken(files: Path, what: str) -> str:
    text = (files / "emu.json").read_text()
    report = json.loads(text)
    launch = report["launches"][0]
    match what:
        case "cut":
            return text[: len(text) // 2]
        case "newer":
            report["schema"] = 2
        case "pair" | "runs":
            report["kind"] = "reports" if what == "pair" else "runs"
        case "no slices":
            del launch["slices"]
        case "damaged":
            launch["slices"]["gap"]["z"] = launch["slices"]["gap"]["z"][:-8]
        case "shorter":
            launch["slices"]["gap"] = {"i": [1]}
        case "empty":
            report["launches"] = []
        case "odd":
            report["launches"] = [3]
        case "prose":
            return "hello\n"
        case "list":
            return "[1, 2]"
    return json.dumps(report)


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("cut", "it is incomplete ("),
        ("newer", "its schema is 2, and this version of ttl reads 1"),
        ("pair", "it has a pair of reports, but one is needed"),
        ("runs", "it has several reports, but one is needed"),
        ("no slices", "launch 1 in it has no slices"),
        ("damaged", "a column"),
        ("shorter", "columns of different lengths"),
        ("empty", "no launch"),
        ("odd", "not one of this version"),
        ("prose", "no report and no profile"),
        ("list", "no report and no profile"),
    ],
)
def test_what_is_no_report_of_ours_is_refused(what: str, said: str, files: Path) -> None:
    (files / "broken.json").write_text(broken(files, what))
    for arguments in (["broken.json"], ["emu.json", "broken.json"]):
        outcome = run_ttl(["report", *arguments, "-o", "never.json"], folder=files)
        assert outcome.status == 2 and "error[TTL0142]" in outcome.stderr and said in outcome.stderr
        assert not (files / "never.json").exists()


def test_another_program_is_refused(files: Path) -> None:
    outcome = run_ttl(["report", "sim.json", "other.json", "-o", "never.json"], folder=files)
    assert outcome.status == 2 and "error[TTL0143]" in outcome.stderr
    assert "sum_of_squares" in outcome.stderr and not (files / "never.json").exists()


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["run", "--report", "folder", "example.py"], "TTL0117"),
        (["run", "--report", "nowhere/page.json", "example.py"], "TTL0117"),
        (["run", "--target", "device", "--report", "x.json", "example.py"], "TTL0119"),
        (["report", "emu.json", "-o", "folder"], "TTL0117"),
        (["report", "emu.json", "-o", ""], "TTL0117"),
        (["report", "emu.json"], "TTL0113"),
        (["report", "gone.json", "-o", "x.json"], "TTL0142"),
    ],
)
def test_what_cannot_be_written_is_said_before_anything_runs(
    arguments: list[str], code: str, files: Path
) -> None:
    (files / "folder").mkdir(exist_ok=True)
    (files / "example.py").write_text("print('ran')\n")
    outcome = run_ttl(arguments, folder=files)
    assert outcome.status == 2 and f"error[{code}]" in outcome.stderr and "ran" not in outcome.stdout


FAILS = """
import ttl, ttnn

@ttl.operation(grid=(1, 1))
def copy(x, y, blocks):
    dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))

    @ttl.datamovement()
    def read():
        for _ in range(blocks):
            with dfb.reserve() as blk:
                ttl.copy(x[0, 0], blk).wait()

    @ttl.datamovement()
    def write():
        with dfb.wait() as blk:
            ttl.copy(blk, y[0, 0]).wait()

device = ttnn.open_device(device_id=0)
x, y = (ttnn.ones((32, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device) for _ in range(2))
copy(x, y, 1)
copy(x, y, 4)
"""


def test_of_a_program_that_fails_all_its_launches_are_reported(tmp_path: Path) -> None:
    outcome = run_program(FAILS, folder=tmp_path, flags=("--report", "r.json"))
    assert outcome.status == 1 and "error[" in outcome.stderr and "TTL0141" not in outcome.stderr
    launches = json.loads((tmp_path / "r.json").read_text())["launches"]
    assert [bool(launch["findings"]) for launch in launches] == [False, True]


def test_a_program_that_python_runs_writes_its_report_when_it_ends(tmp_path: Path) -> None:
    environment = {**os.environ, "TTL_REPORT": str(tmp_path / "r.json"), "PYTHONPATH": str(ROOT / "examples")}
    subprocess.run(
        [sys.executable, example("spec_ring_forward")], env=environment, check=True, capture_output=True
    )
    assert launch_of(json.loads((tmp_path / "r.json").read_text())).data["target"] == "sim"


# --- the page ------------------------------------------------------------------------------------------------------


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that is built: what it does is tested in web/report."""
    (tmp_path / "report.js").write_text('"use strict"; const end = "</script>";')
    (tmp_path / "report.css").write_text("body { margin: 0 }")
    monkeypatch.setattr(assembly, "FOLDER", tmp_path)


def test_data_are_never_code(built: None) -> None:
    report: dict[str, Any] = {"title": HOSTILE, "launches": [{"name": HOSTILE}]}
    text = page(report)
    assert text.count("<script") == text.count("</script>") == 2 and "<!--" not in text
    data = re.search(r'<script type="application/json" id="report">(.*?)</script>', text, re.DOTALL)
    assert data is not None and json.loads(data[1]) == report
    assert "<title>&lt;/script&gt;" in text


def test_the_page_asks_for_nothing(built: None) -> None:
    text = page({"title": "a"})
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)
    assert policy is not None and policy[1].startswith("default-src 'none'; script-src 'sha256-")
    assert "http" not in text.replace("http-equiv", "") and 'src="' not in text


def test_a_page_is_written_whole_or_not_at_all(
    files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "page.html"
    target.write_text("before")
    monkeypatch.setattr(assembly, "is_built", lambda: False)
    outcome = run_ttl(["report", "emu.json", "-o", str(target)], folder=files)
    assert "error[TTL0140]" in outcome.stderr and target.read_text() == "before"


def test_json_has_no_number_that_json_has_not() -> None:
    with pytest.raises(ValueError, match="JSON"):
        as_json({"x": float("nan")})


def test_the_reference_is_that_of_the_records() -> None:
    script = ROOT / "scripts" / "update_report_reference.py"
    subprocess.run([sys.executable, str(script), "--check"], check=True)
