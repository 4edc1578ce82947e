"""Chips that do the same are looked at once: how many nodes are followed, and that all of them, played, end in the same way."""

from __future__ import annotations

from pathlib import Path

import pytest

from check.test_network_random import Source
from support.meshes import checked, gather, graph_gather, graph_halo, halo, line, read_operation
from support.tensors import blank
from ttl.check.module import check_module
from ttl.check.network.game import Game
from ttl.check.network.roles import Proof, Verdict
from ttl.check.races import some_nodes
from ttl.diag import Severity
from ttl.frontend.live import lower_call
from ttl.passes.infer_sync import with_sync
from ttl.protocol.chips import chip_count


class Played(Game):
    """A game in which all nodes are played, whatever one of each role proves."""

    proof = Proof(verdict=Verdict.OPEN)  # type: ignore[assignment]


def game_of(text: str, shape: tuple[int, int]) -> Game:
    """The game of the operation of a program over some chips."""
    return Game(with_sync(read_operation(text, shape)))


@pytest.mark.parametrize("chips", [(2, 4), (4, 8), (8, 16), (32, 32)])
def test_a_halo_exchange_is_looked_at_once_for_each_kind_of_chip(chips: tuple[int, int]) -> None:
    """Corners, edges, inner chips (with two rows there are no inner ones), and as many attempts, whatever the mesh."""
    proof = game_of(halo(*chips), chips).proof
    assert proof.verdict is Verdict.ENDS
    assert proof.played <= 3 and proof.traced <= 4


@pytest.mark.parametrize("chips", [2, 8, 32, 128, 1024])
def test_a_ring_is_looked_at_on_one_chip(chips: int) -> None:
    """Every chip of a ring does what every other does: N - 1 steps, of which the accelerator plays some."""
    proof = game_of(gather(chips), (1, chips)).proof
    assert proof == Proof(verdict=Verdict.ENDS, traced=1, played=1)


