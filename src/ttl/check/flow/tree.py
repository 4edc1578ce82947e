"""The control tree of a kernel with its decisions: equal conditions have equal keys, and some vary in loops."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeVar

from xdsl.ir import Operation, SSAValue

from ttl.analysis.control_tree import (
    PIPES,
    Branch,
    ControlBody,
    ControlLoop,
    ControlTree,
    FirstOf,
    Leaf,
    While,
)
from ttl.analysis.dominance import ancestors, defined_in
from ttl.analysis.scalars import NODE, ScalarFunction, Slots, compile_scalar
from ttl.check.flow.facts import ConditionForms, Key, PathCondition, Runs
from ttl.diag.model import Diagnostic
from ttl.dialects import ttl as dialect

PathT = TypeVar("PathT")
# The operations on a block, or on a sub-view of it.
USES = (dialect.BlockReadOp, dialect.BlockStoreOp, dialect.BlockAccumulateOp)


Step = Callable[[PathT], "Diagnostic | None"]
"""A function that changes a path and returns the finding about that change, or None."""


class Decision(NamedTuple):
    """An operation that decides the control flow, and the slots that its scalar (None if unknown) reads."""

    op: Operation
    scalar: ScalarFunction | None
    reads: frozenset[int]


class Tree(ControlTree[Step[PathT]]):
    """The control flow of one kernel. Facts about decisions are keyed by their branch or loop."""

    def __init__(
        self, kernel: dialect.UserKernelOp, action: Callable[[Operation], Step[PathT] | None], slots: Slots
    ) -> None:
        super().__init__(kernel, lambda op: _steps(op, action(op)), slots)
        self.decisions: list[Decision] = []
        self.places: dict[Key, Operation] = {}
        self.starts: dict[Operation, tuple[ScalarFunction | None, ...]] = {}
        """The starts of sub-views, by the operations on them."""
        self.conditions: dict[Branch[Step[PathT]], PathCondition] = {}
        self.varying: dict[ControlLoop[Step[PathT]] | While[Step[PathT]], tuple[Key, ...]] = {}
        """The conditions of each loop that may differ in its next iteration."""
        self.steered: dict[ControlLoop[Step[PathT]], bool] = {}
        """For each loop, whether the path through its body depends on the iteration."""
        self.signs: dict[ControlLoop[Step[PathT]], tuple[ScalarFunction, ...] | None] = {}
        """For each such loop, the scalars that determine the path; None if it depends on more."""
        self._met: list[tuple[Key, tuple[SSAValue, ...]]] = []
        self._forms = ConditionForms()
        self._counting = {
            control.variable for control in self.controls() if isinstance(control, ControlLoop | FirstOf)
        }
        self._decide(self.body)

    def _decide(self, body: ControlBody[Step[PathT]]) -> None:
        for node in body.nodes:
            match node:
                case Leaf():
                    self._start(node.op)
                case Branch():
                    self._decide(node.then)
                    if node.other is not None:
                        self._decide(node.other)
                    condition = self.conditions[node] = self._forms.condition_of(node.op.cond)
                    self._decided(node.op, node.condition)
                    self._met.append((condition.key, condition.leaves))
                    self.places.setdefault(condition.key, node.op)
                case ControlLoop():
                    self._decide_loop(node)
                case FirstOf():
                    self._decide(node.body)
                case While():
                    met = len(self._met)
                    self._decide(node.before)
                    self._decide(node.after)
                    self._decided(node.op, node.condition)
                    self.varying[node] = self._varying(node.op, met)

    def _start(self, op: Operation) -> None:
        """Record the start of a sub-view if an operation uses one: the tiles in it affect later steps."""
        if not isinstance(op, USES) or not op.offsets:
            return
        self.starts[op] = starts = tuple(compile_scalar(offset, self.slots) for offset in op.offsets)
        for start in starts:
            if start is not None and start.slots:
                self._decided(op, start)

    @property
    def has_moving_views(self) -> bool:
        """Whether the tiles in some sub-view depend on the node, or on iterations of loops."""
        return any(start is not None and start.slots for starts in self.starts.values() for start in starts)

    def _decide_loop(self, loop: ControlLoop[Step[PathT]]) -> None:
        met, decided = len(self._met), len(self.decisions)
        self._decide(loop.body)
        signs = self._signs(loop, self.decisions[decided:])
        self.steered[loop] = signs != () or bool(loop.ends.scalars)
        self.signs[loop] = None if loop.ends.scalars else signs
        if isinstance(loop.op, PIPES):
            self.decisions.append(Decision(loop.op, None, frozenset((NODE,))))
        else:
            for bound in loop.bounds or (None,):
                self._decided(loop.op, bound)
        self.varying[loop] = self._varying(loop.op, met)

    def _decided(self, op: Operation, scalar: ScalarFunction | None) -> None:
        reads = frozenset((NODE, -1)) if scalar is None else scalar.slots
        self.decisions.append(Decision(op, scalar, reads))

    def _varying(self, op: Operation, since: int) -> tuple[Key, ...]:
        """Return conditions met since a position that may change between iterations of a loop; add the loop itself."""
        varying = tuple(
            key
            for key, leaves in self._met[since:]
            if isinstance(key, Runs) or any(_is_inside(leaf, op) for leaf in leaves)
        )
        self._met.append((Runs(op), ()))
        return varying

    def _signs(
        self, loop: ControlLoop[Step[PathT]], decisions: Iterable[Decision]
    ) -> tuple[ScalarFunction, ...] | None:
        """Return the decisions in a loop that depend on its iteration; None if they depend on more than its variable.

        The variables of inner loops have the same values in every iteration, so they do not count.
        """
        inside, own = self.inside[loop.op], loop.variable
        signs: list[ScalarFunction] = []
        for decision in decisions:
            within = {slot for slot in decision.reads if slot in inside}
            if not within - (self._counting - {own}):
                continue
            if within != {own} or decision.scalar is None:
                return None
            signs.append(decision.scalar)
        return tuple(signs)


def _steps(op: Operation, step: Step[PathT] | None) -> tuple[Step[PathT], ...]:
    """Return the steps of a path at an operation. After a ``ttl.wait_any`` every analysis splits the path."""
    if step is None and isinstance(op, dialect.WaitAnyOp):
        return (lambda path: None,)
    return () if step is None else (step,)


def _is_inside(value: SSAValue, loop: Operation) -> bool:
    parent = defined_in(value).parent_op()
    return parent is not None and loop in ancestors(parent)
