"""Kernels that differ in nothing but numbers are one shared object; what the compiler has to know stays in the text."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import ttl
from emu.harness import tensor_of, values_of
from support.kernel_check import needs_compiler
from ttl.diag import ProgramError
from ttl.emu import compiler
from ttl.emu.numbers import apart
from ttl.emu.program import OURS
from ttl.settings import override

KERNEL = """\
#include "x2.h"
void kernel_main() {
    constexpr uint32_t a = 5;
    constexpr auto args = TensorAccessorArgs<2>();// of 3 tensors
    const auto t = TensorAccessor(args, get_common_arg_val<uint32_t>(0));
    uint32_t of[4] = {1, 2};
/* 7
    */ for (uint32_t i = 0; i < 16; ++i) fill(i1, 0xff800000, 0x10, 3u, 1.5f, "9", 4294967296);
}
"""
APART = """\
#include "x2.h"
void kernel_main() {
    constexpr uint32_t a = 5;
    constexpr auto args = TensorAccessorArgs<2>();
    const auto t = TensorAccessor(args, get_common_arg_val<uint32_t>(ttl_emu_number(0)));
    uint32_t of[4] = {ttl_emu_number(1), ttl_emu_number(2)};

 for (uint32_t i = ttl_emu_number(3); i < ttl_emu_number(4); ++i) fill(i1, ttl_emu_word(5), ttl_emu_number(6), ttl_emu_word(7), 1.5f, "9", 4294967296);
}
"""


def test_numbers_keep_their_types_and_lines_their_places() -> None:
    assert apart(KERNEL) == (APART, (0, 1, 2, 0, 16, 0xFF800000, 16, 3))


@needs_compiler
def test_a_number_has_the_type_that_the_compiler_gives_the_literal(tmp_path: Path) -> None:
    literals = "0 1 7u 2147483647 2147483648u 4294967295U 0x0 0x7f 0x59682f0a 0x3f800000 0x7fffffff 0x80000000 0xff800000 0x10u"
    types = {"ttl_emu_number": "int", "ttl_emu_word": "unsigned"}
    checks = []
    for literal in literals.split():
        text, (number,) = apart(literal)
        type_ = types[text.partition("(")[0]]
        checks.append(
            f"static_assert(std::is_same_v<decltype({literal}), {type_}> && {literal} == {number}u);"
        )
    source = tmp_path / "literals.cpp"
    source.write_text("\n".join(["#include <type_traits>", *checks]), "utf-8")
    done = subprocess.run(
        [*compiler._command(), "-std=c++20", "-fsyntax-only", source], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def operation(rows: int, factor: float) -> ttl.Operation:  # type: ignore[name-defined]
    @ttl.operation(grid=(1, 1))
    def scaled(a, y):  # type: ignore[no-untyped-def]
        a_dfb = ttl.make_dataflow_buffer_like(a, shape=(rows, 1))
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=(rows, 1))
        blocks = a.shape[0] // 32 // rows

        @ttl.datamovement()
        def read():  # type: ignore[no-untyped-def]
            for block in range(blocks):
                with a_dfb.reserve() as blk:
                    ttl.copy(a[block * rows : (block + 1) * rows, :], blk).wait()

        @ttl.compute()
        def compute():  # type: ignore[no-untyped-def]
            for _ in range(blocks):
                with a_dfb.wait() as a_blk, y_dfb.reserve() as y_blk:
                    y_blk.store(a_blk * factor)

        @ttl.datamovement()
        def write():  # type: ignore[no-untyped-def]
            for block in range(blocks):
                with y_dfb.wait() as blk:
                    ttl.copy(blk, y[block * rows : (block + 1) * rows, :]).wait()

    return scaled


def cycles_of(rows: int, factor: float) -> int:
    """What a call takes, whose result is right."""
    a = tensor_of(np.arange(256 * 32, dtype=np.float32).reshape(256, 32) % 64)
    y = tensor_of(np.zeros((256, 32), np.float32))
    found = ttl.profile(operation(rows, factor), a, y, target="emu")
    np.testing.assert_array_equal(values_of(y), values_of(a) * factor)
    return found.cycles


def test_calls_with_other_numbers_are_compiled_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with override(cache_dir=str(tmp_path)):
        taken = [cycles_of(rows, factor) for rows, factor in ((2, 0.5), (4, 2.0))]
        assert len(list((tmp_path / "emu" / "kernels").glob("*.so"))) == 3
        monkeypatch.setattr(compiler, "apart", lambda source: (source, ()))
        assert taken == [cycles_of(rows, factor) for rows, factor in ((2, 0.5), (4, 2.0))]
        assert len(list((tmp_path / "emu" / "kernels").glob("*.so"))) == 3 + 6


def test_a_float_below_zero_is_a_literal_of_another_type(tmp_path: Path) -> None:
    """Its bits are ``unsigned``, those of a positive one ``int``."""
    with override(cache_dir=str(tmp_path)):
        for factor, kernels in ((0.5, 3), (-2.0, 4), (-4.0, 4)):
            cycles_of(2, factor)
            assert len(list((tmp_path / "emu" / "kernels").glob("*.so"))) == kernels


def test_a_number_that_the_compiler_has_to_know_costs_a_second_attempt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiler, "apart", lambda source: (source.replace("kernel_main() {", "kernel_main() { int of[ttl_emu_number(0)] = {1};"), (1,)))  # fmt: skip
    with override(cache_dir=str(tmp_path)):
        cycles_of(2, 0.5)


def test_headers_that_somebody_removed_are_written_again(tmp_path: Path) -> None:
    with override(cache_dir=str(tmp_path)):
        cycles_of(2, 0.5)
        shutil.rmtree(tmp_path / "emu")
        cycles_of(2, 0.5)


def test_a_generated_kernel_that_does_not_compile_is_to_be_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = compiler._with_counted_floats
    monkeypatch.setattr(compiler, "_with_counted_floats", lambda kernel: replace(broken(kernel), source=kernel.source.replace("kernel_main() {", "kernel_main() { oops;")))  # fmt: skip
    with override(cache_dir=str(tmp_path)), pytest.raises(ProgramError, match="oops") as raised:
        cycles_of(2, 0.5)
    assert raised.value.code == "TTL1501" and raised.value.diagnostics[0].notes[-1] == OURS
