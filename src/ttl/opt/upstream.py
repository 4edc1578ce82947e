"""Passes of xDSL as ``ttl-opt`` runs them: with locations kept, and for every kind of loop."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects.affine import ForOp as AffineForOp
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.scf import ForOp
from xdsl.passes import ModulePass
from xdsl.transforms.canonicalize import CanonicalizationRewritePattern
from xdsl.transforms.dead_code_elimination import region_dce
from xdsl.transforms.loop_invariant_code_motion import move_loop_invariant_code
from xdsl.transforms.lower_affine import (
    LowerAffineApply,
    LowerAffineFor,
    LowerAffineLoad,
    LowerAffineStore,
    LowerAffineYield,
)

from ttl.dialects.rewriting import rewrite


@dataclass(frozen=True)
class Canonicalize(ModulePass):
    """Expects: any module. Guarantees: no fold, pattern of an operation or erasure of dead code applies any more."""

    name = "canonicalize"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rewrite(
            op,
            [CanonicalizationRewritePattern()],
            fold_in=ctx,
            after_each_walk=region_dce,
            erase_dead=True,
        )


@dataclass(frozen=True)
class LoopInvariantCodeMotion(ModulePass):
    """Expects: any module. Guarantees: what has no effect and depends on nothing in a loop is before the loop."""

    name = "licm"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        loops = [each for each in op.walk(region_first=True) if isinstance(each, ForOp | AffineForOp)]
        for loop in loops:
            # Both kinds of loop are an operation with one region; that is all that is asked of them.
            move_loop_invariant_code(cast(ForOp, loop))


@dataclass(frozen=True)
class LowerAffine(ModulePass):
    """Expects: any module. Guarantees: no ``affine.for``, ``affine.apply``, ``affine.load`` or ``affine.store``."""

    name = "lower-affine"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        patterns = (
            LowerAffineStore(),
            LowerAffineLoad(),
            LowerAffineFor(),
            LowerAffineYield(),
            LowerAffineApply(),
        )
        rewrite(op, patterns)
