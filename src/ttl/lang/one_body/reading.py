"""The statements of a body, in the order in which they run: the values of their names, and the cell of each."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise

from ttl.lang.kernels import compute, datamovement
from ttl.lang.one_body.body_calls import DEEPEST, BodyCalls
from ttl.lang.one_body.composing import ComposedCall, composed_call, names_in
from ttl.lang.one_body.expressions import BodyStep, Expressions
from ttl.lang.one_body.names import MISSING, ComposedOperation, DefinedFunction
from ttl.lang.one_body.threads import Conflict, Kind, Threads
from ttl.lang.one_body.values import (
    ANY,
    BodyFrame,
    Collected,
    LocalFunction,
    OfTensor,
    OutsideObject,
    Part,
    PipeEnd,
    ThreadValue,
    Values,
    members,
)
from ttl.rules import composition
from ttl.rules import one_body as rules
from ttl.rules.kernel_definitions import noc_of_called, selector_of_called
from ttl.source.scopes import assigned, body_of, head_of, locals_of, statements_of
from ttl.source.trees import SourceFile

Snapshot = dict[int, tuple[dict[str, Values], dict[str, frozenset[Part]]]]
"""For each frame, the values of its names, and the statements that assigned them."""
_ROUNDS = 8


@dataclass(slots=True)
class ReadBody:
    """A body that was read."""

    defined: DefinedFunction
    threads: Threads
    leaves: dict[tuple[int, int], list[BodyStep]] = field(default_factory=dict)
    """By statement and number of the head: one step for each call of the function that contains it."""
    nodes: dict[int, ast.stmt] = field(default_factory=dict)
    called: dict[int, list[BodyStep]] = field(default_factory=dict)
    """By call: the steps of the functions that it runs."""

    functions: dict[int, set[int]] = field(default_factory=dict)
    """By call: the identities of the definitions that it runs."""
    definitions: dict[int, ast.FunctionDef] = field(default_factory=dict)
    composed: dict[int, ComposedCall] = field(default_factory=dict)
    """The called operations, by call."""
    kernels: set[int] = field(default_factory=set)
    """The definitions of kernels of called operations."""
    calls_operations: bool = False
    """Whether the body calls operations, even where that is not allowed."""
    blocks: list[tuple[ThreadValue, str, SourceFile]] = field(default_factory=list)
    """The acquired blocks, with their names."""

    def blocks_without_thread(self) -> list[tuple[ThreadValue, str, SourceFile]]:
        """The blocks that no statement uses."""
        return [known for known in self.blocks if known[0].cell.kind is None]

    def composed_at(self, statement: ast.AST) -> ComposedCall | None:
        """The call of an operation that the statement consists of; None for others."""
        return self.composed.get(id(statement.value)) if isinstance(statement, ast.Expr) else None

    def inside(self, statement: ast.stmt) -> list[ast.stmt]:
        """The statements directly in a statement, including those of a function it defines or an operation it calls."""
        composed = self.composed_at(statement)
        if composed is not None:
            return composed.definition.body
        return statement.body if isinstance(statement, ast.FunctionDef) else statements_of(statement)

    def file_of(self, statement: ast.stmt) -> SourceFile:
        """The file that contains a statement."""
        leaves = self.of(statement)
        return leaves[0].file if leaves else self.defined.file

    def below(self, statement: ast.stmt) -> Iterator[ast.stmt]:
        """A statement and all statements inside it."""
        yield statement
        for inner in self.inside(statement):
            yield from self.below(inner)

    def of(self, statement: ast.stmt, part: int = 0) -> list[BodyStep]:
        """The steps of a statement; empty if the function that contains it is never called."""
        return self.leaves.get((id(statement), part), [])


class BodyReading:
    """Reads one body."""

    def __init__(self, defined: DefinedFunction) -> None:
        self.read = ReadBody(defined, Threads())
        self._expressions = Expressions(self.read.threads, lambda call: self._calls.of(call))
        self._calls = BodyCalls(self._expressions, self._run, self._compose)
        # The bodies that are being read; each is called in the one before.
        self._bodies: list[tuple[DefinedFunction, ComposedOperation | None, ast.Call | None]] = [
            (defined, None, None)
        ]
        self._heads: tuple[BodyStep, ...] = ()
        # The statement that calls the function being read; whether all steps of the function are on the statement's
        # thread, or only those that belong to a thread; and the name for the error of the kernel, or of the function
        # outside the body, that is being read (empty for others).
        self._owner: tuple[BodyStep, bool, str] | None = None
        self._leaves: dict[tuple[object, ...], BodyStep] = {}
        # The kernels of called operations, by call.
        self._kernels: dict[object, dict[ast.FunctionDef, tuple[BodyStep, Kind]]] = {}

    def body(self) -> ReadBody | None:
        """Read the whole body; return None if it defines kernels."""
        defined = self.read.defined
        frame = BodyFrame(defined, locals_of(defined.node), None)
        arguments = defined.node.args
        for parameter in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
            frame.names[parameter.arg] = frozenset({OfTensor(parameter.arg)})
        self._expressions.frame = frame
        if any(map(self._is_kernel, body_of(defined.node))):
            return None  # this is true for most operations, and no other statement has to be read to know it
        self._block(body_of(defined.node))
        if self._expressions.is_divided:
            return None
        self._join_heads()
        self.read.calls_operations = self._calls.of_operations > 0
        named = self._expressions.named
        self.read.blocks = [
            (block, named.get(id(block.node), "that is acquired here"), file)
            for block, file in self._expressions.blocks
        ]
        return self.read

    def _is_kernel(self, statement: ast.stmt) -> bool:
        """Whether a statement of the operation itself defines a kernel, with a decorator from outside the operation."""
        if not isinstance(statement, ast.FunctionDef):
            return False
        own = locals_of(self.read.defined.node)
        for decorator in statement.decorator_list:
            decorating = decorator.func if isinstance(decorator, ast.Call) else decorator
            first: ast.expr = decorating
            while isinstance(first, ast.Attribute):
                first = first.value
            if isinstance(first, ast.Name) and first.id not in own and self._kinds(decorating):
                return True
        return False

    def _kinds(self, decorating: ast.expr) -> list[Kind]:
        """The kinds of kernels that a decorator makes."""
        values = self._expressions.of(decorating)
        return [
            kind
            for known, kind in _kernel_decorators().items()
            if any(isinstance(value, OutsideObject) and value.value is known for value in values)
        ]

    def _join_heads(self) -> None:
        """Put statements under a condition of one thread on that thread."""
        for leaf in self._leaves.values():
            for head in leaf.heads:
                if not head.tied:
                    continue
                word = type(head.node).__name__.lower()
                if leaf.tied:
                    self.read.threads.join(head.cell, leaf.cell, _of_header(head, word))
                else:
                    leaf.carries.append(head.cell)

    # --- leaves -----------------------------------------------------------------------------------------------------

    @contextmanager
    def _leaf(self, statement: ast.stmt, part: int = 0) -> Iterator[BodyStep]:
        """Read a simple statement, or one head of a compound one."""
        expressions = self._expressions
        key = (expressions.context, id(statement), part)
        leaf = self._leaves.get(key)
        if leaf is None:
            leaf = self._leaves[key] = BodyStep(
                expressions.new_cell(),
                statement,
                expressions.frame.defined.file,
                (id(statement), part),
            )
            leaf.heads = self._heads
            self.read.leaves.setdefault((id(statement), part), []).append(leaf)
            self.read.nodes[id(statement)] = statement
            for call in expressions.context:
                self.read.called.setdefault(call, []).append(leaf)
        before = getattr(expressions, "leaf", leaf)
        expressions.leaf = leaf
        try:
            yield leaf
        finally:
            expressions.leaf = before
        if self._owner is not None:
            owner, all_of_it, name = self._owner
            if leaf.tied or all_of_it:
                owner.tied = leaf.tied = True
                conflict = _of_helper(name) if name else rules.mixed
                self.read.threads.join(owner.cell, leaf.cell, conflict)

    def _run(
        self,
        function: LocalFunction,
        arguments: list[Values],
        keywords: dict[str, Values],
        node: ast.AST,
    ) -> Values:
        """Return the possible results of calling a function of the program at a node."""
        expressions, defined = self._expressions, function.defined
        if len(expressions.context) >= DEEPEST:
            expressions.report(rules.unknown_call(getattr(defined.node, "name", "lambda")), node)
            return ANY
        frame = BodyFrame(defined, locals_of(defined.node), function.frame)
        _bind_parameters(frame, arguments, keywords)
        outer, call = expressions.leaf, expressions.context
        is_callback = any(isinstance(value, PipeEnd) for given in arguments for value in given)
        local = function.frame is not None and isinstance(defined.node, ast.FunctionDef)
        alone = isinstance(outer.node, ast.Expr) and outer.node.value is node
        before = expressions.frame, self._owner, self._heads, expressions.helper
        if not local and isinstance(defined.node, ast.FunctionDef):
            expressions.helper = expressions.helper or defined.node.name
        if is_callback:
            self._owner = (outer, True, expressions.helper)
        elif not (local and alone):
            self._owner = self._owner or (outer, False, expressions.helper)
        if local and alone and not is_callback and isinstance(defined.node, ast.FunctionDef):
            self.read.functions.setdefault(id(node), set()).add(id(defined.node))
            self.read.definitions[id(defined.node)] = defined.node
        expressions.frame, expressions.context = frame, (*call, id(node))
        try:
            if isinstance(defined.node, ast.Lambda):
                return expressions.of(defined.node.body)
            self._block(defined.node.body)
        finally:
            expressions.frame, self._owner, self._heads, expressions.helper = before
            expressions.context, expressions.leaf = call, outer
        return frozenset(frame.returned) or ANY

    # --- operations that are called -----------------------------------------------------------------------------------

    def _compose(self, called: ComposedOperation, node: ast.Call) -> None:
        """Handle the call of an operation, whose body is read as a part of this body."""
        expressions = self._expressions
        leaf, call = expressions.leaf, expressions.context
        if self._owner is not None:
            around = expressions.helper or "a function that a pipe net calls"
            expressions.report(composition.in_function(called.name, around), node)
            return
        if not isinstance(leaf.node, ast.Expr) or leaf.node.value is not node:
            expressions.report(composition.as_value(called.name), node)
            return
        if not self._is_finite(called, node):
            return
        composed = self.read.composed.get(id(node))
        if composed is None:
            taken = [name for defined, _, _ in self._bodies for name in names_in(defined.node)]
            taken += [other.name for other in self.read.composed.values()]
            result = composed_call(called, node, leaf.file, taken)
            if not isinstance(result, ComposedCall):
                expressions.report(result, node)
                return
            composed = self.read.composed[id(node)] = result
        own = DefinedFunction(composed.definition, called.defined.file, called.defined.names)
        frame = BodyFrame(own, locals_of(composed.definition), None)
        frame.names = self._given(composed, leaf)
        before = expressions.frame
        expressions.frame, expressions.context = frame, (*call, id(node))
        self._bodies.append((own, called, node))
        try:
            self._block(composed.definition.body)
        finally:
            self._bodies.pop()
            expressions.frame, expressions.context, expressions.leaf = before, call, leaf

    def _given(self, composed: ComposedCall, leaf: BodyStep) -> dict[str, Values]:
        """Return the values of the parameters.

        The needs of an argument are not those of the call, because a thread that has the call may not need the
        argument.
        """
        expressions = self._expressions
        names = {name: frozenset({expressions.lifted(value)}) for name, value in composed.defaults.items()}
        for name, value in composed.arguments.items():
            leaf.needs = set()
            names[name] = expressions.of(value)
            composed.needs.setdefault(name, set()).update(leaf.needs)
        leaf.needs = set()
        return names

    def _is_finite(self, called: ComposedOperation, node: ast.Call) -> bool:
        """Whether the operation is not already being read, and calls are not nested too deep.

        Otherwise the chain of calls is reported.
        """
        at = next(
            (
                number
                for number, (_, other, _) in enumerate(self._bodies)
                if other is not None and other.function is called.function
            ),
            None,
        )
        if at is None and len(self._expressions.context) < DEEPEST:
            return True
        chain = self._bodies[at or 0 :]
        names = [getattr(defined.node, "name", "") for defined, _, _ in chain]
        finding = composition.recursive([*names, called.name])
        for (defined, _, _), (_, _, call) in pairwise(chain):
            if call is not None:
                finding = finding.also(defined.file.span(call), "called here")
        self._expressions.report(finding, node)
        return False

    def _kernel(self, statement: ast.FunctionDef, decorator: ast.expr, kind: Kind) -> None:
        """Read a kernel of a called operation, which is on one thread as a whole."""
        expressions = self._expressions
        if isinstance(decorator, ast.Call) and decorator.keywords:
            hinted = any(keyword.arg == "noc" for keyword in decorator.keywords)
            expressions.report((noc_of_called if hinted else selector_of_called)(statement.name), decorator)
        leaf, call = expressions.leaf, expressions.context
        self.read.kernels.add(id(statement))
        expressions.anchor(kind, decorator)
        self._keep_apart(statement, leaf, kind)
        defined = DefinedFunction(statement, expressions.frame.defined.file, expressions.frame.defined.names)
        before = expressions.frame, self._owner
        expressions.frame = BodyFrame(defined, locals_of(statement), expressions.frame)
        expressions.context = (*call, id(statement))
        self._owner = (leaf, True, statement.name)
        try:
            self._block(statement.body)
        finally:
            expressions.frame, self._owner = before
            expressions.context, expressions.leaf = call, leaf

    def _keep_apart(self, statement: ast.FunctionDef, leaf: BodyStep, kind: Kind) -> None:
        """Note that the kernels of a called operation run side by side, on different threads."""
        _, called, call = self._bodies[-1]
        assert called is not None
        kernels = self._kernels.setdefault((self._expressions.context, id(call)), {})
        file = self._expressions.frame.defined.file
        for other, (other_leaf, other_kind) in kernels.items():
            if other is not statement and other_kind == kind:
                finding = composition.one_thread(called.name, other.name, statement.name)
                finding = finding.at(file.span(statement)).also(file.span(other), "and this one")
                if kind == "compute":
                    self.read.threads.report(finding)
                self.read.threads.apart.append((other_leaf.cell, leaf.cell, finding))
        kernels[statement] = leaf, kind

    # --- statements -------------------------------------------------------------------------------------------------

    def _block(self, statements: list[ast.stmt]) -> None:
        for statement in statements:
            if not self._expressions.is_divided:
                self._statement(statement)

    def _statement(self, statement: ast.stmt) -> None:
        of = self._expressions.of
        match statement:
            case ast.If(test=test, body=body, orelse=orelse):
                with self._leaf(statement) as head:
                    self._expressions.use(of(test))
                with self._under(head):
                    self._branches(lambda: self._block(body), lambda: self._block(orelse))
            case ast.While(test=test, body=body, orelse=orelse):
                self._loop(statement, lambda: self._expressions.use(of(test)), body)
                self._block(orelse)
            case ast.For(target=target, iter=iterated, body=body, orelse=orelse):
                self._loop(statement, lambda: self._iterate(target, iterated), body)
                self._block(orelse)
            case ast.With(items=items, body=body):
                for number, item in enumerate(items):
                    with self._leaf(statement, number):
                        values = of(item.context_expr)
                        if item.optional_vars is not None:
                            self._expressions.bind(item.optional_vars, values)
                self._block(body)
            case _:
                with self._leaf(statement) as leaf:
                    self._simple(statement, leaf)

    @contextmanager
    def _under(self, head: BodyStep) -> Iterator[None]:
        before = self._heads
        self._heads = (*before, head)
        try:
            yield
        finally:
            self._heads = before

    def _iterate(self, target: ast.expr, iterated: ast.expr) -> None:
        values = self._expressions.of(iterated)
        self._expressions.use(frozenset(value for value in values if isinstance(value, ThreadValue)))
        self._expressions.bind(target, members(values))

    def _loop(self, statement: ast.stmt, head: Callable[[], None], body: list[ast.stmt]) -> None:
        for _ in range(_ROUNDS):
            before = self._snapshot()
            with self._leaf(statement) as leaf:
                head()
            with self._under(leaf):
                self._block(body)
            self._merge(before)
            if self._snapshot() == before:
                return

    def _branches(self, *ways: Callable[[], None]) -> None:
        before = self._snapshot()
        after: list[Snapshot] = []
        for way in ways:
            self._restore(before)
            way()
            after.append(self._snapshot())
        for way_after in after:
            self._merge(way_after)

    def _simple(self, statement: ast.stmt, leaf: BodyStep) -> None:
        """Read a simple statement."""
        expressions = self._expressions
        of, bind = expressions.of, expressions.bind
        match statement:
            case ast.Assign(targets=targets, value=value):
                values = of(value)
                for target in targets:
                    bind(target, self._pinned(values, leaf, statement))
                _carry(leaf, values)
            case ast.AnnAssign(target=target, value=value):
                if value is not None:
                    values = of(value)
                    bind(target, self._pinned(values, leaf, statement))
                    _carry(leaf, values)
            case ast.AugAssign(target=target, value=value):
                load = of(target)
                result = expressions.operator(statement, load, of(value))
                if isinstance(target, ast.Name):
                    kept = frozenset(item for item in load if isinstance(item, ThreadValue) and item.is_block)
                    bind(target, self._pinned(kept or result | load, leaf, statement))
                else:
                    bind(target, result)
            case ast.Expr(value=value):
                of(value)
                if not leaf.tied and leaf.effect is None and isinstance(value, ast.Call):
                    self._changes(value)
            case ast.Assert(test=test, msg=message):
                expressions.use(of(test))
                expressions.use(of(message))
            case ast.Return(value=value):
                body, _, _ = self._bodies[-1]
                last = body_of(body.node)[-1] is statement and value is None
                if expressions.frame.defined.node is body.node and not last:
                    expressions.report(
                        rules.no_place("return", "use if and else statements instead"), statement
                    )
                expressions.frame.returned |= of(value)
            case ast.FunctionDef():
                self._definition(statement)
            case ast.Import(names=aliases):
                for alias in aliases:
                    whole = sys.modules.get(
                        alias.name if alias.asname else alias.name.partition(".")[0], MISSING
                    )
                    name = ast.Name(alias.asname or alias.name.partition(".")[0])
                    bind(name, frozenset({OutsideObject(whole)}))
            case ast.ImportFrom(module=str(module), names=aliases, level=0):
                for alias in aliases:
                    value = expressions.frame.defined.names.attribute(sys.modules.get(module), alias.name)
                    bind(ast.Name(alias.asname or alias.name), frozenset({expressions.lifted(value)}))
            case ast.Pass() | ast.Break() | ast.Continue() | ast.Nonlocal():
                pass
            case ast.Raise(exc=raised):
                expressions.use(of(raised))
            case _:
                what = type(statement).__name__.lower()
                expressions.report(
                    rules.no_place(f"{what}", "write it in a function that the body calls, or in kernels"),
                    statement,
                )

    def _changes(self, call: ast.Call) -> None:
        """Note a call whose result is unused and that belongs to no thread: its arguments may get new members."""
        owner = [call.func.value] if isinstance(call.func, ast.Attribute) else []
        for given in (*owner, *call.args, *(keyword.value for keyword in call.keywords)):
            if any(isinstance(value, Collected) for value in self._expressions.of(given)):
                self._expressions.changed(given)

    def _definition(self, statement: ast.FunctionDef) -> None:
        expressions = self._expressions
        for decorator in statement.decorator_list:
            kinds = self._kinds(decorator.func if isinstance(decorator, ast.Call) else decorator)
            if kinds and len(self._bodies) > 1:
                self._kernel(statement, decorator, kinds[0])
                return
            if kinds:
                expressions.is_divided = True
                return
            expressions.of(decorator)
            if expressions.is_divided:
                return
            expressions.report(rules.no_place("a function with a decorator", "drop the decorator"), decorator)
        frame = expressions.frame
        defined = DefinedFunction(statement, frame.defined.file, frame.defined.names)
        function = expressions.made(lambda: LocalFunction(defined, frame), statement)
        expressions.bind(ast.Name(statement.name), frozenset({function}))

    def _pinned(self, values: Values, leaf: BodyStep, statement: ast.stmt) -> Values:
        """Return values that a statement of one thread assigns, so that they belong to that thread."""
        if not leaf.tied or any(isinstance(value, ThreadValue) for value in values):
            return values
        names = ", ".join(assigned(statement)) or "a value"
        held = self._expressions.made(lambda: ThreadValue(leaf.cell, names, statement), statement, "pinned")
        return frozenset({*values, held})

    # --- values of names on several paths ---------------------------------------------------------------------------

    def _frames(self) -> Iterator[BodyFrame]:
        frame: BodyFrame | None = self._expressions.frame
        while frame is not None:
            yield frame
            frame = frame.parent

    def _snapshot(self) -> Snapshot:
        return {id(frame): (dict(frame.names), dict(frame.definitions)) for frame in self._frames()}

    def _restore(self, snapshot: Snapshot) -> None:
        for frame in self._frames():
            names, definitions = snapshot[id(frame)]
            frame.names, frame.definitions = dict(names), dict(definitions)

    def _merge(self, other: Snapshot) -> None:
        for frame in self._frames():
            names, definitions = other[id(frame)]
            for name, values in names.items():
                frame.names[name] = frame.names.get(name, values) | values
            for name, parts in definitions.items():
                frame.definitions[name] = frame.definitions.get(name, parts) | parts


def _kernel_decorators() -> dict[object, Kind]:
    return {compute: "compute", datamovement: "data movement"}


def _of_helper(name: str) -> Conflict:
    return lambda first, second: rules.helper_of_two(name, first, second)


def _of_header(head: BodyStep, word: str) -> Conflict:
    node = head_of(head.node)[0] if isinstance(head.node, ast.stmt) else head.node
    span = head.file.span(node)
    return lambda first, second: rules.header(word, first, second).also(span, "what it depends on")


def _carry(leaf: BodyStep, values: Values) -> None:
    """Note that a kernel which runs the statement must have the values that it assigns."""
    for value in values:
        if isinstance(value, ThreadValue):
            leaf.carries.append(value.cell)
        elif isinstance(value, Collected):
            leaf.carries += [item.cell for item in value.values if isinstance(item, ThreadValue)]


def _bind_parameters(frame: BodyFrame, arguments: list[Values], keywords: dict[str, Values]) -> None:
    given = frame.defined.node.args
    names = [parameter.arg for parameter in (*given.posonlyargs, *given.args)]
    for name in (*names, *(parameter.arg for parameter in given.kwonlyargs)):
        frame.names[name] = keywords.get(name, ANY)
    frame.names.update(zip(names, arguments, strict=False))
    for extra, values in ((given.vararg, arguments[len(names) :]), (given.kwarg, [*keywords.values()])):
        if extra is not None:
            frame.names[extra.arg] = frozenset({Collected({*frozenset().union(*values)})})
