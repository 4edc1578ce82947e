"""``ttl profile --measured``: the device profiler's file beside the emulated cycles, and files that are none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.programs import run_ttl
from ttl.diag import ProgramError
from ttl.emu.measured import read

PROGRAM = """
import ttl, ttnn

@ttl.operation(grid=(2, 1))
def double(x, y):
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))
    column = ttl.node(dims=1)

    @ttl.datamovement()
    def read():
        with ttl.signpost("fetch"):
            with x_dfb.reserve() as blk:
                ttl.copy(x[0, column], blk).wait()

    @ttl.compute()
    def compute():
        with x_dfb.wait() as a, y_dfb.reserve() as b:
            b.store(2 * a)

    @ttl.datamovement()
    def write():
        with y_dfb.wait() as blk:
            ttl.copy(blk, y[0, column]).wait()

device = ttnn.open_device(device_id=0)
x, y = (ttnn.ones((32, 64), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device) for _ in range(2))
double(x, y)
"""
HEAD = "ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000, Max Compute Cores: 64\n"
COLUMNS = (
    "PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since reset], data, run host ID, trace id, "
    "trace id counter,  zone name, type, source line, source file, meta data\n"
)


def zone(risc: str, name: str, begin: int, end: int, *, core: int = 1, run: int = 7) -> str:
    return "".join(
        f"0,{core},1,{risc},0,{time},0,{run},,,{name},{phase},0,,\n"
        for time, phase in ((begin, "ZONE_START"), (end, "ZONE_END"))
    )


KERNELS = "".join(
    zone(risc, name, begin + core, end + core, core=core)
    for core in (1, 2)
    for risc, name, begin, end in (
        ("NCRISC", "NCRISC-KERNEL", 100, 1100),
        ("NCRISC", "fetch", 200, 1000 + 100 * core),
        ("BRISC", "BRISC-FW", 50, 9000),
        ("BRISC", "BRISC-KERNEL", 100, 2100),
        ("TRISC_1", "TRISC-KERNEL", 100, 1600),
    )
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "double.py").write_text(PROGRAM)
    return tmp_path


def table(folder: Path, text: str, *flags: str) -> dict[str, dict[str, float]]:
    (folder / "log.csv").write_text(text)
    outcome = run_ttl(
        ["profile", "--format", "json", "--measured", "log.csv", *flags, "double.py"], folder=folder
    )
    assert outcome.status == 0, outcome.stderr
    answer = json.loads(outcome.stderr.splitlines()[-1])
    assert (answer["kind"], answer["arch"], answer["clock_hz"]) == ("measured", "wormhole_b0", 1e9)
    return {row["what"]: row for row in answer["rows"]}


def test_launches_kernels_and_signposts_have_three_columns(folder: Path) -> None:
    rows = table(folder, HEAD + COLUMNS + KERNELS)
    assert (
        rows["double, first begin to last end"]["measured"] == 2001
    )  # of both cores, the second of which begins later
    assert rows["kernels on ncrisc"]["measured"] == 1000
    assert rows["kernels on math"]["measured"] == 1500
    assert rows["kernels on unpack"]["measured"] is None
    fetch = rows["fetch on ncrisc, double.py:12"]
    assert fetch["measured"] == 950
    assert 0 < fetch["estimated"] < fetch["emulated"]
    assert fetch["error"] == fetch["emulated"] / fetch["measured"] - 1
    for row in rows.values():
        assert row["estimated"] <= row["emulated"]


def test_several_runs_of_one_launch_are_a_mean(folder: Path) -> None:
    again = zone("BRISC", "BRISC-KERNEL", 100_000, 101_000, run=8)
    rows = table(folder, HEAD + COLUMNS + KERNELS + again)
    assert rows["kernels on brisc"]["measured"] == 1500
    assert rows["kernels on ncrisc"]["measured"] == 1000


def test_the_table_stands_below_the_profile(folder: Path) -> None:
    (folder / "log.csv").write_text(HEAD + COLUMNS + KERNELS)
    outcome = run_ttl(["profile", "--measured", "log.csv", "double.py"], folder=folder)
    assert outcome.status == 0 and "critical path" in outcome.stderr
    assert (
        "estimated      emulated      measured    error  cycles on wormhole_b0 at 1,000 MHz" in outcome.stderr
    )
    assert "A line is measured where it stands in a zone" in outcome.stderr


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "its first line does not have the chip"),
        (HEAD, "it lacks the columns"),
        (HEAD + COLUMNS, "it has no kernel that begins and ends"),
        (HEAD + COLUMNS + zone("BRISC", "BRISC-FW", 1, 9), "it has no kernel that begins and ends"),
        (HEAD + COLUMNS + "0,1,1,BRISC,0,x,0,7,,,BRISC-KERNEL,ZONE_START\n\0,,\n" + '"' * 9, "no kernel"),
    ],
)
def test_a_file_that_is_none_is_refused(text: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text(text)
    with pytest.raises(ProgramError, match=why) as caught:
        read(str(tmp_path / "log.csv"))
    assert caught.value.code == "TTL0147"


def test_a_kernel_without_one_of_its_rows_is_refused(tmp_path: Path) -> None:
    """What is cut off would make a launch shorter than it was; every row of a kernel, cut at its end and in its middle."""
    lines = KERNELS.splitlines(keepends=True)
    for number, line in enumerate(lines):
        for rest in ("", line[:9]):
            (tmp_path / "log.csv").write_text(HEAD + COLUMNS + "".join(lines[:number]) + rest)
            kernels = [each for each in lines[:number] if "-KERNEL" in each]
            if kernels and len(kernels) % 2 == 0:
                assert read(str(tmp_path / "log.csv")).runs
                continue
            with pytest.raises(ProgramError) as caught:
                read(str(tmp_path / "log.csv"))
            assert caught.value.code == "TTL0147"
    without = "".join(line for line in lines if not ("TRISC" in line and "ZONE_START" in line))
    (tmp_path / "log.csv").write_text(HEAD + COLUMNS + without)
    with pytest.raises(ProgramError, match=r"math of core \(1, 1\) ends in it, and its other row is missing"):
        read(str(tmp_path / "log.csv"))


def test_damaged_rows_are_left_out(tmp_path: Path) -> None:
    for cut in range(0, len(KERNELS), 37):
        (tmp_path / "log.csv").write_text(HEAD + COLUMNS + KERNELS[:cut] + "\n" + KERNELS)
        assert read(str(tmp_path / "log.csv")).runs[0]["brisc", ""] > 0


@pytest.mark.parametrize(
    ("text", "flags", "why"),
    [
        (
            HEAD + COLUMNS + KERNELS,
            ("--arch", "blackhole"),
            "wormhole_b0 was measured, and blackhole emulated",
        ),
        (None, (), "no such file or directory"),
    ],
)
def test_what_does_not_fit_is_refused(
    text: str | None, flags: tuple[str, ...], why: str, folder: Path
) -> None:
    if text is not None:
        (folder / "log.csv").write_text(text)
    outcome = run_ttl(["profile", *flags, "--measured", "log.csv", "double.py"], folder=folder)
    assert outcome.status == 2
    assert "error[TTL0147]" in outcome.stderr and why in outcome.stderr


def test_the_report_of_a_run_has_measured_cycles(folder: Path) -> None:
    rows = table(folder, HEAD + COLUMNS + KERNELS, "--report", "run.json")
    (launch,) = json.loads((folder / "run.json").read_text())["launches"]
    measured = {row["what"]: row for row in launch["measured"]}
    assert list(measured) == list(rows)
    for what, row in rows.items():
        assert {
            name: row[name] for name in ("estimated", "emulated", "measured", "error")
        }.items() <= measured[what].items()
    fetch = measured["fetch on ncrisc, double.py:12"]
    assert (launch["sources"][fetch["file"]]["file"], fetch["line"]) == ("double.py", 12)
    assert measured["kernels on math"]["file"] is None


def test_a_measurement_of_another_run_leaves_the_report(folder: Path) -> None:
    (folder / "log.csv").write_text(HEAD + COLUMNS + KERNELS)
    flags = ["--arch", "blackhole", "--measured", "log.csv", "--report", "run.json"]
    outcome = run_ttl(["profile", *flags, "double.py"], folder=folder)
    assert outcome.status == 2 and "error[TTL0147]" in outcome.stderr
    report = json.loads((folder / "run.json").read_text())
    assert report["failure"] is None
    assert [launch["measured"] for launch in report["launches"]] == [[]]


def test_a_report_without_a_measurement_has_none(folder: Path) -> None:
    assert run_ttl(["profile", "--report", "run.json", "double.py"], folder=folder).status == 0
    (launch,) = json.loads((folder / "run.json").read_text())["launches"]
    assert launch["measured"] == []
