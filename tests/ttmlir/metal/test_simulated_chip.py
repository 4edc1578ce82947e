"""The simulated chip refuses what a chip must not be given, whatever the order in which its kernels run."""

from __future__ import annotations

import re

import numpy as np
import pytest

from support.same_values import read
from tt_model.reference.interpreter import NotInterpretable, interpret
from ttmlir.transforms.pipelines import TTIRToTTMetalBackendPipeline
from ttmlir.transforms.system_desc import ImplicitDevice, LoadSystemDesc

TILE = "memref<1x1x!tt.tile<32x32, f32>, #tt.memory_space<l1>>"
LAYOUT = f"#tt.layout<(d0, d1) -> (d0, d1), undef, <1x1>, {TILE}>"
TENSOR = f"tensor<32x32xf32, {LAYOUT}>"
IN, OUT = f"!ttkernel.cb<cb_in0, 1024, {TILE}, 4096, 1>", f"!ttkernel.cb<cb_out0, 5120, {TILE}, 4096, 1>"
COMPUTE = "#ttkernel.tensix_config<hifi4, false, false, []>"
NOC = "#ttkernel.noc_config<noc0>"
ONE = "#ttmetal.core_range<0x0, 1x1>"


def call(name: str, *operands: str) -> str:
    """``call("cb_push_back", "in", "one")``; names are those of ``program``."""
    types = {"in": IN, "out": OUT, "noc": "!ttkernel.noc_addr"}
    listed = ", ".join(types.get(one, "i32") for one in operands)
    result = "%noc = " if name == "get_noc_addr_xy" else ""
    produced = "!ttkernel.noc_addr" if result else "()"
    return f'{result}"ttkernel.{name}"({", ".join(f"%{one}" for one in operands)}) : ({listed}) -> {produced}'


def kernel(arguments: str, *calls: str) -> str:
    constants = "\n".join(
        f"%{name} = arith.constant {number} : i32"
        for name, number in (
            ("zero", 0),
            ("one", 1),
            ("two", 2),
            ("here", 1024),
            ("there", 9216),
            ("size", 4096),
        )
    )
    body = "\n".join(calls)
    return f'({{\n^bb0({arguments}):\n{constants}\n{body}\n"ttkernel.return"() : () -> ()\n}})'


def program(*kernels: str, configs: str, address: int = 5120) -> str:
    regions = ", ".join(one[1:-1] for one in kernels)
    ranges = ", ".join([ONE] * len(kernels))
    return f"""
func.func @f(%arg0: {TENSOR}) -> {TENSOR} attributes {{tt.arg_alloc = [#tt.arg_alloc<1024, 4096, l1>]}} {{
  %0 = "ttmetal.alloc"() <{{address = {address} : i64, memory_space = #tt.memory_space<l1>, size = 4096 : i64}}> : () -> {TENSOR}
  %1 = "ttmetal.alloc"() <{{address = 9216 : i64, memory_space = #tt.memory_space<l1>, size = 4096 : i64}}> : () -> {TENSOR}
  %2 = "ttmetal.dispatch"(%arg0, %0) <{{core_ranges = [{ranges}], kernelConfigs = [{configs}], operandSegmentSizes = array<i32: 1, 1>}}> ({regions}) : ({TENSOR}, {TENSOR}) -> {TENSOR}
  return %2 : {TENSOR}
}}
"""


def result_of(text: str) -> np.ndarray:
    context, module = read(text)
    for step in (LoadSystemDesc(), ImplicitDevice()):
        step.apply(context, module)
    (value,) = interpret(module, "f", [np.arange(1024.0).reshape(32, 32)])
    return value


BOTH = f"%in: {IN}, %out: {OUT}"
COPY = (
    call("tile_regs_acquire"),
    call("copy_tile", "in", "zero", "zero"),
    call("tile_regs_commit"),
    call("tile_regs_wait"),
    call("pack_tile", "zero", "out", "zero"),
    call("tile_regs_release"),
)


def test_a_tile_is_copied() -> None:
    assert np.array_equal(
        result_of(program(kernel(BOTH, *COPY), configs=COMPUTE)), np.arange(1024.0).reshape(32, 32)
    )


