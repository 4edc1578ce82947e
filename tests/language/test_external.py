"""Calls of the user's own C++ (0.21, "External functions"): the C++ on the emulated chip, a stand-in in the simulator."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.kernel_check import check, needs_compiler
from support.programs import run_ttl

HEADER = """\
#pragma once
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/compute_kernel_api.h"
#include "api/compute/eltwise_unary/binop_with_scalar.h"
#include "api/compute/eltwise_unary/eltwise_unary.h"
#include "api/compute/tile_move_copy.h"

// Multiplies the tiles of a block by a number, given by its bits.
template <typename In, typename Out>
inline void scale(uint32_t factor) {
    compute_kernel_hw_startup(In::index, Out::index);
    copy_init(In::index);
    binop_with_scalar_tile_init();
    for (uint32_t i = 0; i < In::pages_per_block; i++) {
        cb_wait_front(In::index, 1);
        cb_reserve_back(Out::index, 1);
        tile_regs_acquire();
        copy_tile(In::index, 0, 0);
        mul_unary_tile(0, factor);
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, Out::index);
        tile_regs_release();
        cb_push_back(Out::index, 1);
        cb_pop_front(In::index, 1);
    }
}
"""
HEAD = """\
import numpy as np
import ttl
import ttnn
from ttl import DFBEffect, DFBAccess


@ttl.extern("scale")
def scale_stand_in(a_dfb, y_dfb, factor):
    with a_dfb.wait() as a_blk, y_dfb.reserve() as y_blk:
        y_blk.store(a_blk * factor)


K = ttl.Kernel(ttl.KernelKind.COMPUTE)


def scaled(a_dfb, y_dfb, **others):
    ttl.call_extern_func(
        "scale.h",
        "scale",
        template_args=[ttl.dfb_descriptor(a_dfb), ttl.dfb_descriptor(y_dfb)],
        func_args=[3.0],
        dfb_effects=[
            DFBEffect.repeat(2, [DFBEffect.wait(a_dfb, tiles=1), DFBEffect.reserve(y_dfb, tiles=1)]),
            DFBEffect.push(y_dfb, tiles=2),
            DFBEffect.pop(a_dfb, tiles=2),
        ],
        kernel=ttl.KernelKind.COMPUTE,
    )


@ttl.operation(grid=(2, 1))
def run(a, y):
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 2))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 2))
    x, _ = ttl.node(dims=2)
"""
KERNELS = """
    @ttl.datamovement()
    def read():
        for column in range(2):
            with a_dfb.reserve() as blk:
                ttl.copy(a[x, 2 * column : 2 * column + 2], blk).wait()

    @ttl.compute()
    def compute():
        for column in range(2):
            scaled(a_dfb, y_dfb)

    @ttl.datamovement()
    def write():
        for column in range(2):
            with y_dfb.wait() as blk:
                ttl.copy(blk, y[x, 2 * column : 2 * column + 2]).wait()
"""
BODY = """
    for column in range(2):
        with a_dfb.reserve() as blk:
            ttl.copy(a[x, 2 * column : 2 * column + 2], blk).wait()
        scaled(a_dfb, y_dfb)
        with y_dfb.wait() as blk:
            ttl.copy(blk, y[x, 2 * column : 2 * column + 2]).wait()
"""
TAIL = """

