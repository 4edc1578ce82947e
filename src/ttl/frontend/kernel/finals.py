"""``try`` and ``finally`` in a kernel: statements that run however a block is left.

A kernel has no exceptions on the chip: where an exception is raised, the kernel stops. The block may also be left by
``return``, ``break`` and ``continue``. It becomes a loop of one iteration, which each of these statements leaves after
it has set a number; after the statements in ``finally``, the number decides how to continue.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from ttl.frontend import refusals
from ttl.frontend.domain import Signals
from ttl.frontend.evaluator import Evaluator
from ttl.frontend.flow import inline
from ttl.frontend.stop import Reject
from ttl.source.facts import fact_of_syntax
from ttl.source.scopes import assigned, locate

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_LOOPS = (ast.For, ast.While)
# The syntax of returned values that are the same before ``finally`` and after it.
_SIMPLE = (
    ast.Name, ast.Constant, ast.BinOp, ast.UnaryOp, ast.Compare, ast.BoolOp, ast.IfExp,
    ast.expr_context, ast.operator, ast.unaryop, ast.cmpop, ast.boolop,
)  # fmt: skip


def try_(reader: Evaluator, statement: ast.Try) -> Signals:
    """Evaluate the block, followed by the statements in ``finally``, however the block is left.

    Refuses handlers, a ``finally`` that leaves by itself, and a block that returns a value that ``finally`` may change
    (TTL1301).
    """
    if statement.handlers:
        raise _refused("except", "a kernel has no exceptions on the chip; test the condition before, with if")
    leaving = _leaving(statement.body)
    if leaving:
        for node in _leaving(statement.finalbody):
            reader.place = node
            word = type(node).__name__.lower()
            raise _refused(f"{word} in finally", f"write the {word} after the try statement")
        changed = {*assigned(*statement.finalbody)}
        for node in leaving:
            if isinstance(node, ast.Return) and node.value is not None and not _is_kept(node.value, changed):
                reader.place = node
                raise _refused(
                    "return of this value in a try that has a finally",
                    "keep the value in a variable that finally does not change, and return that",
                )
        for name in _names(statement):
            reader.assign(reader.scope, name, 0)
    return inline(reader, _in_order(statement))


def _names(statement: ast.Try) -> tuple[str, str]:
    """Return the names of the number that says how the block was left (0: at its end), and of the loop's variable."""
    place = f"{statement.lineno}:{statement.col_offset}"
    return f"$left{place}", f"$once{place}"


def _refused(what: str, help: str) -> Reject:
    return Reject(refusals.construct(what, help=help))


def _leaving(body: list[ast.stmt]) -> list[ast.stmt]:
    """Return the statements that may leave a block before its end, in source order."""
    result: list[ast.stmt] = []

    def look(nodes: Iterable[ast.AST], in_loop: bool) -> None:
        for node in nodes:
            if isinstance(node, ast.Return) or (isinstance(node, ast.Break | ast.Continue) and not in_loop):
                result.append(node)
            elif isinstance(node, _LOOPS):
                look(node.body, True)
                look(node.orelse, in_loop)
            elif not isinstance(node, _FUNCTIONS):
                look(ast.iter_child_nodes(node), in_loop)

    look(body, False)
    return result


def _is_kept(value: ast.expr, changed: set[str]) -> bool:
    """Return whether a value stays the same after changes of names, and computing it has no effect."""
    nodes = [*ast.walk(value)]
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    return all(isinstance(node, _SIMPLE) for node in nodes) and names.isdisjoint(changed)


@fact_of_syntax
def _in_order(statement: ast.Try) -> list[ast.stmt]:
    """The statements that replace the ``try`` statement."""
    leaving = _leaving(statement.body)
    if not leaving:
        return [*statement.body, *statement.finalbody]
    left, variable = _names(statement)
    rewriting = _Rewriting(left, leaving)
    once: ast.stmt = ast.For(
        target=ast.Name(variable, ast.Store()),
        iter=ast.Tuple([ast.Constant(0)], ast.Load()),
        body=rewriting.block(statement.body),
        orelse=[],
    )
    rest = [rewriting.left_with(number, node) for number, node in enumerate(leaving, 1)]
    body = [once, *statement.finalbody, *rest]
    for node in body:
        locate(node, statement)
    return body


class _Rewriting:
    """A block in which ``return``, ``break`` and ``continue`` each set their number and leave a loop around it."""

    def __init__(self, name: str, leaving: list[ast.stmt]) -> None:
        self._name = name
        self._numbers = {id(node): number for number, node in enumerate(leaving, 1)}

    def setting(self, number: int) -> ast.stmt:
        """Return the statement that sets the number."""
        return ast.Assign([ast.Name(self._name, ast.Store())], ast.Constant(number))

    def left_with(self, number: int, then: ast.stmt) -> ast.stmt:
        """Return the ``if`` that runs ``then`` if the block was left with a number."""
        test = ast.Compare(ast.Name(self._name, ast.Load()), [ast.Eq()], [ast.Constant(number)])
        return ast.If(test, [then], [])

    def block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """Return the statements of a block in the form that they have inside the loop."""
        return [item for statement in body for item in self._one(statement)]

    def _one(self, statement: ast.stmt) -> list[ast.stmt]:
        number = self._numbers.get(id(statement))
        if number is not None:
            return [ast.copy_location(node, statement) for node in (self.setting(number), ast.Break())]
        inside = [self._numbers[id(node)] for node in ast.walk(statement) if id(node) in self._numbers]
        if not inside:
            return [statement]
        lists = {
            field: self.block(value)
            for field, value in ast.iter_fields(statement)
            if isinstance(value, list) and value and isinstance(value[0], ast.stmt)
        }
        fields = {**dict(ast.iter_fields(statement)), **lists}
        copied = ast.copy_location(type(statement)(**fields), statement)
        if not isinstance(statement, _LOOPS):
            return [copied]
        # A statement that left the inner loop leaves this loop, too.
        left = ast.Compare(ast.Name(self._name, ast.Load()), [ast.NotEq()], [ast.Constant(0)])
        return [copied, ast.copy_location(ast.If(left, [ast.Break()], []), statement)]
