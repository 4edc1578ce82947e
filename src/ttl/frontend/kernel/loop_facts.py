"""What is told of a loop before it is built: whether it has to be unrolled, which kinds of numbers its variables hold after an
iteration, and whether its course depends on the node.

A data-flow analysis over the source of the loop and of the functions that it calls, to a fixed point. A loop is unrolled where something
that varies with it is at a place that needs a value which is known while the program is compiled, where it carries what no loop of the IR
can carry, and where it changes a container. The analysis errs on the side of what is known before: what it does not foresee is refused
where it is met.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from ttl.frontend.classes import Instance
from ttl.frontend.containers import changes
from ttl.frontend.effects import AsFunction, Place
from ttl.frontend.kernel import call_facts
from ttl.frontend.kernel.carrying import LoopVar
from ttl.frontend.kernel.iterators import MemberIterator
from ttl.frontend.kernel.kinds import ValueKind
from ttl.frontend.kernel.merging import CarriedKind, kind_of
from ttl.frontend.kernel.objects import TracedBlock
from ttl.frontend.kernel.selected import Selected
from ttl.frontend.kernel.tables import as_list, can_look_up
from ttl.frontend.kernel.value_facts import (
    NO_LOOPS,
    NOTHING,
    RANKS,
    Fact,
    Loops,
    Only,
    Rank,
    compared,
    deciding,
    fact_of,
    is_changeable,
    is_static,
    made,
    members_of,
    needs,
    number,
    operated,
    truth_of,
)
from ttl.frontend.liveness import exposed
from ttl.frontend.names import (
    assigned,
    body_of,
    leaves,
    locals_of,
    nonlocals,
    only_augmented,
    only_values,
    own_nodes,
    parts,
)
from ttl.frontend.operators import SIGNS
from ttl.frontend.special_methods import method_of
from ttl.frontend.values import UNBOUND, Globals, Poison, RangeValue, Scope, Sequential, UserFunction
from ttl.host.tensor import Tensor
from ttl.source.facts import fact_of_syntax

# Functions that are looked into, one called by the other.
_DEEPEST = 6
_THIS = frozenset((0,))
"""The loop that is asked about; loops in it are known by the identity of their syntax."""
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_KIND_OF = {
    ast.List: ValueKind.LIST, ast.ListComp: ValueKind.LIST, ast.Set: ValueKind.SET, ast.SetComp: ValueKind.SET, ast.Dict: ValueKind.DICT,
    ast.DictComp: ValueKind.DICT, ast.Tuple: ValueKind.TUPLE, ast.GeneratorExp: ValueKind.ITERATOR,
}  # fmt: skip
Member = Fact | tuple[Any, ...]
"""What a loop gets in an iteration: a value, or several."""


@dataclass(eq=False, slots=True)
class Closure:
    """A function that is defined in the loop."""

    node: ast.FunctionDef | ast.Lambda
    frame: Frame


@dataclass(eq=False, slots=True)
class Frame:
    """Where source is evaluated: the variables of a function that is called, and the scope around it."""

    scope: Scope | None
    globals: Globals
    own: dict[str, Fact] = field(default_factory=dict)
    returned: Fact = NOTHING
    depth: int = 0
    # The frame around that of a function which is defined in the loop.
    around: Frame | None = None

    def having(self, name: str) -> dict[str, Fact] | None:
        """The variables with this name among them."""
        frame: Frame | None = self
        while frame is not None:
            if name in frame.own:
                return frame.own
            frame = frame.around
        return None


class LoopFacts:
    """The facts of one loop. ``places`` are the variables that it changes, ``function`` is the one it is in."""

    def __init__(
        self,
        statement: ast.For | ast.While,
        scope: Scope,
        globals: Globals,
        as_function: AsFunction,
        places: list[Place],
        function: ast.AST,
    ) -> None:
        self._as_function = as_function
        self._frame = Frame(scope, globals)
        self._places = {(id(holder), name): (holder, name) for holder, name in places}
        self._function = function
        self._before: dict[tuple[int, str], Fact] = {}
        self._facts: dict[tuple[int, str], Fact] = {}
        self._of_others: dict[tuple[int, str], Fact] = {}
        self._called: dict[Any, Fact] = {}
        self._closures: dict[int, Closure] = {}
        self._leaves = False
        self._statement = statement
        self._known: tuple[Any, ...] | None = None
        # Loops that have to be unrolled, and those that are around what is looked at.
        self._needed: Loops = NO_LOOPS
        self._open: Loops = _THIS

    # --- what is asked ------------------------------------------------------------------------------------------

    def kinds(self) -> dict[Place, CarriedKind]:
        """The variables whose kind after an iteration holds more than that of their value before, and that kind."""
        if not any(fact_of(scope.names.get(name, UNBOUND)).rank for scope, name in self._places.values()):
            return {}
        self._find()
        names = {rank: kind for kind, rank in RANKS.items()}
        return {
            place: CarriedKind(names[rank])  # type: ignore[arg-type]
            for key, place in self._places.items()
            if (rank := self._facts[key].rank) > self._before[key].rank > Rank.OPEN
        }

    def needs_static(self) -> bool:
        """Whether a ``for`` needs values that vary with it while the program is compiled, or changes a container."""
        self._find()
        return 0 in self._needed

    def must_be_unrolled(self, is_live: Callable[[str], bool]) -> bool:
        """Whether a ``for`` cannot be a loop of the IR. ``is_live`` says whether a name is read behind it."""
        return self._carries_what_it_cannot() or self.needs_static() or self._loses(is_live)

    def is_of_node(self) -> bool:
        """Whether the node decides how often a ``while`` runs."""
        assert isinstance(self._statement, ast.While)
        self._find()
        return self._leaves or self._fact(self._statement.test, self._frame).of_node

    def is_longer_than(self, most: int) -> bool:
        """Whether it is plain that a ``while`` runs more often: a variable is counted up or down to a number."""
        assert isinstance(self._statement, ast.While)
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
        """The integer that an expression is before the loop; None where that is not plain."""
        value = node.value if isinstance(node, ast.Constant) else None
        if isinstance(node, ast.Name):
            value = _value(node.id, self._frame)
        return value if type(value) is int else None

    # --- what goes from one iteration to the next, and behind the loop ---------------------------------------------

    def _carries_what_it_cannot(self) -> bool:
        """Whether an iteration reads what the one before has left, and nothing can carry it."""
        scope, loop = self._frame.scope, self._statement
        assert scope is not None and isinstance(loop, ast.For)
        values = frozenset[str]() if leaves(loop) else only_values(self._function)
        for name in exposed(loop.body).intersection(assigned(*loop.body)).difference(assigned(loop.target)):
            prior = scope.names.get(name, UNBOUND)
            if isinstance(prior, TracedBlock) and name in values | only_augmented(loop):
                if name in values and self._is_changed_by_another_name(prior, name):
                    return True
            elif prior is not UNBOUND and _is_not_carried(prior):
                return True
        return False

    def _is_changed_by_another_name(self, block: TracedBlock, name: str) -> bool:
        """Whether a loop does more to a block than read it, of which a name stands for the value."""
        return any(
            isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and _value(node.value.id, self._frame) is block
            for node in own_nodes(self._statement.body)
        )  # fmt: skip

    def _loses(self, is_live: Callable[[str], bool]) -> bool:
        """Whether what follows reads a variable that a loop of the IR would lose."""
        scope, loop = self._frame.scope, self._statement
        assert isinstance(loop, ast.For)
        carried = exposed(loop.body)
        members = assigned(loop.target) if isinstance(loop.target, ast.Name) else ()
        for key, (holder, name) in self._places.items():
            prior, after = holder.names.get(name, UNBOUND), self._facts[key]
            if holder is scope and name in members and name not in assigned(*loop.body):
                continue
            if holder is scope and name in carried and prior is not UNBOUND and not _is_not_carried(prior):
                continue
            if kind_of(prior) is not None and (after.is_number or not after.kinds - {ValueKind.EXPRESSION}):
                continue
            if prior is UNBOUND and key not in self._surely:
                continue
            if not after.is_constant and is_live(name):
                return True
        return False

    # --- the fixed point --------------------------------------------------------------------------------------------

    def _find(self) -> None:
        if self._known is None:
            self._begin()
        while self._known != (found := (dict(self._facts), self._needed)):
            self._known = found
            self._called.clear()
            self._iteration(self._statement)

    def _begin(self) -> None:
        """What is known of the variables when an iteration begins."""
        loop, body = self._statement, [*self._statement.body]
        read = exposed(body) | (exposed([ast.Expr(loop.test)]) if isinstance(loop, ast.While) else set())
        set_first = frozenset(assigned(*body)) - read
        for key, (scope, name) in self._places.items():
            fact = self._before[key] = fact_of(scope.names.get(name, UNBOUND))
            if scope is self._frame.scope and name in set_first:
                fact = NOTHING
            elif fact.is_number:
                fact = number(fact.rank, of=Fact(of_node=fact.of_node, loops=_THIS))
            self._facts[key] = fact
        self._surely: set[tuple[int, str]] = set()

    def _iteration(self, statement: ast.For | ast.While) -> None:
        under = Fact(loops=_THIS) if leaves(statement) and isinstance(statement, ast.For) else NOTHING
        if isinstance(statement, ast.For):
            member, _ = self._members(statement.iter, self._frame, _THIS)
            self._assign(statement.target, None, member, self._frame, under)
        else:
            self._effects(statement.test, self._frame, under)
        self._block(statement.body, self._frame, under=under, within=0)

    def _need(self, *facts: Fact) -> None:
        """Values are needed that are known: the loops they vary with are unrolled."""
        self._needed = self._needed.union(*(fact.loops for fact in facts)) & self._open

    def _need_number(self, *facts: Fact) -> None:
        """The same of what is a number, or has numbers in it."""
        self._need(*(fact for fact in facts if fact.is_varying))

    def _changed(self, fact: Fact) -> None:
        """A container is changed, or a member of an iterator is taken: the loops around that are unrolled."""
        if is_changeable(fact) or isinstance(fact.value, MemberIterator):
            self._needed |= self._open - fact.born_in

    # --- statements -------------------------------------------------------------------------------------------------

    def _block(self, body: Iterable[ast.stmt], frame: Frame, *, under: Fact, within: int) -> Fact:
        """Go through statements: what decides whether what follows them is done. ``within`` counts inner loops."""
        for statement in body:
            under = self._one(statement, frame, under, within)
        return under

    def _one(self, statement: ast.stmt, frame: Frame, under: Fact, within: int) -> Fact:
        match statement:
            case ast.FunctionDef(name=name):
                self._hold(name, self._defined(statement, frame), frame, under)
            case ast.ClassDef():
                pass
            case ast.If(test=test):
                condition = self._effects(test, frame, under)
                holds = truth_of(condition)
                if holds is not None:
                    return self._block(
                        statement.body if holds else statement.orelse, frame, under=under, within=within
                    )
                inner = deciding(condition, under)
                blocks = statement.body, statement.orelse
                left = [self._block(block, frame, under=inner, within=within) for block in blocks]
                if not (inner.of_node or inner.loops) or any(
                    map(_may_leave, (*statement.body, *statement.orelse))
                ):
                    return deciding(under, *left)
            case ast.For():
                return self._inner_loop(statement, frame, under, within)
            case ast.While(test=test):
                inner = deciding(self._effects(test, frame, under), under)
                self._carried_by(statement, inner.loops, frame, inner)
                self._block(statement.body, frame, under=inner, within=within + 1)
                return self._block(statement.orelse, frame, under=under, within=within)
            case ast.Match(subject=subject):
                inner = deciding(self._effects(subject, frame, under), under)
                for case in statement.cases:
                    if case.guard is not None:
                        self._effects(case.guard, frame, inner)
                    self._block(case.body, frame, under=inner, within=within)
            case ast.With(items=items):
                for item in items:
                    entered = self._effects(item.context_expr, frame, under)
                    if item.optional_vars is not None:
                        self._assign(item.optional_vars, None, entered, frame, under)
                return self._block(statement.body, frame, under=under, within=within)
            case ast.Try():
                under = self._block(statement.body, frame, under=under, within=within)
                return self._block(statement.finalbody, frame, under=under, within=within)
            case ast.Break():
                self._leaves |= under.of_node and not within
            case ast.Return(value=value):
                fact = NOTHING if value is None else self._effects(value, frame, under)
                frame.returned = frame.returned.joined(fact.under(under))
                self._leaves |= under.of_node and not frame.depth
                is_kept = (
                    fact.is_number
                    or not fact.kinds
                    or (fact.is_of(ValueKind.TEXT, ValueKind.TUPLE) and not fact.loops)
                )
                if not frame.depth and not is_kept and fact.value is not None:
                    self._needed |= self._open
            case ast.Assign(targets=targets, value=value):
                fact = self._effects(value, frame, under)
                for target in targets:
                    self._assign(target, value, fact, frame, under)
            case ast.AugAssign(target=target, op=op, value=value):
                read = ast.Name(target.id, ast.Load()) if isinstance(target, ast.Name) else target
                before, fact = self._fact(read, frame), self._effects(value, frame, under)
                self._changed(before)
                if needs(op, before, fact):
                    self._need(before, fact)
                self._assign(target, None, operated(before, op, fact), frame, under)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                self._assign(target, value, self._effects(value, frame, under), frame, under)
            case ast.Delete(targets=targets):
                for target in targets:
                    if isinstance(target, ast.Subscript):
                        self._store(target, frame)
            case _:
                for part in parts(statement):
                    if isinstance(part, ast.expr):
                        self._effects(part, frame, under)
        return under

    def _inner_loop(self, statement: ast.For, frame: Frame, under: Fact, within: int) -> Fact:
        iterated = self._effects(statement.iter, frame, under)
        own = frozenset((id(statement),))
        member, length = self._members(statement.iter, frame, own)
        inner, is_open = under, self._open
        if length is not None:
            self._open |= own
            self._carried_by(statement, own, frame, under)
            inner = deciding(under, Fact(of_node=True, loops=own if leaves(statement) else NO_LOOPS))
        elif not isinstance(statement.iter, ast.Tuple | ast.List):
            inner = deciding(under, Fact(of_node=True))
        is_always = length is not None and not (length.of_node or length.loops)
        self._assign(statement.target, None, member, frame, under if is_always else inner)
        self._block(statement.body, frame, under=inner, within=within + 1)
        self._open = is_open
        if length is not None and own <= self._needed:
            self._needed -= own
            self._need(length, iterated)
        return self._block(statement.orelse, frame, under=under, within=within)

    def _carried_by(self, loop: ast.For | ast.While, loops: Loops, frame: Frame, under: Fact) -> None:
        """Numbers that an inner loop carries vary with it."""
        for name in exposed(loop.body).intersection(assigned(*loop.body)):
            fact = self._named(name, frame)
            if fact.is_number and (loops or under.of_node):
                self._hold(name, number(fact.rank, of=Fact(of_node=under.of_node, loops=loops)), frame, under)

    def _assign(
        self, target: ast.expr, value: ast.expr | None, member: Member, frame: Frame, under: Fact
    ) -> None:
        match target, value:
            case ast.Name(id=name), _:
                whole = member if isinstance(member, Fact) else NOTHING.joined(*map(deciding, _flat(member)))
                self._hold(name, whole, frame, under)
            case ((ast.Tuple(elts=targets) | ast.List(elts=targets)), ast.Tuple(elts=values)) if len(
                targets
            ) == len(values):
                for part, item in zip(targets, values, strict=True):
                    self._assign(part, item, self._fact(item, frame), frame, under)
            case ((ast.Tuple(elts=targets) | ast.List(elts=targets)), _):
                members = [deciding(member)] * len(targets) if isinstance(member, Fact) else [*member]
                if (
                    isinstance(member, Fact)
                    and isinstance(member.value, list | tuple)
                    and len(member.value) == len(targets)
                ):
                    members = [fact_of(item).under(deciding(member)) for item in member.value]
                for part, inner in zip(targets, members, strict=False):
                    self._assign(part, None, inner, frame, under)
            case ast.Subscript(), _:
                self._store(target, frame)

    def _store(self, target: ast.Subscript, frame: Frame) -> None:
        """A member of a container is given a value, or deleted."""
        self._need_number(self._fact(target.slice, frame))
        self._changed(self._fact(target.value, frame))

    def _hold(self, name: str, fact: Fact, frame: Frame, under: Fact) -> None:
        own = frame.having(name)
        holder = None if own is not None else _holder(name, frame)
        facts: dict[Any, Fact] = self._facts if own is None else own
        key: Any = (id(holder), name) if own is None else name
        if key in facts:
            if own is None and not (under.of_node or under.loops):
                self._surely.add(key)
            before, after = facts[key], facts[key].joined(fact.under(under))
            if None not in (before.bounds, after.bounds) and before.bounds != after.bounds:
                after = Fact(
                    after.rank, after.of_node, after.loops, after.kinds, before.range.widened(after.range), None, after.born_in
                )  # fmt: skip
            facts[key] = after

    # --- expressions ------------------------------------------------------------------------------------------------

    def _effects(self, node: ast.expr, frame: Frame, under: Fact) -> Fact:
        """The fact of an expression, which may assign, and call functions that do."""
        for part in own_nodes((node,)):
            if isinstance(part, ast.NamedExpr):
                self._hold(part.target.id, self._fact(part.value, frame), frame, under)
            elif isinstance(part, ast.Call) and under != NOTHING:
                self._result(part, frame, under)
        return self._fact(node, frame)

    def _fact(self, node: ast.expr, frame: Frame) -> Fact:
        match node:
            case ast.Constant():
                return _of_constant(node)
            case ast.Name(id=name):
                return self._named(name, frame)
            case ast.NamedExpr(value=value):
                return self._fact(value, frame)
            case ast.Call():
                return self._result(node, frame, NOTHING)
            case ast.Lambda():
                return self._defined(node, frame)
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                self._comprehension(node, frame, is_reduced=False)
                return made(_KIND_OF[type(node)], deciding(self._content(node, frame)), self._open)
            case ast.Attribute(value=value, attr=name):
                return self._attribute(self._fact(value, frame), name)
            case ast.Subscript(value=value, slice=index):
                return self._item(
                    self._fact(value, frame), self._fact(index, frame), isinstance(index, ast.Slice)
                )
            case ast.FormattedValue(value=value):
                return self._shown(node, self._fact(value, frame))
        inner = [self._fact(part, frame) for part in parts(node) if isinstance(part, ast.expr)]
        both = NOTHING.joined(*inner)
        match node:
            case ast.Compare(ops=relations):
                for relation, first, second in zip(relations, inner, inner[1:], strict=False):
                    if is_static(SIGNS[type(relation)], first, second):
                        self._need(first, second)
                told = compared(SIGNS[type(relations[0])], *inner) if len(inner) == 2 else None
                return number(Rank.TRUTH, of=both) if told is None else fact_of(told)
            case ast.UnaryOp(op=ast.Not()):
                holds = truth_of(both)
                return number(Rank.TRUTH, of=both) if holds is None else fact_of(not holds)
            case ast.BoolOp(op=op):
                ends = [fact for fact in inner if truth_of(fact) is isinstance(op, ast.Or)]
                return ends[0] if ends else both
            case ast.IfExp():
                holds = truth_of(inner[0])
                if holds is not None:
                    return inner[1 if holds else 2]
                return inner[1].joined(inner[2]).under(deciding(inner[0]))
            case ast.UnaryOp(op=op):
                bounds = -both.range if isinstance(op, ast.USub) else both.range
                rank = max(both.rank, Rank.INDEX) if both.is_number else Rank.OPEN
                return number(rank, bounds, both) if both.is_number else deciding(both)
            case ast.BinOp(op=op):
                left_fact, right_fact = inner
                if needs(op, left_fact, right_fact):
                    self._need(left_fact, right_fact)
                return operated(left_fact, op, right_fact)
            case ast.Tuple() | ast.List():
                literal = _literal(node)
                fact = made(_KIND_OF[type(node)], deciding(both), self._open)
                return (
                    fact
                    if literal is None
                    else Fact(kinds=fact.kinds, only=Only(literal), born_in=self._open)
                )
            case ast.Set():
                self._need_number(*inner)
                return made(ValueKind.SET, deciding(both), self._open)
            case ast.Dict(keys=keys):
                self._need_number(*(self._fact(key, frame) for key in keys if key is not None))
                return made(ValueKind.DICT, deciding(both), self._open)
            case ast.JoinedStr():
                return made(
                    ValueKind.PRINTED if both.loops or both.of_node else ValueKind.TEXT, deciding(both)
                )
            case ast.Starred(value=value):
                if ValueKind.SEQUENCE in both.kinds:
                    self._need(both)
                return self._content(value, frame)
        return deciding(both)

    def _shown(self, node: ast.FormattedValue, fact: Fact) -> Fact:
        """A value in an f-string."""
        is_plain = node.format_spec is None and node.conversion in (-1, ord("s"))
        if not is_plain or not fact.is_number:
            self._need_number(fact)
        return deciding(fact)

    def _attribute(self, fact: Fact, name: str) -> Fact:
        value = fact.value
        if isinstance(value, ModuleType):
            return fact_of(getattr(value, name, UNBOUND))
        if isinstance(value, Instance):
            return fact_of(value.ttl_values.get(name, UNBOUND))
        if fact.loops and ValueKind.SEQUENCE in fact.kinds:
            self._need(fact)
        return fact_of(vars(value).get(name, UNBOUND)) if hasattr(value, "__dict__") else deciding(fact)

    def _item(self, fact: Fact, index: Fact, is_part: bool) -> Fact:
        """``value[index]``."""
        value, by = as_list(fact.value), deciding(index)
        if isinstance(value, Tensor):
            return made(ValueKind.HANDLE, index)
        if not by.loops:
            if isinstance(value, list | tuple | dict) and type(index.value) in (int, str, bool):
                try:
                    return fact_of(value[index.value]).under(deciding(fact))
                except (LookupError, TypeError):
                    return NOTHING
            return members_of(value).joined(deciding(fact)).under(by) if not is_part else fact
        if isinstance(value, list | tuple | dict):
            if not can_look_up(value):
                self._need(by)
        elif isinstance(value, str) or fact.is_of(
            ValueKind.LIST, ValueKind.TUPLE, ValueKind.DICT, ValueKind.TEXT
        ):
            self._need(by)
        if is_part:
            return made(ValueKind.SEQUENCE, by)
        return members_of(value).joined(deciding(fact)).under(by)

    def _named(self, name: str, frame: Frame) -> Fact:
        own = frame.having(name)
        if own is not None:
            return own[name]
        holder = _holder(name, frame)
        key = id(holder), name
        known = self._facts.get(key)
        if known is None:
            key = (id(frame.globals) if holder is None else id(holder)), name
            known = self._of_others.get(key)
            if known is None:
                value = _value(name, frame)
                known = self._of_others[key] = fact_of(
                    getattr(builtins, name, UNBOUND) if value is UNBOUND else value
                )
        return known

    # --- what is gone over ------------------------------------------------------------------------------------------

    def _content(self, node: ast.expr, frame: Frame) -> Fact:
        """What is known of the members of something that is gone over."""
        member, _ = self._members(node, frame, NO_LOOPS)
        return (
            member
            if isinstance(member, Fact)
            else made(ValueKind.TUPLE, NOTHING.joined(*map(deciding, _flat(member))))
        )

    def _members(self, iterated: ast.expr, frame: Frame, loop: Loops) -> tuple[Member, Fact | None]:
        """What a loop over something gets, and its length where it is a range or the like, so that it can be a loop of the IR."""
        match iterated:
            case ast.Call(func=ast.Name(id="enumerate"), args=[of, *start]):
                member, length = self._members(of, frame, loop)
                first = NOTHING.joined(*(self._fact(item, frame) for item in start))
                counted = Fact(
                    of_node=first.of_node, loops=first.loops | (loop if length is not None else NO_LOOPS)
                )
                return (number(Rank.INDEX, of=counted), member), length
            case ast.Call(func=ast.Name(id="zip"), args=[_, *_] as of):
                several = [self._members(item, frame, loop) for item in of]
                lengths = [length for _, length in several if length is not None]
                if len(lengths) < len(several):
                    several = [self._members(item, frame, NO_LOOPS) for item in of]
                    return tuple(member for member, _ in several), None
                return tuple(member for member, _ in several), NOTHING.joined(*lengths)
            case ast.Call(func=ast.Name(id="reversed"), args=[of]):
                return self._members(of, frame, loop)
            case ast.Call(func=ast.Name(id="range"), args=[_, *_] as limits):
                return self._of_range([self._fact(limit, frame) for limit in limits], loop)
            case ast.Tuple(elts=members) | ast.List(elts=members):
                facts = [
                    self._content(item.value, frame)
                    if isinstance(item, ast.Starred)
                    else self._fact(item, frame)
                    for item in members
                ]
                return NOTHING.joined(*facts), None
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp():
                return self._comprehension(iterated, frame, is_reduced=True), None
        fact = self._fact(iterated, frame)
        value = fact.value
        if isinstance(value, MemberIterator):
            self._changed(fact)
            value = value.left[0]
        if isinstance(value, range | RangeValue):
            ends = [fact_of(end) for end in (value.start, value.stop, value.step)]
            return self._of_range(ends, loop)
        if isinstance(value, Sequential) or ValueKind.SEQUENCE in fact.kinds:
            return number(Rank.INDEX, of=Fact(of_node=True, loops=fact.loops | loop)), deciding(fact)
        return members_of(value).under(deciding(fact)), None

    def _of_range(self, limits: list[Fact], loop: Loops) -> tuple[Fact, Fact]:
        first = limits[0].range if len(limits) > 1 else fact_of(0).range
        step = limits[2].value if len(limits) > 2 else 1
        ends = first | limits[min(1, len(limits) - 1)].range
        both = NOTHING.joined(*map(deciding, limits))
        if len(limits) > 2:
            self._need(limits[2])
        ends = type(ends)(ends.low, None if ends.high is None else ends.high - (step == 1))
        return number(Rank.INDEX, ends, Fact(of_node=both.of_node, loops=both.loops | loop)), both

    def _comprehension(self, node: ast.expr, frame: Frame, *, is_reduced: bool) -> Fact:
        """What is known of the members of a comprehension."""
        assert isinstance(node, _COMPREHENSIONS)
        own = Frame(frame.scope, frame.globals, depth=frame.depth, around=frame)
        under = NOTHING
        for generator in node.generators:
            member, length = self._members(generator.iter, own, NO_LOOPS)
            own.own |= dict.fromkeys(assigned(generator.target), NOTHING)
            self._assign(generator.target, None, member, own, NOTHING)
            tests = [self._fact(test, own) for test in generator.ifs]
            if not is_reduced:
                self._need(*tests, *(() if length is None else (length,)))
            under = deciding(under, *tests, *(() if length is None else (length,)))
        parts = (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,)
        if isinstance(node, ast.DictComp | ast.SetComp):
            self._need_number(self._fact(parts[0], own))
        return NOTHING.joined(*(self._fact(part, own) for part in parts)).under(under)

    # --- calls ------------------------------------------------------------------------------------------------------

    def _defined(self, node: ast.FunctionDef | ast.Lambda, frame: Frame) -> Fact:
        """A function that is defined in the loop, called by whoever gets it with what nobody knows."""
        self._entered(
            node, Frame(frame.scope, frame.globals, around=frame, depth=frame.depth + 1), [], {}, NOTHING
        )
        closure = self._closures.setdefault(id(node), Closure(node, frame))
        closure.frame = frame
        return Fact(kinds=frozenset({ValueKind.OBJECT}), only=Only(closure))

    def _result(self, node: ast.Call, frame: Frame, under: Fact) -> Fact:
        """The fact of what a function returns, of which it may do more."""
        is_reduced = (
            len(node.args) == 1 and isinstance(node.func, ast.Name) and node.func.id in call_facts.REDUCING
        )
        given = [
            self._content(argument, frame) if is_reduced else self._fact(argument, frame)
            for argument in node.args
        ]
        named = {keyword.arg: self._fact(keyword.value, frame) for keyword in node.keywords}
        everything = [*given, *named.values()]
        owner = NOTHING
        if isinstance(node.func, ast.Attribute):
            owner = self._fact(node.func.value, frame)
            if isinstance(owner.value, Instance):
                method = method_of(owner.value, node.func.attr)
                if method is not None:
                    return self._of_function(method, [owner, *given], named, frame, under)
        called = self._fact(node.func, frame)
        function = called.value
        if isinstance(function, Closure):
            inner = Frame(
                function.frame.scope, function.frame.globals, around=function.frame, depth=frame.depth + 1
            )
            return self._entered(function.node, inner, given, named, under)
        known = function if isinstance(function, UserFunction) else self._as_function(function)
        if known is not None and not isinstance(known.node, ast.AsyncFunctionDef):
            return self._of_function(known, given, named, frame, under)
        for fact in everything:
            if isinstance(fact.value, MemberIterator):
                self._changed(fact)
        if isinstance(node.func, ast.Attribute) and not isinstance(owner.value, ModuleType):
            if changes(node.func.attr):
                self._changed(owner)
            self._need(*call_facts.needed_by_method(owner, node.func.attr, given))
        else:
            self._need(
                *call_facts.needed_by(function, given, {key: fact for key, fact in named.items() if key})
            )
        return call_facts.result(function, given, deciding(owner, *everything), self._open)

    def _of_function(
        self,
        function: UserFunction,
        given: list[Fact],
        named: dict[str | None, Fact],
        frame: Frame,
        under: Fact,
    ) -> Fact:
        """What a function of the program returns."""
        for name in nonlocals(function.node).intersection(exposed(body_of(function.node))):
            holder = None if function.scope is None else function.scope.holder(name)
            if (
                holder is not None
                and (id(holder), name) in self._places
                and _is_not_carried(holder.names.get(name, UNBOUND))
            ):
                self._needed |= _THIS
        inner = Frame(function.scope, function.globals, depth=frame.depth + 1)
        return self._entered(function.node, inner, given, named, under)

    def _entered(
        self, node: Any, inner: Frame, given: list[Fact], named: dict[str | None, Fact], under: Fact
    ) -> Fact:
        """Go through a function that is called."""
        if inner.depth > _DEEPEST:
            return Fact(of_node=True)
        own = dict.fromkeys(locals_of(node), NOTHING)
        parameters = [*node.args.posonlyargs, *node.args.args]
        own |= {parameter.arg: fact for parameter, fact in zip(parameters, given, strict=False)}
        own |= {name: fact for name, fact in named.items() if name in own}
        key = (id(node), id(inner.scope), inner.around, tuple(own.items()), under, self._open)
        if key not in self._called:
            self._called[key] = NOTHING  # what it returns where it calls itself adds nothing
            inner.own, before = own, None
            while before != own:
                before = dict(own)
                self._block(body_of(node), inner, under=under, within=1)
                if not _has_loop(node):
                    break
            self._called[key] = inner.returned
        return self._called[key]


def _flat(member: Member) -> list[Fact]:
    return [member] if isinstance(member, Fact) else [fact for part in member for fact in _flat(part)]


def _is_not_carried(value: Any) -> bool:
    """Whether no loop of the IR can carry a value that it begins with."""
    if type(value) is Selected:
        return True
    return kind_of(value) is None and not isinstance(value, Poison | LoopVar) and value is not UNBOUND


def _holder(name: str, frame: Frame) -> Scope | None:
    return None if frame.scope is None else frame.scope.holder(name)


def _value(name: str, frame: Frame) -> Any:
    holder = _holder(name, frame)
    return (frame.globals.values if holder is None else holder.names).get(name, UNBOUND)


def _may_leave(statement: ast.stmt) -> bool:
    return any(isinstance(node, ast.Break | ast.Continue | ast.Return) for node in own_nodes((statement,)))


@fact_of_syntax
def _has_loop(function: ast.AST) -> bool:
    return any(isinstance(node, ast.For | ast.While) for node in own_nodes(parts(function)))


@fact_of_syntax
def _of_constant(node: ast.Constant) -> Fact:
    return fact_of(node.value)


@fact_of_syntax
def _literal(node: ast.Tuple | ast.List) -> tuple[Any, ...] | None:
    """The members of a literal of constants."""
    constants = tuple(item.value for item in node.elts if isinstance(item, ast.Constant))
    return constants if len(constants) == len(node.elts) else None