@pytest.mark.parametrize("tiles", [3, 6, 7])
def test_rows_of_tiles_that_are_untilized_in_parts(tiles: int) -> None:
    """Six tiles side by side are three and three, seven one after another: as many as registers hold."""
    width, passes = 32 * tiles, TTIRToTTMetalBackendPipeline().passes()
    shape = "#tt.layout<(d0, d1) -> (d0, d1), undef, <1x1>, memref"
    before = f"tensor<64x{width}xf32, {shape}<2x{tiles}x!tt.tile<32x32, f32>, #tt.memory_space<l1>>>>"
    after = f"tensor<64x{width}xf32, {shape}<64x{width}xf32, #tt.memory_space<l1>>>>"
    context, module = read(f"""
        func.func @f(%arg0: {before}) -> {after} {{
          %0 = tensor.empty() : {after}
          %1 = "ttir.to_layout"(%arg0, %0) : ({before}, {after}) -> {after}
          return %1 : {after}
        }}""")
    for step in passes:
        step.apply(context, module)
    assert "ttkernel.untilize_block" in {op.name for op in module.walk()}
    given = np.arange(64.0 * width).reshape(64, width)
    (value,) = interpret(module, "f", [given])
    assert np.array_equal(value, given)


ONLY_IN = f"%in: {IN}"
READ = (call("get_noc_addr_xy", "zero", "zero", "there"), call("noc_async_read", "noc", "here", "size"))
WAIT, POP = call("cb_wait_front", "in", "one"), call("cb_pop_front", "in", "one")
RESERVE, PUSH = call("cb_reserve_back", "in", "one"), call("cb_push_back", "in", "one")
BARRIER = call("noc_async_read_barrier")
PAIR = f"{COMPUTE}, {NOC}"


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (program(kernel(BOTH, *COPY), configs=COMPUTE, address=1024), "where a tensor lives"),
        (program(kernel(BOTH, *COPY), configs=COMPUTE, address=512), "outside of 1024 to 1495040"),
        (program(kernel(BOTH, *COPY), configs=COMPUTE, address=13312), "which is outside of its tensors"),
        (program(kernel(BOTH, *COPY[1:]), configs=COMPUTE), "while the registers are free"),
        (program(kernel(BOTH, *COPY[:2], COPY[2], *COPY[4:]), configs=COMPUTE), "packs while the registers"),
        (
            program(kernel(BOTH, COPY[0], *COPY[2:]), configs=COMPUTE),
            "reads register 0, which was not written",
        ),
        (
            program(kernel(BOTH, *COPY[:1], call("copy_tile", "in", "one", "zero")), configs=COMPUTE),
            "reads tile 1 of a circular buffer of 1",
        ),
        (
            program(kernel(BOTH, *COPY[:4], call("pack_tile", "zero", "out", "one")), configs=COMPUTE),
            "packs to tile 1, and the packer, which continues by itself, is at 0",
        ),
        (program(kernel(BOTH, WAIT, *COPY), kernel(ONLY_IN), configs=PAIR), "never ends: core (0, 0) waits"),
        (
            program(kernel(BOTH, *COPY), kernel(ONLY_IN, RESERVE, PUSH), configs=PAIR),
            "reads tile 0 of cb_in0, but the kernel waited for 0 tiles only",
        ),
        (
            program(kernel(BOTH, WAIT, *COPY), kernel(ONLY_IN, PUSH), configs=PAIR),
            "hands over 1 pages, of which 0 were reserved",
        ),
        (
            program(kernel(BOTH, WAIT, *COPY), kernel(ONLY_IN, RESERVE, *READ, PUSH), configs=PAIR),
            "hands over pages that are still being read",
        ),
        (
            program(kernel(BOTH, WAIT, *COPY), kernel(ONLY_IN, *READ, BARRIER, RESERVE, PUSH), configs=PAIR),
            "writes to pages of cb_in0 that were not reserved",
        ),
        (
            program(kernel(BOTH, *COPY), kernel("", *READ), configs=PAIR),
            "ends a kernel without waiting for its reads",
        ),
        (
            program(
                kernel(BOTH, WAIT, *COPY), kernel(ONLY_IN, call("cb_reserve_back", "in", "two")), configs=PAIR
            ),
            "is for 2 pages of a circular buffer that has 1",
        ),
        (
            program(kernel(BOTH, POP, *COPY), kernel(ONLY_IN, RESERVE, PUSH), configs=PAIR),
            "frees 1 pages, of which 0 were waited for",
        ),
        (
            program(
                kernel(BOTH, *COPY),
                kernel("", call("get_noc_addr_xy", "size", "zero", "there"), READ[1]),
                configs=PAIR,
            ),
            "names (4096, 0) on the network",
        ),
        (
            program(
                kernel(BOTH, *COPY),
                kernel("", READ[0], call("noc_async_read", "noc", "zero", "size")),
                configs=PAIR,
            ),
            "which do not belong to a tensor",
        ),
    ],
    ids=lambda value: re.sub(r"\W+", "_", value)[:40] if "func" not in value else "",
)
def test_what_a_chip_must_not_be_given(text: str, error: str) -> None:
    with pytest.raises(NotInterpretable, match=re.escape(error)):
        result_of(text)
