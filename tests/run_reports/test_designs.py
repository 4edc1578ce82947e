"""What a report says of a tile program: its plan, beside what was measured."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from run_reports.reports import example, report_of

PROGRAM = """\
import ttl
import ttnn


@ttl.tile_operation(grid=(4, 2))
def product(a, b, y):
    for m in ttl.spatial(a.rows, step=2):
        for n in ttl.spatial(b.columns, step=2):
            total = 0
            for k in ttl.temporal(a.columns, step=2):
                total += ttl.load(a[m, k]) @ ttl.load(b[k, n])
            ttl.store(y[m, n], total)


device = ttnn.open_device(device_id=0)
tensors = [
    ttnn.zeros(shape, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
    for shape in ((128, 256), (256, 256), (128, 256))
]
product(*tensors)
"""
TARGETS = ("sim", "emu")


@pytest.fixture(scope="module", params=TARGETS)
def launch(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("product")
    (folder / "product.py").write_text(PROGRAM)
    (only,) = report_of("product.py", request.param, folder)["launches"]
    assert only["target"] == request.param
    return dict(only)


def test_the_plan_is_that_of_the_launch(launch: dict[str, Any]) -> None:
    design = launch["design"]
    assert design["grid"] == launch["grid"] == [4, 2]
    assert len(design["loops"]) == 3 and design["loops"][-1] == "k: 4 iterations of 2 tiles"
    buffers = {name["text"]: name for name in launch["buffer_names"] if name["made_by"] == "user"}
    assert {stream["buffer"] for stream in design["streams"]} == set(buffers)
    for stream in design["streams"]:
        own = buffers[stream["buffer"]]
        assert stream["blocks"] == own["blocks"]
        assert stream["bytes"] == own["blocks"] * own["block_bytes"]
        assert f"{stream['buffer']} = ttl.make_dataflow_buffer_like({stream['tensor']}, " in design["source"]


def test_streams_say_who_moves_what_where(launch: dict[str, Any]) -> None:
    streams = {stream["tensor"]: stream for stream in launch["design"]["streams"]}
    assert {name: stream["direction"] for name, stream in streams.items()} == {
        "a": "in",
        "b": "in",
        "y": "out",
    }
    lines = PROGRAM.splitlines()
    for name, stream in streams.items():
        assert launch["sources"][stream["file"]]["file"] == "product.py"
        assert f"{name}[" in lines[stream["line"] - 1]
    sends = {pipe["name"]: set() for pipe in launch["pipes"]}
    for pipe in launch["pipes"]:
        sends[pipe["name"]].add(pipe["source"])
    for name, stream in streams.items():
        assert set(stream["movers"]) == sends.get(f"{name}_net", set(range(8)))
        assert (stream["multicast"] == "") == (f"{name}_net" not in sends)


def test_the_estimate_stands_beside_what_was_measured(launch: dict[str, Any]) -> None:
    design = launch["design"]
    assert design["sentence"].startswith(
        f"8 nodes (4 x 2), about {design['estimate']:,} cycles, most of them "
    )
    if launch["target"] == "emu":
        measured = launch["length"]
        assert f"; measured {measured:,} (" in design["sentence"]
        assert (
            0 < sum(stream["cycles"] for stream in design["streams"] if stream["tensor"] != "b") <= measured
        )
    else:
        assert "measured" not in design["sentence"]
        assert {stream["cycles"] for stream in design["streams"]} == {0}


def test_other_operations_have_no_plan(tmp_path: Path) -> None:
    (only,) = report_of(example("spec_ring_forward"), "sim", tmp_path)["launches"]
    assert only["design"] is None
