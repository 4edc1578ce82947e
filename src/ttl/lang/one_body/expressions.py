"""Expressions of a body: what they may stand for, and what puts the statement that they are in on a thread."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from types import MethodType, ModuleType
from typing import Any

from ttl.diag import Diagnostic
from ttl.host.tensor import Tensor
from ttl.lang import debug, grid, kernels
from ttl.lang.buffer import DataflowBuffer, make_dataflow_buffer_like
from ttl.lang.copy import GroupTransfer, copy
from ttl.lang.older_functions import OlderProgram
from ttl.lang.one_body.names import MISSING, Defined
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
    Plain,
    ThreadValue,
    Value,
    Values,
    members,
)
from ttl.lang.operation import Operation
from ttl.lang.pipe import Pipe, PipeNet
from ttl.lang.semaphore import Semaphore
from ttl.rules import one_body as rules
from ttl.source.trees import SourceFile

_COMPUTED = "a value that is computed"
_TRANSFER = "a transfer"
_NUMBER = "a number"
# Where the functions over blocks are, by their current and their older names.
_OF_BLOCKS = frozenset({"ttl.math", "ttl.block", "ttl.lang.older_functions", "ttl"})
_SHARED = (grid.node, grid.grid_size, debug.signpost)
_PURE = frozenset(
    {
        "abs", "all", "any", "bin", "bool", "callable", "chr", "complex", "dict", "divmod", "enumerate", "filter", "float",
        "format", "frozenset", "getattr", "hasattr", "hex", "int", "isinstance", "iter", "len", "list", "map", "max", "min",
        "next", "oct", "ord", "pow", "range", "repr", "reversed", "round", "set", "slice", "sorted", "str", "sum", "tuple",
        "type", "zip",
    }
)  # fmt: skip
_METHODS = frozenset(
    {"store", "push", "pop", "wait", "wait_all", "add", "reserve", "if_src", "if_dst", "set", "inc", "append"}
)
_ADDING = frozenset({"append", "add", "extend", "insert", "update", "setdefault", "appendleft"})
DEEPEST = 12
"""How deep calls may be nested."""


@dataclass(eq=False, slots=True)
class BodyStep:
    """A statement without statements in it, or the head of one, in one call of the function that it is in."""

    cell: ThreadCell
    node: ast.AST
    file: SourceFile
    part: Part
    tied: bool = False
    """Whether it is for one thread only."""
    anchored: bool = False
    """Whether something in it says for which."""
    used: ThreadValue | None = None
    """The first value of a thread that it uses."""
    carries: list[ThreadCell] = field(default_factory=list)
    """The threads of what it hands on without using it."""
    constructs: ast.Call | None = None
    effect: ast.AST | None = None
    heads: tuple[BodyStep, ...] = ()
    needs: set[Part] = field(default_factory=set)
    """The statements that give what it reads."""


Run = Callable[[LocalFunction, list[Values], dict[str, Values], ast.AST], Values]


class Expressions:
    """The values of expressions. ``frame`` and ``leaf`` are where the body is being read, ``context`` the calls around it."""

    def __init__(self, threads: Threads, run: Run) -> None:
        self.threads = threads
        self._run = run
        self.frame: BodyFrame
        self.leaf: BodyStep
        self.context: tuple[int, ...] = ()
        self.helper = ""
        """The function around the body that is being read; empty in the body."""
        self.is_divided = False
        """Whether the body defines kernels, so that it is not one body."""
        self._made: dict[object, Any] = {}
        self._ends: dict[tuple[object, str], ThreadCell] = {}
        self._known: dict[int, tuple[Any, Value]] = {}
        self.blocks: list[tuple[ThreadValue, SourceFile]] = []
        self.named: dict[int, str] = {}
        """What blocks are called, by the expression that acquires them."""

    # --- places and findings ----------------------------------------------------------------------------------------

    def report(self, finding: Diagnostic, node: ast.AST) -> None:
        """Keep a finding at a node of the function that is being read."""
        self.threads.report(finding.at(self.frame.defined.file.span(node)))

    def made(self, kind: Callable[[], Any], node: ast.AST, *more: object) -> Any:
        """What a node makes in the current call of its function: the same thing, however often it is looked at."""
        key = (self.context, id(node), *more)
        if key not in self._made:
            self._made[key] = kind()
        return self._made[key]

    def new_cell(self) -> ThreadCell:
        return self.threads.new(len(self.threads.cells))

    def anchor(self, kind: Kind, node: ast.AST, role: Role | None = None) -> None:
        """The statement is for a thread of this kind."""
        self.leaf.tied = True
        what = _shortened(ast.unparse(node).split("\n")[0])
        leaf = self.leaf
        conflict = rules.mixed if leaf.anchored or leaf.used is None else self._conflict(leaf.used)
        self.threads.anchor(
            leaf.cell, Anchor(kind, node, self.frame.defined.file, what), self._in_helper(conflict)
        )
        leaf.anchored = True
        if role is not None:
            self.leaf.cell.root.roles.add(role)

    def use(self, values: Values) -> None:
        """The statement is for the thread that has these values."""
        for value in values:
            if isinstance(value, ThreadValue):
                self.leaf.tied, self.leaf.used = True, self.leaf.used or value
                self.threads.join(self.leaf.cell, value.cell, self._in_helper(self._conflict(value)))
            elif isinstance(value, Collected):
                self.use(frozenset(item for item in value.values if isinstance(item, ThreadValue)))

    def _in_helper(self, conflict: Conflict) -> Conflict:
        """What is wrong: in a function around the body, that it has work for two threads."""
        name = self.helper
        return (lambda first, second: rules.helper_of_two(name, first, second)) if name else conflict

    def _conflict(self, value: ThreadValue) -> Conflict:
        file = self.frame.defined.file
        if not value.is_block:
            what = self.named.get(id(value.node), value.what)
            return lambda first, second: rules.value_of_other(what, first, second)
        name = self.named.get(id(value.node), "it")
        span = file.span(value.node)
        return lambda first, second: rules.block_of_two(name, value.what, first, second).also(
            span, "the block is acquired here"
        )

    # --- expressions ------------------------------------------------------------------------------------------------

    def of(self, node: ast.expr | None) -> Values:
        """What an expression may stand for."""
        match node:
            case None | ast.Constant():
                return ANY
            case ast.Name():
                return self.find(node.id)
            case ast.Attribute():
                return self._attribute(self.of(node.value), node.attr)
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
                defined = Defined(node, self.frame.defined.file, self.frame.defined.names)
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
        self.report(
            rules.no_place(f"{type(node).__name__.lower()}", "write it in kernels of their own"), node
        )
        return ANY

    def find(self, name: str) -> Values:
        """What a name may stand for."""
        holder = self.frame.holder(name)
        if holder is not None:
            self.leaf.needs |= holder.definitions.get(name, frozenset())
            return holder.names.get(name, ANY)
        return frozenset({self.lifted(self.frame.defined.names.find(name))})

    def bind(self, target: ast.expr, values: Values) -> None:
        """Give a target of an assignment what it may stand for."""
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
        """What a name stands for is given something else inside: whoever reads the name needs that, too."""
        while isinstance(expression, ast.Attribute | ast.Subscript):
            expression = expression.value
        if isinstance(expression, ast.Name):
            frame = self.frame.holder(expression.id)
            if frame is not None:
                before = frame.definitions.get(expression.id, frozenset())
                frame.definitions[expression.id] = before | {self.leaf.part}

    def _put(self, holders: Values, values: Values, target: ast.expr) -> None:
        """``holder[...] = value``."""
        for holder in holders:
            match holder:
                case Collected():
                    holder.values |= values
                    holder.items = None
                case ThreadValue():
                    self.use(frozenset({holder}))
                case Plain():
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
            container.values |= self._union(items)
        finally:
            self.frame = before
        return frozenset({container})

    def operator(self, node: ast.AST, *operands: Values) -> Values:
        """An operator: on blocks it computes."""
        values = frozenset[Value]().union(*operands)
        held = [value for value in values if isinstance(value, ThreadValue)]
        computes = any(value.is_block or value.what == _COMPUTED for value in held)
        if computes:
            self.anchor("compute", node)
        self.use(values)
        if not held:
            containers = frozenset(value for value in values if isinstance(value, Collected))
            return containers | ANY
        return self._held(node, _COMPUTED if computes else _NUMBER)

    def _held(self, node: ast.AST, what: str) -> Values:
        cell = self.leaf.cell
        return frozenset({self.made(lambda: ThreadValue(cell, what, node), node, what)})

    # --- attributes and items ---------------------------------------------------------------------------------------

    def lifted(self, value: Any) -> Value:
        """An object of the program around the body."""
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

    def _attribute(self, owners: Values, name: str) -> Values:
        result: set[Value] = set()
        for owner in owners:
            match owner:
                case OutsideObject(value=value):
                    result.add(self.lifted(self.frame.defined.names.attribute(value, name)))
                case Collected() if self._method_of(owner, name) is None and name not in _METHODS:
                    result |= owner.values | ANY
                case ThreadValue() if name not in _METHODS:
                    self.use(frozenset({owner}))
                    result |= self._held(self.leaf.node, _NUMBER)
                case OfTensor() | OfBuffer() | PipeEnd() | Plain() if name not in _METHODS:
                    result.add(PLAIN)
                case _:
                    result.add(Method(frozenset({owner}), name))
        return frozenset(result)

    def _item(self, owners: Values, index: ast.expr) -> Values:
        result: set[Value] = set()
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

    def _method_of(self, owner: Collected, name: str) -> Defined | None:
        if owner.kind is None:
            return None
        names = self.frame.defined.names
        return names.function(names.attribute(owner.kind, name))

    # --- calls ------------------------------------------------------------------------------------------------------

    def _call(self, node: ast.Call) -> Values:
        function = node.func
        if isinstance(function, ast.Attribute):
            owners = self.of(function.value)
            callees: Values = frozenset(
                value
                for owner in owners
                for value in (
                    self._attribute(frozenset({owner}), function.attr)
                    if isinstance(owner, OutsideObject)
                    else [Method(frozenset({owner}), function.attr)]
                )
            )
        else:
            callees = self.of(function)
        arguments = [self.of(argument) for argument in node.args]
        keywords = {keyword.arg or "**": self.of(keyword.value) for keyword in node.keywords}
        result: set[Value] = set()
        for callee in callees:
            match callee:
                case OutsideObject(value=value):
                    result |= self._call_known(value, node, arguments, keywords)
                case Method(receivers=receivers, name=name):
                    for receiver in receivers:
                        if isinstance(receiver, OfBuffer):
                            alone = len(callees) == 1
                            result |= self._of_buffer(receiver, name, node, keywords, alone=alone)
                        else:
                            result |= self._call_method(receiver, name, node, arguments, keywords)
                case LocalFunction(receiver=None):
                    result |= self._run(callee, arguments, keywords, node)
                case LocalFunction(receiver=receiver):
                    result |= self._run(callee, [receiver or ANY, *arguments], keywords, node)
                case _:
                    self._unknown(node)
                    result.add(PLAIN)
        return frozenset(result) or ANY

    def _unknown(self, node: ast.Call) -> None:
        self.report(rules.unknown_call(_shortened(ast.unparse(node.func))), node)

    def _call_known(
        self, value: Any, node: ast.Call, arguments: list[Values], keywords: dict[str, Values]
    ) -> Values:
        given = frozenset[Value]().union(*arguments, *keywords.values())
        if value is kernels.compute or value is kernels.datamovement or value is OlderProgram:
            self.is_divided = True
            return ANY
        if value is copy:
            return self._copy(node, arguments, keywords)
        if value is GroupTransfer:
            self.anchor("data movement", node)
            return self._held(node, _TRANSFER)
        if value is make_dataflow_buffer_like:
            self.leaf.constructs = node
            return frozenset({self.made(lambda: OfBuffer((self.context, id(node))), node)})
        if value is PipeNet:
            self.leaf.constructs = node
            return frozenset({self.made(lambda: OfNet((self.context, id(node))), node)})
        if value is Semaphore:
            self.leaf.constructs = node
            return frozenset({self.made(OfSemaphore, node)})
        if value is Pipe:
            return ANY
        if any(value is shared for shared in _SHARED):
            return ANY
        if isinstance(value, Operation):
            name = value.function.__name__
            self.report(
                rules.no_place(f"a call of operation {name}", "call it where this operation is called"), node
            )
            return ANY
        module = getattr(value, "__module__", None) or ""
        if module in _OF_BLOCKS and not isinstance(value, type | ModuleType):
            self.anchor("compute", node)
            self.use(given)
            return self._held(node, _COMPUTED)
        if value is print:
            self.use(given)
            tensors = {item.tensor for item in given if isinstance(item, OfTensor)}
            if tensors:  # what is in it then, is in the order of the transfers that touch it
                self.anchor("data movement", node, "read")
                self.leaf.cell.root.reads |= tensors
            elif not any(isinstance(item, ThreadValue) for item in given):
                self.leaf.effect = node
            return ANY
        name = getattr(value, "__name__", "")
        if module == "builtins" and name in _PURE and getattr(builtins, name, None) is value:
            return self._pure(node, arguments, given)
        defined = self.frame.defined.names.function(value)
        if defined is not None:
            around: LocalFunction = self.made(lambda: LocalFunction(defined, None), node, id(value))
            receiver = value.__self__ if isinstance(value, MethodType) else MISSING
            if receiver is not MISSING:
                arguments = [frozenset({self.lifted(receiver)}), *arguments]
            return self._run(around, arguments, keywords, node)
        if self.frame.defined.names.is_library(value):
            return self._pure(node, arguments, given)
        if self.frame.defined.names.is_class(value):
            return self._object(value, node, arguments, keywords, given)
        self._unknown(node)
        return ANY

    def _pure(self, node: ast.Call, arguments: list[Values], given: Values) -> Values:
        """A function that only computes numbers, or puts what it is given into a container."""
        self.use(given)
        for argument in given:
            if isinstance(argument, LocalFunction):
                self._run(argument, [ANY] * len(argument.defined.node.args.args), {}, node)
        inner = frozenset(item for item in members(given) if not isinstance(item, Plain))
        if not inner:
            return ANY
        container: Collected = self.made(Collected, node)
        container.values |= inner
        return frozenset({container}) | ANY

    def _object(
        self,
        kind: type,
        node: ast.Call,
        arguments: list[Values],
        keywords: dict[str, Values],
        given: Values,
    ) -> Values:
        """An object of a class of the program."""
        container: Collected = self.made(Collected, node)
        container.kind = kind
        container.values |= given
        begin = self._method_of(container, "__init__")
        if begin is not None:
            method: LocalFunction = self.made(lambda: LocalFunction(begin, None), node, "init")
            self._run(method, [frozenset({container}), *arguments], keywords, node)
        return frozenset({container})

    def _call_method(
        self,
        receiver: Value,
        name: str,
        node: ast.Call,
        arguments: list[Values],
        keywords: dict[str, Values],
    ) -> Values:
        given = frozenset[Value]().union(*arguments, *keywords.values())
        match receiver:
            case ThreadValue(is_block=True) if name == "store":
                self.anchor("compute", node)
                self.use(given | {receiver})
                return ANY
            case ThreadValue():
                self._require_no_selector(name, node, keywords)
                self.use(given | {receiver})
                return ANY if name in _METHODS else self._held(node, _NUMBER)
            case OfNet(place=net) if name in ("if_src", "if_dst"):
                sends = name == "if_src"
                self.anchor("data movement", node)
                cell = self.leaf.cell.root
                cell.nets.add(net)
                end: PipeEnd = self.made(lambda: PipeEnd(net, sends), node)
                for function in given:
                    if isinstance(function, LocalFunction):
                        self._run(function, [frozenset({end})], {}, node)
                    elif isinstance(function, OutsideObject):
                        self._call_known(function.value, node, [frozenset({end})], {})
                return ANY
            case OfSemaphore():
                if name.startswith("get_remote"):
                    return frozenset({receiver})
                self.anchor("data movement", node, "semaphore")
                self.use(given)
                return ANY
            case Collected():
                method = self._method_of(receiver, name)
                if method is not None:
                    bound: LocalFunction = self.made(lambda: LocalFunction(method, None), node, name)
                    return self._run(bound, [frozenset({receiver}), *arguments], keywords, node)
                if name in _ADDING:
                    receiver.values |= given | (members(given) if name in ("extend", "update") else set())
                    receiver.items = None
                    return ANY
                return frozenset(receiver.values) | ANY
            case OutsideObject() | LocalFunction() | Method():
                self._unknown(node)
                return ANY
        self.use(given)
        return ANY

    def _require_no_selector(self, name: str, node: ast.Call, keywords: dict[str, Values]) -> None:
        if "kernel" in keywords:
            self.report(rules.selector(name), node)

    def _of_buffer(
        self, buffer: OfBuffer, name: str, node: ast.Call, keywords: dict[str, Values], *, alone: bool
    ) -> Values:
        """Acquire or release a block. One kernel has each end of a buffer: blocks of ``alone``, which is known, are on one thread."""
        self._require_no_selector(name, node, keywords)
        how = {"reserve": "reserve", "wait": "wait", "push": "reserve", "pop": "wait"}.get(name)
        if how is None:
            self._unknown(node)
            return ANY
        end = self._ends.setdefault((buffer.place, how), self.new_cell())
        if name in ("push", "pop"):
            self.leaf.tied = True
            self.threads.join(self.leaf.cell, end, rules.mixed)
            return ANY
        block: ThreadValue = self.made(lambda: ThreadValue(self.new_cell(), how, node, is_block=True), node)
        if not any(known is block for known, _ in self.blocks):
            self.blocks.append((block, self.frame.defined.file))
        if alone:
            self.threads.join(end, block.cell, self._in_helper(self._conflict(block)))
        self.leaf.tied = True
        self.threads.join(self.leaf.cell, block.cell, self._in_helper(self._conflict(block)))
        return frozenset({block})

    def _copy(self, node: ast.Call, arguments: list[Values], keywords: dict[str, Values]) -> Values:
        self.anchor("data movement", node)
        source = arguments[0] if arguments else keywords.get("src", ANY)
        target = arguments[1] if len(arguments) > 1 else keywords.get("dst", ANY)
        self.use(source | target)
        cell = self.leaf.cell.root
        for value in source:
            match value:
                case OfTensor(tensor=tensor):
                    cell.roles.add("read")
                    cell.reads.add(tensor)
                case PipeEnd():
                    cell.roles.add("receive")
        for value in target:
            match value:
                case OfTensor(tensor=tensor):
                    cell.roles.add("write")
                    cell.writes.add(tensor)
                case PipeEnd():
                    cell.roles.add("send")
        return self._held(node, _TRANSFER)


def _shortened(text: str) -> str:
    return text if len(text) <= 40 else text[:37] + "..."
