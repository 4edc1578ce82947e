"""Repairs that a rule describes without a location, and that become fixes when the location is known.

A rule describes a repair such as "wrap the second operand in a broadcast" or "give ``shape=`` this value" for the
expression at the future location of the diagnostic. ``Diagnostic.at`` reads the source there. If the source is as the
rule expects, the diagnostic gets a ``Fix`` with exact edits (JSON, ``ttl check --fix``, editors). Otherwise only the
help says how to repair it: a remedy never guesses.
"""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import dataclass_transform

from ttl.diag.model import Edit, Fix
from ttl.source.files import line
from ttl.source.spans import Span
from ttl.source.trees import Node, SourceFile, source_file


@dataclass(frozen=True, slots=True)
class SourceSite:
    """The expression or statement at the location of a diagnostic."""

    span: Span
    node: ast.AST
    file: SourceFile

    @property
    def parents(self) -> dict[ast.AST, ast.AST]:
        """The parent of each node of the file."""
        return self.file.parents

    def span_of(self, node: Node) -> Span:
        """Return the span of a node of the same file."""
        return self.file.extent(node)

    def other(self, node: Node) -> SourceSite:
        """The site of another expression or statement of the file."""
        return SourceSite(self.span_of(node), node, self.file)

    def text(self, node: Node) -> str | None:
        """Return the text of a node; None if it spans several lines, which an edit would have to lay out again."""
        span = self.span_of(node)
        written = line(span.file, span.line) if span.line == span.end_line else None
        return None if written is None else written[span.column - 1 : span.end_column - 1]

    def statement(self) -> ast.stmt | None:
        """The statement that contains the expression."""
        node: ast.AST | None = self.node
        while node is not None and not isinstance(node, ast.stmt):
            node = self.parents.get(node)
        return node


def site_at(span: Span) -> SourceSite | None:
    """Return the outermost expression of exactly this range, else the statement, else the function whose name is there.

    None if there is no such node.
    """
    file = source_file(span.file)
    if file is None:
        return None
    exact = list(file.at(span))
    # Outer nodes come first: an expression that is a statement comes after the statement.
    node = next((node for node in exact if isinstance(node, ast.expr)), None) or next(iter(exact), None)
    if node is None:
        node = _defined_at(span, file.tree)
    return None if node is None else SourceSite(span, node, file)


def _defined_at(span: Span, tree: ast.Module) -> ast.FunctionDef | None:
    """The function whose name in its definition is at the location."""
    head = (line(span.file, span.line) or "")[: span.column - 1]
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.FunctionDef)
            and node.lineno == span.line
            and head.strip() in ("def", "async def")
        ):
            return node
    return None


@dataclass_transform(kw_only_default=True, frozen_default=True)
class _Fields:
    """A base class whose subclasses declare fields like dataclasses.

    They are not dataclasses, because making thirty dataclasses would take a tenth of the time of ``import ttl``, and
    most programs use no remedy.
    """

    def __init__(self, **fields: object) -> None:
        self.__dict__.update(fields)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash((type(self), tuple(sorted(self.__dict__.items(), key=lambda item: item[0]))))


class PlacedRemedy(_Fields, ABC):
    """A way to repair a program. ``description`` says how in words; empty if the first help says it."""

    description: str = ""

    @abstractmethod
    def edits(self, site: SourceSite) -> tuple[Edit, ...]:
        """The edits at a location; empty if the source is not as the rule expects."""

    def fix(self, span: Span) -> Fix | None:
        """The fix of a diagnostic at ``span``; None if there is no source, or it is not as the rule expects."""
        site = site_at(span)
        edits = () if site is None else self.edits(site)
        return Fix(description=self.description, edits=edits) if edits else None


def operands_of(node: ast.AST) -> list[ast.expr]:
    """Return the operands of an operator, or the positional arguments of a call, in order."""
    match node:
        case ast.BinOp(left=left, right=right):
            return [left, right]
        case ast.AugAssign(target=target, value=value):
            return [target, value]
        case ast.Compare(left=left, comparators=comparators):
            return [left, *comparators]
        case ast.UnaryOp(operand=operand):
            return [operand]
        case ast.Call():
            return list(node.args)
    return []


def removal(file: str, start: tuple[int, int], end: tuple[int, int]) -> Edit:
    """Return the edit that removes the text between two positions, each a line and a column."""
    span = Span(file=file, line=start[0], column=start[1], end_line=end[0], end_column=end[1])
    return Edit(span=span, replacement="")


def block_of(statement: ast.stmt, parents: dict[ast.AST, ast.AST]) -> list[ast.stmt] | None:
    """The list of statements (block of the syntax tree) that contains a statement."""
    for _, value in ast.iter_fields(parents[statement]):
        if isinstance(value, list) and statement in value:
            return value
    return None


def enclosing(site: SourceSite) -> ast.FunctionDef | None:
    """The function around the location."""
    node: ast.AST | None = site.node
    while node is not None and not isinstance(node, ast.FunctionDef):
        node = site.parents.get(node)
    return node


def insertion(file: str, line: int, column: int, text: str) -> Edit:
    """The edit that inserts ``text`` at a position."""
    return Edit(span=within(file, line, column, column), replacement=text)


def within(file: str, line: int, column: int, end_column: int) -> Span:
    """A span within one line."""
    return Span(file=file, line=line, column=column, end_line=line, end_column=end_column)


def line_after(site: SourceSite, statement: ast.stmt, text: str) -> tuple[Edit, ...]:
    """The edit that writes ``text`` below a statement, indented like the site's statement.

    No edit if the block is on one line.
    """
    own = site.statement()
    first = None if own is None else line(site.span.file, own.lineno)
    number = statement.end_lineno or statement.lineno
    last = line(site.span.file, number)
    if own is None or first is None or last is None:
        return ()
    indent = first[: site.span_of(own).column - 1]
    if indent.strip():
        return ()
    return (insertion(site.span.file, number, len(last.rstrip("\r\n")) + 1, f"\n{indent}{text}"),)
