"""Runs the program of a kernel on a node: its events, in order."""

from __future__ import annotations

from typing import Any

from xdsl.dialects import scf
from xdsl.ir import Operation

from ttl.analysis.scalars import NODE, Scalar, Slots, trip_count
from ttl.check.network.events import Kind, Repeat, Sequence, Table, repeated
from ttl.check.network.resources import Resources
from ttl.check.network.steps import (
    Await,
    Branch,
    ForPipes,
    Join,
    Loop,
    OnBuffers,
    OnPipe,
    OnSemaphore,
    Step,
    Unclear,
    While,
)
from ttl.diag.model import Diagnostic
from ttl.protocol.grid import resolve_coord, resolve_range

BUDGET = 50_000
"""Steps that may be taken to write down all kernels of an operation."""


class UnprovenError(Exception):
    """Nothing can be said about a kernel, and why; at an operation of it, where there is one. Caught within this package."""

    def __init__(self, reason: str, op: Operation | None = None) -> None:
        super().__init__(reason)
        self.op = op


class TooLongError(UnprovenError):
    """It takes too many steps to write a kernel down; ``op`` is the loop that takes them, a ``while`` if there is one."""


class Tracer:
    """Writes down what kernels do. One for an operation."""

    def __init__(self, resources: Resources, slots: Slots, table: Table, wanted: set[int]) -> None:
        self.resources = resources
        self.slots = slots
        self.table = table
        self.wanted = wanted
        self.left = BUDGET
        self._environment: list[Any] = []
        self._begun: dict[int, int] = {}
        self._last: dict[int, tuple[int, int, Kind]] = {}
        self._groups: dict[int, list[tuple[int, int, Kind]]] = {}

    def trace(self, steps: tuple[Step, ...], node: int) -> Sequence:
        """The events of a kernel on a node. Raises ``UnprovenError`` where they are not known, or too many."""
        self._environment = self.slots.environment(node)
        self._begun = {}
        self._last = {}
        self._groups = {}
        return self._run(steps)

    def _run(self, steps: tuple[Step, ...]) -> Sequence:
        items: list[int | Repeat] = []
        for step in steps:
            self.left -= 1
            if self.left < 0:
                raise TooLongError("the kernels do too many different things to follow them")
            if type(step) is OnBuffers:
                items.extend(step.numbers)
            elif type(step) is Branch:
                items.extend(self._branch(step))
            else:
                items.extend(self._other(step))
        return tuple(items)

    def _other(self, step: Step) -> Sequence:
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
            case Loop() | While():
                return self._repeated(step)
            case ForPipes():
                return self._for_pipes(step)
            case Branch():
                return self._branch(step)
            case OnBuffers():
                return step.numbers
            case Unclear():
                raise UnprovenError(step.reason, step.op)

    # --- events -----------------------------------------------------------------------------------------

    def _begin(self, step: OnPipe) -> int:
        pipe = self.resources.nets[step.net].first + self._environment[step.slot]
        # A kernel sends or receives at one pipe; both at a pipe to itself, which counts apart.
        key = pipe * 2 + (step.kind is Kind.SEND)
        self._begun[key] = begun = self._begun.get(key, 0) + 1
        self._last[id(step.op)] = (pipe, begun, step.kind)
        return self.table.number(step.kind, pipe, step.op)

    def _await(self, step: Await) -> Sequence:
        if step.copy is not None:
            begun = self._last.get(id(step.copy))
            waited = [] if begun is None else [begun]
        else:
            waited = self._groups.pop(id(step.group), [])
        numbers = []
        for pipe, serial, kind in waited:
            ago = self._begun[pipe * 2 + (kind is Kind.SEND)] - serial + 1
            ended = Kind.SENT if kind is Kind.SEND else Kind.RECEIVED
            numbers.append(self.table.number(ended, pipe, step.op, ago))
        return tuple(numbers)

    def _on_semaphore(self, step: OnSemaphore) -> int:
        value = self._value(step.value)
        nodes: tuple[int, ...] = (self._environment[NODE],)
        if step.everywhere:
            nodes = tuple(range(self.slots.nodes))
        elif step.stops is not None:
            assert step.starts is not None
            bounds = zip(map(self._value, step.starts), map(self._value, step.stops), strict=True)
            nodes = self._resolved(resolve_range(tuple(slice(*each) for each in bounds), self.slots.grid))
        elif step.starts is not None:
            coordinate = tuple(map(self._value, step.starts))
            nodes = (self._resolved(resolve_coord(coordinate, self.slots.grid)),)
        if step.kind in (Kind.UNTIL_EQUAL, Kind.UNTIL_AT_LEAST):
            nodes = ()
        return self.table.number(step.kind, step.semaphore, step.op, value, nodes)

    def _resolved(self, found: Any) -> Any:
        if isinstance(found, Diagnostic):
            raise UnprovenError("a remote semaphore is outside the grid")
        return found

    def _value(self, scalar: Scalar) -> Any:
        try:
            return scalar.evaluate(self._environment)
        except ZeroDivisionError:
            raise UnprovenError("a division by zero") from None

    # --- control flow -----------------------------------------------------------------------------------

    def _repeated(self, step: Loop | While) -> Sequence:
        try:
            return self._loop(step) if isinstance(step, Loop) else self._while(step)
        except TooLongError as reason:
            if isinstance(reason.op, scf.WhileOp) or (reason.op is not None and isinstance(step, Loop)):
                raise
            kind = "loop" if isinstance(step, Loop) else "while loop"
            raise TooLongError(f"a {kind} runs too often to follow it", step.op) from None

    def _loop(self, step: Loop) -> Sequence:
        if step.bounds is None:
            raise UnprovenError("how often a loop runs depends on a shape that is not given", step.op)
        lower, upper, width = map(self._value, step.bounds)
        if width <= 0:
            raise UnprovenError("a loop with a step that is not positive", step.op)
        count = trip_count(lower, upper, width)
        environment, carried = self._environment, step.carried
        for each, value in [(each, self._value(each.first)) for each in carried]:
            environment[each.slot] = value
        wanted = self.wanted
        matter = [each for each in carried if each.slot in wanted or each.result in wanted]
        if count and step.variable not in wanted and not matter and not step.gathers:
            environment[step.variable] = lower
            items = self._alike(count, step.body)
        else:
            items = self._each(step, lower, width, count)
        for each in carried:
            environment[each.result] = environment[each.slot]
        return items

    def _alike(self, count: int, body: tuple[Step, ...]) -> Sequence:
        """A body that does the same in every iteration."""
        before = dict(self._begun)
        items = self._run(body)
        if count > 1:
            for key, begun in self._begun.items():
                more = (begun - before.get(key, 0)) * (count - 1)
                if not more:
                    continue
                self._begun[key] = begun + more
                for copy, (pipe, serial, kind) in self._last.items():
                    if pipe * 2 + (kind is Kind.SEND) == key and serial > before.get(key, 0):
                        self._last[copy] = (pipe, serial + more, kind)
        return repeated(count, items)

    def _each(self, step: Loop, lower: int, width: int, count: int) -> Sequence:
        """A body iteration by iteration; equal ones that follow each other are put together."""
        environment = self._environment
        items: list[int | Repeat] = []
        last: Sequence = ()
        alike = 0
        for turn in range(count):
            environment[step.variable] = lower + turn * width
            body = self._run(step.body)
            for each, value in [(each, self._value(each.following)) for each in step.carried]:
                environment[each.slot] = value
            self.left -= 1
            if self.left < 0:
                raise TooLongError("the kernels do too many different things to follow them")
            if body != last:
                items.extend(repeated(alike, last))
                last, alike = body, 0
            alike += 1
        items.extend(repeated(alike, last))
        return tuple(items)

    def _while(self, step: While) -> Sequence:
        if step.condition is None:
            raise UnprovenError("how often a while loop runs is not known", step.op)
        environment = self._environment
        for slot, value in [(slot, self._value(scalar)) for slot, scalar in step.first]:
            environment[slot] = value
        items: list[int | Repeat] = []
        while True:
            self.left -= 1
            if self.left < 0:
                raise TooLongError("the kernels do too many different things to follow them")
            items.extend(self._run(step.before))
            holds = self._value(step.condition)
            for slot, result, value in [(*slots, self._value(each)) for *slots, each in step.passed]:
                environment[slot] = environment[result] = value
            if not holds:
                return tuple(items)
            items.extend(self._run(step.body))
            for slot, value in [(slot, self._value(scalar)) for slot, scalar in step.again]:
                environment[slot] = value

    def _branch(self, step: Branch) -> Sequence:
        if step.condition is None:
            raise UnprovenError("which way a condition goes is not known", step.op)
        holds = self._value(step.condition)
        items = self._run(step.then if holds else step.otherwise)
        for slot, one, other in step.results:
            self._environment[slot] = self._value(one if holds else other)
        return items

    def _for_pipes(self, step: ForPipes) -> Sequence:
        net = self.resources.nets[step.net]
        by_node = net.by_source if step.sends else net.by_destination
        items: list[int | Repeat] = []
        for pipe in by_node.get(self._environment[NODE], ()):
            self._environment[step.slot] = pipe
            items.extend(self._run(step.body))
        return tuple(items)
