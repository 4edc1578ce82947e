"""Runs the program of a kernel on a node: its events, in order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from xdsl.dialects import scf
from xdsl.ir import Block, Operation

from ttl.analysis.control_tree import (
    Branch,
    Control,
    ControlBody,
    ControlLoop,
    FirstOf,
    HandedValues,
    Leaf,
    While,
)
from ttl.analysis.dominance import ancestors
from ttl.analysis.events.program import (
    Await,
    AwaitFirst,
    EventProgram,
    Join,
    OnBuffers,
    OnPipe,
    OnSemaphore,
    Step,
    Unclear,
)
from ttl.analysis.events.resources import Resources
from ttl.analysis.events.sequences import EventKind, EventTable
from ttl.analysis.scalars import NODE, ScalarFunction, Slots, trip_count
from ttl.diag.model import Diagnostic
from ttl.dialects import ttl as dialect
from ttl.protocol.grid import resolve_coord, resolve_range
from ttl.protocol.sequences import Choice, Repeat, Sequence, repeated
from ttl.session.patience import LimitReached, Unavailable

BUDGET = 50_000
"""The most steps for tracing all kernels of an operation."""


class EventTracer:
    """Traces the events of kernels; one for each operation."""

    def __init__(self, resources: Resources, slots: Slots, table: EventTable) -> None:
        self.resources = resources
        self.slots = slots
        self.table = table
        self.left = BUDGET
        self._environment: list[Any] = []
        self._begun: dict[int, int] = {}
        self._last: dict[int, tuple[int, int, EventKind]] = {}
        self._groups: dict[int, list[tuple[int, int, EventKind]]] = {}
        self._copies: dict[int, Operation] = {}

    def trace(self, program: EventProgram, node: int) -> Sequence:
        """Return the events of a kernel on a node. Raises ``Unavailable`` if they are not known, or too many."""
        self._program = program
        self._environment = self.slots.environment(node)
        self._begun = {}
        self._last = {}
        self._groups = {}
        return self._body(program.tree.body)

    def _body(self, body: ControlBody[Step]) -> Sequence:
        items: list[int | Repeat | Choice] = []
        for node in body.nodes:
            if type(node) is Leaf:
                self._spend()
                items.extend(node.act.numbers if type(node.act) is OnBuffers else self._step(node.act))
            else:
                assert not isinstance(node, Leaf)
                items.extend(self._control(node))
        return tuple(items)

    def _spend(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise LimitReached("the kernels do too many different things to follow them")

    def _step(self, step: Step) -> Sequence:
        match step:
            case OnPipe():
                return (self._begin(step),)
            case Await():
                return self._await(step)
            case Join():
                begun = self._last.get(id(step.copy))
                if begun is not None:
                    self._groups.setdefault(id(step.group), []).append(begun)
                return ()
            case OnSemaphore():
                return (self._on_semaphore(step),)
            case OnBuffers():
                return step.numbers
            case Unclear():
                raise Unavailable(step.reason, step.op)
            case AwaitFirst():
                raise AssertionError("it is a FirstOf")

    # --- events -----------------------------------------------------------------------------------------

    def _begin(self, step: OnPipe) -> int:
        pipe = self._pipe(step)
        # A kernel sends or receives on a pipe; on a pipe to itself it does both, counted separately.
        key = pipe * 2 + (step.kind is EventKind.SEND)
        self._begun[key] = begun = self._begun.get(key, 0) + 1
        self._last[id(step.op)] = (pipe, begun, step.kind)
        self._copies[id(step.op)] = step.op
        return self.table.number(step.kind, pipe, step.op)

    def _pipe(self, step: OnPipe) -> int:
        """Return the number of the pipe of a transfer."""
        pipe: int = self.resources.nets[step.net].first + self._environment[step.slot]
        return pipe

    def _await(self, step: Await) -> Sequence:
        if step.copy is not None:
            begun = self._last.get(id(step.copy))
            waited = [] if begun is None else [begun]
        else:
            waited = self._groups.pop(id(step.group), [])
        numbers = []
        for pipe, serial, kind in waited:
            ago = self._begun[pipe * 2 + (kind is EventKind.SEND)] - serial + 1
            ended = EventKind.SENT if kind is EventKind.SEND else EventKind.RECEIVED
            numbers.append(self.table.number(ended, pipe, step.op, ago))
        return tuple(numbers)

    def _first_of(self, first: FirstOf[Step]) -> Sequence:
        """Return a choice with one sequence for each receive that may complete first. All ways have to end in the same state."""
        step = first.leaf.act
        if not isinstance(step, AwaitFirst):
            return self._step(step)
        waited: list[int] = []
        for copy in step.copies:
            pipe, serial, _ = self._last[id(copy)]
            waited += (pipe, self._begun[pipe * 2] - serial + 1)
        ways, ends = [], []
        before = self._state()
        for number in range(first.count):
            self._environment, self._begun, self._last, self._groups = before
            before = self._state()
            self._environment[first.variable] = number
            ways.append(self._body(first.body))
            self._environment[first.variable] = None
            ends.append(self._state())
        inside = self._program.tree.inside
        own = {slot for node in first.body.nodes if node.op in inside for slot in inside[node.op]}
        needed = self._program.needed - own
        # Transfers that may be waited for later, on pipes where the alternatives began different numbers of transfers.
        visible = {*ancestor_blocks(first.op)}
        counted = {
            pipe * 2 + (kind is EventKind.SEND)
            for copy, (pipe, _, kind) in before[2].items()
            if self._copies[copy].parent in visible
        }
        if any(
            end[3] != ends[0][3]
            or any(end[1].get(key) != ends[0][1].get(key) for key in counted)
            or any(end[0][slot] != ends[0][0][slot] for slot in needed)
            for end in ends
        ):
            raise Unavailable("what follows depends on which receive is complete first", first.op)
        event = self.table.number(EventKind.ANY, 0, first.op, 0, tuple(waited))
        return (Choice(event, tuple(ways)),)

    def _state(self) -> tuple[list[Any], dict[int, int], dict[int, Any], dict[int, list[Any]]]:
        groups = {group: [*members] for group, members in self._groups.items()}
        return [*self._environment], dict(self._begun), dict(self._last), groups

    def _on_semaphore(self, step: OnSemaphore) -> int:
        value = self._known(step.value, step)
        nodes: tuple[int, ...] = (self._environment[NODE],)
        if step.everywhere:
            nodes = tuple(range(self.slots.nodes))
        elif step.stops is not None:
            assert step.starts is not None
            bounds = zip(
                self._coordinates(step.starts, step), self._coordinates(step.stops, step), strict=True
            )
            nodes = self._resolved(resolve_range(tuple(slice(*bound) for bound in bounds), self.slots.grid))
        elif step.starts is not None:
            coordinate = self._coordinates(step.starts, step)
            nodes = (self._resolved(resolve_coord(coordinate, self.slots.grid)),)
        if step.kind in (EventKind.UNTIL_EQUAL, EventKind.UNTIL_AT_LEAST):
            nodes = ()
        return self.table.number(step.kind, step.semaphore, step.op, value, nodes)

    def _resolved(self, data: Any) -> Any:
        if isinstance(data, Diagnostic):
            raise Unavailable("a remote semaphore is outside the grid")
        return data

    def _coordinates(self, scalars: tuple[ScalarFunction, ...], step: OnSemaphore) -> tuple[Any, ...]:
        return tuple(self._known(scalar, step) for scalar in scalars)

    def _known(self, scalar: ScalarFunction, step: OnSemaphore) -> Any:
        value = self._value(scalar)
        if value is None:
            raise Unavailable("the semaphore or its value is not known", step.op)
        return value

    def _value(self, scalar: ScalarFunction | None) -> Any:
        """Evaluate a scalar; None where a slot that it reads has no known value."""
        if scalar is None:
            return None
        environment = self._environment
        for slot in scalar.slots:
            if environment[slot] is None:
                return None
        try:
            return scalar.evaluate(environment)
        except ZeroDivisionError:
            raise Unavailable("a division by zero") from None

    def _decided(self, scalar: ScalarFunction | None) -> Any:
        """Evaluate a scalar on which the kernel's control flow depends; None where it is not known."""
        return self._value(scalar)

    def _hand_on(self, handed: HandedValues) -> None:
        values = [self._value(scalar) for _, scalar in handed.scalars]
        for (slot, _), value in zip(handed.scalars, values):
            self._environment[slot] = value

    # --- control flow -----------------------------------------------------------------------------------

    def _control(self, control: Control[Step]) -> Sequence:
        """Return the sequence of a branch or loop. One without noticeable events is followed only if its results are needed."""
        if not control.acts and not self._needs(_given(control)):
            return ()
        self._spend()
        match control:
            case Branch():
                return self._branch(control)
            case FirstOf():
                return self._first_of(control)
            case ControlLoop(op=dialect.IfPipeSrcOp() | dialect.IfPipeDstOp()):
                return self._for_pipes(control)
        try:
            return self._loop(control) if isinstance(control, ControlLoop) else self._while(control)
        except LimitReached as reason:
            is_said = reason.at is not None and isinstance(control, ControlLoop)
            if is_said or isinstance(reason.at, scf.WhileOp):
                raise
            kind = "loop" if isinstance(control, ControlLoop) else "while loop"
            raise LimitReached(f"a {kind} runs too often to follow it", control.op) from None

    def _needs(self, handed: HandedValues) -> bool:
        return any(slot in self._program.needed for slot, _ in handed.scalars)

    def _unclear(self, control: Control[Step], reason: str) -> Sequence:
        """Mark the results of a branch or loop as unknown. Raises ``Unavailable`` if it contains noticeable events."""
        if control.acts:
            if what := self.resources.decided_by(control.op):
                reason = f"{_SUBJECT[type(control)]} depends on {what}"
            raise Unavailable(reason, control.op)
        for slot, _ in _given(control).scalars:
            self._environment[slot] = None
        return ()

    def _loop(self, loop: ControlLoop[Step]) -> Sequence:
        bounds = [self._decided(bound) for bound in loop.bounds or (None,)]
        if None in bounds:
            return self._unclear(loop, "how often a loop runs depends on a shape that is not given")
        lower, upper, width = bounds
        if width <= 0:
            raise Unavailable("a loop with a step that is not positive", loop.op)
        count = trip_count(lower, upper, width)
        self._hand_on(loop.starts)
        assert loop.variable is not None
        varies = loop.variable in self._program.needed or self._needs(loop.starts)
        if count and not varies and loop not in self._program.gathering:
            self._environment[loop.variable] = lower
            items = self._alike(count, loop.body)
        else:
            items = self._each(loop, lower, width, count)
        self._hand_on(loop.ends)
        return items

    def _alike(self, count: int, body: ControlBody[Step]) -> Sequence:
        """Trace a body that does the same in every iteration."""
        before = dict(self._begun)
        items = self._body(body)
        if count > 1:
            for key, begun in self._begun.items():
                more = (begun - before.get(key, 0)) * (count - 1)
                if not more:
                    continue
                self._begun[key] = begun + more
                for copy, (pipe, serial, kind) in self._last.items():
                    if pipe * 2 + (kind is EventKind.SEND) == key and serial > before.get(key, 0):
                        self._last[copy] = (pipe, serial + more, kind)
        return repeated(count, items)

    def _each(self, loop: ControlLoop[Step], lower: int, width: int, count: int) -> Sequence:
        """Trace a body iteration by iteration; adjacent equal iterations are merged."""
        assert loop.variable is not None
        items: list[int | Repeat | Choice] = []
        last: Sequence = ()
        alike = 0
        for iteration in range(count):
            self._environment[loop.variable] = lower + iteration * width
            body = self._body(loop.body)
            self._hand_on(loop.body.gives)
            self._spend()
            if body != last:
                items.extend(repeated(alike, last))
                last, alike = body, 0
            alike += 1
        items.extend(repeated(alike, last))
        return tuple(items)

    def _while(self, loop: While[Step]) -> Sequence:
        self._hand_on(loop.starts)
        items: list[int | Repeat | Choice] = []
        while True:
            self._spend()
            items.extend(self._body(loop.before))
            holds = self._decided(loop.condition)
            if holds is None:
                return self._unclear(loop, "how often a while loop runs is not known")
            self._hand_on(loop.before.gives if holds else loop.ends)
            if not holds:
                return tuple(items)
            items.extend(self._body(loop.after))
            self._hand_on(loop.after.gives)

    def _branch(self, branch: Branch[Step]) -> Sequence:
        holds = self._decided(branch.condition)
        if holds is None:
            return self._unclear(branch, "which way a condition goes is not known")
        body = branch.then if holds else branch.other
        if body is None:
            return ()
        items = self._body(body)
        self._hand_on(body.gives)
        return items

    def _for_pipes(self, loop: ControlLoop[Step]) -> Sequence:
        assert loop.variable is not None and loop.pipes is not None
        items: list[int | Repeat | Choice] = []
        for pipe in loop.pipes.of(self._environment[NODE]):
            self._environment[loop.variable] = pipe
            items.extend(self._body(loop.body))
        return tuple(items)


def ancestor_blocks(op: Operation) -> Iterator[Block]:
    """Yield the blocks around an operation."""
    for inner in ancestors(op):
        if inner.parent is not None:
            yield inner.parent


_SUBJECT = {
    ControlLoop: "how often a loop runs",
    While: "how often a while loop runs",
    Branch: "which way a condition goes",
}


def _given(control: Control[Step]) -> HandedValues:
    """Return the values that a branch or loop yields."""
    if isinstance(control, FirstOf):
        return HandedValues()
    return control.then.gives if isinstance(control, Branch) else control.ends
