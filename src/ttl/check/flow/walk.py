"""Runs a kernel over all its paths at once, or on one node, where every decision is known.

Without a node nothing of the grid is known: a condition splits the paths, and each remembers its assumption, so
that the same condition goes the same way again. On a node conditions and trip counts are numbers. Loops end early
when the paths at the end of an iteration are those of an earlier one and no decision in the body depends on the iteration.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Iterator, Sequence
from typing import Any, Generic, Protocol, Self, TypeVar

import numpy as np
from xdsl.ir import Operation, SSAValue

from ttl.analysis.control_tree import (
    PIPES,
    Branch,
    ControlBody,
    ControlLoop,
    FirstOf,
    HandedValues,
    Leaf,
    While,
)
from ttl.analysis.scalars import NODE, ScalarFunction, trip_count
from ttl.check.flow.facts import Facts, PathFinding, Runs, agreed, note, of_ways
from ttl.check.flow.tree import Step, Tree
from ttl.diag.model import Diagnostic
from ttl.session.patience import LimitReached

# The most steps of one walk, and the most paths at one place.
BUDGET = 40_000
MOST_PATHS = 64
# The most iterations of a loop that are followed to see whether they repeat.
_MOST_TURNS = 64
# On a node, a loop with fewer iterations, whose decisions depend on the iteration, is followed to its end.
_SHORT = 8


class PathState(Protocol):
    """The state of an analysis on one path through a kernel."""

    facts: Facts
    starts: tuple[int, ...] | None

    def copy(self) -> Self:
        """Return a copy that continues on another path."""

    def key(self) -> Hashable:
        """Return a key, equal for paths that continue in the same way; the assumptions of a path are not part of it."""

    def leave(self, born: Sequence[SSAValue]) -> None:
        """Forget values that go out of scope."""

    def bind(self, targets: Sequence[SSAValue], sources: Sequence[SSAValue]) -> None:
        """Bind the names under which control flow hands values on."""


PathT = TypeVar("PathT", bound=PathState)


class PathWalk(Generic[PathT]):
    """A walk. ``exact``: every decision was known, so all findings are certain and no others exist."""

    def __init__(self, tree: Tree[PathT], node: int | None, budget: int = BUDGET) -> None:
        self.tree = tree
        self.node = node
        self.environment: list[Any] = tree.slots.environment(0)
        self.environment[NODE] = node
        self.findings: dict[tuple[str, Operation], PathFinding] = {}
        self.exact = node is not None
        self.left = budget
        self._again: list[Operation] = []  # loops that may end before this iteration
        self._depth = 0
        # For a nested loop, by the state in which it was entered: the paths behind it, and the values of its results.
        self._behind: dict[Hashable, tuple[list[PathT], list[Any]]] = {}

    def run(self, start: PathT) -> list[PathT]:
        """Walk the kernel, and return the paths at its end. Raises ``LimitReached``."""
        return self._body(self.tree.body, [start])

    def report(self, op: Operation, failed: list[tuple[Facts, Diagnostic]], others: list[Facts]) -> None:
        """Add a finding about an operation on some paths and not on ``others``."""
        note(self.findings, op, failed, others, self.tree.places, self._again)

    # --- control flow -----------------------------------------------------------------------------------------

    def _body(self, body: ControlBody[Step[PathT]], paths: list[PathT]) -> list[PathT]:
        for node in body.nodes:
            if type(node) is Leaf:
                self._act(node, paths)
            elif type(node) is Branch:
                paths = self._branch(node, paths)
            elif type(node) is FirstOf:
                paths = self._first_of(node, paths)
            else:
                assert isinstance(node, ControlLoop | While)
                paths = self._nested(node, paths)
        return paths

    def _nested(self, loop: ControlLoop[Step[PathT]] | While[Step[PathT]], paths: list[PathT]) -> list[PathT]:
        """Return the paths behind a loop. An inner loop that is entered in the same state again is not followed again.

        So work does not double with each level of nesting: each loop is entered at least twice by the one around it. The
        findings of the second time are those of the first, unless they came about in an iteration that may not take place.
        """
        state: Hashable = None
        if self._depth:
            around = self.tree.inside[loop.op]
            state = (
                loop.op,
                bool(self._again),
                tuple(self.environment[: around.start] + self.environment[around.stop :]),
                tuple((path.key(), *path.facts.items()) for path in paths),
            )
            known = self._behind.get(state)
            if known is not None:
                for (slot, _), value in zip(loop.ends.scalars, known[1]):
                    self.environment[slot] = value
                return [path.copy() for path in known[0]]
        self._depth += 1
        done = self._loop(loop, paths) if isinstance(loop, ControlLoop) else self._while(loop, paths)
        self._depth -= 1
        if self._depth:
            self._behind[state] = (
                [path.copy() for path in done],
                [self.environment[slot] for slot, _ in loop.ends.scalars],
            )
        return done

    def _act(self, leaf: Leaf[Step[PathT]], paths: list[PathT]) -> None:
        self.left -= len(paths)
        if self.left < 0:
            raise LimitReached
        failed: list[tuple[int, Diagnostic]] | None = None
        if leaf.op in self.tree.starts:
            known = [self._value(start) for start in self.tree.starts[leaf.op]]
            for path in paths:
                path.starts = None if None in known else tuple(map(int, known))
        for index, path in enumerate(paths):
            finding = leaf.act(path)
            if finding is not None:
                failed = [*(failed or []), (index, finding)]
        if failed is not None:
            indices = {index for index, _ in failed}
            self.report(
                leaf.op,
                [(dict(paths[index].facts), result) for index, result in failed],
                [dict(path.facts) for index, path in enumerate(paths) if index not in indices],
            )

    def _branch(self, branch: Branch[Step[PathT]], paths: list[PathT]) -> list[PathT]:
        known = self._value(branch.condition)
        if known is not None:
            return self._chosen(branch, branch.then if known else branch.other, paths, True)
        self.exact = False
        condition = self.tree.conditions[branch]
        key, negated = condition.key, condition.negated
        then: list[PathT] = []
        other: list[PathT] = []
        for path in paths:
            fact = path.facts.get(key)
            if fact is None:
                second = path.copy()
                path.facts[key], second.facts[key] = not negated, negated
                then.append(path)
                other.append(second)
            else:
                (then if fact is not negated else other).append(path)
        done = self._chosen(branch, branch.then, then, False) if then else []
        return self._merged(done + (self._chosen(branch, branch.other, other, False) if other else []))

    def _chosen(
        self,
        branch: Branch[Step[PathT]],
        body: ControlBody[Step[PathT]] | None,
        paths: list[PathT],
        known: bool,
    ) -> list[PathT]:
        if body is None:
            return paths
        paths = self._body(body, paths)
        self._hand_on(body.gives, paths, known)
        self._leave(body, paths)
        return paths

    def _first_of(self, first: FirstOf[Step[PathT]], paths: list[PathT]) -> list[PathT]:
        """Follow ``ttl.wait_any`` once for each receive that may be complete first."""
        self._act(first.leaf, paths)
        self.exact = False
        before, done = self.findings, []
        ways: list[dict[tuple[str, Operation], PathFinding]] = []
        for number in range(first.count):
            self.findings = {}
            self.environment[first.variable] = number
            done += self._body(first.body, [path.copy() for path in paths])
            ways.append(self.findings)
        self.environment[first.variable] = None
        self.findings = before
        for key, finding in of_ways(first.op, ways).items():
            if key not in before or (finding.certain and not before[key].certain):
                before[key] = finding
        return self._merged(done)

    def _loop(self, loop: ControlLoop[Step[PathT]], paths: list[PathT]) -> list[PathT]:
        iterations = self._iterations(loop)
        self._hand_on(loop.starts, paths, True)
        if iterations is None:
            self.exact = False
            done = self._open_ended(loop, [loop.body], loop.variable, paths)
        elif self.tree.steered[loop] and self.node is not None:
            done = self._iteration_by_iteration(loop, iterations, paths)
        else:
            done = self._repeated(loop, len(iterations), paths)
        self._hand_on(loop.ends, done, self.tree.steered[loop] or iterations is not None)
        self._leave(loop.body, done)
        return done

    def _iterations(self, loop: ControlLoop[Step[PathT]]) -> Sequence[int] | None:
        """Return the values of a loop's variable (or the indices of its pipes), in order; None where they are not known."""
        if isinstance(loop.op, PIPES):
            if loop.pipes is None or self.node is None:
                return () if loop.pipes is not None and not len(loop.pipes.pipes) else None
            return loop.pipes.of(self.node)
        if loop.bounds is None:
            return None
        lower, upper, step = (self._value(bound) for bound in loop.bounds)
        if lower is None or upper is None or step is None or step <= 0:
            return None
        return range(lower, lower + trip_count(lower, upper, step) * step, step)

    def _iteration(
        self, loop: ControlLoop[Step[PathT]], variable: int | None, paths: list[PathT]
    ) -> list[PathT]:
        """Follow one iteration of a loop."""
        if loop.variable is not None:
            self.environment[loop.variable] = variable
        for path in paths:
            for key in self.tree.varying[loop]:
                path.facts.pop(key, None)
        paths = self._body(loop.body, paths)
        self._hand_on(loop.body.gives, paths, variable is not None)
        return paths

    def _iteration_by_iteration(
        self, loop: ControlLoop[Step[PathT]], iterations: Sequence[int], paths: list[PathT]
    ) -> list[PathT]:
        """Follow a loop in which decisions depend on the iteration.

        Iterations with equal decisions are skipped once an iteration no longer changes the paths.
        """
        borders = self._borders(loop, iterations)
        iteration = 0
        while iteration < len(iterations):
            before = None if borders is None else frozenset(path.key() for path in paths)
            paths = self._iteration(loop, iterations[iteration], paths)
            if borders is None or frozenset(path.key() for path in paths) != before:
                iteration += 1
            else:
                iteration = borders[bisect_right(borders, iteration)]
        return paths

    def _borders(self, loop: ControlLoop[Step[PathT]], iterations: Sequence[int]) -> list[int] | None:
        """Return the iterations that decide differently from the one before, then the count; None if not known."""
        signs = self.tree.signs[loop]
        if signs is None or len(iterations) < _SHORT:
            return None
        assert loop.variable is not None
        environment = list(self.environment)
        environment[loop.variable] = (
            np.arange(iterations.start, iterations.stop, iterations.step)
            if isinstance(iterations, range)
            else np.array(iterations)
        )
        changes = np.zeros(len(iterations) - 1, dtype=bool)
        for sign in signs:
            if any(environment[slot] is None for slot in sign.slots):
                return None
            with np.errstate(divide="ignore"):
                values = np.broadcast_to(sign.evaluate(environment), (len(iterations),))
            changes |= values[1:] != values[:-1]
        return [*(np.flatnonzero(changes) + 1).tolist(), len(iterations)]

    def _repeated(self, loop: ControlLoop[Step[PathT]], count: int, paths: list[PathT]) -> list[PathT]:
        """Follow a loop whose iterations are all alike: when the paths repeat, skip whole periods."""
        seen: dict[frozenset[Hashable], int] = {}
        iteration = 0
        while iteration < count:
            paths = self._merged(self._iteration(loop, None, paths))
            iteration += 1
            earlier = seen.setdefault(frozenset(path.key() for path in paths), iteration)
            if earlier < iteration:
                period = iteration - earlier
                iteration = count - (count - iteration) % period
                seen.clear()
            elif iteration > _MOST_TURNS:
                raise LimitReached
        return paths

    def _open_ended(
        self,
        loop: ControlLoop[Step[PathT]] | While[Step[PathT]],
        bodies: Sequence[ControlBody[Step[PathT]]],
        variable: int | None,
        paths: list[PathT],
    ) -> list[PathT]:
        """Follow a loop with an unknown number of iterations: collect the paths until an iteration adds no new ones."""
        if variable is not None:
            self.environment[variable] = None
        runs = Runs(loop.op)
        first = isinstance(loop, ControlLoop)
        done: list[PathT] = []
        if first:
            done = [path.copy() for path in paths]
            for path in done:
                path.facts[runs] = False
            for path in paths:
                path.facts[runs] = True
        seen: set[Hashable] = set()
        iteration = 0
        while paths:
            iteration += 1
            if iteration > _MOST_TURNS:
                raise LimitReached
            if iteration == 2:
                self._again.append(loop.op)
            for path in paths:
                for key in self.tree.varying[loop]:
                    path.facts.pop(key, None)
            for position, body in enumerate(bodies):
                paths = self._body(body, paths)
                if not first and position == 0:  # The condition of a while loop: the loop may end here.
                    done += [path.copy() for path in paths]
                    self._hand_on(body.gives, paths, False)
            self._hand_on(bodies[-1].gives, paths, False)
            paths = [path for path in self._merged(paths) if path.key() not in seen]
            seen.update(path.key() for path in paths)
            if first:
                done += [path.copy() for path in paths]
        if iteration > 1:
            self._again.pop()
        return self._merged(done)

    def _while(self, loop: While[Step[PathT]], paths: list[PathT]) -> list[PathT]:
        self._hand_on(loop.starts, paths, True)
        while self.node is not None:
            before = [path.copy() for path in paths]
            noted = dict(self.findings)
            paths = self._body(loop.before, paths)
            known = self._value(loop.condition)
            if known is None:
                paths, self.findings = before, noted
                self._behind.clear()  # their findings are discarded
                break
            self._hand_on(loop.before.gives if known else loop.ends, paths, True)
            if not known:
                self._leave(loop.before, paths)
                return paths
            paths = self._body(loop.after, paths)
            self._hand_on(loop.after.gives, paths, True)
            self._leave(loop.after, paths)
        self.exact = False
        for slot, _ in loop.starts.scalars:
            self.environment[slot] = None
        done = self._open_ended(loop, [loop.before, loop.after], None, paths)
        self._hand_on(loop.ends, done, False)
        self._leave(loop.before, done)
        self._leave(loop.after, done)
        return done

    # --- values and paths -------------------------------------------------------------------------------------

    def _value(self, scalar: ScalarFunction | None) -> Any:
        """Evaluate a scalar; None where a slot that it reads has no known value."""
        if scalar is None:
            return None
        environment = self.environment
        for slot in scalar.slots:
            if environment[slot] is None:
                return None
        return scalar.evaluate(environment)

    def _hand_on(self, handed: HandedValues, paths: list[PathT], known: bool) -> None:
        """Bind values to new names: scalars in the environment, all others on the paths."""
        values = [self._value(scalar) if known else None for _, scalar in handed.scalars]
        for (slot, _), value in zip(handed.scalars, values):
            self.environment[slot] = value
        if handed.others:
            targets, sources = zip(*handed.others)
            for path in paths:
                path.bind(targets, sources)

    def _leave(self, body: ControlBody[Step[PathT]], paths: list[PathT]) -> None:
        if body.born:
            for path in paths:
                path.leave(body.born)

    def _merged(self, paths: list[PathT]) -> list[PathT]:
        """Merge paths that continue in the same way; the merged path keeps the assumptions that all of them share."""
        if len(paths) < 2:
            return paths
        groups: dict[Hashable, list[PathT]] = {}
        for path in paths:
            groups.setdefault(path.key(), []).append(path)
        if len(groups) > MOST_PATHS:
            raise LimitReached
        return list(_joined(groups.values()))


def _joined(groups: Any) -> Iterator[Any]:
    for group in groups:
        first = group[0]
        if len(group) > 1:
            first.facts = agreed([path.facts for path in group])
        yield first
