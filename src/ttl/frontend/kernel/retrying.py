"""Statements of a kernel that are evaluated in another way where their usual course loses a value that is needed later."""

from __future__ import annotations

import ast

from ttl.frontend.domain import Signals
from ttl.frontend.evaluator import Evaluator
from ttl.frontend.flow import block, evaluated
from ttl.frontend.kernel.branches import Branches
from ttl.frontend.kernel.regions import Regions, Retries
from ttl.frontend.kernel.selected import Selected
from ttl.frontend.kernel.selecting import Selecting
from ttl.frontend.kernel.tracer import Tracer
from ttl.frontend.names import assigned, ends, has_choice, reads
from ttl.frontend.stop import Lost, Split, Undecided
from ttl.frontend.values import Poison


class Retrying:
    """Statements with what follows them."""

    def __init__(
        self,
        reader: Evaluator,
        tracer: Tracer,
        regions: Regions,
        branches: Branches,
        selecting: Selecting,
        retries: Retries,
    ) -> None:
        self._reader = reader
        self._tracer = tracer
        self._regions = regions
        self._branches = branches
        self._selecting = selecting
        self._retries = retries

    def one(self, body: list[ast.stmt], position: int) -> tuple[Signals, bool]:
        """Evaluate a statement of a block; and whether all that follows it was evaluated with it."""
        statement = body[position]
        if isinstance(statement, ast.If) and ends(statement.body) is not ends(statement.orelse):
            # What follows belongs to the branch that goes on.
            return self._one(statement, body[position + 1 :]), True
        if self._tracer.kernel is not None and statement not in self._retries.statements:
            if has_choice(statement):
                return self._decided_by_need(statement, body[position + 1 :]), True
            if isinstance(statement, ast.If | ast.For) and _may_lose(statement, body[position + 1 :]):
                return self._kept_alive(statement, body[position + 1 :]), True
        return self._one(statement), False

    def _decided_by_need(self, statement: ast.stmt, rest: list[ast.stmt]) -> Signals:
        """Evaluate a statement and what follows; where one of its conditional expressions has to be decided, for each
        decision."""
        before = self._regions.snapshot()
        self._retries.statements.append(statement)
        self._retries.choices.append(statement)
        try:
            return block(self._reader, [statement, *rest])
        except Undecided as undecided:
            chosen = undecided.expression
            if not any(chosen is node for node in ast.walk(statement)):
                raise
            self._regions.undo(before)
        finally:
            self._retries.statements.remove(statement)
            self._retries.choices.remove(statement)
        condition = self._reader.domain.condition(chosen.test)
        self._reader.place = chosen.test

        def decided(decision: bool) -> Signals:
            self._retries.decided[chosen.test] = decision
            try:
                return block(self._reader, [statement, *rest])
            finally:
                del self._retries.decided[chosen.test]

        if isinstance(condition, bool):
            return decided(condition)
        return self._branches.branch(condition, lambda: decided(True), lambda: decided(False))

    def _one(self, statement: ast.stmt, rest: list[ast.stmt] | None = None) -> Signals:
        """Evaluate a statement, for each part of a value that is selected on the node where it needs one."""
        reader, retries = self._reader, self._retries
        if self._tracer.kernel is None or not (retries.selecting or has_choice(statement)):
            return evaluated(reader, statement, rest)
        before = self._regions.snapshot()
        outer, retries.splittable = retries.splittable, True
        try:
            return evaluated(reader, statement, rest)
        except Split as split:
            selected = split.selected
            self._regions.undo(before)
        finally:
            retries.splittable = outer
        signals = self._selecting.split(selected, lambda: self._one(statement, rest))
        if selected.expression is not None:
            for name in assigned(statement):
                value = (reader.scope.holder(name) or reader.scope).names.get(name)
                if isinstance(value, Poison) and not value.reported and type(value) is not Selected:
                    raise self._selecting.undone(selected)
        return signals

    def _kept_alive(self, statement: ast.If | ast.For, rest: list[ast.stmt]) -> Signals:
        """Evaluate a branch or loop and what follows. Where that needs a value which is lost, evaluate what follows in
        both branches, or unroll the loop."""
        reader, retries = self._reader, self._retries
        before = self._regions.snapshot()
        retries.statements.append(statement)
        names = frozenset(name for name in assigned(statement) if any(reads(later)[name] for later in rest))
        retries.read_after.append((statement, names))
        try:
            return block(reader, [statement, *rest])
        except Lost as lost:
            if lost.statement is not statement:
                raise
            self._regions.undo(before)
        finally:
            retries.statements.remove(statement)
            retries.read_after.pop()
        if isinstance(statement, ast.If):
            return self._one(statement, rest)
        retries.unrolled.add(statement)
        try:
            return block(reader, [statement, *rest])
        finally:
            retries.unrolled.discard(statement)


def _may_lose(statement: ast.If | ast.For, rest: list[ast.stmt]) -> bool:
    """Whether what follows reads a name that a branch or loop assigns, which could be lost then."""
    names = assigned(statement)
    return any(reads(later)[name] for later in rest for name in names)
