"""Loops whose course is known on the node only. Where one needs its number to be known, it is unrolled instead."""

from __future__ import annotations

import ast
from typing import Any

from xdsl.dialects import affine, scf
from xdsl.ir import Block, SSAValue

from ttl.frontend import refusals
from ttl.frontend.assignments import assign
from ttl.frontend.domain import Signals
from ttl.frontend.evaluator import Evaluator
from ttl.frontend.flow import block
from ttl.frontend.kernel.branches import Branches
from ttl.frontend.kernel.builder import INDEX, new_block, region, require_word
from ttl.frontend.kernel.carrying import Carrying, CarryingLoop, LoopVar
from ttl.frontend.kernel.merging import CarriedKind, common, from_ir, kind_of, to_ir
from ttl.frontend.kernel.objects import TracedBlock
from ttl.frontend.kernel.regions import Regions, discard, flags, loops_of
from ttl.frontend.kernel.selected import Selected
from ttl.frontend.kernel.tracer import Tracer
from ttl.frontend.names import assigned, leaves, nonlocals, only_augmented, reads
from ttl.frontend.scalars import NodeCondition, NodeInteger, both, bounds_of, either, negated
from ttl.frontend.stop import StaticNeeded
from ttl.frontend.values import RETURN, UNBOUND, Poison, RangeValue, Scope, Sequential, same

# Iterations of a loop that is unrolled.
MOST_UNROLLED = 4096


class OtherKind(Exception):
    """A carried value has another kind after an iteration than before: the loop is built again with that one."""

    def __init__(self, loop: int, name: str, kind: CarriedKind) -> None:
        super().__init__(name)
        self.loop = loop
        self.name = name
        self.kind = kind


