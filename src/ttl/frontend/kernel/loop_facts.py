"""What is told of a loop before it is built: which kinds of numbers its variables hold after an iteration, and whether its course
depends on the node.

A data-flow analysis over the source of the loop and of the functions that it calls. It errs on the side of what is known before; what it
tells is made sure of by whoever builds the loop.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import IntEnum
from types import ModuleType
from typing import Any

from ttl.frontend.classes import Instance
from ttl.frontend.effects import AsFunction, Place
from ttl.frontend.kernel.carrying import LoopVar
from ttl.frontend.kernel.merging import CarriedKind, kind_of
from ttl.frontend.names import body_of, locals_of, own_nodes, parts
from ttl.frontend.values import UNBOUND, Globals, Poison, RangeValue, Scope, UserFunction, is_symbolic

# Functions that are looked into, one called by the other.
_DEEPEST = 4


class Rank(IntEnum):
    """Kinds of numbers; each can hold those before it. ``OPEN`` may be any, or no number."""

    OPEN = 0
    TRUTH = 1
    INDEX = 2
    REAL = 3


_RANKS = {"truth": Rank.TRUTH, "index": Rank.INDEX, "real": Rank.REAL}
_OF_FUNCTION = {
    bool: Rank.TRUTH, any: Rank.TRUTH, all: Rank.TRUTH, isinstance: Rank.TRUTH,
    int: Rank.INDEX, len: Rank.INDEX, round: Rank.INDEX,
    float: Rank.REAL,
}  # fmt: skip
_OF_ITS_ARGUMENTS = (max, min, abs, sum)


@dataclass(frozen=True, slots=True)
class Fact:
    """What is known of a value: the kind of number that it is, and whether the node decides what it is."""

    rank: Rank = Rank.OPEN
    of_node: bool = False

    def joined(self, *others: Fact) -> Fact:
        """What is known of one of several values."""
        all_of_them = (self, *others)
        return Fact(max(fact.rank for fact in all_of_them), any(fact.of_node for fact in all_of_them))

    def under(self, of_node: bool) -> Fact:
        """The same of a value that is given where the node decides, or not."""
        return Fact(self.rank, True) if of_node else self


_NOTHING = Fact()


@dataclass(slots=True)
class _Frame:
    """Where source is evaluated: the variables of a function that is called, and the scope around it."""

    scope: Scope | None
    globals: Globals
    own: dict[str, Fact] = field(default_factory=dict)
    returned: Fact = _NOTHING
    depth: int = 0


class LoopFacts:
    """The facts of one loop. ``places`` are the variables that it changes."""

    def __init__(
        self,
        statement: ast.For | ast.While,
        scope: Scope,
        globals: Globals,
        as_function: AsFunction,
        places: list[Place],
    ) -> None:
        self._as_function = as_function
        self._frame = _Frame(scope, globals)
        self._places = places
        self._before: dict[tuple[int, str], Fact] = {}
        self._facts: dict[tuple[int, str], Fact] = {}
        self._called: dict[Any, Fact] = {}
        self._leaves = False
        self._statement = statement
        self._known: dict[tuple[int, str], Fact] | None = None

    def kinds(self) -> dict[Place, CarriedKind]:
        """The variables whose kind after an iteration holds more than that of their value before, and that kind."""
        if not any(_rank_of(scope.names.get(name, UNBOUND)) for scope, name in self._places):
            return {}
        self._find()
        names = {rank: kind for kind, rank in _RANKS.items()}
        return {
            (scope, name): CarriedKind(names[rank])  # type: ignore[arg-type]
            for scope, name in self._places
            if (rank := self._facts[id(scope), name].rank) > self._before[id(scope), name].rank > Rank.OPEN
        }

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

    def _find(self) -> None:
        if not self._before:
            for scope, name in self._places:
                self._before[id(scope), name] = _fact_of(scope.names.get(name, UNBOUND))
            self._facts = dict(self._before)
        while self._known != self._facts:
            self._known = dict(self._facts)
            self._called.clear()
            self._iteration(self._statement)

    # --- statements -------------------------------------------------------------------------------------------

    def _iteration(self, statement: ast.For | ast.While) -> None:
        if isinstance(statement, ast.For):
            self._assign(
                statement.target, None, self._member(statement.iter, self._frame), self._frame, False
            )
        else:
            self._effects(statement.test, self._frame, False)
        self._block(statement.body, self._frame, under=False, within=0)

    def _block(self, body: Iterable[ast.stmt], frame: _Frame, *, under: bool, within: int) -> bool:
        """Go through statements: whether what follows them is done where the node decides. ``within`` counts inner loops."""
        for statement in body:
            under = self._one(statement, frame, under, within)
        return under

    def _one(self, statement: ast.stmt, frame: _Frame, under: bool, within: int) -> bool:
        match statement:
            case ast.FunctionDef() | ast.ClassDef():
                return under
            case ast.If(test=test):
                inner = self._effects(test, frame, under).of_node or under
                blocks = statement.body, statement.orelse
                left = [self._block(block, frame, under=inner, within=within) for block in blocks]
                return under or (
                    any(map(_may_leave, (*statement.body, *statement.orelse))) if inner else any(left)
                )
            case ast.For(target=target, iter=iterated):
                self._effects(iterated, frame, under)
                counted = under or not isinstance(iterated, ast.Tuple | ast.List)
                self._assign(target, None, self._member(iterated, frame), frame, counted)
                self._block(statement.body, frame, under=counted, within=within + 1)
                return self._block(statement.orelse, frame, under=under, within=within)
            case ast.While(test=test):
                inner = self._effects(test, frame, under).of_node or under
                self._block(statement.body, frame, under=inner, within=within + 1)
                return self._block(statement.orelse, frame, under=under, within=within)
            case ast.Match(subject=subject):
                inner = self._effects(subject, frame, under).of_node or under
                for case in statement.cases:
                    self._block(case.body, frame, under=inner, within=within)
                return under
            case ast.With(items=items):
                for item in items:
                    self._effects(item.context_expr, frame, under)
                return self._block(statement.body, frame, under=under, within=within)
            case ast.Try():
                under = self._block(statement.body, frame, under=under, within=within)
                return self._block(statement.finalbody, frame, under=under, within=within)
            case ast.Break():
                self._leaves |= under and not within
            case ast.Return(value=value):
                fact = _NOTHING if value is None else self._effects(value, frame, under)
                frame.returned = frame.returned.joined(fact.under(under))
                self._leaves |= under and not frame.depth
            case ast.Assign(targets=targets, value=value):
                fact = self._effects(value, frame, under)
                for target in targets:
                    self._assign(target, value, fact, frame, under)
            case ast.AugAssign(target=ast.Name(id=name), op=op, value=value):
                fact = self._effects(value, frame, under)
                self._hold(name, _operated(self._named(name, frame), op, fact), frame, under)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                self._assign(target, value, self._effects(value, frame, under), frame, under)
            case _:
                for part in parts(statement):
                    if isinstance(part, ast.expr):
                        self._effects(part, frame, under)
        return under

    def _assign(
        self, target: ast.expr, value: ast.expr | None, fact: Fact, frame: _Frame, under: bool
    ) -> None:
        match target, value:
            case ast.Name(id=name), _:
                self._hold(name, fact, frame, under)
            case ((ast.Tuple(elts=targets) | ast.List(elts=targets)), ast.Tuple(elts=values)) if len(
                targets
            ) == len(values):
                for part, item in zip(targets, values, strict=True):
                    self._assign(part, item, self._fact(item, frame), frame, under)
            case ((ast.Tuple(elts=targets) | ast.List(elts=targets)), _):
                for part in targets:
                    self._assign(part, None, Fact(Rank.OPEN, fact.of_node), frame, under)

    def _hold(self, name: str, fact: Fact, frame: _Frame, under: bool) -> None:
        if name in frame.own:
            frame.own[name] = frame.own[name].joined(fact.under(under))
            return
        key = id(_holder(name, frame)), name
        if key in self._facts:
            self._facts[key] = self._facts[key].joined(fact.under(under))

    # --- expressions ------------------------------------------------------------------------------------------

    def _effects(self, node: ast.expr, frame: _Frame, under: bool) -> Fact:
        """The fact of an expression, which may assign, and call functions that do."""
        for part in own_nodes((node,)):
            if isinstance(part, ast.NamedExpr):
                self._hold(part.target.id, self._fact(part.value, frame), frame, under)
            elif isinstance(part, ast.Call):
                self._result(part, frame, under)
        return self._fact(node, frame)

    def _fact(self, node: ast.expr, frame: _Frame) -> Fact:
        match node:
            case ast.Constant(value=value):
                return _fact_of(value)
            case ast.Name(id=name):
                return self._named(name, frame)
            case ast.NamedExpr(value=value):
                return self._fact(value, frame)
            case ast.Call():
                return self._result(node, frame, False)
            case ast.Lambda():
                return _NOTHING
        inner = [self._fact(part, frame) for part in parts(node) if isinstance(part, ast.expr)]
        both = _NOTHING.joined(*inner)
        match node:
            case ast.Compare() | ast.UnaryOp(op=ast.Not()):
                return Fact(Rank.TRUTH, both.of_node)
            case ast.BoolOp():
                return both
            case ast.IfExp(test=test, body=body, orelse=otherwise):
                of_node = self._fact(test, frame).of_node
                return self._fact(body, frame).joined(self._fact(otherwise, frame)).under(of_node)
            case ast.UnaryOp():
                return Fact(max(both.rank, Rank.INDEX) if both.rank else Rank.OPEN, both.of_node)
            case ast.BinOp(op=op):
                return _operated(inner[0], op, inner[1])
        return Fact(Rank.OPEN, both.of_node)

    def _named(self, name: str, frame: _Frame) -> Fact:
        if name in frame.own:
            return frame.own[name]
        known = self._facts.get((id(_holder(name, frame)), name))
        return _fact_of(_value(name, frame)) if known is None else known

    def _member(self, iterated: ast.expr, frame: _Frame) -> Fact:
        """What is known of what a loop goes over."""
        fact = self._fact(iterated, frame)
        match iterated:
            case ast.Call(func=ast.Name(id="range")):
                return Fact(Rank.INDEX, fact.of_node)
            case ast.Tuple(elts=members) | ast.List(elts=members):
                return _NOTHING.joined(*(self._fact(member, frame) for member in members))
            case ast.Name(id=name):
                value = _value(name, frame)
                if isinstance(value, list | tuple):
                    return _NOTHING.joined(*map(_fact_of, value))
                if isinstance(value, range | RangeValue):
                    return Fact(Rank.INDEX, fact.of_node)
        return Fact(Rank.OPEN, fact.of_node)

    def _result(self, node: ast.Call, frame: _Frame, under: bool) -> Fact:
        """The fact of what a function returns, of which it may do more."""
        given = [self._fact(argument, frame) for argument in node.args]
        named = {keyword.arg: self._fact(keyword.value, frame) for keyword in node.keywords}
        both = _NOTHING.joined(*given, *named.values())
        if not isinstance(node.func, ast.Name):
            return Fact(
                Rank.OPEN,
                both.of_node or self._fact(node.func, frame).of_node or _is_of_ttl(node.func, frame),
            )
        value = _value(node.func.id, frame)
        if value is UNBOUND:
            value = getattr(builtins, node.func.id, None)
        for known, rank in _OF_FUNCTION.items():
            if value is known:
                return Fact(rank, both.of_node)
        if any(value is known for known in _OF_ITS_ARGUMENTS):
            return both
        function = value if isinstance(value, UserFunction) else self._as_function(value)
        if function is None or isinstance(function.node, ast.AsyncFunctionDef):
            return Fact(Rank.OPEN, both.of_node)
        if frame.depth >= _DEEPEST:
            return Fact(Rank.OPEN, True)
        own = dict.fromkeys(locals_of(function.node), _NOTHING)
        parameters = [*function.node.args.posonlyargs, *function.node.args.args]
        own |= {parameter.arg: fact for parameter, fact in zip(parameters, given, strict=False)}
        own |= {name: fact for name, fact in named.items() if name in own}
        key = (id(function.node), id(function.scope), tuple(own.items()), under)
        if key not in self._called:
            self._called[key] = Fact(Rank.OPEN, False)  # what it returns where it calls itself adds nothing
            inner = _Frame(function.scope, function.globals, own, depth=frame.depth + 1)
            self._block(body_of(function.node), inner, under=under, within=1)
            self._called[key] = inner.returned
        return self._called[key]


def _fact_of(value: Any) -> Fact:
    of_node = is_symbolic(value) or isinstance(value, Poison | LoopVar)
    if isinstance(value, Instance):
        of_node = any(map(is_symbolic, value.ttl_values.values()))
    return Fact(_rank_of(value), of_node)


def _rank_of(value: Any) -> Rank:
    while isinstance(value, LoopVar):
        value = value.prior
    kind = kind_of(value)
    return (
        Rank.REAL if type(value) is float else Rank.OPEN if kind is None else _RANKS.get(kind.kind, Rank.OPEN)
    )


def _holder(name: str, frame: _Frame) -> Scope | None:
    return None if frame.scope is None else frame.scope.holder(name)


def _value(name: str, frame: _Frame) -> Any:
    holder = _holder(name, frame)
    return (frame.globals.values if holder is None else holder.names).get(name, UNBOUND)


def _is_of_ttl(function: ast.expr, frame: _Frame) -> bool:
    """Whether a function is one of the language, which may say something of the node: those of expressions do not."""
    names: list[str] = []
    while isinstance(function, ast.Attribute):
        names.append(function.attr)
        function = function.value
    if not isinstance(function, ast.Name) or names[-1:] in (["math"], ["block"]):
        return False
    module = _value(function.id, frame)
    return isinstance(module, ModuleType) and module.__name__.partition(".")[0] == "ttl"


def _may_leave(statement: ast.stmt) -> bool:
    return any(isinstance(node, ast.Break | ast.Continue | ast.Return) for node in own_nodes((statement,)))


def _operated(left: Fact, op: ast.operator, right: Fact) -> Fact:
    both = left.joined(right)
    if both.rank is Rank.OPEN or isinstance(op, ast.BitAnd | ast.BitOr | ast.BitXor):
        return both
    return Fact(Rank.REAL if isinstance(op, ast.Div) else max(both.rank, Rank.INDEX), both.of_node)
