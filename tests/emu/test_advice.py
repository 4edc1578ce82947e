"""Every rule about runs on the emulated chip: a program that has the flaw gets the advice with its numbers, the one that is
mended as advised does not, and takes fewer cycles, or less of L1 where that is the promise.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ttl
from emu.advice_programs import (
    chained,
    copied_rows,
    multiplied,
    normal,
    profiled,
    spread,
    summed,
    tensor,
    ttnn,
    weighted,
)
from ttl.arch import chip_named
from ttl.codegen.compiled_calls import compile_call
from ttl.emu.advice.launching import RULES
from ttl.emu.advice.piece import Advice, from_object
from ttl.emu.advice.text import lines
from ttl.emu.advice.traffic import covered

pytestmark = pytest.mark.filterwarnings("ignore")
ROOT = Path(__file__).parents[2]
L1 = chip_named("wormhole").l1_available_bytes


def squares(*extents: int) -> tuple[Any, ...]:
    return tuple(tensor(extent, extent, seed) for seed, extent in enumerate(extents))


def matrices(k: int) -> tuple[Any, ...]:
    return tensor(128, k), tensor(k, 128, 1), tensor(128, 128)


def rows() -> tuple[Any, ...]:
    return tuple(tensor(128, 512, layout=ttnn.ROW_MAJOR_LAYOUT) for _ in range(2))


# Name of the rule, the program with the flaw and mended, its tensors, and numbers of the sentence that can be counted by hand.
PAIRS: dict[str, tuple[str, Any, Any, Callable[[], tuple[Any, ...]], str]] = {
    "2 of 64 nodes": (
        "idle-nodes", spread((2, 1)), spread((8, 8)), lambda: squares(256, 256),
        "2 of the 64 nodes of wormhole work; the busiest handles 32 blocks of y_dfb",
    ),
    "64 nodes read rows that 8 need": (
        "multicast", weighted(multicast=False), weighted(multicast=True),
        lambda: (tensor(256, 4096), tensor(256, 2048, 1), tensor(256, 256)),
        "64 nodes read 16,777,216 bytes of x, of which 2,097,152 are different: 88 % were read by another node",
    ),
    "a tile at a time": (
        "few-in-flight", spread(), spread(block=(4, 4)), lambda: squares(256, 256),
        "one transfer of 2,048 bytes is on its way at each of 64 waits",
    ),
    "rows of 64 bytes": (
        "tiny-transfers", copied_rows(32), copied_rows(512), rows, "2,048 transfers of 64 bytes",
    ),
    "all read by one kernel": (
        "unbalanced-nocs", summed(apart=False), summed(apart=True), lambda: squares(512, 512, 512, 512),
        "NoC 0 carries 96 % of 13,107,200 bytes",
    ),
    "one block": (
        "more-blocks", multiplied((2, 2, 8), 8, 1), multiplied((2, 2, 8), 8, 2),
        lambda: (tensor(64, 2048), tensor(2048, 64, 1), tensor(64, 64)), "for room in b_dfb, which has 1 block",
    ),
    "registers of 32 bits": (
        "narrow-registers", multiplied(), multiplied(fp32_dest_acc_en=False), lambda: matrices(512),
        "registers hold 4 tiles of 32 bits at a time, or 8 of 16, and every buffer is of bfloat16",
    ),
    "exact functions": (
        "approximate-math", spread(block=(2, 2), function=ttl.math.exp),
        spread(block=(2, 2), function=ttl.math.exp, approx=True), lambda: squares(256, 256),
        "ttl.math.exp has a faster variant, off by up to 4.5 %",
    ),
    "four passes": (
        "approximate-math", multiplied((4, 4, 4), 8, 4), multiplied((4, 4, 4), 8, 4, math_fidelity="LoFi"),
        lambda: matrices(1024), "products go through the matrix unit in the passes of HiFi4",
    ),
    "a tile in the registers": (
        "half-empty-registers", chained((1, 1)), chained((2, 4)), lambda: squares(256, 256),
        "1,024 times the registers are handed from unit to unit with 1 of 8 tiles in them",
    ),
}  # fmt: skip


@pytest.mark.one_of(3)
@pytest.mark.parametrize("pair", PAIRS)
def test_advice_is_given_where_there_is_a_flaw_and_mends_it(pair: str) -> None:
    name, flawed, mended, tensors, sentence = PAIRS[pair]
    before, after = profiled(flawed, tensors()), profiled(mended, tensors())
    (advice,) = (item for item in before.advice if item.name == name)
    assert sentence in advice.sentence
    assert advice.lines and all(Path(line.file).name == "advice_programs.py" for line in advice.lines)
    assert name not in {item.name for item in after.advice}
    saved = before.cycles - after.cycles
    assert saved > 0.05 * before.cycles
    # What was tried is exact where the mended program is the one that was tried; an estimate is of the right order.
    assert advice.cycles <= 2 * saved and saved <= 4 * advice.cycles


def test_blocks_that_nobody_needs_are_given_back() -> None:
    flawed, mended = spread(block=(4, 4), counts=(12, 2)), spread(block=(4, 4), counts=(7, 1))
    tensors = (tensor(1024, 512), tensor(1024, 512))
    before, after = profiled(flawed, tensors), profiled(mended, tensors)
    (advice,) = (item for item in before.advice if item.l1_bytes)
    assert advice.name == "fewer-blocks"
    assert (
        "x_dfb (12 blocks, at most 7 full at a time) and y_dfb (2 blocks, at most 1 full at a time)"
        in advice.sentence
    )
    assert advice.change == "give x_dfb block_count=7; give y_dfb block_count=1"
    assert not any(item.l1_bytes for item in after.advice)
    assert after.cycles <= before.cycles * 1.005
    taken = [compile_call(operation, tensors, {})[0].l1_bytes for operation in (flawed, mended)]
    assert taken[0] - taken[1] == advice.l1_bytes == (5 + 1) * 16 * 2048 >= 0.05 * L1
    assert before.advice[-1] is advice, "what saves no cycles comes last"


def test_kernels_on_the_other_noc_are_tried() -> None:
    tensors = (tensor(256, 4096), tensor(256, 2048, 1), tensor(256, 256))
    launch = profiled(weighted(multicast=True), tensors)
    advice = next(item for item in launch.advice if item.name == "unbalanced-nocs")
    assert (
        advice.basis == "emulated"
        and advice.change == "write @ttl.datamovement(noc=1) at read and @ttl.datamovement(noc=0) at write"
    )
    assert advice.how == f"{launch.cycles - advice.cycles:,} cycles with this change"


def test_advice_that_spoils_these_results_says_so_and_comes_after_what_does_not() -> None:
    exact = profiled(multiplied(), matrices(512))
    advice = next(item for item in exact.advice if item.name == "narrow-registers")
    assert not advice.wrong and advice.results == "with these tensors the results are the same bit for bit"
    spoilt = profiled(multiplied((4, 4, 2), 16), (normal(128, 1024), normal(1024, 128, 1), tensor(128, 128)))
    advice = next(item for item in spoilt.advice if item.name == "narrow-registers")
    assert advice.wrong and re.search(
        r"less accurate: .* elements differ, by up to 2\^-\d+ of the largest value, [\d,]+ of them by more than "
        r"rounding explains; PCC 0\.99\d+",
        advice.results,
    )
    wrong = [item.wrong for item in spoilt.advice if not item.l1_bytes]
    assert wrong == sorted(wrong) and not wrong[0]


def test_trials_leave_results_as_the_program_made_them() -> None:
    tensors = normal(128, 512), normal(512, 128, 1), tensor(128, 128)
    ttl.profile(multiplied(), *tensors)
    left = ttnn.to_torch(tensors[2]).float().numpy().copy()
    with ttl.settings.override(target="emu"):
        multiplied()(*tensors)
    assert np.array_equal(left, ttnn.to_torch(tensors[2]).float().numpy())


def test_what_is_read_again_is_not_needed_again() -> None:
    launch = profiled(weighted(multicast=False), (tensor(256, 4096), tensor(256, 2048, 1), tensor(256, 256)))
    x, weights, y = 256 * 4096 * 2, 256 * 2048 * 2, 256 * 256 * 2
    assert launch.dram_unique_bytes == x + weights + y
    assert launch.dram_bytes == 8 * x + weights + y


def test_bytes_are_counted_once_where_ranges_overlap() -> None:
    memory, begins, sizes = (np.array(column) for column in ([1, 1, 1, 2], [0, 10, 15, 0], [12, 10, 2, 5]))
    assert covered(memory, begins, sizes) == 20 + 5


def test_text_shows_three_and_json_all() -> None:
    item = Advice(
        name="idle-nodes", sentence="few nodes work", change="use more", lines=(), cycles=500, basis="estimated",
        how="twice as many",
    )  # fmt: skip
    shown = list(lines([item] * 5, 1000))
    assert shown[:3] == [
        "  advice: idle-nodes: use more",
        "    saves:   about 500 of 1,000 cycles (50 %), estimated: twice as many",
        "    because: few nodes work",
    ]
    assert shown[-1] == "  advice: 2 more with --format json" and len(shown) == 10
    launch = profiled(chained((1, 1)), squares(256, 256))
    assert [from_object(data.to_object()) for data in launch.advice] == list(launch.advice)


def test_every_rule_has_its_place_in_the_reference() -> None:
    page = (ROOT / "docs" / "reference" / "advice.md").read_text(encoding="utf-8")
    headings = set(re.findall(r"^### `([\w-]+)`$", page, re.MULTILINE))
    assert headings == {rule.__name__.replace("_", "-") for rule in RULES}
    assert headings == {name for name, *_ in PAIRS.values()} | {"fewer-blocks"}


def test_the_guide_follows_its_own_advice_and_gets_five_times_as_fast() -> None:
    """What its programs print is checked with those of all pages."""
    page = (ROOT / "docs" / "guides" / "fast-kernels.md").read_text(encoding="utf-8")
    cycles = [int(number.replace(",", "")) for number in re.findall(r"^matmul: ([\d,]+) cycles", page, re.M)]
    assert cycles == sorted(cycles, reverse=True) and len(cycles) == 4 and cycles[0] >= 5 * cycles[-1]
    first = [re.search(r"advice: ([\w-]+)", part) for part in page.split("\nmatmul: ")[1:]]
    assert [None if item is None else item[1] for item in first] == [
        "idle-nodes", "multicast", "unbalanced-nocs", None,
    ]  # fmt: skip
