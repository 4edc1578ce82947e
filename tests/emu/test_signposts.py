"""Specification, "Profiling signpost": a named block of code is measured, and is found in the profile, the trace and the CSV."""

from __future__ import annotations

import csv
import io
import json
import re
from itertools import pairwise
from pathlib import Path

import pytest

from support.programs import run_ttl

PROGRAM = """
import ttl
import ttnn

device = ttnn.open_device(device_id=0)


@ttl.operation(grid=(2, 1))
def doubled(a: ttnn.Tensor, y: ttnn.Tensor) -> None:
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))
    column, _ = ttl.node(dims=2)

    @ttl.datamovement()
    def read() -> None:
        for row in range(3):
            with ttl.signpost("a tile"):
                with a_dfb.reserve() as a_blk, ttl.signpost("its copy"):
                    ttl.copy(a[row, column], a_blk).wait()

    @ttl.compute()
    def compute() -> None:
        for _ in range(3):
            with a_dfb.wait() as a_blk, y_dfb.reserve() as y_blk, ttl.signpost("sum"):
                y_blk.store(a_blk + a_blk)

    @ttl.datamovement()
    def write() -> None:
        for row in range(3):
            with y_dfb.wait() as y_blk:
                ttl.copy(y_blk, y[row, column]).wait()


a = ttnn.ones((96, 64), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
y = ttnn.zeros((96, 64), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
for _ in range(LAUNCHES):
    doubled(a, y)
"""


@pytest.fixture(scope="module")
def written(
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[str, list[dict[str, object]], list[dict[str, str]]]:
    """What ``--profile`` shows of two launches, the events of ``--trace`` and the rows of ``--perf-csv``."""
    folder = tmp_path_factory.mktemp("signposts")
    (folder / "program.py").write_text(PROGRAM.replace("LAUNCHES", "2"), encoding="utf-8")
    flags = ["--profile", "--trace", "out.json", "--perf-csv", "out.csv"]
    found = run_ttl(["run", "--target", "emu", *flags, "program.py"], folder=folder)
    assert found.status == 0, found.stderr
    events = json.loads((folder / "out.json").read_text())["traceEvents"]
    rows = list(csv.DictReader(io.StringIO((folder / "out.csv").read_text())))
    return found.stderr + found.stdout, events, rows


def test_a_profile_has_a_line_for_every_signpost_of_every_processor(
    written: tuple[str, list[dict[str, object]], list[dict[str, str]]],
) -> None:
    table = re.findall(
        r"^(a tile|its copy|sum) +(\w+) +(\d+)  (\w+) +(\d+) +([\d,]+) +([\d,]+) +([\d,]+) +(\d+) %$",
        written[0],
        re.M,
    )
    lines = PROGRAM.splitlines()
    assert [(name, kernel, role, times) for name, kernel, _, role, times, *_ in table] == [
        ("a tile", "read", "ncrisc", "12"),
        ("its copy", "read", "ncrisc", "12"),
        ("sum", "compute", "math", "12"),
        ("sum", "compute", "pack", "12"),
        ("sum", "compute", "unpack", "12"),
    ]
    for name, _, line, _, _, mean, least, most, waits in table:
        assert f'ttl.signpost("{name}")' in lines[int(line) - 1]
        assert int(least.replace(",", "")) <= int(mean.replace(",", "")) <= int(most.replace(",", ""))
        assert 0 <= int(waits) < 100
    assert int(table[1][5]) > 300, "a read from DRAM takes some 400 cycles"


def test_a_trace_has_signposts_around_what_happens_in_them(
    written: tuple[str, list[dict[str, object]], list[dict[str, str]]],
) -> None:
    """Events of a track that overlap are nested: Perfetto draws no others."""
    found = [each for each in written[1] if each.get("ph") == "X"]
    assert sum(each["cat"] == "signpost" for each in found) == 2 * 2 * 3 * (1 + 1 + 3)
    assert {each["name"] for each in found if each["cat"] == "signpost"} == {"a tile", "its copy", "sum"}
    tracks: dict[object, list[tuple[int, int]]] = {}
    for each in found:
        begins = round(float(str(each["ts"])) * 1000)
        ends = begins + round(float(str(each["dur"])) * 1000)
        tracks.setdefault((each["pid"], each["tid"]), []).append((begins, ends))
    for spans in tracks.values():
        open_until: list[int] = []
        for (begins, ends), _ in pairwise([*sorted(spans, key=lambda span: (span[0], -span[1])), (0, 0)]):
            while open_until and open_until[-1] <= begins:
                open_until.pop()
            assert not open_until or ends <= open_until[-1]
            open_until.append(ends)


def test_a_csv_has_columns_for_signposts(
    written: tuple[str, list[dict[str, object]], list[dict[str, str]]],
) -> None:
    """Rows of the profiler's report are operations: marks between them would hide all before the last one."""
    assert len(written[2]) == 2 and all(row["OP TYPE"] == "tt_dnn_device" for row in written[2])
    row = written[2][0]
    count = [
        name for name in row if name.startswith("SIGNPOST its copy [read:") and name.endswith("NCRISC] COUNT")
    ]
    assert [row[name] for name in count] == ["6"]
    duration = int(row[count[0].replace("COUNT", "DURATION [ns]")])
    assert 3 * 300 < duration < int(row["DEVICE KERNEL DURATION [ns]"])


def test_measuring_costs_no_cycles(tmp_path: Path) -> None:
    program = PROGRAM.replace("LAUNCHES", "1")
    cycles = []
    without = re.sub(
        r', ttl\.signpost\("[\w ]+"\)', "", program.replace('with ttl.signpost("a tile"):', "if True:")
    )
    assert "signpost" not in without
    for text in (program, without):
        (tmp_path / "program.py").write_text(text, encoding="utf-8")
        found = run_ttl(["run", "--target", "emu", "--profile", "program.py"], folder=tmp_path)
        cycles += re.findall(r"doubled: ([\d,]+) cycles", found.stderr + found.stdout) or [found.stderr]
    assert cycles[0] == cycles[1]
