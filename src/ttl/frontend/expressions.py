"""Expressions: Python's own operators on what is known, the language's on the rest."""

from __future__ import annotations

import ast
import builtins
import operator
from collections.abc import Callable
from types import ModuleType
from typing import Any, ClassVar

from ttl.diag import Diagnostic, TTLError
from ttl.frontend import refusals
from ttl.frontend.control import Control, LoopVar
from ttl.frontend.objects import TracedExpr
from ttl.frontend.scalars import Condition, Ratio, Scalar, both, compare, either, negated
from ttl.frontend.stop import Lost, Poisoned, Reject, StaticNeeded, Undecided
from ttl.frontend.values import (
    UNBOUND,
    Poison,
    RangeValue,
    Scope,
    Sequential,
    Unbound,
    UserFunction,
    copied,
    is_symbolic,
    sequential,
)
from ttl.host.tensor import Tensor
from ttl.lang.block import Block

_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.MatMult: operator.matmul,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
}
_INPLACE: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.iadd,
    ast.Sub: operator.isub,
    ast.Mult: operator.imul,
    ast.Div: operator.itruediv,
    ast.FloorDiv: operator.ifloordiv,
    ast.Mod: operator.imod,
    ast.Pow: operator.ipow,
    ast.MatMult: operator.imatmul,
    ast.BitAnd: operator.iand,
    ast.BitOr: operator.ior,
    ast.BitXor: operator.ixor,
    ast.LShift: operator.ilshift,
    ast.RShift: operator.irshift,
}
_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: operator.invert,
}
_RELATION: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
}


# Numbers of a range that becomes a list, or is iterated over by a comprehension.
MOST_MEMBERS = 65_536


class Text:
    """An f-string with something in it that is known on the node only: for ``print``."""

    __slots__ = ("parts",)

    def __init__(self, parts: tuple[Any, ...]) -> None:
        self.parts = parts