values = np.random.default_rng(0).integers(-8, 8, (64, 128)).astype(np.float32)
on = dict(dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT, device=ttnn.open_device(device_id=0))
y = ttnn.zeros((64, 128), **on)
run(ttnn.Tensor(values, **on), y)
assert np.array_equal(y.numpy(), values * 3), y.numpy() - values * 3
print("ok")
"""


def _write(folder: Path, program: str = HEAD + KERNELS + TAIL, header: str = HEADER) -> None:
    (folder / "program.py").write_text(program)
    (folder / "scale.h").write_text(header)


@pytest.mark.parametrize("body", ["kernels", "one body", "a captured kernel"])
@pytest.mark.parametrize("how", ["run", "check", "emu"])
def test_cpp_and_its_stand_in_compute_the_same(body: str, how: str, tmp_path: Path) -> None:
    program = HEAD + (KERNELS if body == "kernels" else BODY) + TAIL
    if body == "a captured kernel":
        program = program.replace("kernel=ttl.KernelKind.COMPUTE", "kernel=K")
    _write(tmp_path, program)
    arguments = {"run": ["run"], "check": ["check"], "emu": ["run", "--target", "emu"]}[how]
    outcome = run_ttl([*arguments, "program.py"], folder=tmp_path)
    assert (outcome.status, outcome.stderr) == (0, "")
    assert how == "check" or outcome.stdout == "ok\n"


MOVER = """\
#include <cstdint>
template <uint32_t In, uint32_t Out>
inline void add(uint32_t amount) {
    cb_wait_front(In, 1);
    cb_reserve_back(Out, 1);
    volatile tt_l1_ptr uint32_t *from = reinterpret_cast<volatile tt_l1_ptr uint32_t *>(get_read_ptr(In));
    volatile tt_l1_ptr uint32_t *to = reinterpret_cast<volatile tt_l1_ptr uint32_t *>(get_write_ptr(Out));
    for (uint32_t i = 0; i < 1024; i++) to[i] = from[i] + amount;
    cb_push_back(Out, 1);
    cb_pop_front(In, 1);
}
"""


def test_cpp_of_a_mover_gets_numbers_of_the_node(tmp_path: Path) -> None:
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "add.h").write_text(MOVER)
    program = """\
import numpy as np
import ttl
import ttnn
from ttl import DFBEffect


@ttl.operation(grid=(2, 1))
def run(a, y):
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))
    x, _ = ttl.node(dims=2)
    for column in range(4):
        with a_dfb.reserve() as blk:
            ttl.copy(a[x, column], blk).wait()
        ttl.call_extern_func(
            "add.h",
            "add",
            template_args=[ttl.get_dfb_id(a_dfb), ttl.get_dfb_id(y_dfb)],
            func_args=[column + 10 * x],
            dfb_effects=[DFBEffect.wait(a_dfb, 1), DFBEffect.reserve(y_dfb, 1), DFBEffect.push(y_dfb, 1), DFBEffect.pop(a_dfb, 1)],
            include_paths=["include"],
            kernel=ttl.KernelKind.DATA_MOVEMENT,
        )
        with y_dfb.wait() as blk:
            ttl.copy(blk, y[x, column]).wait()


