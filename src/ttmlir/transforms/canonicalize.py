"""``canonicalize``: what operations know about themselves, and what MLIR's greedy rewriter does beside it."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.traits import ConstantLike, HasCanonicalizationPatternsTrait, HasFolder

from tt_model.operations.operation import RowOperation
from ttl.ir.upstream import Canonicalize
from ttmlir.transforms.greedy import settle


@dataclass(frozen=True)
class CanonicalizeModule(ModulePass):
    """Unite equal constants at the start of functions and erase what has no effect and no use.

    Expects: any module. Guarantees: no two constants of a function have the same value and type, no ``tensor.empty`` and no
    other operation without an effect is unused, no fold of an operation of ``arith`` and the like applies. Operations of TTIR
    and TTNN have no canonical forms: nothing else of them changes, and an unused one stays.
    """

    name = "canonicalize"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        canonicalize(ctx, op, op)


def canonicalize(ctx: Context, module: ModuleOp, root: Operation) -> None:
    """Canonicalise what is inside an operation of a module."""
    settle(root)
    if _has_foreign_forms(root):
        # Their patterns are xDSL's, which walks whole modules.
        Canonicalize().apply(ctx, module)
        settle(root)


def _has_foreign_forms(root: Operation) -> bool:
    known: dict[type[Operation], bool] = {}
    for op in root.walk():
        kind = type(op)
        has = known.get(kind)
        if has is None:
            has = known[kind] = (
                not issubclass(kind, RowOperation | ModuleOp)
                and not op.has_trait(ConstantLike, value_if_unregistered=False)
                and (
                    op.has_trait(HasCanonicalizationPatternsTrait, value_if_unregistered=False)
                    or op.has_trait(HasFolder, value_if_unregistered=False)
                )
            )
        if has:
            return True
    return False
