"""Passes of xDSL as our tools run them: locations are preserved, and all kinds of loops are supported."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from ttl.ir.lower_affine import LowerAffinePattern
from ttl.ir.rewriting import rewrite

# The passes of xDSL are imported when they run: importing takes as long as processing a small module.


@dataclass(frozen=True)
class Canonicalize(ModulePass):
    """Fold constants, and erase operations without effect or use.

    Expects: any module. Guarantees: no fold, pattern of an operation or erasure of dead code applies any more.
    """

    name = "canonicalize"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        from xdsl.transforms.canonicalize import CanonicalizationRewritePattern
        from xdsl.transforms.dead_code_elimination import region_dce

        rewrite(
            op,
            [CanonicalizationRewritePattern()],
            fold_in=ctx,
            after_each_walk=region_dce,
            erase_dead=True,
        )


@dataclass(frozen=True)
class CommonSubexpressions(ModulePass):
    """Merge equal computations."""

    name = "cse"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        from xdsl.transforms.common_subexpression_elimination import CommonSubexpressionElimination

        CommonSubexpressionElimination().apply(ctx, op)


@dataclass(frozen=True)
class DeadCode(ModulePass):
    """Erase operations without effect and use."""

    name = "dce"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        from xdsl.transforms.dead_code_elimination import DeadCodeElimination

        DeadCodeElimination().apply(ctx, op)


@dataclass(frozen=True)
class LoopInvariantCodeMotion(ModulePass):
    """Move loop-invariant operations out of scf.for and affine.for.

    Expects: any module. Guarantees: an operation without effect that depends on nothing in a loop is before the loop.
    """

    name = "licm"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        from xdsl.dialects.affine import ForOp as AffineForOp
        from xdsl.dialects.scf import ForOp
        from xdsl.transforms.loop_invariant_code_motion import move_loop_invariant_code

        loops = [inner for inner in op.walk(region_first=True) if isinstance(inner, ForOp | AffineForOp)]
        for loop in loops:
            # Both kinds of loop are an operation with one region, which is the only requirement.
            move_loop_invariant_code(cast("ForOp", loop))


@dataclass(frozen=True)
class LowerAffine(ModulePass):
    """Lower affine loops and maps to scf and arith.

    Expects: any module. Guarantees: no ``affine.for``, ``affine.apply``, ``affine.min``, ``affine.load`` or ``affine.store``.
    """

    name = "lower-affine"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rewrite(op, [LowerAffinePattern()])


PASSES: tuple[type[ModulePass], ...] = (
    Canonicalize,
    CommonSubexpressions,
    DeadCode,
    LoopInvariantCodeMotion,
    LowerAffine,
)
