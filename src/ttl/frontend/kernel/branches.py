"""Branches whose condition is known on the node only: both ways are evaluated, and their states are merged.

Each way is evaluated once. Values that cannot be merged into one are selected by the condition (``Selected``). If the
code after the branch needs a value that exists in one way only, such as a block that was acquired there, that code is
evaluated at the end of each way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from xdsl.dialects import scf
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Block, Operation, Region
from xdsl.traits import is_side_effect_free

from ttl.frontend.domain import Course, Signals
from ttl.frontend.effects import Place, scopes_held
from ttl.frontend.evaluator import Change, Evaluator
from ttl.frontend.flow import following, rest_of
from ttl.frontend.kernel.builder import new_block, region
from ttl.frontend.kernel.carrying import Carrying, LoopVar
from ttl.frontend.kernel.merging import NOTHING_OF, CarriedKind, common, from_ir, hull, kind_of, to_ir
from ttl.frontend.kernel.objects import TracedBlock, receive_in
from ttl.frontend.kernel.regions import Regions, is_signal
from ttl.frontend.kernel.selected import Joint, Part, Selected
from ttl.frontend.kernel.tracer import Tracer
from ttl.frontend.liveness import Tail, may_see_later
from ttl.frontend.reals import real_hull
from ttl.frontend.scalars import NodeCondition, loops_of, negated
from ttl.frontend.values import RETURN, UNBOUND, Poison, Scope, same
from ttl.lang.expr import BlockExpr
from ttl.source.scopes import captured

_NOTHING: Any = object()


@dataclass(slots=True)
class _Way:
    """One way of a branch: its block, the values computed in it, its changes of names, its exits, its value."""

    holds: bool
    block: Block = field(default_factory=new_block)
    known: dict[Any, Any] = field(default_factory=dict)
    changed: dict[tuple[int, str], Change] = field(default_factory=dict)
    signals: Signals = field(default_factory=dict)
    value: Any = _NOTHING
    # Whether the code after the statement was evaluated at its end.
    took_tail: bool = False
    # Whether the function has returned in this way before the branch.
    has_returned: bool = False
    # The births of the scopes that code in this way has made.
    births: list[range] = field(default_factory=list)

    def has_made(self, scope: Scope) -> bool:
        """Whether a scope is of a function that was called in this way."""
        return any(scope.birth in births for births in self.births)

    def of(self, scope: Scope, name: str, before: Any) -> Any:
        """Return the value of a name at the end of the way."""
        change = self.changed.get((id(scope), name))
        return before if change is None else change[2]


@dataclass(eq=False, slots=True)
class _Merge:
    """A result of a branch of the IR: its kind, and its value at the end of each way."""

    kind: CarriedKind
    values: tuple[Any, Any]


@dataclass(slots=True)
class _Joined:
    """The values of names and of the expression after a branch, with a ``_Merge`` for each result of the branch."""

    merges: list[_Merge] = field(default_factory=list)
    values: list[tuple[Scope, str, Any]] = field(default_factory=list)
    value: Any = _NOTHING
    lost: list[str] = field(default_factory=list)
    # The lost names that stand for a receive in one of the ways.
    receives: list[str] = field(default_factory=list)


class Branches:
    """The join of the states of two courses."""

    def __init__(self, reader: Evaluator, tracer: Tracer, regions: Regions, carrying: Carrying) -> None:
        self.reader = reader
        self.tracer = tracer
        self.regions = regions
        self.carrying = carrying
        # Whether any value has been selected on the node so far.
        self.selecting = False

    # --- forms of a branch ------------------------------------------------------------------------------

    def branch(
        self,
        condition: NodeCondition,
        first: Course,
        second: Course | None = None,
        *,
        is_last: bool = False,
        else_returned: bool = False,
    ) -> Signals:
        """Evaluate both ways of a branch, and merge their states.

        ``is_last``: the branch is the last action of its statement, so that the code after it may be evaluated in both
        ways. ``else_returned``: where the condition does not hold, the function has returned.
        """
        with Fork(self, condition) as fork:
            fork.second.has_returned = else_returned
            fork.run(fork.first, first, is_last=is_last)
            if second is not None:
                fork.run(fork.second, second, is_last=is_last)
            return fork.end(is_last=is_last)[0]

    def fork(self, condition: NodeCondition) -> Fork:
        """Return a branch whose ways are evaluated by the caller."""
        return Fork(self, condition, eager=False)

    def guarded(
        self, condition: Any, body: Course, *, is_last: bool = False, else_returned: bool = False
    ) -> Signals:
        """Evaluate under a condition, which may be known.

        ``else_returned``: where the condition does not hold, the function has returned.
        """
        if not isinstance(condition, NodeCondition):
            return body() if condition else {}
        return self.branch(condition, body, is_last=is_last, else_returned=else_returned)

    def value(self, condition: NodeCondition, first: Callable[[], Any], second: Callable[[], Any]) -> Any:
        """Return the value of ``first if condition else second``: merged, selected or lost."""
        with Fork(self, condition) as fork:
            fork.evaluate(fork.first, first)
            fork.evaluate(fork.second, second)
            return fork.end(is_last=False)[1]


class Fork:
    """A branch that is being evaluated."""

    def __init__(self, branches: Branches, condition: NodeCondition, *, eager: bool = True) -> None:
        self._branches = branches
        self._reader = branches.reader
        self._tracer = branches.tracer
        self._regions = branches.regions
        self.condition = condition
        self.first, self.second = _Way(True), _Way(False)
        self._place = self._reader.place
        self._tail = self._reader.tail
        self._mark = 0
        self._births = self._reader.births
        self._eager = eager
        self._tested: Any = None

    def __enter__(self) -> Fork:
        if self._eager:
            self._tested = self.condition.ssa()
        self._mark = self._reader.mark()
        return self

    def __exit__(self, kind: type[BaseException] | None, *raised: object) -> None:
        if kind is not None:
            self._reader.leave_way(self._mark)
            self._reader.tail = self._tail

    # --- one way ----------------------------------------------------------------------------------------------

    def run(self, way: _Way, course: Course, *, is_last: bool = False) -> None:
        """Evaluate a course at the end of a way, and undo its changes of names.

        ``is_last``: the course is the last action of its statement, so that the code after the statement may be
        evaluated in it.
        """
        reader = self._reader
        reader.tail = tail = Tail([], 0, self._tail, in_way=True, ends=not is_last)
        for scope, name, value in way.changed.values():
            if value is UNBOUND:
                reader.delete(scope, name)
            else:
                reader.assign(scope, name, value)
        with (
            self._tracer.builder.inside(way.block, way.known),
            self._regions.inside(None),
            self._regions.assuming(self.condition, way.holds),
        ):
            births = reader.births
            way.signals = course()
            way.births.append(range(births + 1, reader.births + 1))
        reader.tail = self._tail
        way.took_tail |= tail.taken
        way.changed = {
            key: (scope, name, scope.names.get(name, UNBOUND))
            for key, (scope, name, _) in reader.changed_since(self._mark).items()
        }
        reader.leave_way(self._mark)

    def evaluate(self, way: _Way, compute: Callable[[], Any]) -> None:
        """Evaluate the expression whose value is the value of a way."""

        def computed() -> Signals:
            way.value = compute()
            return {}

        self.run(way, computed)

    def is_free(self, way: _Way) -> bool:
        """Whether a way only computes numbers: it can be evaluated even where its condition does not hold."""
        return not way.changed and computes_numbers(way.block)

    def spill(self, way: _Way) -> None:
        """Move the computations of a way to the place before the branch."""
        builder = self._tracer.builder
        for operation in list(way.block.ops):
            detach: Callable[[], None] = operation.detach
            detach()
            builder.block.add_op(operation)
        builder.know(way.known)

    # --- the end ----------------------------------------------------------------------------------------------

    def end(self, *, is_last: bool) -> tuple[Signals, Any]:
        """Make the branch in the IR; return its exits and its value."""
        ways = (self.first, self.second)
        joined = self._join()
        takes = any(way.took_tail for way in ways)
        if not takes and is_last and self._tracer.kernel is not None:
            takes = any(map(self._tail.reads, joined.lost))
            if self._parts_receives(joined):
                takes = True
                self._tail.open_iterations()
        if takes:
            for way in ways:
                if not way.took_tail and not way.has_returned:
                    self.run(way, lambda left=way.signals: following(self._reader, left, self._rest))  # type: ignore[misc]
            self._tail.take()
            joined = self._join()
        signals, wanted = self._signals()
        merges = [*joined.merges, *wanted.values()]
        handed: dict[_Merge, Any] = {}
        if merges or any(way.block.first_op is not None for way in ways):
            handed = dict(zip(merges, self._made(merges), strict=True))
        for scope, name, value in joined.values:
            self._reader.assign(scope, name, _filled(value, handed))
        signals |= {name: handed[merge] for name, merge in wanted.items()}
        return signals, _filled(joined.value, handed)

    def _parts_receives(self, joined: _Joined) -> bool:
        """Whether later iterations wait for receives that differ between the ways, or that differing numbers choose."""
        names = [
            name for _, name, value in joined.values if type(value) is _Merge and value.kind.kind == "index"
        ]
        if self._tracer.waits_for_any and any(self._tail.reads(name, iterations=True) for name in names):
            held = self._reader.scope.names.items()
            names = [name for name, value in held if receive_in(value)]
        else:
            names = []
        return any(self._tail.reads(name, iterations=True) for name in (*joined.receives, *names))

    def _rest(self) -> Signals:
        return rest_of(self._reader, self._tail)

    def _made(self, results: list[_Merge]) -> list[Any]:
        """Emit the branch, and return its results as values of the evaluation."""
        builder, tracer = self._tracer.builder, self._tracer
        self._reader.place = self._place
        tested = self._tested or self.condition.ssa()
        for number, way in enumerate((self.first, self.second)):
            with builder.inside(way.block):
                builder.emit(
                    scf.YieldOp(*(to_ir(tracer, merge.values[number], merge.kind) for merge in results))
                )
        otherwise = self.second.block
        is_empty = not results and otherwise.first_op is otherwise.last_op
        if is_empty:
            assert otherwise.last_op is not None
            otherwise.erase_op(otherwise.last_op)
        operation = builder.emit(
            scf.IfOp(
                tested,
                [merge.kind.attribute for merge in results],
                region(self.first.block),
                Region() if is_empty else region(otherwise),
            )
        )
        values = []
        for merge, ssa in zip(results, operation.results, strict=True):
            a, b = merge.values
            # It varies with the open loops, in which it is computed, even if it is the same in each iteration.
            loops = self.condition.loops.union(loops_of(a), loops_of(b), builder.open_loops)
            bounds = hull(a, b) if merge.kind.kind == "index" else (None, None)
            real = real_hull(a, b) if merge.kind.kind == "real" else None
            values.append(from_ir(tracer, ssa, merge.kind, loops, bounds, real))
            if merge.kind.kind == "expr":
                values[-1].may_be_block = any(
                    isinstance(value, TracedBlock) or value.may_be_block for value in (a, b)
                )
        return values

    def _signals(self) -> tuple[Signals, dict[str, _Merge]]:
        """Return the exits of the branch: known conditions, and conditions that are results of the branch."""
        signals: Signals = {}
        wanted: dict[str, _Merge] = {}
        first, second = self.first.signals, self.second.signals
        for name in {**first, **second}:
            a, b = first.get(name, False), second.get(name, False)
            if isinstance(a, bool) and isinstance(b, bool):
                signals[name] = True if a and b else self.condition if a else negated(self.condition)
            else:
                wanted[name] = _Merge(CarriedKind("truth"), (a, b))
        return signals, wanted

    def _join(self) -> _Joined:
        """Return the values of names and of the expression after both ways."""
        joined = _Joined()
        joint = self._joint()
        for scope, name in self._places():
            self._join_name(joined, joint, scope, name)
        a, b = self.first.value, self.second.value
        if a is _NOTHING and b is _NOTHING:
            return joined
        if isinstance(a, BlockExpr) and isinstance(b, BlockExpr) and a is not b:
            a, b = map(self._read, (self.first, self.second))
        joined.value = self._one_of(joined, joint, a, b, deep=True)
        return joined

    def _read(self, way: _Way) -> Any:
        """The value of a way, as one of two block expressions.

        In a compute kernel, a block becomes its current value.
        """
        if isinstance(way.value, TracedBlock) and self._tracer.kind == "compute":
            with self._tracer.builder.inside(way.block, way.known):
                way.value = self._tracer.read(way.value)
            way.value.may_be_block = True
        return way.value

    def _one_of(self, joined: _Joined, joint: Joint, a: Any, b: Any, *, deep: bool) -> Any:
        """Return one value for two: a result of the branch, a value selected by its condition, or a lost one.

        ``deep``: tuples are merged member by member if they cannot be kept otherwise.
        """
        one = _merged(joined, a, b, deep=False)
        if one is _NOTHING:
            one = self._selected(joint, a, b)
            if deep and type(one) is not Selected and not one.reported:
                members = _merged(joined, a, b, deep=True)
                one = one if members is _NOTHING else members
        return one

    def _join_name(self, joined: _Joined, joint: Joint, scope: Scope, name: str) -> None:
        before = scope.names.get(name, UNBOUND)
        a, b = self.first.of(scope, name, before), self.second.of(scope, name, before)
        if scope.birth > self._births:
            # The other way does not have the scope.
            a, b = (a, UNBOUND) if self.first.has_made(scope) else (UNBOUND, b)
        if (name == RETURN or scope.birth > self._births) and (a is UNBOUND) is not (b is UNBOUND):
            # The returned value of a way that has not returned is never used.
            returned = b if a is UNBOUND else a
            kind = kind_of(returned)
            if kind is None or kind.type is not None:
                a = b = returned if joint.can_leave(returned) else Poison(_IN_A_BRANCH, reported=False)
            elif a is UNBOUND:
                a = NOTHING_OF[kind.kind]
            else:
                b = NOTHING_OF[kind.kind]
        # A path that has left the function does not affect the values of its names afterwards.
        gone_first, gone_second = (way.signals.get("return") is True for way in (self.first, self.second))
        function, is_own = self._reader.function, scope is self._reader.scope
        if (
            is_own
            and name not in captured(function)
            and not is_signal(name)
            and gone_first is not gone_second
        ):
            # Only the way that stays in the function reads the value.
            kept = b if gone_first else a
            if same(kept, before) or same(kept, self._branches.carrying.begun(scope, name, before)):
                joined.values.append((scope, name, kept))
                return
            nothing = NOTHING_OF.get(getattr(kind_of(kept), "kind", ""))
            if nothing is not None and gone_first:
                a = nothing
            elif nothing is not None:
                b = nothing
        if not same(a, b):
            if (
                LoopVar in (type(a), type(b))
                and is_own
                and not is_signal(name)
                and not self._tail.is_live(name)
                and not may_see_later(function, name, self._tail)
            ):
                # No code reads it, so the loop around need not carry it.
                joined.values.append((scope, name, Poison(_DIFFERENT, reported=False)))
                return
            a, b = (self._branches.carrying.settled(scope, name, value) for value in (a, b))
        value = self._one_of(joined, joint, a, b, deep=name == RETURN or self._tail.reads(name))
        if type(value) is Poison and not value.reported:
            joined.lost.append(name)
            if value.of is not None:
                joined.receives.append(name)
        joined.values.append((scope, name, value))

    def _selected(self, joint: Joint, a: Any, b: Any) -> Poison:
        """Return one value for two that cannot be merged.

        It is selected by the condition if both values have a meaning outside the branch, and lost otherwise.
        """
        lost = _lost(a, b)
        parts = None if lost.reported else self._parts(joint, a, b)
        if parts is None:
            return lost
        self._branches.selecting = True
        return Selected(parts, lost)

    def _parts(self, joint: Joint, a: Any, b: Any) -> tuple[Part, ...] | None:
        """The values with their conditions; None if they cannot be selected. Before kernels, only texts can be."""
        if self._tracer.kernel is None and not (isinstance(a, str | None) and isinstance(b, str | None)):
            return None
        if a is UNBOUND or b is UNBOUND:
            return None
        return joint.parts(a, b)

    def _joint(self) -> Joint:
        return Joint(self.condition, (self.first.block, self.second.block))

    def _places(self) -> list[Place]:
        """The names that either way changed, in the order in which the program has made them."""
        places: dict[tuple[int, str], Place] = {}
        for way in (self.first, self.second):
            for key, (scope, name, _) in way.changed.items():
                places.setdefault(key, (scope, name))
        if any(scope.birth > self._births for scope, _ in places.values()):
            places = self._reached(places)
        if len(places) < 2:
            return [*places.values()]
        scopes = {id(scope): number for number, scope in enumerate(self._reader.reachable())}
        positions: dict[int, dict[str, int]] = {}

        def order(item: tuple[int, Place]) -> tuple[int, int]:
            number, (scope, name) = item
            known = positions.get(id(scope))
            if known is None:
                known = positions[id(scope)] = {name: at for at, name in enumerate(scope.names)}
            return scopes.get(id(scope), len(scopes)), known.get(name, len(known) + number)

        return [place for _, place in sorted(enumerate(places.values()), key=order)]

    def _reached(self, places: dict[tuple[int, str], Place]) -> dict[tuple[int, str], Place]:
        """The places without those of ended calls, unless a remaining function can see them."""
        left = [way.value for way in (self.first, self.second)]
        for way in (self.first, self.second):
            left += [value for scope, _, value in way.changed.values() if scope.birth <= self._births]
        held = scopes_held(left)
        return {
            key: (scope, name)
            for key, (scope, name) in places.items()
            if scope.birth <= self._births or id(scope) in held
        }


def computes_numbers(block: Block, after: Operation | None = None) -> bool:
    """Return whether a block (or its part after ``after``) only computes numbers, without block mathematics."""
    operation = block.first_op if after is None else after.next_op
    while operation is not None:
        for part in operation.walk():
            if not is_side_effect_free(part) or any(
                isinstance(member.type, TensorType) for member in part.results
            ):
                return False
        operation = operation.next_op
    return True


def _merged(joined: _Joined, first: Any, second: Any, *, deep: bool) -> Any:
    """Return one value for two whose differences are results of the branch; ``_NOTHING`` if the IR cannot hold them."""
    if same(first, second):
        return first
    kind = common(kind_of(first), kind_of(second))
    if kind is not None:
        joined.merges.append(_Merge(kind, (first, second)))
        return joined.merges[-1]
    if not deep or type(first) is not tuple or type(second) is not tuple or len(first) != len(second):
        return _NOTHING
    before = len(joined.merges)
    members = tuple(_merged(joined, a, b, deep=True) for a, b in zip(first, second, strict=True))
    if any(member is _NOTHING for member in members):
        del joined.merges[before:]
        return _NOTHING
    return members


def _filled(value: Any, handed: dict[_Merge, Any]) -> Any:
    """Return a value in which the results of a branch replace their placeholders."""
    if type(value) is _Merge:
        return handed[value]
    if handed and type(value) is tuple:
        return tuple(_filled(member, handed) for member in value)
    return value


_IN_A_BRANCH = "it is returned from a branch that depends on the node, and exists there only"
_DIFFERENT = "branches that depend on the node give it different values"


def _lost(a: Any, b: Any) -> Poison:
    """Return the value of a name to which a branch gives two values that cannot be merged."""
    for value in (a, b):
        if isinstance(value, Poison) and value.reported:
            return value
    receive = receive_in(a, b)
    if a is UNBOUND or b is UNBOUND:
        return Poison(
            "a branch that depends on the node assigns it, the other does not", reported=False, of=receive
        )
    return Poison(_DIFFERENT, reported=False, of=receive)
