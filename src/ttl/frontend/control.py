"""Loops and branches whose course is known on the node only, as regions of the IR; here ``while``, on top of the others."""

from __future__ import annotations

import ast
from typing import Any

from xdsl.dialects import scf
from xdsl.ir import Block, SSAValue

from ttl.frontend import refusals
from ttl.frontend.builder import new_block, region
from ttl.frontend.carrying import LoopVar
from ttl.frontend.loops import Loops
from ttl.frontend.merging import Kind, common, from_ir, kind_of, to_ir
from ttl.frontend.names import assigned, leaves
from ttl.frontend.regions import Signals, discard, flags
from ttl.frontend.scalars import Condition, both, either, negated
from ttl.frontend.stop import StaticNeeded
from ttl.frontend.values import UNBOUND, Poison, Scope


class Control(Loops):
    """Loops and branches."""

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
        running, returned = flags(number)
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
            condition = self.truth(self.lazy(statement.test))
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
        self.place = statement.test
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