class Expressions(Control):
    """Evaluation of expressions."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        # Copies of the user's containers, under the identity of what they are copies of.
        self.copies: dict[int, tuple[Any, Any]] = {}

    def explained(self, raised: Exception, function: Any) -> Diagnostic:
        """What Python raised, as a finding."""
        raise NotImplementedError

    def eval(self, node: ast.expr) -> Any:
        """The value of an expression."""
        handler = self._EXPRESSIONS.get(type(node))
        if handler is None:
            self.place = node
            what, advice = _UNSUPPORTED.get(type(node), (type(node).__name__, ""))
            raise Reject(refusals.construct(what, help=advice))
        return handler(self, node)

    # --- names ------------------------------------------------------------------------------------------------

    def _name(self, node: ast.Name) -> Any:
        scope = self.scope.holder(node.id)
        if scope is None:
            return self._global(node)
        value = scope.names.get(node.id, UNBOUND)
        if isinstance(value, Poison):
            self.place = node
            self.refuse_poison(node.id, value)
        if type(value) is Unbound:
            self.place = node
            raise Reject(
                refusals.raises(
                    "UnboundLocalError",
                    f"{node.id} has no value here",
                    help="assign it before, on every path",
                )
            )
        if type(value) is LoopVar:
            self.place = node
            return self.carried(scope, node.id, value)
        return self._sound(value)

    def _sound(self, value: Any) -> Any:
        """A value, unless it is a container of which it is not known any more what is in it."""
        if self.spoiled and id(value) in self.spoiled:
            raise Poisoned
        return value

    def refuse_poison(self, name: str, value: Poison) -> None:
        """A name is used whose value is not to be had."""
        if value.reported:
            raise Poisoned
        if value.statement in self.open_statements:
            assert value.statement is not None
            raise Lost(value.statement)
        raise Reject(refusals.not_known_here(name, value.reason))

    def _global(self, node: ast.Name) -> Any:
        values = self.globals.values
        if node.id in values:
            return self.captured(values[node.id], node)
        found = getattr(builtins, node.id, UNBOUND)
        if found is UNBOUND:
            self.place = node
            raise Reject(refusals.raises("NameError", f"name {node.id} is not defined"))
        return found

    def captured(self, value: Any, node: ast.AST) -> Any:
        """A value from outside the operation, fit for evaluation: containers are copied, nothing of the user's changes."""
        if isinstance(value, Poison):
            self.place = node
            self.refuse_poison(getattr(node, "id", "this"), value)
        if type(value) in (list, dict, set):
            known = self.copies.get(id(value))
            if known is None:
                known = self.copies[id(value)] = (value, copied(value))
            return self._sound(known[1])
        return value

    # --- literals ---------------------------------------------------------------------------------------------

    def _constant(self, node: ast.Constant) -> Any:
        return node.value

    def _tuple(self, node: ast.Tuple) -> Any:
        return tuple(self._members_of(node.elts))

    def _list(self, node: ast.List) -> Any:
        return self.born(self._members_of(node.elts))

    def _set(self, node: ast.Set) -> Any:
        return self.born(self.python(set, self._members_of(node.elts)))

    def _members_of(self, nodes: list[ast.expr]) -> list[Any]:
        values: list[Any] = []
        for node in nodes:
            if isinstance(node, ast.Starred):
                values.extend(self.members(self.eval(node.value), node))
            else:
                values.append(self.eval(node))
        return values

    def _dict(self, node: ast.Dict) -> Any:
        made: dict[Any, Any] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                made.update(self.eval(value))
            else:
                made[self._hashable(self.eval(key), key)] = self.eval(value)
        return self.born(made)

    def _hashable(self, value: Any, node: ast.AST) -> Any:
        self.place = node
        if is_symbolic(value):
            raise StaticNeeded(_loops_of(value), "a key of a Python dictionary")
        return value

    def _joined(self, node: ast.JoinedStr) -> Any:
        parts: list[Any] = []
        known = True
        for each in node.values:
            if isinstance(each, ast.Constant):
                parts.append(each.value)
                continue
            assert isinstance(each, ast.FormattedValue)
            value = self.eval(each.value)
            if isinstance(value, Scalar | Condition | Ratio | TracedExpr | Block | Tensor):
                known = False
                parts.append(value)
                continue
            spec = "" if each.format_spec is None else self.eval(each.format_spec)
            self.place = each
            if each.conversion in (ord("r"), ord("a")):
                value = self.python(repr, value)
            elif each.conversion == ord("s"):
                value = self.python(str, value)
            parts.append(self.python(format, value, spec))
        return "".join(parts) if known else Text(tuple(parts))

    def _lambda(self, node: ast.Lambda) -> UserFunction:
        return self._function(node)

    def _function(self, node: ast.FunctionDef | ast.Lambda) -> UserFunction:
        arguments = node.args
        return UserFunction(
            node,
            self.file,
            self.scope,
            self.globals,
            tuple(self.eval(each) for each in arguments.defaults),
            {
                each.arg: self.eval(default)
                for each, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
                if default is not None
            },
        )

    # --- operators --------------------------------------------------------------------------------------------

    def _binary(self, node: ast.BinOp) -> Any:
        left, right = self.eval(node.left), self.eval(node.right)
        self.place = node
        return self.python(_BINARY[type(node.op)], left, right)

    def inplace(self, node: ast.AugAssign, current: Any, value: Any) -> Any:
        """The result of ``current += value``."""
        self.place = node
        if isinstance(current, list | dict | set):
            self.require_mutable(current)
        return self.python(_INPLACE[type(node.op)], current, value)

    def _unary(self, node: ast.UnaryOp) -> Any:
        value = self.eval(node.operand)
        self.place = node
        if isinstance(node.op, ast.Not):
            return negated(self.truth(value))
        return self.python(_UNARY[type(node.op)], value)

    def truth(self, value: Any) -> Any:
        """A value as a condition: a Python truth value, or one known on the node."""
        if isinstance(value, Condition | bool):
            return value
        if isinstance(value, Scalar):
            return compare("ne", value, 0)
        if isinstance(value, Sequential):
            return self.truth(value.length)
        return self.python(bool, value)

    def _bool(self, node: ast.BoolOp) -> Any:
        is_and = isinstance(node.op, ast.And)
        result: Any = None
        for position, each in enumerate(node.values):
            value = self.eval(each)
            if result is not None:
                value = (both if is_and else either)(result, self.truth(value))
            self.place = node
            truth = self.truth(value)
            if isinstance(truth, Condition):
                result = truth
                continue
            if truth is not is_and or position == len(node.values) - 1:
                return value if result is None else truth
        return result

    def _compare(self, node: ast.Compare) -> Any:
        left = self.eval(node.left)
        result: Any = True
        for relation, operand in zip(node.ops, node.comparators, strict=True):
            right = self.eval(operand)
            self.place = node
            one = self._related(relation, left, right)
            result = one if result is True else both(self.truth(result), self.truth(one))
            if result is False:
                return False
            left = right
        return result

    def _related(self, relation: ast.cmpop, left: Any, right: Any) -> Any:
        if isinstance(relation, ast.In | ast.NotIn):
            found = self._contains(right, left)
            return negated(found) if isinstance(relation, ast.NotIn) else found
        if isinstance(relation, ast.Eq | ast.NotEq) and (is_symbolic(left) or is_symbolic(right)):
            for kind in (tuple, list):
                if isinstance(left, kind) and isinstance(right, kind):
                    equal = self._all_equal(left, right)
                    return equal if isinstance(relation, ast.Eq) else negated(equal)
        return self.python(_RELATION[type(relation)], left, right)

    def _all_equal(self, left: Any, right: Any) -> Any:
        equal: Any = len(left) == len(right)
        for one, other in zip(left, right, strict=False):
            if equal is False:
                return False
            equal = both(equal, self.truth(self._related(ast.Eq(), one, other)))
        return equal

    def _contains(self, container: Any, value: Any) -> Any:
        ranged = sequential(container)
        if (
            ranged is not None
            and isinstance(ranged, RangeValue)
            and (isinstance(value, Scalar) or not isinstance(container, range))
        ):
            low, high = (
                (ranged.start, ranged.stop) if ranged.step > 0 else (ranged.stop + 1, ranged.start + 1)
            )
            inside = both(self.truth(value >= low), self.truth(value < high))
            if abs(ranged.step) == 1:
                return inside
            return both(inside, self.truth((value - ranged.start) % abs(ranged.step) == 0))
        if isinstance(container, tuple | list | set | frozenset) and (
            is_symbolic(value) or any(is_symbolic(each) for each in container)
        ):
            found: Any = False
            for each in container:
                found = either(found, self.truth(self._related(ast.Eq(), value, each)))
            return found
        return self.python(operator.contains, container, value)

    def _if_expression(self, node: ast.IfExp) -> Any:
        if node in self.decided:
            return self.eval(node.body if self.decided[node] else node.orelse)
        self.place = node.test
        condition = self.truth(self.eval(node.test))
        if not isinstance(condition, Condition):
            return self.eval(node.body if condition else node.orelse)
        self.place = node
        return self.chosen(condition, lambda: self.eval(node.body), lambda: self.eval(node.orelse), node)

    def _named(self, node: ast.NamedExpr) -> Any:
        value = self.eval(node.value)
        self.assign(node.target, value)
        return value

    # --- parts ------------------------------------------------------------------------------------------------

    def _attribute(self, node: ast.Attribute) -> Any:
        value = self.eval(node.value)
        self.place = node
        if isinstance(value, ModuleType):
            return self.captured(self.python(getattr, value, node.attr), node)
        return self.attribute(value, node.attr)

    def attribute(self, value: Any, name: str) -> Any:
        """``value.name``."""
        return self.python(getattr, value, name)

    def _subscript(self, node: ast.Subscript) -> Any:
        value = self.eval(node.value)
        index = self.eval(node.slice)
        self.place = node
        return self.item(value, index)

    def item(self, value: Any, index: Any) -> Any:
        """``value[index]``."""
        if isinstance(value, list | tuple | str | dict | range):
            if isinstance(index, Scalar | Condition | Ratio):
                if isinstance(value, range) and isinstance(index, Scalar):
                    return value.start + index * value.step
                if isinstance(value, list | tuple) and isinstance(index, Scalar) and _is_table(value, index):
                    return self.builder.chosen(value, index)
                raise StaticNeeded(
                    getattr(index, "loops", frozenset()), f"an index of a Python {type(value).__name__}"
                )
            if isinstance(value, dict):
                self._hashable(index, self.place)
            return self.python(operator.getitem, value, index)
        if isinstance(value, Sequential):
            return self._member_at(value, index)
        if isinstance(value, Tensor):
            return self.python(self.tracer.slice, value, index)
        return self.python(operator.getitem, value, index)

    def _member_at(self, value: Sequential, index: Any) -> Any:
        if not isinstance(index, Scalar):
            if not isinstance(index, int):
                return self.python(operator.getitem, (), index)
            return value.at(value.length + index if index < 0 else index)
        low = index.bounds[0]
        if low is None or low < 0:
            raise StaticNeeded(index.loops, "an index that may be negative")
        return value.at(index)

    def _slice(self, node: ast.Slice) -> Any:
        parts = (None if part is None else self.eval(part) for part in (node.lower, node.upper, node.step))
        return slice(*parts)

    # --- comprehensions ---------------------------------------------------------------------------------------

    def _list_comprehension(self, node: ast.ListComp) -> Any:
        return self.born(self._collected(node, lambda: self.eval(node.elt)))

    def _set_comprehension(self, node: ast.SetComp) -> Any:
        return self.born(self.python(set, self._collected(node, lambda: self.eval(node.elt))))

    def _generator(self, node: ast.GeneratorExp) -> Any:
        return self.born(self._collected(node, lambda: self.eval(node.elt)))

    def _dict_comprehension(self, node: ast.DictComp) -> Any:
        pairs = self._collected(
            node, lambda: (self._hashable(self.eval(node.key), node.key), self.eval(node.value))
        )
        return self.born(dict(pairs))

    def _collected(
        self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp, member: Callable[[], Any]
    ) -> list[Any]:
        found: list[Any] = []
        names = frozenset(
            each.id
            for part in node.generators
            for each in ast.walk(part.target)
            if isinstance(each, ast.Name)
        )

        def collect(depth: int) -> None:
            if depth == len(node.generators):
                found.append(member())
                return
            part = node.generators[depth]
            for value in self.members(self.eval(part.iter), part.iter):
                self.step()
                self.assign(part.target, value)
                if all(self._decided(test) for test in part.ifs):
                    collect(depth + 1)

        with self.within(Scope(self.scope, names), self.file, self.globals, self.chain):
            self.place = node
            collect(0)
        return found

    def _decided(self, test: ast.expr) -> bool:
        truth = self.truth(self.eval(test))
        if isinstance(truth, Condition):
            self.place = test
            raise StaticNeeded(truth.loops, "the condition of a comprehension")
        return bool(truth)

    def members(self, value: Any, node: ast.AST) -> list[Any]:
        """The members of something that is iterated over while the program is compiled."""
        ranged = sequential(value)
        if ranged is not None:
            if not isinstance(ranged.length, int):
                self.place = node
                raise StaticNeeded(ranged.length.loops, "the length of a range")
            if ranged.length > MOST_MEMBERS:
                self.place = node
                raise Reject(
                    refusals.too_large(
                        f"a range of {ranged.length} numbers would have to be written out",
                        help="loop over it with for, in a kernel",
                    )
                )
            return [ranged.at(position) for position in range(ranged.length)]
        self.place = node
        if isinstance(value, Scalar | Condition | Ratio):
            raise Reject(refusals.raises("TypeError", "a number cannot be iterated over"))
        if isinstance(value, Tensor | Block):
            return list(self.python(list, value))
        if isinstance(value, tuple | list | dict | set | frozenset | str | range):
            return list(value)
        if hasattr(type(value), "__iter__") and not isinstance(value, UserFunction):
            return list(self.python(list, value))
        return list(self.python(iter, value))

    # --- Python itself ----------------------------------------------------------------------------------------

    def python(self, function: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
        """Apply a function of Python, or of the language, to values; what it raises is a finding."""
        if any(type(each) is Text for each in arguments):
            raise Reject(refusals.must_be_known("the text of a block, buffer or number"))
        try:
            result = function(*arguments, **keywords)
        except (Reject, StaticNeeded, Lost, Undecided, Poisoned, TTLError):
            raise
        except Exception as raised:
            raise Reject(self.explained(raised, function)) from None
        if isinstance(result, Poison):  # out of a container or an object of host code
            raise Poisoned
        return result

    _EXPRESSIONS: ClassVar[dict[type[ast.expr], Callable[[Any, Any], Any]]] = {
        ast.Name: _name,
        ast.Constant: _constant,
        ast.Tuple: _tuple,
        ast.List: _list,
        ast.Set: _set,
        ast.Dict: _dict,
        ast.JoinedStr: _joined,
        ast.Lambda: _lambda,
        ast.BinOp: _binary,
        ast.UnaryOp: _unary,
        ast.BoolOp: _bool,
        ast.Compare: _compare,
        ast.IfExp: _if_expression,
        ast.NamedExpr: _named,
        ast.Attribute: _attribute,
        ast.Subscript: _subscript,
        ast.Slice: _slice,
        ast.ListComp: _list_comprehension,
        ast.SetComp: _set_comprehension,
        ast.GeneratorExp: _generator,
        ast.DictComp: _dict_comprehension,
    }


_UNSUPPORTED: dict[type[ast.expr], tuple[str, str]] = {
    ast.Await: ("await", "kernels wait for one another through buffers, pipes and semaphores"),
    ast.Yield: ("yield", "return a list, or loop where the values are used"),
    ast.YieldFrom: ("yield from", "return a list, or loop where the values are used"),
}


def _is_table(members: list[Any] | tuple[Any, ...], index: Scalar) -> bool:
    """Whether a member can be chosen on the node: integers all, and the index is one of theirs."""
    low, high = index.bounds
    return (
        not index.loops
        and low is not None
        and high is not None
        and 0 <= low <= high < len(members)
        and all(isinstance(each, int | Scalar) and not isinstance(each, bool) for each in members)
    )


def _loops_of(value: Any) -> frozenset[int]:
    """The loops that a value, or anything in it, varies with."""
    if isinstance(value, tuple | list):
        return frozenset().union(*(_loops_of(each) for each in value))
    loops: frozenset[int] = getattr(value, "loops", frozenset())
    return loops
