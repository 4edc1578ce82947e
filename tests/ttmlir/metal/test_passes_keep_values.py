"""Every pass on the way to TTMetal keeps what random modules compute, down to kernels on simulated cores.

The second half takes a rule out of a pass, or makes it wrong as the real project's was: the comparison, or the simulated chip, must
notice.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from xdsl.dialects.builtin import ModuleOp

from support.random_programs.ttir.metal_modules import random_metal_module
from support.random_programs.ttir.modules import RandomModule
from support.same_values import Changed, check_through
from support.shares import share
from tt_model.layouts.layout import LayoutRecord
from tt_model.operations.operation import RowOperation
from tt_model.reference.interpreter import NotInterpretable
from ttl.ir.failure import NotLegalized
from ttl.ir.reports import InvalidIR
from ttmlir.transforms.metal import (
    allocate,
    buffers,
    compute,
    dispatch,
    kernel_functions,
    movement,
    split_layout,
    to_ttmetal,
)
from ttmlir.transforms.metal.iteration import AxisMap
from ttmlir.transforms.metal.kernel_functions import KernelBuilder
from ttmlir.transforms.metal.recipes import RECIPES
from ttmlir.transforms.pipelines import TTIRToTTMetalBackendPipeline

PARTS, SEEDS = 5, 20


@pytest.mark.parametrize("part", share(range(PARTS), 1))
def test_the_pipeline_keeps_values(part: int) -> None:
    for seed in range(part * SEEDS, (part + 1) * SEEDS):
        module, _ = check_through(random_metal_module(seed), TTIRToTTMetalBackendPipeline().passes())
        assert {op.name.partition(".")[0] for op in module.walk()} <= KEPT
        assert_returned_or_freed(module)


KEPT = {"builtin", "func", "ttmetal", "ttkernel", "arith", "scf"}


def assert_returned_or_freed(module: ModuleOp) -> None:
    """Every allocation has one end."""
    (function,) = [op for op in module.ops if op.name == "func.func"]
    block = function.regions[0].blocks[0]
    freed = [op.operands[0].owner for op in block.ops if op.name == "ttmetal.dealloc"]
    made = [op for op in block.ops if op.name == "ttmetal.alloc"]
    assert len(set(freed)) == len(freed)
    returned = set()
    for value in block.last_op.operands:  # type: ignore[union-attr]
        owner: Any = value.owner
        while isinstance(owner, RowOperation) and owner.inits:
            owner = owner.inits[0].owner
        returned.add(owner)
    assert set(made) == set(freed) | {owner for owner in returned if isinstance(owner, RowOperation)}


Make = Callable[[pytest.MonkeyPatch], object]


def _without(name: str) -> Make:
    """Kernels without the calls of one function."""

    def patched(patch: pytest.MonkeyPatch) -> None:
        real = KernelBuilder.call

        def call(self: KernelBuilder, called: str, *operands: Any, **more: Any) -> Any:
            return None if called == name else real(self, called, *operands, **more)

        patch.setattr(KernelBuilder, "call", call)

    patched.__name__ = f"without_{name}"
    return patched


def _recipe(name: str, other: str) -> Make:
    def patched(patch: pytest.MonkeyPatch) -> None:
        patch.setattr(compute, "RECIPES", {**RECIPES, name: RECIPES[other]})

    patched.__name__ = f"{name}_as_{other}"
    return patched


def everything_in_place(patch: pytest.MonkeyPatch) -> None:
    """Whatever lies on the grid of the work is taken as it lies: as the real project does."""
    patch.setattr(AxisMap, "grid", lambda self, cores, reduced: cores)
    patch.setattr(AxisMap, "place", lambda self, core, reduced: core)


def one_buffer_for_all_streams(patch: pytest.MonkeyPatch) -> None:
    real = dispatch.read
    first: dict[KernelBuilder, int] = {}

    def to_the_first(builder: KernelBuilder, moved: Any, source: int, destination: int) -> None:
        real(builder, moved, source, first.setdefault(builder, destination))

    patch.setattr(dispatch, "read", to_the_first)


def pages_of_dram_overlap(patch: pytest.MonkeyPatch) -> None:
    """The offset in a channel counts pages where it should count their elements."""
    real = movement._memory_exprs

    def wrong(machine: Any, layout: LayoutRecord, position: Any) -> Any:
        exprs = list(real(machine, layout, position))
        if layout.memory_space.keyword == "dram":
            exprs = [movement.substitute(one, position, []) for one in exprs]
            exprs[3] = movement.mod(exprs[3], movement.constant(64))
        return exprs

    patch.setattr(movement, "_memory_exprs", wrong)


def sizes_of_the_last_element(patch: pytest.MonkeyPatch) -> None:
    """A tensor takes what lies before the end of its last element: too little where shards are not full."""
    patch.setattr(
        allocate,
        "bytes_of",
        lambda device, layout: max(layout.shard_bytes // 2 // 32 * 32, 32),
    )


def freed_too_early(patch: pytest.MonkeyPatch) -> None:
    real = allocate.last_use

    def earlier(op: Any, value: Any, position: Any) -> Any:
        last = real(op, value, position)
        before = last.prev_op
        return last if last is op or before is None or last.name == "func.return" else before

    patch.setattr(allocate, "last_use", earlier)


def everything_at_one_address(patch: pytest.MonkeyPatch) -> None:
    def same(self: Any, tensors: Any) -> bool:
        for tensor in tensors:
            tensor.address = 1024
        return True

    patch.setattr(allocate._Bank, "bump", same)


def divisor_is_always_overwritten(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(dispatch, "_used_later", lambda value, op: False)


def scaler_is_applied_once(patch: pytest.MonkeyPatch) -> None:
    """A mean of rows and columns at once by one scaler, which the reduction multiplies with twice."""
    wrong = lambda kind, count, axes: 1.0 / count if kind == "mean" else 1.0  # noqa: E731
    for module in (compute, dispatch):
        patch.setattr(module, "scaler_value", wrong)


def x_for_y(patch: pytest.MonkeyPatch) -> None:
    real = kernel_functions._numbers

    def turned(builder: KernelBuilder, moved: Any, source: int, destination: int) -> Any:
        return real(builder, replace(moved, remote=moved.remote[::-1]), source, destination)

    patch.setattr(kernel_functions, "_numbers", turned)


def too_much_at_once(patch: pytest.MonkeyPatch) -> None:
    real = movement._coalesced
    patch.setattr(
        movement,
        "_coalesced",
        lambda *given, **named: real(*given, **{**named, "element": 2 * named["element"]}),
    )


def no_way_through_l1(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(split_layout, "_path", lambda before, after, shape: [])


def rows_for_columns(patch: pytest.MonkeyPatch) -> None:
    """Steps of loops in the order of the dimensions, also where columns are walked outside."""
    patch.setattr(compute, "_by_extents", lambda shard, order: (shard[1], 1))


def tiles_are_not_repeated(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(compute, "_repeats", lambda axes, result: None)


def tiles_where_they_are_not(patch: pytest.MonkeyPatch) -> None:
    """Rows are made tiles of whatever shards there are."""
    patch.setattr(split_layout, "in_whole_tiles", lambda layout: layout)
    patch.setattr(to_ttmetal.LayoutDifference, "count", property(lambda self: int(self.element)))


BOTH = ("binary", "reduction")
# A defect, the kinds of operations that it is looked for in, the operations if some of them only have it, and how many modules
# are enough.
DEFECTS: list[tuple[Make, tuple[str, ...], tuple[str, ...], int]] = [
    (_without("cb_wait_front"), BOTH, ("add",), 4),
    (_without("cb_push_back"), ("reduction",), (), 4),
    (_without("cb_reserve_back"), ("reduction",), (), 4),
    (_without("noc_async_read_barrier"), BOTH, ("add",), 4),
    (_without("noc_async_write_barrier"), ("to_layout",), (), 12),
    *(
        (_without(name), ("unary",), ("exp",), 2)
        for name in (
            "tile_regs_acquire",
            "tile_regs_commit",
            "tile_regs_wait",
            "tile_regs_release",
            "pack_tile",
            "copy_tile",
        )
    ),
    (_recipe("maximum", "minimum"), ("binary",), ("maximum",), 3),
    (_recipe("le", "lt"), ("itself",), ("le",), 3),
    (_recipe("sin", "cos"), ("unary",), ("sin",), 2),
    (everything_in_place, ("matmul", "transpose", "reduction"), (), 10),
    (one_buffer_for_all_streams, ("binary",), ("add",), 12),
    (pages_of_dram_overlap, ("to_layout",), (), 12),
    (sizes_of_the_last_element, ("binary",), ("add",), 3),
    (freed_too_early, ("binary",), ("add",), 3),
    (everything_at_one_address, ("binary",), ("add",), 3),
    (divisor_is_always_overwritten, ("unary", "binary"), ("exp", "div"), 4),
    (scaler_is_applied_once, ("reduction",), ("mean",), 10),
    (x_for_y, ("to_layout", "binary"), ("add",), 8),
    (too_much_at_once, ("to_layout",), (), 8),
    (no_way_through_l1, ("to_layout",), (), 8),
    (rows_for_columns, ("reduction",), (), 8),
    (tiles_are_not_repeated, ("repeated",), ("add",), 4),
    (tiles_where_they_are_not, ("to_layout", "unary"), ("exp",), 12),
]


@pytest.mark.one_of(7)
@pytest.mark.parametrize(
    ("defect", "kinds", "names", "count"), DEFECTS, ids=[defect.__name__ for defect, *_ in DEFECTS]
)
def test_a_wrong_rule_is_noticed(
    defect: Make,
    kinds: tuple[str, ...],
    names: tuple[str, ...],
    count: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert [_right(seed, kinds, names) for seed in range(count)] == [""] * count
    defect(monkeypatch)
    assert any(_problem(random_metal_module(seed, kinds, names)) for seed in range(count))


@cache
def _right(seed: int, kinds: tuple[str, ...], names: tuple[str, ...]) -> str:
    """What is wrong with a module without any defect: called before there is one, and the same for all defects."""
    return _problem(random_metal_module(seed, kinds, names))


def _problem(random: RandomModule) -> str:
    """What the comparison says about a module; empty where it is right."""
    try:
        check_through(random, TTIRToTTMetalBackendPipeline().passes())
    except (Changed, InvalidIR, NotInterpretable, NotLegalized) as problem:
        return str(problem) or type(problem).__name__
    return ""


def test_buffers_are_streamed_where_cores_need_what_others_have() -> None:
    """The modules of these tests have work in place and streamed work, several streams, and streams to several cores."""
    streams: set[tuple[int, bool]] = set()
    for seed in range(SEEDS):
        context_passes = TTIRToTTMetalBackendPipeline().passes()
        kept = [step for step in context_passes if step.name != "convert-ttir-to-ttmetal"]
        module, _ = check_through(random_metal_module(seed), kept)
        for op in buffers.generics(module):
            mapping = op.operand_cb_mapping
            streams.add((sum(number >= 0 for number in mapping), op.grid.volume > 1))
    assert {count for count, _ in streams} >= {0, 1, 2}
    assert {(1, True), (0, True), (0, False)} <= streams
