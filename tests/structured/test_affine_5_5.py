"""Affine loops and their simplification (seed 002, section 5.5): same memory before and after, and text that MLIR accepts."""

from __future__ import annotations

import random
import shutil
import subprocess
from itertools import product
from typing import Any

import pytest
from xdsl.dialects import affine, memref, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.ir.affine import AffineExpr

from structured.test_loops_5_5 import SUM, Traced, stored
from ttl.analysis.dominance import walked
from ttl.analysis.intervals import Interval
from ttl.dialects.text import context, parse_module
from ttl.ir.affine import add, ceildiv, constant, dims, floordiv, mod, mul
from ttl.ir.printer import print_module
from ttl.ir.upstream import LowerAffine
from ttl.ir.verifier import require_valid
from ttl.passes.kernels.kernel_body import lower_affine
from ttl.passes.structured.affine_loops import (
    CoalesceLoops,
    RaiseToAffine,
    SimplifyBounded,
    TileLoops,
    UnrollLoops,
    interval_of,
)
from ttl.passes.structured.loops import tile

OPT = shutil.which("mlir-opt-19")


def evaluated(op: affine.LoadOp | affine.StoreOp, operands: list[int]) -> tuple[int, ...]:
    map_ = op.map.data
    return tuple(map_.eval(operands[: map_.num_dims], operands[map_.num_dims :]))


class WithAffine(Traced):
    """Runs affine accesses, too."""

    def other(self, op: Operation) -> None:
        match op:
            case affine.StoreOp():
                value, _, *operands = self.given(op)
                self.memory[evaluated(op, operands)] = value
            case affine.LoadOp():
                _, *operands = self.given(op)
                self.define(op.results, [self.memory.get(evaluated(op, operands), 0)])
            case _:
                super().other(op)


def memory_of(module: ModuleOp) -> dict[Any, Any]:
    require_valid(module)
    run = WithAffine([])
    run.block(parse_module(print_module(module), allow_unregistered=True).body.block)
    return run.memory


