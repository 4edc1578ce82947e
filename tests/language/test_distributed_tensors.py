"""``ttl.distribute`` and ``shard()`` (seeds/002, section 10.3): who has which part, what is moved, what is refused."""

from __future__ import annotations

import runpy
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.moved import moved_by
from support.programs import run_program, run_ttl
from ttl import settings
from ttl.host import importer
from ttl.rows.types import Layout
from ttl.rules import distribution as rules

EXAMPLES = Path(__file__).parents[2] / "examples"
TILE_BYTES = 32 * 32 * 2
Arrays = dict[str, np.ndarray]


def _softmax(given: Arrays) -> np.ndarray:
    exponentials = np.exp(given["x"] - given["x"].max(axis=1, keepdims=True))
    return exponentials / exponentials.sum(axis=1, keepdims=True)


def _mean_of_rows(given: Arrays) -> np.ndarray:
    return (np.roll(given["x"], 32, 0) + given["x"] + np.roll(given["x"], -32, 0)) / 3


# What each program computes, and the bytes that its shapes ask for: between nodes, and from DRAM.
PROGRAMS: dict[str, tuple[Callable[[Arrays], np.ndarray], Callable[[Any], tuple[int, int]]]] = {
    # A node gets every shard of its row of a and of its column of b but its own.
    "distributed_matmul": (
        lambda given: given["a"] @ given["b"],
        lambda of: (of.SIDE**2 * 2 * (of.SIDE - 1) * of.BLOCK**2 * TILE_BYTES, 0),
    ),
    # A node gets one row of tiles from above and one from below.
    "distributed_stencil": (
        _mean_of_rows,
        lambda of: (of.NODES * 2 * of.COLUMNS * TILE_BYTES, 0),
    ),
    # All but the diagonal of blocks changes its node.
    "distributed_transpose": (
        lambda given: given["x"].T,
        lambda of: (of.NODES * (of.NODES - 1) * of.BLOCK**2 * TILE_BYTES, 0),
    ),
    # A reduction of all nodes for all nodes: every node but one sends a column once, and gets one once.
    "distributed_softmax": (
        _softmax,
        lambda of: (2 * 2 * (of.NODES - 1) * of.ROWS * TILE_BYTES, 0),
    ),
    # The weights leave DRAM once, and every other node gets them once.
    "distributed_replicated": (
        lambda given: given["x"] @ given["w"],
        lambda of: (
            (of.NODES - 1) * of.INNER * of.COLUMNS * TILE_BYTES,
            of.INNER * of.COLUMNS * TILE_BYTES,
        ),
    ),
}


@pytest.fixture
def open_devices(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Devices that a program closes stay open until the test has looked at its tensors; its helpers are found."""
    importer.install()
    import ttnn

    closed: list[Any] = []
    close = ttnn.close_device
    monkeypatch.syspath_prepend(str(EXAMPLES))
    monkeypatch.delitem(sys.modules, "checking", raising=False)
    monkeypatch.setattr(ttnn, "close_device", closed.append)
    yield
    for device in closed:
        close(device)


def _as_object(names: dict[str, Any]) -> Any:
    return type("Names", (), names)


def _close_to_numpy(names: dict[str, Any], reference: Callable[[Arrays], np.ndarray]) -> None:
    given = {name: names[name].double().numpy() for name in ("a", "b", "x", "w") if name in names}
    import ttnn

    result = ttnn.to_torch(names["y"]).double().numpy()
    expected = reference(given)
    error = np.abs(result - expected)
    assert result.shape == expected.shape
    assert (error <= 2.0**-6 * np.abs(expected) + 2.0**-8 * np.abs(expected).max()).all(), error.max()


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.usefixtures("open_devices")
def test_10_3_program_is_numpys_in_the_simulator(name: str) -> None:
    with settings.override(target="sim"):
        names = runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
    _close_to_numpy(names, PROGRAMS[name][0])


@pytest.mark.parametrize("chip", ["wormhole", "blackhole"])
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.usefixtures("open_devices")
def test_10_3_program_moves_on_the_chip_what_it_must(name: str, chip: str) -> None:
    reference, bound = PROGRAMS[name]
    moved, names = moved_by(EXAMPLES / f"{name}.py", chip)
    _close_to_numpy(names, reference)
    assert (moved.between_nodes, moved.dram) == bound(_as_object(names))


# --- wrong uses: the same finding in the simulator, the checks, the compiler and on the emulated chip ---------------

PROGRAM = """
import ttl
import ttnn

ROWS = ttnn.create_sharded_memory_config((256, 64), ttnn.CoreGrid(x=4, y=1), ttnn.ShardStrategy.HEIGHT)
APART = ttnn.MemoryConfig(
    ttnn.TensorMemoryLayout.HEIGHT_SHARDED, ttnn.BufferType.L1,
    ttnn.ShardSpec(ttnn.CoreRangeSet([
        ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(0, 0)), ttnn.CoreRange(ttnn.CoreCoord(0, 1), ttnn.CoreCoord(1, 1)),
        ttnn.CoreRange(ttnn.CoreCoord(1, 0), ttnn.CoreCoord(1, 0)),
    ]), (64, 64)),
)


