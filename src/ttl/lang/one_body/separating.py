"""From one body to kernels: what stays in the body, what the threads are, and every reason why it cannot be."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from ttl.diag import Diagnostic
from ttl.lang.one_body.expressions import BodyStep
from ttl.lang.one_body.kernels import COMPUTE, DATAMOVEMENT, Projection, Thread
from ttl.lang.one_body.movers import movers
from ttl.lang.one_body.names import Defined
from ttl.lang.one_body.reading import BodyReading, ReadBody
from ttl.rules import one_body as rules
from ttl.source.scopes import all_nodes, assigned, reads, statements_of

_MUTATORS = frozenset(
    {"append", "add", "extend", "insert", "update", "setdefault", "pop", "remove", "clear", "sort", "reverse"}
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Separated:
    """One body as kernels. ``operation`` is None where findings say why it cannot be."""

    operation: ast.FunctionDef | None
    findings: tuple[Diagnostic, ...]
    threads: tuple[Projection, ...] = ()
    setup: tuple[ast.stmt, ...] = ()


def separated(defined: Defined) -> Separated | None:
    """The kernels of one body; None for an operation that defines its kernels, or has nothing for any."""
    if not isinstance(defined.node, ast.FunctionDef):
        return None
    read = BodyReading(defined).body()
    if read is None:
        return None
    leaves = [leaf for several in read.leaves.values() for leaf in several]
    if not any(leaf.tied for leaf in leaves):
        return None
    return _Separating(read, defined.node, leaves).result()


class _Separating:
    """One body, read, on its way to kernels."""

    def __init__(self, read: ReadBody, operation: ast.FunctionDef, leaves: list[BodyStep]) -> None:
        self._read = read
        self._operation = operation
        self._leaves = leaves
        self._file = read.defined.file
        self._findings = read.threads.findings

    def result(self) -> Separated:
        for block, name, file in () if self._findings else self._read.blocks_without_thread():
            self._findings.append(rules.unused_block(name, block.what).at(file.span(block.node)))
        setup = self._setup()
        self._check_constructions(setup)
        if self._findings:
            return self._failed()
        body = [statement for statement in self._operation.body if statement not in setup]
        threads = self._threads()
        self._place_effects(body, threads)
        parameters = _parameters(self._operation)
        for statement in body:
            for name in sorted(parameters & _binds(self._read, statement)):
                finding = rules.no_place(f"an assignment to the parameter {name}", "give it another name")
                self._findings.append(finding.at(self._file.span(statement)))
        projections = [Projection(self._read, thread, body) for thread in threads]
        kernels = [projection.kernel(self._operation) for projection in projections]
        for projection in projections:
            for statement in projection.missing():
                name = ", ".join(assigned(statement)) or "this"
                finding = rules.value_of_other(name, _Side("other", ""), _Side(projection.thread.name, ""))
                self._findings.append(finding.at(self._file.span(statement)))
        if self._findings:
            return self._failed()
        divided = ast.FunctionDef(
            self._operation.name,
            self._operation.args,
            [*setup, *(kernel for kernel in kernels if kernel is not None)],
            self._operation.decorator_list,
            self._operation.returns,
        )
        return Separated(
            operation=ast.copy_location(divided, self._operation),
            findings=(),
            threads=tuple(projections),
            setup=tuple(setup),
        )

    def _failed(self) -> Separated:
        return Separated(operation=None, findings=tuple(self._findings))

    # --- what stays in the body -------------------------------------------------------------------------------------

    def _setup(self) -> list[ast.stmt]:
        """The statements that stay in the body: they are no thread's, and what they assign is the same for all kernels."""
        body = self._operation.body
        setup = {id(statement) for statement in body if self._is_free(statement)}
        bound = [_binds(self._read, statement) for statement in body]
        read = [set(reads(statement)) for statement in body]
        everything = set[str]().union(*read)
        bound = [names & everything for names in bound]  # nobody asks for the rest
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
                elif names & (elsewhere | seen) or loaded & elsewhere or (effect and seen):
                    setup.remove(id(statement))
                    changed = True
                    break
        return [statement for statement in body if id(statement) in setup]

    def _acts(self, statement: ast.stmt) -> bool:
        """Whether a statement has an effect, which comes in the order of the text."""
        return any(leaf.effect is not None for inner in _below(statement) for leaf in self._read.of(inner))

    def _is_free(self, statement: ast.stmt) -> bool:
        """Whether nothing in a statement is for a thread."""
        for inner in _below(statement):
            number = len(inner.items) if isinstance(inner, ast.With) else 1
            for part in range(number):
                if any(leaf.tied or leaf.carries for leaf in self._read.of(inner, part)):
                    return False
        return not any(
            leaf.tied
            for node in all_nodes(statement)
            if isinstance(node, ast.Call)
            for leaf in self._read.called.get(id(node), ())
        )

    def _check_constructions(self, setup: list[ast.stmt]) -> None:
        """Buffers, nets and semaphores are made in the body, not in kernels."""
        before = {id(inner) for statement in setup for inner in _below(statement)}
        before |= {
            id(leaf.node)
            for statement in setup
            for node in all_nodes(statement)
            for leaf in self._read.called.get(id(node), ())
        }
        for leaf in self._leaves:
            if leaf.constructs is not None and id(leaf.node) not in before:
                text = ast.unparse(leaf.constructs.func)
                self._findings.append(rules.construction(text).at(self._file.span(leaf.constructs)))

    # --- threads ----------------------------------------------------------------------------------------------------

    def _threads(self) -> list[Thread]:
        """The kernels to be made, in the order in which they are registered."""
        used = [leaf.cell for leaf in self._leaves if leaf.tied]
        computing = frozenset(cell.root for cell in used if cell.kind == "compute")
        moving = movers(self._read.threads, used)
        taken = _names_in(self._operation)
        threads = [
            Thread(name=_free_name(name, taken), decorator=DATAMOVEMENT, cells=cells)
            for name, cells in moving
        ]
        if computing:
            name = _free_name("compute", taken)
            threads.insert(1, Thread(name=name, decorator=COMPUTE, cells=computing))
        return threads

    def _place_effects(self, body: list[ast.stmt], threads: list[Thread]) -> None:
        """What has an effect and is for no thread goes to the thread of what is around it."""
        for statement, around in _with_surroundings(body, ()):
            for leaf in self._read.of(statement):
                asserts = isinstance(statement, ast.Assert | ast.Raise)
                if leaf.tied or not (asserts or leaf.effect is not None):
                    continue
                for outer in (*reversed(around), self._operation):
                    cells = {
                        other.cell.root
                        for inner in _below(outer)
                        for part in range(len(inner.items) if isinstance(inner, ast.With) else 1)
                        for other in self._read.of(inner, part)
                        if other.tied
                    }
                    owners = [thread for thread in threads if thread.cells & cells]
                    if len(owners) == 1 or (owners and asserts):
                        root = min(owners[0].cells, key=lambda cell: cell.place)
                        leaf.tied, leaf.cell.joined = True, root
                        break
                    if owners:
                        break
                if not leaf.tied and not asserts:
                    node = leaf.effect or statement
                    finding = rules.effect(ast.unparse(node), [thread.name for thread in threads])
                    self._findings.append(finding.at(self._file.span(node)))


