"""Reports of launches over several chips: where nodes are, and what went over the links."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from run_reports.reports import report_of
from support import mesh_programs
from ttl.arch.systems import system_named
from ttl.emu import runtime

# Every chip of a row sends its tile to the next one, the last one to the first; chip (0, 0) sends another one to all chips.
PROGRAM = """
import torch
import ttl
import ttnn

mesh = ttnn.open_mesh_device(ttnn.MeshShape({rows}, {columns}))
tile = ttnn.from_torch(torch.ones(32, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=mesh)


@ttl.operation(grid=({rows}, {columns}, 2, 1))
def sends(x: ttnn.Tensor) -> None:
    ring = ttl.PipeNet([
        ttl.Pipe(src=(row, column, 0, 0), dst=(row, (column + 1) % {columns}, 1, 0))
        for row in range({rows}) for column in range({columns})
    ])
    one = ttl.PipeNet([ttl.Pipe(src=(0, 0, 1, 0), dst=(slice(0, {rows}), slice(0, {columns}), 0, 0))])
    out_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
    in_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))

    @ttl.datamovement()
    def send():
        with out_dfb.reserve() as blk:
            ttl.copy(x[0, 0], blk).wait()
        with out_dfb.wait() as blk:
            ring.if_src(lambda pipe: ttl.copy(blk, pipe).wait())
            one.if_src(lambda pipe: ttl.copy(blk, pipe).wait())

    @ttl.datamovement()
    def receive():
        for net in (ring, one):
            def take(pipe):
                with in_dfb.reserve() as blk:
                    ttl.copy(pipe, blk).wait()
                with in_dfb.wait() as blk:
                    pass
            net.if_dst(take)


