"""Expressions of a body: their possible values, and the parts that determine the thread of their statement."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from ttl.diag import Diagnostic
from ttl.host.tensor import Tensor
from ttl.lang.buffer import DataflowBuffer
from ttl.lang.one_body.names import DefinedFunction
from ttl.lang.one_body.threads import Anchor, Conflict, Kind, Role, ThreadCell, Threads
from ttl.lang.one_body.values import (
    ANY,
    PLAIN,
    BodyFrame,
    Collected,
    LocalFunction,
    Method,
    OfBuffer,
    OfNet,
    OfSemaphore,
    OfTensor,
    OutsideObject,
    Part,
    PipeEnd,
    PlainValue,
    ThreadValue,
    Value,
    Values,
    members,
)
from ttl.lang.pipe import PipeNet
from ttl.lang.semaphore import Semaphore
from ttl.rules import one_body as rules
from ttl.source.trees import SourceFile

COMPUTED = "a value that is computed"
NUMBER = "a number"
METHODS = frozenset(
    {
        "store",
        "push",
        "pop",
        "wait",
        "wait_all",
        "add",
        "reserve",
        "if_src",
        "if_dst",
        "set",
        "inc",
        "append",
        "publish",
    }
)


@dataclass(eq=False, slots=True)
class BodyStep:
    """A simple statement, or the head of a compound one, in one call of the function that contains it."""

    cell: ThreadCell
    node: ast.AST
    file: SourceFile
    part: Part
    tied: bool = False
    """Whether the statement belongs to one thread only."""
    anchored: bool = False
    """Whether a part of the statement determines this thread."""
    used: ThreadValue | None = None
    """The first value of a thread that it uses."""
    carries: list[ThreadCell] = field(default_factory=list)
    """The threads of values that the statement passes on without using them."""
    constructs: ast.Call | None = None
    effect: ast.AST | None = None
    everywhere: bool = False
    of_node: bool = False
    """Whether the statement reads the coordinates of the node."""
    slices: bool = False
    """Whether the statement takes a part of a tensor, which only kernels do."""
    heads: tuple[BodyStep, ...] = ()
    needs: set[Part] = field(default_factory=set)
    """The statements that assign the values that it reads."""


CallOf = Callable[[ast.Call], Values]


class Expressions:
    """The values of expressions.

    ``frame`` and ``leaf`` are the current place in the body, ``context`` the calls around it. ``call`` returns the
    result of a call.
    """

    def __init__(self, threads: Threads, call: CallOf) -> None:
        self.threads = threads
        self._call = call
        self.frame: BodyFrame
        self.leaf: BodyStep
        self.context: tuple[int, ...] = ()
        self.helper = ""
        """The function outside the body that is being read; empty in the body."""
        self.repeats = 0
        """The number of comprehensions around the current expression."""
        self.is_divided = False
        """Whether the body defines kernels, so that it is not one body."""
        self._made: dict[object, Any] = {}
        self._known: dict[int, tuple[Any, Value]] = {}
        self.blocks: list[tuple[ThreadValue, SourceFile]] = []
        self.named: dict[int, str] = {}
        """The names of blocks, by the expression that acquires each."""

    # --- places and findings ----------------------------------------------------------------------------------------

    def report(self, finding: Diagnostic, node: ast.AST) -> None:
        """Keep a finding at a node of the function that is being read."""
        self.threads.report(finding.at(self.frame.defined.file.span(node)))

    def made(self, kind: Callable[[], Any], node: ast.AST, *more: object) -> Any:
        """Return the object that a node creates in the current call of its function; the same one each time."""
        key = (self.context, id(node), *more)
        if key not in self._made:
            self._made[key] = kind()
        return self._made[key]

    def new_cell(self) -> ThreadCell:
        return self.threads.new(len(self.threads.cells))

    def anchor(self, kind: Kind, node: ast.AST, role: Role | None = None) -> None:
        """Put the statement on a thread of this kind."""
        self.leaf.tied = True
        what = shortened(ast.unparse(node).split("\n")[0])
        leaf = self.leaf
        conflict = rules.mixed if leaf.anchored or leaf.used is None else self.conflict(leaf.used)
        self.threads.anchor(
            leaf.cell, Anchor(kind, node, self.frame.defined.file, what), self.in_helper(conflict)
        )
        leaf.anchored = True
        if role is not None:
            self.leaf.cell.root.roles.add(role)

    def use(self, values: Values) -> None:
        """Put the statement on the thread that has these values."""
        for value in values:
            if isinstance(value, ThreadValue):
                self.leaf.tied, self.leaf.used = True, self.leaf.used or value
                self.threads.join(self.leaf.cell, value.cell, self.in_helper(self.conflict(value)))
            elif isinstance(value, Collected):
                self.use(frozenset(item for item in value.values if isinstance(item, ThreadValue)))

    def in_helper(self, conflict: Conflict) -> Conflict:
        """Return the error of a conflict; in a function outside the body, the error for work for two threads."""
        name = self.helper
        return (lambda first, second: rules.helper_of_two(name, first, second)) if name else conflict

    def conflict(self, value: ThreadValue) -> Conflict:
        """Return the error for a value that belongs to another thread."""
        if not value.is_block:
            what = self.named.get(id(value.node), value.what)
            return lambda first, second: rules.value_of_other(what, first, second)
        name = self.named.get(id(value.node), "it")

        def of_two(first: Anchor, second: Anchor) -> Diagnostic:
            file = next(file for block, file in self.blocks if block is value)
            finding = rules.block_of_two(name, value.what, first, second)
            return finding.also(file.span(value.node), "the block is acquired here")

        return of_two

    # --- expressions ------------------------------------------------------------------------------------------------

    def of(self, node: ast.expr | None) -> Values:
        """Return the possible values of an expression."""
        match node:
            case None | ast.Constant():
                return ANY
            case ast.Name():
                return self.find(node.id)
            case ast.Attribute():
                return self.attribute(self.of(node.value), node.attr)
            case ast.Call():
                return self._call(node)
            case ast.BinOp(left=left, right=right):
                return self.operator(node, self.of(left), self.of(right))
            case ast.UnaryOp(operand=operand):
                return self.operator(node, self.of(operand))
            case ast.Compare(left=left, comparators=others):
                return self.operator(node, self.of(left), *map(self.of, others))
            case ast.BoolOp(values=parts):
                return self._union(parts)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                self.use(self.of(test))
                return self.of(body) | self.of(orelse)
            case ast.Subscript(value=value, slice=index):
                self.use(self.of(index))
                return self._item(self.of(value), index)
            case ast.Tuple(elts=items) | ast.List(elts=items) | ast.Set(elts=items):
                return self._container(node, items)
            case ast.Dict(keys=keys, values=items):
                return self._container(node, [*(key for key in keys if key is not None), *items], whole=False)
            case ast.ListComp(elt=item) | ast.SetComp(elt=item) | ast.GeneratorExp(elt=item):
                return self._comprehension(node, node.generators, [item])
            case ast.DictComp(key=key, value=item):
                return self._comprehension(node, node.generators, [key, item])
            case ast.Starred(value=value):
                return members(self.of(value))
            case ast.NamedExpr(target=target, value=value):
                values = self.of(value)
                self.bind(target, values)
                return values
            case ast.Lambda():
                defined = DefinedFunction(node, self.frame.defined.file, self.frame.defined.names)
                return frozenset({self.made(lambda: LocalFunction(defined, self.frame), node)})
            case ast.Slice(lower=lower, upper=upper, step=step):
                for part in (lower, upper, step):
                    self.use(self.of(part))
                return ANY
            case ast.JoinedStr() | ast.FormattedValue():
                for child in ast.iter_child_nodes(node):
                    if isinstance(child, ast.expr):
                        self.use(self.of(child))
                return ANY
        self.report(rules.no_place(f"{type(node).__name__.lower()}", "write it in separate kernels"), node)
        return ANY

    def find(self, name: str) -> Values:
        """Return the possible values of a name."""
        holder = self.frame.holder(name)
        if holder is not None:
            self.leaf.needs |= holder.definitions.get(name, frozenset())
            return holder.names.get(name, ANY)
        return frozenset({self.lifted(self.frame.defined.names.find(name))})

    def bind(self, target: ast.expr, values: Values) -> None:
        """Give a target of an assignment its possible values."""
        match target:
            case ast.Name(id=name):
                for value in values:
                    if isinstance(value, ThreadValue):
                        self.named.setdefault(id(value.node), name)
                frame = self.frame.holder(name) or self.frame
                frame.names[name] = values
                frame.definitions[name] = frozenset({self.leaf.part})
            case ast.Tuple(elts=items) | ast.List(elts=items):
                for number, item in enumerate(items):
                    inner = item.value if isinstance(item, ast.Starred) else item
                    self.bind(inner, self._item(values, ast.Constant(number)))
            case ast.Starred(value=inner):
                self.bind(inner, values)
            case ast.Subscript(value=value) | ast.Attribute(value=value):
                self.use(self.of(target.slice) if isinstance(target, ast.Subscript) else ANY)
                self._put(self.of(value), values, target)
                self.changed(value)

    def changed(self, expression: ast.expr) -> None:
        """Note that an object gets a new member, so that readers of its names also need the current statement."""
        while isinstance(expression, ast.Attribute | ast.Subscript):
            expression = expression.value
        if isinstance(expression, ast.Name):
            frame = self.frame.holder(expression.id)
            if frame is not None:
                before = frame.definitions.get(expression.id, frozenset())
                frame.definitions[expression.id] = before | {self.leaf.part}

    def _put(self, holders: Values, values: Values, target: ast.expr) -> None:
        """Assign ``holder[...] = value``."""
        for holder in holders:
            match holder:
                case Collected():
                    holder.values |= values
                    holder.items = None
                case ThreadValue():
                    self.use(frozenset({holder}))
                case PlainValue():
                    pass
                case _:
                    self.leaf.effect = target

    def _union(self, parts: Iterable[ast.expr]) -> Values:
        result: Values = frozenset()
        for part in parts:
            result |= self.of(part)
        return result

    def _container(self, node: ast.expr, items: list[ast.expr], *, whole: bool = True) -> Values:
        values = [self.of(item) for item in items]
        container: Collected = self.made(Collected, node)
        for value in values:
            container.values |= value
        if whole and not any(isinstance(item, ast.Starred) for item in items):
            before = container.items
            container.items = tuple(
                value | (before[number] if before is not None else frozenset())
                for number, value in enumerate(values)
            )
        return frozenset({container})

    def _comprehension(
        self, node: ast.expr, generators: list[ast.comprehension], items: list[ast.expr]
    ) -> Values:
        before, names = self.frame, self.frame.defined
        targets = {
            name.id for part in generators for name in ast.walk(part.target) if isinstance(name, ast.Name)
        }
        self.frame = BodyFrame(names, frozenset(targets), before)
        try:
            for part in generators:
                iterated = self.of(part.iter)
                self.use(frozenset(value for value in iterated if isinstance(value, ThreadValue)))
                self.bind(part.target, members(iterated))
                for condition in part.ifs:
                    self.use(self.of(condition))
            container: Collected = self.made(Collected, node)
            self.repeats += 1
            container.values |= self._union(items)
            self.repeats -= 1
        finally:
            self.frame = before
        return frozenset({container})

    def operator(self, node: ast.AST, *operands: Values) -> Values:
        """Apply an operator. An operator on blocks puts the statement on a compute thread."""
        values = frozenset[Value]().union(*operands)
        held = [value for value in values if isinstance(value, ThreadValue)]
        computes = any(value.is_block or value.what == COMPUTED for value in held)
        if computes:
            self.anchor("compute", node)
        self.use(values)
        if not held:
            containers = frozenset(value for value in values if isinstance(value, Collected))
            return containers | ANY
        return self.held(node, COMPUTED if computes else NUMBER)

    def held(self, node: ast.AST, what: str) -> Values:
        """Return a value that the statement's thread computes."""
        cell = self.leaf.cell
        return frozenset({self.made(lambda: ThreadValue(cell, what, node), node, what)})

    # --- attributes and items ---------------------------------------------------------------------------------------

    def lifted(self, value: Any) -> Value:
        """Return an object of the program from outside the body."""
        known = self._known.get(id(value))
        if known is None:
            known = self._known[id(value)] = (value, self._lifted(value))
        return known[1]

    def _lifted(self, value: Any) -> Value:
        match value:
            case None | bool() | int() | float() | str() | bytes() | range():
                return PLAIN
            case Tensor():
                return OfTensor(id(value))
            case PipeNet():
                return OfNet(id(value))
            case DataflowBuffer():
                return OfBuffer(id(value))
            case Semaphore():
                return OfSemaphore()
            case list() | tuple() | set() | frozenset():
                items = tuple(frozenset({self.lifted(item)}) for item in value)
                return Collected({*frozenset[Value]().union(*items)}, items)
            case dict():
                return Collected({self.lifted(item) for item in value.values()})
        return OutsideObject(value)

    def attribute(self, owners: Values, name: str) -> Values:
        """Return the possible values of an attribute."""
        result: set[Value] = set()
        for owner in owners:
            match owner:
                case OutsideObject(value=value):
                    result.add(self.lifted(self.frame.defined.names.attribute(value, name)))
                case Collected() if self.method_of(owner, name) is None and name not in METHODS:
                    result |= owner.values | ANY
                case ThreadValue() if name not in METHODS:
                    self.use(frozenset({owner}))
                    result |= self.held(self.leaf.node, NUMBER)
                case OfTensor() | OfBuffer() | PipeEnd() | PlainValue() if name not in METHODS:
                    result.add(PLAIN)
                case _:
                    result.add(Method(frozenset({owner}), name))
        return frozenset(result)

    def _item(self, owners: Values, index: ast.expr) -> Values:
        result: set[Value] = set()
        self.leaf.slices |= any(isinstance(owner, OfTensor) for owner in owners)
        for owner in owners:
            match owner:
                case Collected(items=items) if (
                    items is not None
                    and isinstance(index, ast.Constant)
                    and type(index.value) is int
                    and -len(items) <= index.value < len(items)
                ):
                    result |= items[index.value]
                case OutsideObject() | Method() | LocalFunction() | OfNet() | OfSemaphore() | OfBuffer():
                    result.add(PLAIN)
                case _:
                    result |= members(frozenset({owner}))
        return frozenset(result)

    def method_of(self, owner: Collected, name: str) -> DefinedFunction | None:
        """Return a method of an object of the body."""
        if owner.kind is None:
            return None
        names = self.frame.defined.names
        return names.function(names.attribute(owner.kind, name))


def shortened(text: str) -> str:
    """A text shortened to at most 40 characters, for a label."""
    return text if len(text) <= 40 else text[:37] + "..."
