"""Parts of tensors that are written twice, or read and written in no order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ttl
from support.memory_ir import Program, elements, line_of, place, tensor, tiles
from support.meshes import checked, simulated
from support.tensors import blank
from ttl.check.module import check_module
from ttl.check.races import check
from ttl.check.regions import Boxes, equal_to_earlier, unordered_meeting
from ttl.diag import Diagnostic, Severity
from ttl.dialects import ttl as dialect
from ttl.frontend.live import lower_call
from ttl.rows.dtypes import FLOAT32

TILE = tiles(1, 1)


def only(found: list[Diagnostic]) -> Diagnostic:
    (finding,) = found
    return finding


def program(*grid: int) -> Program:
    """With tensors ``x`` and ``y`` of (4, 4) tiles."""
    return Program(grid, x=tensor(128, 128), y=tensor(128, 128))


def test_nodes_that_write_their_own_parts_are_fine() -> None:
    p = program(4, 4)
    y_dfb = p.buffer("y_dfb", TILE)
    with p.kernel("write"):
        p.write(y_dfb, "y", *p.node)
    assert not p.found_by(check)


def test_nodes_that_write_the_same_part() -> None:
    p = program(2, 1)
    y_dfb = p.buffer("y_dfb", TILE)
    with p.kernel("write"):
        copy = p.write(y_dfb, "y", 0, 1)
    finding = only(p.found_by(check))
    assert (finding.code, finding.severity) == ("TTL0906", Severity.WARNING)
    assert (
        finding.message == "[0:1, 1:2] (tiles) of a tensor is written twice, and it was not read in between"
    )
    assert finding.notes == (
        "the data of the first write are lost, and which one comes last may depend on the schedule",
    )
    assert line_of(finding) == place(copy)
    assert finding.primary is not None
    assert finding.primary.text == "written again here, by kernel write on node (1, 0)"
    assert [label.text for label in finding.secondary] == [
        "first written here, by kernel write on node (0, 0)"
    ]


def test_a_loop_that_writes_the_same_part_in_every_turn() -> None:
    p = program(1, 1)
    y_dfb = p.buffer("y_dfb", TILE)
    with p.kernel("write"), p.loop("m", 0, 4):
        p.write(y_dfb, "y", 0, 0)
    finding = only(p.found_by(check))
    assert finding.notes == ("the data of the first write are lost", "the same happens 2 more times")


def test_a_part_that_is_read_may_be_written_again() -> None:
    p = program(1, 1)
    dfb = p.buffer("dfb", TILE)
    with p.kernel("read"), p.loop("m", 0, 4):
        p.read(dfb, "y", 0, 0)
    with p.kernel("write"), p.loop("m", 0, 4):
        p.write(dfb, "y", 0, 0)
    assert not p.found_by(check)


def test_one_node_reads_what_another_one_writes() -> None:
    p = program(2, 1)
    dfb = p.buffer("dfb", TILE)
    with p.kernel("read"):
        read = p.read(dfb, "y", 0, 0)
    with p.kernel("write"):
        write = p.write(dfb, "y", 0, p.node[0])
    finding = only(p.found_by(check))
    assert (finding.code, finding.severity) == ("TTL1101", Severity.ERROR)
    assert finding.primary is not None
    assert (line_of(finding), finding.primary.text) == (
        place(read),
        "read here, by kernel read on node (1, 0)",
    )
    (label,) = finding.secondary
    assert (label.span.line, label.text) == (place(write), "written here, by kernel write on node (0, 0)")


def test_blocks_of_different_shapes_that_have_a_tile_in_common() -> None:
    p = program(2, 2)
    row, tile = p.buffer("row_dfb", tiles(1, 4)), p.buffer("dfb", TILE)
    with p.kernel("read"), p.where("eq", p.node[1], 0), p.where("eq", p.node[0], 0):
        p.read(row, "y", 3, (0, 4))
    with p.kernel("write"), p.where("eq", p.node[1], 1), p.where("eq", p.node[0], 1):
        p.write(tile, "y", 3, 2)
    finding = only(p.found_by(check))
    assert finding.notes[0].startswith("[3:4, 0:4] and [3:4, 2:3] (tiles) of y: ")


def test_two_kernels_of_a_node_that_share_no_buffer() -> None:
    p = program(1, 1)
    one, other = p.buffer("one_dfb", TILE), p.buffer("other_dfb", TILE)
    with p.kernel("first"):
        p.read(one, "y", 0, 0)
    with p.kernel("second"):
        p.write(other, "y", 0, 0)
    assert only(p.found_by(check)).code == "TTL1101"


def test_kernels_joined_through_the_compute_kernel_count_as_ordered() -> None:
    p = program(1, 1)
    one, other = p.buffer("one_dfb", TILE), p.buffer("other_dfb", TILE)
    with p.kernel("read"):
        p.read(one, "y", 0, 0)
    with p.kernel("compute", compute=True):
        p.emit(dialect.DfbWaitOp(one))
        p.emit(dialect.DfbReserveOp(other))
    with p.kernel("write"):
        p.write(other, "y", 0, 0)
    assert not p.found_by(check)


@pytest.mark.parametrize("joined", [False, True])
def test_a_semaphore_between_the_nodes_counts_as_order(joined: bool) -> None:
    p = program(2, 1)
    dfb = p.buffer("dfb", TILE)
    semaphore = p.semaphore("written")
    with p.kernel("read"):
        if joined:
            p.emit(dialect.SemaphoreWaitOp(semaphore, p.index(1), comparison="ge"))
        p.read(dfb, "y", 0, 0)
    with p.kernel("write"):
        p.write(dfb, "y", 0, p.node[0])
        if joined:
            remote = p.emit(dialect.GetRemoteSemaphoreOp(semaphore, [p.index(1), p.index(0)])).result
            p.emit(dialect.SemaphoreIncOp(remote, p.index(1)))
    assert bool(p.found_by(check)) is not joined


def test_a_semaphore_that_nobody_waits_for_orders_nothing() -> None:
    p = program(2, 1)
    dfb = p.buffer("dfb", TILE)
    semaphore = p.semaphore("written")
    with p.kernel("read"):
        p.read(dfb, "y", 0, 0)
    with p.kernel("write"):
        p.write(dfb, "y", 0, p.node[0])
        remote = p.emit(dialect.GetRemoteSemaphoreOp(semaphore, [p.index(1), p.index(0)])).result
        p.emit(dialect.SemaphoreIncOp(remote, p.index(1)))
    assert only(p.found_by(check)).code == "TTL1101"


@pytest.mark.parametrize("destination", [1, 2])
def test_a_pipe_orders_the_nodes_that_it_connects(destination: int) -> None:
    """Node 1 reads what node 0 writes: a pipe to node 2 does not help."""
    p = program(3, 1)
    one, other = p.buffer("one_dfb", TILE), p.buffer("other_dfb", TILE)
    net = p.net(((0, 0), (destination, 0)))
    with p.kernel("read"):
        with p.where("eq", p.node[0], 1):
            p.read(one, "y", 0, 0)
        with p.if_pipe(net, "dst") as pipe:
            p.receive(pipe, one)
    with p.kernel("write"):
        with p.where("eq", p.node[0], 0):
            p.write(other, "y", 0, 0)
        with p.if_pipe(net, "src") as pipe:
            p.send(other, pipe)
    assert bool(p.found_by(check)) is (destination == 2)


def test_two_nodes_write_parts_that_overlap() -> None:
    p = program(2, 1)
    dfb = p.buffer("dfb", tiles(2, 1))
    with p.kernel("write"):
        p.write(dfb, "y", (p.node[0], 2), 0)
    finding = only(p.found_by(check))
    assert (finding.code, finding.severity) == ("TTL0906", Severity.WARNING)
    assert finding.message.startswith("[0:2, 0:1] and [1:3, 0:1] (tiles) of y have a part in common")


def test_devices_of_a_mesh_have_memory_of_their_own() -> None:
    p = program(2, 1, 1)
    dfb = p.buffer("dfb", TILE)
    with p.kernel("write"):
        p.write(dfb, "y", 0, 0)
    assert not p.found_by(check)


def test_conditions_that_are_not_known_make_it_silent() -> None:
    """The condition comes out of memory: whether both happen is not certain."""
    p = Program((2, 1), y=tensor(128, 128), n=tensor(-1, 32))
    dfb = p.buffer("dfb", TILE)
    rows = p.emit(dialect.DimOp(p.accessors["n"], 0)).result
    with p.kernel("read"), p.where("slt", rows, 5):
        p.read(dfb, "y", 0, 0)
    with p.kernel("write"):
        p.write(dfb, "y", 0, 0)
    assert not p.found_by(check)


def test_many_parts_of_a_row_major_tensor_are_compared_quickly_enough_to_finish() -> None:
    p = Program((8, 8), y=tensor(8192, 8192, dtype=FLOAT32, layout="row_major"))
    dfb = p.buffer("dfb", elements(8192, dtype=FLOAT32))
    row = p.plus(p.times(p.node[0], 1024), p.times(p.node[1], 128))
    with p.kernel("write"), p.loop("m", 0, 129) as m, p.where("slt", p.plus(row, m), 8192):
        p.write(dfb, "y", p.plus(row, m), (0, 8192))
    finding = only(p.found_by(check))
    assert "the same happens 62 more times" in finding.notes


def boxes(*given: tuple[tuple[int, int], tuple[int, int]]) -> Boxes:
    array = np.array(given, np.int64)
    numbers = np.arange(len(given), dtype=np.int64)
    return Boxes(
        low=array[:, :, 0], high=array[:, :, 1], access=numbers, node=numbers * 0, iteration=numbers * 0
    )


def test_equal_boxes_are_found_whatever_is_between_them() -> None:
    found = equal_to_earlier(boxes(((0, 1), (0, 1)), ((0, 1), (0, 2)), ((0, 1), (0, 1)), ((0, 1), (0, 2))))
    assert found.tolist() == [0, 1, 0, 1]


def test_a_meeting_agrees_with_comparing_every_pair() -> None:
    random = np.random.default_rng(7)
    found_some = found_none = 0
    for _ in range(300):
        count = int(random.integers(2, 7))
        low = random.integers(0, 6, (count, 2))
        given = boxes(
            *(tuple(map(tuple, np.stack([each, each + random.integers(1, 4, 2)], 1))) for each in low)
        )
        writes = random.integers(0, 2, count).astype(bool)
        component = random.integers(0, 3, count)
        pairs = {
            (a, b)
            for a in range(count)
            for b in range(count)
            if writes[a]
            and component[a] != component[b]
            and (given.low[a] < given.high[b]).all()
            and (given.low[b] < given.high[a]).all()
        }
        found = unordered_meeting(given, writes, component)
        assert (found in pairs) if pairs else (found is None)
        found_some, found_none = found_some + bool(pairs), found_none + (not pairs)
    assert found_some > 50 and found_none > 50


@pytest.mark.parametrize(
    ("grid", "axes", "expected"),
    [
        ((2, 4), (0, 1), None),
        ((2, 4), (1, 0), "no node writes"),
        ((2, 2), (0, 1), "no node writes [0:2, 2:4] (tiles) of y"),
        ((1, 1), (0, 1), None),
    ],
)
def test_columns_that_no_node_writes(
    grid: tuple[int, int], axes: tuple[int, int], expected: str | None
) -> None:
    """A y of 2 x 4 tiles (of 4 x 4, where the coordinates have changed places)."""
    extents = (2, 4) if axes == (0, 1) else (4, 4)
    found = [
        finding.message for finding in findings_of_tiles(extents, grid, axes) if finding.code == "TTL0908"
    ]
    assert len(found) == (expected is not None)
    assert all(message.startswith(str(expected)) for message in found)


def findings_of_tiles(
    extents: tuple[int, int], grid: tuple[int, int], axes: tuple[int, int]
) -> list[Diagnostic]:
    @ttl.operation(grid=grid)
    def op(y: Any) -> None:
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))
        node = ttl.node(dims=2)

        @ttl.compute()
        def compute() -> None:
            with y_dfb.reserve() as blk:
                blk.store(ttl.block.fill(1, shape=(1, 1)))

        @ttl.datamovement()
        def write() -> None:
            with y_dfb.wait() as blk:
                ttl.copy(blk, y[node[axes[0]], node[axes[1]]]).wait()

    y = blank((32 * extents[0], 32 * extents[1]))
    return check_module(lower_call(op, (y,), {}).module)


# --- several chips ----------------------------------------------------------------------------------------------


def handed_over(*, waits: bool, goes_on: bool) -> str:
    """Node (0, 0) of chip (0, 0) writes; chip (0, 1) is told, and tells node (1, 0) of chip (0, 0), which reads."""
    return f"""
