"""What branches give that nobody takes."""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.rewriter import InsertPoint, Rewriter


def drop_unused_results(op: scf.IfOp) -> scf.IfOp | None:
    """The same branches without the results that have no uses, in place of ``op``; None: all are used.

    A variable that a branch assigns is a result of it, whether or not anything reads it afterwards. A block among
    them would cost the branch a buffer.
    """
    kept = [index for index, result in enumerate(op.results) if result.uses]
    if len(kept) == len(op.results):
        return None
    for region in op.regions:
        end = region.block.last_op
        assert end is not None
        end.operands = [end.operands[index] for index in kept]
    results = [op.results[index] for index in kept]
    taken, otherwise = (op.detach_region(region) for region in list(op.regions))
    made = scf.IfOp(op.cond, [each.type for each in results], taken, otherwise)
    made.location = op.location
    made.attributes = dict(op.attributes)
    Rewriter.insert_op(made, InsertPoint.before(op))
    for old, new in zip(results, made.results, strict=True):
        new.name_hint = old.name_hint
        old.replace_all_uses_with(new)
    Rewriter.erase_op(op)
    return made
