"""LANGUAGE.md, "Buffers, blocks": what fits a node. Advice is followed here, and then it has to fit."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ttl.arch import Chip, all_chips
from ttl.rows.dtypes import BFLOAT16, FLOAT32
from ttl.rows.types import BlockType, Layout
from ttl.rules.resources import Buffer, Resident, check_buffers, too_many_semaphores
from ttl.rules.tensor_pages import l1_bytes

layouts = st.sampled_from(Layout)
chips = st.sampled_from(all_chips())
shapes = st.tuples(st.integers(1, 64), st.integers(1, 64))
types = st.builds(BlockType.of, shapes, st.sampled_from((BFLOAT16, FLOAT32)), layouts)
sizes = st.lists(st.tuples(types, st.integers(1, 6)), min_size=1, max_size=6)


def followed(buffers: list[Buffer], advice: str) -> list[Buffer] | None:
    """The buffers as the advice says, or None when it only says to use fewer."""
    if advice.startswith("use fewer buffers"):
        return None
    changed = list(buffers)
    count = re.fullmatch(r"block_count=(\d+) for (\w+) would fit", advice)
    if count is not None:
        return [
            replace(each, block_count=int(count[1])) if each.name == count[2] else each for each in changed
        ]
    shapes = {
        name: tuple(map(int, text.split(",")))
        for text, name in re.findall(r"(?:shape=|shape |, )\(([\d, ]+)\) for (\w+)", advice)
    }
    assert shapes, advice
    return [
        replace(each, type=each.type.with_shape(shapes.get(each.name, each.type.shape))) for each in changed
    ]


@given(sizes, chips)
def test_what_is_advised_fits(sizes: list[tuple[BlockType, int]], chip: Chip) -> None:
    buffers = [Buffer(f"b{index}", type_, count) for index, (type_, count) in enumerate(sizes)]
    fits = sum(buffer.nbytes for buffer in buffers) <= chip.l1_available_bytes
    found = check_buffers(buffers, chip)
    assert (found is None) is fits
    if found is None:
        return
    assert found.diagnostic.code == "TTL0801"
    assert buffers[found.index].nbytes == max(buffer.nbytes for buffer in buffers)
    changed = followed(buffers, found.diagnostic.help[0])
    assert changed is None or check_buffers(changed, chip) is None


@given(sizes, chips)
def test_the_table_adds_up(sizes: list[tuple[BlockType, int]], chip: Chip) -> None:
    buffers = [Buffer(f"b{index}", type_, count, index) for index, (type_, count) in enumerate(sizes)]
    found = check_buffers(buffers, chip)
    assume(found is not None)
    assert found is not None
    title, head, *rows, total, available = found.diagnostic.notes[0].splitlines()
    assert title.startswith("L1")
    assert head.split()[0] == "buffer"
    assert [row.split()[0] for row in rows] == [buffer.name for buffer in buffers]
    assert sum(int(row.split()[-1]) for row in rows) == int(total.split()[-1])
    assert [int(row.split()[-1]) for row in rows] == [buffer.nbytes for buffer in buffers]
    assert int(available.split()[-1]) == chip.l1_available_bytes
    assert rows[0].split()[1] == "?", "a line that is not known"
    assert [row.split()[1] for row in rows[1:]] == [str(line) for line in range(1, len(rows))]


@pytest.mark.parametrize("chip", all_chips(), ids=lambda chip: chip.name)
def test_as_many_buffers_and_semaphores_as_the_chip_has(chip: Chip) -> None:
    small = BlockType.of((1, 1), BFLOAT16, Layout.TILE)
    buffers = [Buffer(f"b{index}", small, 1) for index in range(chip.dataflow_buffers)]
    assert check_buffers(buffers, chip) is None
    found = check_buffers([*buffers, Buffer("extra", small, 1), Buffer("another", small, 1)], chip)
    assert found is not None
    assert (found.diagnostic.code, found.index) == ("TTL0802", chip.dataflow_buffers)
    assert found.label.endswith("extra")
    assert too_many_semaphores(chip.semaphores, chip) is None
    surplus = too_many_semaphores(chip.semaphores + 1, chip)
    assert surplus is not None
    assert surplus.code == "TTL0803"


@given(sizes, chips, st.integers(1, 1 << 20))
def test_tensors_in_l1_leave_less_to_buffers(
    sizes: list[tuple[BlockType, int]], chip: Chip, taken: int
) -> None:
    buffers = [Buffer(f"b{index}", type_, count) for index, (type_, count) in enumerate(sizes)]
    tensor = Resident("a", (64, 64), BFLOAT16, "height_sharded", taken)
    total = sum(buffer.nbytes for buffer in buffers)
    found = check_buffers(buffers, chip, [tensor])
    assert (found is None) is (total + taken <= chip.l1_available_bytes)
    if found is not None:
        rows = found.diagnostic.notes[0].splitlines()
        assert rows[-3].split()[0] == "a" and rows[-3].split()[-1] == str(taken)
        assert rows[-2].split() == ["total", str(total + taken)]
        assert found.diagnostic.message.startswith(
            f"dataflow buffers take {total} bytes of L1 beside {taken}"
        )
        assert found.diagnostic.help[0].endswith("; or keep a in DRAM")


@pytest.mark.parametrize(
    ("shape", "layout", "shard", "holders", "pages", "page"),
    [
        ((2048, 64), Layout.TILE, None, 0, 2, 2048),
        ((2080, 64), Layout.TILE, None, 0, 3, 2048),
        ((200, 100), Layout.ROW_MAJOR, None, 0, 4, 208),
        ((100,), Layout.ROW_MAJOR, None, 0, 1, 208),
        ((384, 64), Layout.TILE, (64, 64), 6, 4, 2048),
        ((2, 33, 64), Layout.TILE, (32, 64), 2, 4, 2048),
        ((6, 64, 64), Layout.TILE, (1, 64, 64), 4, 8, 2048),
        ((64, 100), Layout.ROW_MAJOR, (64, 50), 2, 64, 112),
    ],
)
def test_what_a_tensor_takes_of_every_node(
    shape: tuple[int, ...],
    layout: Layout,
    shard: tuple[int, ...] | None,
    holders: int,
    pages: int,
    page: int,
) -> None:
    """On a chip of 64 nodes that aligns to 16 bytes; pages of a node and the bytes of one, counted by hand."""
    (wormhole,) = (chip for chip in all_chips() if chip.name == "wormhole")
    assert (wormhole.nodes, wormhole.l1_alignment) == (64, 16)
    assert l1_bytes(shape, BFLOAT16, layout, shard, holders, wormhole) == pages * page
