"""What a rule knows about the repair of a program before anybody knows the place: made a fix when the place is known.

A rule says "wrap the second operand in a broadcast" or "give ``shape=`` this value" in terms of the expression that
the diagnostic will stand at. ``Diagnostic.at`` looks at the source there, and where it reads as the rule expects, the
diagnostic carries a ``Fix`` with exact edits (JSON, ``ttl check --fix``, editors). Where it does not, the help alone
says what to do: a remedy never guesses.
"""

from __future__ import annotations

import ast
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass

from ttl.diag.model import Edit, Fix
from ttl.source.calls import parsed_file, span_of_node
from ttl.source.files import line
from ttl.source.spans import Span

_PLACES = re.compile(r"\{\d+\}")
# What has a place in a file.
Node = ast.expr | ast.keyword | ast.stmt


@dataclass(frozen=True, slots=True)
class Site:
    """The expression or statement that a diagnostic stands at."""

    span: Span
    node: ast.AST
    parents: dict[ast.AST, ast.AST]

    def span_of(self, node: Node) -> Span:
        """Where a node of the same file is."""
        return span_of_node(self.span.file, node)

    def text(self, node: Node) -> str | None:
        """How a node is written; None for one of several lines, which an edit would have to lay out anew."""
        span = self.span_of(node)
        written = line(span.file, span.line) if span.line == span.end_line else None
        return None if written is None else written[span.column - 1 : span.end_column - 1]

    def statement(self) -> ast.stmt | None:
        """The statement that the expression is part of."""
        node: ast.AST | None = self.node
        while node is not None and not isinstance(node, ast.stmt):
            node = self.parents.get(node)
        return node


@dataclass(frozen=True, kw_only=True, slots=True)
class Remedy(ABC):
    """One way to repair a program. ``description`` says it in words; empty where the first help does."""

    description: str = ""

    @abstractmethod
    def edits(self, site: Site) -> tuple[Edit, ...]:
        """The edits at a place; none where the source does not read as the rule expects."""

    def fix(self, span: Span) -> Fix | None:
        """The fix of a diagnostic at ``span``; None where there is no source, or it reads otherwise."""
        site = site_at(span)
        edits = () if site is None else self.edits(site)
        return Fix(description=self.description, edits=edits) if edits else None


def site_at(span: Span) -> Site | None:
    """What stands at a place: the outermost expression of exactly this range, else the statement."""
    parsed = parsed_file(span.file)
    if parsed is None:
        return None
    tree, parents = parsed
    exact = [
        node
        for node in ast.walk(tree)
        if isinstance(node, Node) and node.lineno == span.line and span_of_node(span.file, node) == span
    ]
    # ``ast.walk`` gives what is outside first: an expression that is a statement comes behind that.
    found = next((node for node in exact if isinstance(node, ast.expr)), None) or next(iter(exact), None)
    return None if found is None else Site(span, found, parents)


@dataclass(frozen=True, kw_only=True, slots=True)
class Wrap(Remedy):
    """Write ``template`` with the expression, or one operand of it, in the place of ``{}``."""

    template: str
    operand: int | None = None

    def edits(self, site: Site) -> tuple[Edit, ...]:
        """One replacement."""
        operands = operands_of(site.node)
        if self.operand is not None and self.operand >= len(operands):
            return ()
        node = site.node if self.operand is None else operands[self.operand]
        text = site.text(node) if isinstance(node, ast.expr) else None
        if text is None or not isinstance(node, ast.expr) or isinstance(node, ast.Starred):
            return ()
        return (Edit(span=site.span_of(node), replacement=self.template.replace("{}", text)),)


@dataclass(frozen=True, kw_only=True, slots=True)
class Replace(Remedy):
    """Write ``text`` in the place of the expression."""

    text: str

    def edits(self, site: Site) -> tuple[Edit, ...]:
        """One replacement."""
        return (Edit(span=site.span, replacement=self.text),) if isinstance(site.node, ast.expr) else ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Rewrite(Remedy):
    """Write ``template`` in the place of the expression, its operands in those of ``{0}``, ``{1}``, ..."""

    template: str

    def edits(self, site: Site) -> tuple[Edit, ...]:
        """One replacement."""
        texts = [site.text(operand) for operand in operands_of(site.node)]
        wanted = len(set(_PLACES.findall(self.template)))
        if not isinstance(site.node, ast.expr) or wanted > len(texts) or None in texts:
            return ()
        return (Edit(span=site.span, replacement=self.template.format(*texts)),)


