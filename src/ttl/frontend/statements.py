"""Statements: each is evaluated by itself, so that one that cannot be compiled does not hide what is wrong with the next."""

from __future__ import annotations

import ast
from typing import Any

from ttl.diag import TTLError
from ttl.frontend import refusals
from ttl.frontend.flow import Flow, joined
from ttl.frontend.names import assigned, ends, has_choice, reads, returns
from ttl.frontend.regions import RETURN, Signals
from ttl.frontend.scalars import Condition, both, either, negated
from ttl.frontend.selected import Selected
from ttl.frontend.stop import Lost, Poisoned, Reject, Split, StaticNeeded, Undecided
from ttl.frontend.values import Poison


class Statements(Flow):
    """Evaluation of statements."""

    def block(self, body: list[ast.stmt]) -> Signals:
        """Evaluate statements in order; what follows one that may leave is evaluated under the condition that it did not."""
        left: Signals = {}
        for position, statement in enumerate(body):
            if isinstance(statement, ast.If) and ends(statement.body) is not ends(statement.orelse):
                # What follows belongs to the branch that goes on.
                return joined(left, self._one(statement, body[position + 1 :]))
            if has_choice(statement):
                decided = self._decided_by_need(statement, body[position + 1 :])
                if decided is not None:
                    return joined(left, decided)
            if isinstance(statement, ast.If | ast.For) and self._may_lose(statement, body[position + 1 :]):
                return joined(left, self._kept_alive(statement, body[position + 1 :]))
            signals = self._one(statement)
            if not signals:
                continue
            if any(when is True for when in signals.values()):
                return joined(left, signals)
            gone: Any = False
            for when in signals.values():
                gone = either(gone, when)
            left = joined(left, signals)
            rest = body[position + 1 :]
            if rest:
                staying = negated(gone)
                more = self.guarded(staying, lambda rest=rest: self.block(rest))  # type: ignore[misc]
                left = joined(
                    left,
                    {
                        name: both(staying, when) if when is not True else staying
                        for name, when in more.items()
                    },
                )
            return left
        return left

    def _decided_by_need(self, statement: ast.stmt, rest: list[ast.stmt]) -> Signals | None:
        """Evaluate a statement and what follows; where one of its conditional expressions has to be decided, for each
        decision. None where nothing of the kind is in the way of the usual course."""
        if self.tracer.kernel is None or statement in self.open_statements:
            return None
        before, last = self.snapshot(), self.builder.block.last_op
        self.open_statements.append(statement)
        self.open_choices.append(statement)
        try:
            return self.block([statement, *rest])
        except Undecided as undecided:
            chosen = undecided.expression
            if not any(chosen is each for each in ast.walk(statement)):
                raise
            self._drop_after(last)
            self.restore(before)
        finally:
            self.open_statements.remove(statement)
            self.open_choices.remove(statement)
        self.place = chosen.test
        condition = self.truth(self.eval(chosen.test))

        def evaluated(decision: bool) -> Signals:
            self.decided[chosen] = decision
            try:
                return self.block([statement, *rest])
            finally:
                del self.decided[chosen]

        if not isinstance(condition, Condition):
            return evaluated(bool(condition))
        return self.branch(condition, lambda: evaluated(True), lambda: evaluated(False))

    def _one(self, statement: ast.stmt, rest: list[ast.stmt] | None = None) -> Signals:
        """Evaluate a statement, for each part of a value that is selected on the node where it needs one."""
        if self.tracer.kernel is None or not (self.selecting or has_choice(statement)):
            return self.statement(statement, rest)
        before, last = self.snapshot(), self.builder.block.last_op
        outer, self.splittable = self.splittable, True
        try:
            return self.statement(statement, rest)
        except Split as split:
            selected = split.selected
            self._drop_after(last)
            self.restore(before)
        finally:
            self.splittable = outer
        signals = self.split(selected, lambda: self._one(statement, rest))
        if selected.expression is not None:
            for name in assigned(statement):
                value = (self.scope.holder(name) or self.scope).names.get(name)
                if isinstance(value, Poison) and not value.reported and type(value) is not Selected:
                    raise self.undone(selected)
        return signals

    def _may_lose(self, statement: ast.If | ast.For, rest: list[ast.stmt]) -> bool:
        """Whether what follows reads a name that a branch or loop assigns, which could be lost then."""
        if self.tracer.kernel is None or statement in self.open_statements or not rest:
            return False
        names = assigned(statement)
        return any(reads(each)[name] for each in rest for name in names)

    def _kept_alive(self, statement: ast.If | ast.For, rest: list[ast.stmt]) -> Signals:
        """Evaluate a branch or loop and what follows. Where that needs a value which is lost, evaluate what follows in
        both branches, or unroll the loop."""
        before, last = self.snapshot(), self.builder.block.last_op
        self.open_statements.append(statement)
        names = frozenset(name for name in assigned(statement) if any(reads(each)[name] for each in rest))
        self.read_after.append((statement, names))
        try:
            return self.block([statement, *rest])
        except Lost as lost:
            if lost.statement is not statement:
                raise
            self._drop_after(last)
            self.restore(before)
        finally:
            self.open_statements.remove(statement)
            self.read_after.pop()
        if isinstance(statement, ast.If):
            return self._one(statement, rest)
        self.unrolled.add(statement)
        try:
            return self.block([statement, *rest])
        finally:
            self.unrolled.discard(statement)

    def statement(self, statement: ast.stmt, rest: list[ast.stmt] | None = None) -> Signals:
        """Evaluate one statement. What is wrong with it is reported, and what it would have assigned is not known.

        ``rest`` is what follows an ``if`` of which one branch leaves: evaluated with it.
        """
        self.step()
        self.place = statement
        handler = self.STATEMENTS.get(type(statement))
        try:
            if handler is None:
                raise self.unsupported(statement)
            if rest is not None:
                assert isinstance(statement, ast.If)
                return self._if(statement, rest)
            return handler(self, statement) or {}
        except Reject as rejected:
            self.report(rejected.finding)
        except Poisoned:
            pass
        except TTLError as raised:
            for finding in raised.diagnostics:
                self.report(finding)
        except StaticNeeded as needed:
            if needed.loops & frozenset(self.builder.open_loops):
                raise
            finding = needed.finding or refusals.must_be_known(needed.what)
            self.report(finding.at(needed.span))
        self.failed = True
        for name in assigned(statement):
            (self.scope.holder(name) or self.scope).names[name] = Poison()
        if returns(statement):
            self.scope.names[RETURN] = Poison()
        return self.block(rest) if rest else {}