@ttl.operation(grid={grid})
def move(x, y):
    node = ttl.node(dims=1)
    x_dist = ttl.distribute({x})
    y_dist = ttl.distribute({y})
    dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 2))

    @ttl.datamovement()
    def read():
        for i in range(2):
            with dfb.reserve() as blk:
                ttl.copy(x_dist.shard(){read}, blk).wait()

    @ttl.datamovement()
    def write():
        for i in range(2):
            with dfb.wait() as blk:
                ttl.copy(blk, y_dist.shard(){write}).wait()


device = ttnn.open_device(device_id=0)
x = ttnn.ones({shape}, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device, memory_config={memory})
y = ttnn.zeros((256, 64), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device, memory_config=ROWS)
move(x, y)
"""
RIGHT = {
    "grid": "(4, 1)", "x": "x", "y": "y", "read": "[i, :]", "write": "[i, :]", "shape": "(256, 64)", "memory": "ROWS",
}  # fmt: skip
WRONG: dict[str, tuple[dict[str, str], str, str]] = {
    "strategy": ({"x": "x, 'rows'"}, "TTL0530", "sharded, interleaved or replicated, not str 'rows'"),
    "no tensor": ({"x": "7"}, "TTL0530", "takes a TT-NN tensor, not int 7"),
    "shard of a replicated one": ({"x": "x, 'replicated', shard=(1, 1)"}, "TTL0530", "replicated takes no shard shape"),
    "shape of a shard": ({"x": "x, shard=(1, 0)"}, "TTL0530", "not tuple (1, 0)"),
    "three dimensions": (
        {"shape": "(2, 256, 64)", "memory": "None"}, "TTL0530", "a tensor of 3 dimensions is cut into shards",
    ),
    "does not divide": ({"shape": "(256, 96)", "memory": "None"}, "TTL0531", "over 1 row and 4 columns of nodes"),
    "shard does not divide": (
        {"x": "x, shard=(3, 2)", "memory": "None"}, "TTL0531", "shards of (3, 2) tiles = (96, 64) elements do not divide",
    ),
    "more nodes": ({"grid": "(8, 1)"}, "TTL0532", "4 shards (4 below and 1 beside each other) for 8 nodes"),
    "fewer nodes": ({"grid": "(2, 1)"}, "TTL0532", "for 2 nodes, a grid of (2, 1)"),
    "other nodes": ({"grid": "(2, 2)"}, "TTL0533", "shards in the L1 of nodes (2, 0), (3, 0)"),
    "another order": ({"grid": "(2, 2)", "memory": "APART"}, "TTL0533", "do not follow the nodes"),
    "another shard": ({"x": "x, shard=(8, 1)"}, "TTL0533", "shards of (8, 1) tiles are requested of a tensor whose shards"),
    "memory is sharded": ({"x": "x, 'interleaved'"}, "TTL0533", "height sharded is distributed as interleaved"),
    "interleaved": ({"x": "x, 'interleaved'", "memory": "None"}, "TTL0534", "the shard of a tensor that is interleaved"),
    "many writers": ({"y": "y, 'replicated'"}, "TTL0535", "written by all 4 nodes"),
    "beyond, known": ({"read": "[2, :]"}, "TTL0536", "2:3 of a shard that has 2 tiles in dimension 0"),
    "beyond, before": ({"read": "[-1, :]"}, "TTL0536", "-1:0 of a shard that has 2 tiles in dimension 0"),
    "beyond, by turn": ({"read": "[i + 1, :]"}, "TTL0536", "2:3 of a shard that has 2 tiles in dimension 0"),
    "beyond, by node": ({"write": "[node, :]"}, "TTL0536", "2:3 of a shard that has 2 tiles in dimension 0"),
    "a fraction": ({"read": "[0.5, :]"}, "TTL0506", "not a float"),
    "a step": ({"read": "[0:2:2, :]"}, "TTL0508", "slice with step 2"),
}  # fmt: skip
WAYS = {
    "simulator": ("run", "--no-check"),
    "checks": ("check",),
    "compiler": ("compile",),
    "emulated chip": ("run", "--target", "emu"),
}


def _first_error(text: str) -> str:
    """The first error of a report, and its place."""
    lines = [line.strip() for line in text.splitlines()]
    at = next((number for number, line in enumerate(lines) if line.startswith("error[")), None)
    return text if at is None else "\n".join(lines[at : at + 2])


@pytest.mark.parametrize("mistake", WRONG)
def test_10_3_wrong_use_is_the_same_error_wherever_it_runs(mistake: str, tmp_path: Path) -> None:
    changed, code, says = WRONG[mistake]
    program = tmp_path / "wrong.py"
    program.write_text(PROGRAM.format(**(RIGHT | changed)))
    errors = {}
    for way, command in WAYS.items():
        outcome = run_ttl([*command, "wrong.py"], folder=tmp_path)
        assert outcome.status == 1, (way, outcome)
        errors[way] = _first_error(outcome.stderr + outcome.stdout)
    first = errors["simulator"]
    assert first.startswith(f"error[{code}]") and says in first, first
    assert all(error == first for error in errors.values()), errors


def test_10_3_without_the_mistakes_it_runs_everywhere(tmp_path: Path) -> None:
    (tmp_path / "wrong.py").write_text(PROGRAM.format(**RIGHT))
    for way, command in WAYS.items():
        outcome = run_ttl([*command, "wrong.py"], folder=tmp_path)
        assert (outcome.status, outcome.stderr) == (0, ""), (way, outcome)


# --- who has which part ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("grid", "extents", "shard", "order"),
    [
        ((4, 2), (6, 8), None, "row_major"),
        ((4, 2), (8, 3), (1, 3), "row_major"),
        ((4, 2), (8, 3), (1, 3), "col_major"),
        ((2, 4), (4, 16), (4, 2), "col_major"),
        ((2, 4), (2, 8), (1, 2), "col_major"),
        ((2, 4), (4, 4), (2, 1), "row_major"),
        ((8,), (1, 16), None, "row_major"),
    ],
)
def test_10_3_shards_are_the_tensor_once(
    grid: tuple[int, ...], extents: tuple[int, int], shard: tuple[int, int] | None, order: rules.Order
) -> None:
    columns, rows = (*grid, 1)[:2]
    by_rows = [(x, y) for y in range(rows) for x in range(columns)]
    by_columns = [(x, y) for x in range(columns) for y in range(rows)]
    holders = tuple(by_rows if order == "row_major" else by_columns)
    lying = rules.MemoryDistribution(memory="dram", spread="interleaved")
    if shard is not None:
        lying = rules.MemoryDistribution(memory="l1", spread="block_sharded", shard=shard, holders=holders)
    found = rules.distribution("sharded", extents, Layout.TILE, grid, shard, lying)
    assert isinstance(found, rules.Distribution)
    counted = np.zeros(extents, int)
    for number, (x, y) in enumerate(holders):
        row, column = found.origin(x, y)
        counted[row : row + found.shard[0], column : column + found.shard[1]] += 1
        across = extents[1] // found.shard[1]
        assert (row // found.shard[0] * across + column // found.shard[1]) == number
    assert (counted == 1).all()


def test_10_3_print_shows_the_part_of_every_node(tmp_path: Path) -> None:
    """``print`` of a distributed tensor, in the body, is a line for each node."""
    outcome = run_program(
        PROGRAM.format(**RIGHT).replace("    dfb = ", "    if node == 0:\n        print(x_dist)\n    dfb = "),
        folder=tmp_path,
    )
    assert outcome.stderr == ""
    assert outcome.stdout.splitlines() == [
        "sharded: (8, 2) tiles = (256, 64) elements over 4x1 nodes",
        *(f"  node ({x}, 0): [{2 * x}:{2 * x + 2}, 0:2]" for x in range(4)),
    ]


ONE_BODY = """
import torch
import ttl
import ttnn


