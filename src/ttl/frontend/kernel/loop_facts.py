"""Facts about a loop before it is built.

They say whether it must be unrolled, which kinds of numbers its variables hold after an iteration, and whether the
number of its iterations depends on the node.

This is a data-flow analysis, to a fixed point, over the source of the loop and of the functions that it calls. A loop
is unrolled if a value that varies with it is used where a value must be known while the program is compiled, if it
carries a value that no loop of the IR can carry, if the code after it reads a value that such a loop would lose, or if
it changes a container. The analysis errs on the side of values known before the loop: a use that it does not foresee is
refused where it is met.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from ttl.frontend.effects import AsFunction, Place
from ttl.frontend.kernel.carrying import LoopVar
from ttl.frontend.kernel.expression_facts import ExpressionFacts
from ttl.frontend.kernel.kinds import ValueKind
from ttl.frontend.kernel.merging import CarriedKind, kind_of
from ttl.frontend.kernel.objects import TracedBlock
from ttl.frontend.kernel.selected import Selected
from ttl.frontend.kernel.static_places import may_need
from ttl.frontend.kernel.value_facts import (
    NOTHING,
    RANKS,
    Fact,
    Rank,
    deciding,
    fact_of,
    number,
    rank_of,
    truth_of,
)
from ttl.frontend.kernel.variable_facts import THIS
from ttl.frontend.liveness import exposed
from ttl.frontend.values import UNBOUND, Globals, Poison, Scope, UserFunction
from ttl.source.scopes import (
    assigned,
    body_of,
    leaves,
    nonlocals,
    only_augmented,
    only_values,
    own_nodes,
    parts,
)


class LoopFacts(ExpressionFacts):
    """The facts of one loop. ``places`` are the variables that it changes, ``function`` is the function around it."""

    def __init__(
        self,
        statement: ast.For | ast.While,
        scope: Scope,
        globals: Globals,
        as_function: AsFunction,
        places: list[Place],
        function: ast.AST,
    ) -> None:
        super().__init__(scope, globals, as_function)
        self._statement: Any = statement
        self._scope = scope
        self.places = places
        self._places = {(id(holder), name): (holder, name) for holder, name in places}
        self._function = function
        self._before: dict[tuple[int, str], Fact] = {}
        self._leaves = False
        self._known: Any = None

    # --- questions ----------------------------------------------------------------------------------------------

    def kinds(self) -> dict[Place, CarriedKind]:
        """Return the variables whose kind is wider after an iteration than before the loop, with the wider kind."""
        if not any(rank_of(scope.names.get(name, UNBOUND)) for scope, name in self._places.values()):
            return {}
        self._find()
        names = {rank: kind for kind, rank in RANKS.items()}
        return {
            place: CarriedKind(names[rank])  # type: ignore[arg-type]
            for key, place in self._places.items()
            if (rank := self._facts[key].rank) > self._before[key].rank > Rank.OPEN
        }

    def needs_static(self) -> bool:
        """Whether a ``for`` changes a container, or needs values that vary with it while the program is compiled."""
        if not may_need(self._statement, self._top, self._as_function):
            return False
        self._find()
        return self._needed >= THIS

    def must_be_unrolled(self, is_live: Callable[[str], bool]) -> bool:
        """Whether a ``for`` cannot be a loop of the IR. ``is_live`` says whether a name is read after it."""
        return self._carries_what_it_cannot() or self.needs_static() or self._loses(is_live)

    def is_of_node(self) -> bool:
        """Whether the node decides how often a ``while`` runs."""
        self._find()
        return self._leaves or self.fact(self._statement.test).of_node

    def is_longer_than(self, most: int) -> bool:
        """Return whether a ``while`` that counts a variable up or down to a number runs more than ``most`` times."""
        match self._statement.test:
            case ast.Compare(
                left=ast.Name(id=name), ops=[ast.Lt() | ast.LtE() | ast.Gt() | ast.GtE()], comparators=[bound]
            ):
                first, last = (self._number(part) for part in (ast.Name(name), bound))
                steps = [
                    self._number(statement.value) or 0
                    for statement in self._statement.body
                    if isinstance(statement, ast.AugAssign)
                    and isinstance(statement.target, ast.Name)
                    and statement.target.id == name
                ]
                return None not in (first, last) and 0 < abs(sum(steps)) * most < abs(last - first)
        return False

    def _number(self, node: ast.expr) -> Any:
        """The integer that is the value of an expression before the loop; None if that is not clear."""
        value = node.value if isinstance(node, ast.Constant) else None
        if isinstance(node, ast.Name):
            value = self._top.value(node.id)
        return value if type(value) is int else None

    # --- values passed from one iteration to the next, and to the code after the loop -------------------------------

    def _carries_what_it_cannot(self) -> bool:
        """Return whether an iteration reads a value of the iteration before that no loop can carry."""
        loop = self._statement
        for name in exposed(loop.body).intersection(assigned(*loop.body)).difference(assigned(loop.target)):
            prior = self._scope.names.get(name, UNBOUND)
            if isinstance(prior, TracedBlock):
                values = frozenset[str]() if leaves(loop) else only_values(self._function)
                if name not in values | only_augmented(loop) or (name in values and self._is_changed(prior)):
                    return True
            elif _is_not_carried(prior):
                return True
        return False

    def _is_changed(self, block: TracedBlock) -> bool:
        """Return whether a loop uses ``block`` itself, while a name stands for its value."""
        return any(
            isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and self._top.value(node.value.id) is block
            for node in own_nodes(self._statement.body)
        )  # fmt: skip

    def _loses(self, is_live: Callable[[str], bool]) -> bool:
        """Return whether the code after the loop reads a variable that a loop of the IR would lose."""
        loop = self._statement
        carried, own = exposed(loop.body), assigned(*loop.body)
        for key, (holder, name) in self._places.items():
            prior = holder.names.get(name, UNBOUND)
            if holder is self._scope and (
                (name in carried and prior is not UNBOUND)
                or (name not in own and isinstance(loop.target, ast.Name) and name == loop.target.id)
            ):
                continue
            if not is_live(name):
                continue
            self._find()
            after = self._facts[key]
            if kind_of(prior) is not None and (after.is_number or not after.kinds - {ValueKind.EXPRESSION}):
                continue
            if not after.is_constant and (prior is not UNBOUND or key in self._surely):
                return True
        return False

    # --- the fixed point --------------------------------------------------------------------------------------------

    def _find(self) -> None:
        if self._known is None:
            self._begin()
        while self._known != (matches := (dict(self._facts), self._needed)):
            self._known = matches
            self._called.clear()
            self._iteration(self._statement)

    def _begin(self) -> None:
        """Set the facts about the variables at the beginning of an iteration."""
        loop = self._statement
        test = [ast.Expr(loop.test)] if isinstance(loop, ast.While) else []
        set_first = frozenset(assigned(*loop.body)) - exposed([*test, *loop.body])
        for key, (scope, name) in self._places.items():
            fact = self._before[key] = fact_of(scope.names.get(name, UNBOUND))
            if scope is self._scope and name in set_first:
                fact = NOTHING
            elif fact.is_number:
                fact = number(fact.rank, of=Fact(of_node=fact.of_node, loops=THIS))
            self._facts[key] = fact

    def _iteration(self, statement: ast.For | ast.While) -> None:
        self._under = NOTHING
        if isinstance(statement, ast.For):
            self._under = Fact(loops=THIS) if leaves(statement) else NOTHING
            self.assign(statement.target, None, self.members(statement.iter, THIS)[0])
        else:
            self.fact(statement.test)
        self.block(statement.body, within=0)
        self._under = NOTHING

    # --- statements -------------------------------------------------------------------------------------------------

    def block(self, body: list[ast.stmt], *, within: int) -> None:
        """Go through statements; those after one that may leave depend on its condition.

        ``within`` counts inner loops.
        """
        for statement in body:
            self._one(statement, within)

    def _inside(self, body: list[ast.stmt], within: int, *conditions: Fact) -> Fact:
        """Go through statements under conditions. Return the conditions for the code after them, if they run."""
        under = self._under
        self._under = deciding(under, *conditions)
        self.block(body, within=within)
        self._under, left = under, self._under
        return left

    def _one(self, statement: ast.stmt, within: int) -> None:
        match statement:
            case ast.Assign(targets=targets, value=value):
                fact = self.fact(value)
                for target in targets:
                    self.assign(target, value, fact)
            case ast.Expr(value=value):
                self.fact(value)
            case ast.AugAssign(target=target, op=op, value=value):
                before = self.named(target.id) if isinstance(target, ast.Name) else self.fact(target)
                self.changed(before)
                self.assign(target, None, self.operated(before, op, self.fact(value)))
            case ast.If(test=test):
                condition = self.fact(test)
                holds = truth_of(condition)
                if holds is not None:
                    self.block(statement.body if holds else statement.orelse, within=within)
                    return
                both = (*statement.body, *statement.orelse)
                left = [
                    self._inside(block, within, condition) for block in (statement.body, statement.orelse)
                ]
                if deciding(condition) is NOTHING or any(map(_may_leave, both)):
                    self._under = deciding(self._under, *left)
            case ast.For():
                self._inner_loop(statement, within)
            case ast.While(test=test):
                condition = self.fact(test)
                self._carried_by(statement, deciding(condition))
                self._inside(statement.body, within + 1, condition)
                self.block(statement.orelse, within=within)
            case ast.Match(subject=subject):
                condition = self.fact(subject)
                for case in statement.cases:
                    guard = NOTHING if case.guard is None else self.fact(case.guard)
                    self._inside(case.body, within, condition, guard)
            case ast.With(items=items):
                for item in items:
                    entered = self.fact(item.context_expr)
                    if item.optional_vars is not None:
                        self.assign(item.optional_vars, None, entered)
                self.block(statement.body, within=within)
            case ast.Try():
                self.block([*statement.body, *statement.finalbody], within=within)
            case ast.Break():
                self._leaves |= self._under.of_node and not within
            case ast.Return(value=returned):
                self._returned(NOTHING if returned is None else self.fact(returned))
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                self.assign(target, value, self.fact(value))
            case ast.FunctionDef(name=name):
                self.hold(name, self.defined(statement))
            case ast.ClassDef():
                pass
            case _:
                for part in parts(statement):
                    if isinstance(part, ast.Subscript) and isinstance(statement, ast.Delete):
                        self.assign(part, None, NOTHING)
                    elif isinstance(part, ast.expr):
                        self.fact(part)

    def _returned(self, fact: Fact) -> None:
        frame = self._frame
        frame.returned = frame.returned.joined(fact.under(self._under))
        if frame.depth:
            return
        self._leaves |= self._under.of_node
        is_plain = fact.is_of(ValueKind.TEXT, ValueKind.TUPLE) and not fact.loops
        if fact.kinds and not fact.is_number and not is_plain and fact.value is not None:
            self._needed |= self._open

    def _inner_loop(self, statement: ast.For, within: int) -> None:
        own, is_open = frozenset((id(statement),)), self._open
        member, length = self.members(statement.iter, own)
        inner = Fact(of_node=True) if not isinstance(statement.iter, ast.Tuple | ast.List) else NOTHING
        if length is not None:
            self._open |= own
            self._carried_by(statement, Fact(loops=own))
            inner = Fact(of_node=True, loops=own if leaves(statement) else frozenset())
        under = self._under
        if length is None or deciding(length) is not NOTHING:
            self._under = deciding(under, inner)
        self.assign(statement.target, None, member)
        self._under = under
        self._inside(statement.body, within + 1, inner)
        self._open = is_open
        if length is not None and own <= self._needed:
            self._needed -= own
            self.need(length)
        self.block(statement.orelse, within=within)

    def _carried_by(self, loop: ast.For | ast.While, by: Fact) -> None:
        """Note that the numbers which an inner loop carries vary with ``by``."""
        for name in exposed(loop.body).intersection(assigned(*loop.body)):
            fact = self.named(name)
            if fact.is_number and by is not NOTHING:
                self.hold(name, number(fact.rank, of=by))

    def enters(self, function: UserFunction) -> None:
        """Note a called function that may read a value left by the iteration before, if no loop can carry the value."""
        for name in nonlocals(function.node).intersection(exposed(body_of(function.node))):
            holder = None if function.scope is None else function.scope.holder(name)
            if (
                holder is not None
                and (id(holder), name) in self._places
                and _is_not_carried(holder.names.get(name, UNBOUND))
            ):
                self._needed |= THIS


def _is_not_carried(value: Any) -> bool:
    """Whether no loop of the IR can carry a variable that has this value before it."""
    if type(value) is Selected:
        return True
    return kind_of(value) is None and not isinstance(value, Poison | LoopVar) and value is not UNBOUND


def _may_leave(statement: ast.stmt) -> bool:
    return any(isinstance(node, ast.Break | ast.Continue | ast.Return) for node in own_nodes((statement,)))