def accepted(module: ModuleOp) -> None:
    """MLIR reads the text and finds nothing wrong."""
    if OPT is None:
        return
    lines = print_module(module).partition("builtin.module {")[2].rpartition("}")[0]
    text = print_module(module, generic=True)
    inner = text.partition("({\n")[2].rpartition("}) :")[0]
    assert inner and lines is not None
    aliases = "".join(line + "\n" for line in text.splitlines() if line.startswith("#"))
    whole = f"{aliases}module {{ func.func @f() {{\n{inner}\nreturn }} }}"
    run = subprocess.run(
        [OPT, "--allow-unregistered-dialect"], input=whole, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr


def kinds(module: ModuleOp) -> list[str]:
    return [op.name for op in walked(module) if isinstance(op, scf.ForOp | affine.ForOp)]


BOUNDS = [(0, 8, 1), (0, 7, 1), (3, 20, 4), (5, 5, 2), (1, 6, 3), (2, 3, 7)]
INDEXED = """%two = arith.constant 2 : index
%far = arith.muli %i0, %two : index
%place = arith.addi %far, %i1 : index
%old = memref.load %m[%place, %i1] : memref<99x99xindex>
%new = arith.addi %old, %one : index
memref.store %new, %m[%place, %i0] : memref<99x99xindex>"""


def test_5_5_loops_are_raised_where_their_bounds_are_affine_and_do_the_same() -> None:
    for seed, body in product(range(12), (SUM, INDEXED)):
        bounds = random.Random(seed).choices(BOUNDS, k=2)
        module = parse_module(stored(bounds, body), allow_unregistered=True)
        before = memory_of(module)
        RaiseToAffine().apply(context(), module)
        assert kinds(module) == ["affine.for", "affine.for"]
        assert not [op for op in walked(module) if isinstance(op, memref.LoadOp | memref.StoreOp)]
        assert memory_of(module) == before
        accepted(module)
        SimplifyBounded().apply(context(), module)
        assert memory_of(module) == before
        LowerAffine().apply(context(), module)
        assert memory_of(module) == before and "affine" not in print_module(module)


def test_5_5_what_is_not_affine_stays_scf() -> None:
    text = """%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%c4 = arith.constant 4 : index
%m = "test.memory"() : () -> memref<99x99xindex>
scf.for %i = %c0 to %c4 step %c1 {
  %square = arith.muli %i, %i : index
  scf.for %j = %c0 to %square step %c1 {
    memref.store %j, %m[%i, %j] : memref<99x99xindex>
  }
  %less = arith.minsi %i, %c4 : index
  scf.for %k = %i to %less step %c1 {
    memref.store %k, %m[%k, %square] : memref<99x99xindex>
  }
}"""
    module = parse_module(text, allow_unregistered=True)
    before = memory_of(module)
    RaiseToAffine().apply(context(), module)
    assert kinds(module) == ["affine.for", "scf.for", "affine.for"]
    assert sum(isinstance(op, memref.StoreOp) for op in walked(module)) == 2
    assert memory_of(module) == before
    accepted(module)


def test_5_5_a_step_that_is_not_known_stays_scf() -> None:
    text = """%c0 = arith.constant 0 : index
%c4 = arith.constant 4 : index
%s = "test.step"() : () -> index
scf.for %i = %c0 to %c4 step %s {
  "test.act"(%i) : (index) -> ()
}
scf.for %j = %c0 to %s step %c4 {
  "test.act"(%j) : (index) -> ()
}"""
    module = parse_module(text, allow_unregistered=True)
    RaiseToAffine().apply(context(), module)
    assert kinds(module) == ["scf.for", "affine.for"]


def random_expr(rng: random.Random, depth: int) -> AffineExpr:
    if depth == 0:
        return rng.choice([*dims(2), constant(rng.randint(-5, 9))])
    left, right = random_expr(rng, depth - 1), random_expr(rng, depth - 1)
    number = constant(rng.choice((1, 2, 3, 4, 8)))
    makers = [lambda: add(left, right), lambda: mul(left, number), lambda: floordiv(left, number), lambda: mod(left, number), lambda: ceildiv(left, number)]  # fmt: skip
    return rng.choice(makers)()


def test_5_5_intervals_of_expressions_hold_every_value_and_simpler_ones_are_equal() -> None:
    for seed in range(300):
        rng = random.Random(seed)
        low, high, other = rng.randint(-3, 3), rng.randint(4, 12), rng.randint(1, 9)
        expr = random_expr(rng, 3)
        known = interval_of(expr, [Interval(low, high - 1), Interval(0, other - 1)], [])
        values = [expr.eval([i, j], []) for i in range(low, high) for j in range(other)]
        assert known.low is None or known.low <= min(values)
        assert known.high is None or max(values) <= known.high
        text = f"""affine.for %i = {low} to {high} {{ affine.for %j = 0 to {other} {{
  %r = affine.apply affine_map<(d0, d1) -> ({expr})> (%i, %j)
  %t = affine.min affine_map<(d0, d1) -> ({expr}, d0, d1 + 2)> (%i, %j)
  "test.act"(%r, %t) : (index, index) -> ()
}} }}"""
        module = parse_module(text, allow_unregistered=True)
        traces = []
        for _ in range(2):
            run = WithAffine([])
            run.block(module.body.block)
            traces.append(run.trace)
            SimplifyBounded().apply(context(), module)
        assert traces[0] == traces[1], text
        LowerAffine().apply(context(), module)
        run = WithAffine([])
        run.block(module.body.block)
        assert run.trace == traces[0] and "affine" not in print_module(module)


@pytest.mark.parametrize(
    ("given", "simplified"),
    [
        ("affine.apply affine_map<(d0) -> (d0 mod 8)> (%i)", 'act"(%i)'),
        ("affine.apply affine_map<(d0) -> (d0 floordiv 8)> (%i)", "constant 0"),
        ("affine.apply affine_map<(d0) -> (d0 mod 4)> (%i)", None),
        ("affine.min affine_map<(d0) -> (d0, 8)> (%i)", 'act"(%i)'),
        ("affine.min affine_map<(d0) -> (d0 + 16, 8)> (%i)", "constant 8"),
        ("affine.min affine_map<(d0) -> (d0 + 4, 8)> (%i)", None),
    ],
)
def test_5_5_bounds_decide_quotients_remainders_and_minima(given: str, simplified: str | None) -> None:
    text = f'affine.for %i = 0 to 8 {{ %r = {given}\n "test.act"(%r) : (index) -> () }}'
    module = parse_module(text, allow_unregistered=True)
    SimplifyBounded().apply(context(), module)
    printed = print_module(module)
    assert ("affine.apply" in printed or "affine.min" in printed) == (simplified is None)
    if simplified is not None:
        assert simplified in printed


def test_5_5_a_tiled_affine_loop_loses_the_end_that_never_holds() -> None:
    text = 'affine.for %i = 0 to 10 { "test.act"(%i) : (index) -> () }'
    for size, several in ((4, True), (10, False), (16, False)):
        module = parse_module(text, allow_unregistered=True)
        (loop,) = [op for op in walked(module) if isinstance(op, affine.ForOp)]
        tile(loop, [size])
        SimplifyBounded().apply(context(), module)
        inner = [op for op in walked(module) if isinstance(op, affine.ForOp)][1]
        assert (len(inner.upperBoundMap.data.results) > 1) == several
        accepted(module)
        run = WithAffine([])
        run.block(module.body.block)
        assert [turn for (turn,) in run.trace] == [*range(10)]
        lower_affine(module)
        again = WithAffine([])
        again.block(module.body.block)
        assert again.trace == run.trace and "affine" not in print_module(module)


@pytest.mark.parametrize(
    "one", [TileLoops((2, 3)), TileLoops((0, 2)), UnrollLoops(3), UnrollLoops(), CoalesceLoops()]
)
def test_5_5_the_passes_do_the_same_with_every_nest(one: TileLoops | UnrollLoops | CoalesceLoops) -> None:
    for seed, raised in product(range(10), (False, True)):
        bounds = random.Random(seed).choices(BOUNDS, k=2)
        module = parse_module(stored(bounds, SUM), allow_unregistered=True)
        before = memory_of(module)
        if raised:
            RaiseToAffine().apply(context(), module)
        written = print_module(module)
        one.apply(context(), module)
        assert print_module(module) != written
        assert memory_of(module) == before
