"""The statement of the program that an operation comes from: where a fix puts a line."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from ttl.diag.model import Edit, Fix
from ttl.source.files import line as text_of_line
from ttl.source.spans import Span
from ttl.source.trees import source_file


@dataclass(frozen=True, slots=True)
class Place:
    """A call, its statement, and the statements after that one in the same block."""

    file: str
    call: ast.Call
    statement: ast.stmt
    following: tuple[ast.stmt, ...]

    @property
    def target(self) -> str | None:
        """The variable the result of the call is assigned to."""
        match self.statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if value is self.call:
                return name
            case ast.AnnAssign(target=ast.Name(id=name), value=value) if value is self.call:
                return name
        return None

    def insert_after(self, statement: ast.stmt, text: str) -> Fix | None:
        """A line with ``text`` after a statement of the block; None where the block is on one line with others."""
        first = text_of_line(self.file, self.statement.lineno) or ""
        indent = first.encode()[: self.statement.col_offset].decode()
        if indent.strip():
            return None
        line = statement.end_lineno or statement.lineno
        column = len(text_of_line(self.file, line) or "") + 1
        point = Span(file=self.file, line=line, column=column, end_line=line, end_column=column)
        edit = Edit(span=point, replacement=f"\n{indent}{text}")
        return Fix(description=f"write {text}", edits=(edit,))


def place_of(span: Span) -> Place | None:
    """The place of the call with a span; None without source, or where it is no call in a statement."""
    file = source_file(span.file)
    if file is None:
        return None
    for block in _blocks(file.tree, span.line):
        for index, statement in enumerate(block):
            if not statement.lineno <= span.line <= (statement.end_lineno or statement.lineno):
                continue
            if any(True for _ in _blocks_in(statement)):
                continue  # the call is in one of its blocks, or where no line can follow it
            for node in ast.walk(statement):
                if isinstance(node, ast.Call) and file.span(node) == span:
                    return Place(span.file, node, statement, tuple(block[index + 1 :]))
    return None


def _blocks(tree: ast.AST, line: int) -> Iterator[list[ast.stmt]]:
    """Blocks of statements around a line, outermost first."""
    for block in _blocks_in(tree):
        if block[0].lineno <= line <= (block[-1].end_lineno or block[-1].lineno):
            yield block
            for statement in block:
                if statement.lineno <= line <= (statement.end_lineno or statement.lineno):
                    yield from _blocks(statement, line)


def _blocks_in(node: ast.AST) -> Iterator[list[ast.stmt]]:
    for _, value in ast.iter_fields(node):
        if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
            yield value
        elif isinstance(value, list):
            for each in value:
                if isinstance(each, ast.ExceptHandler | ast.match_case):
                    yield each.body


# --- operands -------------------------------------------------------------------------------------------------


def operand_span(span: Span | None, acquired: Span | None) -> Span | None:
    """Where an expression names the block acquired at a place, as an operand or argument; None if it does not."""
    file = None if span is None else source_file(span.file)
    if file is None or span is None or acquired is None or acquired.file != span.file:
        return None
    names = {
        each.name
        for each in _named(file.tree)
        if each.call.lineno == acquired.line and file.span(each.call) == acquired
    }
    for node in ast.walk(file.tree):
        if getattr(node, "lineno", 0) != span.line or file.span(node) != span:
            continue
        for part in _parts(node):
            if isinstance(part, ast.Name) and part.id in names:
                return file.span(part)
    return None


@dataclass(frozen=True, slots=True)
class _Named:
    """A variable that the result of a call goes to."""

    name: str
    call: ast.Call


def _named(tree: ast.AST) -> Iterator[_Named]:
    for node in ast.walk(tree):
        match node:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as call)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.Call() as call)
                | ast.NamedExpr(target=ast.Name(id=name), value=ast.Call() as call)
                | ast.withitem(context_expr=ast.Call() as call, optional_vars=ast.Name(id=name))
            ):
                yield _Named(name, call)


def _parts(node: ast.AST) -> list[ast.expr]:
    """The operands of an operator, or the arguments of a call."""
    match node:
        case ast.BinOp(left=left, right=right):
            return [left, right]
        case ast.Compare(left=left, comparators=comparators):
            return [left, *comparators]
        case ast.UnaryOp(operand=operand):
            return [operand]
        case ast.Call():
            return [*node.args, *(keyword.value for keyword in node.keywords)]
    return []