@pytest.mark.parametrize("chips", [(2, 4), (32, 32)])
def test_over_graphs_nothing_is_listed(chips: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    """1,024 chips with 4 nodes each are read and checked without a list of their pipes, and looked at as 8 are."""
    monkeypatch.setattr("ttl.dialects.pipes._all_pipes", None)
    monkeypatch.setattr("ttl.analysis.pipe_ends.NetEnds.listed", None)
    for text, mesh in (
        (graph_halo(*chips, (2, 2)), chips),
        (graph_gather(chips[0] * chips[1], (2, 2)), (1, chips[0] * chips[1])),
    ):
        proof = game_of(text, mesh).proof
        assert proof.verdict is Verdict.ENDS
        assert proof.played <= 3 and proof.traced <= 4
        found, not_checked = checked(text, mesh)
        assert {item.code for item in found} <= {
            "TTL0906"
        } and not not_checked  # one place for several blocks


def test_of_many_chips_some_are_looked_at_for_races() -> None:
    """Each chip has tensors of its own: up to 64 are all compared, of more the ends and the middle of each axis."""
    assert chip_count((8, 8, 2, 2)) == 64
    assert set(some_nodes((1, 65, 1, 1)).tolist()) == {0, 1, 32, 63, 64}
    assert len(some_nodes((32, 32, 2, 2))) == 25 * 4
    for chips in (64, 65, 200):
        found, _ = checked(WRITTEN_TWICE.format(chips=chips), (1, chips))
        (finding,) = (item for item in found if item.code == "TTL0906")
        assert finding.primary is not None and "chip (0, 0), node (1, 0)" in finding.primary.text


WRITTEN_TWICE = """
import ttl

@ttl.operation(grid=(1, {chips}, 2, 1))
def op(a, y):
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    _, c, _, _ = ttl.node(dims=4)

    @ttl.datamovement()
    def move():
        with a_dfb.reserve() as blk:
            ttl.copy(a[0, 0], blk).wait()
        with a_dfb.wait() as blk:
            ttl.copy(blk, y[c % 64, 0]).wait()
"""


@pytest.mark.parametrize("chips", [4, 64])
def test_a_ring_without_a_spare_block_is_stuck_on_every_chip(chips: int) -> None:
    """One chip shows it; then all are played, so that the report names those that wait for each other."""
    game = game_of(gather(chips, order="receive first"), (1, chips))
    assert game.proof == Proof(verdict=Verdict.STUCK, traced=1, played=1, stuck=tuple(range(chips)))
    (round_,) = game.rounds()
    assert round_.stuck


def test_of_too_many_nodes_those_are_followed_that_have_to_do_with_each_other() -> None:
    """128 chips of 64 nodes stand still: too many to play. One ring of 128 nodes says why; nothing is claimed of the others."""
    (finding, *_), not_checked = checked(graph_gather(128, (8, 8), order="receive first"), (1, 128))
    assert finding.code == "TTL0917" and finding.severity is Severity.ERROR
    assert finding.message.startswith(
        "deadlock: 128 kernels wait for each other in a circle: move on chip 0, node (0, 0)"
    )
    assert finding.notes[-1].startswith("128 of 8192 nodes that depend on each other were followed")
    assert not any("ended on" in text for text in finding.notes) and not not_checked


def test_chips_of_a_line_are_told_apart_by_how_far_they_are_from_its_ends() -> None:
    """Each waits for the one before: no chip is like another, one of each proves nothing, and all are played."""
    game = game_of(line(16), (1, 16))
    assert game.proof.verdict is Verdict.OPEN
    (round_,) = game.rounds()
    assert round_.machine.ended and not game.unproven


ALONE = """
import ttl

@ttl.operation(grid=(8, 16, 1, 1))
def op(a, y):
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    r, c, _, _ = ttl.node(dims=4)

    @ttl.datamovement()
    def read():
        for _ in range(1 + int(r > 0)):
            with a_dfb.reserve() as blk:
                ttl.copy(a[0, 0], blk).wait()

    @ttl.datamovement()
    def write():
        for k in range(1 + int(r > 0)):
            with a_dfb.wait() as blk:
                ttl.copy(blk, y[0, k]).wait()
"""


def test_nodes_that_do_not_meet_are_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without pipes and semaphores the classes of nodes are found for all of them at once."""
    game = game_of(ALONE, (8, 16))
    assert not game.meets
    monkeypatch.setattr("ttl.analysis.events.classes.EventTracer", None)  # that of single nodes is not asked
    assert [node_class.nodes for node_class in game.classes] == [tuple(range(16)), tuple(range(16, 128))]


# --- what a proof says is so ------------------------------------------------------------------------------------


def verdicts(text: str, folder: Path) -> tuple[Verdict, bool | None]:
    """What one node of each role proves, and whether all of them, played, end with nothing left over (None: not known)."""
    name: dict[str, object] = {}
    path = folder / "program.py"
    path.write_text(text)
    exec(compile(text, str(path), "exec"), name)
    lowered = lower_call(name["op"], (blank((32, 32)), blank((32, 32))), {})  # type: ignore[arg-type]
    operation = next(iter(lowered.module.body.block.ops))
    whole = with_sync(operation)  # type: ignore[arg-type]
    proof = Game(whole).proof
    game = Played(whole)
    rounds = list(game.rounds())
    if game.unproven:
        return proof.verdict, None
    machines = [round_.machine for round_ in rounds]
    return proof.verdict, all(
        machine.ended and machine.failure is None and not any(machine.missing) and not any(machine.full)
        for machine in machines
    )


def _judged(seeds: range, folder: Path) -> dict[tuple[Verdict, bool | None], int]:
    counts: dict[tuple[Verdict, bool | None], int] = {}
    for seed in seeds:
        both = verdicts(Source(seed).text(), folder)
        counts[both] = counts.get(both, 0) + 1
        assert both not in ((Verdict.ENDS, False), (Verdict.STUCK, True)), seed
    return counts


def test_a_proof_and_all_nodes_agree(tmp_path: Path) -> None:
    """Random programs, most with pipes: what is proved from roles is what playing everybody shows."""
    counts = _judged(range(60), tmp_path)
    assert counts[Verdict.ENDS, True] >= 5 and counts[Verdict.STUCK, False] >= 3


@pytest.mark.long
@pytest.mark.parametrize("part", range(4))
def test_a_proof_and_all_nodes_agree_for_many(part: int, tmp_path: Path) -> None:
    """The same for 2,000 programs."""
    _judged(range(1000 + 500 * part, 1500 + 500 * part), tmp_path)


def test_nothing_is_left_open_for_many_chips() -> None:
    """A halo exchange over 512 nodes: checked to its end, without a word."""
    lowered = read_operation(halo(4, 8, 4, 4), (4, 8)).parent_op()
    not_checked: list[str] = []
    found = check_module(lowered, not_checked=not_checked)  # type: ignore[arg-type]
    assert [item.code for item in found if item.severity is Severity.ERROR] == [] == not_checked
