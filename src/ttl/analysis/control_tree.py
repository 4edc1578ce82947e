"""The control tree of a kernel: its control flow with the operations that an analysis follows, and no others.

Conditions, bounds and the values that control flow hands on are functions of slots (``ttl.analysis.scalars``), so an
interpreter of a tree needs an environment, and no IR. Every scalar that control flow sets has a slot; its value is
None where it is not known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

from xdsl.dialects import affine, scf
from xdsl.ir import Block, Operation, SSAValue

from ttl.analysis.arithmetic import is_integer
from ttl.analysis.loops import initial_values
from ttl.analysis.pipe_ends import NodeEnds, net_of, pipes_by_node
from ttl.analysis.scalars import NODE, ScalarFunction, Slots, compile_scalar, loop_bounds
from ttl.dialects import ttl as dialect

ActT = TypeVar("ActT")
FOR = (scf.ForOp, affine.ForOp)
PIPES = (dialect.IfPipeSrcOp, dialect.IfPipeDstOp)


class HandedValues(NamedTuple):
    """Values that control flow passes on: scalars by slot, all others as pairs (target, source)."""

    scalars: tuple[tuple[int, ScalarFunction | None], ...] = ()
    others: tuple[tuple[SSAValue, SSAValue], ...] = ()


@dataclass(slots=True, eq=False)
class Leaf(Generic[ActT]):
    """An operation that the analysis follows, with its effect."""

    op: Operation
    act: ActT


@dataclass(slots=True, eq=False)
class ControlBody(Generic[ActT]):
    """The block of a region.

    ``born`` are the relevant values whose scope ends with it, ``gives`` those that its end passes on.
    """

    nodes: tuple[TreeNode[ActT], ...]
    born: tuple[SSAValue, ...]
    gives: HandedValues

    @property
    def acts(self) -> bool:
        """Whether the body contains a leaf, an operation that the analysis follows."""
        return any(isinstance(node, Leaf) or node.acts for node in self.nodes)


@dataclass(slots=True, eq=False)
class Branch(Generic[ActT]):
    """``scf.if``; ``condition`` is None if no scalar function computes it."""

    op: scf.IfOp
    condition: ScalarFunction | None
    then: ControlBody[ActT]
    other: ControlBody[ActT] | None
    acts: bool


@dataclass(slots=True, eq=False)
class ControlLoop(Generic[ActT]):
    """A counting loop, or the function of ``if_src`` and ``if_dst``, which runs once per pipe of a node (``pipes``).

    The slot ``variable`` is the loop variable, or the index of the pipe. ``starts`` and ``body.gives`` go to the
    arguments of the body, ``ends`` from there to the results.
    """

    op: Operation
    bounds: tuple[ScalarFunction, ScalarFunction, ScalarFunction] | None
    pipes: NodeEnds | None
    variable: int | None
    body: ControlBody[ActT]
    starts: HandedValues
    ends: HandedValues
    acts: bool


@dataclass(slots=True, eq=False)
class While(Generic[ActT]):
    """``scf.while``.

    ``before.gives`` goes to the arguments of ``after``, ``ends`` passes the same values to the results.
    """

    op: scf.WhileOp
    before: ControlBody[ActT]
    condition: ScalarFunction | None
    after: ControlBody[ActT]
    starts: HandedValues
    ends: HandedValues
    acts: bool


@dataclass(slots=True, eq=False)
class FirstOf(Generic[ActT]):
    """``ttl.wait_any``, and the rest of its block as far as it depends on the answer.

    The slot ``variable`` is the number, below ``count``, of the first complete receive; it is set in ``body`` only.
    """

    op: dialect.WaitAnyOp
    leaf: Leaf[ActT]
    variable: int
    count: int
    body: ControlBody[ActT]
    acts: bool = True


TreeNode = Leaf[ActT] | Branch[ActT] | ControlLoop[ActT] | While[ActT] | FirstOf[ActT]
Control = Branch[ActT] | ControlLoop[ActT] | While[ActT] | FirstOf[ActT]


class ControlTree(Generic[ActT]):
    """The control flow of one kernel.

    ``acts_of`` returns the effects of an operation for the analysis, in order; ``fused`` returns one effect for two
    adjacent ones, or None if they stay separate.
    """

    def __init__(
        self,
        kernel: dialect.UserKernelOp,
        acts_of: Callable[[Operation], Iterable[ActT]],
        slots: Slots,
        fused: Callable[[ActT, ActT], ActT | None] | None = None,
    ) -> None:
        self.kernel = kernel
        self.slots = slots
        self._acts_of = acts_of
        self._fused = fused
        # The slots of the scalars that control flow sets inside an operation.
        self.inside: dict[Operation, range] = {}
        self._number(kernel)
        self.body = self._body(kernel.body.block)

    def controls(self, body: ControlBody[ActT] | None = None) -> Iterator[Control[ActT]]:
        """Yield every branch and loop of a body, inner ones before outer ones."""
        for node in (self.body if body is None else body).nodes:
            match node:
                case Branch(then=first, other=second) | While(before=first, after=second):
                    yield from self.controls(first)
                    if second is not None:
                        yield from self.controls(second)
                case ControlLoop() | FirstOf():
                    yield from self.controls(node.body)
                case Leaf():
                    continue
            yield node

    def leaves(self, body: ControlBody[ActT] | None = None) -> Iterator[Leaf[ActT]]:
        """Yield the leaves of a body, in the order of the program."""
        for node in (self.body if body is None else body).nodes:
            match node:
                case Leaf():
                    yield node
                case Branch(then=first, other=second) | While(before=first, after=second):
                    yield from self.leaves(first)
                    if second is not None:
                        yield from self.leaves(second)
                case ControlLoop():
                    yield from self.leaves(node.body)
                case FirstOf():
                    yield node.leaf
                    yield from self.leaves(node.body)

    def _number(self, op: Operation) -> None:
        """Give a slot to every scalar that control flow sets inside an operation, before anything is compiled."""
        first = len(self.slots)
        for region in op.regions:
            for block in region.blocks:
                for argument in block.args:
                    if is_integer(argument) or isinstance(op, PIPES):
                        slot = self.slots.of(argument)
                        net = net_of(op.operands[0]) if isinstance(op, PIPES) else None
                        if net is not None:
                            self.slots.pipes[slot] = net
                for inner in block.ops:
                    if (
                        type(inner) is dialect.WaitAnyOp
                    ):  # classes are not looked up for every operation of a program
                        self.slots.of(inner.result)
                    if inner.regions:
                        for result in inner.results:
                            if is_integer(result):
                                self.slots.of(result)
                        self._number(inner)
        self.inside[op] = range(first, len(self.slots))

    def _body(self, block: Block, targets: Sequence[SSAValue] = (), skipped: int = 0) -> ControlBody[ActT]:
        """Build the tree of a block, whose end passes its operands, except the first few, to ``targets``."""
        nodes: list[TreeNode[ActT]] = []
        born: list[SSAValue] = []
        for op in block.ops:
            acts = [*self._acts_of(op)]
            for act in acts:
                last = nodes[-1] if nodes and self._fused is not None else None
                both = self._fused(last.act, act) if isinstance(last, Leaf) and self._fused else None
                if both is None:
                    nodes.append(Leaf(op, act))
                else:
                    assert isinstance(last, Leaf)
                    nodes[-1] = Leaf(last.op, both)
            if acts:
                born.extend(op.results)
            elif op.regions and (node := self._control(op)) is not None:
                nodes.append(node)
        for position in range(len(nodes) - 1, -1, -1):
            leaf = nodes[position]
            if type(leaf) is Leaf and type(leaf.op) is dialect.WaitAnyOp:
                nodes[position:] = self._first_of(leaf, leaf.op, nodes[position + 1 :])
        end = block.last_op
        gives = self._handed(targets, end.operands[skipped:]) if end is not None else HandedValues()
        return ControlBody(tuple(nodes), tuple(born), gives)

    def _first_of(
        self, leaf: Leaf[ActT], op: dialect.WaitAnyOp, behind: list[TreeNode[ActT]]
    ) -> list[TreeNode[ActT]]:
        slot = self.slots.of(op.result)
        depend = [number for number, node in enumerate(behind) if slot in _read_by(node)]
        end = depend[-1] + 1 if depend else 0
        body = ControlBody(tuple(behind[:end]), (), HandedValues())
        return [FirstOf(op, leaf, slot, len(op.transfers), body), *behind[end:]]

    def _control(self, op: Operation) -> Control[ActT] | None:
        result: Control[ActT]
        match op:
            case scf.IfOp():
                then = self._body(op.true_region.block, op.results)
                other = self._body(op.false_region.block, op.results) if op.false_region.blocks else None
                acts = then.acts or (other is not None and other.acts)
                result = Branch(op, compile_scalar(op.cond, self.slots), then, other, acts)
            case scf.WhileOp():
                result = self._while(op)
            case scf.ForOp() | affine.ForOp() | dialect.IfPipeSrcOp() | dialect.IfPipeDstOp():
                result = self._loop(op)
            case _:
                return None
        return result if result.acts or op.results else None

    def _loop(self, op: Operation) -> ControlLoop[ActT]:
        block = op.regions[0].block
        carried = block.args[1:] if isinstance(op, FOR) else ()
        body = self._body(block, carried)
        return ControlLoop(
            op,
            bounds=loop_bounds(op, self.slots),
            pipes=pipes_by_node(op, self.slots.grid) if isinstance(op, PIPES) else None,
            variable=self.slots.known(block.args[0]) if block.args else None,
            body=body,
            starts=self._handed(carried, initial_values(op) if isinstance(op, FOR) else ()),
            ends=self._handed(op.results, carried),
            acts=body.acts,
        )

    def _while(self, op: scf.WhileOp) -> While[ActT]:
        first, second = op.before_region.block, op.after_region.block
        before, after = self._body(first, second.args, 1), self._body(second, first.args)
        end = first.last_op
        assert end is not None
        return While(
            op,
            before=before,
            condition=compile_scalar(end.operands[0], self.slots),
            after=after,
            starts=self._handed(first.args, op.operands),
            ends=self._handed(op.results, end.operands[1:]),
            acts=before.acts or after.acts,
        )

    def _handed(self, targets: Sequence[SSAValue], sources: Sequence[SSAValue]) -> HandedValues:
        scalars: list[tuple[int, ScalarFunction | None]] = []
        others: list[tuple[SSAValue, SSAValue]] = []
        for target, source in zip(targets, sources):
            slot = self.slots.known(target)
            if slot is not None:
                scalars.append((slot, compile_scalar(source, self.slots)))
            elif not is_integer(target):
                others.append((target, source))
        return HandedValues(tuple(scalars), tuple(others))


def needed_slots(tree: ControlTree[Any], directly: Iterable[frozenset[int]]) -> frozenset[int]:
    """Return the slots that decide about the leaves of a tree: their effects, whether they run, and how often.

    ``directly`` are the slots that the leaves read. A slot whose value is passed to a needed slot is needed, too;
    ``NODE`` is among them where anything depends on the node.
    """
    needed: set[int] = set().union(*directly)
    sources: dict[int, set[int]] = {}
    for control in tree.controls():
        decides = _decided_by(control)
        if control.acts:
            needed |= decides
        for handed in _handed_of(control):
            for slot, scalar in handed.scalars:
                sources.setdefault(slot, set()).update(decides, () if scalar is None else scalar.slots)
    worklist = [*needed]
    while worklist:
        new = sources.get(worklist.pop(), set()) - needed
        needed |= new
        worklist += new
    return frozenset(needed)


def _read_by(node: TreeNode[Any]) -> set[int]:
    """Return the slots that a part of a tree reads."""
    read: set[int] = set()
    match node:
        case Leaf(act=act):
            return {*getattr(act, "reads", ())}
        case Branch(then=then, other=other):
            bodies = (then,) if other is None else (then, other)
        case While(before=before, after=after):
            bodies = (before, after)
        case ControlLoop(body=body) | FirstOf(body=body):
            bodies = (body,)
    for handed in _handed_of(node):
        read.update(*(scalar.slots for _, scalar in handed.scalars if scalar is not None))
    return read.union(_decided_by(node), *(_read_by(inner) for body in bodies for inner in body.nodes))


def _decided_by(control: Control[Any]) -> set[int]:
    """Return the slots that decide a branch, or the number of iterations of a loop."""
    match control:
        case ControlLoop(bounds=bounds):
            on_node = {NODE} if isinstance(control.op, PIPES) else set()
            return on_node.union(*(bound.slots for bound in bounds or ()))
        case Branch(condition=scalar) | While(condition=scalar):
            return set() if scalar is None else {*scalar.slots}
        case FirstOf():
            return set()


def _handed_of(control: Control[Any]) -> tuple[HandedValues, ...]:
    match control:
        case Branch(then=then, other=other):
            return (then.gives,) if other is None else (then.gives, other.gives)
        case ControlLoop():
            return control.starts, control.body.gives, control.ends
        case While():
            return control.starts, control.before.gives, control.after.gives, control.ends
        case FirstOf():
            return ()
