"""Facts about the expressions in a loop before it is built, and the values that have to be known during compilation."""

from __future__ import annotations

import ast
from abc import abstractmethod
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

from ttl.frontend.classes import Instance
from ttl.frontend.kernel import call_facts
from ttl.frontend.kernel.iterators import MemberIterator
from ttl.frontend.kernel.kinds import ValueKind
from ttl.frontend.kernel.tables import as_list, can_look_up
from ttl.frontend.kernel.value_facts import (
    NO_LOOPS,
    NOTHING,
    Fact,
    KnownObject,
    Loops,
    Rank,
    compared,
    deciding,
    fact_of,
    is_static,
    made,
    members_of,
    needs,
    number,
    operated,
    truth_of,
)
from ttl.frontend.kernel.variable_facts import Closure, Frame, VariableFacts
from ttl.frontend.mutable import changes
from ttl.frontend.operators import SIGNS
from ttl.frontend.special_methods import method_of
from ttl.frontend.values import UNBOUND, RangeValue, Sequential, UserFunction
from ttl.host.tensor import Tensor
from ttl.source.facts import fact_of_syntax
from ttl.source.scopes import assigned, body_of, locals_of, own_nodes, parts

# The most nested calls of functions that are followed.
_DEEPEST = 6
Member = Fact | tuple[Any, ...]
"""The fact about a loop's member in an iteration: one value, or several."""


