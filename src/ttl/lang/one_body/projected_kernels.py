"""The kernels of a body: for each thread its own statements, and the statements around them that it needs.

The statements of the kernels are those of the program, not copies, so that facts about them and their locations stay
valid. Only heads are new (``with`` without the blocks of other threads, ``if`` and loops with fewer statements), at the
same locations.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

from ttl.lang.one_body.composing import ComposedCall
from ttl.lang.one_body.expressions import BodyStep
from ttl.lang.one_body.reading import ReadBody
from ttl.lang.one_body.threads import ThreadCell
from ttl.lang.one_body.values import Part
from ttl.source.scopes import reads

N = TypeVar("N", bound=ast.AST)
# The decorators of the kernels, under names that do not occur in programs.
COMPUTE, DATAMOVEMENT = "$compute", "$datamovement"


@dataclass(frozen=True, kw_only=True, slots=True)
class Thread:
    """A kernel to make."""

    name: str
    decorator: str
    cells: frozenset[ThreadCell]


class Projection:
    """The part of a body that belongs to one thread."""

    def __init__(self, read: ReadBody, thread: Thread, body: list[ast.stmt]) -> None:
        self._read = read
        self.thread = thread
        self._body = body
        self._needed: set[Part] = set()
        self.kept: set[tuple[int, int]] = set()
        """The heads and statements of the thread, by the identity of the statement and the number of the head."""

    def kernel(self, operation: ast.FunctionDef) -> ast.FunctionDef | None:
        """The kernel; None if the thread has no work."""
        while True:
            before = len(self._needed), len(self.kept)
            for statement in self._body:
                self._keep(statement, ())
            if (len(self._needed), len(self.kept)) == before:
                break
        body = self._projected(self._body)
        if not body:
            return None
        decorator = ast.copy_location(
            ast.Call(ast.copy_location(ast.Name(self.thread.decorator, ast.Load()), operation), [], []),
            operation,
        )
        nothing = ast.arguments([], [], None, [], [], None, [])
        kernel = ast.FunctionDef(self.thread.name, nothing, body, [decorator], None)
        return ast.copy_location(kernel, operation)

    # --- kept statements --------------------------------------------------------------------------------------------

    def _is_own(self, leaves: Iterable[BodyStep]) -> bool:
        """Return whether a statement belongs to this thread only."""
        return any(leaf.tied and leaf.cell.root in self.thread.cells for leaf in leaves)

    def _is_shared(self, leaves: list[BodyStep]) -> bool:
        """Return whether a statement belongs to no thread, and this thread has the values that it passes on."""
        return any(
            not leaf.tied and all(cell.root in self.thread.cells for cell in leaf.carries) for leaf in leaves
        )

    def _mark(self, statement: ast.stmt, part: int = 0) -> bool:
        """Note that the thread has this head or statement, and needs the statements that assign the values it reads."""
        self.kept.add((id(statement), part))
        for leaf in self._read.of(statement, part):
            self._needed |= leaf.needs
        return True

    def _keep(self, statement: ast.stmt, loops: tuple[ast.AST, ...]) -> bool:
        """Whether the thread has a statement. ``loops`` are the loops around it, and the function that contains it."""
        leaves = self._read.of(statement)
        composed = self._read.composed_at(statement)
        if composed is not None:
            return self._keep_called(composed, statement)
        match statement:
            case ast.If(body=body, orelse=orelse):
                return self._keep_all([*body, *orelse], loops) and self._mark(statement)
            case ast.For(body=body, orelse=orelse) | ast.While(body=body, orelse=orelse):
                inner = self._keep_all(body, (*loops, statement))
                kept = self._keep_all(orelse, loops) or inner or self._is_needed(statement, leaves)
                return kept and self._mark(statement)
            case ast.With(items=items, body=body):
                kept = self._keep_all(body, loops)
                for number in range(len(items)):
                    leaves = self._read.of(statement, number)
                    if self._is_own(leaves) or (kept and self._is_shared(leaves)):
                        kept = self._mark(statement, number)
                return kept
            case ast.Break() | ast.Continue():
                around = next(
                    (loop for loop in reversed(loops) if not isinstance(loop, ast.FunctionDef)), None
                )
                return (id(around), 0) in self.kept and self._mark(statement)
            case ast.FunctionDef(body=body) if id(statement) in self._read.kernels:
                return self._keep_all(body, (*loops, statement)) and self._mark(statement)
            case ast.FunctionDef(body=body):
                if not self._is_needed(statement, leaves):
                    return False
                self._keep_all(body, (*loops, statement))
                return self._mark(statement)
            case ast.Return():
                return self._mark(statement)
            case ast.Pass():
                return False
            case ast.Nonlocal():
                self._mark(statement)
                return False
        everywhere = any(leaf.everywhere for leaf in leaves)
        if everywhere or self._is_own(leaves) or (self._is_shared(leaves) and self._acts(statement, leaves)):
            return self._mark(statement)
        return False

    def _keep_called(self, composed: ComposedCall, statement: ast.stmt) -> bool:
        """Whether the thread has work in an operation that is called."""
        if not self._keep_all(composed.body, ()):
            return False
        self.kept.add((id(statement), 0))
        for name in self._passed(composed, self._projected(composed.body)):
            self._needed |= composed.needs.get(name, set())
        return True

    def _passed(self, composed: ComposedCall, body: list[ast.stmt]) -> list[str]:
        """The parameters of a called operation that a kernel's part of it reads."""
        read = set[str]().union(*(reads(statement).keys() for statement in body))
        return [name for name in composed.called.signature.parameters if name in read]

    def part(self, composed: ComposedCall) -> list[ast.FunctionDef]:
        """The kernel's part of a called operation, as a function; empty if it has no work there."""
        body = self._projected(composed.body)
        if not body:
            return []
        parameters = [ast.arg(name) for name in self._passed(composed, body)]
        arguments = ast.arguments([], parameters, None, [], [], None, [])
        name = composed.function_name(self.thread.name)
        part = ast.FunctionDef(name, arguments, body, [], None)
        return [ast.fix_missing_locations(ast.copy_location(part, composed.definition))]

    def _call(self, composed: ComposedCall) -> ast.stmt:
        given = [composed.argument(name) for name in self._passed(composed, self._projected(composed.body))]
        function = ast.Name(composed.function_name(self.thread.name), ast.Load())
        call = ast.copy_location(
            ast.Call(ast.copy_location(function, composed.call.func), given, []), composed.call
        )
        return ast.copy_location(ast.Expr(call), composed.call)

    def _trimmed(self, statement: ast.stmt) -> ast.stmt:
        """A call of a divided function, with None for arguments that its part ignores; a release without ``kernel``."""
        match statement:
            case ast.Expr(value=ast.Call(func=ast.Attribute(attr="push" | "pop"), keywords=[_]) as call):
                # The argument names the thread, which now has the statement.
                return remade(statement, value=remade(call, keywords=[]))
            case ast.Expr(value=ast.Call(args=arguments, keywords=keywords) as call):
                functions = self._read.functions.get(id(call), set())
            case _:
                return statement
        if len(functions) != 1:
            return statement
        parameters = [parameter.arg for parameter in self._read.definitions[min(functions)].args.args]
        if len(arguments) > len(parameters) or any(isinstance(item, ast.Starred) for item in arguments):
            return statement
        function = self._read.definitions[min(functions)]
        read = set[str]().union(*(reads(inner).keys() for inner in self._projected(function.body)))
        nothing = {
            id(value)
            for name, value in [
                *zip(parameters, arguments, strict=False),
                *((keyword.arg, keyword.value) for keyword in keywords),
            ]
            if name in parameters and name not in read
        }
        if not nothing:
            return statement
        given = [_unneeded(value) if id(value) in nothing else value for value in arguments]
        named = [
            ast.copy_location(ast.keyword(item.arg, _unneeded(item.value)), item)
            if id(item.value) in nothing
            else item
            for item in keywords
        ]
        return remade(statement, value=remade(call, args=given, keywords=named))

    def _acts(self, statement: ast.stmt, leaves: list[BodyStep]) -> bool:
        """Return whether this thread needs the effects of a statement for all threads: assignments and changes.

        The effects may be those of a called function.
        """
        if self._is_needed(statement, leaves):
            return True
        call = statement.value if isinstance(statement, ast.Expr) else None
        return any(
            leaf.part in self._needed or (leaf.tied and leaf.cell.root in self.thread.cells)
            for leaf in self._read.called.get(id(call), ())
        )

    def _is_needed(self, statement: ast.stmt, leaves: list[BodyStep]) -> bool:
        """Return whether the thread reads a value that a statement assigns, and can execute that statement."""
        has = self._is_shared(leaves) or self._is_own(leaves)
        return (id(statement), 0) in self._needed and has

    def _keep_all(self, statements: list[ast.stmt], loops: tuple[ast.AST, ...]) -> bool:
        kept = [self._keep(statement, loops) for statement in statements]  # visit all, not up to the first
        return any(kept)

    # --- the statements of the kernel -------------------------------------------------------------------------------

    def _projected(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        result: list[ast.stmt] = []
        for statement in statements:
            result += self._of(statement)
        return result

    def _of(self, statement: ast.stmt) -> list[ast.stmt]:
        if isinstance(statement, ast.With):
            return self._with(statement)
        if (id(statement), 0) not in self.kept:
            return []
        composed = self._read.composed_at(statement)
        if composed is not None:
            return [self._call(composed)]
        match statement:
            case ast.If() | ast.For() | ast.While():
                body, orelse = self._projected(statement.body), self._projected(statement.orelse)
                return [remade(statement, body=body or [_nothing(statement)], orelse=orelse)]
            case ast.FunctionDef() if id(statement) in self._read.kernels:
                body = self._projected(statement.body)
                function = ast.Name(statement.name, ast.Load())
                call = ast.Expr(ast.Call(function, [], []))
                return [
                    remade(statement, body=body, decorator_list=[]),
                    ast.fix_missing_locations(ast.copy_location(call, statement)),
                ]
            case ast.FunctionDef():
                body = self._projected(statement.body)
                return [remade(statement, body=body or [_nothing(statement)])]
        return [self._trimmed(statement)]

    def _with(self, statement: ast.With) -> list[ast.stmt]:
        items = [item for number, item in enumerate(statement.items) if (id(statement), number) in self.kept]
        body = self._projected(statement.body)
        return [remade(statement, items=items, body=body or [_nothing(statement)])] if items else body

    def missing(self) -> list[ast.stmt]:
        """Return the statements whose values the thread reads, but which only another thread can execute."""
        return [
            self._read.nodes[part[0]]
            for part in sorted(
                self._needed - self.kept, key=lambda part: self._read.leaves[part][0].cell.place
            )
            if any(leaf.tied or leaf.carries for leaf in self._read.leaves[part])
        ]


def _unneeded(value: ast.expr) -> ast.expr:
    return ast.copy_location(ast.Constant(None), value)


def remade(statement: N, **fields: object) -> N:
    """A statement or expression with other parts, at the same location; the object itself if no part changes."""
    if all(getattr(statement, name) == value for name, value in fields.items()):
        return statement
    parts = {name: fields.get(name, getattr(statement, name, None)) for name in statement._fields}
    return ast.copy_location(type(statement)(**parts), statement)


def _nothing(statement: ast.stmt) -> ast.stmt:
    return ast.copy_location(ast.Pass(), statement)
