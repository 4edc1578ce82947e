"""What is done with a value that the node selects: with each part of it, and what comes of that is one value where it can be."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from xdsl.dialects import arith

from ttl.diag import TTLError
from ttl.frontend import refusals
from ttl.frontend.domain import Course, Signals
from ttl.frontend.evaluator import Evaluator
from ttl.frontend.flow import evaluated
from ttl.frontend.kernel.branches import Branches
from ttl.frontend.kernel.merging import hull
from ttl.frontend.kernel.regions import Regions, loops_of
from ttl.frontend.kernel.selected import MOST_PARTS, Part, Selected, opaque
from ttl.frontend.kernel.tracer import Tracer
from ttl.frontend.names import has_choice
from ttl.frontend.operators import connected
from ttl.frontend.scalars import NodeCondition, NodeInteger, both, either
from ttl.frontend.stop import Poisoned, Reject, Split, StaticNeeded, Undecided
from ttl.frontend.values import Poison, same

# Statements that are evaluated for parts of values, one in the other.
_DEEPEST_SPLIT = 8


class Selecting:
    """Evaluation of what the node selects."""

    def __init__(self, reader: Evaluator, tracer: Tracer, regions: Regions, branches: Branches) -> None:
        self._reader = reader
        self._tracer = tracer
        self._builder = tracer.builder
        self._regions = regions
        self._branches = branches
        # The values that are being split, and for which part.
        self._parts_decided: list[tuple[Selected, int]] = []
        # Whether the statement being evaluated can be evaluated for each part of a value.
        self._splittable = False
        # Statements whose conditional expressions can be decided before, and the tests that are.
        self._choices: list[ast.stmt] = []
        self.decided: dict[ast.expr, bool] = {}

    # --- statements -------------------------------------------------------------------------------------------

    def one(self, body: list[ast.stmt], position: int) -> Signals:
        """Evaluate a statement of a block, for each part of a value that is selected on the node where it needs one."""
        statement = body[position]
        choice = has_choice(statement)
        if self._tracer.kernel is None or not (self._branches.selecting or choice):
            return evaluated(self._reader, statement)
        before, outer = self._regions.snapshot(), self._splittable
        mark = self._reader.mark()
        self._splittable = True
        if choice:
            self._choices.append(statement)
        try:
            return evaluated(self._reader, statement)
        except Split as split:
            selected = split.selected
            self._regions.undo(before)
        except Undecided as undecided:
            if not any(undecided.expression is node for node in ast.walk(statement)):
                raise
            is_late = self._reads_changed(undecided.expression, mark)
            self._regions.undo(before)
            if is_late:
                self._reader.place = undecided.expression.test
                finding = refusals.not_known_here("this condition", "its statement changes what it reads")
                self._reader.domain.gave_up(statement, Reject(finding))
                return {}
            return self._decided(undecided.expression.test, lambda: self.one(body, position))
        finally:
            self._splittable = outer
            if choice:
                self._choices.pop()
        return self._split(selected, lambda: self.one(body, position))

    def _reads_changed(self, choice: ast.IfExp, mark: int) -> bool:
        """Whether the condition of a choice reads what its statement has changed: it is evaluated in front of the statement."""
        changed = {change[1] for change in self._reader.changed_since(mark).values()}
        nodes = [*ast.walk(choice.test)]
        names = {node.id for node in nodes if isinstance(node, ast.Name)}
        return bool(changed & names) or (bool(changed) and any(isinstance(node, ast.Call) for node in nodes))

    def _decided(self, test: ast.expr, course: Course) -> Signals:
        """Evaluate a statement for each way of a conditional expression in it."""
        condition = self._reader.domain.condition(test)
        self._reader.place = test

        def decided(decision: bool) -> Signals:
            self.decided[test] = decision
            try:
                return course()
            finally:
                del self.decided[test]

        if isinstance(condition, bool):
            return decided(condition)
        return self._branches.branch(condition, lambda: decided(True), lambda: decided(False), is_last=True)

    # --- values -----------------------------------------------------------------------------------------------

    def narrowed(self, value: Selected) -> Any:
        """A selected value where some of it is decided: the one that it is here, or what is left of it."""
        for selected, position in self._parts_decided:
            if selected.goes_with(value):
                return value.parts[position][1]
        left: list[Part] = []
        for condition, item in value.parts:
            holds = self._regions.assumption(condition)
            if holds:
                return item
            if holds is None:
                left.append((condition, item))
        if len(left) == 1:
            return left[0][1]
        return value if len(left) in (0, len(value.parts)) else Selected(tuple(left), value, value.expression)

    def is_any_of(self, values: Iterable[Any]) -> bool:
        """Whether one of several values is selected on the node."""
        return self._branches.selecting and any(type(value) is Selected for value in values)

    def mapped(self, values: list[Any], function: Callable[[list[Any]], Any], *, branching: bool) -> Any:
        """A function of values, of which some may be selected on the node: applied to each part of those.

        ``branching``: what it does is done for the part that it is only.
        """
        if not self._branches.selecting:
            return function(values)
        count = 1
        first: Selected | None = None
        for value in values:
            if type(value) is Selected:
                first = first or value
                if value is first or not first.goes_with(value):
                    count *= len(value.parts)
        if first is None:
            return function(values)
        if count > MOST_PARTS:
            raise self.undone(first)
        findings = len(self._reader.diagnostics)
        try:
            with self._builder.speculating(not branching):
                mapped = self._of_parts(values, function, first, branching)
        except (Reject, StaticNeeded, TTLError, Poisoned):
            self._undo_if_possible(first)
            raise
        if len(self._reader.diagnostics) > findings:
            self._undo_if_possible(first)
        return mapped

    def _undo_if_possible(self, selected: Selected) -> None:
        """Something is wrong with a part: whether a node gets to it, the other way of evaluation tells."""
        instead = self.undone(selected)
        if isinstance(instead, Split | Undecided):
            raise instead

    def _of_parts(
        self, values: list[Any], function: Callable[[list[Any]], Any], first: Selected, branching: bool
    ) -> Any:
        def of(position: int) -> Any:
            chosen = [
                value.parts[position][1] if type(value) is Selected and first.goes_with(value) else value
                for value in values
            ]
            return self.mapped(chosen, function, branching=branching)

        if not branching:
            return self.joined([(condition, of(i)) for i, (condition, _) in enumerate(first.parts)], first)

        def after(position: int) -> Any:
            if position == len(first.parts) - 1:
                return of(position)
            condition = first.parts[position][0]
            return self.chosen(
                condition, lambda: of(position), lambda: after(position + 1), self._reader.place, first
            )

        return after(0)

    def chosen(
        self,
        condition: NodeCondition,
        first: Callable[[], Any],
        second: Callable[[], Any],
        node: ast.AST,
        of: Selected | None = None,
    ) -> Any:
        """The value of ``a if condition else b``; ``of`` is what is selected by the condition where it is not that."""
        result = self._branches.value(condition, first, second)
        if type(result) is Selected and self._tracer.kernel is not None:
            expression = of.expression if of is not None else node if isinstance(node, ast.IfExp) else None
            return Selected(result.parts, result, expression)
        if isinstance(result, Poison):
            if of is not None:
                self.require_one(of)
            if isinstance(node, ast.IfExp) and self._is_choice(node):
                raise Undecided(node)
            self._reader.place = node
            raise Reject(refusals.not_known_here("this expression", result.reason))
        return result

    def connected(
        self,
        node: ast.expr,
        value: Any,
        truth: Any,
        steps: Sequence[Callable[[], Any]],
        is_and: bool,
        truth_only: bool,
    ) -> Any:
        """``value and step() and ...``, or ``or``, where the truth of the value is open; or the truth of it only.

        What a step does, it does where Python gets to it. One that only computes a condition is computed everywhere.
        """
        for position, step in enumerate(steps):
            with self._branches.fork(truth) as fork:
                way, other = (fork.first, fork.second) if is_and else (fork.second, fork.first)
                with self._builder.speculating(True):
                    fork.evaluate(way, step)
                if _is_truth(value) and _is_truth(way.value) and fork.is_free(way):
                    fork.spill(way)
                    value = truth = (both if is_and else either)(truth, way.value)
                    if isinstance(truth, bool) and truth is not is_and:
                        return truth
                    continue
                rest = steps[position + 1 :]
                if rest:
                    first = way.value
                    again = [lambda first=first: first, *rest]  # type: ignore[misc]
                    fork.evaluate(way, lambda: connected(self._reader, node, again, is_and, truth_only))  # noqa: B023
                last = not is_and if _is_truth(value) else value
                fork.evaluate(other, lambda: last)  # noqa: B023
                result = fork.end(is_last=False)[1]
            if isinstance(result, Poison) and type(result) is not Selected:
                self.refuse("this expression", result)
            return result
        return value

    def _is_choice(self, expression: ast.IfExp) -> bool:
        return any(expression in ast.walk(choice) for choice in self._choices)

    def joined(self, parts: list[Part], lost: Selected) -> Any:
        """One value for those of all parts: of the IR where it can be, else selected by the same conditions."""
        flat: list[Part] = []
        for condition, value in parts:
            if type(value) is Selected:
                flat += [(opaque(both(condition, when)), item) for when, item in value.parts]
            else:
                flat.append((condition, value))
        values = [value for _, value in flat]
        if all(same(values[0], item) for item in values):
            return values[0]
        if all(isinstance(item, bool | NodeCondition) for item in values):
            joined: Any = False
            for condition, value in flat:
                joined = either(joined, both(condition, value))
            self._regions.note_parts(joined, flat)
            return joined
        if all(isinstance(item, int | NodeInteger) and not isinstance(item, bool) for item in values):
            return self._chosen_integer(flat)
        groups: list[tuple[Any, Any]] = []
        for condition, value in flat:
            for position, (known, when) in enumerate(groups):
                if same(known, value):
                    groups[position] = (known, opaque(either(when, condition)))
                    break
            else:
                groups.append((value, condition))
        if len(groups) == len(flat):
            return Selected(tuple(flat), lost, lost.expression)
        return Selected(tuple((when, value) for value, when in groups), lost, lost.expression)

    def _chosen_integer(self, parts: list[Part]) -> Any:
        result = parts[-1][1]
        for condition, value in reversed(parts[:-1]):
            if same(value, result):
                continue
            bounds = hull(value, result)
            loops = condition.loops | loops_of(value) | loops_of(result)
            chosen = self._builder.emit(
                arith.SelectOp(condition.ssa(), self._builder.index(value), self._builder.index(result))
            ).result
            result = self._builder.atom(chosen, *bounds, loops=loops)
        return result

    def refuse(self, name: str, value: Poison) -> None:
        """Something is used whose value is not to be had."""
        if value.reported:
            raise Poisoned
        raise Reject(refusals.not_known_here(name, value.reason))

    def require_one(self, value: Selected) -> None:
        """A selected value is needed as one: its statement is evaluated for each part."""
        raise self.undone(value)

    def undone(self, value: Selected) -> Exception:
        """What makes the evaluation go back to the start of the statement, and take it for each part of a value."""
        if value.expression is not None and self._is_choice(value.expression):
            return Undecided(value.expression)
        if self._splittable and len(self._parts_decided) < _DEEPEST_SPLIT:
            return Split(value)
        return Reject(refusals.not_known_here("this expression", value.reason))

    def _split(self, selected: Selected, evaluate: Course) -> Signals:
        """Evaluate a statement for each part of a value."""

        def way(position: int) -> Signals:
            self._parts_decided.append((selected, position))
            try:
                return evaluate()
            finally:
                self._parts_decided.pop()

        def after(position: int) -> Signals:
            if position == len(selected.parts) - 1:
                return way(position)
            condition = selected.parts[position][0]
            return self._branches.branch(
                condition, lambda: way(position), lambda: after(position + 1), is_last=True
            )

        return after(0)


def _is_truth(value: Any) -> bool:
    return isinstance(value, bool | NodeCondition)