class ExpressionFacts(VariableFacts):
    """The facts of expressions. Subclasses go through statements."""

    @abstractmethod
    def block(self, body: list[ast.stmt], *, within: int) -> None:
        """Go through statements. ``within`` counts inner loops."""

    @abstractmethod
    def enters(self, function: UserFunction) -> None:
        """Handle a call of a function of the program."""

    def assign(self, target: ast.expr, value: ast.expr | None, member: Member) -> None:
        """Assign a fact to a target; ``value`` is the source of the value, if the target unpacks it."""
        match target:
            case ast.Name(id=name):
                self.hold(
                    name,
                    member if isinstance(member, Fact) else made(ValueKind.TUPLE, deciding(*_flat(member))),
                )
            case ast.Tuple(elts=targets) | ast.List(elts=targets):
                members: list[Member] = [deciding(*_flat(member))] * len(targets)
                if isinstance(member, tuple):
                    members = [*member]
                elif isinstance(value, ast.Tuple) and len(value.elts) == len(targets):
                    members = [self.fact(item) for item in value.elts]
                elif isinstance(member.value, list | tuple) and len(member.value) == len(targets):
                    members = [fact_of(item).under(deciding(member)) for item in member.value]
                for part, inner in zip(targets, members, strict=False):
                    self.assign(part, None, inner)
            case ast.Subscript(value=holder, slice=index):
                bounds = parts(index) if isinstance(index, ast.Slice) else [index]
                self.need_numbers(*[self.fact(part) for part in bounds if isinstance(part, ast.expr)])
                self.changed(self.fact(holder))

    # --- expressions ------------------------------------------------------------------------------------------------

    def fact(self, node: ast.expr) -> Fact:
        """Return the fact about the value of an expression, which may assign names and call functions that do."""
        handler = _HANDLERS.get(type(node))
        return self._parts(node) if handler is None else handler(self, node)

    def _parts(self, node: ast.AST) -> Fact:
        return deciding(*[self.fact(part) for part in parts(node) if isinstance(part, ast.expr)])

    def _constant(self, node: ast.Constant) -> Fact:
        return _of_constant(node)

    def _name(self, node: ast.Name) -> Fact:
        return self.named(node.id)

    def _walrus(self, node: ast.NamedExpr) -> Fact:
        fact = self.fact(node.value)
        self.hold(node.target.id, fact)
        return fact

    def _compare(self, node: ast.Compare) -> Fact:
        facts = [self.fact(part) for part in (node.left, *node.comparators)]
        for relation, first, second in zip(node.ops, facts, facts[1:], strict=False):
            if is_static(SIGNS[type(relation)], first, second):
                self.need(first, second)
        told = compared(SIGNS[type(node.ops[0])], *facts) if len(facts) == 2 else None
        return number(Rank.TRUTH, of=deciding(*facts)) if told is None else fact_of(told)

    def _unary(self, node: ast.UnaryOp) -> Fact:
        fact = self.fact(node.operand)
        if isinstance(node.op, ast.Not):
            holds = truth_of(fact)
            return number(Rank.TRUTH, of=fact) if holds is None else fact_of(not holds)
        if not fact.is_number:
            return Fact(fact.rank, fact.of_node, fact.loops, fact.kinds)
        return number(
            max(fact.rank, Rank.INDEX), -fact.range if isinstance(node.op, ast.USub) else fact.range, fact
        )

    def _bool(self, node: ast.BoolOp) -> Fact:
        facts = [self.fact(part) for part in node.values]
        ends = [fact for fact in facts if truth_of(fact) is isinstance(node.op, ast.Or)]
        return ends[0] if ends else facts[0].joined(*facts[1:]).under(deciding(*facts[:-1]))

    def _conditional(self, node: ast.IfExp) -> Fact:
        test = self.fact(node.test)
        holds = truth_of(test)
        if holds is not None:
            return self.fact(node.body if holds else node.orelse)
        return self.fact(node.body).joined(self.fact(node.orelse)).under(deciding(test))

    def _binary(self, node: ast.BinOp) -> Fact:
        return self.operated(self.fact(node.left), node.op, self.fact(node.right))

    def operated(self, left: Fact, how: ast.operator, right: Fact) -> Fact:
        """Return the fact about the result of an operator."""
        if needs(how, left, right):
            self.need(left, right)
        return operated(left, how, right)

    def _display(self, node: ast.Tuple | ast.List) -> Fact:
        kind = ValueKind.TUPLE if isinstance(node, ast.Tuple) else ValueKind.LIST
        literal = _literal(node)
        if literal is not None:
            return Fact(kinds=frozenset((kind,)), only=KnownObject(literal), born_in=self._open)
        return made(kind, self._parts(node), self._open)

    def _set(self, node: ast.Set) -> Fact:
        facts = [self.fact(part) for part in node.elts]
        self.need_numbers(*facts)
        return made(ValueKind.SET, deciding(*facts), self._open)

    def _dict(self, node: ast.Dict) -> Fact:
        keys = [self.fact(key) for key in node.keys if key is not None]
        self.need_numbers(*keys)
        return made(ValueKind.DICT, deciding(*keys, *(self.fact(value) for value in node.values)), self._open)

    def _text(self, node: ast.JoinedStr) -> Fact:
        both = self._parts(node)
        return made(ValueKind.TEXT if both is NOTHING else ValueKind.PRINTED, both)

    def _shown(self, node: ast.FormattedValue) -> Fact:
        fact = self.fact(node.value)
        if node.format_spec is not None or node.conversion not in (-1, ord("s")) or not fact.is_number:
            self.need_numbers(fact)
        return deciding(fact)

    def _starred(self, node: ast.Starred) -> Fact:
        member, length = self.members(node.value, NO_LOOPS)
        if length is not None:
            self.need(length)
        return deciding(*_flat(member))

    def _attribute(self, node: ast.Attribute) -> Fact:
        return self._attribute_of(self.fact(node.value), node.attr)

    def _attribute_of(self, fact: Fact, name: str) -> Fact:
        value = fact.value
        if isinstance(value, ModuleType):
            return fact_of(getattr(value, name, UNBOUND))
        if isinstance(value, Instance):
            return fact_of(value.ttl_values.get(name, UNBOUND))
        if ValueKind.SEQUENCE in fact.kinds:
            self.need(fact)
        return fact_of(vars(value).get(name, UNBOUND)) if hasattr(value, "__dict__") else deciding(fact)

    def _item(self, node: ast.Subscript) -> Fact:
        fact, index, is_part = self.fact(node.value), self.fact(node.slice), isinstance(node.slice, ast.Slice)
        if isinstance(fact.value, Tensor):
            return made(ValueKind.HANDLE, deciding(index))
        value, by = as_list(fact.value), deciding(index)
        if by.loops:
            is_known = isinstance(value, list | tuple | dict)
            if not can_look_up(value) if is_known else fact.is_of(*_INDEXED):
                self.need(by)
        elif isinstance(value, list | tuple | dict) and type(index.value) in (int, str, bool):
            try:
                return fact_of(value[index.value]).under(deciding(fact))
            except (LookupError, TypeError):
                return NOTHING
        if is_part:
            return made(ValueKind.SEQUENCE, by) if by.loops else fact
        return members_of(value).joined(deciding(fact)).under(by)

    # --- iterables --------------------------------------------------------------------------------------------------

    def content(self, node: ast.expr) -> Fact:
        """Return the fact about the members of an iterable."""
        member, _ = self.members(node, NO_LOOPS)
        return member if isinstance(member, Fact) else made(ValueKind.TUPLE, deciding(*_flat(member)))

    def members(self, node: ast.expr, loop: Loops) -> tuple[Member, Fact | None]:
        """Return the fact about the members of a loop.

        The second result is the fact about its length if it is a range or the like, so that it can be a loop of the IR;
        else None.
        """
        match node:
            case ast.Call(func=ast.Name(id="enumerate"), args=[of, *start]):
                member, length = self.members(of, loop)
                counted = deciding(*map(self.fact, start), Fact(loops=NO_LOOPS if length is None else loop))
                return (number(Rank.INDEX, of=counted), member), length
            case ast.Call(func=ast.Name(id="zip"), args=[_, *_] as of):
                several = [self.members(item, loop) for item in of]
                lengths = [length for _, length in several if length is not None]
                if len(lengths) == len(several):
                    return tuple(member for member, _ in several), NOTHING.joined(*lengths)
                return tuple(self.members(item, NO_LOOPS)[0] for item in of), None
            case ast.Call(func=ast.Name(id="reversed"), args=[of]):
                return self.members(of, loop)
            case ast.Call(func=ast.Name(id="range"), args=[_, *_] as limits):
                return self._of_range([self.fact(limit) for limit in limits], loop)
            case ast.Tuple(elts=items) | ast.List(elts=items):
                inner = [
                    self.content(item.value) if isinstance(item, ast.Starred) else self.fact(item)
                    for item in items
                ]
                return NOTHING.joined(*inner), None
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp():
                return self._comprehension(node, is_reduced=True), None
        fact = self.fact(node)
        value = fact.value
        if isinstance(value, MemberIterator):
            self.changed(fact)
            value = value.source
        if isinstance(value, range | RangeValue):
            return self._of_range([fact_of(end) for end in (value.start, value.stop, value.step)], loop)
        if isinstance(value, Sequential) or ValueKind.SEQUENCE in fact.kinds:
            return number(Rank.INDEX, of=Fact(of_node=True, loops=fact.loops | loop)), deciding(fact)
        return members_of(value).under(deciding(fact)), None

    def _of_range(self, limits: list[Fact], loop: Loops) -> tuple[Fact, Fact]:
        both = deciding(*limits)
        first, last = limits[0].range, limits[min(1, len(limits) - 1)].range
        if len(limits) > 2:
            self.need(limits[2])
        bounds = last | (first if len(limits) > 1 else fact_of(0).range)
        return number(Rank.INDEX, bounds, Fact(of_node=both.of_node, loops=both.loops | loop)), both

    def _comprehension(self, node: Any, *, is_reduced: bool = False) -> Fact:
        """Return the fact about the members of a comprehension; ``is_reduced``: conditions in it may depend on the node."""
        outer = self._frame
        self._frame = inner = Frame(outer.scope, outer.globals, depth=outer.depth, around=outer)
        under = NOTHING
        for generator in node.generators:
            member, length = self.members(generator.iter, NO_LOOPS)
            inner.own |= dict.fromkeys(assigned(generator.target), NOTHING)
            self.assign(generator.target, None, member)
            open_ends = [self.fact(test) for test in generator.ifs] + ([] if length is None else [length])
            if not is_reduced:
                self.need(*open_ends)
            under = deciding(under, *open_ends)
        if isinstance(node, ast.DictComp):
            self.need_numbers(self.fact(node.key))
        fact = self.fact(node.value if isinstance(node, ast.DictComp) else node.elt).under(under)
        if isinstance(node, ast.SetComp):
            self.need_numbers(fact)
        self._frame = outer
        return fact

    def _collected(self, node: ast.expr) -> Fact:
        return made(_COMPREHENSIONS[type(node)], deciding(self._comprehension(node)), self._open)

    # --- calls ------------------------------------------------------------------------------------------------------

    def defined(self, node: ast.FunctionDef | ast.Lambda) -> Fact:
        """Return the fact about a function that is defined in the loop."""
        closure = self._closures.setdefault(id(node), Closure(node, self._frame))
        closure.frame = self._frame
        return Fact(kinds=frozenset((ValueKind.OBJECT,)), only=KnownObject(closure))

    def _call(self, node: ast.Call) -> Fact:
        """Return the fact about a call's result, and go through the called function, which may have effects."""
        is_reduced = (
            len(node.args) == 1 and isinstance(node.func, ast.Name) and node.func.id in call_facts.REDUCING
        )
        given = [self.content(part) if is_reduced else self.fact(part) for part in node.args]
        named = {keyword.arg: self.fact(keyword.value) for keyword in node.keywords}
        owner = NOTHING
        if isinstance(node.func, ast.Attribute):
            owner = self.fact(node.func.value)
            method = method_of(owner.value, node.func.attr) if isinstance(owner.value, Instance) else None
            if method is not None:
                return self._applied(method, [owner, *given], named) or NOTHING
            function = self._attribute_of(owner, node.func.attr).value
        else:
            function = self.fact(node.func).value
        result = self._applied(function, given, named)
        if result is not None:
            return result
        everything = [*given, *named.values()]
        for (
            fact
        ) in everything:  # passed functions may be called with unknown values, and members of iterators taken
            self._applied(fact.value, [], {})
            if isinstance(fact.value, MemberIterator):
                self.changed(fact)
        if isinstance(node.func, ast.Attribute) and not isinstance(owner.value, ModuleType):
            if changes(node.func.attr):
                self.changed(owner)
            self.need(*call_facts.needed_by_method(owner, node.func.attr, given))
        else:
            self.need(*call_facts.needed_by(function, given, named))
        return call_facts.result(function, given, deciding(owner, *everything), self._open)

    def _applied(self, function: Any, given: list[Fact], named: Mapping[str | None, Fact]) -> Fact | None:
        """Return the fact about the result of a function of the program; None for any other function."""
        depth = self._frame.depth + 1
        if isinstance(function, Closure):
            around = function.frame
            return self._entered(
                function.node, Frame(around.scope, around.globals, around=around, depth=depth), given, named
            )
        if function is UNBOUND or isinstance(function, ModuleType):
            return None
        known = function if isinstance(function, UserFunction) else self._as_function(function)
        if known is None or isinstance(known.node, ast.AsyncFunctionDef):
            return None
        self.enters(known)
        return self._entered(known.node, Frame(known.scope, known.globals, depth=depth), given, named)

    def _entered(self, node: Any, inner: Frame, given: list[Fact], named: Mapping[str | None, Fact]) -> Fact:
        """Go through a called function, and return the fact about its result."""
        if inner.depth > _DEEPEST:
            return Fact(of_node=True)
        own = dict.fromkeys(locals_of(node), NOTHING)
        parameters = [*node.args.posonlyargs, *node.args.args]
        own |= {parameter.arg: fact for parameter, fact in zip(parameters, given, strict=False)}
        own |= {name: fact for name, fact in named.items() if name in own}
        key = (id(node), id(inner.scope), inner.around, tuple(own.items()), self._under, self._open)
        if key in self._called:
            return self._called[key]
        self._called[key] = NOTHING  # the result of a recursive call adds nothing
        outer, under = self._frame, self._under
        self._frame, inner.own = inner, own
        before = None
        while before != own:
            before = dict(own)
            self._under = under
            self.block(body_of(node), within=1)
            if not _has_loop(node):
                break
        self._frame, self._under = outer, under
        self._called[key] = inner.returned
        return inner.returned


