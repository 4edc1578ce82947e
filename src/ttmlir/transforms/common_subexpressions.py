"""``cse``: equal operations are computed once."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnknownLoc
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter
from xdsl.traits import IsolatedFromAbove

from tt_model.operations.operation import is_destination_style
from tt_model.operations.ttnn import TTNNEmptyOp
from ttmlir.transforms.greedy import has_no_effect

_Scope = dict[Hashable, Operation]


@dataclass(frozen=True)
class MergeCommonSubexpressions(ModulePass):
    """Replace operations without effects by equal ones that dominate them, and erase unused ones.

    Expects: any module. Guarantees: of two equal operations without an effect, including ``tensor.empty``, neither
    dominates the other. Operations of TTIR and TTNN do not declare that they have no effect, and stay; so does a
    ``ttnn.empty`` to which an operation writes, because that memory would be written twice.
    """

    name = "cse"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        dead: list[Operation] = []
        for region in op.regions:
            _merge_region(region, {}, dead)
        for erased in reversed(dead):
            Rewriter.erase_op(erased)


def _merge_region(region: Region, scope: _Scope, dead: list[Operation]) -> None:
    if len(region.blocks) == 1:
        _merge_block(region.block, scope, dead)
        return
    for block in region.blocks:  # dominance between blocks is left to passes over control flow
        _merge_block(block, dict(scope), dead)


def _merge_block(block: Block, scope: _Scope, dead: list[Operation]) -> None:
    for op in block.ops:
        if op.regions:
            isolated = op.has_trait(IsolatedFromAbove, value_if_unregistered=True)
            for region in op.regions:
                _merge_region(region, {} if isolated else dict(scope), dead)
        elif op.results and has_no_effect(op):
            _merge(op, scope, dead)


def _merge(op: Operation, scope: _Scope, dead: list[Operation]) -> None:
    if all(result.first_use is None for result in op.results):
        dead.append(op)
        return
    if isinstance(op, TTNNEmptyOp) and any(_is_written(result) for result in op.results):
        return
    key = (
        op.name,
        op.operands,
        op.result_types,
        frozenset(op.properties.items()),
        frozenset(op.attributes.items()),
    )
    known = scope.setdefault(key, op)
    if known is op:
        return
    for old, new in zip(op.results, known.results, strict=True):
        old.replace_all_uses_with(new)
    if isinstance(known.location, UnknownLoc):
        known.location = op.location
    dead.append(op)


def _is_written(value: SSAValue) -> bool:
    return any(is_destination_style(use.operation) for use in value.uses)
