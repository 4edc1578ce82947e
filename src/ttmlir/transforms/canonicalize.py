"""``canonicalize``: the folds and patterns of operations, and the side effects of MLIR's greedy rewriter."""

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
    """Merge equal constants at the start of functions, and erase unused operations without an effect.

    Expects: any module. Guarantees: no two constants of a function have the same value and type, no ``tensor.empty``
    and no other operation without an effect is unused, no fold of an operation of ``arith`` and similar dialects
    applies. Operations of TTIR and TTNN have no canonical forms: they do not change otherwise, and unused ones stay.
    """

    name = "canonicalize"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        canonicalize(ctx, op, op)


def canonicalize(ctx: Context, module: ModuleOp, root: Operation) -> None:
    """Canonicalise the operations inside ``root``, an operation of the module."""
    settle(root)
    if _has_foreign_forms(root):
        # Their patterns are those of xDSL, which applies them to whole modules.
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