@ttl.operation(grid=(2, 2))
def double(x, y):
    x_dist, y_dist = ttl.distribute(x), ttl.distribute(y)
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=x_dist.shard_shape)
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=y_dist.shard_shape)
    with x_dfb.reserve() as blk:
        ttl.copy(x_dist.shard(), blk).wait()
    with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
        y_blk.store(x_blk + x_blk)
    with y_dfb.wait() as blk:
        ttl.copy(blk, y_dist.shard()[:, :]).wait()


device = ttnn.open_device(device_id=0)
given = torch.arange(128 * 64).reshape(128, 64).remainder(256).bfloat16()
x = ttnn.from_torch(given, layout=ttnn.TILE_LAYOUT, device=device)
y = ttnn.from_torch(torch.zeros(128, 64).bfloat16(), layout=ttnn.TILE_LAYOUT, device=device)
double(x, y)
assert torch.equal(ttnn.to_torch(y), given + given)
"""


@pytest.mark.parametrize("flags", [(), ("--target", "emu")])
def test_10_3_one_body_works_on_shards(flags: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "body.py").write_text(ONE_BODY)
    outcome = run_ttl(["run", *flags, "body.py"], folder=tmp_path)
    assert (outcome.status, outcome.stderr) == (0, "")


ORDERS = """
import torch
import ttl
import ttnn


