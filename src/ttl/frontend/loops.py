"""Loops whose course is known on the node only. Where one needs its number to be known, it is unrolled instead."""

from __future__ import annotations

import ast
from typing import Any

from xdsl.dialects import affine, scf
from xdsl.ir import SSAValue

from ttl.frontend import refusals
from ttl.frontend.branches import Branches
from ttl.frontend.builder import INDEX, new_block, region, require_word
from ttl.frontend.carrying import Loop, LoopVar
from ttl.frontend.merging import Kind, common, from_ir, kind_of, same, to_ir
from ttl.frontend.names import assigned, leaves, nonlocals, only_augmented, reads
from ttl.frontend.objects import TracedBlock
from ttl.frontend.regions import RETURN, Signals, discard, flags, loops_of
from ttl.frontend.scalars import Condition, Scalar, both, bounds_of, either, negated
from ttl.frontend.selected import Selected
from ttl.frontend.stop import StaticNeeded
from ttl.frontend.values import UNBOUND, Poison, RangeValue, Scope, Sequential

# Iterations of a loop that is unrolled.
MOST_UNROLLED = 4096


class OtherKind(Exception):
    """A carried value has another kind after an iteration than before: the loop is built again with that one."""

    def __init__(self, loop: int, name: str, kind: Kind) -> None:
        super().__init__(name)
        self.loop = loop
        self.name = name
        self.kind = kind


class Loops(Branches):
    """``for``."""

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
        self.place = statement.iter
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
            running, returned = flags(loop.number)
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
            if prior is not UNBOUND and (not isinstance(prior, Poison) or type(prior) is Selected):
                scope.names[name] = LoopVar(prior, loop)
        return found

    def _body(self, loop: Loop, body: list[ast.stmt], exits: frozenset[str]) -> None:
        if not exits:
            self.block(body)
            return
        scope = self.scope
        running, returned = flags(loop.number)
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
            for name, default in zip(flags(number), (True, False), strict=True)
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
            return self.builder.atom(variable, low, high, loops | loops_of(over.start))
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
        self.require_kept(loop)
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
            scope.names[name] = from_ir(self.tracer, ssa, kind, loops | loops_of(prior) | loops_of(length))
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


def _constant(value: Any) -> bool:
    """Whether a value does not depend on the iteration it was computed in."""
    if isinstance(value, Scalar | Condition):
        return not value.loops
    if isinstance(value, tuple):
        return all(_constant(each) for each in value)
    return isinstance(value, int | float | str | bytes | None.__class__)
