"""The values that the C++ of a kernel mentions, and how often.

Statements mention their operands, and expressions inside statements mention theirs. Values that loops carry and results
of branches count where they are mentioned; those without a mention are not written.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import arith, scf
from xdsl.ir import Block, Operation, Region, SSAValue

from ttl.analysis.arithmetic import modulo_of, negated_of
from ttl.analysis.ranges import Ranges
from ttl.dialects.ttkernel import ZoneOp

_ENDS = frozenset({scf.YieldOp, scf.ConditionOp})
_CONTROL = frozenset({scf.ForOp, scf.IfOp, scf.WhileOp})


class Demand:
    """The mentions of values in a kernel.

    ``is_expression`` says which operations are expressions: they have no effect, and are written where they are used,
    or not at all. A value that can only be one number is written as that number, and a branch or a loop that never runs
    according to ``ranges`` is not written.
    """

    def __init__(
        self,
        body: Region,
        *,
        is_expression: Callable[[Operation], bool],
        ranges: Ranges,
    ) -> None:
        self._is_expression = is_expression
        self._ranges = ranges
        self._mentions: dict[SSAValue, list[Operation]] = {}
        self._waiting: list[tuple[SSAValue, Operation]] = []
        self._handed_on: set[tuple[Operation, int]] = set()
        self._needed: set[Operation] = set()
        self._statements(body)
        while self._waiting:
            self._mention(*self._waiting.pop())

    def count(self, value: SSAValue) -> int:
        """Return how often a value is mentioned."""
        return len(self._mentions.get(value, ()))

    def is_held(self, value: SSAValue) -> bool:
        """Whether a value is mentioned and is not a constant, so that it needs an expression or a variable."""
        return self.count(value) > 0 and self._number_of(value) is None

    def only_user(self, value: SSAValue) -> Operation | None:
        """Return the operation that mentions a value, if there is only one mention."""
        users = self._mentions.get(value, ())
        return users[0] if len(users) == 1 else None

    def is_used_beside(self, value: SSAValue) -> bool:
        """Whether the only mention of a value is in the block in which it is computed, or in a branch of that block.

        Its expression can then be written at the mention without being computed more often.
        """
        user = self.only_user(value)
        where = block_of(value)
        while user is not None and user.parent is not where:
            user = user.parent_op()
            if not isinstance(user, scf.IfOp | ZoneOp):
                return False
        return user is not None

    def is_needed(self, op: Operation) -> bool:
        """Whether a loop or branch has effects, or a result that is mentioned."""
        return op in self._needed

    def is_carried(self, op: scf.ForOp | scf.WhileOp, position: int) -> bool:
        """Whether the value that a loop carries at a position is mentioned in the loop or after it."""
        if isinstance(op, scf.ForOp):
            return self.is_held(op.body.block.args[position + 1]) or self.is_held(op.res[position])
        return self.is_held(op.before_region.block.args[position])

    def _statements(self, region: Region) -> None:
        for block in region.blocks:
            for op in block.ops:
                if self._is_expression(op) or type(op) in _ENDS:
                    continue
                if type(op) not in _CONTROL:
                    self._need(op)
                for inner in self._written(op):
                    self._statements(inner)

    def _written(self, op: Operation) -> Sequence[Region]:
        """The regions of an operation that can run, and are written."""
        match op:
            case scf.IfOp():
                test = self._number_of(op.cond)
                return op.regions if test is None else (op.regions[0 if test else 1],)
            case scf.ForOp() if self._ranges.never_runs(op):
                return ()
        return op.regions

    def _number_of(self, value: SSAValue) -> int | None:
        return self._ranges.of(value).only

    def _need(self, op: Operation | None) -> None:
        """Mark an operation, and the operations that contain it, as needed."""
        while op is not None and op not in self._needed:
            self._needed.add(op)
            if not (isinstance(op, scf.ForOp) and self._ranges.never_runs(op)):
                self._waiting += [(operand, op) for operand in _always_read(op)]
            if isinstance(op, scf.WhileOp):
                self._need(_end_of(op.before_region))
            op = op.parent_op()

    def _mention(self, value: SSAValue, user: Operation) -> None:
        known = self._mentions.setdefault(value, [])
        known.append(user)
        if len(known) > 1:
            return
        if self._number_of(value) is not None:
            return
        owner = value.owner
        if isinstance(owner, Operation) and self._is_expression(owner):
            self._waiting += [(operand, owner) for operand in self._inputs(owner)]
            return
        handed_on = _handed_on(value)
        if handed_on is not None and handed_on not in self._handed_on:
            self._handed_on.add(handed_on)
            self._need(handed_on[0])
            self._waiting += self._sources(*handed_on)

    def _inputs(self, op: Operation) -> Sequence[SSAValue]:
        if isinstance(op, arith.SelectOp):
            test = self._number_of(op.cond)
            if test is not None:
                return (op.lhs if test else op.rhs,)
        return inputs_of(op)

    def _sources(self, op: Operation, position: int) -> list[tuple[SSAValue, Operation]]:
        match op:
            case scf.ForOp() if self._ranges.never_runs(op):
                return [(op.iter_args[position], op)]
            case scf.ForOp():
                end = _end_of(op.body)
                return [(op.iter_args[position], op), (end.operands[position], end)]
            case scf.IfOp():
                ends = [_end_of(region) for region in self._written(op) if region.blocks]
                return [(end.operands[position], end) for end in ends]
            case scf.WhileOp():
                end = _end_of(op.after_region)
                return [(op.arguments[position], op), (end.operands[position], end)]
            case scf.ConditionOp():
                return [(op.args[position], op)]
        return []


def block_of(value: SSAValue) -> Block | None:
    """The block that defines a value."""
    return value.owner if isinstance(value.owner, Block) else value.owner.parent


def _always_read(op: Operation) -> Sequence[SSAValue]:
    """The operands that a written operation needs, regardless of its users."""
    match op:
        case scf.ForOp():
            return (op.lb, op.ub, op.step)
        case scf.ConditionOp():
            return (op.condition,)
        case scf.WhileOp() | scf.YieldOp():
            return ()
    return op.operands


def _handed_on(value: SSAValue) -> tuple[Operation, int] | None:
    """Return the loop, branch or ``while`` test that makes a value from others, and the position of the value there."""
    owner = value.owner
    if isinstance(owner, Operation):
        position = list(owner.results).index(value)  # type: ignore[arg-type]
        match owner:
            case scf.ForOp():
                return owner, position
            case scf.IfOp():
                return owner, position
            case scf.WhileOp():
                return _end_of(owner.before_region), position
        return None
    loop = owner.parent_op()
    position = list(owner.args).index(value)  # type: ignore[arg-type]
    match loop:
        case scf.ForOp() if position:
            return loop, position - 1
        case scf.WhileOp() if owner is loop.after_region.block:
            return _end_of(loop.before_region), position
        case scf.WhileOp():
            return loop, position
    return None


def _end_of(region: Region) -> Operation:
    end = region.block.last_op
    assert end is not None
    return end


def inputs_of(op: Operation) -> tuple[SSAValue, ...]:
    """The operands that the C++ of an operation mentions."""
    if (modulo := modulo_of(op)) is not None:
        return modulo
    if (condition := negated_of(op)) is not None:
        return (condition,)
    if isinstance(op, arith.SIToFPOp) and isinstance(op.input.owner, arith.IndexCastOp):
        return (op.input.owner.input,)  # the index before the cast, in as many bits as it needs
    return tuple(op.operands)
