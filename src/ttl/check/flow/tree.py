"""The control flow of a kernel, without the operations that an analysis has no use for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

from xdsl.dialects import affine, scf
from xdsl.ir import Block, Operation, SSAValue

from ttl.analysis.arithmetic import is_integer
from ttl.analysis.dominance import ancestors, defined_in
from ttl.analysis.pipe_ends import Ends, net_of, pipe_ends
from ttl.analysis.scalars import NODE, Scalar, Slots, compile_scalar, loop_bounds
from ttl.check.flow.facts import Condition, Key, Runs, condition_of
from ttl.diag.model import Diagnostic
from ttl.dialects import ttl as dialect

PathT = TypeVar("PathT")
Step = Callable[[PathT], "Diagnostic | None"]
"""Changes a path; returns what is wrong with doing that."""

FOR = (scf.ForOp, affine.ForOp)
PIPES = (dialect.IfPipeSrcOp, dialect.IfPipeDstOp)


class Control(NamedTuple):
    """What decides where control goes, and the slots it depends on; without a scalar it is not known."""

    op: Operation
    scalar: Scalar | None
    reads: frozenset[int]


@dataclass(slots=True, eq=False)
class Act(Generic[PathT]):
    """An operation that the analysis follows."""

    op: Operation
    step: Step[PathT]


@dataclass(slots=True, eq=False)
class Body(Generic[PathT]):
    """The block of a region. ``born`` are the values of interest that end with it."""

    block: Block
    nodes: tuple[Node[PathT], ...]
    born: tuple[SSAValue, ...]

    @property
    def yields(self) -> Sequence[SSAValue]:
        """What its terminator hands on."""
        last = self.block.last_op
        return () if last is None else last.operands


@dataclass(slots=True, eq=False)
class Branch(Generic[PathT]):
    """``scf.if``."""

    op: scf.IfOp
    condition: Condition
    scalar: Scalar | None
    then: Body[PathT]
    other: Body[PathT] | None


@dataclass(slots=True, eq=False)
class Loop(Generic[PathT]):
    """A loop that counts, or the function of ``if_src`` and ``if_dst``, which runs once per pipe.

    ``varying``: conditions that are other ones in the next turn. ``steered``: which way the body goes depends on the turn;
    on ``signs`` only, if those are known.
    """

    op: Operation
    bounds: tuple[Scalar, Scalar, Scalar] | None
    body: Body[PathT]
    varying: tuple[Key, ...]
    steered: bool
    signs: tuple[Scalar, ...] | None
    starts: Sequence[SSAValue]
    pipes: tuple[Ends, ...] | None


@dataclass(slots=True, eq=False)
class While(Generic[PathT]):
    """``scf.while``."""

    op: scf.WhileOp
    before: Body[PathT]
    scalar: Scalar | None
    after: Body[PathT]
    varying: tuple[Key, ...]


Node = Act[PathT] | Branch[PathT] | Loop[PathT] | While[PathT]


class Tree(Generic[PathT]):
    """The control flow of one kernel."""

    def __init__(
        self, kernel: dialect.KernelOp, action: Callable[[Operation], Step[PathT] | None], slots: Slots
    ) -> None:
        self.kernel = kernel
        self.slots = slots
        self.controls: list[Control] = []
        self.places: dict[Key, Operation] = {}
        self._action = action
        self._met: list[tuple[Key, tuple[SSAValue, ...]]] = []
        # The slots of what is inside an operation, and of what a loop counts.
        self._inside: dict[Operation, range] = {}
        self._counting: dict[Operation, int | None] = {}
        self._number(kernel)
        self.body = self._body(kernel.body.block)

    def inside(self, op: Operation) -> range:
        """The slots of what is computed inside an operation."""
        return self._inside[op]

    def _number(self, op: Operation) -> None:
        """Give every scalar that control flow sets a slot, before anything is compiled."""
        first = len(self.slots)
        for region in op.regions:
            for block in region.blocks:
                for argument in block.args:
                    if is_integer(argument) or isinstance(op, PIPES):
                        slot = self.slots.of(argument)
                        net = net_of(op.operands[0]) if isinstance(op, PIPES) else None
                        if net is not None:
                            self.slots.pipes[slot] = net.pipes
                for inner in block.ops:
                    if inner.regions:
                        for result in inner.results:
                            if is_integer(result):
                                self.slots.of(result)
                        self._number(inner)
        self._inside[op] = range(first, len(self.slots))
        if isinstance(op, FOR + PIPES):
            self._counting[op] = self.slots.known(op.regions[0].block.args[0])

    def _body(self, block: Block) -> Body[PathT]:
        nodes: list[Node[PathT]] = []
        born: list[SSAValue] = []
        for op in block.ops:
            step = self._action(op)
            if step is not None:
                nodes.append(Act(op, step))
                born.extend(op.results)
            elif op.regions:
                node = self._control(op)
                if node is not None:
                    nodes.append(node)
        return Body(block, tuple(nodes), tuple(born))

    def _control(self, op: Operation) -> Node[PathT] | None:
        match op:
            case scf.IfOp():
                return self._branch(op)
            case scf.WhileOp():
                return self._while(op)
            case scf.ForOp() | affine.ForOp() | dialect.IfPipeSrcOp() | dialect.IfPipeDstOp():
                return self._loop(op)
        return None

    def _branch(self, op: scf.IfOp) -> Branch[PathT] | None:
        then = self._body(op.true_region.block)
        other = self._body(op.false_region.block) if op.false_region.blocks else None
        if not then.nodes and not (other and other.nodes) and not op.results:
            return None
        condition = condition_of(op.cond)
        scalar = compile_scalar(op.cond, self.slots)
        self._decides(op, scalar)
        self._met.append((condition.key, condition.leaves))
        self.places.setdefault(condition.key, op)
        return Branch(op, condition, scalar, then, other)

    def _loop(self, op: Any) -> Loop[PathT] | None:
        before, decided = len(self._met), len(self.controls)
        body = self._body(op.regions[0].block)
        if not body.nodes and not op.results:
            return None
        bounds = loop_bounds(op, self.slots) if isinstance(op, FOR) else None
        signs = self._signs(op, self.controls[decided:])
        steered = signs != () or any(map(is_integer, op.results))
        if any(map(is_integer, op.results)):
            signs = None
        if bounds is not None:
            for bound in bounds:
                self._decides(op, bound)
        elif isinstance(op, PIPES):
            self.controls.append(Control(op, None, frozenset((NODE,))))
        else:
            self._decides(op, None)
        starts = (
            op.iter_args if isinstance(op, scf.ForOp) else op.inits if isinstance(op, affine.ForOp) else ()
        )
        pipes = pipe_ends(op.operands[0], self.slots.grid) if isinstance(op, PIPES) else None
        return Loop(op, bounds, body, self._varying(op, before), steered, signs, starts, pipes)

    def _while(self, op: scf.WhileOp) -> While[PathT] | None:
        before = len(self._met)
        first, second = self._body(op.before_region.block), self._body(op.after_region.block)
        if not first.nodes and not second.nodes and not op.results:
            return None
        scalar = compile_scalar(first.yields[0], self.slots)
        self._decides(op, scalar)
        return While(op, first, scalar, second, self._varying(op, before))

    def _decides(self, op: Operation, scalar: Scalar | None) -> None:
        self.controls.append(Control(op, scalar, frozenset((NODE, -1)) if scalar is None else scalar.slots))

    def _varying(self, op: Operation, since: int) -> tuple[Key, ...]:
        """What was assumed since and is another thing in each turn of a loop. The loop itself is one thing around it."""
        found = [
            key
            for key, leaves in self._met[since:]
            if isinstance(key, Runs) or any(_is_inside(leaf, op) for leaf in leaves)
        ]
        self._met.append((Runs(op), ()))
        return tuple(found)

    def _signs(self, loop: Operation, controls: Iterable[Control]) -> tuple[Scalar, ...] | None:
        """The decisions in a loop that depend on the turn; None if they depend on more than what the loop counts.

        What inner loops count is the same in every turn, and does not make a decision depend on it.
        """
        inside, own = self._inside[loop], self._counting.get(loop)
        counting = set(self._counting.values()) - {own}
        found: list[Scalar] = []
        for control in controls:
            within = {slot for slot in control.reads if slot in inside}
            if not within - counting:
                continue
            if within != {own} or control.scalar is None:
                return None
            found.append(control.scalar)
        return tuple(found)


def _is_inside(value: SSAValue, loop: Operation) -> bool:
    parent = defined_in(value).parent_op()
    return parent is not None and loop in ancestors(parent)
