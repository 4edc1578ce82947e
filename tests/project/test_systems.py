"""Systems: their shapes and wires are those of the descriptors in TT-NN's wheels; routes are ways over links."""

from __future__ import annotations

import json
import os
import re
import subprocess
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from support.kernel_headers import WHEELS, cache_folder
from ttl.arch import all_chips, chip_named
from ttl.arch.described import ports
from ttl.arch.system_file import _FIELDS, _LINK, read
from ttl.arch.systems import Link, System, ideal, system_named, system_names

# Architecture, rows and columns, ports of a link, rings: what the descriptors of both wheels say, read on 30 November 2026.
DESCRIBED = {
    "n150_mesh": ("WORMHOLE_B0", (1, 1), 1, (False, False)),
    "n300_mesh": ("WORMHOLE_B0", (1, 2), 2, (False, False)),
    "n300_x2_mesh": ("WORMHOLE_B0", (4, 1), 2, (False, False)),
    "n300_2x2_mesh": ("WORMHOLE_B0", (2, 2), 2, (False, False)),
    "t3k_mesh": ("WORMHOLE_B0", (2, 4), 2, (False, False)),
    "single_galaxy_mesh": ("WORMHOLE_B0", (8, 4), 4, (False, False)),
    "single_galaxy_torus_x": ("WORMHOLE_B0", (8, 4), 4, (False, True)),
    "single_galaxy_torus_y": ("WORMHOLE_B0", (8, 4), 4, (True, False)),
    "single_galaxy_torus_xy": ("WORMHOLE_B0", (8, 4), 4, (True, True)),
    "p100_mesh": ("BLACKHOLE", (1, 1), 1, (False, False)),
    "p150_mesh": ("BLACKHOLE", (1, 1), 1, (False, False)),
    "p150_x2_mesh": ("BLACKHOLE", (1, 2), 4, (False, False)),
    "p150_x4_mesh": ("BLACKHOLE", (2, 2), 4, (False, False)),
    "p150_x8_mesh": ("BLACKHOLE", (2, 4), 2, (False, False)),
    "p300_mesh": ("BLACKHOLE", (1, 2), 2, (False, False)),
    "p300_x2_mesh": ("BLACKHOLE", (2, 2), 2, (False, False)),
    "single_bh_galaxy_mesh": ("BLACKHOLE", (8, 4), 2, (False, False)),
    "single_bh_galaxy_torus_x": ("BLACKHOLE", (8, 4), 2, (False, True)),
    "single_bh_galaxy_torus_y": ("BLACKHOLE", (8, 4), 2, (True, False)),
    "single_bh_galaxy_torus_xy": ("BLACKHOLE", (8, 4), 2, (True, True)),
}
SYSTEMS = [system_named(name) for name in system_names()]


def installed(generation: str) -> Path:
    """The package of a wheel that other tests installed; skips the test where none did."""
    folders = cache_folder().with_name("ttnn").glob(f"{WHEELS[generation].version}-*/complete")
    packages = [found for done in folders for found in done.parent.glob("lib/python*/site-packages/ttnn")]
    if not packages:
        pytest.skip(f"ttnn {generation} is not installed: tests/codegen/test_real_ttnn.py installs it")
    return packages[0]


def descriptor_of(system: System) -> str:
    found = re.search(r"(\w+)_graph_descriptor\.textproto", system.sources["shape"])
    assert found is not None
    return found[1]


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
def test_a_system_is_the_one_of_its_descriptor(system: System) -> None:
    arch, *wires = DESCRIBED[descriptor_of(system)]
    assert system.chip.arch.upper() == arch
    assert [system.shape, system.channels, system.rings] == wires
    assert all(system.sources.values())


@pytest.mark.parametrize("generation", ["0.69", "0.81"])
def test_the_descriptors_of_the_wheel_say_what_is_written_here(generation: str) -> None:
    folder = installed(generation) / "tt_metal" / "fabric" / "mesh_graph_descriptors"
    said = {}
    for name in DESCRIBED:
        text = (folder / f"{name}_graph_descriptor.textproto").read_text(encoding="utf-8")
        arch, shape, count = (
            re.findall(pattern, text)
            for pattern in (r"arch: *(\w+)", r"device_topology *{ *dims: *\[ *(\d+), *(\d+) *\]", r"count: *(\d+)")
        )  # fmt: skip
        assert len(arch) == len(shape) == len(count) == 1
        kinds = re.findall(r"dim_types: *\[ *(\w+), *(\w+)", text) or [("LINE", "LINE")]
        rows, columns = map(int, shape[0])
        said[name] = (arch[0], (rows, columns), int(count[0]), tuple(kind == "RING" for kind in kinds[0]))
    assert said == DESCRIBED


