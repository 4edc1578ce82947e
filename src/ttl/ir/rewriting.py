"""Rewriting that keeps locations: operations that a pattern makes get the location of the matched operation.

xDSL's own rewriter forgets them. Every pass of ours, and every pass of xDSL that makes operations, goes through ``rewrite``; a
value gets another type by ``replace_type``. An operation that knows its own folds is ``Foldable`` and has the trait ``Folds``:
``canonicalize`` asks it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import IndexType, LocationAttr, ModuleOp, UnknownLoc
from xdsl.ir import Attribute, BlockArgument, Operation, Region, SSAValue
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    PatternRewriterListener,
    PatternRewriteWalker,
    RewritePattern,
)
from xdsl.rewriter import Rewriter
from xdsl.traits import HasCanonicalizationPatternsTrait


class Foldable:
    """Interface of an operation whose result may be known at compile time."""

    def fold_by(self, rewriter: PatternRewriter) -> None:
        """Replace the operation by its result if that is known."""
        raise NotImplementedError


class RegionBranchOp:
    """Interface of an operation that decides how often its region runs, other than the loops of MLIR's own dialects."""

    MAY_SKIP: ClassVar[bool] = False
    MAY_REPEAT: ClassVar[bool] = True


class Fold(RewritePattern):
    """Folds operations by their own rules (``Foldable``)."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if isinstance(op, Foldable):
            op.fold_by(rewriter)


class Folds(HasCanonicalizationPatternsTrait):
    """The trait of a ``Foldable`` operation, for ``canonicalize``."""

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return (Fold(),)


def replace_by_numbers(op: Operation, numbers: Sequence[int], rewriter: PatternRewriter) -> None:
    """Replace an operation whose results are known indices."""
    from xdsl.dialects.arith import ConstantOp

    constants = [ConstantOp.from_int_and_width(number, IndexType()) for number in numbers]
    rewriter.replace(op, constants, [constant.result for constant in constants])


def replace_type(value: SSAValue, type: Attribute) -> SSAValue:
    """Replace a value by one of another type, which keeps its location."""
    place = value.location if isinstance(value, BlockArgument) else None
    retyped = Rewriter.replace_value_with_new_type(value, type)
    if place is not None and isinstance(retyped, BlockArgument):
        retyped.location = place
    return retyped


def convert_type(value: SSAValue, converted: Callable[[Attribute], Attribute]) -> None:
    """Convert the type of a value: if ``converted`` returns another type, the value is replaced by one of that type."""
    type = converted(value.type)
    if type is not value.type:
        replace_type(value, type)


def convert_types_of(op: Operation, converted: Callable[[Attribute], Attribute]) -> None:
    """Convert the types of the results of an operation, of its block arguments, and of its signature if it is a function."""
    from xdsl.dialects.builtin import FunctionType
    from xdsl.dialects.func import FuncOp

    arguments = [argument for region in op.regions for block in region.blocks for argument in block.args]
    for value in (*op.results, *arguments):
        convert_type(value, converted)
    if isinstance(op, FuncOp):
        signature = op.function_type
        op.function_type = FunctionType.from_lists(
            [converted(type) for type in signature.inputs], [converted(type) for type in signature.outputs]
        )


def rewrite(
    module: ModuleOp,
    patterns: Sequence[RewritePattern],
    *,
    fold_in: Context | None = None,
    after_each_walk: Callable[[Region, PatternRewriterListener], bool] | None = None,
    erase_dead: bool = False,
) -> bool:
    """Apply patterns until nothing changes; return whether anything did.

    ``fold_in`` is the context to fold constants in; ``erase_dead`` also erases operations without effect and use.
    """
    applier = GreedyRewritePatternApplier(
        list(patterns), ctx=fold_in, folding_enabled=fold_in is not None, dce_enabled=erase_dead
    )
    carrying = _Carrying(applier)
    walker = PatternRewriteWalker(
        carrying,
        post_walk_func=after_each_walk,
        listener=PatternRewriterListener(operation_insertion_handler=[carrying.on_insertion]),
    )
    return walker.rewrite_module(module)


class _Carrying(RewritePattern):
    def __init__(self, pattern: RewritePattern) -> None:
        self._pattern = pattern
        self._place: LocationAttr | None = None

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        self._place = op.location
        self._pattern.match_and_rewrite(op, rewriter)

    def on_insertion(self, op: Operation) -> None:
        if self._place is None:
            return
        for inner in op.walk():
            if isinstance(inner.location, UnknownLoc):
                inner.location = self._place