values = np.arange(64 * 128, dtype=np.int32).reshape(64, 128)
on = dict(dtype=ttnn.int32, layout=ttnn.TILE_LAYOUT, device=ttnn.open_device(device_id=0))
y = ttnn.zeros((64, 128), **on)
run(ttnn.Tensor(values, **on), y)
added = np.add.outer(np.arange(64) // 32 * 10, np.arange(128) // 32)
print(np.array_equal(y.numpy(), values + added))
"""
    (tmp_path / "program.py").write_text(program)
    outcome = run_ttl(["run", "--target", "emu", "program.py"], folder=tmp_path)
    assert (outcome.status, outcome.stdout) == (0, "True\n"), outcome.stderr


PAGES_H = """\
#include <cstdint>
// Page ``page`` of ``out`` is that of ``in``, with ``amount`` added to every word; ``ShiftBuffer`` is this kernel's own.
template <uint32_t Room, typename In, typename Out>
inline void add_to_page(const In &in, const Out &out, uint32_t page, uint32_t amount, uint32_t in_l1) {
    cb_reserve_back(Room, 1);
    const uint32_t at = get_write_ptr(Room);
    noc_async_read_page(page, in, at);
    noc_async_read_barrier();
    volatile tt_l1_ptr uint32_t *words = reinterpret_cast<volatile tt_l1_ptr uint32_t *>(at);
    volatile tt_l1_ptr uint32_t *more = reinterpret_cast<volatile tt_l1_ptr uint32_t *>(in_l1);
    for (uint32_t i = 0; i < 1024; i++) words[i] = words[i] + amount + more[i];
    noc_async_write_page(page, out, at);
    noc_async_write_barrier();
    cb_push_back(Room, 1);
    cb_wait_front(Room, 1);
    cb_pop_front(Room, 1);
}
"""
PAGES = """\
import numpy as np
import ttl
import ttnn
from ttl import DFBEffect

ON = dict(dtype=ttnn.int32, layout=ttnn.TILE_LAYOUT, device=ttnn.open_device(device_id=0))
SPEC = ttnn.ShardSpec(ttnn.CoreRangeSet({ttnn.CoreRange((0, 0), (1, 0))}), (32, 32), ttnn.ShardOrientation.ROW_MAJOR)
SHARDED = ttnn.MemoryConfig(ttnn.TensorMemoryLayout.HEIGHT_SHARDED, ttnn.BufferType.L1, SPEC)


@ttl.extern("add_to_page")
def add_to_page(room_dfb, a, y, page, amount, more):
    row, column = divmod(page, 4)
    assert more.shape == (64, 32)
    with room_dfb.reserve() as blk:
        ttl.copy(a[row, column], blk).wait()
    with room_dfb.wait() as blk:
        assert amount + row == 4  # 1 is added on the nodes' shards
        ttl.copy(blk, y[row, column]).wait()


@ttl.operation(grid=(2, 1))
def run(a, y, more):
    room_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))
    x, _ = ttl.node(dims=2)

    def added(page):
        ttl.call_extern_func(
            "pages.h",
            "add_to_page",
            template_args=[ttl.get_dfb_id(room_dfb)],
            func_args=[a, y, page, 4 - x, ttl.raw_addr(more)],
            dfb_effects=[DFBEffect.reserve(room_dfb, 1), DFBEffect.push(room_dfb, 1), DFBEffect.wait(room_dfb, 1), DFBEffect.pop(room_dfb, 1)],
            kernel=ttl.KernelKind.DATA_MOVEMENT,
        )
"""
PAGES_KERNELS = """
    @ttl.datamovement()
    def move():
        for column in range(4):
            added(4 * x + column)
"""
# What C++ has written another statement reads: both are on one thread.
PAGES_BODY = """
    for column in range(3):
        added(4 * x + column)
    with y_dfb.reserve() as blk:
        ttl.copy(y[x, 1], blk).wait()
    with y_dfb.wait() as blk:
        ttl.copy(blk, y[x, 3]).wait()
"""
PAGES_TAIL = """

