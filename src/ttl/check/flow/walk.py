"""Runs a kernel over all its paths at once, or on one node, where every decision is known.

Without a node nothing of the grid is known: a condition splits the paths, and what each assumes is remembered, so
that the same condition goes the same way again. On a node conditions and trip counts are numbers. Loops end early
when the paths at the end of a turn are those of an earlier one and no decision in the body depends on the turn.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Iterator, Sequence
from typing import Any, Generic, Protocol, Self, TypeVar

import numpy as np
from xdsl.ir import Operation, SSAValue

from ttl.analysis.arithmetic import is_integer
from ttl.analysis.scalars import NODE, Scalar, compile_scalar, trip_count
from ttl.check.flow.facts import Facts, Runs, agreed
from ttl.check.flow.findings import Finding, note
from ttl.check.flow.tree import PIPES, Act, Body, Branch, Loop, Tree, While
from ttl.diag.model import Diagnostic

# Steps of one walk, and paths at one place, that are not too many.
BUDGET = 40_000
MOST_PATHS = 64
# Turns of a loop that are gone through to find out whether they repeat.
_MOST_TURNS = 64
# A loop so short that its turns are simply gone through.
_SHORT = 8


class Path(Protocol):
    """What an analysis knows on one way through a kernel."""

    facts: Facts

    def copy(self) -> Self:
        """Another path that starts like this one."""

    def key(self) -> Hashable:
        """Equal for paths that go on in the same way. What they assume is no part of it."""

    def leave(self, born: Sequence[SSAValue]) -> None:
        """Values are out of scope."""

    def bind(self, targets: Sequence[SSAValue], sources: Sequence[SSAValue]) -> None:
        """Control flow hands values on under other names."""


PathT = TypeVar("PathT", bound=Path)


class TooMuch(Exception):
    """There are more paths, or steps, than a walk may take."""


class Walk(Generic[PathT]):
    """One walk. ``exact``: every decision was known, so that what it found happens, and nothing else does."""

    def __init__(self, tree: Tree[PathT], node: int | None, budget: int = BUDGET) -> None:
        self.tree = tree
        self.node = node
        self.environment: list[Any] = tree.slots.environment(0)
        self.environment[NODE] = node
        self.findings: dict[tuple[str, Operation], Finding] = {}
        self.exact = node is not None
        self.left = budget
        self._again: list[Operation] = []  # loops that may not come to this turn at all
        self._depth = 0
        # By the state in which a loop in a loop was entered: the paths behind it, and what its results are.
        self._behind: dict[Hashable, tuple[list[PathT], list[Any]]] = {}

    def run(self, start: PathT) -> list[PathT]:
        """The paths at the end of the kernel. Raises ``TooMuch``."""
        return self._body(self.tree.body, [start])

    def report(self, op: Operation, failed: list[tuple[Facts, Diagnostic]], others: list[Facts]) -> None:
        """Note what is wrong on some paths and not on ``others``."""
        note(self.findings, op, failed, others, self.tree.places, self._again)

    # --- control flow -----------------------------------------------------------------------------------------

    def _body(self, body: Body[PathT], paths: list[PathT]) -> list[PathT]:
        for node in body.nodes:
            if type(node) is Act:
                self._act(node, paths)
            elif type(node) is Branch:
                paths = self._branch(node, paths)
            else:
                assert isinstance(node, Loop | While)
                paths = self._nested(node, paths)
        return paths

    def _nested(self, loop: Loop[PathT] | While[PathT], paths: list[PathT]) -> list[PathT]:
        """The paths behind a loop. One in a loop, entered as it was before, is not gone through again.

        So work does not double with each level of nesting: each loop is entered at least twice by the one around it.
        What else it would find the second time is known, too, unless it came about in a turn that there may not be.
        """
        state: Hashable = None
        if self._depth:
            around = self.tree.inside(loop.op)
            state = (
                loop.op,
                bool(self._again),
                tuple(self.environment[: around.start] + self.environment[around.stop :]),
                tuple((path.key(), *path.facts.items()) for path in paths),
            )
            known = self._behind.get(state)
            if known is not None:
                self._set(loop.op.results, known[1])
                return [path.copy() for path in known[0]]
        self._depth += 1
        done = self._loop(loop, paths) if isinstance(loop, Loop) else self._while(loop, paths)
        self._depth -= 1
        if self._depth:
            self._behind[state] = [path.copy() for path in done], self._values(loop.op.results)
        return done

    def _act(self, act: Act[PathT], paths: list[PathT]) -> None:
        self.left -= len(paths)
        if self.left < 0:
            raise TooMuch
        failed: list[tuple[int, Diagnostic]] | None = None
        for index, path in enumerate(paths):
            found = act.step(path)
            if found is not None:
                failed = [*(failed or []), (index, found)]
        if failed is not None:
            indices = {index for index, _ in failed}
            self.report(
                act.op,
                [(dict(paths[index].facts), found) for index, found in failed],
                [dict(path.facts) for index, path in enumerate(paths) if index not in indices],
            )

    def _branch(self, branch: Branch[PathT], paths: list[PathT]) -> list[PathT]:
        known = self._value(branch.scalar)
        if known is not None:
            return self._chosen(branch, branch.then if known else branch.other, paths, True)
        self.exact = False
        key, negated = branch.condition.key, branch.condition.negated
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
        self, branch: Branch[PathT], body: Body[PathT] | None, paths: list[PathT], known: bool
    ) -> list[PathT]:
        if body is None:
            return paths
        paths = self._body(body, paths)
        if branch.op.results:
            self._hand_on(branch.op.results, body.yields, paths, known)
        self._leave(body, paths)
        return paths

    def _loop(self, loop: Loop[PathT], paths: list[PathT]) -> list[PathT]:
        turns = self._turns(loop)
        arguments = loop.body.block.args
        carried = () if isinstance(loop.op, PIPES) else arguments[1:]
        self._hand_on(carried, loop.starts, paths, True)
        if turns is None:
            self.exact = False
            variable = (
                None if not arguments or not is_integer(arguments[0]) else self.tree.slots.of(arguments[0])
            )
            done = self._open_ended(loop, loop.varying, [loop.body], variable, carried, paths)
        elif loop.steered and self.node is not None:
            done = self._turn_by_turn(loop, turns, carried, paths)
        else:
            done = self._repeated(loop, len(turns), carried, paths)
        if loop.op.results:
            self._hand_on(loop.op.results, carried, done, loop.steered or turns is not None)
        self._leave(loop.body, done)
        return done

    def _turns(self, loop: Loop[PathT]) -> Sequence[int] | None:
        """What the loop's variable (or the index of the pipe) is in each turn; None where that is not known."""
        if isinstance(loop.op, PIPES):
            ends = loop.pipes
            if ends is None or self.node is None:
                return () if ends == () else None
            sends = loop.op.name == "ttl.if_pipe_src"
            return [
                index
                for index, (src, dsts) in enumerate(ends)
                if (src == self.node if sends else self.node in dsts)
            ]
        if loop.bounds is None:
            return None
        lower, upper, step = (self._value(bound) for bound in loop.bounds)
        if lower is None or upper is None or step is None or step <= 0:
            return None
        return range(lower, lower + trip_count(lower, upper, step) * step, step)

    def _turn(
        self, loop: Loop[PathT], variable: int | None, carried: Sequence[SSAValue], paths: list[PathT]
    ) -> list[PathT]:
        """One turn of a loop."""
        if loop.body.block.args:
            slot = self.tree.slots.known(loop.body.block.args[0])
            if slot is not None:
                self.environment[slot] = variable
        for path in paths:
            for key in loop.varying:
                path.facts.pop(key, None)
        paths = self._body(loop.body, paths)
        if carried:
            self._hand_on(carried, loop.body.yields, paths, variable is not None)
        return paths

    def _turn_by_turn(
        self, loop: Loop[PathT], turns: Sequence[int], carried: Sequence[SSAValue], paths: list[PathT]
    ) -> list[PathT]:
        """A loop in which decisions depend on the turn. A run of turns that decide alike ends once it changes nothing."""
        borders = self._borders(loop, turns)
        turn = 0
        while turn < len(turns):
            before = None if borders is None else frozenset(path.key() for path in paths)
            paths = self._turn(loop, turns[turn], carried, paths)
            if borders is None or frozenset(path.key() for path in paths) != before:
                turn += 1
            else:
                turn = borders[bisect_right(borders, turn)]
        return paths

    def _borders(self, loop: Loop[PathT], turns: Sequence[int]) -> list[int] | None:
        """The turns that decide otherwise than the one before, and the number of all; None if that is not known."""
        if loop.signs is None or len(turns) < _SHORT:
            return None
        slot = self.tree.slots.known(loop.body.block.args[0])
        assert slot is not None
        environment = list(self.environment)
        environment[slot] = (
            np.arange(turns.start, turns.stop, turns.step) if isinstance(turns, range) else np.array(turns)
        )
        changes = np.zeros(len(turns) - 1, dtype=bool)
        for sign in loop.signs:
            if any(environment[each] is None for each in sign.slots):
                return None
            with np.errstate(divide="ignore"):
                values = np.broadcast_to(sign.evaluate(environment), (len(turns),))
            changes |= values[1:] != values[:-1]
        return [*(np.flatnonzero(changes) + 1).tolist(), len(turns)]

    def _repeated(
        self, loop: Loop[PathT], count: int, carried: Sequence[SSAValue], paths: list[PathT]
    ) -> list[PathT]:
        """A loop whose turns are all alike: once the paths are those of an earlier turn, only the rest of a period is left."""
        seen: dict[frozenset[Hashable], int] = {}
        turn = 0
        while turn < count:
            paths = self._merged(self._turn(loop, None, carried, paths))
            turn += 1
            earlier = seen.setdefault(frozenset(path.key() for path in paths), turn)
            if earlier < turn:
                period = turn - earlier
                turn = count - (count - turn) % period
                seen.clear()
            elif turn > _MOST_TURNS:
                raise TooMuch
        return paths

    def _open_ended(
        self,
        loop: Loop[PathT] | While[PathT],
        varying: Sequence[Any],
        bodies: Sequence[Body[PathT]],
        variable: int | None,
        carried: Sequence[SSAValue],
        paths: list[PathT],
    ) -> list[PathT]:
        """A loop that runs nobody knows how often: the paths after none, one, two ... turns, until no new ones come."""
        if variable is not None:
            self.environment[variable] = None
        runs = Runs(loop.op)
        first = isinstance(loop, Loop)
        done: list[PathT] = []
        if first:
            done = [path.copy() for path in paths]
            for path in done:
                path.facts[runs] = False
            for path in paths:
                path.facts[runs] = True
        seen: set[Hashable] = set()
        turn = 0
        while paths:
            turn += 1
            if turn > _MOST_TURNS:
                raise TooMuch
            if turn == 2:
                self._again.append(loop.op)
            for path in paths:
                for key in varying:
                    path.facts.pop(key, None)
            for position, body in enumerate(bodies):
                paths = self._body(body, paths)
                if not first and position == 0:  # the condition of a while loop: it may end here
                    done += [path.copy() for path in paths]
                    self._hand_on(bodies[1].block.args, body.yields[1:], paths, False)
            if carried:
                self._hand_on(carried, bodies[-1].yields, paths, False)
            paths = [path for path in self._merged(paths) if path.key() not in seen]
            seen.update(path.key() for path in paths)
            if first:
                done += [path.copy() for path in paths]
        if turn > 1:
            self._again.pop()
        return self._merged(done)

    def _while(self, loop: While[PathT], paths: list[PathT]) -> list[PathT]:
        arguments, inner = loop.before.block.args, loop.after.block.args
        self._hand_on(arguments, loop.op.operands, paths, True)
        while self.node is not None:
            before = [path.copy() for path in paths]
            noted = dict(self.findings)
            paths = self._body(loop.before, paths)
            known = self._value(loop.scalar)
            if known is None:
                paths, self.findings = before, noted
                self._behind.clear()  # what they found is not noted any more
                break
            targets = inner if known else loop.op.results
            self._hand_on(targets, loop.before.yields[1:], paths, True)
            if not known:
                self._leave(loop.before, paths)
                return paths
            paths = self._body(loop.after, paths)
            self._hand_on(arguments, loop.after.yields, paths, True)
            self._leave(loop.after, paths)
        self.exact = False
        self._set(arguments, [None] * len(arguments))
        done = self._open_ended(loop, loop.varying, [loop.before, loop.after], None, arguments, paths)
        self._hand_on(loop.op.results, loop.before.yields[1:], done, False)
        self._leave(loop.before, done)
        self._leave(loop.after, done)
        return done

    # --- values and paths -------------------------------------------------------------------------------------

    def _value(self, scalar: Scalar | None) -> Any:
        """What a scalar is here; None if that is not known."""
        if scalar is None:
            return None
        environment = self.environment
        for slot in scalar.slots:
            if environment[slot] is None:
                return None
        return scalar.evaluate(environment)

    def _hand_on(
        self, targets: Sequence[SSAValue], sources: Sequence[SSAValue], paths: list[PathT], known: bool
    ) -> None:
        """Values under other names: scalars in the environment, all others on the paths."""
        if not targets:
            return
        slots = self.tree.slots
        values = [
            self._value(compile_scalar(source, slots)) if known and is_integer(source) else None
            for source in sources
        ]
        self._set(targets, values)
        named = [(target, source) for target, source in zip(targets, sources) if not is_integer(target)]
        if named:
            for path in paths:
                path.bind([target for target, _ in named], [source for _, source in named])

    def _set(self, targets: Sequence[SSAValue], values: Sequence[Any]) -> None:
        for target, value in zip(targets, values):
            slot = self.tree.slots.known(target)
            if slot is not None:
                self.environment[slot] = value

    def _values(self, of: Sequence[SSAValue]) -> list[Any]:
        slots = map(self.tree.slots.known, of)
        return [None if slot is None else self.environment[slot] for slot in slots]

    def _leave(self, body: Body[PathT], paths: list[PathT]) -> None:
        if body.born:
            for path in paths:
                path.leave(body.born)

    def _merged(self, paths: list[PathT]) -> list[PathT]:
        """Paths that go on in the same way are one; it assumes what all of them do."""
        if len(paths) < 2:
            return paths
        groups: dict[Hashable, list[PathT]] = {}
        for path in paths:
            groups.setdefault(path.key(), []).append(path)
        if len(groups) > MOST_PATHS:
            raise TooMuch
        return list(_joined(groups.values()))


def _joined(groups: Any) -> Iterator[Any]:
    for group in groups:
        first = group[0]
        if len(group) > 1:
            first.facts = agreed([path.facts for path in group])
        yield first
