"""The part of a body that runs before kernels begin: buffers, nets and the values from which they are made.

This includes those of called operations.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from ttl.lang.one_body.composing import ComposedCall
from ttl.lang.one_body.expressions import BodyStep
from ttl.lang.one_body.reading import ReadBody
from ttl.rules import composition
from ttl.rules import one_body as rules
from ttl.source.scopes import all_nodes, assigned, locals_of, own_names, reads
from ttl.source.trees import SourceFile

_MUTATORS = frozenset(
    {"append", "add", "extend", "insert", "update", "setdefault", "pop", "remove", "clear", "sort", "reverse"}
)


@dataclass(eq=False, slots=True)
class CallAhead:
    """The call that makes the buffers of a called operation. ``tests`` are the known conditions around it."""

    composed: ComposedCall
    setup: BodySetup
    tests: list[tuple[ast.expr, bool]]
    reads: set[str]


@dataclass(eq=False, slots=True)
class BodySetup:
    """The statements before kernels, in order, and the rest of the body."""

    before: list[ast.stmt | CallAhead] = field(default_factory=list)
    body: list[ast.stmt] = field(default_factory=list)
    parameters: tuple[str, ...] = ()
    """The parameters of a called operation that these statements read."""

    def calls(self) -> Iterator[CallAhead]:
        """The called operations, inner ones first."""
        for item in self.before:
            if isinstance(item, CallAhead):
                yield from item.setup.calls()
                yield item


def binds(read: ReadBody, statement: ast.stmt) -> frozenset[str]:
    """The names that a statement assigns, and the names of containers that it changes."""
    names = set(assigned(statement))
    for inner in (statement,) if read.composed_at(statement) else read.below(statement):
        target: ast.AST | None = None
        match inner:
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=owner, attr=method))) if (
                method in _MUTATORS and (method != "pop" or not any(leaf.tied for leaf in read.of(inner)))
            ):
                target = owner
            case ast.Assign(targets=[ast.Subscript() | ast.Attribute() as target]):
                pass
            case ast.AugAssign(target=ast.Subscript() | ast.Attribute() as target):
                pass
        while isinstance(target, ast.Attribute | ast.Subscript):
            target = target.value
        if isinstance(target, ast.Name):
            names.add(target.id)
    return frozenset(names)


class SetupReading:
    """Divides one body into the statements before kernels and the rest.

    ``composed`` is the call with this body, if any.
    """

    def __init__(
        self, read: ReadBody, operation: ast.FunctionDef, composed: ComposedCall | None = None
    ) -> None:
        self._read = read
        self._operation = operation
        self._composed = composed
        self._body = operation.body
        self._parameters = parameters_of(operation)
        self._local = locals_of(operation) - self._parameters

    def result(self) -> BodySetup:
        """Return the statements before kernels, and the rest; report those that must be before kernels but cannot."""
        before = self._before()
        calls = {
            number: list(self._ahead(statement, number, before))
            for number, statement in enumerate(self._body)
        }
        if self._composed is not None:
            before = self._necessary(before, [call for several in calls.values() for call in several])
        setup = BodySetup()
        known = {id(statement) for statement in before}
        for number, statement in enumerate(self._body):
            if isinstance(statement, ast.Return):
                continue  # it is the last statement, and has no effect
            if id(statement) in known:
                setup.before.append(statement)
            else:
                setup.before += calls[number]
                setup.body.append(statement)
        if self._composed is not None:
            self._composed.body = setup.body
            read = set[str]()
            for item in setup.before:
                read |= item.reads if isinstance(item, CallAhead) else reads(item).keys()
            setup.parameters = tuple(
                name for name in self._composed.called.signature.parameters if name in read
            )
        return setup

    def _before(self) -> list[ast.stmt]:
        """The statements that do not belong to a thread, and give the same result in all kernels."""
        body = self._body
        setup = {id(statement) for statement in body if self._is_free(statement)}
        bound = [binds(self._read, statement) for statement in body]
        read = [_read_names(statement) for statement in body]
        everything = set[str]().union(*read)
        bound = [names & everything for names in bound]  # other names are not read
        acts = [self._acts(statement) for statement in body]
        changed = True
        while changed:
            changed = False
            elsewhere = {
                name for s, names in zip(body, bound, strict=True) if id(s) not in setup for name in names
            }
            seen: set[str] = set()
            for statement, names, loaded, effect in zip(body, bound, read, acts, strict=True):
                if id(statement) not in setup:
                    seen |= loaded | names
                elif (
                    names & (elsewhere | seen)
                    or loaded & elsewhere
                    or (effect and (seen or self._composed is not None))
                ):
                    setup.remove(id(statement))
                    changed = True
                    break
        return [statement for statement in body if id(statement) in setup]

    def _acts(self, statement: ast.stmt) -> bool:
        """Whether a statement has an effect, which must happen in the order of the text."""
        return any(
            leaf.effect is not None for inner in self._read.below(statement) for leaf in self._read.of(inner)
        )

    def _is_free(self, statement: ast.stmt) -> bool:
        """Return whether no part of a statement belongs to a thread."""
        for inner in self._read.below(statement):
            if self._read.composed_at(inner) is not None:
                return False
            number = len(inner.items) if isinstance(inner, ast.With) else 1
            for part in range(number):
                if any(leaf.tied or leaf.carries or leaf.slices for leaf in self._read.of(inner, part)):
                    return False
        return not any(
            leaf.tied
            for node in all_nodes(statement)
            if isinstance(node, ast.Call)
            for leaf in self._read.called.get(id(node), ())
        )

    # --- operations that are called ---------------------------------------------------------------------------------

    def _ahead(self, statement: ast.stmt, number: int, before: list[ast.stmt]) -> Iterator[CallAhead]:
        """The calls of operations in a statement of the body."""
        known = [other for other in before if self._body.index(other) < number]
        given = frozenset(name for other in known for name in assigned(other))
        of_node = self._of_node(known)

        def within(
            inner: ast.stmt, tests: list[tuple[ast.expr, bool]], hidden: frozenset[str]
        ) -> Iterator[CallAhead]:
            composed = self._read.composed_at(inner)
            if composed is not None:
                setup = SetupReading(self._read, composed.definition, composed).result()
                ahead = CallAhead(composed, setup, tests, set())
                self._check_arguments(ahead, (self._local - given) | hidden)
                for test, _ in tests:
                    ahead.reads |= reads(test).keys()
                yield ahead
                return
            if isinstance(inner, ast.If):
                names = reads(inner.test).keys()
                is_known = not names & ((self._local - given) | hidden | of_node) and not self._asks_node(
                    inner
                )
                for branch, holds in ((inner.body, True), (inner.orelse, False)):
                    around = [*tests, (inner.test, holds)] if is_known else tests
                    for below in branch:
                        yield from within(below, around, hidden)
                return
            if isinstance(inner, ast.FunctionDef):
                hidden = hidden | locals_of(inner)
            for below in self._read.inside(inner):
                yield from within(below, tests, hidden)

        yield from within(statement, [], frozenset())

    def _check_arguments(self, ahead: CallAhead, unknown: frozenset[str]) -> None:
        """Require the arguments from which a called operation makes its buffers to be known before kernels run."""
        composed = ahead.composed
        for parameter in ahead.setup.parameters:
            argument = composed.arguments.get(parameter)
            if argument is None:
                continue
            names = reads(argument).keys() - _own_names(argument)
            ahead.reads |= names
            for name in sorted(names & unknown):
                finding = composition.before_threads(composed.called.name, parameter, name)
                self._read.threads.report(finding.at(self._file.span(argument)))

    @property
    def _file(self) -> SourceFile:
        return self._read.defined.file if self._composed is None else self._composed.called.defined.file

    def _asks_node(self, statement: ast.stmt) -> bool:
        return any(leaf.of_node for leaf in self._read.of(statement))

    def _of_node(self, statements: list[ast.stmt]) -> frozenset[str]:
        """The names that depend on the node."""
        names: set[str] = set()
        for statement in statements:
            asks = any(self._asks_node(inner) for inner in self._read.below(statement))
            if asks or names & reads(statement).keys():
                names |= set(assigned(statement))
        return frozenset(names)

    def _necessary(self, before: list[ast.stmt], calls: list[CallAhead]) -> list[ast.stmt]:
        """Return the statements before kernels that buffers and nets need; the others may depend on the call."""
        needed = set[str]().union(*(call.reads for call in calls))
        result: list[ast.stmt] = []
        for statement in reversed(before):
            makes = any(
                leaf.constructs is not None
                for inner in self._read.below(statement)
                for leaf in (*self._read.of(inner), *self._called_in(inner))
            )
            if makes or needed & binds(self._read, statement):
                needed |= reads(statement).keys()
                result.insert(0, statement)
        return result

    def _called_in(self, statement: ast.stmt) -> list[BodyStep]:
        return [
            leaf
            for node in all_nodes(statement)
            if isinstance(node, ast.Call)
            for leaf in self._read.called.get(id(node), ())
        ]


def check_constructions(read: ReadBody, setup: BodySetup) -> None:
    """Refuse buffers, nets and semaphores that are made in kernels instead of the body."""
    statements = [
        statement
        for part in (setup, *(ahead.setup for ahead in setup.calls()))
        for statement in part.before
        if not isinstance(statement, CallAhead)
    ]
    before = {id(inner) for statement in statements for inner in read.below(statement)}
    before |= {
        id(leaf.node)
        for statement in statements
        for node in all_nodes(statement)
        for leaf in read.called.get(id(node), ())
    }
    for leaves in read.leaves.values():
        for leaf in leaves:
            if leaf.constructs is not None and id(leaf.node) not in before:
                text = ast.unparse(leaf.constructs.func)
                read.threads.report(rules.construction(text).at(leaf.file.span(leaf.constructs)))


def parameters_of(operation: ast.FunctionDef) -> frozenset[str]:
    """The names of the parameters of an operation."""
    given = operation.args
    named = (*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg)
    return frozenset(parameter.arg for parameter in named if parameter is not None)


_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def _read_names(statement: ast.stmt) -> set[str]:
    """The names of the body that a statement reads, without the variables of comprehensions."""
    if not any(isinstance(node, _COMPREHENSIONS) for node in all_nodes(statement)):
        return set(reads(statement))
    return _outer_names(statement)


def _outer_names(node: ast.AST) -> set[str]:
    if isinstance(node, ast.Name):
        return set() if isinstance(node.ctx, ast.Store) else {node.id}
    names = set[str]().union(*map(_outer_names, ast.iter_child_nodes(node)))
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        names.add(node.target.id)
    if isinstance(node, _COMPREHENSIONS):
        names = names - own_names(node) | _outer_names(node.generators[0].iter)
    return names


def _own_names(expression: ast.expr) -> set[str]:
    """The names that an expression assigns: the variables of comprehensions."""
    return {
        node.id
        for node in all_nodes(expression)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
