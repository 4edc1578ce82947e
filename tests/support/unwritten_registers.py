"""Which functions of the vector unit may read a register that nothing wrote since the registers were acquired.

Giving the registers back clears flags, one for each row of 16 elements, and leaves the old bits. The matrix unit and the
packer take a row without its flag for zero. The vector unit stores half a row at a time and so sets the flag of both
halves: what it did not store is what an earlier program left.

Registers are followed as sums of a number and multiples of loop variables. What is written in every turn of a loop is,
behind it, a range; a range has the number of turns, or the value that says it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from xdsl.dialects import arith, scf
from xdsl.ir import BlockArgument, Operation, SSAValue

from ttl.analysis.arithmetic import integer_of
from ttl.analysis.dominance import ancestors
from ttl.analysis.fixed_point import ForwardAnalysis
from ttl.analysis.loops import runs_at_least_once, trips
from ttl.dialects.ttkernel import KernelCallOp, KernelOp

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


def unwritten_reads(kernel: KernelOp) -> list[KernelCallOp]:
    """The calls of a compute kernel whose function may read what nobody wrote."""
    registers = _WrittenRegisters()
    registers.block(kernel.body.block, frozenset())
    return [
        op
        for op, written in registers.before.items()
        if isinstance(op, KernelCallOp)
        and not all(_is_written(op, name, written) for name in op.call.vector_reads)
    ]


class _WrittenRegisters(ForwardAnalysis[_Written]):
    """The registers that were written since they were acquired, on every path."""

    def may_skip(self, op: Operation) -> bool:
        return isinstance(op, scf.ForOp) and not runs_at_least_once(op)

    def join(self, states: Sequence[_Written]) -> _Written:
        return frozenset.intersection(*states)

    def transfer(self, op: Operation, state: _Written) -> _Written:
        if not isinstance(op, KernelCallOp):
            return state
        call = op.call
        if call.name in ("tile_regs_acquire", "tile_regs_release"):
            return frozenset()
        count = op.constants["ct"] * op.constants["rt"] if call.name == "matmul_block" else 1
        written = {
            register
            for name in call.writes
            for number in range(count)
            if (register := _registers(_given(op, name), number)) is not None
        }
        return state.union(*(_known(register) for register in written))

    def behind_loop(self, loop: Operation, state: _Written, end: _Written) -> _Written:
        if not isinstance(loop, scf.ForOp):
            return end
        variable, may_skip = loop.body.block.args[0], self.may_skip(loop)
        behind: set[int | _Registers] = set()
        for register in end:
            if isinstance(register, int) or all(used is not variable for _, used in register.terms):
                if not may_skip or register in state:
                    behind.add(register)
            elif (ranged := register.over(variable, _turns(loop))) is not None:
                behind |= ranged.numbers() or {ranged}
        return frozenset(behind)


def _given(op: KernelCallOp, name: str) -> SSAValue:
    """The operand that a parameter of a function gets."""
    return op.operands[[operand.name for operand in op.call.operands].index(name)]


def _known(registers: _Registers) -> _Written:
    return (registers.numbers() if not registers.terms else None) or frozenset([registers])


def _is_written(op: KernelCallOp, name: str, written: _Written) -> bool:
    """Whether what a call reads was written: the registers themselves, or all that they are in the loops around it."""
    registers = _registers(_given(op, name))
    loops = [loop for loop in ancestors(op) if isinstance(loop, scf.ForOp)]
    for loop in reversed(loops):
        if registers is None or registers in written:
            break
        registers = registers.over(loop.body.block.args[0], _turns(loop))
    if registers is None or registers in written:
        return registers is not None
    numbers = registers.numbers()
    return numbers is not None and numbers <= written


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
