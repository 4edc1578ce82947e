"""The driver of conversions: places, what values become, refusals, blocks inside of blocks."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import test as of_xdsl
from xdsl.dialects.arith import AddiOp, ConstantOp, MuliOp
from xdsl.dialects.builtin import IndexType, StringAttr, UnknownLoc
from xdsl.ir import Block, Operation, SSAValue

from ttl.ir.conversion import BlockConversion, OpBuilder
from ttl.ir.locations import synthetic
from ttl.ir.refusals import Refused

INDEX = IndexType()


def number(value: int) -> ConstantOp:
    return ConstantOp.from_int_and_width(value, INDEX)


def placed(op: Operation, name: str) -> Operation:
    op.location = synthetic(name)
    return op


class Doubling(BlockConversion):
    """Constants become twice as large, sums stay sums, tests with a block are converted inside; nothing else has a form."""

    def convert(self, op: Operation) -> Sequence[SSAValue] | None:
        match op:
            case ConstantOp():
                return [self.add(number(2 * op.value.value.data)).results[0]]  # type: ignore[union-attr]
            case AddiOp():
                return [self.add(AddiOp(*self.uses(op.operands))).results[0]]
            case of_xdsl.TestOp():
                inner = Block()
                with self.inside(inner):
                    self.convert_block(op.regions[0].block)
                    self.add(of_xdsl.TestOp(attributes={"end": StringAttr("")}))
                self.add(of_xdsl.TestOp(regions=[[inner]]))
                return None
        raise Refused(f"{op.name} has no double", "what works: sums")

    def stand_in(self, value: SSAValue) -> SSAValue:
        return self.add(number(0)).results[0]


def test_what_is_made_has_the_place_of_what_it_comes_from() -> None:
    one = placed(number(1), "one")
    total = placed(AddiOp(one.results[0], one.results[0]), "total")
    conversion = Doubling(Block())
    conversion.convert_block(Block([one, total]))
    doubled, added = conversion.block.ops
    assert [op.location for op in (doubled, added)] == [one.location, total.location]
    assert list(added.operands) == [doubled.results[0]] * 2
    assert conversion.use(total.results[0]) is added.results[0]
    assert conversion.location == UnknownLoc()


def test_everything_that_is_refused_is_listed() -> None:
    one = number(1)
    first = MuliOp(one.result, one.result)
    second = MuliOp(first.result, one.result)
    total = AddiOp(second.result, one.result)
    conversion = Doubling(Block())
    conversion.convert_block(Block([one, first, second, total]))
    assert [(op, refusal.condition) for op, refusal in conversion.refused] == [
        (op, "arith.muli has no double") for op in (first, second)
    ]
    assert conversion.use(total.result).owner.name == "arith.addi"  # type: ignore[union-attr]


def test_a_block_inside_of_a_block() -> None:
    around = placed(of_xdsl.TestOp(regions=[[Block([placed(number(3), "inner")])]]), "around")
    conversion = Doubling(Block())
    conversion.convert_block(Block([around]))
    (new,) = conversion.block.ops
    inner, end = new.regions[0].block.ops
    assert [op.location for op in (new, inner, end)] == [
        around.location,
        synthetic("inner"),
        UnknownLoc(),
    ]


def test_a_builder_inserts_where_it_is_told() -> None:
    first, last = number(1), number(2)
    block = Block([first, last])
    place = synthetic("here")
    before = OpBuilder(block, anchor=last, location=place).add(number(3))
    at_end = OpBuilder(block).add(number(4))
    assert list(block.ops) == [first, before, last, at_end]
    assert (before.location, at_end.location) == (place, UnknownLoc())