sends(tile)
"""
TILE = 2048
needs_chip = pytest.mark.skipif(runtime.missing() is not None, reason="there is no emulated chip")


def mesh_report(rows: int, columns: int, folder: Path, *flags: str, target: str = "sim") -> dict[str, Any]:
    (folder / "sends.py").write_text(PROGRAM.format(rows=rows, columns=columns), encoding="utf-8")
    launch: dict[str, Any] = report_of("sends.py", target, folder, *flags)["launches"][0]
    return launch


def carried(mesh: dict[str, Any]) -> dict[tuple[int, int], int]:
    return {(link["source"], link["target"]): link["bytes"] for link in mesh["links"] if link["bytes"]}


def test_bytes_go_along_routes(tmp_path: Path) -> None:
    launch = mesh_report(2, 4, tmp_path, "--system", "t3000")
    mesh = launch["mesh"]
    assert (mesh["title"], mesh["topology"], mesh["rows"], mesh["columns"]) == (
        "T3000 (4 x n300)",
        "mesh",
        2,
        4,
    )
    assert mesh["names"][6] == "chip (1, 2)"
    assert mesh["chips"] == [chip for chip in range(8) for _ in range(2)]
    assert mesh["bisection_bytes_per_second"] == 50_000_000_000
    # Both ways of ten links, two ports each.
    assert len(mesh["links"]) == 20 and {link["ports"] for link in mesh["links"]} == {2}
    # The ring: one tile to the right, and from the last chip of a row all the way back. To all chips: down first, then along.
    ring = {(a, b): TILE for row in (0, 4) for a, b in [(row, row + 1), (row + 1, row + 2), (row + 2, row + 3), (row + 1, row), (row + 2, row + 1), (row + 3, row + 2)]}  # fmt: skip
    to_all = {(0, 1): 3, (1, 2): 2, (2, 3): 1, (0, 4): 4, (4, 5): 3, (5, 6): 2, (6, 7): 1}
    expected = {way: ring.get(way, 0) + TILE * to_all.get(way, 0) for way in sorted({*ring, *to_all})}
    assert carried(mesh) == expected
    shares = {(link["source"], link["target"]): link["share"] for link in mesh["links"]}
    assert shares[0, 1] == 1.0 and shares[4, 0] == 0.0 and shares[6, 7] == pytest.approx(0.5)


def test_a_line_goes_through_the_system(tmp_path: Path) -> None:
    """Eight chips in a row, there and back, whose last chip is a neighbour of the first."""
    mesh = mesh_report(1, 8, tmp_path, "--system", "t3000")["mesh"]
    assert mesh["names"] == [f"chip (0, {place})" for place in (0, 1, 2, 3, 7, 6, 5, 4)]
    assert mesh["chips"] == [chip for chip in (0, 1, 2, 3, 7, 6, 5, 4) for _ in range(2)]
    line = carried(mesh)
    # Each chip is next to the one it sends to, so the ring takes each link once, around its end as well.
    assert line[7, 6] >= TILE and line[4, 0] == TILE


@pytest.mark.parametrize("target", ["sim", pytest.param("emu", marks=needs_chip)])
def test_a_launch_that_every_device_runs_by_itself(target: str, tmp_path: Path) -> None:
    """It says which chip of the mesh it was, and nothing goes over the links."""
    program = PROGRAM.format(rows=1, columns=4)
    (tmp_path / "alone.py").write_text(
        program[: program.index("@ttl.operation")]
        + "@ttl.operation(grid=(2, 1))\ndef alone(x):\n    @ttl.datamovement()\n    def move():\n        pass\n\n\n"
        "alone(tile)\nalone(x=tile)\n",
        encoding="utf-8",
    )
    launches = report_of("alone.py", target, tmp_path, "--system", "t3000")["launches"]
    assert [launch["number"] for launch in launches] == [1] * 4 + [2] * 4
    assert [launch["mesh"]["chips"] for launch in launches] == [[chip] * 2 for chip in (0, 1, 2, 3)] * 2
    mesh = launches[1]["mesh"]
    assert mesh["names"] == [*(f"chip (0, {column})" for column in range(4)), *[""] * 4]
    assert (mesh["title"], len(mesh["links"]), carried(mesh)) == ("T3000 (4 x n300)", 20, {})


@pytest.mark.parametrize("target", ["sim", pytest.param("emu", marks=needs_chip)])
def test_a_grid_of_each_device_of_a_domain(target: str, tmp_path: Path) -> None:
    """The chips of a device domain are those of a mesh, and the edges of its graph lead over links."""
    (tmp_path / "domain.py").write_text(mesh_programs.domain(), encoding="utf-8")
    (launch,) = report_of("domain.py", target, tmp_path)["launches"]
    mesh = launch["mesh"]
    assert (mesh["rows"], mesh["columns"], launch["grid"]) == (2, 2, [2, 2, 2, 1])
    assert mesh["chips"] == [chip for chip in range(4) for _ in range(2)]
    around = {(0, 1), (1, 3), (3, 2), (2, 0)}
    assert {link for link, nbytes in carried(mesh).items() if nbytes >= 2 * TILE} == around


def test_without_a_system_the_mesh_is_as_asked_for(tmp_path: Path) -> None:
    launch = mesh_report(2, 3, tmp_path)
    mesh = launch["mesh"]
    assert (mesh["title"], mesh["rows"], mesh["columns"], len(mesh["links"])) == ("an ideal mesh", 2, 3, 14)
    assert all(mesh["names"]) and {link["ports"] for link in mesh["links"]} == {1}
    # A node is where it is on its own chip.
    assert [(node["x"], node["y"]) for node in launch["nodes"][:4]] == [(1, 1), (2, 1), (1, 1), (2, 1)]


def test_a_launch_on_one_chip_has_no_mesh(tmp_path: Path) -> None:
    program = PROGRAM.format(rows=1, columns=1)
    assert mesh_report(1, 1, tmp_path)["mesh"]["links"] == []
    (tmp_path / "one.py").write_text(
        program[: program.index("@ttl.operation")]
        + "@ttl.operation(grid=(1, 1))\ndef nothing(x):\n    @ttl.datamovement()\n    def move():\n        pass\n\n\nnothing(tile)\n",
        encoding="utf-8",
    )
    assert report_of("one.py", "sim", tmp_path)["launches"][0]["mesh"] is None


@needs_chip
def test_emulated_chips_send_over_the_same_links(tmp_path: Path) -> None:
    """The bytes of the simulator along the same routes, and the headers of packets."""
    launch = mesh_report(2, 4, tmp_path, "--system", "t3000", target="emu")
    mesh, simulated = launch["mesh"], mesh_report(2, 4, tmp_path, "--system", "t3000")["mesh"]
    assert (launch["target"], launch["grid"]) == ("emu", [2, 4, 2, 1])
    same = ("title", "topology", "rows", "columns", "names", "chips", "bisection_bytes_per_second")
    assert [mesh[name] for name in same] == [simulated[name] for name in same]
    header = system_named("t3000").chip.ethernet.header_bytes[1]
    payload = carried(simulated)
    for link in mesh["links"]:
        more = link["bytes"] - payload.get((link["source"], link["target"]), 0)
        messages = payload.get((link["source"], link["target"]), 0) // TILE
        # A tile is one packet, its counter goes with it or behind it; that there is room comes back along the other way.
        assert more >= messages * header and more % header == 0
        assert (link["busy"] > 0) == (link["bytes"] > 0)
        assert link["share"] == pytest.approx(link["busy"] / launch["length"], abs=1e-3)
    assert [node["node"] for node in launch["nodes"][:4]] == [
        [0, 0, 0, 0],
        [0, 0, 1, 0],
        [0, 1, 0, 0],
        [0, 1, 1, 0],
    ]
    assert [(node["x"], node["y"]) for node in launch["nodes"][:4]] == [(1, 1), (2, 1), (1, 1), (2, 1)]
    assert all(node["dram_read"] == TILE for node in launch["nodes"])