class Loops:
    """``for`` and ``while`` as loops of the IR."""

    def __init__(
        self, reader: Evaluator, tracer: Tracer, regions: Regions, carrying: Carrying, branches: Branches
    ) -> None:
        self._reader = reader
        self._tracer = tracer
        self._builder = tracer.builder
        self._regions = regions
        self._carrying = carrying
        self._branches = branches

    def for_(self, statement: ast.For, over: Sequential) -> Signals:
        """Build a loop over something computed from positions. Raises ``StaticNeeded`` where it must be unrolled."""
        number = self._builder.new_loop()
        self._builder.open_loops.append(number)
        before = self._regions.snapshot()
        types: dict[str, CarriedKind] = {}
        try:
            while True:
                block = new_block(INDEX)
                loop = CarryingLoop(number, block, types)
                try:
                    return self._loop(statement, over, loop)
                except OtherKind as other:
                    discard(block)
                    self._regions.restore(before)
                    if other.loop != number:
                        raise
                    types[other.name] = other.kind
                except BaseException:
                    discard(block)
                    self._regions.restore(before)
                    raise
        finally:
            self._builder.open_loops.pop()

    def _loop(self, statement: ast.For, over: Sequential, loop: CarryingLoop) -> Signals:
        exits = leaves(statement)
        names = assigned(statement.target, *statement.body)
        # A function that is called in the loop may assign, too.
        elsewhere = (nonlocals(self._reader.root) | nonlocals(self._reader.function)) - frozenset(names)
        names = self._changed((*names, *sorted(elsewhere)), statement)
        scopes = self._carriable(loop, names, exits)
        low, high, step = self._bounds(over)
        with self._builder.inside(loop.block), self._regions.inside(loop.number):
            if isinstance(statement.target, ast.Name):
                loop.block.args[0].name_hint = statement.target.id
            assign(self._reader, statement.target, self._member(over, loop))
            self._body(loop, statement.body, exits)
            yielded = self._yielded(loop, scopes, statement)
        self._reader.place = statement.iter
        result = self._made(loop, low, high, step, yielded)
        signals = self._after(loop, scopes, result, over.length, statement)
        return self._left(statement, loop.number, exits, signals)

    def _changed(self, names: tuple[str, ...], statement: ast.For | ast.While) -> tuple[str, ...]:
        """The names that may mean something else after an iteration: ``blk += value`` changes the block, not the name."""
        same_block = only_augmented(statement)
        kept = []
        for name in names:
            scope = self._reader.scope.holder(name) if name in same_block else None
            if scope is None or not isinstance(scope.names.get(name), TracedBlock):
                kept.append(name)
        return tuple(kept)

    def _carriable(
        self, loop: CarryingLoop, names: tuple[str, ...], exits: frozenset[str]
    ) -> list[tuple[str, Scope, Any]]:
        """Mark the names that the loop assigns; what they were before comes along."""
        if exits:
            running, returned = flags(loop.number)
            self._reader.scope.names[running] = True
            names = (*names, running)
            if "return" in exits:
                self._reader.scope.names[returned] = False
                names = (*names, returned, RETURN)
        carriable = []
        for name in names:
            scope = self._reader.scope.holder(name)
            if scope is None:
                continue  # of another function
            prior = scope.names.get(name, UNBOUND)
            carriable.append((name, scope, prior))
            if prior is not UNBOUND and (not isinstance(prior, Poison) or type(prior) is Selected):
                scope.names[name] = LoopVar(prior, loop)
        return carriable

    def _body(self, loop: CarryingLoop, body: list[ast.stmt], exits: frozenset[str]) -> None:
        if not exits:
            block(self._reader, body)
            return
        scope = self._reader.scope
        running, returned = flags(loop.number)
        goes_on = self._flag(scope, running)
        signals = self._branches.guarded(goes_on, lambda: block(self._reader, body))
        left = either(signals.get("break", False), signals.get("return", False))
        scope.names[running] = both(goes_on, negated(left))
        if "return" in exits and signals.get("return", False) is not False:
            scope.names[returned] = either(self._flag(scope, returned), signals["return"])

    def _flag(self, scope: Scope, name: str) -> Any:
        value = scope.names[name]
        return self._carrying.carried(scope, name, value) if isinstance(value, LoopVar) else value

    def _left(
        self, statement: ast.For | ast.While, number: int, exits: frozenset[str], signals: Signals
    ) -> Signals:
        """What a loop hands on, and its ``else``."""
        running, returned = (
            self._reader.scope.names.pop(name, default)
            for name, default in zip(flags(number), (True, False), strict=True)
        )
        if "return" in exits and returned is not False:
            signals["return"] = self._reader.domain.truth(returned)
        if statement.orelse:
            more = self._branches.guarded(
                self._reader.domain.truth(running) if exits else True,
                lambda: block(self._reader, statement.orelse),
            )
            signals = {**signals, **more}
        return signals

    def _member(self, over: Sequential, loop: CarryingLoop) -> Any:
        loops = frozenset((loop.number,))
        variable = loop.block.args[0]
        if isinstance(over, RangeValue) and over.step > 0:
            last = (
                over.start + (over.length - 1) * over.step if isinstance(over.length, int) else over.stop - 1
            )
            low, high = bounds_of(over.start)[0], bounds_of(last)[1]
            return self._builder.atom(variable, low, high, loops | loops_of(over.start))
        most = bounds_of(over.length)[1]
        position = self._builder.atom(variable, 0, None if most is None else max(most - 1, 0), loops)
        return over.at(position)

    def _bounds(self, over: Sequential) -> tuple[Any, Any, int]:
        if isinstance(over, RangeValue) and over.step > 0:
            return over.start, over.stop, over.step
        return 0, over.length, 1

    def _yielded(
        self, loop: CarryingLoop, scopes: list[tuple[str, Scope, Any]], statement: ast.For
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
        self._carrying.require_kept(loop)
        yielded: dict[str, SSAValue] = {}
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
            yielded[name] = to_ir(self._tracer, after, kind)
        return yielded

    def _read_elsewhere(self, name: str, scope: Scope, statement: ast.For) -> bool:
        """Whether code outside of a loop reads a name."""
        if scope is not self._reader.scope or name.startswith("$"):
            return True
        return reads(self._reader.function)[name] > reads(statement)[name]

    def _made(self, loop: CarryingLoop, low: Any, high: Any, step: int, yielded: dict[str, SSAValue]) -> Any:
        builder = self._builder
        initial = [to_ir(self._tracer, prior, kind) for _, prior, kind, _ in loop.carried.values()]
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
        loop: CarryingLoop,
        scopes: list[tuple[str, Scope, Any]],
        data: Any,
        length: Any,
        statement: ast.stmt,
    ) -> Signals:
        """What names mean after the loop."""
        loops = frozenset(self._builder.open_loops[:-1])
        for (name, (scope, prior, kind, _)), ssa in zip(loop.carried.items(), data.results, strict=True):
            scope.names[name] = from_ir(self._tracer, ssa, kind, loops | loops_of(prior) | loops_of(length))
        for name, scope, prior in scopes:
            if name in loop.carried:
                continue
            after = scope.names.get(name, UNBOUND)
            if isinstance(after, LoopVar):
                scope.names[name] = prior
            elif after is UNBOUND:
                continue
            elif type(after) is Selected:
                # The conditions are those of an iteration.
                scope.names[name] = Poison(after.reason, reported=False, statement=after.statement)
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

    def while_(self, statement: ast.While) -> Signals:
        """Build a ``while`` whose condition is known on the node only."""
        number = self._builder.new_loop()
        self._builder.open_loops.append(number)
        before = self._regions.snapshot()
        first, second = new_block(), new_block()
        try:
            return self._while_loop(statement, number, first, second)
        except BaseException:
            discard(first)
            discard(second)
            self._regions.restore(before)
            raise
        finally:
            self._builder.open_loops.pop()

    def _while_loop(self, statement: ast.While, number: int, first: Block, second: Block) -> Signals:
        builder = self._builder
        exits = leaves(statement)
        running, returned = flags(number)
        if exits:
            self._reader.scope.names[running] = True
            self._reader.scope.names[returned] = False
        names = self._changed(assigned(statement.test, *statement.body), statement)
        names = (*names, *((running, returned) if exits else ()))
        carried: list[tuple[str, Scope, Any, CarriedKind]] = []
        others: list[tuple[str, Scope]] = []
        for name in names:
            scope = self._reader.scope.holder(name) or self._reader.scope
            prior = scope.names.get(name, UNBOUND)
            if isinstance(prior, LoopVar):
                prior = self._carrying.carried(scope, name, prior)
            kind = kind_of(prior)
            if kind is None:
                others.append((name, scope))
            else:
                carried.append((name, scope, prior, kind))
        initial = [to_ir(self._tracer, prior, kind) for _, _, prior, kind in carried]
        loops = frozenset(builder.open_loops)

        def bind(block: Block) -> None:
            for name, scope, _, kind in carried:
                ssa = block.insert_arg(kind.attribute, len(block.args))
                scope.names[name] = from_ir(self._tracer, ssa, kind, loops)

        with builder.inside(first), self._regions.inside(number):
            bind(first)
            condition = self._reader.domain.condition(statement.test)
            if exits:
                condition = both(self._reader.domain.truth(self._reader.scope.names[running]), condition)
            tested = (
                condition.ssa() if isinstance(condition, NodeCondition) else builder.truth(bool(condition))
            )
            # The condition may assign, too (with ``:=``).
            builder.emit(scf.ConditionOp(tested, *self._kept(carried)))
        with builder.inside(second), self._regions.inside(number):
            bind(second)
            signals = block(self._reader, statement.body)
            if exits:
                left = either(signals.get("break", False), signals.get("return", False))
                self._reader.scope.names[running] = negated(left)
                self._reader.scope.names[returned] = signals.get("return", False)
            builder.emit(scf.YieldOp(*self._kept(carried)))
        self._reader.place = statement.test
        result = builder.emit(
            scf.WhileOp(initial, [value.type for value in initial], region(first), region(second))
        )
        outside = frozenset(builder.open_loops[:-1])
        for (name, scope, _, kind), ssa in zip(carried, result.results, strict=True):
            scope.names[name] = from_ir(self._tracer, ssa, kind, outside)
        for name, scope in others:
            if name in scope.names:
                scope.names[name] = Poison("a while loop that depends on the node assigns it", reported=False)
        return self._left(statement, number, exits, {})

    def _kept(self, carried: list[tuple[str, Scope, Any, CarriedKind]]) -> list[SSAValue]:
        """The values of carried names now."""
        values = []
        for name, scope, _, kind in carried:
            value = scope.names.get(name, UNBOUND)
            if common(kind, kind_of(value)) != kind:
                raise StaticNeeded(frozenset(), finding=refusals.other_kind(name))
            values.append(to_ir(self._tracer, value, kind))
        return values


def _constant(value: Any) -> bool:
    """Whether a value does not depend on the iteration it was computed in."""
    if isinstance(value, NodeInteger | NodeCondition):
        return not value.loops
    if isinstance(value, tuple):
        return all(_constant(item) for item in value)
    return isinstance(value, int | float | str | bytes | None.__class__)