@ttl.operation(grid=(2, 2))
def numbered(x, y):
    column, row = ttl.node(dims=2)
    y_dist = ttl.distribute(y)
    dfb = ttl.make_dataflow_buffer_like(y, shape=y_dist.shard_shape)

    @ttl.datamovement()
    def unused():
        pass

    @ttl.compute()
    def compute():
        with dfb.reserve() as blk:
            blk.store(ttl.block.fill(column + 10 * row, shape=(1, 1)))

    @ttl.datamovement()
    def write():
        with dfb.wait() as blk:
            ttl.copy(blk, y_dist.shard()).wait()


device = ttnn.open_device(device_id=0)
x = ttnn.zeros((32, 32), layout=ttnn.TILE_LAYOUT, device=device)
for order in (ttnn.ShardOrientation.ROW_MAJOR, ttnn.ShardOrientation.COL_MAJOR) * 3:
    for strategy, shape in ((ttnn.ShardStrategy.BLOCK, (64, 64)), (ttnn.ShardStrategy.HEIGHT, (128, 32))):
        shards = ttnn.create_sharded_memory_config(shape, ttnn.CoreGrid(x=2, y=2), strategy, order)
        y = ttnn.zeros(shape, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device, memory_config=shards)
        numbered(x, y)
        print([int(number) for number in ttnn.to_torch(y)[::32, ::32].flatten().tolist()])
"""


@pytest.mark.parametrize("flags", [(), ("--target", "emu")])
def test_10_3_the_order_of_shards_in_l1_is_that_of_the_nodes(flags: tuple[str, ...], tmp_path: Path) -> None:
    """Calls that differ in where their tensors lie are no repetitions of each other."""
    outcome = run_program(ORDERS, folder=tmp_path, flags=flags, check="auto")
    assert outcome.stderr == ""
    by_rows, by_columns = "[0, 1, 10, 11]", "[0, 10, 1, 11]"
    assert outcome.stdout.splitlines() == [by_rows, by_rows, by_columns, by_columns] * 3


ODD = {
    "part of a part": ("ttl.copy(x_dist.shard()[0:1, :][0, :], blk).wait()", "not subscriptable"),
    "iterated": ("[part for part in x_dist.shard()]", "not iterable"),
    "of too many dimensions": ("ttl.copy(x_dist.shard()[0, 0, 0], blk).wait()", "error[TTL0505]: 3 indices"),
}


@pytest.mark.parametrize("mistake", ODD)
def test_10_3_what_a_shard_is_not(mistake: str, tmp_path: Path) -> None:
    statement, says = ODD[mistake]
    source = PROGRAM.format(**RIGHT).replace("ttl.copy(x_dist.shard()[i, :], blk).wait()", statement)
    assert statement in source
    (tmp_path / "odd.py").write_text(source)
    for command in (("run", "--no-check"), ("check",)):
        outcome = run_ttl([*command, "odd.py"], folder=tmp_path)
        assert outcome.status == 1 and says in outcome.stderr + outcome.stdout, (command, outcome)


ELEMENTS = """
import torch
import ttl
import ttnn