_Handler = Callable[[ExpressionFacts, Any], Fact]
_INDEXED = (ValueKind.LIST, ValueKind.TUPLE, ValueKind.DICT, ValueKind.TEXT)
_COMPREHENSIONS: Mapping[type, ValueKind] = {
    ast.ListComp: ValueKind.LIST, ast.SetComp: ValueKind.SET, ast.DictComp: ValueKind.DICT, ast.GeneratorExp: ValueKind.ITERATOR,
}  # fmt: skip
_HANDLERS: Mapping[type, _Handler] = {
    ast.Constant: ExpressionFacts._constant, ast.Name: ExpressionFacts._name, ast.NamedExpr: ExpressionFacts._walrus,
    ast.Compare: ExpressionFacts._compare, ast.UnaryOp: ExpressionFacts._unary, ast.BoolOp: ExpressionFacts._bool,
    ast.IfExp: ExpressionFacts._conditional, ast.BinOp: ExpressionFacts._binary, ast.Tuple: ExpressionFacts._display,
    ast.List: ExpressionFacts._display, ast.Set: ExpressionFacts._set, ast.Dict: ExpressionFacts._dict, ast.JoinedStr: ExpressionFacts._text,
    ast.FormattedValue: ExpressionFacts._shown, ast.Starred: ExpressionFacts._starred, ast.Attribute: ExpressionFacts._attribute,
    ast.Subscript: ExpressionFacts._item, ast.Call: ExpressionFacts._call, ast.Lambda: ExpressionFacts.defined,
    **dict.fromkeys(_COMPREHENSIONS, ExpressionFacts._collected),
}  # fmt: skip


def _flat(member: Member) -> list[Fact]:
    return [member] if isinstance(member, Fact) else [fact for part in member for fact in _flat(part)]


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
