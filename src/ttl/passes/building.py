"""Insertion of operations in front of another one: known integers are folded, and every operation has a location."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, LocationAttr, StringAttr, i1
from xdsl.ir import Block, Operation, OpResult, Region, SSAValue

from ttl.analysis.arithmetic import integer_of
from ttl.analysis.dominance import walked
from ttl.dialects.ttkernel import KernelCallOp, call
from ttl.ir.conversion import OpBuilder

# The reason for a barrier, until it is decided which barriers stay.
BECAUSE = "ttl.because"

# An integer of a kernel: known to the compiler, or a value.
Number = int | SSAValue

_INDEX = IndexType()


class Building(OpBuilder):
    """Inserts operations before ``anchor``, or at the end of ``block``; they get the location of ``place``."""

    def __init__(
        self,
        anchor: Operation | None = None,
        *,
        block: Block | None = None,
        place: Operation | None = None,
        location: LocationAttr | None = None,
    ) -> None:
        owner = block if anchor is None else anchor.parent
        source = place or anchor
        assert owner is not None and source is not None
        super().__init__(owner, anchor=anchor, location=source.location if location is None else location)
        self.place = source

    @staticmethod
    def after(op: Operation, *, place: Operation | None = None) -> Building:
        """Insert behind an operation."""
        return Building(op.next_op, block=op.parent, place=place or op)

    def add(self, op: Operation) -> Operation:
        """Insert an operation; it and the operations in its regions get the location."""
        for inner in walked(op):
            inner.location = self.location
        self.move(op)
        return op

    def add_as_is(self, op: Operation) -> Operation:
        """Insert an operation; the operations in its regions keep their locations."""
        return super().add(op)

    def at(self, place: Operation) -> Building:
        """Insert at the same point, with the location of another operation."""
        return Building(self._anchor, block=self.block, place=place)

    def inside(self, block: Block) -> Building:
        """Insert at the end of a block, with the same location."""
        return Building(block=block, place=self.place, location=self.location)

    # --- calls of the kernel API ---------------------------------------------------------------------------------

    def call(self, name: str, *operands: Number, **constants: Any) -> SSAValue | None:
        """Call a function of the kernel API; return its result, or None if it has no result."""
        op: KernelCallOp = call(name, *(self.value(operand) for operand in operands), **constants)
        self.add(op)
        return op.results[0] if op.results else None

    def barrier(self, name: str, reason: str) -> None:
        """Call a barrier; ``ttkernel-merge-barriers`` notes the reason on those that stay."""
        self.add(call(name)).attributes[BECAUSE] = StringAttr(reason)

    def ask(self, name: str, *operands: Number, **constants: Any) -> SSAValue:
        """Call a function of the kernel API that has a result, and return it."""
        result = self.call(name, *operands, **constants)
        assert result is not None, f"{name} has no result"
        return result

    # --- arithmetic ----------------------------------------------------------------------------------------------

    def value(self, number: Number) -> SSAValue:
        """A number as a value."""
        if isinstance(number, SSAValue):
            return number
        return self.result(arith.ConstantOp(IntegerAttr(number, _INDEX)))

    def sum(self, *numbers: Number) -> Number:
        """The sum of all numbers; known ones are combined and added last."""
        known = sum(number for number in numbers if isinstance(number, int))
        total: Number = 0
        for number in numbers:
            if isinstance(number, SSAValue):
                total = (
                    number if isinstance(total, int) else self.result(arith.AddiOp(self.value(total), number))
                )
        if isinstance(total, int):
            return known
        return total if known == 0 else self.result(arith.AddiOp(total, self.value(known)))

    def difference(self, left: Number, right: Number) -> Number:
        """``left - right``."""
        if isinstance(right, int):
            return self.sum(left, -right) if right <= 0 or isinstance(left, int) else self._minus(left, right)
        return self._minus(left, right)

    def _minus(self, left: Number, right: Number) -> SSAValue:
        return self.result(arith.SubiOp(self.value(left), self.value(right)))

    def product(self, left: Number, right: Number) -> Number:
        """``left * right``."""
        if isinstance(left, int) and isinstance(right, int):
            return left * right
        for one, other in ((left, right), (right, left)):
            if isinstance(one, int) and one in (0, 1):
                return other if one else 0
        if isinstance(left, int):
            left, right = right, left
        if isinstance(right, int) and isinstance(left, SSAValue) and isinstance(left.owner, arith.MuliOp):
            factor = integer_of(left.owner.rhs)
            if factor is not None:
                left, right = left.owner.lhs, factor * right
        return self.result(arith.MuliOp(self.value(left), self.value(right)))

    def quotient(self, left: Number, right: int) -> Number:
        """``left // right``, of numbers that are not negative."""
        if isinstance(left, int) or right == 1:
            return left // right if isinstance(left, int) else left
        return self.result(arith.FloorDivSIOp(left, self.value(right)))

    def remainder(self, left: Number, right: int) -> Number:
        """``left % right``, of numbers that are not negative."""
        if isinstance(left, int) or right == 1:
            return left % right if isinstance(left, int) else 0
        return self.result(arith.RemSIOp(left, self.value(right)))

    def compare(self, left: Number, how: str, right: Number) -> SSAValue:
        """``left how right``, an i1; ``how`` is eq, ne, slt, sle, sgt or sge."""
        return self.result(arith.CmpiOp(self.value(left), self.value(right), how))

    def truth(self, value: bool) -> SSAValue:
        """A condition that is known."""
        return self.result(arith.ConstantOp(IntegerAttr(int(value), i1)))

    def all_of(self, *conditions: SSAValue) -> SSAValue | None:
        """Return the conjunction of conditions; None without conditions."""
        result: SSAValue | None = None
        for condition in conditions:
            result = condition if result is None else self.result(arith.AndIOp(result, condition))
        return result

    def any_of(self, *conditions: SSAValue) -> SSAValue | None:
        """Return the disjunction of conditions; None without conditions."""
        result: SSAValue | None = None
        for condition in conditions:
            result = condition if result is None else self.result(arith.OrIOp(result, condition))
        return result

    def select(self, condition: SSAValue, yes: Number, no: Number) -> SSAValue:
        """``yes`` if the condition holds, else ``no``."""
        return self.result(arith.SelectOp(condition, self.value(yes), self.value(no)))

    def result(self, op: Operation) -> OpResult:
        """Insert an operation with one result, and return the result."""
        self.add(op)
        return op.results[0]

    # --- control flow --------------------------------------------------------------------------------------------

    def loop(
        self,
        first: Number,
        stop: Number,
        step: Number,
        carried: Sequence[SSAValue],
        body: Callable[[Building, SSAValue, Sequence[SSAValue]], Sequence[SSAValue]],
        *,
        name: str | None = None,
    ) -> tuple[SSAValue, ...]:
        """Insert ``scf.for``; ``body`` gets the variable and the carried values, and returns the yielded ones."""
        lower, upper, distance = self.value(first), self.value(stop), self.value(step)
        inner = Block(arg_types=[_INDEX, *(value.type for value in carried)])
        if name is not None:
            inner.args[0].name_hint = name
        for argument, value in zip(inner.args[1:], carried):
            argument.name_hint = value.name_hint
        op = scf.ForOp(lower, upper, distance, list(carried), Region(inner))
        self.add(op)
        within = self.inside(inner)
        within.add(scf.YieldOp(*body(within, inner.args[0], inner.args[1:])))
        return tuple(op.results)

    def when(self, condition: SSAValue) -> Building:
        """Insert ``scf.if`` without an else; returns a ``Building`` for its body."""
        inner = Block()
        end = scf.YieldOp()
        inner.add_op(end)
        self.add(scf.IfOp(condition, [], Region(inner), Region()))
        return Building(end, place=self.place, location=self.location)


def erase(op: Operation) -> None:
    """Erase an operation, even if its results are still used."""
    assert op.parent is not None
    op.parent.erase_op(op, safe_erase=False)


def detach(op: Operation) -> None:
    """Take an operation out of its block, so that it can be inserted elsewhere."""
    assert op.parent is not None
    op.parent.detach_op(op)


def number(value: SSAValue) -> Number:
    """The integer that a value is known to be, else the value."""
    known = integer_of(value)
    return value if known is None else known
