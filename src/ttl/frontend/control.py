"""Loops and branches whose course is known on the node only, as regions of the IR.

A name that a loop changes becomes a value the loop carries, but only where the loop reads it: until then it is a
``LoopVar``. Where a loop needs its number, or anything that varies with it, to be known, it is unrolled instead.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from xdsl.dialects import affine, scf
from xdsl.ir import Block, Operation, Region, SSAValue

from ttl.frontend import refusals
from ttl.frontend.builder import INDEX, new_block, region, require_word
from ttl.frontend.merging import Kind, common, from_ir, hull, kind_of, same, to_ir
from ttl.frontend.names import assigned, leaves, nonlocals, only_augmented, reads
from ttl.frontend.objects import TracedBlock
from ttl.frontend.scalars import Condition, Scalar, both, bounds_of, either, negated
from ttl.frontend.state import State
from ttl.frontend.stop import Reject, StaticNeeded, Undecided
from ttl.frontend.values import UNBOUND, Poison, RangeValue, Scope, Sequential
from ttl.rules.words import describe

# What may leave a block early, and when: always (True), or under a condition.
Signals = dict[str, Any]
# Iterations of a loop that is unrolled.
MOST_UNROLLED = 4096
_RUNNING, _RETURNED, _CHOSEN = "$running", "$returned", "$chosen"
RETURN = "$return"


class LoopVar:
    """A name whose value a loop may change, before anybody has read it in the loop."""

    __slots__ = ("loop", "prior")

    def __init__(self, prior: Any, loop: Loop) -> None:
        self.prior = prior
        self.loop = loop


class Loop:
    """A loop that is being built."""

    __slots__ = ("block", "carried", "number", "types")

    def __init__(self, number: int, block: Block, types: dict[str, Kind]) -> None:
        self.number = number
        self.block = block
        # By name: where it lives, its value before the loop, its kind, its place among the block's arguments.
        self.carried: dict[str, tuple[Scope, Any, Kind, SSAValue]] = {}
        self.types = types


class OtherKind(Exception):
    """A carried value has another kind after an iteration than before: the loop is built again with that one."""

    def __init__(self, loop: int, name: str, kind: Kind) -> None:
        super().__init__(name)
        self.loop = loop
        self.name = name
        self.kind = kind


class Control(State):
    """Loops and branches."""

    # What the layers above know.
    def eval(self, node: ast.expr) -> Any:
        """The value of an expression."""
        raise NotImplementedError

    def block(self, body: list[ast.stmt]) -> Signals:
        """Evaluate statements."""
        raise NotImplementedError

    def assign(self, target: ast.expr, value: Any) -> None:
        """Assign to a target."""
        raise NotImplementedError

    def truth(self, value: Any) -> Any:
        """A value as a condition."""
        raise NotImplementedError

    # --- branches ---------------------------------------------------------------------------------------------

    def branch(
        self,
        condition: Condition,
        first: Callable[[], Signals],
        second: Callable[[], Signals] | None = None,
        statement: ast.stmt | None = None,
    ) -> Signals:
        """Evaluate both ways a condition may go, and merge what they leave behind."""
        then_block, else_block = new_block(), new_block()
        try:
            return self._branch(condition, first, second, statement, then_block, else_block)
        except BaseException:
            for block in (then_block, else_block):
                if block.parent is None:
                    discard(block)
            raise

    def _branch(
        self,
        condition: Condition,
        first: Callable[[], Signals],
        second: Callable[[], Signals] | None,
        statement: ast.stmt | None,
        then_block: Block,
        else_block: Block,
    ) -> Signals:
        builder = self.builder
        tested = condition.ssa()
        before = self._names()
        with builder.inside(then_block), self._region(None):
            first_signals = first()
        after_first = self._names()
        self._set_names(before)
        second_signals: Signals = {}
        if second is not None:
            with builder.inside(else_block), self._region(None):
                second_signals = second()
        after_second = self._names()
        merged = self._merge(before, after_first, after_second, (first_signals, second_signals), statement)
        results: list[tuple[Kind, Any, Any]] = [(kind, a, b) for _, _, kind, a, b in merged]
        signals, wanted = self._signals(condition, first_signals, second_signals)
        results.extend((Kind("truth"), a, b) for _, a, b in wanted)
        if not results and then_block.first_op is None and else_block.first_op is None:
            return signals
        with builder.inside(then_block):
            builder.emit(scf.YieldOp(*(to_ir(self.tracer, a, kind) for kind, a, _ in results)))
        with builder.inside(else_block):
            builder.emit(scf.YieldOp(*(to_ir(self.tracer, b, kind) for kind, _, b in results)))
        empty = not results and else_block.first_op is else_block.last_op
        if empty:
            assert else_block.last_op is not None
            else_block.erase_op(else_block.last_op)
        made = builder.emit(
            scf.IfOp(
                tested,
                [kind.attribute for kind, _, _ in results],
                region(then_block),
                Region() if empty else region(else_block),
            )
        )
        values = list(made.results)
        for (scope, name, kind, a, b), ssa in zip(merged, values, strict=False):
            loops = condition.loops | _loops(a) | _loops(b)
            bounds = hull(a, b) if kind.kind == "index" else (None, None)
            scope.names[name] = from_ir(self.tracer, ssa, kind, loops, bounds)
        for (name, a, b), ssa in zip(wanted, values[len(merged) :], strict=True):
            loops = condition.loops | _loops(a) | _loops(b)
            signals[name] = from_ir(self.tracer, ssa, Kind("truth"), loops)
        return signals

    def guarded(self, condition: Any, body: Callable[[], Signals]) -> Signals:
        """Evaluate under a condition, which may be known after all."""
        if not isinstance(condition, Condition):
            return body() if condition else {}
        return self.branch(condition, body)

    def chosen(
        self, condition: Condition, first: Callable[[], Any], second: Callable[[], Any], node: ast.AST
    ) -> Any:
        """The value of ``a if condition else b``."""
        scope = self.scope
        outer = scope.names.get(_CHOSEN)

        def set_to(value: Callable[[], Any]) -> Callable[[], Signals]:
            def run() -> Signals:
                made = value()
                if isinstance(made, TracedBlock) and self.tracer.kind == "compute":
                    made = self.tracer.read(made)
                scope.names[_CHOSEN] = made
                return {}

            return run

        self.branch(condition, set_to(first), set_to(second))
        result = scope.names.pop(_CHOSEN)
        if outer is not None:
            scope.names[_CHOSEN] = outer
        if isinstance(result, Poison):
            if isinstance(node, ast.IfExp) and self.tracer.kernel is not None:
                raise Undecided(node)
            self.place = node
            raise Reject(refusals.not_known_here("this expression", result.reason))
        return result

    def _signals(
        self, condition: Condition, first: Signals, second: Signals
    ) -> tuple[Signals, list[tuple[str, Any, Any]]]:
        """What leaves the whole: known conditions, and those that the branches have to hand out."""
        signals: Signals = {}
        wanted: list[tuple[str, Any, Any]] = []
        for name in {**first, **second}:
            a, b = first.get(name, False), second.get(name, False)
            if isinstance(a, bool) and isinstance(b, bool):
                signals[name] = True if a and b else condition if a else negated(condition)
            else:
                wanted.append((name, a, b))
        return signals, wanted

    def _merge(
        self,
        before: list[tuple[Scope, dict[str, Any]]],
        first: list[tuple[Scope, dict[str, Any]]],
        second: list[tuple[Scope, dict[str, Any]]],
        signals: tuple[Signals, Signals],
        statement: ast.stmt | None,
    ) -> list[tuple[Scope, str, Kind, Any, Any]]:
        """Names with another value in each branch: those that can be one value of the IR; the others are poisoned."""
        merged: list[tuple[Scope, str, Kind, Any, Any]] = []
        # Whoever has left the function has no part in what the names mean afterwards.
        gone_first, gone_second = (each.get("return") is True for each in signals)
        for (scope, earlier), (_, ours), (_, theirs) in zip(before, first, second, strict=True):
            result: dict[str, Any] = {}
            for name in {**ours, **theirs}:
                a, b = ours.get(name, UNBOUND), theirs.get(name, UNBOUND)
                if not _is_signal(name) and gone_first is not gone_second:
                    # The value is looked at by the one that stays only.
                    kept = b if gone_first else a
                    if same(kept, earlier.get(name, UNBOUND)):
                        result[name] = kept
                        continue
                    nothing = {"index": 0, "truth": False}.get(getattr(kind_of(kept), "kind", ""))
                    if nothing is not None and gone_first:
                        a = nothing
                    elif nothing is not None:
                        b = nothing
                if same(a, b):
                    result[name] = a
                    continue
                a, b = self._settled(scope, name, a, b)
                kind = common(kind_of(a), kind_of(b))
                if kind is None:
                    result[name] = _lost(a, b, statement)
                    continue
                merged.append((scope, name, kind, a, b))
                result[name] = a
            scope.names = result
        return merged

    def _settled(self, scope: Scope, name: str, a: Any, b: Any) -> tuple[Any, Any]:
        """Values of which one is what a loop would carry: it does."""
        if isinstance(a, LoopVar):
            a = self.carried(scope, name, a)
        if isinstance(b, LoopVar):
            b = self.carried(scope, name, b)
        return a, b

    # --- loops ------------------------------------------------------------------------------------------------

    def structured(self, statement: ast.For, over: Sequential) -> Signals:
        """Build a loop over something computed from positions. Raises ``StaticNeeded`` where it must be unrolled."""
        number = self.builder.new_loop()
        self.builder.open_loops.append(number)
        before = self.snapshot()
        types: dict[str, Kind] = {}
        try:
            while True:
                block = new_block(INDEX)
                loop = Loop(number, block, types)
                try:
                    return self._loop(statement, over, loop)
                except OtherKind as other:
                    discard(block)
                    self.restore(before)
                    if other.loop != number:
                        raise
                    types[other.name] = other.kind
                except BaseException:
                    discard(block)
                    self.restore(before)
                    raise
        finally:
            self.builder.open_loops.pop()

    def _loop(self, statement: ast.For, over: Sequential, loop: Loop) -> Signals:
        exits = leaves(statement)
        names = assigned(statement.target, *statement.body)
        # A function that is called in the loop may assign, too.
        elsewhere = (nonlocals(self.root) | nonlocals(self.function)) - frozenset(names)
        names = self._changed((*names, *sorted(elsewhere)), statement)
        scopes = self._carriable(loop, names, exits)
        low, high, step = self._bounds(over)
        with self.builder.inside(loop.block), self._region(loop.number):
            if isinstance(statement.target, ast.Name):
                loop.block.args[0].name_hint = statement.target.id
            self.assign(statement.target, self._member(over, loop))
            self._body(loop, statement.body, exits)
            yielded = self._yielded(loop, scopes, statement)
        made = self._made(loop, low, high, step, yielded)
        signals = self._after(loop, scopes, made, over.length, statement)
        return self._left(statement, loop.number, exits, signals)

    def _changed(self, names: tuple[str, ...], statement: ast.For | ast.While) -> tuple[str, ...]:
        """The names that may mean something else after an iteration: ``blk += value`` changes the block, not the name."""
        same_block = only_augmented(statement)
        kept = []
        for name in names:
            scope = self.scope.holder(name) if name in same_block else None
            if scope is None or not isinstance(scope.names.get(name), TracedBlock):
                kept.append(name)
        return tuple(kept)

    def _carriable(
        self, loop: Loop, names: tuple[str, ...], exits: frozenset[str]
    ) -> list[tuple[str, Scope, Any]]:
        """Mark the names that the loop assigns; what they were before comes along."""
        if exits:
            running, returned = _flags(loop.number)
            self.scope.names[running] = True
            names = (*names, running)
            if "return" in exits:
                self.scope.names[returned] = False
                names = (*names, returned, RETURN)
        found = []
        for name in names:
            scope = self.scope.holder(name)
            if scope is None:
                continue  # of another function
            prior = scope.names.get(name, UNBOUND)
            found.append((name, scope, prior))
            if prior is not UNBOUND and not isinstance(prior, Poison):
                scope.names[name] = LoopVar(prior, loop)
        return found

    def carried(self, scope: Scope, name: str, variable: LoopVar) -> Any:
        """A name that a loop changes is read in it: from now on the loop carries it."""
        loop, prior = variable.loop, variable.prior
        if isinstance(prior, LoopVar) and name not in loop.carried:
            prior = self.carried_outside(scope, name, prior)
        if name in loop.carried:  # read in the other branch of a condition before
            _, _, kind, ssa = loop.carried[name]
        else:
            given = kind_of(prior)
            if given is None:
                finding = refusals.carried(name, describe(prior))
                finding = finding.also(self.span, "the value of the iteration before is read here")
                raise StaticNeeded(frozenset((loop.number,)), finding=finding)
            kind = loop.types.get(name, given)
            ssa = loop.block.insert_arg(kind.attribute, len(loop.block.args))
            loop.carried[name] = (scope, prior, kind, ssa)
        loops = frozenset(self.builder.open_loops[: self.builder.open_loops.index(loop.number) + 1])
        value = from_ir(self.tracer, ssa, kind, loops)
        scope.names[name] = value
        return value

    def carried_outside(self, scope: Scope, name: str, variable: LoopVar) -> Any:
        """The value of a name before an inner loop, which an outer loop carries."""
        current = scope.names.get(name)
        value = self.carried(scope, name, variable)
        if current is not None:
            scope.names[name] = current
        return value

    def _body(self, loop: Loop, body: list[ast.stmt], exits: frozenset[str]) -> None:
        if not exits:
            self.block(body)
            return
        scope = self.scope
        running, returned = _flags(loop.number)
        goes_on = self._flag(scope, running)
        signals = self.guarded(goes_on, lambda: self.block(body))
        left = either(signals.get("break", False), signals.get("return", False))
        scope.names[running] = both(goes_on, negated(left))
        if "return" in exits and signals.get("return", False) is not False:
            scope.names[returned] = either(self._flag(scope, returned), signals["return"])

    def _flag(self, scope: Scope, name: str) -> Any:
        value = scope.names[name]
        return self.carried(scope, name, value) if isinstance(value, LoopVar) else value

    def _left(
        self, statement: ast.For | ast.While, number: int, exits: frozenset[str], signals: Signals
    ) -> Signals:
        """What a loop hands on, and its ``else``."""
        running, returned = (
            self.scope.names.pop(name, default)
            for name, default in zip(_flags(number), (True, False), strict=True)
        )
        if "return" in exits and returned is not False:
            signals["return"] = self.truth(returned)
        if statement.orelse:
            more = self.guarded(self.truth(running) if exits else True, lambda: self.block(statement.orelse))
            signals = {**signals, **more}
        return signals

    def _member(self, over: Sequential, loop: Loop) -> Any:
        loops = frozenset((loop.number,))
        variable = loop.block.args[0]
        if isinstance(over, RangeValue) and over.step > 0:
            last = (
                over.start + (over.length - 1) * over.step if isinstance(over.length, int) else over.stop - 1
            )
            low, high = bounds_of(over.start)[0], bounds_of(last)[1]
            return self.builder.atom(variable, low, high, loops | _loops(over.start))
        most = bounds_of(over.length)[1]
        position = self.builder.atom(variable, 0, None if most is None else max(most - 1, 0), loops)
        return over.at(position)

    def _bounds(self, over: Sequential) -> tuple[Any, Any, int]:
        if isinstance(over, RangeValue) and over.step > 0:
            return over.start, over.stop, over.step
        return 0, over.length, 1

    def _yielded(
        self, loop: Loop, scopes: list[tuple[str, Scope, Any]], statement: ast.For
    ) -> dict[str, SSAValue]:
        """The values of carried names after an iteration, in the order of the block's arguments."""
        for name, scope, prior in scopes:
            if name in loop.carried or prior is UNBOUND or not self._read_elsewhere(name, scope, statement):
                continue
            after = scope.names.get(name, UNBOUND)
            if isinstance(after, LoopVar) or isinstance(prior, LoopVar):
                continue
            # Assigned and never read before in the loop: carried, too, for what follows the loop.
            kind = common(kind_of(prior), kind_of(after))
            if kind is not None:
                ssa = loop.block.insert_arg(kind.attribute, len(loop.block.args))
                loop.carried[name] = (scope, prior, kind, ssa)
        found: dict[str, SSAValue] = {}
        for name, (scope, _, kind, _) in loop.carried.items():
            after = scope.names.get(name, UNBOUND)
            wanted = common(kind, kind_of(after))
            if wanted is None:
                if isinstance(after, Poison) and after.reported:
                    after = loop.carried[name][1]
                    wanted = kind
                else:
                    raise StaticNeeded(frozenset((loop.number,)), finding=refusals.other_kind(name))
            if wanted != kind:
                raise OtherKind(loop.number, name, wanted)
            found[name] = to_ir(self.tracer, after, kind)
        return found

    def _read_elsewhere(self, name: str, scope: Scope, statement: ast.For) -> bool:
        """Whether code outside of a loop reads a name."""
        if scope is not self.scope or name.startswith("$"):
            return True
        return reads(self.function)[name] > reads(statement)[name]

    def _made(self, loop: Loop, low: Any, high: Any, step: int, yielded: dict[str, SSAValue]) -> Any:
        builder = self.builder
        initial = [to_ir(self.tracer, prior, kind) for _, prior, kind, _ in loop.carried.values()]
        if isinstance(low, int) and isinstance(high, int):
            require_word(low)
            require_word(high)
            with builder.inside(loop.block):
                builder.emit(affine.YieldOp.get(*yielded.values()))
            return builder.emit(
                affine.ForOp.from_region(
                    [], [], initial, [value.type for value in initial], low, high, region(loop.block), step
                )
            )
        with builder.inside(loop.block):
            builder.emit(scf.YieldOp(*yielded.values()))
        return builder.emit(
            scf.ForOp(
                builder.index(low), builder.index(high), builder.constant(step), initial, region(loop.block)
            )
        )

    def _after(
        self,
        loop: Loop,
        scopes: list[tuple[str, Scope, Any]],
        made: Any,
        length: Any,
        statement: ast.stmt,
    ) -> Signals:
        """What names mean after the loop."""
        loops = frozenset(self.builder.open_loops[:-1])
        for (name, (scope, prior, kind, _)), ssa in zip(loop.carried.items(), made.results, strict=True):
            scope.names[name] = from_ir(self.tracer, ssa, kind, loops | _loops(prior) | _loops(length))
        for name, scope, prior in scopes:
            if name in loop.carried:
                continue
            after = scope.names.get(name, UNBOUND)
            if isinstance(after, LoopVar):
                scope.names[name] = prior
            elif after is UNBOUND:
                continue
            elif isinstance(after, Poison):
                scope.names[name] = after
            elif not _constant(after):
                scope.names[name] = Poison(
                    "a loop that is not unrolled assigns it, and this is after the loop",
                    reported=False,
                    statement=statement if isinstance(length, int) else None,
                )
            elif prior is not UNBOUND and not same(prior, after):
                low = bounds_of(length)[0]
                if low is None or low < 1:
                    scope.names[name] = Poison("a loop assigns it, and may not run at all", reported=False)
        return {}

    # --- while ------------------------------------------------------------------------------------------------

    def repeated(self, statement: ast.While) -> Signals:
        """Build a ``while`` whose condition is known on the node only."""
        number = self.builder.new_loop()
        self.builder.open_loops.append(number)
        before = self.snapshot()
        first, second = new_block(), new_block()
        try:
            return self._while_loop(statement, number, first, second)
        except BaseException:
            discard(first)
            discard(second)
            self.restore(before)
            raise
        finally:
            self.builder.open_loops.pop()

    def _while_loop(self, statement: ast.While, number: int, first: Block, second: Block) -> Signals:
        builder = self.builder
        exits = leaves(statement)
        running, returned = _flags(number)
        if exits:
            self.scope.names[running] = True
            self.scope.names[returned] = False
        names = self._changed(assigned(statement.test, *statement.body), statement)
        names = (*names, *((running, returned) if exits else ()))
        carried: list[tuple[str, Scope, Any, Kind]] = []
        others: list[tuple[str, Scope]] = []
        for name in names:
            scope = self.scope.holder(name) or self.scope
            prior = scope.names.get(name, UNBOUND)
            if isinstance(prior, LoopVar):
                prior = self.carried(scope, name, prior)
            kind = kind_of(prior)
            if kind is None:
                others.append((name, scope))
            else:
                carried.append((name, scope, prior, kind))
        initial = [to_ir(self.tracer, prior, kind) for _, _, prior, kind in carried]
        loops = frozenset(builder.open_loops)

        def bind(block: Block) -> None:
            for name, scope, _, kind in carried:
                ssa = block.insert_arg(kind.attribute, len(block.args))
                scope.names[name] = from_ir(self.tracer, ssa, kind, loops)

        with builder.inside(first), self._region(number):
            bind(first)
            condition = self.truth(self.eval(statement.test))
            if exits:
                condition = both(self.truth(self.scope.names[running]), condition)
            tested = condition.ssa() if isinstance(condition, Condition) else builder.truth(bool(condition))
            # The condition may assign, too (with ``:=``).
            builder.emit(scf.ConditionOp(tested, *self._kept(carried)))
        with builder.inside(second), self._region(number):
            bind(second)
            signals = self.block(statement.body)
            if exits:
                left = either(signals.get("break", False), signals.get("return", False))
                self.scope.names[running] = negated(left)
                self.scope.names[returned] = signals.get("return", False)
            builder.emit(scf.YieldOp(*self._kept(carried)))
        made = builder.emit(
            scf.WhileOp(initial, [value.type for value in initial], region(first), region(second))
        )
        outside = frozenset(builder.open_loops[:-1])
        for (name, scope, _, kind), ssa in zip(carried, made.results, strict=True):
            scope.names[name] = from_ir(self.tracer, ssa, kind, outside)
        for name, scope in others:
            if name in scope.names:
                scope.names[name] = Poison("a while loop that depends on the node assigns it", reported=False)
        return self._left(statement, number, exits, {})

    def _kept(self, carried: list[tuple[str, Scope, Any, Kind]]) -> list[SSAValue]:
        """The values of carried names now."""
        found = []
        for name, scope, _, kind in carried:
            value = scope.names.get(name, UNBOUND)
            if common(kind, kind_of(value)) != kind:
                raise StaticNeeded(frozenset(), finding=refusals.other_kind(name))
            found.append(to_ir(self.tracer, value, kind))
        return found

    # --- regions ----------------------------------------------------------------------------------------------

    def read_region(self, block: Block, body: Callable[[], None]) -> None:
        """Evaluate what runs any number of times into a block; names it changes mean nothing afterwards."""
        before = self._names()
        try:
            with self.builder.inside(block), self._region(None):
                body()
        except BaseException:
            discard(block)
            raise
        after = self._names()
        for (scope, then), (_, now) in zip(before, after, strict=True):
            for name, value in now.items():
                if not same(then.get(name, UNBOUND), value):
                    scope.names[name] = Poison(
                        "a function called for each pipe of the node assigns it", reported=False
                    )

    @contextmanager
    def _region(self, loop: int | None) -> Iterator[None]:
        self.regions.append(loop)
        try:
            yield
        finally:
            self.regions.pop()

    def _names(self) -> list[tuple[Scope, dict[str, Any]]]:
        return [(scope, dict(scope.names)) for scope in self.reachable()]

    @staticmethod
    def _set_names(names: list[tuple[Scope, dict[str, Any]]]) -> None:
        for scope, values in names:
            scope.names = dict(values)