values = np.arange(64 * 128, dtype=np.int32).reshape(64, 128)
y, more = ttnn.zeros((64, 128), **ON), np.arange(64 * 32, dtype=np.int32).reshape(64, 32)
run(ttnn.Tensor(values, **ON), y, ttnn.to_memory_config(ttnn.Tensor(more, **ON), SHARDED))
wanted = values + (4 - np.arange(64) // 32)[:, None] + np.tile(more, (1, 4))
print(y.numpy()[0, :3], np.array_equal(y.numpy()[:, :96], wanted[:, :96]), np.array_equal(y.numpy(), WANTED))
"""


@pytest.mark.parametrize("body", ["kernels", "one body"])
def test_cpp_of_a_mover_gets_tensors_and_addresses(body: str, tmp_path: Path) -> None:
    (tmp_path / "pages.h").write_text(PAGES_H)
    one = body == "one body"
    wanted = "np.concatenate([wanted[:, :96], wanted[:, 32:64]], axis=1)" if one else "wanted"
    tail = PAGES_TAIL.replace("WANTED", wanted)
    (tmp_path / "pages.py").write_text(PAGES + (PAGES_BODY if one else PAGES_KERNELS) + tail)
    outcome = run_ttl(["run", "--target", "emu", "pages.py"], folder=tmp_path)
    assert (outcome.status, outcome.stdout) == (0, "[4 6 8] True True\n"), outcome.stderr
    outcome = run_ttl(["check", "pages.py"], folder=tmp_path)
    assert outcome.status == 0, outcome.stdout
    # The stand-in is another function: it adds nothing.
    outcome = run_ttl(["run", "pages.py"], folder=tmp_path)
    assert (outcome.status, outcome.stdout) == (0, "[0 1 2] False False\n"), outcome.stderr
    (tmp_path / "pages.py").write_text(
        PAGES.replace("func_args=[a,", "func_args=[a[0, 0],") + (PAGES_BODY if one else PAGES_KERNELS) + tail
    )
    outcome = run_ttl(["check", "pages.py"], folder=tmp_path)
    assert outcome.status == 1
    assert "error[TTL0261]: func_args takes a tensor as a whole" in outcome.stdout


ACCESSES = """\
            tensor_accesses=[ttl.TensorAccess.read(a[page // 4, page % 4]), ttl.TensorAccess.write(y[page // 4, page % 4])],
            kernel=ttl"""


def _with_accesses(tmp_path: Path, changes: dict[str, str]) -> None:
    """The program of pages, of which each call declares the page that it reads and the one that it writes, with changes."""
    program = PAGES.replace("            kernel=ttl", ACCESSES).replace("assert amount + row == 4", "pass")
    program += PAGES_KERNELS + PAGES_TAIL.replace("WANTED", "wanted")
    for before, after in changes.items():
        assert before in program
        program = program.replace(before, after)
    (tmp_path / "pages.h").write_text(PAGES_H)
    (tmp_path / "pages.py").write_text(program)


def test_what_cpp_does_to_tensors_is_declared_and_held_to(tmp_path: Path) -> None:
    _with_accesses(tmp_path, {})
    for how, said in (("run --target emu", "[4 6 8] True True\n"), ("run", "[0 1 2] False False\n")):
        outcome = run_ttl([*how.split(), "pages.py"], folder=tmp_path)
        assert (outcome.status, outcome.stdout) == (0, said), outcome.stderr
    outcome = run_ttl(["check", "pages.py"], folder=tmp_path)
    assert outcome.status == 0, outcome.stdout


NOT_DECLARED = {
    "another page": ({"write(y[page // 4, page % 4])": "write(y[page // 4, 0])"}, "writes [0:1, 1:2] of a tensor"),
    "no write": ({", ttl.TensorAccess.write(y[page // 4, page % 4])": ""}, "writes [0:1, 0:1] of a tensor"),
    "a read that is a write": ({"TensorAccess.read(a[page // 4, page % 4])": "TensorAccess.write(a[page // 4, page % 4])"}, "reads [0:1, 0:1] of a tensor"),
    "nothing at all": ({ACCESSES[: ACCESSES.index("            kernel")]: "            tensor_accesses=(),\n"}, "reads [0:1, 0:1] of a tensor"),
}  # fmt: skip


@pytest.mark.parametrize("case", NOT_DECLARED)
def test_what_is_not_declared_is_found_where_it_runs(case: str, tmp_path: Path) -> None:
    changes, words = NOT_DECLARED[case]
    _with_accesses(tmp_path, changes)
    outcome = run_ttl(["run", "--no-check", "pages.py"], folder=tmp_path)
    assert outcome.status == 1
    assert f"error[TTL0264]: the stand-in of add_to_page {words}" in outcome.stderr
    outcome = run_ttl(["run", "--no-check", "--target", "emu", "pages.py"], folder=tmp_path)
    assert outcome.status == 1
    assert "error[TTL1521]: kernel move" in outcome.stderr
    assert (
        "add_to_page reads and writes only those parts of tensors that its tensor_accesses" in outcome.stderr
    )


RACES = {
    "both nodes write a page": ({"added(4 * x + column)": "added(column)"}, "TTL0906"),
    "another kernel reads it": (
        {"    @ttl.datamovement()\n    def move": "    @ttl.datamovement()\n    def read():\n        with y_dfb.reserve() as blk:\n            ttl.copy(y[x, 1], blk).wait()\n        with y_dfb.wait() as blk:\n            ttl.copy(blk, a[x, 1]).wait()\n\n    @ttl.datamovement()\n    def move"},
        "TTL1101",
    ),
    "the tensor as a whole": ({"write(y[page // 4, page % 4])": "write(y)"}, "TTL0906"),
}  # fmt: skip


@pytest.mark.parametrize("case", RACES)
def test_races_on_tensors_are_found_through_cpp(case: str, tmp_path: Path) -> None:
    changes, code = RACES[case]
    _with_accesses(tmp_path, changes)
    outcome = run_ttl(["check", "pages.py"], folder=tmp_path)
    assert code in outcome.stdout, outcome.stdout
    (tmp_path / "pages.py").write_text(
        (tmp_path / "pages.py").read_text().replace("tensor_accesses=[", "tensor_accesses=None and [")
    )
    assert code not in run_ttl(["check", "pages.py"], folder=tmp_path).stdout


BUMP_H = """\
#include <cstdint>
inline void bump(uint32_t address) {
    volatile tt_l1_ptr uint32_t *words = reinterpret_cast<volatile tt_l1_ptr uint32_t *>(address);
    for (uint32_t i = 0; i < 1024; i++) words[i] = words[i] + 1;
}
inline void bump_by_one_processor(uint32_t address) { PACK((bump(address))); }
"""
BUMP = """

kept = ttnn.to_memory_config(ttnn.Tensor(np.arange(64 * 32, dtype=np.int32).reshape(64, 32), **ON), SHARDED)


@ttl.operation(grid=(2, 1))
def run():
    @ttl.compute()
    def compute():
        ttl.call_extern_func("bump.h", "bump_by_one_processor", func_args=[ttl.raw_addr(kept)])


run()
print(np.array_equal(kept.numpy(), np.arange(1, 64 * 32 + 1).reshape(64, 32)))
"""


def test_what_cpp_stores_to_a_shard_is_in_the_tensor(tmp_path: Path) -> None:
    (tmp_path / "bump.h").write_text(BUMP_H)
    (tmp_path / "bump.py").write_text(PAGES[: PAGES.index("@ttl.extern")] + BUMP)
    outcome = run_ttl(["run", "--target", "emu", "bump.py"], folder=tmp_path)
    assert (outcome.status, outcome.stdout) == (0, "True\n"), outcome.stderr


def test_a_pointer_into_dram_is_none(tmp_path: Path) -> None:
    (tmp_path / "bump.h").write_text(BUMP_H)
    program = (PAGES[: PAGES.index("@ttl.extern")] + BUMP).replace(
        "ttnn.to_memory_config(ttnn.Tensor(np.arange(64 * 32, dtype=np.int32).reshape(64, 32), **ON), SHARDED)",
        "ttnn.Tensor(np.arange(64 * 32, dtype=np.int32).reshape(64, 32), **ON)",
    )
    (tmp_path / "bump.py").write_text(program)
    outcome = run_ttl(["run", "--target", "emu", "bump.py"], folder=tmp_path)
    assert outcome.status == 1
    assert "error[TTL1507]: kernel compute" in outcome.stderr and "loads from 0x" in outcome.stderr
    assert "ttl.raw_addr of a tensor in L1" in outcome.stderr


SENT = """\
import numpy as np
import ttl
import ttnn

IS_SENT = ttl.DispatchCondition(ttl.ScalarType.I32)


@ttl.extern("is_sent")
def is_sent(x, row):
    return (x + row) % 2


@ttl.extern("moved")
def moved(row):
    return 2**40 + row


@ttl.operation(grid=(2, 1))
def run(a, y):
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    x, _ = ttl.node(dims=2)

    @ttl.datamovement()
    def read():
        for row in range(4):
            if ttl.call_extern_func("sent.h", "is_sent", func_args=[x, 1], condition_result=IS_SENT):
                far = ttl.call_extern_func("sent.h", "moved", func_args=[row], result_type=ttl.ScalarType.I64)
                with a_dfb.reserve() as blk:
                    ttl.copy(a[x, far % 4], blk).wait()

    @ttl.datamovement()
    def write():
        asked = ttl.call_extern_func("sent.h", "is_sent", func_args=[x, 1], condition_result=IS_SENT)
        for row in range(4):
            if asked != 0:
                with a_dfb.wait() as blk:
                    ttl.copy(blk, y[x, row]).wait()


values = np.arange(64 * 128, dtype=np.float32).reshape(64, 128)
on = dict(dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT, device=ttnn.open_device(device_id=0))
y = ttnn.zeros((64, 128), **on)
run(ttnn.Tensor(values, **on), y)
print(np.array_equal(y.numpy(), values * (np.arange(64) < 32)[:, None]))
"""
SENT_H = """\
#include <cstdint>
inline int32_t is_sent(uint32_t x, uint32_t row) { return (x + row) % 2; }
inline int64_t moved(uint32_t row) { return (int64_t(1) << 40) + row; }
"""


def test_kernels_decide_by_what_cpp_gives(tmp_path: Path) -> None:
    (tmp_path / "sent.h").write_text(SENT_H)
    (tmp_path / "sent.py").write_text(SENT)
    for how in (["run"], ["run", "--target", "emu"]):
        outcome = run_ttl([*how, "sent.py"], folder=tmp_path)
        assert (outcome.status, outcome.stdout) == (0, "True\n"), outcome.stderr
    outcome = run_ttl(["check", "sent.py"], folder=tmp_path)
    assert outcome.status == 3, outcome.stdout  # whether the kernels agree is known when the C++ has run
    # A condition has one answer on a node.
    (tmp_path / "sent.py").write_text(SENT.replace("func_args=[x, 1]", "func_args=[x, row]", 1))
    outcome = run_ttl(["run", "sent.py"], folder=tmp_path)
    assert outcome.status == 1
    assert "error[TTL0264]: is_sent gives 1 for a ttl.DispatchCondition that was 0 before" in outcome.stderr
    outcome = run_ttl(["run", "--target", "emu", "sent.py"], folder=tmp_path)
    assert outcome.status == 1
    assert (
        "error[TTL1521]: kernel read an assertion failed: is_sent gives for its ttl.DispatchCondition"
        in outcome.stderr
    )


STAND_IN = HEAD[HEAD.index("@ttl.extern") : HEAD.index("K = ")]
EFFECTS = HEAD[HEAD.index("        dfb_effects=[") : HEAD.index("        kernel=ttl")]
REFUSED = {
    "no stand-in": (("run --no-check",), {STAND_IN: ""}, "TTL0260", '@ttl.extern("scale")'),
    "the stand-in does something else": (
        ("run",),
        {"        y_blk.store(a_blk * factor)": "        y_blk.store(a_blk * factor)\n    y_dfb.reserve().store(0 * factor) if False else None\n    with a_dfb.wait() as more, y_dfb.reserve() as again:\n        again.store(more)"},
        "TTL0264",
        "of a_dfb: reserve 0, push 0, wait 2, pop 2; declared is: reserve 0, push 0, wait 1, pop 1",
    ),
    "a bare buffer as a template argument": (("run", "check"), {"ttl.dfb_descriptor(a_dfb), ": "a_dfb, "}, "TTL0261", "template_args takes"),
    "a result of no type": (("run", "check"), {"func_args=[3.0],": "func_args=[3.0], result_type=1,"}, "TTL0261", "result_type takes ttl.ScalarType.I32"),
    "a result that is none": (("run --no-check",), {"func_args=[3.0],": "func_args=[3.0], result_type=ttl.ScalarType.I32,"}, "TTL0264", "the stand-in of scale returns None; declared is ttl.ScalarType.I32"),
    "an address of no tensor": (("run", "check"), {"func_args=[3.0],": "func_args=[ttl.raw_addr(None)],"}, "TTL0261", "ttl.raw_addr takes a tensor, not None"),
    "a tensor in a compute kernel": (("run", "run --no-check", "check"), {"func_args=[3.0],": "func_args=[others['a']],", "scaled(a_dfb, y_dfb)\n": "scaled(a_dfb, y_dfb, a=a)\n"}, "TTL0262", "scale is called in compute kernel compute with a tensor"),
    "unknown access": (("run", "check"), {"func_args=[3.0],": "func_args=[3.0], unknown_dfb_access=True,"}, "TTL0262", "unknown_dfb_access of external functions is not supported"),
    "a buffer without a word": (("run", "check"), {"func_args=[3.0],": "func_args=[y_dfb],", EFFECTS: ""}, "TTL0262", "does not declare what it does to it"),
    "no access": (("run", "check"), {"func_args=[3.0],": "func_args=[3.0], tensor_accesses=[None],"}, "TTL0261", "tensor_accesses takes ttl.TensorAccess.read"),
    "an access to no tensor": (("run", "check"), {"func_args=[3.0],": "func_args=[3.0], tensor_accesses=[ttl.TensorAccess.read(3)],"}, "TTL0261", "TensorAccess.read takes a tensor or a slice of one, not int 3"),
    "an access in a compute kernel": (("run", "check"), {"func_args=[3.0],": "func_args=[3.0], tensor_accesses=[ttl.TensorAccess.read(others['a'])],", "scaled(a_dfb, y_dfb)\n": "scaled(a_dfb, y_dfb, a=a)\n"}, "TTL0262", "scale is called in compute kernel compute with a tensor"),
    "what it keeps": (("run", "check"), {"            DFBEffect.pop(a_dfb, tiles=2),\n": ""}, "TTL0263", "it keeps the blocks that it gets by wait"),
    "a part of a block": (("run", "check"), {"repeat(2,": "repeat(1,", "tiles=2": "tiles=1"}, "TTL0263", "not a whole number of blocks"),
    "released before": (("run", "check"), {"            DFBEffect.push(y_dfb, tiles=2),": "            DFBEffect.push(y_dfb, tiles=3),"}, "TTL0263", "has no reserve of as many"),
    "the wrong kernel": (("run", "check"), {"KernelKind.COMPUTE,\n    )": "KernelKind.DATA_MOVEMENT,\n    )"}, "TTL0265", "is for a data movement kernel and called in compute kernel compute"),
    "no header": (("check", "emu"), {'"scale.h"': '"other.h"'}, "TTL0266", "header other.h is not in the program's folder"),
    "beside mathematics": (
        ("run", "run --no-check", "check", "emu"),
        {"            scaled(a_dfb, y_dfb)\n": "            scaled(a_dfb, y_dfb)\n            if a.shape[0] == 0:\n                pass\n        with y_dfb.reserve() as own:\n            own.store(ttl.block.fill(1, shape=(1, 2)))\n", "for column in range(2):\n            with y_dfb": "for column in range(3):\n            with y_dfb", "blk, y[x, 2 * column : 2 * column + 2]": "blk, y[x, 2 * (column % 2) : 2 * (column % 2) + 2]"},
        "TTL0267",
        "which also computes with blocks",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_a_call_cannot_be(case: str, tmp_path: Path) -> None:
    hows, changes, code, words = REFUSED[case]
    program = HEAD + KERNELS + TAIL
    for before, after in changes.items():
        assert before in program
        program = program.replace(before, after)
    _write(tmp_path, program)
    for how in hows:
        arguments = ["run", "--target", "emu"] if how == "emu" else how.split()
        outcome = run_ttl([*arguments, "program.py"], folder=tmp_path)
        said = outcome.stderr + outcome.stdout
        assert outcome.status == 1, (arguments, said)
        assert f"error[{code}]" in said and words in said, (arguments, said)


def test_one_body_has_to_say_for_which_thread_a_call_is(tmp_path: Path) -> None:
    _write(tmp_path, (HEAD + BODY + TAIL).replace("        kernel=ttl.KernelKind.COMPUTE,\n", ""))
    for verb in ("run", "check"):
        outcome = run_ttl([verb, "program.py"], folder=tmp_path)
        assert outcome.status == 1
        said = outcome.stderr + outcome.stdout
        assert "error[TTL0265]: ttl.call_extern_func is called in one body" in said


def test_the_emulated_chip_compares_cpp_with_the_declared_effects(tmp_path: Path) -> None:
    header = HEADER.replace("        cb_pop_front", "        if (i == 0) cb_pop_front")
    _write(tmp_path, header=header)
    outcome = run_ttl(["run", "--target", "emu", "program.py"], folder=tmp_path)
    assert outcome.status == 1
    assert "error[TTL1521]: kernel compute" in outcome.stderr
    # The same path with the right text is another kernel, and so is a file that it includes.
    _write(tmp_path)
    assert run_ttl(["run", "--target", "emu", "program.py"], folder=tmp_path).status == 0
    for text, status in ((header, 1), (HEADER, 0)):
        _write(tmp_path, header='#include "inner.h"\n')
        (tmp_path / "inner.h").write_text(text)
        assert run_ttl(["run", "--target", "emu", "program.py"], folder=tmp_path).status == status


def test_declared_effects_are_part_of_the_proof_that_nobody_waits_for_ever(tmp_path: Path) -> None:
    _write(tmp_path, (HEAD + KERNELS + TAIL).replace("for column in range(2):\n            scaled", "for column in range(3):\n            scaled"))  # fmt: skip
    check = run_ttl(["check", "program.py"], folder=tmp_path)
    run = run_ttl(["run", "--no-check", "program.py"], folder=tmp_path)
    for outcome in (check, run):
        assert outcome.status == 1
        assert "deadlock" in (outcome.stderr + outcome.stdout).lower()


@pytest.mark.parametrize("how", ["run", "check", "emu", "split"])
def test_a_block_that_nothing_uses_is_of_the_thread_that_its_release_names(how: str, tmp_path: Path) -> None:
    body = BODY.replace(
        "        scaled(a_dfb, y_dfb)\n",
        "        with b_dfb.reserve() as blk:\n            ttl.copy(a[x, column], blk).wait()\n"
        "        scaled(a_dfb, y_dfb)\n        unused = b_dfb.wait()\n        unused.pop(kernel=K)\n",
    )
    made = "    b_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))\n"
    _write(tmp_path, HEAD + made + body + TAIL)
    arguments = {"emu": ["run", "--target", "emu"]}.get(how, [how])
    outcome = run_ttl([*arguments, "program.py"], folder=tmp_path)
    assert outcome.status == 0, outcome.stderr + outcome.stdout
    if how == "split":
        compute = outcome.stdout.partition("def compute")[2].partition("@ttl")[0]
        assert "unused = b_dfb.wait()" in compute
        assert "unused.pop()" in compute


def test_a_release_cannot_name_another_thread_than_its_block_has(tmp_path: Path) -> None:
    body = BODY.replace(
        "        with y_dfb.wait() as blk:\n            ttl.copy(blk, y[x, 2 * column : 2 * column + 2]).wait()\n",
        "        blk = y_dfb.wait()\n        ttl.copy(blk, y[x, 2 * column : 2 * column + 2]).wait()\n        blk.pop(kernel=K)\n",
    )
    _write(tmp_path, HEAD + body + TAIL)
    outcome = run_ttl(["run", "program.py"], folder=tmp_path)
    assert outcome.status == 1
    assert "error[TTL1602]" in outcome.stderr


@pytest.mark.headers
@needs_compiler
def test_the_real_headers_accept_the_call(tmp_path: Path) -> None:
    _write(tmp_path)
    outcome = run_ttl(["compile", "--api", "0.81", "program.py"], folder=tmp_path)
    assert outcome.status == 0, outcome.stderr
    kernel = outcome.stdout.partition("// ----- run/compute.cpp -----\n")[2].partition("// -----")[0]
    assert f'#include "{tmp_path / "scale.h"}"' in kernel
    assert (
        "scale<dfb_descriptor<a_dfb, 2, 2, 4096>, dfb_descriptor<y_dfb, 2, 2, 4096>>(1077936128u);" in kernel
    )
    assert check("0.81", "compute", kernel) is None
    (tmp_path / "pages.h").write_text(PAGES_H)
    (tmp_path / "pages.py").write_text(PAGES + PAGES_KERNELS + PAGES_TAIL.replace("WANTED", "wanted"))
    for api in ("0.69", "0.81"):
        outcome = run_ttl(["compile", "--api", api, "pages.py"], folder=tmp_path)
        kernel = outcome.stdout.partition("// ----- run/move.cpp -----\n")[2].partition("// -----")[0]
        assert "add_to_page<room_dfb>(a, y, " in kernel
        assert check(api, "datamovement", kernel, ["KERNEL_COMPILE_TIME_ARGS=2,4096,2,4096"]) is None
