"""Branches: conditions that an enclosing branch has decided (``x > 0`` where ``x == 1``), and unused results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i1
from xdsl.ir import Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ttl.analysis.arithmetic import integer_of
from ttl.analysis.intervals import ANY, NATURAL, Interval, assuming, decided, exactly
from ttl.dialects.queries import NodeLinearOp, NodeOp
from ttl.dialects.ttkernel import KernelCallOp


@dataclass(frozen=True, slots=True)
class _Facts:
    """The facts known in a branch: whether conditions hold, and the intervals of numbers that were compared."""

    conditions: Mapping[SSAValue, bool] = field(default_factory=lambda: MappingProxyType({}))
    numbers: Mapping[SSAValue, Interval] = field(default_factory=lambda: MappingProxyType({}))

    def assuming(self, condition: SSAValue, *, holds: bool) -> _Facts:
        """Return the facts with a condition that holds, or does not, and its consequences for other conditions."""
        known = replace(self, conditions={**self.conditions, condition: holds})
        match condition.owner:
            case arith.CmpiOp() as op:
                return known._compared(op, holds=holds)
            case arith.AndIOp() | arith.OrIOp() as op if holds == isinstance(op, arith.AndIOp):
                return known.assuming(op.lhs, holds=holds).assuming(op.rhs, holds=holds)
            case arith.XOrIOp() as op if (number := integer_of(op.rhs)) is not None:
                return known.assuming(op.lhs, holds=holds != bool(number))
        return known

    def decide(self, value: SSAValue) -> bool | None:
        """Whether a condition holds; None if the facts do not decide it."""
        known = self.conditions.get(value)
        op = value.owner
        if known is not None or not isinstance(op, arith.CmpiOp) or op.lhs not in self.numbers:
            return known
        number = integer_of(op.rhs)
        if number is None:
            return None
        return decided(op.predicate.value.data, self.numbers[op.lhs], exactly(number), same=False)

    def _compared(self, op: arith.CmpiOp, *, holds: bool) -> _Facts:
        number = integer_of(op.rhs)
        if number is None or op.lhs.type == i1:
            return self
        before = self.numbers.get(op.lhs, _given(op.lhs))
        left = assuming(op.predicate.value.data, before, exactly(number), holds=holds)
        return self if left is None else replace(self, numbers={**self.numbers, op.lhs: left})


def _given(value: SSAValue) -> Interval:
    """Return the interval of a value where no condition is known."""
    op = value.owner
    is_coordinate = isinstance(op, NodeOp | NodeLinearOp) or (
        isinstance(op, KernelCallOp) and op.call.name.startswith("get_absolute_logical")
    )
    return NATURAL if is_coordinate else ANY


def decide_conditions(module: ModuleOp) -> bool:
    """Replace conditions that enclosing branches decide by constants; return whether there were any."""
    return _region(module.body, _Facts())


def _region(region: Region, facts: _Facts) -> bool:
    changed = False
    for block in region.blocks:
        for op in list(block.ops):
            if facts.conditions:
                changed |= _use_facts(op, facts)
            for inner in op.regions:
                changed |= _region(inner, _inside(op, inner, facts))
    return changed


def _inside(op: Operation, region: Region, facts: _Facts) -> _Facts:
    if not isinstance(op, scf.IfOp) or integer_of(op.cond) is not None:
        return facts
    return facts.assuming(op.cond, holds=region is op.true_region)


def _use_facts(op: Operation, facts: _Facts) -> bool:
    changed = False
    for index, operand in enumerate(op.operands):
        if operand.type != i1 or integer_of(operand) is not None:
            continue
        known = facts.decide(operand)
        if known is None:
            continue
        constant = arith.ConstantOp(IntegerAttr(int(known), i1))
        constant.location = op.location
        Rewriter.insert_op(constant, InsertPoint.before(op))
        op.operands[index] = constant.result
        changed = True
    return changed


def drop_unused_results(op: scf.IfOp) -> scf.IfOp | None:
    """Replace an ``scf.if`` by one without its unused results and return it; return None if all results are used.

    A variable that a branch assigns is a result of it, whether or not anything reads it afterwards. A block among the results
    would cost the branch a buffer.
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
    unused_results = scf.IfOp(op.cond, [value.type for value in results], taken, otherwise)
    unused_results.location = op.location
    unused_results.attributes = dict(op.attributes)
    Rewriter.insert_op(unused_results, InsertPoint.before(op))
    for old, new in zip(results, unused_results.results, strict=True):
        new.name_hint = old.name_hint
        old.replace_all_uses_with(new)
    Rewriter.erase_op(op)
    return unused_results