@dataclass(frozen=True, kw_only=True, slots=True)
class WholeDivision(Remedy):
    """Write ``//`` for the one ``/`` within the expression."""

    def edits(self, site: Site) -> tuple[Edit, ...]:
        """One replacement."""
        found = [
            node
            for node in ast.walk(site.node)
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)
        ]
        if len(found) != 1:
            return ()
        left, right = site.text(found[0].left), site.text(found[0].right)
        if left is None or right is None:
            return ()
        between = (site.span_of(found[0].left), site.span_of(found[0].right))
        written = line(site.span.file, between[0].end_line)
        if written is None or between[0].end_line != between[1].line:
            return ()
        start, end = between[0].end_column - 1, between[1].column - 1
        if written[start:end].count("/") != 1:
            return ()
        at = start + written[start:end].index("/") + 1
        here = Span(
            file=site.span.file,
            line=between[1].line,
            column=at,
            end_line=between[1].line,
            end_column=at + 1,
        )
        return (Edit(span=here, replacement="//"),)


@dataclass(frozen=True, kw_only=True, slots=True)
class Rename(Remedy):
    """Write ``current`` for the one place within the expression that says ``older``: a name, attribute, keyword or text."""

    older: str
    current: str

    def edits(self, site: Site) -> tuple[Edit, ...]:
        """One replacement, if the name is there once."""
        places = list(dict.fromkeys(_mentions(site, self.older)))
        if len(places) != 1:
            return ()
        return (Edit(span=places[0], replacement=self.current),)


@dataclass(frozen=True, kw_only=True, slots=True)
class Argument(Remedy):
    """Give the call the keyword argument ``name`` with ``value`` (source text), in place of the one it has.

    ``position``: where it stands if it is given without its name. ``function``: the call must be one of a function of
    this name.
    """

    name: str
    value: str
    position: int | None = None
    function: str = ""

    def edits(self, site: Site) -> tuple[Edit, ...]:
        """One replacement or insertion."""
        call = _call(site)
        if call is None or any(isinstance(argument, ast.Starred) for argument in call.args):
            return ()
        if self.function and ast.unparse(call.func).rpartition(".")[2] != self.function:
            return ()
        for keyword in call.keywords:
            if keyword.arg == self.name:
                return (Edit(span=site.span_of(keyword.value), replacement=self.value),)
        if self.position is not None and self.position < len(call.args):
            return (Edit(span=site.span_of(call.args[self.position]), replacement=self.value),)
        return _inserted(site, call, f"{self.name}={self.value}")


@dataclass(frozen=True, kw_only=True, slots=True)
class DropArgument(Remedy):
    """Take the keyword argument ``name`` out of the call."""

    name: str

    def edits(self, site: Site) -> tuple[Edit, ...]:
        """One removal, with the comma."""
        call = _call(site)
        if call is None:
            return ()
        arguments: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
        for index, argument in enumerate(arguments):
            if not isinstance(argument, ast.keyword) or argument.arg != self.name:
                continue
            here = site.span_of(argument)
            if index + 1 < len(arguments):
                following = site.span_of(arguments[index + 1])
                return (_removal(here.file, (here.line, here.column), (following.line, following.column)),)
            if index:
                before = site.span_of(arguments[index - 1])
                start = (before.end_line, before.end_column)
                return (_removal(here.file, start, (here.end_line, here.end_column)),)
            return (_removal(here.file, (here.line, here.column), (here.end_line, here.end_column)),)
        return ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Append(Remedy):
    """Write ``text`` right behind the expression: ``.wait()``."""

    text: str

    def edits(self, site: Site) -> tuple[Edit, ...]:
        """One insertion."""
        if not isinstance(site.node, ast.expr):
            return ()
        end = site.span_of(site.node)
        point = Span(
            file=end.file,
            line=end.end_line,
            column=end.end_column,
            end_line=end.end_line,
            end_column=end.end_column,
        )
        return (Edit(span=point, replacement=self.text),)


@dataclass(frozen=True, kw_only=True, slots=True)
class DropStatement(Remedy):
    """Take the whole statement out, where it stands on lines of its own and its block keeps another."""

    def edits(self, site: Site) -> tuple[Edit, ...]:
        """One removal of lines."""
        statement = site.statement()
        if statement is None or not isinstance(statement, ast.Expr | ast.Assign | ast.AnnAssign):
            return ()
        block = _block_of(statement, site.parents)
        if block is None or len(block) == 1:
            return ()
        end = statement.end_lineno or statement.lineno
        if any(
            other is not statement and other.lineno <= end and statement.lineno <= (other.end_lineno or 0)
            for other in block
        ):
            return ()
        first = line(site.span.file, statement.lineno)
        if first is None or first[: site.span_of(statement).column - 1].strip():
            return ()
        return (_removal(site.span.file, (statement.lineno, 1), (end + 1, 1)),)


