"""The script for a mesh against the real ttnn, on a mock T3000 with its fabric: connections, counters, the launch."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

from project.test_systems import cluster, installed
from support import mesh_programs
from support.programs import run_ttl
from ttl.arch.systems import system_named
from ttl.codegen.description import from_json
from ttl.codegen.mesh import Wiring, links_of

_RUN = """
import json, runpy, ttnn
script = runpy.run_path("run.py")
ttnn.set_fabric_config(ttnn.FabricConfig.FABRIC_2D)
device = ttnn.open_mesh_device(ttnn.MeshShape(*script["MESH"]))
build, programs = script["build"], []
def built(*given):
    programs.append(build(*given))
    return programs[-1]
script["run"].__globals__["build"] = built
script["run"](*script["tensors"](device))
ttnn.synchronize_device(device)
print("answer", json.dumps([
    [[[list(kernel.common_runtime_args), [list(kernel.runtime_args[x][0]) for x in range(2)]] for kernel in program.kernels], len(program.semaphores)]
    for program in programs
]))
"""
# The words of a connection: which way it leaves the chip, and two semaphores of the node.
_WORDS = 3


def on_a_mock(program: str, folder: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """Run Python with the real ttnn and a mock T3000."""
    python = installed("0.81").parents[3] / "bin" / "python"
    (folder / "cluster.yaml").write_text(cluster(system_named("t3000"), "n300"), encoding="utf-8")
    environment = {
        "TT_METAL_MOCK_CLUSTER_DESC_PATH": str(folder / "cluster.yaml"),
        "TT_METAL_SLOW_DISPATCH_MODE": "1",
        "TT_METAL_LOGGER_LEVEL": "FATAL",
        "TT_METAL_CACHE": str(folder / "cache"),
    }
    return subprocess.run(
        [str(python), "-c", program], cwd=folder, env={**os.environ, **environment, **more}, capture_output=True, text=True, timeout=120
    )  # fmt: skip


_CALLS = """
import ttl, ttnn
ttnn.set_fabric_config(ttnn.FabricConfig.FABRIC_2D)
mesh = ttnn.open_mesh_device(ttnn.MeshShape(2, 4))
x, y = (ttnn.zeros([64, 64], ttnn.bfloat16, ttnn.TILE_LAYOUT, mesh, ttnn.DRAM_MEMORY_CONFIG) for _ in range(2))
from operations import signals, copy
for given in ((x, y), (x, y), (y, x)):
    signals(*given)
    copy(*given)
print("launched")
"""


def test_a_call_is_launched_on_the_chips_that_its_tensors_are_on(tmp_path: Path) -> None:
    """``TTL_TARGET=device``: an operation over the mesh, whose semaphore is reset, and one that each of its chips runs by itself."""
    text = mesh_programs.signals((2, 4))
    begin, end = text.index("ROWS, COLUMNS"), text.index("mesh = ttnn.open")
    written = text[begin:end].partition("def whole")[0] + "@ttl" + text[begin:end].partition("@ttl")[2]
    alone = (
        written[written.index("@ttl") :]
        .replace("def signals", "def copy")
        .replace("(ROWS, COLUMNS, X, Y)", "(1, 1)")
    )
    alone = "\n".join(line for line in alone.split("\n") if not re.search("turn|after|column", line))
    (tmp_path / "operations.py").write_text(
        f"import ttl\nimport ttnn\n\n{written}\n\n{alone}\n", encoding="utf-8"
    )
    source = str(Path(__file__).resolve().parents[2] / "src")
    done = on_a_mock(
        _CALLS,
        tmp_path,
        TTL_TARGET="device",
        TTL_SYSTEM="t3000",
        PYTHONPATH=f"{source}{os.pathsep}{tmp_path}",
    )
    assert done.returncode == 0 and "launched" in done.stdout, (done.stdout + done.stderr)[-3000:]


def test_the_real_ttnn_takes_the_program_of_every_chip(tmp_path: Path) -> None:
    """Every node gets the connections that were planned; the chips of the mesh are those of the fabric; the launch is accepted.

    The other release, 0.69, does not survive a mock device of several chips.
    """
    (tmp_path / "program.py").write_text(mesh_programs.shift((2, 4), (2, 1)), encoding="utf-8")
    made = run_ttl(
        ["compile", "--system", "t3000", "--api", "0.81", "-o", "out", "program.py"], folder=tmp_path
    )
    assert made.status == 0, made.stderr
    folder, system = tmp_path / "out" / "shift", system_named("t3000")
    done = on_a_mock(_RUN, folder)
    said = [line for line in done.stdout.splitlines() if line.startswith("answer ")]
    assert done.returncode == 0 and said, (done.stdout + done.stderr)[-2000:]
    programs = json.loads(said[-1].removeprefix("answer "))
    assert len(programs) == system.chips

    sources = {path.name: path.read_text(encoding="utf-8") for path in (folder / "kernels").iterdir()}
    description = from_json((folder / "program.json").read_text(encoding="utf-8"), sources)
    planned = {
        (item.chip, item.kernel, *item.node): item
        for item in links_of(description, Wiring(system=system, places=range(system.chips)))
    }
    ways: dict[tuple[int, int], set[int]] = {}
    for chip, (kernels, semaphores) in enumerate(programs):
        connections = 0
        for number, (common, nodes) in enumerate(kernels):
            assert chip in common
            for x, words in enumerate(nodes):
                item = planned[chip, number, x, 0]
                first, rest = words[: len(item.first_args)], words[len(item.first_args) :]
                assert tuple(first) == item.first_args
                assert len(rest) == _WORDS * len(item.connections)
                connections += len(item.connections)
                for way, word in zip(item.connections, rest[::_WORDS], strict=True):
                    ways.setdefault((chip, way.neighbour), set()).add(word)
        assert semaphores == len(description.semaphores) + 2 * connections
    # A way to one neighbour is one port, or as many as there are channels.
    assert all(len(found) <= system.channels for found in ways.values())
    of_chip = [found for (chip, _), found in ways.items() if chip == 1]
    assert len(of_chip) > 1 and sum(map(len, of_chip)) == len(set.union(*of_chip))
