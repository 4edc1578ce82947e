"""What kind of number a variable holds after an iteration, told before a loop is built: an integer that becomes a float, say.

A data-flow analysis over the assignments of the loop and of the functions that it calls. What it cannot tell it leaves as it is;
whoever builds the loop makes sure that the variable holds what was told.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from ttl.frontend.effects import AsFunction, Place
from ttl.frontend.kernel.merging import CarriedKind, kind_of
from ttl.frontend.names import body_of, locals_of, own_nodes
from ttl.frontend.values import UNBOUND, Globals, RangeValue, Scope, UserFunction

# Functions that are looked into, one called by the other.
_DEEPEST = 4


class _Rank(IntEnum):
    """Kinds of numbers; each can hold those before it. ``OPEN`` may be any, or no number."""

    OPEN = 0
    TRUTH = 1
    INDEX = 2
    REAL = 3


_RANKS = {"truth": _Rank.TRUTH, "index": _Rank.INDEX, "real": _Rank.REAL}
_OF_FUNCTION = {
    bool: _Rank.TRUTH, any: _Rank.TRUTH, all: _Rank.TRUTH, isinstance: _Rank.TRUTH,
    int: _Rank.INDEX, len: _Rank.INDEX, round: _Rank.INDEX,
    float: _Rank.REAL,
}  # fmt: skip
_OF_ITS_ARGUMENTS = (max, min, abs, sum)


@dataclass(slots=True)
class _Frame:
    """Where source is evaluated: the names of a function that is called, and the scope around it."""

    scope: Scope | None
    globals: Globals
    own: dict[str, _Rank] = field(default_factory=dict)


class NumberKinds:
    """The kinds of variables, as far as assignments tell them."""

    def __init__(
        self, scope: Scope, globals: Globals, as_function: AsFunction, value_of: Callable[[Any], Any]
    ) -> None:
        self._frame = _Frame(scope, globals)
        self._as_function = as_function
        # What a variable holds that stands for what another loop carries.
        self._value_of = value_of
        self._ranks: dict[tuple[int, str], _Rank] = {}

    def after(self, body: Iterable[ast.AST], places: list[Place]) -> dict[Place, CarriedKind]:
        """The variables whose kind after an iteration holds more than that of their value before, and that kind."""
        before = {(id(scope), name): self._rank(scope.names.get(name, UNBOUND)) for scope, name in places}
        if not any(before.values()):
            return {}
        self._ranks = dict(before)
        nodes, known = [*own_nodes(body)], None
        while known != self._ranks:
            known = dict(self._ranks)
            self._assignments(nodes, self._frame, 0)
        names = {rank: kind for kind, rank in _RANKS.items()}
        return {
            (scope, name): CarriedKind(names[rank])  # type: ignore[arg-type]
            for scope, name in places
            if (rank := self._ranks[id(scope), name]) > before[id(scope), name] > _Rank.OPEN
        }

    def _rank(self, value: Any) -> _Rank:
        value = self._value_of(value)
        kind = kind_of(value)
        return _Rank.REAL if type(value) is float else _RANKS.get(getattr(kind, "kind", ""), _Rank.OPEN)

    # --- statements -------------------------------------------------------------------------------------------

    def _assignments(self, nodes: list[ast.AST], frame: _Frame, depth: int) -> None:
        for node in nodes:
            match node:
                case ast.Assign(targets=targets, value=value):
                    for target in targets:
                        self._assign(target, value, frame)
                case (
                    ast.AnnAssign(target=target, value=ast.expr() as value)
                    | ast.NamedExpr(target=target, value=value)
                ):
                    self._assign(target, value, frame)
                case ast.AugAssign(target=ast.Name() as target, op=op, value=value):
                    self._assign(target, ast.BinOp(ast.Name(target.id, ast.Load()), op, value), frame)
                case ast.For(target=ast.Name(id=name), iter=iterated):
                    self._hold(name, self._member(iterated, frame), frame)
                case ast.Call() if (
                    depth < _DEEPEST and (called := self._called(node, frame, depth)) is not None
                ):
                    self._assignments(called[0], called[1], depth + 1)

    def _assign(self, target: ast.expr, value: ast.expr, frame: _Frame) -> None:
        match target, value:
            case ast.Name(id=name), _:
                self._hold(name, self._kind(value, frame), frame)
            case ast.Tuple(elts=targets), ast.Tuple(elts=values) if len(targets) == len(values):
                for part, item in zip(targets, values, strict=True):
                    self._assign(part, item, frame)

    def _hold(self, name: str, rank: _Rank, frame: _Frame) -> None:
        if name in frame.own:
            frame.own[name] = max(frame.own[name], rank)
            return
        holder = None if frame.scope is None else frame.scope.holder(name)
        key = id(holder), name
        if key in self._ranks:
            self._ranks[key] = max(self._ranks[key], rank)

    # --- expressions ------------------------------------------------------------------------------------------

    def _kind(self, node: ast.expr, frame: _Frame, depth: int = 0) -> _Rank:
        def kind(part: ast.expr) -> _Rank:
            return self._kind(part, frame, depth)

        match node:
            case ast.Constant(value=value):
                return self._rank(value)
            case ast.Name(id=name):
                return self._named(name, frame)
            case ast.NamedExpr(value=value):
                return kind(value)
            case ast.Compare() | ast.UnaryOp(op=ast.Not()):
                return _Rank.TRUTH
            case ast.BoolOp(values=values):
                return max(map(kind, values))
            case ast.IfExp(body=body, orelse=otherwise):
                return max(kind(body), kind(otherwise))
            case ast.UnaryOp(operand=operand):
                return max(kind(operand), _Rank.INDEX) if kind(operand) else _Rank.OPEN
            case ast.BinOp(left=left, op=op, right=right):
                return _operated(kind(left), op, kind(right))
            case ast.Call():
                return self._result(node, frame, depth)
        return _Rank.OPEN

    def _named(self, name: str, frame: _Frame) -> _Rank:
        if name in frame.own:
            return frame.own[name]
        holder = None if frame.scope is None else frame.scope.holder(name)
        known = self._ranks.get((id(holder), name))
        return self._rank(self._value(name, frame)) if known is None else known

    def _value(self, name: str, frame: _Frame) -> Any:
        holder = None if frame.scope is None else frame.scope.holder(name)
        return (frame.globals.values if holder is None else holder.names).get(name, UNBOUND)

    def _member(self, iterated: ast.expr, frame: _Frame) -> _Rank:
        """The kind of what a loop goes over."""
        match iterated:
            case ast.Call(func=ast.Name(id="range")):
                return _Rank.INDEX
            case ast.Tuple(elts=members) | ast.List(elts=members):
                return max((self._kind(member, frame) for member in members), default=_Rank.OPEN)
            case ast.Name(id=name):
                value = self._value(name, frame)
                if isinstance(value, list | tuple):
                    return max(map(self._rank, value), default=_Rank.OPEN)
                return _Rank.INDEX if isinstance(value, range | RangeValue) else _Rank.OPEN
        return _Rank.OPEN

    def _result(self, node: ast.Call, frame: _Frame, depth: int) -> _Rank:
        if isinstance(node.func, ast.Name):
            function = self._value(node.func.id, frame)
            if function is UNBOUND:
                function = getattr(builtins, node.func.id, None)
            for known, rank in _OF_FUNCTION.items():
                if function is known:
                    return rank
            if any(function is known for known in _OF_ITS_ARGUMENTS):
                return max((self._kind(argument, frame, depth) for argument in node.args), default=_Rank.OPEN)
        called = self._called(node, frame, depth) if depth < _DEEPEST else None
        if called is None:
            return _Rank.OPEN
        nodes, inner = called
        self._assignments(nodes, inner, _DEEPEST)
        returned = [part.value for part in nodes if isinstance(part, ast.Return) and part.value is not None]
        return max((self._kind(value, inner, depth + 1) for value in returned), default=_Rank.OPEN)

    def _called(self, node: ast.Call, frame: _Frame, depth: int) -> tuple[list[ast.AST], _Frame] | None:
        """The source of a function of the program that is called, and the kinds of its arguments."""
        if not isinstance(node.func, ast.Name):
            return None
        value = self._value(node.func.id, frame)
        function = value if isinstance(value, UserFunction) else self._as_function(value)
        if function is None or isinstance(function.node, ast.AsyncFunctionDef):
            return None
        own_names = locals_of(function.node)
        inner = _Frame(function.scope, function.globals, dict.fromkeys(own_names, _Rank.OPEN))
        parameters = [*function.node.args.posonlyargs, *function.node.args.args]
        for parameter, argument in zip(parameters, node.args, strict=False):
            inner.own[parameter.arg] = self._kind(argument, frame, depth + 1)
        for keyword in node.keywords:
            if keyword.arg in inner.own:
                inner.own[keyword.arg] = self._kind(keyword.value, frame, depth + 1)
        return [*own_nodes(body_of(function.node))], inner


def _operated(left: _Rank, op: ast.operator, right: _Rank) -> _Rank:
    if not left and not right:
        return _Rank.OPEN
    if isinstance(op, ast.Div):
        return _Rank.REAL
    if isinstance(op, ast.BitAnd | ast.BitOr | ast.BitXor):
        return max(left, right)
    return max(left, right, _Rank.INDEX)
