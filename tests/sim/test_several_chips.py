"""Programs over several chips in one process: thirty-two of them, other schedules, undefined data, both engines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import ttnn

import ttl
from support.child import Child
from support.chip_programs import exchanged_over, gathered, mesh_tensor, sums_around, whole
from support.executions import python_core  # noqa: F401 - a fixture
from support.failing import fails
from support.programs import run_ttl
from ttl import settings
from ttl.sim.pipes import _PartOnNodes


@pytest.mark.parametrize("domain", [True, False], ids=["device domain", "grid over the mesh"])
def test_thirty_two_chips_of_sixty_four_nodes(domain: bool) -> None:
    assert np.array_equal(gathered(32, (8, 8), domain=domain), sums_around(32, (8, 8)))


def test_pipes_over_a_graph_are_as_many_as_chips(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is made grows with the chips, and no faster: one pipe for every node of every edge."""
    counts: list[int] = []
    make = _PartOnNodes.pipe

    def counted(self: _PartOnNodes, *arguments: Any) -> Any:
        counts[-1] += 1
        return make(self, *arguments)

    monkeypatch.setattr(_PartOnNodes, "pipe", counted)
    for chips in (4, 8, 16):
        counts.append(0)
        gathered(chips, (2, 2), domain=True)
    assert counts == [16, 32, 64]


@pytest.mark.parametrize(
    "chosen", [{"schedules": 4}, {"schedule_seed": 3}, {"sanitize": True}], ids=lambda chosen: str(chosen)
)
def test_other_schedules_and_the_sanitizer(chosen: dict[str, Any]) -> None:
    with settings.override(**chosen):
        for domain in (True, False):
            assert np.array_equal(gathered(4, (2, 2), domain=domain), sums_around(4, (2, 2)))


@pytest.mark.parametrize("kind", ["axis_neighbor", "all_to_all", "gather"])
def test_the_engine_in_python_sends_the_same(kind: str, python_core: Child | None) -> None:  # noqa: F811
    options = {"gather": (1,)}.get(kind, ())
    here = exchanged_over(kind, 3, *options)
    assert len(here) == 4 * {"axis_neighbor": 2, "all_to_all": 6, "gather": 2}[kind]
    if python_core is not None:
        assert python_core.call("support.chip_programs:exchanged_over", kind, 3, *options) == here


def test_a_race_of_two_chips_is_found_by_other_schedules() -> None:
    """Each chip increments a semaphore on the other one twice, and looks in between."""

    @ttl.operation(grid=(2, 1, 1))
    def meet(out: Any) -> None:
        chip = ttl.node(dims=3)[0]
        seen = ttl.Semaphore()
        dfb = ttl.make_dataflow_buffer_like(out, shape=(1, 1))

        @ttl.datamovement()
        def move() -> None:
            seen.get_remote((1 - chip, 0, 0)).set(1)
            seen.set(2)
            seen.wait_eq(2 - chip)
            with dfb.reserve() as blk:
                ttl.raw_element_write(blk, 0, 0, value=1.0)

        @ttl.datamovement()
        def write() -> None:
            with dfb.wait() as blk:
                ttl.copy(blk, out[0, 0]).wait()

    out = mesh_tensor(np.zeros((64, 32), np.float32), 2)
    with settings.override(check="off", schedules=8), fails("TTL0915", "TTL0916", "TTL0920", match="chip"):
        meet(out)


# --- the 0.17 spelling ------------------------------------------------------------------------------------------

FOUR = """
import numpy as np
import ttl
import ttnn

mesh = ttnn.open_mesh_device(ttnn.MeshShape(2, 2))


@ttl.operation(grid=(2, 2, 1, 2))
def shift(a, out):
    row, column, x, y = ttl.node(dims=4)
    rows, columns, width, height = ttl.grid_size(dims=4)
    assert ttl.grid_size(dims=2) == (2, 4) and ttl.node(dims=1) == ((row * 2 + column) * 1 + x) * 2 + y
    net = ttl.PipeNet(
        [
            ttl.Pipe(src=(r, c, 0, n), dst=(r, (c + 1) % columns, 0, n))
            for r in range(rows)
            for c in range(columns)
            for n in range(height)
        ]
    )
    ready = ttl.Semaphore()
    dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

    @ttl.datamovement()
    def move():
        ready.get_remote((row, (column + 1) % columns, x, y)).inc(1)
        if ttl.node(dims=1) == 0:
            ready.get_remote_multicast((slice(0, 2), slice(0, 2), 0, slice(0, 2))).set({value})
        ready.wait_ge(1)
        with dfb.reserve() as mine, dfb.reserve() as theirs:
            ttl.copy(a[0, y], mine).wait()
            net.if_src(lambda pipe: ttl.copy(mine, pipe).wait())
            net.if_dst(lambda pipe: ttl.copy(pipe, theirs).wait())
            ttl.copy(theirs, out[0, y]).wait()


def spread(values):
    return ttnn.from_numpy(
        values, ttnn.float32, layout=ttnn.TILE_LAYOUT, device=mesh, mesh_mapper=ttnn.ShardTensorToMesh(mesh, dim=0)
    )


values = np.arange(8, dtype=np.float32).reshape(4, 2).repeat(32, 0).repeat(32, 1)
a, out = spread(values), spread(np.zeros_like(values))
shift(a, out)
got = ttnn.to_numpy(out, mesh_composer=ttnn.ConcatMeshToTensor(mesh, dim=0))[::32, ::32]
print(got.astype(int).tolist())
"""


def test_a_grid_of_four_dimensions_is_run_and_read_alike(tmp_path: Path) -> None:
    """Nodes, sizes, pipes and semaphores across chips; the check reads the file, tensors on a mesh and all."""
    (tmp_path / "four.py").write_text(FOUR.replace("{value}", "1"))
    said = run_ttl(["run", "four.py"], folder=tmp_path)
    assert (said.status, said.stderr) == (0, "")
    assert said.stdout.strip() == "[[2, 3], [0, 1], [6, 7], [4, 5]]"
    checked = run_ttl(["check", "four.py"], folder=tmp_path)
    assert checked.status == 0 and "1 specialisation: nothing found" in checked.stdout
    (tmp_path / "four.py").write_text(
        FOUR.replace("{value}", "1").replace("dst=(r, (c + 1) % columns", "dst=(r, c + 1")
    )
    for verb in ("check", "run"):
        wrong = run_ttl([verb, "four.py"], folder=tmp_path)
        assert wrong.status == 1 and "TTL0603" in wrong.stdout + wrong.stderr


@pytest.mark.parametrize("grid", ["auto", "full", (1, 2)])
def test_a_grid_of_two_dimensions_runs_on_every_chip(grid: Any) -> None:
    @ttl.operation(grid=grid)
    def fill(out: Any) -> None:
        assert ttl.grid_size(dims=3)[2] == 1
        y = ttl.node(dims=1)
        dfb = ttl.make_dataflow_buffer_like(out, shape=(1, 1))

        @ttl.compute()
        def compute() -> None:
            with dfb.reserve() as blk:
                blk.store(ttl.block.fill(2.0, shape=(1, 1), dtype=ttnn.float32))

        @ttl.datamovement()
        def write() -> None:
            with dfb.wait() as blk:
                if y < 2:
                    ttl.copy(blk, out[0, y]).wait()

    out = mesh_tensor(np.zeros((96, 64), np.float32), 3)
    fill(out)
    assert (whole(out) == 2).all()
