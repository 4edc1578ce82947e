"""Legal layouts and the solver, against numbers that were computed from the rule by other means."""

from __future__ import annotations

import pytest

from tt_model.layouts.device import DeviceRecord
from tt_model.layouts.known_systems import default_system, system
from tt_model.layouts.layout import TTNNLayout
from tt_model.layouts.values import LayoutError
from ttmlir.transforms.optimizer.candidates import dividing_grids, sharded_candidates
from ttmlir.transforms.optimizer.chip import TargetChip
from ttmlir.transforms.optimizer.solver import ChainEdge, ShardSolver


def chip(mesh: tuple[int, ...] = ()) -> TargetChip:
    known = system("n300") if mesh else default_system()
    return TargetChip(DeviceRecord.of(known, mesh), known)


@pytest.mark.parametrize(
    ("tiles", "order"),
    [
        ((1, 8), "B1x8 W1x8 B1x4 W1x4 B1x2 W1x2 B1x1 H1x1 W1x1"),
        ((2, 3), "B2x3 B1x3 W1x3 B2x1 H2x1 B1x1 H1x1 W1x1"),
        (
            (8, 8),
            "B8x8 B8x4 B4x8 B8x2 B2x8 B4x4 B8x1 W1x8 H8x1 B4x2 B2x4 B1x8 B4x1 B2x2 H4x1 B1x4 W1x4 B2x1 H2x1 W1x2 B1x2 B1x1 "
            "H1x1 W1x1",
        ),
        (
            (64, 64),
            "B8x8 W1x64 H64x1 H32x1 B4x8 W1x32 B8x4 H16x1 B2x8 W1x16 B4x4 B8x2 B1x8 W1x8 H8x1 B8x1 B4x2 B2x4 H4x1 B4x1 B2x2 "
            "B1x4 W1x4 B1x2 B2x1 W1x2 H2x1 W1x1 H1x1 B1x1",
        ),
    ],
)
def test_grids_are_in_the_order_of_the_c_library(tiles: tuple[int, int], order: str) -> None:
    written = [f"{kind.name[0]}{rows}x{columns}" for kind, rows, columns in dividing_grids(*tiles, chip())]
    assert " ".join(written) == order


def test_cores_that_the_rest_of_a_chain_uses() -> None:
    """A chain 0 -> 1 -> {2, 3} -> 4 -> 5, each with one layout by width, height and block."""
    volumes = [(4, 8, 4), (8, 4, 4), (4, 4, 1), (4, 4, 1), (2, 1, 1), (2, 1, 1)]
    ends = [(0, 1), (1, 2), (1, 3), (2, 4), (3, 4), (4, 5)]
    edges = [ChainEdge(producer=one, consumer=other, pairs=(1, 2, 4)) for one, other in ends]
    solution = ShardSolver(volumes, [(False, False, True)] * 6, edges).solve()
    assert solution.usage[0] == (24, 22, 12)
    assert solution.chosen == (0,) * 6


def test_an_edge_without_a_pair_is_laid_out_anew() -> None:
    edges = [ChainEdge(producer=0, consumer=1, pairs=(1, 0)), ChainEdge(producer=1, consumer=2, pairs=(0, 2))]
    solution = ShardSolver([(1, 4)] * 3, [(True, True)] * 3, edges, [3, 1, 3]).solve()
    assert (solution.chosen, solution.resharded) == ((0, 0, 1), frozenset({1}))


def test_shards_lie_on_one_rectangle_of_cores() -> None:
    device = chip().device
    assert device.rectangle((64, 1)) == (8, 8)
    assert device.rectangle((1, 12)) == (2, 6)
    assert device.core_of_shard((64, 1), (63, 0)) == (0, 7, 7)
    assert device.core_of_shard((1, 12), (0, 7)) == (0, 1, 1)
    with pytest.raises(LayoutError, match=r"no rectangle of the chip's 8x8 cores .* a grid 11x1"):
        device.rectangle((11, 1))
    grids = {layout.grid.shape for layout in shards((352, 32))}
    assert grids == {(1, 1)}  # 11 rows of tiles: 11 cores are no rectangle of 8x8


def test_a_mesh_has_the_shards_of_one_chip() -> None:
    grids = {layout.grid.shape for layout in shards((1024, 1024), (1, 2))}
    assert (8, 8) in grids
    assert max(rows * columns for rows, columns in grids) <= 64
    assert all(columns <= 8 for rows, columns in grids if rows > 1)


def test_matrices_of_a_stack_are_padded_one_by_one() -> None:
    assert shards((3, 33, 64)) == []
    assert shards((1, 33, 64)) != []
    assert all(layout.memref.shape[-2] * layout.grid.shape[0] == 6 for layout in shards((3, 64, 64)))


def shards(shape: tuple[int, ...], mesh: tuple[int, ...] = ()) -> list[TTNNLayout]:
    from xdsl.dialects.builtin import bf16

    return list(sharded_candidates(TTNNLayout.make(shape, bf16), shape, chip(mesh), 64))