import ttl

@ttl.operation(grid=(1, 2, 2, 1))
def op(a, y):
    go = ttl.Semaphore()
    done = ttl.Semaphore()
    far = go.get_remote((0, 1, 0, 0))
    back = done.get_remote((0, 0, 1, 0))
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    _, chip, x, _ = ttl.node(dims=4)

    @ttl.datamovement()
    def move():
        with a_dfb.reserve() as blk:
            if chip == 0 and x == 0:
                ttl.copy(a[0, 0], blk).wait()
                ttl.copy(blk, y[0, 0]).wait()
                far.inc(1)
            elif chip == 0:
                {"done.wait_ge(1)" if waits else "pass"}
                ttl.copy(y[0, 0], blk).wait()
            else:
                if x == 0:
                    go.wait_ge(1)
                    {"back.inc(1)" if goes_on else "pass"}
                ttl.copy(a[0, 0], blk).wait()
        with a_dfb.wait() as blk:
            ttl.copy(blk, y[1 + x, 1]).wait()
"""


def test_increments_order_accesses_by_way_of_another_chip() -> None:
    """Written, told to the other chip, told back, read: in every schedule the same."""
    text = handed_over(waits=True, goes_on=True)
    assert checked(text, (1, 2)) == ([], [])
    assert simulated(text, (1, 2), schedules=8) is None


@pytest.mark.parametrize("goes_on", [True, False])
def test_without_the_wait_a_read_races_with_a_write(goes_on: bool) -> None:
    """That the semaphore is incremented orders nobody who does not wait for it: said at once, and shown by schedules."""
    text = handed_over(waits=False, goes_on=goes_on)
    (finding,), _ = checked(text, (1, 2))
    assert (finding.code, finding.severity) == ("TTL1101", Severity.ERROR)
    assert finding.primary is not None
    assert finding.primary.text == "read here, by kernel move on chip (0, 0), node (1, 0)"
    assert finding.secondary[0].text == "written here, by kernel move on chip (0, 0), node (0, 0)"
    raised = simulated(text, (1, 2), schedules=16)
    assert raised is not None and raised.code == "TTL1101"
    assert raised.notes[0].startswith("tensor y on chip (0, 0) differs in 1024 of")