@ttl.operation(grid=(2, 2))
def move(x, y):
    x_dist, y_dist = ttl.distribute(x), ttl.distribute(y)
    dfb = ttl.make_dataflow_buffer_like(x, shape=x_dist.shard_shape)
    if ttl.node(dims=1) == 0:
        print(x_dist)

    @ttl.datamovement()
    def read():
        with dfb.reserve() as blk:
            ttl.copy(x_dist.shard(), blk).wait()

    @ttl.datamovement()
    def write():
        with dfb.wait() as blk:
            ttl.copy(blk, y_dist.shard()).wait()


device = ttnn.open_device(device_id=0)
given = torch.arange(128 * 64).reshape(128, 64).remainder(256).bfloat16()
x = ttnn.from_torch(given, layout=ttnn.ROW_MAJOR_LAYOUT, device=device)
y = ttnn.from_torch(torch.zeros(128, 64).bfloat16(), layout=ttnn.ROW_MAJOR_LAYOUT, device=device)
move(x, y)
assert torch.equal(ttnn.to_torch(y), given)
"""


@pytest.mark.parametrize("flags", [(), ("--target", "emu")])
def test_10_3_row_major_tensors_are_cut_in_elements(flags: tuple[str, ...], tmp_path: Path) -> None:
    outcome = run_program(ELEMENTS, folder=tmp_path, flags=flags, check="auto")
    assert outcome.stderr == ""
    if not flags:  # the chip prints nothing of what the body does
        assert outcome.stdout.splitlines()[0] == "sharded: (128, 64) elements over 2x2 nodes"
        assert outcome.stdout.splitlines()[-1] == "  node (1, 1): [64:128, 32:64]"


MESH = """
import torch
import ttl
import ttnn


@ttl.operation(grid=(2, 2))
def numbered(y):
    column, row = ttl.node(dims=2)
    y_dist = ttl.distribute(y)
    dfb = ttl.make_dataflow_buffer_like(y, shape=y_dist.shard_shape)

    @ttl.compute()
    def compute():
        with dfb.reserve() as blk:
            blk.store(ttl.block.fill(column + 10 * row, shape=(1, 1)))

    @ttl.datamovement()
    def write():
        with dfb.wait() as blk:
            ttl.copy(blk, y_dist.shard()).wait()


mesh = ttnn.open_mesh_device(ttnn.MeshShape(1, 2))
shards = ttnn.create_sharded_memory_config(
    (64, 64), ttnn.CoreGrid(x=2, y=2), ttnn.ShardStrategy.BLOCK, ttnn.ShardOrientation.COL_MAJOR
)
y = ttnn.from_torch(
    torch.zeros(128, 64).bfloat16(), layout=ttnn.TILE_LAYOUT, device=mesh, memory_config=shards,
    mesh_mapper=ttnn.ShardTensorToMesh(mesh, dim=0),
)
numbered(y)
whole = ttnn.to_torch(y, mesh_composer=ttnn.ConcatMeshToTensor(mesh, dim=0))
print([int(number) for number in whole[::32, ::32].flatten().tolist()])
"""


@pytest.mark.parametrize("flags", [(), ("--target", "emu")])
def test_10_3_every_device_of_a_mesh_has_its_shards(flags: tuple[str, ...], tmp_path: Path) -> None:
    outcome = run_program(MESH, folder=tmp_path, flags=flags, check="auto")
    assert (outcome.stderr, outcome.stdout) == ("", "[0, 10, 1, 11, 0, 10, 1, 11]\n")
