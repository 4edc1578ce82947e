"""Operations on a value that the node selects: applied to each part of it, and merged into one value if possible."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from typing import Any, NoReturn

from xdsl.dialects import arith

from ttl.dialects import ttl as ir
from ttl.frontend import refusals
from ttl.frontend.domain import Connection, Course, Signals
from ttl.frontend.evaluator import Evaluator
from ttl.frontend.flow import evaluated
from ttl.frontend.kernel.branches import Branches
from ttl.frontend.kernel.kinds import NUMBERS_OF_NODE
from ttl.frontend.kernel.merging import hull
from ttl.frontend.kernel.objects import receive_in
from ttl.frontend.kernel.parting import needed_as_one
from ttl.frontend.kernel.regions import Regions
from ttl.frontend.kernel.selected import MOST_PARTS, Part, Selected, opaque
from ttl.frontend.kernel.tracer import Tracer
from ttl.frontend.operators import connected
from ttl.frontend.scalars import NodeCondition, NodeInteger, both, compare, either, loops_of
from ttl.frontend.stop import Poisoned, Reject
from ttl.frontend.values import Poison, PrintedText, same
from ttl.rules.pipes import handed_on
from ttl.source.scopes import has_choice

# The most nested evaluations of statements for parts of values.
_DEEPEST_SPLIT = 8


class Selecting:
    """Evaluation of values that the node selects."""

    def __init__(self, reader: Evaluator, tracer: Tracer, regions: Regions, branches: Branches) -> None:
        self._reader = reader
        self._tracer = tracer
        self._builder = tracer.builder
        self._regions = regions
        self._branches = branches
        # The number of nested evaluations of statements for parts of values.
        self._depth = 0
        # The decided tests of conditional expressions.
        self.decided: dict[ast.expr, bool] = {}

    # --- statements -------------------------------------------------------------------------------------------

    def one(self, body: list[ast.stmt], position: int) -> Signals:
        """Evaluate a statement of a block; if it needs a single part of a selected value, once for each part."""
        statement = body[position]
        open_ended = self._branches.selecting or self._tracer.waits_for_any or has_choice(statement)
        if self._tracer.kernel is None or not open_ended:
            return evaluated(self._reader, statement)
        needed = None
        if self._depth < _DEEPEST_SPLIT:
            needed = needed_as_one(self._reader, statement, self.decided, self._by_number)
        if needed is None:
            return evaluated(self._reader, statement)

        def again() -> Signals:
            return self.one(body, position)

        def by_parts() -> Signals | None:
            if isinstance(needed, Selected):
                return self.each(needed, lambda part: again())
            return self._decided(needed.test, again)

        self._depth += 1
        try:
            return evaluated(self._reader, statement, by_parts)
        finally:
            self._depth -= 1

    def each(self, value: Any, course: Callable[[Any], Signals]) -> Signals | None:
        """Run a statement's ``course`` for each part of a selected value, and return its exits.

        Returns None if the value is not selected.
        """
        if type(value) is not Selected:
            return None

        def after(position: int) -> Signals:
            condition, part = value.parts[position]
            if position == len(value.parts) - 1:
                return course(part)
            return self._branches.branch(
                condition, lambda: course(part), lambda: after(position + 1), is_last=True
            )

        return after(0)

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

    def numbers(self, index: NodeInteger) -> list[Part]:
        """Return the possible results of ``ttl.wait_any`` at the current place, with their conditions.

        Empty for any other integer.
        """
        if not self._tracer.waits_for_any:
            return []
        low, high = index.bounds
        owners = [atom.ssa.owner for atom, _ in index.terms]
        if low is None or high is None or not any(isinstance(owner, ir.WaitAnyOp) for owner in owners):
            return []
        parts: list[Part] = []
        for number in range(low, high + 1):
            when = compare("eq", index, number)
            holds = when if isinstance(when, bool) else self._regions.assumption(when)
            if holds:
                return [(when, number)]
            if holds is None:
                parts.append((when, number))
        return parts

    def _by_number(self, index: Any) -> Selected | None:
        """Return the possible numbers of an index that may index lists of any members; None if there is only one."""
        parts = self.numbers(index) if isinstance(index, NodeInteger) else []
        return self.one_of(parts) if len(parts) > 1 else None

    def one_of(self, parts: list[Part]) -> Selected:
        """Return a selected value made of parts, exactly one of whose conditions holds."""
        self._branches.selecting = True
        return Selected(tuple(parts), Poison("which of several receives is complete first", reported=False))

    def narrowed(self, value: Selected) -> Any:
        """Return a selected value as its decided conditions leave it: its value here, or a choice of fewer parts."""
        left: list[Part] = []
        for condition, item in value.parts:
            holds = self._regions.assumption(condition)
            if holds:
                return item
            if holds is None:
                left.append((condition, item))
        if len(left) == 1:
            return left[0][1]
        return value if len(left) in (0, len(value.parts)) else Selected(tuple(left), value)

    def is_any_of(self, values: Iterable[Any]) -> bool:
        """Whether any of some values is selected on the node."""
        return self._branches.selecting and any(type(value) is Selected for value in values)

    def mapped(
        self, values: list[Any], function: Callable[[list[Any]], Any], *, branching: bool | None
    ) -> Any:
        """Apply a function to values; for those that are selected on the node, to each part.

        ``branching``: the effects of the function happen for that part only. None: that holds only if the function
        turns out to do more than compute numbers.
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
            self.require_one(first)
        with self._builder.speculating(not branching):
            return self._of_parts(values, function, first, branching)

    def _of_parts(
        self,
        values: list[Any],
        function: Callable[[list[Any]], Any],
        first: Selected,
        branching: bool | None,
    ) -> Any:
        def of(position: int) -> Any:
            with self._regions.assuming(first.parts[position][0], True):
                chosen = [self._part(value, first, position) for value in values]
                return self.mapped(chosen, function, branching=branching)

        if branching is None:
            return self._where_it_acts(first, of)
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

    def _where_it_acts(self, value: Selected, of: Callable[[int], Any]) -> Any:
        """Return the result of a function of the parts of a value.

        Numbers are computed everywhere, other results only where their part is chosen.
        """
        with ExitStack() as stack:
            forks = [stack.enter_context(self._branches.fork(condition)) for condition, _ in value.parts[:-1]]
            ways = [(fork, fork.first) for fork in forks] + [(forks[-1], forks[-1].second)]
            computes = True
            for position, (fork, way) in enumerate(ways):
                fork.evaluate(way, partial(of, position))
                computes = computes and fork.is_free(way) and _is_plain(way.value)
                if computes:
                    fork.spill(way)
            if computes:
                parts = zip(value.parts, ways, strict=True)
                return self.joined([(condition, way.value) for (condition, _), (_, way) in parts], value)

            def ended(position: int) -> Any:
                fork = forks[position]
                if position + 1 < len(forks):
                    fork.evaluate(fork.second, lambda: ended(position + 1))
                return fork.end(is_last=False)[1]

            return self._known(ended(0), self._reader.place, value)

    def _part(self, value: Any, first: Selected, position: int) -> Any:
        """Return a value under the condition that another selected value, ``first``, is one of its parts."""
        if type(value) is not Selected:
            return value
        return value.parts[position][1] if first.goes_with(value) else self.narrowed(value)

    def chosen(
        self,
        condition: NodeCondition,
        first: Callable[[], Any],
        second: Callable[[], Any],
        node: ast.AST,
        of: Selected | None = None,
    ) -> Any:
        """The value of ``a if condition else b``; ``of`` is the selected value that caused the choice, for messages."""
        return self._known(self._branches.value(condition, first, second), node, of)

    def _known(self, result: Any, node: ast.AST, of: Selected | None) -> Any:
        """The value of a branch. Raises ``Reject`` if the branch has no value."""
        if type(result) is Selected and self._tracer.kernel is not None:
            return Selected(result.parts, result)
        if isinstance(result, Poison):
            if of is not None:
                self.require_one(of)
            self._reader.place = node
            raise Reject(refusals.not_known_here("this expression", result.reason))
        return result

    def connected(self, rest: Connection, value: Any, truth: Any) -> Any:
        """Return ``value and rest``, or ``value or rest``, if the truth of the value is unknown.

        The effects of a step happen only where Python evaluates it. A step that only computes a condition is computed
        everywhere.
        """
        steps, is_and = rest.steps, rest.is_and
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
                if position + 1 < len(steps):
                    again = replace(rest, steps=[partial(_given, way.value), *steps[position + 1 :]])
                    fork.evaluate(way, partial(connected, self._reader, again))
                last = not is_and if _is_truth(value) else value
                fork.evaluate(other, lambda: last)  # noqa: B023
                result = fork.end(is_last=False)[1]
            if isinstance(result, Poison) and type(result) is not Selected:
                self.refuse("this expression", result)
            return result
        return value

    def joined(self, parts: list[Part], lost: Selected) -> Any:
        """One value for the values of all parts: of the IR if possible, else selected by the same conditions."""
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
            return Selected(tuple(flat), lost)
        return Selected(tuple((when, value) for value, when in groups), lost)

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
        """Refuse the use of a value that was lost."""
        if value.reported:
            raise Poisoned
        if receive_in(value.of):
            raise Reject(handed_on(name, value.reason))
        raise Reject(refusals.not_known_here(name, value.reason))

    def require_one(self, value: Selected) -> NoReturn:
        """Refuse a selected value of which a single part is needed, if that was not found before the evaluation."""
        raise Reject(refusals.not_known_here("this expression", value.reason))


def _given(value: Any) -> Any:
    return value


def _is_plain(value: Any) -> bool:
    """Whether a value is a number, a text, None or a tuple of these, so that it does not matter where it was made."""
    if isinstance(value, tuple):
        return all(map(_is_plain, value))
    return isinstance(value, (str, int, float, PrintedText, None.__class__, *NUMBERS_OF_NODE))


def _is_truth(value: Any) -> bool:
    return isinstance(value, bool | NodeCondition)