@dataclass(frozen=True, slots=True)
class _Side:
    kind: str
    what: str


def _below(statement: ast.stmt) -> Iterator[ast.stmt]:
    """A statement and the statements in it, those of functions that it defines included."""
    yield statement
    inner = statement.body if isinstance(statement, ast.FunctionDef) else statements_of(statement)
    for other in inner:
        yield from _below(other)


def _with_surroundings(
    statements: list[ast.stmt], around: tuple[ast.stmt, ...]
) -> Iterator[tuple[ast.stmt, tuple[ast.stmt, ...]]]:
    for statement in statements:
        yield statement, around
        inner = statement.body if isinstance(statement, ast.FunctionDef) else statements_of(statement)
        yield from _with_surroundings(inner, (*around, statement))


def _binds(read: ReadBody, statement: ast.stmt) -> frozenset[str]:
    """The names that a statement gives a value, and those of containers that it changes."""
    names = set(assigned(statement))
    for inner in _below(statement):
        target: ast.AST | None = None
        match inner:
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=owner, attr=method))) if (
                method in _MUTATORS and not any(leaf.tied for leaf in read.of(inner))
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


def _parameters(operation: ast.FunctionDef) -> frozenset[str]:
    given = operation.args
    named = (*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg)
    return frozenset(parameter.arg for parameter in named if parameter is not None)


def _names_in(operation: ast.FunctionDef) -> frozenset[str]:
    """All names that the operation mentions: a kernel must not hide what one of them stands for."""
    names = {node.id for node in all_nodes(operation) if isinstance(node, ast.Name)}
    return frozenset(names | set(assigned(*operation.body)) | _parameters(operation))


def _free_name(name: str, taken: frozenset[str]) -> str:
    while name in taken:
        name += "_kernel"
    return name
