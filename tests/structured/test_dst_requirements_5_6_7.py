"""What regions need of the registers (seed 002, section 5.6.7), and sub-blocks of two sizes that fit (5.6.1 to 5.6.4)."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

import numpy as np
import pytest
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, ModuleOp
from xdsl.ir import Operation

from passes.executed import compare
from support.block_kernels import random_blocks
from support.ir_execution import block_results, kernel_results, lowered, operation_of, types_of
from support.random_programs.kernels import Case, make
from ttl.analysis.dominance import outermost
from ttl.arch import all_chips
from ttl.dialects import ttl as dialect
from ttl.dialects.text import context, parse_module
from ttl.dialects.tiles import TileOp, space_of
from ttl.ir.failure import NotLowered
from ttl.ir.printer import print_module
from ttl.ir.syntax import ints_of
from ttl.passes.assign_dst import AssignDst
from ttl.passes.compute.modes import compute_mode
from ttl.passes.compute.requirements import is_carried, peak_of
from ttl.passes.infer_dst import InferDstRequirements
from ttl.passes.pipeline import pipeline
from ttl.passes.structured.sizes import multitile_sizes
from ttl.passes.subblock import Subblock, is_linear, subblock_of

CHAIN = """
ttl.operation @chain() grid <1x1> attributes {{ttl.fp32_dest_acc_en = {wide}, ttl.dst_full_sync_en = {full}}} {{
  %a = ttl.create_dfb "a" : !ttl.dfb<[8, 8], !ttl.tile<32x32, bf16>, 1>
  %b = ttl.create_dfb "b" : !ttl.dfb<[8, 8], !ttl.tile<32x32, bf16>, 1>
  %c = ttl.create_dfb "c" : !ttl.dfb<[8, 8], !ttl.tile<32x32, bf16>, 1>
  %x = ttl.create_dfb "x" : !ttl.dfb<[8, 8], !ttl.tile<32x32, bf16>, 1>
  ttl.compute_kernel @compute {{
    %a_blk = ttl.dfb_wait %a : <[8, 8], !ttl.tile<32x32, bf16>, 1>
    %b_blk = ttl.dfb_wait %b : <[8, 8], !ttl.tile<32x32, bf16>, 1>
    %c_blk = ttl.dfb_wait %c : <[8, 8], !ttl.tile<32x32, bf16>, 1>
    %av = ttl.block_read %a_blk : <[8, 8], !ttl.tile<32x32, bf16>>
    %bv = ttl.block_read %b_blk : <[8, 8], !ttl.tile<32x32, bf16>>
    %cv = ttl.block_read %c_blk : <[8, 8], !ttl.tile<32x32, bf16>>
    %0 = ttl.block_add %av, %bv : {t}, {t} -> {t}
    %1 = ttl.block_mul %0, %cv : {t}, {t} -> {t}
    %2 = ttl.block_exp %1 {{approx = false, scale = 1.000000e+00 : f64}} : {t} -> {t}
    %x_blk = ttl.dfb_reserve %x : <[8, 8], !ttl.tile<32x32, bf16>, 1>
    ttl.block_store %2, %x_blk : {t} -> <[8, 8], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %x_blk explicit : <[8, 8], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %a_blk explicit : <[8, 8], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %b_blk explicit : <[8, 8], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %c_blk explicit : <[8, 8], !ttl.tile<32x32, bf16>>
  }}
}}
"""


def run_until(module: ModuleOp, stop: type, options: dict[str, str] | None = None) -> None:
    """Run the compiler up to a pass, without that one."""
    for one in pipeline(options=options):
        if isinstance(one, stop):
            return
        one.apply(context(), module)


def regions(module: ModuleOp) -> list[dialect.ComputeRegionOp]:
    return outermost(module, dialect.ComputeRegionOp)


def number(op: Operation, name: str) -> int:
    given = op.attributes[name]
    assert isinstance(given, IntegerAttr)
    return int(given.value.data)


def live(op: Operation) -> tuple[int, ...]:
    given = op.attributes["ttl.dst_live"]
    assert isinstance(given, DenseArrayBase)
    return ints_of(given)


@pytest.mark.parametrize(
    ("wide", "full", "peak", "capacity"),
    [("false", "false", 1, 8), ("false", "true", 1, 16), ("true", "false", 2, 4), ("true", "true", 2, 8)],
)
def test_5_6_7_the_chain_of_the_plan_needs_one_place_where_its_operands_are_read_from_buffers(
    wide: str, full: str, peak: int, capacity: int
) -> None:
    """Registers of 32 bits take the third operand into a place of its own, since the matrix unit would cut what it adds to."""
    text = CHAIN.format(wide=wide, full=full, t="tensor<8x8x!ttl.tile<32x32, bf16>>")
    module = parse_module(text)
    run_until(module, AssignDst)
    InferDstRequirements().apply(context(), module)
    (region,) = regions(module)
    assert number(region, "ttl.dst_peak") == peak
    assert number(region, "ttl.dst_capacity") == capacity
    assert number(region, "ttl.dst_subblock") == capacity // peak
    computed = [op for op in region.body.block.ops if "ttl.dst_cost" in op.attributes]
    assert {number(op, "ttl.dst_cost") for op in computed} == {1}
    assert parse_module(print_module(module)).is_structurally_equivalent(module)
    # What the allocation and the choice of the sub-block make of it.
    AssignDst().apply(context(), module)
    Subblock().apply(context(), module)
    assert peak_of(region) == peak
    assert prod(subblock_of(region)) == capacity // peak


def cases(*seeds: int) -> Iterator[Case]:
    for seed in seeds:
        yield make(seed)


def test_5_6_7_allocation_needs_what_was_inferred_in_random_kernels() -> None:
    seen = 0
    for case in cases(*range(60)):
        module = case.module
        try:
            run_until(module, AssignDst)
        except NotLowered:
            continue
        InferDstRequirements().apply(context(), module)
        said = [(number(item, "ttl.dst_peak"), number(item, "ttl.dst_subblock")) for item in regions(module)]
        AssignDst().apply(context(), module)
        Subblock().apply(context(), module)
        for region, (peak, largest) in zip(regions(module), said, strict=True):
            seen += 1
            assert peak_of(region) == peak
            assert prod(subblock_of(region)) <= largest
            _check_lives(region)
        again = module.clone()
        InferDstRequirements().apply(context(), again)
        assert [number(item, "ttl.dst_peak") for item in regions(again)] == [peak for peak, _ in said]
    assert seen > 60


def _check_lives(region: dialect.ComputeRegionOp) -> None:
    """No place is written while a tile in it is alive, and what is alive at once is at most the peak."""
    ops = [op for op in region.body.block.ops if isinstance(op, TileOp) and op.place is not None]
    for step, op in enumerate(ops):
        first, last = live(op)
        assert first == step
        together = [other for other in ops if live(other)[0] < step < live(other)[1]]
        assert op.place not in {other.place for other in together}
        assert len(together) + number(op, "ttl.dst_cost") <= number(region, "ttl.dst_peak")
        assert last >= first


def test_5_6_7_the_pass_changes_nothing_that_is_compiled() -> None:
    for seed in range(12):
        plain, annotated = make(seed).module, make(seed).module
        try:
            run_until(plain, AssignDst)
        except NotLowered:
            continue
        run_until(annotated, AssignDst)
        InferDstRequirements().apply(context(), annotated)
        passes = [type(one) for one in pipeline()]
        for one in pipeline()[passes.index(AssignDst) :]:
            one.apply(context(), plain)
            one.apply(context(), annotated)
        assert print_module(plain) == print_module(annotated)


def capacities() -> set[int]:
    """Tiles that registers hold, of every chip: 16 and 32 bits, half and all of them."""
    kinds = [
        (chip.dst.half_16bit, chip.dst.full_16bit, chip.dst.half_32bit, chip.dst.full_32bit)
        for chip in all_chips()
    ]
    return {capacity for kind in kinds for capacity in kind}


def test_5_6_4_sub_blocks_of_two_sizes_cover_every_extent_within_capacity() -> None:
    assert capacities() == {4, 8, 16}
    for capacity in capacities():
        for peak in range(1, capacity + 1):
            room = capacity // peak
            for extent in range(1, 65):
                sizes = multitile_sizes(extent, min(room, extent))
                covered = [part.size for part in sizes.parts for _ in range(part.times)]
                assert sum(covered) == extent
                assert max(covered) * peak <= capacity
                assert len(covered) == -(-extent // room), "as few sections as possible"


REPEATED = """
ttl.operation @repeated() grid <1x1> {{
  %a = ttl.create_dfb "a" : !ttl.dfb<[{r}, {c}], !ttl.tile<32x32, {e}>, 1>
  %b = ttl.create_dfb "b" : !ttl.dfb<[{r}, 1], !ttl.tile<32x32, {e}>, 1>
  %x = ttl.create_dfb "x" : !ttl.dfb<[{r}, {c}], !ttl.tile<32x32, {e}>, 1>
  ttl.compute_kernel @compute {{
    %a_blk = ttl.dfb_wait %a : <[{r}, {c}], !ttl.tile<32x32, {e}>, 1>
    %b_blk = ttl.dfb_wait %b : <[{r}, 1], !ttl.tile<32x32, {e}>, 1>
    %av = ttl.block_read %a_blk : <[{r}, {c}], !ttl.tile<32x32, {e}>>
    %bv = ttl.block_read %b_blk : <[{r}, 1], !ttl.tile<32x32, {e}>>
    %w = ttl.block_broadcast %bv {{dims = array<i64: -1>, shape = array<i64: {r}, {c}>}} : tensor<{r}x1x!ttl.tile<32x32, {e}>> -> {t}
    %0 = ttl.block_mul %av, %w : {t}, {t} -> {t}
    %x_blk = ttl.dfb_reserve %x : <[{r}, {c}], !ttl.tile<32x32, {e}>, 1>
    ttl.block_store %0, %x_blk : {t} -> <[{r}, {c}], !ttl.tile<32x32, {e}>>
    ttl.dfb_push %x_blk explicit : <[{r}, {c}], !ttl.tile<32x32, {e}>>
    ttl.dfb_pop %a_blk explicit : <[{r}, {c}], !ttl.tile<32x32, {e}>>
    ttl.dfb_pop %b_blk explicit : <[{r}, 1], !ttl.tile<32x32, {e}>>
  }}
}}
"""
PRODUCT = """
ttl.operation @product() grid <1x1> {{
  %a = ttl.create_dfb "a" : !ttl.dfb<[{r}, 2], !ttl.tile<32x32, {e}>, 1>
  %b = ttl.create_dfb "b" : !ttl.dfb<[2, {c}], !ttl.tile<32x32, {e}>, 1>
  %x = ttl.create_dfb "x" : !ttl.dfb<[{r}, {c}], !ttl.tile<32x32, {e}>, 1>
  ttl.compute_kernel @compute {{
    %a_blk = ttl.dfb_wait %a : <[{r}, 2], !ttl.tile<32x32, {e}>, 1>
    %b_blk = ttl.dfb_wait %b : <[2, {c}], !ttl.tile<32x32, {e}>, 1>
    %av = ttl.block_read %a_blk : <[{r}, 2], !ttl.tile<32x32, {e}>>
    %bv = ttl.block_read %b_blk : <[2, {c}], !ttl.tile<32x32, {e}>>
    %0 = ttl.block_matmul %av, %bv : tensor<{r}x2x!ttl.tile<32x32, {e}>>, tensor<2x{c}x!ttl.tile<32x32, {e}>> -> {t}
    %x_blk = ttl.dfb_reserve %x : <[{r}, {c}], !ttl.tile<32x32, {e}>, 1>
    ttl.block_store %0, %x_blk : {t} -> <[{r}, {c}], !ttl.tile<32x32, {e}>>
    ttl.dfb_push %x_blk explicit : <[{r}, {c}], !ttl.tile<32x32, {e}>>
    ttl.dfb_pop %a_blk explicit : <[{r}, 2], !ttl.tile<32x32, {e}>>
    ttl.dfb_pop %b_blk explicit : <[2, {c}], !ttl.tile<32x32, {e}>>
  }}
}}
"""


def module_of(form: str, rows: int, columns: int) -> ModuleOp:
    text = form.format(r=rows, c=columns, e="bf16", t=f"tensor<{rows}x{columns}x!ttl.tile<32x32, bf16>>")
    return parse_module(text)


@pytest.mark.parametrize("form", [REPEATED, PRODUCT], ids=["repeated", "product"])
@pytest.mark.parametrize("registers", ["16", "32"])
@pytest.mark.parametrize("sync", ["half", "full"])
def test_5_6_4_sections_of_two_sizes_compute_what_the_program_says(
    form: str, registers: str, sync: str
) -> None:
    """Extents that no size divides, from block to sub-block to tile to the chain of operations on it."""
    rng = np.random.default_rng(7)
    for rows, columns in ((5, 3), (7, 5), (11, 2), (3, 13)):
        module = module_of(form, rows, columns)
        room = compute_mode_of(module, registers, sync)
        shapes = [
            (height, width)
            for height in range(1, rows + 1)
            for width in range(1, columns + 1)
            if height * width <= room and (rows % height or columns % width)
        ]
        types = types_of(operation_of(module))
        inputs = random_blocks({name: types[name] for name in "ab"}, {"a": 1, "b": 1}, rng, limit=3)
        wanted = block_results(module, inputs, rounds=False)
        for height, width in shapes[:: max(1, len(shapes) // 3)]:
            options = {"registers": registers, "sync": sync, "subblock.0": f"{height}x{width}"}
            program = lowered(module_of(form, rows, columns), options)
            compare(wanted, kernel_results(program, types, inputs).blocks, exactly=True)


def compute_mode_of(module: ModuleOp, registers: str, sync: str) -> int:
    """Tiles of the space that one section of the only region can hold."""
    copy = module.clone()
    run_until(copy, Subblock, {"registers": registers, "sync": sync})
    (region,) = regions(copy)
    assert not is_carried(region) and not is_linear(region) and space_of(region) is not None
    return compute_mode(operation_of(copy)).capacity // peak_of(region)