# A number of a board says what kind it is.
BOARDS = {"n300": 72058968427462657, "p150": 72061992084439041}
HARVESTED = {
    "n300": "harvest_mask: 3",
    "p150": "harvest_mask: 0, dram_harvesting_mask: 0, eth_harvesting_mask: 288, pcie_harvesting_mask: 2",
}
START = """
import json, sys, ttnn
fabric = ttnn._ttnn.fabric
ttnn.set_fabric_config(getattr(ttnn.FabricConfig, sys.argv[1]))
mesh = ttnn.open_mesh_device(ttnn.MeshShape(*json.loads(sys.argv[2])))
rows, columns = mesh.shape
ends = [mesh.get_fabric_node_id(ttnn.MeshCoordinate(row, column)) for row in range(rows) for column in range(columns)]
"""


def cluster(system: System, board: str) -> str:
    """A system as TT-Metalium's mock device takes it."""
    own = [(chip,) for chip in system.hosts]
    if system.remote:
        beside = {
            chip: [near for near in system.neighbours(chip) if near in system.hosts] for chip in system.remote
        }
        own = [(host, other) for other, (host,) in beside.items()]
    every = range(system.chips)
    wires = ", ".join(
        f"[{{chip: {wire.a}, chan: {wire.port_of_a}}}, {{chip: {wire.b}, chan: {wire.port_of_b}}}]"
        for wire in ports(system)
    )
    boards = ", ".join(
        f"[{{board_id: {BOARDS[board] + number}}}, {{board_type: {board}}}, {{chips: {list(chips)}}}]"
        for number, chips in enumerate(own)
    )
    each = f"{{noc_translation: true, {HARVESTED[board]}}}"
    return f"""
arch: {{{", ".join(f"{chip}: {system.chip.name.capitalize()}" for chip in every)}}}
chips: {{{", ".join(f"{chip}: [{chip % 4},{chip // 4},0,0]" for chip in every)}}}
ethernet_connections: [{wires}]
chips_with_mmio: [{", ".join(f"{chip}: {number}" for number, chip in enumerate(system.hosts))}]
harvesting: {{{", ".join(f"{chip}: {each}" for chip in every)}}}
boards: [{boards}]
"""