@dataclass(frozen=True, kw_only=True, slots=True)
class StatementBefore(Remedy):
    """Write a statement on a line of its own above the one of the expression."""

    text: str

    def edits(self, site: Site) -> tuple[Edit, ...]:
        """One insertion."""
        statement = site.statement()
        if statement is None:
            return ()
        first = line(site.span.file, statement.lineno)
        indent = "" if first is None else first[: site.span_of(statement).column - 1]
        if first is None or indent.strip():
            return ()
        point = Span(
            file=site.span.file, line=statement.lineno, column=1, end_line=statement.lineno, end_column=1
        )
        return (Edit(span=point, replacement=f"{indent}{self.text}\n"),)


@dataclass(frozen=True, kw_only=True, slots=True)
class Together(Remedy):
    """Several changes of the same expression, all of them needed."""

    remedies: tuple[Remedy, ...]

    def edits(self, site: Site) -> tuple[Edit, ...]:
        """Those of all; none where one of them does not apply."""
        each = [remedy.edits(site) for remedy in self.remedies]
        return tuple(edit for edits in each for edit in edits) if all(each) else ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Elsewhere(Remedy):
    """A remedy at another place than that of the diagnostic: where a buffer is made, say."""

    span: Span
    remedy: Remedy

    def edits(self, site: Site) -> tuple[Edit, ...]:
        """Those of the other place."""
        other = site_at(self.span)
        return () if other is None else self.remedy.edits(other)

    def fix(self, span: Span) -> Fix | None:
        """The fix; the place of the diagnostic does not matter."""
        fix = self.remedy.fix(self.span)
        return None if fix is None else Fix(description=self.description, edits=fix.edits)


def operands_of(node: ast.AST) -> list[ast.expr]:
    """What an operator or a call computes with, in order: operands, arguments without a name."""
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


def _call(site: Site) -> ast.Call | None:
    match site.node:
        case ast.Call():
            return site.node
        case ast.expr() | ast.keyword():
            parent = site.parents.get(site.node)
            if isinstance(parent, ast.keyword):
                parent = site.parents.get(parent)
            return parent if isinstance(parent, ast.Call) else None
    return None


def _mentions(site: Site, name: str) -> Iterator[Span]:
    file = site.span.file
    for node in ast.walk(site.node):
        match node:
            case ast.Name(id=found) if found == name:
                yield site.span_of(node)
            case ast.Attribute(attr=found) if found == name:
                end = site.span_of(node)
                if end.end_column > len(name):
                    start = end.end_column - len(name)
                    yield Span(
                        file=file,
                        line=end.end_line,
                        column=start,
                        end_line=end.end_line,
                        end_column=end.end_column,
                    )
            case ast.keyword(arg=found) if found == name:
                start_of = site.span_of(node)
                end_column = start_of.column + len(name)
                yield Span(
                    file=file,
                    line=start_of.line,
                    column=start_of.column,
                    end_line=start_of.line,
                    end_column=end_column,
                )
            case ast.Constant(value=str() as found) if found == name:
                whole = site.span_of(node)
                yield Span(
                    file=file,
                    line=whole.line,
                    column=whole.column + 1,
                    end_line=whole.end_line,
                    end_column=whole.end_column - 1,
                )


def _inserted(site: Site, call: ast.Call, text: str) -> tuple[Edit, ...]:
    """``text`` as the last argument of a call."""
    given: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
    if given:
        last = site.span_of(
            max(given, key=lambda node: (site.span_of(node).end_line, site.span_of(node).end_column))
        )
        place, text = (last.end_line, last.end_column), f", {text}"
    else:
        end = site.span_of(call)
        place = (end.end_line, end.end_column - 1)
    point = Span(file=site.span.file, line=place[0], column=place[1], end_line=place[0], end_column=place[1])
    return (Edit(span=point, replacement=text),)


def _removal(file: str, start: tuple[int, int], end: tuple[int, int]) -> Edit:
    span = Span(file=file, line=start[0], column=start[1], end_line=end[0], end_column=end[1])
    return Edit(span=span, replacement="")


def _block_of(statement: ast.stmt, parents: dict[ast.AST, ast.AST]) -> list[ast.stmt] | None:
    for _, value in ast.iter_fields(parents[statement]):
        if isinstance(value, list) and statement in value:
            return value
    return None
