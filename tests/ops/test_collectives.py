"""The operations of ``ttl.ops`` over the chips of a mesh, judged by NumPy: on 2, 4 and 8 chips in a row, and on 2 x 4."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import ttnn

import ttl
from support.compiled import complaints_about, emitted_file
from support.kernel_check import GENERATIONS, needs_compiler
from support.programs import run_ttl

MESHES = [(1, 2), (4, 1), (1, 8), (2, 4)]
DTYPES = [ttnn.float32, ttnn.bfloat16]
UNIT = 2.0**-8
"""How much of a number rounding to bfloat16 changes at most."""

# An operation, sizes for a number of chips, options; one of them is across the dimension that is cut no whole tiles.
CASES: dict[str, tuple[str, Any, dict[str, Any]]] = {
    "all_gather": ("all_gather", lambda chips: (64, 72), {}),
    "all_gather-columns": ("all_gather", lambda chips: (40, 64), {"dim": 1, "blocks": (2, 1)}),
    "all_gather-in turns": ("all_gather", lambda chips: (128, 128), {}),
    "all_gather-sent by one node": ("all_gather", lambda chips: (128, 64), {"ports": 1}),
    "reduce_scatter": ("reduce_scatter", lambda chips: (chips * 64, 72), {}),
    "reduce_scatter-columns": (
        "reduce_scatter",
        lambda chips: (40, chips * 64),
        {"dim": 1, "blocks": (1, 2)},
    ),
    "all_reduce": ("all_reduce", lambda chips: (chips * 64, 72), {}),
    "all_reduce-2d": ("all_reduce", lambda chips: (chips * 64, 72), {"axis": (1, 0)}),
    "all_reduce-2d-columns": ("all_reduce", lambda chips: (40, chips * 32), {"axis": (0, 1), "dim": 1}),
    "broadcast": ("broadcast", lambda chips: (72, 104), {"root": 1}),
    "all_to_all": ("all_to_all", lambda chips: (chips * 64, 40), {}),
    "all_to_all-transposing": ("all_to_all", lambda chips: (chips * 32, 64), {"dims": (0, 1)}),
}


def distributed(arrays: list[Any], mesh: tuple[int, int], dtype: Any, layout: Any = ttnn.TILE_LAYOUT) -> Any:
    """A tensor on a mesh with an array for each chip."""
    device = ttnn.open_mesh_device(ttnn.MeshShape(*mesh))
    mapper = ttnn.ShardTensorToMesh(device, dim=0)
    whole = torch.from_numpy(np.concatenate(arrays).astype(np.float32))
    return ttnn.from_torch(whole, dtype=dtype, layout=layout, device=device, mesh_mapper=mapper)


def shards(tensor: Any) -> list[Any]:
    """The array of every chip."""
    device = tensor.device()
    composer = ttnn.ConcatMeshToTensor(device, dim=0)
    count = device.shape[0] * device.shape[1]
    return np.split(ttnn.to_torch(tensor, mesh_composer=composer).double().numpy(), count)


def ran(
    operation: Any, given: list[Any], mesh: tuple[int, int], dtype: Any, layout: Any = ttnn.TILE_LAYOUT
) -> Any:
    """What an operation gives for an array of each chip, and what was in the tensors that it was given."""
    wanted = operation.reference(given)
    x = distributed(given, mesh, dtype, layout)
    y = distributed([np.zeros(array.shape) for array in wanted], mesh, dtype, layout)
    operation(x, y)
    return shards(y), shards(x)


def drawn(chips: int, sizes: tuple[int, int]) -> list[Any]:
    generator = np.random.default_rng(chips)
    return [generator.standard_normal(sizes).astype(np.float32) for _ in range(chips)]


@pytest.mark.parametrize("dtype", DTYPES, ids=["float32", "bfloat16"])
@pytest.mark.parametrize("mesh", MESHES, ids=lambda mesh: f"{mesh[0]}x{mesh[1]}")
@pytest.mark.parametrize("case", CASES)
def test_it_is_right_on_every_chip(case: str, mesh: tuple[int, int], dtype: Any) -> None:
    name, sizes_of, options = CASES[case]
    chips = mesh[0] * mesh[1]
    sizes = sizes_of(chips)
    operation = getattr(ttl.ops, f"make_{name}")(sizes, (*mesh, 2, 2), **options)
    results, given = ran(operation, drawn(chips, sizes), mesh, dtype)
    magnitudes = sum(np.abs(array) for array in given)
    if name == "reduce_scatter":
        dim = options.get("dim", 0)
        bounds = np.split(magnitudes, chips, dim)
    else:
        bounds = [magnitudes] * chips
    # What float32 rounds, or what the docstring says of bfloat16; nothing where values are only moved.
    part = (chips - 1) * (UNIT * 1.03 if dtype is ttnn.bfloat16 else 2.0**-23) if "reduce" in name else 0
    for result, wanted, bound in zip(results, operation.reference(given), bounds, strict=True):
        assert np.all(np.abs(result - wanted) <= (part * bound if part else 0))


@pytest.mark.parametrize("case", CASES)
def test_a_chip_alone_has_all(case: str) -> None:
    name, sizes_of, options = CASES[case]
    options = {key: value for key, value in options.items() if key != "root"}
    operation = getattr(ttl.ops, f"make_{name}")(sizes_of(1), (1, 1, 2, 1), **options)
    results, given = ran(operation, drawn(1, sizes_of(1)), (1, 1), ttnn.float32)
    np.testing.assert_array_equal(results[0], given[0])


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("case", ["all_gather", "reduce_scatter", "all_reduce", "broadcast", "all_to_all"])
def test_chips_of_a_row_or_a_column_work_together(case: str, axis: int) -> None:
    name, sizes_of, options = CASES[case]
    sizes = sizes_of(8)
    operation = getattr(ttl.ops, f"make_{name}")(sizes, (2, 4, 1, 3), axis=axis, **options)
    numbers = [np.random.default_rng(chip).integers(-99, 99, size=sizes) for chip in range(8)]
    results, given = ran(operation, numbers, (2, 4), ttnn.float32)
    for result, wanted in zip(results, operation.reference(given), strict=True):
        np.testing.assert_array_equal(result, wanted)
    group = [0, 4] if axis == 0 else [0, 1, 2, 3]
    if name == "all_gather":
        np.testing.assert_array_equal(results[0], np.concatenate([numbers[chip] for chip in group]))


@pytest.mark.parametrize("mesh", [(1, 4), (2, 4)])
def test_sums_of_float32_have_the_order_that_is_documented(mesh: tuple[int, int]) -> None:
    chips = mesh[0] * mesh[1]
    sizes = (chips * 64, 32)  # two blocks of each part: one for a node of each direction
    operation = ttl.ops.make_reduce_scatter(sizes, (*mesh, 1, 2))
    results, given = ran(operation, drawn(chips, sizes), mesh, ttnn.float32)
    ring = ttl.ops.chip_rings((*mesh, 1, 2)).parts
    for place, chip in enumerate(ring):
        for half, direction in ((0, 1), (1, -1)):
            rows = slice(chip * 64 + half * 32, chip * 64 + half * 32 + 32)
            total = given[ring[(place + direction) % chips]][rows].astype(np.float32)
            for step in [*range(2, chips), 0]:
                total = total + given[ring[(place + direction * step) % chips]][rows].astype(np.float32)
            np.testing.assert_array_equal(results[chip][half * 32 : half * 32 + 32], total)


def test_the_largest_and_the_smallest() -> None:
    for function, of_numpy in ((ttl.math.max, np.maximum), (ttl.math.min, np.minimum)):
        given = drawn(4, (128, 32))
        for name in ("reduce_scatter", "all_reduce"):
            make = getattr(ttl.ops, f"make_{name}")
            operation, judge = make((128, 32), (2, 2, 1, 1), function=function), None
            y = distributed(
                [np.zeros((32 if name == "reduce_scatter" else 128, 32))] * 4, (2, 2), ttnn.float32
            )
            operation(distributed(given, (2, 2), ttnn.float32), y)
            judge = make((128, 32), (2, 2, 1, 1), function=of_numpy).reference(given)
            for result, wanted in zip(shards(y), judge, strict=True):
                np.testing.assert_array_equal(result, wanted)


@pytest.mark.parametrize("wrap", [False, True])
@pytest.mark.parametrize("dim", [0, 1])
@pytest.mark.parametrize("tile", [1, 32])
@pytest.mark.parametrize(("mesh", "axis"), [((1, 2), 1), ((4, 1), 0), ((2, 4), 0), ((2, 4), 1)])
def test_halos_are_those_of_the_neighbours(
    mesh: tuple[int, int], axis: int, tile: int, dim: int, wrap: bool
) -> None:
    sizes = (96, 40) if (dim == 0) == (tile == 32) else (40, 96)
    layout = ttnn.TILE_LAYOUT if tile == 32 else ttnn.ROW_MAJOR_LAYOUT
    blocks = (1,) if tile == 32 else (8,)
    operation = ttl.ops.make_halo_exchange(
        sizes, (*mesh, 2, 1), blocks, axis=axis, halo=2, dim=dim, wrap=wrap, tile=tile
    )
    for dtype in DTYPES:
        results, given = ran(operation, drawn(mesh[0] * mesh[1], sizes), mesh, dtype, layout)
        for result, wanted in zip(results, operation.reference(given), strict=True):
            np.testing.assert_array_equal(result, wanted)


def test_halos_along_both_axes_have_corners() -> None:
    whole = np.random.default_rng(0).integers(0, 99, size=(2 * 16, 2 * 32)).astype(np.float32)
    parts = [whole[row : row + 16, column : column + 32] for row in (0, 16) for column in (0, 32)]
    rows = ttl.ops.make_halo_exchange((16, 32), (2, 2, 1, 1), (32,), axis=0, wrap=True, tile=1)
    columns = ttl.ops.make_halo_exchange((18, 32), (2, 2, 1, 1), (18,), axis=1, dim=1, wrap=True, tile=1)
    high, _ = ran(rows, parts, (2, 2), ttnn.float32, ttnn.ROW_MAJOR_LAYOUT)
    wide, _ = ran(columns, high, (2, 2), ttnn.float32, ttnn.ROW_MAJOR_LAYOUT)
    around = np.pad(whole, 1, mode="wrap")
    for number, (row, column) in enumerate([(0, 0), (0, 32), (16, 0), (16, 32)]):
        np.testing.assert_array_equal(wide[number], around[row : row + 18, column : column + 34])


def test_stages_are_composed() -> None:
    """What is gathered is doubled, summed and scattered in one launch."""
    grid = (1, 4, 1, 2)
    gather = ttl.ops.make_all_gather((64, 32), grid)
    scatter = ttl.ops.make_reduce_scatter((256, 32), grid)
    rings = ttl.ops.chip_rings(grid)

    @ttl.operation()
    def double(x_dfb: ttl.DFB, y_dfb: ttl.DFB, count: int) -> None:
        for _ in range(count):
            with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
                y_blk.store(x_blk + x_blk)

    @ttl.operation(grid=grid)
    def chain(x: Any, y: Any) -> None:
        gathered_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1), block_count=4)
        doubled_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1), block_count=4)
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))
        block = ttl.node(dims=3)[2]
        gather.stage(x, gathered_dfb, block)
        double(gathered_dfb, doubled_dfb, rings.size)
        scatter.stage(doubled_dfb, y_dfb)
        with y_dfb.wait() as y_blk:
            ttl.copy(y_blk, y[block, 0]).wait()

    given = drawn(4, (64, 32))
    x = distributed(given, (1, 4), ttnn.float32)
    y = distributed([np.zeros((64, 32))] * 4, (1, 4), ttnn.float32)
    chain(x, y)
    # At step s a chip has the block of the chip s places back, and adds it to what the chip before had at the step before:
    # all four are of the same chip, that of the last step.
    for chip, result in enumerate(shards(y)):
        for half, direction in ((0, 1), (1, -1)):
            rows = slice(half * 32, half * 32 + 32)
            np.testing.assert_array_equal(result[rows], 8 * given[(chip + direction) % 4][rows])


REFUSED = {
    "ttl.ops.make_all_gather(sizes=(40, 32), grid=(1, 4, 1, 1))": (
        "TTL1651",
        "the size rows of all_gather is 40, which 32 does not divide",
        "sizes that fit: 32 or 64",
    ),
    "ttl.ops.make_reduce_scatter(sizes=(192, 32), grid=(1, 4, 1, 1))": (
        "TTL1651",
        "the size rows of reduce_scatter is 192, which 128 does not divide",
        "sizes that fit: 128 or 256",
    ),
    "ttl.ops.make_all_reduce(sizes=(256, 96), grid=(2, 4, 1, 1), blocks=(1, 2))": (
        "TTL1651",
        "the size columns in tiles of all_reduce is 3, which 2 does not divide",
        "blocks of columns that fit: 1 or 3",
    ),
    "ttl.ops.make_all_reduce(sizes=(256, 96), grid=(2, 4, 1, 1), axis=(0, 0))": (
        "TTL1650",
        "axis[1] of all_reduce is int 0",
        "write axis[1]=1",
    ),
    "ttl.ops.make_all_gather(sizes=(32, 32), grid=(1, 2, 1, 1), ports=2)": (
        "TTL1650",
        "ports of all_gather is int 2",
        "write ports=1",
    ),
    "ttl.ops.make_broadcast(sizes=(32, 32), grid=(2, 1))": (
        "TTL1650",
        "grid of broadcast is tuple (2, 1)",
        "write grid=(mesh rows, mesh columns, x, y) with a number for each name",
    ),
    "ttl.ops.make_broadcast(sizes=(32, 32), grid=(1, 2, 1, 1), root=2)": (
        "TTL1650",
        "root of broadcast is int 2",
        "write root=0 or root=1",
    ),
    "ttl.ops.make_all_to_all(sizes=(64, 40), grid=(1, 2, 1, 1), dims=(0, 1))": (
        "TTL1651",
        "the size columns of all_to_all is 40, which 32 does not divide",
        "sizes that fit: 32 or 64",
    ),
    "ttl.ops.make_halo_exchange(sizes=(32, 32), grid=(1, 2, 1, 1), axis=0)": (
        "TTL1650",
        "axis of halo_exchange is int 0",
        "write axis=1",
    ),
    "ttl.ops.make_halo_exchange(sizes=(64, 32), grid=(1, 2, 1, 1), axis=1, halo=3)": (
        "TTL1650",
        "halo of halo_exchange is int 3",
        "write halo=1 or halo=2",
    ),
}


@pytest.mark.parametrize("made", REFUSED)
def test_wrong_numbers_are_refused_at_the_authors_line(made: str, tmp_path: Path) -> None:
    code, message, way_out = REFUSED[made]
    (tmp_path / "program.py").write_text(f"import ttl\n\noperation = {made}\n")
    outcome = run_ttl(["check", "program.py"], folder=tmp_path)
    assert outcome.status == 1
    printed = outcome.stderr + outcome.stdout
    assert f"error[{code}]: {message}\n" in printed
    assert f"= help: {way_out}\n" in printed
    assert "program.py:3:13" in printed


def test_other_tensors_are_refused() -> None:
    gather = ttl.ops.make_all_gather(sizes=(32, 64), grid=(1, 2, 1, 1))
    x = distributed([np.zeros((32, 64))] * 2, (1, 2), ttnn.bfloat16)
    with pytest.raises(ttl.ProgramError) as raised:
        gather(x, x)
    assert raised.value.code == "TTL1652"
    assert "y of all_gather has the shape (32, 64); the operation was made for (64, 64)" in str(raised.value)


def test_a_ring_of_all_chips_leads_to_neighbours() -> None:
    for mesh in ((2, 4), (4, 2), (3, 4), (4, 3), (8, 4), (2, 2)):
        ring = ttl.ops.chip_rings((*mesh, 1, 1)).parts
        assert sorted(ring) == list(range(mesh[0] * mesh[1]))
        for one, other in zip(ring, [*ring[1:], ring[0]], strict=True):
            rows, columns = (
                abs(a - b) for a, b in zip(divmod(one, mesh[1]), divmod(other, mesh[1]), strict=True)
            )
            assert rows + columns == 1


def program(path: Path) -> int:
    """Write a program that makes all operations for 2 x 4 chips and launches them; how many there are."""
    lines = ["import ttl", "import ttnn", "operations = ["]
    made, calls = [], []
    for name, sizes_of, options in CASES.values():
        sizes = sizes_of(8)
        given = "".join(f", {key}={value}" for key, value in options.items())
        made.append(f"    ttl.ops.make_{name}({sizes}, (2, 4, 1, 1){given}),")
        operation = getattr(ttl.ops, f"make_{name}")(sizes, (2, 4, 1, 1), **options)
        calls.append((sizes, operation.reference([np.zeros(sizes)] * 8)[0].shape))
    made.append("    ttl.ops.make_halo_exchange((64, 40), (2, 4, 1, 1), axis=1),")
    calls.append(((64, 40), (128, 40)))
    lines += [
        *made,
        "]",
        'if __name__ == "__main__":',
        "    mesh = ttnn.open_mesh_device(ttnn.MeshShape(2, 4))",
    ]
    for number, shapes in enumerate(calls):
        tensors = ", ".join(
            f"ttnn.zeros({shape}, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=mesh)"
            for shape in shapes
        )
        lines.append(f"    operations[{number}]({tensors})")
    path.write_text("\n".join(lines) + "\n")
    return len(calls)


def test_checks_find_nothing(tmp_path: Path) -> None:
    count = program(tmp_path / "program.py")
    outcome = run_ttl(["check", "program.py"], folder=tmp_path)
    assert outcome.status == 0, outcome.stdout + outcome.stderr
    assert f"{count} specialisations: nothing found" in outcome.stdout + outcome.stderr


@pytest.mark.headers
@needs_compiler
@pytest.mark.parametrize("share", [1, pytest.param(0, marks=pytest.mark.long)])
def test_the_headers_accept_the_kernels(share: int, tmp_path: Path) -> None:
    """``make test`` has the all-gather, for one generation of the headers."""
    count = program(tmp_path / "program.py")
    emitted = emitted_file(tmp_path / "program.py")
    assert emitted.refused == ()
    assert all(len(programs) == count for programs in emitted.programs.values())
    generations = GENERATIONS[:1] if share else GENERATIONS
    judged = [
        replace(emitted, programs={generation: emitted.programs[generation][: share or count]})
        for generation in generations
    ]
    assert complaints_about(judged) == []