def asked(
    system: System,
    board: str,
    fabric: str,
    shape: tuple[int, int],
    question: str,
    folder: Path,
    descriptor: str = "",
) -> Any:
    """What the real ttnn answers with a mock device: the value of an expression after ``START``."""
    package = installed("0.81")
    (folder / "cluster.yaml").write_text(cluster(system, board), encoding="utf-8")
    environment = {
        "TT_METAL_MOCK_CLUSTER_DESC_PATH": str(folder / "cluster.yaml"),
        "TT_METAL_SLOW_DISPATCH_MODE": "1",
        "TT_METAL_LOGGER_LEVEL": "FATAL",
        "TT_METAL_CACHE": str(folder / "cache"),
    }
    if descriptor:
        (folder / "mesh.textproto").write_text(descriptor, encoding="utf-8")
        environment["TT_MESH_GRAPH_DESC_PATH"] = str(folder / "mesh.textproto")
    python = package.parents[3] / "bin" / "python"
    program = f"{START}\nprint('answer', json.dumps({question}))"
    done = subprocess.run(
        [str(python), "-c", program, fabric, json.dumps(shape)],
        cwd=folder, env={**os.environ, **environment}, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    said = [line for line in done.stdout.splitlines() if line.startswith("answer ")]
    assert said, (done.stdout + done.stderr)[-3000:]
    return json.loads(said[-1].removeprefix("answer "))


@pytest.mark.parametrize(("name", "board"), [("n300", "n300"), ("p150_x2", "p150")])
def test_packets_and_links_are_those_of_the_real_ttnn(name: str, board: str, tmp_path: Path) -> None:
    system = system_named(name)
    question = (
        "[ttnn.get_tt_fabric_max_payload_size_bytes(), ttnn.get_tt_fabric_packet_header_size_bytes(), "
        "len(fabric.get_forwarding_link_indices(*ends))]"
    )
    # A process for each: a configuration of the fabric holds for one.
    answers = [
        asked(system, board, fabric, (1, 2), question, tmp_path) for fabric in ("FABRIC_1D", "FABRIC_2D")
    ]
    link = system.chip.ethernet
    assert answers == [[link.packet_bytes, header, system.channels] for header in link.header_bytes]


DIRECTIONS = """[[fabric.get_eth_forwarding_direction(a, b), len(fabric.get_forwarding_link_indices(a, b))] if i != j else None
    for i, a in enumerate(ends) for j, b in enumerate(ends)]"""
EAST, WEST, NORTH, SOUTH = range(4)


def first_steps(system: System) -> list[tuple[int, int] | None]:
    """Of every pair of chips, in which direction a packet leaves the first one, and over how many links."""
    result: list[tuple[int, int] | None] = []
    for a in range(system.chips):
        for b in range(system.chips):
            if a == b:
                result.append(None)
                continue
            (row, column), (next_row, next_column) = map(system.coordinate, system.route(a, b)[:2])
            # A step of more than one is around a ring, the other way.
            down, right = next_row - row, next_column - column
            down, right = (step if abs(step) < 2 else -step for step in (down, right))
            direction = (SOUTH if down > 0 else NORTH) if down else (EAST if right > 0 else WEST)
            result.append((direction, system.channels))
    return result


def test_packets_leave_a_chip_as_the_real_ttnn_sends_them(tmp_path: Path) -> None:
    """All 56 pairs of a T3000, wired as ``ttl.arch.described`` assumes."""
    system = system_named("t3000")
    found = asked(system, "n300", "FABRIC_2D", (2, 4), DIRECTIONS, tmp_path)
    assert [pair and tuple(pair) for pair in found] == first_steps(system)


def test_packets_go_round_a_ring_as_the_real_ttnn_sends_them(tmp_path: Path) -> None:
    """Four chips in a ring: to the one opposite, of two equal ways, that of rising numbers."""
    system = read('chip = "blackhole"\nshape = [1, 4]\nchannels = 2\naxes = ["line", "ring"]\n', "ring.toml")
    descriptor = """
mesh_descriptors {
  name: "M0"
  arch: BLACKHOLE
  device_topology { dims: [ 1, 4 ] dim_types: [ LINE, RING ] }
  host_topology { dims: [ 1, 1 ] }
  channels { count: 2 policy: RELAXED }
}
top_level_instance { mesh { mesh_descriptor: "M0" mesh_id: 0 } }
"""
    found = asked(system, "p150", "FABRIC_2D_TORUS_X", (1, 4), DIRECTIONS, tmp_path, descriptor)
    assert [pair and tuple(pair) for pair in found] == first_steps(system)


def test_meshes_are_placed_as_the_real_ttnn_places_them(tmp_path: Path) -> None:
    """Corners, meshes turned by a quarter, and lines through a T3000."""
    system = system_named("t3000")
    shapes = [(1, 8), (8, 1), (4, 2), (2, 2), (1, 4), (4, 1), (1, 2), (3, 1), (1, 5), (2, 3), (3, 2)]
    question = f"""[(ttnn.close_mesh_device(mesh), mesh := ttnn.open_mesh_device(ttnn.MeshShape(*shape)), mesh.get_device_ids())[2]
    for shape in {shapes}]"""
    assert asked(system, "n300", "FABRIC_2D", (2, 4), question, tmp_path) == [
        list(system.placed(shape) or ()) for shape in shapes
    ]


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
def test_routes_go_over_links_and_are_shortest(system: System) -> None:
    joined = {(link.a, link.b) for link in system.links}
    assert all(a < b for a, b in joined) and len(joined) == len(system.links)
    for a in range(system.chips):
        distance = _distances(system, a)
        assert [b for b in range(system.chips) if (min(a, b), max(a, b)) in joined] == list(
            system.neighbours(a)
        )
        for b in range(system.chips):
            way = system.route(a, b)
            assert (way[0], way[-1], len(way) - 1) == (a, b, distance[b])
            assert all((min(step), max(step)) in joined for step in pairwise(way))


def _distances(system: System, start: int) -> list[int]:
    """Hops from a chip to every other one, found by spreading."""
    far, edge = {start: 0}, [start]
    while edge:
        reached = {near for chip in edge for near in system.neighbours(chip)} - set(far)
        far |= dict.fromkeys(reached, far[edge[0]] + 1)
        edge = list(reached)
    return [far[chip] for chip in range(system.chips)]


def test_a_route_changes_its_row_first() -> None:
    """As packets of a two-dimensional fabric go: headers of ttnn 0.81.1, udm/tt_fabric_udm.hpp."""
    assert system_named("t3000").route(0, 6) == (0, 4, 5, 6)
    assert system_named("galaxy_torus_xy").route(0, 31) == (0, 28, 31)
    assert system_named("galaxy").route(0, 31) == (0, 4, 8, 12, 16, 20, 24, 28, 29, 30, 31)
    # Of two equal ways round a ring, that of rising numbers.
    assert system_named("galaxy_torus_x").route(0, 2) == (0, 1, 2)
    assert system_named("galaxy_torus_x").route(2, 0) == (2, 3, 0)


def test_links_of_two_rows() -> None:
    assert system_named("t3000").links == tuple(
        Link(a, b, 2)
        for a, b in ((0, 1), (0, 4), (1, 2), (1, 5), (2, 3), (2, 6), (3, 7), (4, 5), (5, 6), (6, 7))
    )
    assert system_named("t3000").topology == "mesh"
    assert [system_named(name).topology for name in ("p150", "n300", "n300_x2", "galaxy_torus_y")] == [
        "single",
        "line",
        "line",
        "torus",
    ]


def test_what_crosses_the_middle() -> None:
    port = chip_named("wormhole").ethernet.bytes_per_second
    assert port == 12_500_000_000
    assert system_named("n150").bisection_bytes_per_second == 0
    assert system_named("n300").bisection_bytes_per_second == 2 * port
    assert system_named("t3000").bisection_bytes_per_second == 2 * 2 * port
    assert system_named("galaxy").bisection_bytes_per_second == 4 * 4 * port
    assert system_named("galaxy_torus_xy").bisection_bytes_per_second == 2 * 4 * 4 * port


def test_no_chip_of_that_number() -> None:
    with pytest.raises(IndexError, match=r"chip 8: T3000 \(4 x n300\) has chips 0 to 7"):
        system_named("t3000").route(0, 8)
    with pytest.raises(KeyError):
        system_named("t3001")


def test_meshes_that_a_system_has() -> None:
    system = system_named("t3000")
    assert system.placed((2, 4)) == tuple(range(8))
    assert system.placed((2, 2)) == (0, 1, 4, 5)
    # Turned by a quarter: what is a row of the mesh is a column of the system.
    assert system.placed((4, 2)) == (0, 4, 1, 5, 2, 6, 3, 7)
    # A line goes there and back, and its ends are neighbours here: a ring.
    line = system.placed((1, 8))
    assert line == (0, 1, 2, 3, 7, 6, 5, 4) == system.placed((8,)) == system.placed((8, 1))
    assert all(b in system.neighbours(a) for a, b in pairwise((*line, line[0])))
    for shape in ((3, 3), (1, 9), (8, 2), (2, 2, 2), ()):
        assert system.placed(shape) is None


def test_an_ideal_mesh_is_any_mesh_of_a_chip() -> None:
    for chip in all_chips():
        mesh = ideal(chip, (3, 5))
        assert (mesh.chips, mesh.topology, len(mesh.links)) == (15, "mesh", 3 * 4 + 2 * 5)
        assert mesh.chip is chip
    assert ideal(chip, (1, 1024)).route(0, 1023) == tuple(range(1024))


def test_what_cards_have_of_their_chip() -> None:
    """Nodes for compute: what UMD in ttnn 0.81.1 says is harvested on boards of each kind, less what dispatch takes."""
    grids = {name: system_named(name).chip.grid for name in ("n300", "galaxy", "p100", "p150", "p300", "blackhole_galaxy")}  # fmt: skip
    assert grids == {
        "n300": (8, 8), "galaxy": (8, 9), "p100": (11, 10), "p150": (13, 10), "p300": (11, 10), "blackhole_galaxy": (12, 10),
    }  # fmt: skip
    assert system_named("p100").chip.dram.channels == 7


GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "several-chips.md"


def test_the_guide_has_every_system_as_it_is() -> None:
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in GUIDE.read_text(encoding="utf-8").splitlines()
        if line.startswith("| `")
    ]
    named = [[system_named(name) for name in re.findall(r"`(\w+)`", row[0])] for row in rows]
    assert [system.name for row in named for system in row] == [
        name for name in system_names() if not name.startswith("blackhole_galaxy_")
    ]
    for systems, (_, chips, channel_counts, nodes) in zip(named, rows, strict=True):
        shapes = list(dict.fromkeys("x".join(map(str, s.shape)) if s.chips > 1 else "1" for s in systems))
        channels = [str(s.channels) for s in systems if s.chips > 1]
        assert chips == ", ".join(shapes)
        assert channel_counts in (", ".join(channels), ", ".join(dict.fromkeys(channels)))
        assert {nodes} == {"x".join(map(str, s.chip.grid)) for s in systems}


def test_the_guide_shows_a_file_with_every_field() -> None:
    text = re.findall(r"```toml\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)[0]
    system = read(text, "boxes.toml")
    assert (system.shape, system.rings, system.chip.ethernet.hop_nanoseconds) == ((2, 4), (False, True), 800)
    fields = {line.split("=")[0].strip() for line in text.splitlines() if "=" in line}
    assert fields == {*_FIELDS, *_LINK} - {"link"}
