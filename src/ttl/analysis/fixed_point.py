"""Iteration to a fixed point: loops that end or raise, and forward data-flow analysis.

Control flow is structured, so a forward analysis needs no graph: states flow through the tree of regions, branches
join, and a loop is walked until the state at its end adds nothing to that at its start.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Generic, TypeVar

from xdsl.dialects import affine, scf
from xdsl.ir import Block, Operation

from ttl.ir.rewriting import RegionBranchOp

StateT = TypeVar("StateT")
LOOPS = (scf.ForOp, affine.ForOp, scf.WhileOp)
# No lattice here has so many levels: a loop that exceeds this has a transfer function that is not monotone.
_MOST_TURNS = 100_000


def iterations(what: str, most: int = _MOST_TURNS) -> Iterator[int]:
    """Yield numbers of iterations.

    Leave the loop over them when nothing changes; raises ``RuntimeError`` after ``most``.
    """
    yield from range(most)
    raise RuntimeError(f"{what} kept changing for {most} iterations")


class ForwardAnalysis(ABC, Generic[StateT]):
    """A forward data-flow analysis. States are values of a lattice, compared with ``==`` and never changed in place.

    After ``block`` (or ``after``) ``before`` has the state in front of every operation that can run. A loop that is
    entered again in the same state is not walked again, so the work does not double with each level of nesting.
    """

    def __init__(self) -> None:
        self.before: dict[Operation, StateT] = {}
        self._settled: dict[Operation, tuple[StateT, StateT]] = {}

    @abstractmethod
    def transfer(self, op: Operation, state: StateT) -> StateT:
        """The state behind an operation without regions."""

    @abstractmethod
    def join(self, states: Sequence[StateT]) -> StateT:
        """Join the states of paths that meet."""

    def may_repeat(self, loop: Operation) -> bool:
        """Whether a loop may have a second iteration."""
        return True

    def may_skip(self, op: Operation) -> bool:
        """Whether a loop may have no iteration, or an operation that is not a branch may leave its regions out."""
        return op.MAY_SKIP if isinstance(op, RegionBranchOp) else isinstance(op, LOOPS)

    def block(self, block: Block, state: StateT) -> StateT:
        """The state behind a block."""
        for op in block.ops:
            self.before[op] = state
            state = self.after(op, state) if op.regions else self.transfer(op, state)
        return state

    def after(self, op: Operation, state: StateT) -> StateT:
        """The state behind an operation with regions."""
        if op.MAY_REPEAT if isinstance(op, RegionBranchOp) else isinstance(op, LOOPS):
            known = self._settled.get(op)
            if known is None or known[0] != state:
                known = self._settled[op] = state, self.behind_loop(op, state, self._loop(op, state))
            return known[1]
        ends = [self.block(region.block, state) if region.blocks else state for region in op.regions]
        return self.join([*ends, state] if self.may_skip(op) else ends)

    def behind_loop(self, loop: Operation, state: StateT, end: StateT) -> StateT:
        """The state behind a loop, from that before it and that at its end: of a ``while`` the end of its condition."""
        return self.join([state, end]) if self.may_skip(loop) and not isinstance(loop, scf.WhileOp) else end

    def _loop(self, loop: Operation, state: StateT) -> StateT:
        """Repeat a loop until the state at its start has settled; return the state at the end of its first region."""
        for _ in iterations(f"following {type(self).__name__} through a loop"):
            ends = [state]
            for region in loop.regions:
                ends.append(self.block(region.block, ends[-1]))
            joined = self.join([state, ends[-1]]) if self.may_repeat(loop) else state
            if joined == state:
                return ends[1]
            state = joined
        raise AssertionError("iterations ends or raises")
