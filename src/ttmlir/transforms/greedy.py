"""The side effects of MLIR's greedy rewriter on a module, beside the patterns it runs.

Three passes of the pipeline run it (``inline`` cleans up with one run, ``ttnn-layout`` makes two), and they determine the order
of constants in the result: equal constants are merged, constants move to the start of the function, and unused operations without
an effect are erased.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import UnknownLoc
from xdsl.ir import Attribute, Block, Operation, Region
from xdsl.rewriter import Rewriter
from xdsl.traits import IsolatedFromAbove, IsTerminator, is_side_effect_free

from tt_model.operations.operation import row_of


def settle(root: Operation) -> bool:
    """Apply the side effects inside an operation, and return whether anything was replaced or erased."""
    merged = _Constants().unite(root)
    erased = erase_unused(root)
    return merged or erased


def value_of_constant(op: Operation) -> Attribute | None:
    """The value of a constant; None for other operations."""
    row = row_of(op)
    if row is not None:
        return op.properties.get("value") if "ConstantLike" in row.traits else None
    return op.value if isinstance(op, ConstantOp) else None


def has_no_effect(op: Operation) -> bool:
    """Return whether an operation may be erased if its results are unused. Most operations of the dialects do not declare that."""
    return not op.has_trait(IsTerminator, value_if_unregistered=True) and is_side_effect_free(op)


def erase_unused(root: Operation) -> bool:
    """Erase unused operations without an effect inside an operation; return whether there were any.

    An operation that becomes unused thereby is erased, too.
    """
    erased = False
    for region in root.regions:
        for block in reversed(region.blocks):
            op = block.last_op
            while op is not None:
                before = op.prev_op
                if (
                    op.results
                    and all(result.first_use is None for result in op.results)
                    and has_no_effect(op)
                ):
                    Rewriter.erase_op(op)
                    erased = True
                elif op.regions:
                    erased |= erase_unused(op)
                op = before
    return erased


class _Constants:
    """The constants of one run. Each new constant goes to the start of its function, before the earlier ones."""

    def __init__(self) -> None:
        self._by_value: dict[tuple[Region, str, Attribute, Attribute], Operation] = {}
        self._known: set[Operation] = set()

    def unite(self, root: Operation) -> bool:
        replaced = False
        for op in _in_order(root):
            value = value_of_constant(op)
            if value is not None:
                replaced |= self._meet(op, value)
        return replaced

    def _meet(self, op: Operation, value: Attribute) -> bool:
        block = op.parent
        assert block is not None
        region = _region_for_constants(block)
        key = (region, op.name.partition(".")[0], value, op.results[0].type)
        known = self._by_value.get(key)
        if known is not None:
            known.location = UnknownLoc()
            op.results[0].replace_all_uses_with(known.results[0])
            Rewriter.erase_op(op)
            return True
        start = region.first_block
        assert start is not None
        if start is not block or (op.prev_op is not None and op.prev_op not in self._known):
            block.detach_op(op)
            _insert_at_start(op, start)
            # A moved operation has no line of the program; MLIR gives it an unknown location, too.
            op.location = UnknownLoc()
        self._by_value[key] = op
        self._known.add(op)
        return False


def _insert_at_start(op: Operation, block: Block) -> None:
    first = block.first_op
    if first is None:
        block.add_op(op)
    else:
        block.insert_op_before(op, first)


def _in_order(root: Operation) -> Iterator[Operation]:
    """The operations inside ``root``, each before those in its regions; callers may move or erase the current one."""
    for region in root.regions:
        for block in region.blocks:
            op = block.first_op
            while op is not None:
                after = op.next_op
                inner = op.regions
                yield op
                if inner:
                    yield from _in_order(op)
                op = after


def _region_for_constants(block: Block) -> Region:
    """Return the region in which constants of a block are placed: that of the function around it."""
    region = block.parent
    assert region is not None
    owner = region.parent
    while owner is not None and not owner.has_trait(IsolatedFromAbove, value_if_unregistered=True):
        outer = owner.parent
        if outer is None or outer.parent is None:
            break
        region = outer.parent
        owner = region.parent
    return region
