"""``ttl.math.topk``: the largest of every row, and their columns, alike in the simulator and on the emulated chip."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support.programs import run_ttl

PROGRAM = """
import torch
import ttl
import ttnn

K, W, ROWS, LARGEST = {sizes}
ENDS = -(-K // 32)


@ttl.operation(grid=(1, 1))
def op(x, numbers, v, i):
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(ROWS, W))
    n_dfb = ttl.make_dataflow_buffer_like(numbers, shape=(ROWS, W))
    v_dfb = ttl.make_dataflow_buffer_like(v, shape=(ROWS, ENDS))
    i_dfb = ttl.make_dataflow_buffer_like(i, shape=(ROWS, ENDS))
{kernels}

torch.manual_seed(0)
values = torch.randint(-9, 10, (32 * ROWS, 32 * W)).bfloat16() / 4
values[0] = -float("inf")
values[1, 7] = float("inf")
columns = torch.arange(32 * W).repeat(32 * ROWS, 1).to(torch.int32)
device = ttnn.open_device(device_id=0)


def to_device(tensor, dtype):
    return ttnn.from_torch(tensor, dtype=dtype, layout=ttnn.TILE_LAYOUT, device=device)


x, numbers = to_device(values, ttnn.bfloat16), to_device(columns, ttnn.uint16)
v, i = (to_device(torch.zeros(32 * ROWS, 32 * ENDS), dtype) for dtype in (ttnn.bfloat16, ttnn.uint16))
op(x, numbers, v, i)
expected, places = torch.sort(values.float(), descending=LARGEST, stable=True)
print(torch.equal(ttnn.to_torch(v).float()[:, :K], expected[:, :K]), torch.equal(ttnn.to_torch(i)[:, :K].long(), places[:, :K]))
print(float(ttnn.to_torch(v)[:, K:].abs().sum()), int(ttnn.to_torch(i)[:, K:].sum()))
"""
KERNELS = """
    @ttl.datamovement()
    def read():
        with x_dfb.reserve() as x_blk, n_dfb.reserve() as n_blk:
            ttl.copy(x[0:ROWS, 0:W], x_blk).wait()
            ttl.copy(numbers[0:ROWS, 0:W], n_blk).wait()

    @ttl.compute()
    def compute():
        with x_dfb.wait() as x_blk, n_dfb.wait() as n_blk, v_dfb.reserve() as v_blk, i_dfb.reserve() as i_blk:
            sorted_values, sorted_places = {call}
            v_blk.store(sorted_values)
            i_blk.store(sorted_places)

    @ttl.datamovement()
    def write():
        with v_dfb.wait() as v_blk, i_dfb.wait() as i_blk:
            ttl.copy(v_blk, v[0:ROWS, 0:ENDS]).wait()
            ttl.copy(i_blk, i[0:ROWS, 0:ENDS]).wait()
"""
ONE_BODY = """
    with x_dfb.reserve() as x_blk, n_dfb.reserve() as n_blk:
        ttl.copy(x[0:ROWS, 0:W], x_blk).wait()
        ttl.copy(numbers[0:ROWS, 0:W], n_blk).wait()
    with x_dfb.wait() as x_blk, n_dfb.wait() as n_blk, v_dfb.reserve() as v_blk, i_dfb.reserve() as i_blk:
        sorted_values, sorted_places = ttl.math.topk(x_blk, K, n_blk)
        v_blk.store(sorted_values)
        i_blk.store(sorted_places)
    with v_dfb.wait() as v_blk, i_dfb.wait() as i_blk:
        ttl.copy(v_blk, v[0:ROWS, 0:ENDS]).wait()
        ttl.copy(i_blk, i[0:ROWS, 0:ENDS]).wait()
"""
CALL = "ttl.math.topk(x_blk, K, indices=n_blk, largest=LARGEST)"


def outcome_of(folder: Path, sizes: str, kernels: str, *options: str) -> tuple[int, str]:
    (folder / "program.py").write_text(PROGRAM.format(sizes=sizes, kernels=kernels), encoding="utf-8")
    outcome = run_ttl([*options, "program.py"], folder=folder)
    return outcome.status, outcome.stdout + outcome.stderr


@pytest.mark.parametrize("sizes", ["4, 2, 2, True", "64, 16, 1, True", "32, 4, 1, False"])
def test_the_simulator_and_the_chip_sort_alike(sizes: str, tmp_path: Path) -> None:
    """Equal elements, infinities, several rows of tiles, results of two tiles."""
    status, text = outcome_of(
        tmp_path, sizes, KERNELS.format(call=CALL), "run", "--target", "emu", "--compare"
    )
    assert status == 0, text
    assert text.startswith("True True\n0.0 0\n")
    assert "equal to the last bit" in text


def test_in_one_body(tmp_path: Path) -> None:
    status, text = outcome_of(tmp_path, "8, 2, 1, True", ONE_BODY, "run")
    assert (status, text.splitlines()[:2]) == (0, ["True True", "0.0 0"]), text


def test_the_widest_blocks_are_sorted_in_the_simulator_and_have_no_room_on_the_chip(tmp_path: Path) -> None:
    kernels = KERNELS.format(call=CALL)
    assert outcome_of(tmp_path, "4, 64, 1, True", kernels, "run")[1].startswith("True True\n0.0 0\n")
    status, text = outcome_of(tmp_path, "4, 64, 1, True", kernels, "run", "--target", "emu")
    assert status != 0
    assert "TTL1430" in text


REFUSED = {
    "ttl.math.topk(x_blk, 5, n_blk)": "`k` of ttl.math.topk must be one of 4, 8, 16, 32, 64, not int 5",
    "ttl.math.topk(x_blk[0:1, 0:1], 4, n_blk)": "width one of 2, 4, 8, 16, 32, 64, not bfloat16 of shape (1, 1)",
    "ttl.math.topk(n_blk, 4, n_blk)": "not uint16 of shape (1, 2)",
    "ttl.math.topk(x_blk, 4, x_blk)": "whose elements are the numbers of their columns, not bfloat16 of shape (1, 2)",
    "ttl.math.topk(x_blk, 4, n_blk + 1)": "`indices` of ttl.math.topk must be a block of uint16",
    "ttl.math.topk(3, 4, n_blk)": "not int 3",
    "ttl.math.topk(x_blk, 4, n_blk, largest=2)": "`largest` must be True or False",
}


@pytest.mark.parametrize("call", REFUSED)
def test_what_is_refused_is_so_by_runs_and_checks(call: str, tmp_path: Path) -> None:
    said = []
    for options in (["check"], ["run", "--no-check"]):
        _, text = outcome_of(tmp_path, "4, 2, 1, True", KERNELS.format(call=call), *options)
        said.append(re.findall(r"^error\[(TTL\d+)\]: (.*)\n", text, re.MULTILINE))
    assert said[0] == said[1]
    ((code, message),) = said[0]
    assert code == ("TTL0415" if "largest" in call else "TTL0433")
    assert REFUSED[call] in message
