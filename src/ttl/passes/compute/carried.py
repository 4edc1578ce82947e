"""Values that loops carry from one iteration to the next, and how a loop gets one more or loses one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import affine, scf
from xdsl.dialects.builtin import DenseArrayBase, TensorType, i32
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.rewriter import InsertPoint

from ttl.passes.building import erase
from ttl.passes.compute.temporaries import insert

LOOPS = (scf.ForOp, affine.ForOp)


@dataclass(frozen=True, kw_only=True, slots=True)
class Carried:
    """A value that a loop carries: its initial value, its argument in the body, its yielded value and its result."""

    loop: Operation
    argument: BlockArgument
    result: SSAValue
    # The indices of its initial value in the operands of the loop, and of its yielded value in those of ``end``.
    operand: int
    place: int

    @property
    def initial(self) -> SSAValue:
        """The initial value, that of the first iteration."""
        return self.loop.operands[self.operand]

    @property
    def yielded(self) -> SSAValue:
        """The value that an iteration ends with."""
        return self.end.operands[self.place]

    @property
    def end(self) -> Operation:
        """The operation that ends an iteration."""
        end = self.argument.block.last_op
        assert end is not None
        return end


def carried(loop: Operation, index: int) -> Carried:
    """The carried value of a ``for`` that becomes its result number ``index``."""
    arguments, count = loop.regions[0].block.args, len(loop.results)
    return Carried(
        loop=loop,
        argument=arguments[len(arguments) - count + index],
        result=loop.results[index],
        operand=len(loop.operands) - count + index,
        place=index,
    )


def carried_block(loop: Operation) -> Carried | None:
    """A value of blocks that a loop carries, or None; a ``while`` passes it to its body unchanged."""
    if isinstance(loop, scf.WhileOp):
        return _carried_by_while(loop)
    numbers = [index for index, value in enumerate(loop.results) if isinstance(value.type, TensorType)]
    return carried(loop, numbers[-1]) if numbers else None


def _carried_by_while(loop: scf.WhileOp) -> Carried | None:
    before, after = loop.before_region.block, loop.after_region.block
    condition = before.last_op
    assert isinstance(condition, scf.ConditionOp)
    for position, value in enumerate(condition.args):
        if isinstance(value.type, TensorType) and isinstance(value, BlockArgument) and value.block is before:
            return Carried(
                loop=loop,
                argument=after.args[position],
                result=loop.results[position],
                operand=value.index,
                place=value.index,
            )
    return None


def carry(loop: Operation, value: SSAValue) -> Carried:
    """Make a loop carry one more value; until ``end`` yields another value, every iteration begins with ``value``."""
    body = loop.regions[0].block
    body.insert_arg(value.type, len(body.args))
    end = body.last_op
    assert end is not None
    end.operands = [*end.operands, value]
    op = remade(loop, [*loop.operands, value], loop.results, value.type)
    return carried(op, len(op.results) - 1)


def without(gone: Carried) -> Operation:
    """Return a loop without one of the values it carries, which has no uses any more."""
    loop = gone.loop
    gone.end.operands = _except(gone.end.operands, gone.place)
    position = gone.argument.index
    gone.argument.block.erase_arg(gone.argument)
    if isinstance(loop, scf.WhileOp):
        before = loop.before_region.block
        condition = before.last_op
        assert isinstance(condition, scf.ConditionOp)
        condition.operands = [condition.condition, *_except(condition.args, position)]
        before.erase_arg(before.args[gone.operand])
    kept = [value for value in loop.results if value is not gone.result]
    return remade(loop, _except(loop.operands, gone.operand), kept)


def remade(
    op: Operation, operands: Sequence[SSAValue], kept: Sequence[SSAValue], *more: Attribute
) -> Operation:
    """Replace a loop or branch by one with other operands, the results ``kept``, and further ones of types ``more``."""
    properties = dict(op.properties)
    sizes = properties.get("operandSegmentSizes")
    if isinstance(sizes, DenseArrayBase):
        *first, last = (int(number) for number in sizes.get_values())
        last += len(operands) - len(op.operands)
        properties["operandSegmentSizes"] = DenseArrayBase.from_list(i32, [*first, last])
    new_op = type(op).create(
        operands=operands,
        result_types=[*(value.type for value in kept), *more],
        properties=properties,
        attributes=dict(op.attributes),
        regions=[op.detach_region(region) for region in tuple(op.regions)],
    )
    insert([new_op], InsertPoint.before(op), op.location)
    for old, new in zip(kept, new_op.results, strict=False):
        old.replace_all_uses_with(new)
    erase(op)
    return new_op


def _except(values: Sequence[SSAValue], index: int) -> list[SSAValue]:
    return [value for place, value in enumerate(values) if place != index]