def discard(block: Block) -> None:
    """Drop a block that turned out not to be needed: nothing of it may count as a use any more."""
    for operation in reversed(list(block.ops)):
        drop(operation)


def drop(operation: Operation) -> None:
    """Take an operation out of its block; nothing of it may count as a use any more."""
    detach: Callable[[], None] = operation.detach
    detach()
    operation.drop_all_references()


def _lost(a: Any, b: Any, statement: ast.stmt | None) -> Poison:
    """What a name is after a branch that gives it values which cannot be one."""
    for value in (a, b):
        if isinstance(value, Poison) and value.reported:
            return value
    if a is UNBOUND or b is UNBOUND:
        reason = "a branch that depends on the node assigns it, the other does not"
    else:
        reason = "branches that depend on the node give it different values"
    return Poison(reason, reported=False, statement=statement)


def _loops(value: Any) -> frozenset[int]:
    return value.loops if isinstance(value, Scalar | Condition) else frozenset()


def _flags(number: int) -> tuple[str, str]:
    """Names of whether a loop goes on, and whether its function has returned."""
    return f"{_RUNNING}{number}", f"{_RETURNED}{number}"


def _is_signal(name: str) -> bool:
    return name.startswith((_RUNNING, _RETURNED, RETURN))


def _constant(value: Any) -> bool:
    """Whether a value does not depend on the iteration it was computed in."""
    if isinstance(value, Scalar | Condition):
        return not value.loops
    if isinstance(value, tuple):
        return all(_constant(each) for each in value)
    return isinstance(value, int | float | str | bytes | None.__class__)
