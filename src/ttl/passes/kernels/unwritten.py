"""Which functions of the vector unit may read a register that nothing wrote since the registers were acquired.

Giving the registers back clears flags, one for each row of 16 elements, and leaves the old bits. The matrix unit and the
packer take a row without its flag for zero. The vector unit stores half a row at a time and so sets the flag of both
halves: what it did not store is what an earlier program left.

Registers are followed as sums of a number and multiples of loop variables. What is written in every turn of a loop is,
behind it, a range; a range has the number of turns, or the value that says it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product

from xdsl.dialects import arith, scf
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from ttl.analysis.arithmetic import integer_of
from ttl.analysis.loops import runs_at_least_once, trips
from ttl.dialects.ttkernel import CallOp, KernelOp

# A multiple of a loop variable, or of all that it is in the turns of a loop: so many, or as many as a value says.
_Term = tuple[int, "SSAValue | _Turns"]


@dataclass(frozen=True, slots=True)
class _Turns:
    """The numbers from zero to a count, without it."""

    count: int | SSAValue


@dataclass(frozen=True, slots=True)
class _Registers:
    """Registers: a number, and a multiple of something for each term."""

    first: int
    terms: tuple[_Term, ...] = ()

    def over(self, variable: SSAValue, turns: _Turns | None) -> _Registers | None:
        """What they are in all turns of a loop; None where nothing is known of those."""
        if all(each is not variable for _, each in self.terms):
            return self
        if turns is None:
            return None
        return _Registers(
            self.first, tuple((step, turns if each is variable else each) for step, each in self.terms)
        )

    def numbers(self) -> frozenset[int] | None:
        """Which they are, where that is known."""
        if not all(isinstance(each, _Turns) and isinstance(each.count, int) for _, each in self.terms):
            return None
        ranges = [
            range(0, step * each.count, step) if step else range(1)
            for step, each in self.terms
            if isinstance(each, _Turns) and isinstance(each.count, int)
        ]
        return frozenset(self.first + sum(found) for found in product(*ranges))


_Written = frozenset["int | _Registers"]


def unwritten_reads(kernel: KernelOp) -> list[CallOp]:
    """The calls of a compute kernel whose function may read what nobody wrote."""
    reader = _Reader()
    reader.block(kernel.body.block, frozenset())
    return list(reader.found)


class _Reader:
    def __init__(self) -> None:
        self.found: dict[CallOp, None] = {}
        # The loops around what is looked at, by their variables.
        self._loops: dict[SSAValue, _Turns | None] = {}
        self._is_trying = False

    def block(self, block: Block, written: _Written) -> _Written:
        """What is written behind a block, of what was written before it."""
        for op in block.ops:
            match op:
                case CallOp():
                    written = self._call(op, written)
                case scf.ForOp():
                    written = self._loop(op, written)
                case scf.IfOp():
                    ends = [
                        self.block(each.block, written) if each.blocks else written for each in op.regions
                    ]
                    written = frozenset.intersection(*ends)
                case scf.WhileOp():
                    self._while(op, written)
                    written = self.block(op.before_region.block, written & self._after_turn(op, written))
                case _:
                    for region in op.regions:
                        written = self.block(region.block, written)
        return written

    def _call(self, op: CallOp, written: _Written) -> _Written:
        call = op.call
        if call.name in ("tile_regs_acquire", "tile_regs_release"):
            return frozenset()
        given = dict(zip((each.name for each in call.operands), op.operands, strict=True))
        for name in call.vector_reads:
            if not self._is_written(given[name], written) and not self._is_trying:
                self.found[op] = None
        for name in call.writes:
            count = op.constants["ct"] * op.constants["rt"] if call.name == "matmul_block" else 1
            for number in range(count):
                written |= self._as_written(_registers(given[name], number))
        return written

    def _is_written(self, register: SSAValue, written: _Written) -> bool:
        found = _registers(register)
        if found is None:
            return False
        if found in written:
            return True
        for variable, turns in self._loops.items():
            ranged = found.over(variable, turns)
            if ranged is None:
                return False
            found = ranged
            if found in written:
                return True
        numbers = found.numbers()
        return numbers is not None and numbers <= written

    def _as_written(self, registers: _Registers | None) -> _Written:
        if registers is None:
            return frozenset()
        return (registers.numbers() if not registers.terms else None) or frozenset([registers])

    def _loop(self, loop: scf.ForOp, written: _Written) -> _Written:
        variable = loop.body.block.args[0]
        self._loops[variable] = turns = _turns(loop)
        was_trying, self._is_trying = self._is_trying, True
        first = self.block(loop.body.block, written)
        self._is_trying = was_trying
        end = self.block(loop.body.block, written & first)
        del self._loops[variable]
        behind: set[int | _Registers] = set()
        for each in end:
            if isinstance(each, int) or all(used is not variable for _, used in each.terms):
                if runs_at_least_once(loop) or each in written:
                    behind.add(each)
            elif (ranged := each.over(variable, turns)) is not None:
                behind |= ranged.numbers() or {ranged}
        return frozenset(behind)

    def _after_turn(self, op: scf.WhileOp, written: _Written) -> _Written:
        was_trying, self._is_trying = self._is_trying, True
        found = self.block(op.after_region.block, self.block(op.before_region.block, written))
        self._is_trying = was_trying
        return found

    def _while(self, op: scf.WhileOp, written: _Written) -> None:
        start = written & self._after_turn(op, written)
        self.block(op.after_region.block, self.block(op.before_region.block, start))


def _turns(loop: scf.ForOp) -> _Turns | None:
    """What the variable of a loop is, where it begins with zero and goes up by one."""
    if integer_of(loop.lb) != 0 or integer_of(loop.step) != 1:
        return None
    known = trips(loop)
    return _Turns(loop.ub if known is None else known)


def _registers(value: SSAValue, more: int = 0) -> _Registers | None:
    found = _linear(value)
    if found is None:
        return None
    terms = sorted(
        ((step, each) for each, step in found.items() if each is not None and step),
        key=lambda term: (term[0], id(term[1])),
    )
    return _Registers(found.get(None, 0) + more, tuple(terms))


def _linear(value: SSAValue) -> Mapping[SSAValue | None, int] | None:
    """A number (of None) and multiples of values; None where it is something else."""
    known = integer_of(value)
    if known is not None:
        return {None: known}
    op = value.owner
    if isinstance(op, arith.AddiOp):
        left, right = _linear(op.lhs), _linear(op.rhs)
        if left is None or right is None:
            return None
        return {each: left.get(each, 0) + right.get(each, 0) for each in {**left, **right}}
    if isinstance(op, arith.MuliOp):
        left, right = _linear(op.lhs), _linear(op.rhs)
        for one, other in ((left, right), (right, left)):
            if one is not None and other is not None and set(one) <= {None}:
                return {each: step * one.get(None, 0) for each, step in other.items()}
        return None
    if isinstance(op, Operation) or isinstance(value, BlockArgument):
        return {value: 1}
    return None
