"""Values of blocks that ``while`` loops carry."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.dialects.builtin import TensorType
from xdsl.ir import SSAValue
from xdsl.rewriter import InsertPoint

from ttl.passes.building import erase
from ttl.passes.temporaries import insert


@dataclass(frozen=True, slots=True)
class Carried:
    """A value that a loop carries: what it begins with, has in its body, ends a turn with, and gives."""

    # Among what the loop begins with, and among its results.
    index: int
    position: int
    initial: SSAValue
    argument: SSAValue
    yielded: SSAValue
    result: SSAValue


def carried_value(loop: scf.WhileOp) -> Carried | None:
    """The first value of blocks that a loop carries, handed from its condition to its body as it is."""
    before, after = loop.before_region.block, loop.after_region.block
    condition, end = before.last_op, after.last_op
    assert isinstance(condition, scf.ConditionOp) and end is not None
    for position, value in enumerate(condition.args):
        if isinstance(value.type, TensorType) and value in before.args:
            index = list(before.args).index(value)  # type: ignore[arg-type]
            return Carried(
                index,
                position,
                loop.arguments[index],
                after.args[position],
                end.operands[index],
                loop.results[position],
            )
    return None


def without_carried(loop: scf.WhileOp, carried: Carried) -> scf.WhileOp:
    """The same loop without one of the values it carries, which has no uses any more."""
    regions = [loop.detach_region(loop.regions[0]) for _ in range(2)]
    before, after = regions[0].block, regions[1].block
    condition, end = before.last_op, after.last_op
    assert isinstance(condition, scf.ConditionOp) and end is not None
    condition.operands = [
        condition.condition,
        *(each for place, each in enumerate(condition.args) if place != carried.position),
    ]
    end.operands = [each for place, each in enumerate(end.operands) if place != carried.index]
    before.erase_arg(before.args[carried.index])
    after.erase_arg(after.args[carried.position])
    results = [each for place, each in enumerate(loop.results) if place != carried.position]
    made = scf.WhileOp(
        [each for place, each in enumerate(loop.arguments) if place != carried.index],
        [each.type for each in results],
        regions[0],
        regions[1],
    )
    insert([made], InsertPoint.before(loop), loop.location)
    for old, new in zip(results, made.results, strict=True):
        old.replace_all_uses_with(new)
    erase(loop)
    return made
