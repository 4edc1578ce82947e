"""The kernels of one body as source: the program's own lines, with its comments, under the kernels that they are for."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Sequence
from textwrap import dedent
from typing import Any

from ttl.diag import Diagnostic, Edit
from ttl.lang.one_body.composing import ComposedCall
from ttl.lang.one_body.kernels import COMPUTE, DATAMOVEMENT
from ttl.lang.one_body.names import MISSING
from ttl.lang.one_body.separating import CalledPart, Separated
from ttl.rules import composition as rules
from ttl.source.files import characters
from ttl.source.scopes import all_nodes, assigned, locals_of, reads
from ttl.source.spans import Span
from ttl.source.trees import SourceFile

_STEP = "    "


def edits(bodies: Sequence[tuple[ast.FunctionDef, Separated]], file: SourceFile) -> list[Edit]:
    """What to change in a file so that its operations define their kernels. ``bodies`` are definitions in it, divided."""
    name, changes = _name_of_language(file)
    for definition, divided in bodies:
        assert divided.operation is not None
        text = _Text(definition, divided.called, file, name).of(divided.operation)
        changes.append(Edit(span=_body_of(definition, file), replacement=text))
    return changes


def edits_of_joined(
    bodies: Sequence[tuple[ast.FunctionDef, ast.FunctionDef]], file: SourceFile
) -> list[Edit]:
    """What to change in a file so that operations are one body. ``bodies`` are definitions in it, and what they become."""
    return [
        Edit(span=_body_of(definition, file), replacement=_Text(definition, (), file, "ttl").of(body))
        for definition, body in bodies
    ]


def unwritable(divided: Separated, file: SourceFile) -> list[Diagnostic]:
    """The errors for operations that are called and cannot be written in a file: they are from others, or capture objects."""
    findings: dict[int, Diagnostic] = {}
    for part in divided.called:
        composed = part.composed
        called = composed.called.defined
        elsewhere = called.file.path != file.path
        known = () if elsewhere else (*composed.objects.items(), *_captured(composed, file))
        objects = [name for name, value in known if not _is_literal(value)]
        if elsewhere or objects:
            names = [name.removeprefix(f"{composed.name}_").removesuffix("_default") for name in objects]
            finding = rules.not_written(composed.called.name, names)
            findings.setdefault(id(called.node), finding.at(called.file.span(called.node)))
    return list(findings.values())


def _captured(composed: ComposedCall, file: SourceFile) -> list[tuple[str, Any]]:
    """What the operation has from functions around it, by name."""
    names = composed.called.defined.names
    return [
        (name, names.find(name))
        for name in sorted(reads(composed.definition).keys() - set(assigned(*file.tree.body)))
        if name not in locals_of(composed.definition)
        and names.find(name) is not getattr(builtins, name, MISSING)
    ]


def _is_literal(value: Any) -> bool:
    if isinstance(value, tuple | list):
        return all(map(_is_literal, value))
    return value is None or isinstance(value, bool | int | float | str)


def _name_of_language(file: SourceFile) -> tuple[str, list[Edit]]:
    """What the file calls ``ttl``, and the import that is missing where it has no name for it."""
    for statement in file.tree.body:
        if isinstance(statement, ast.Import):
            for alias in statement.names:
                if alias.name == "ttl":
                    return alias.asname or "ttl", []
    first = next(
        statement
        for number, statement in enumerate(file.tree.body)
        if not (number == 0 and isinstance(statement, ast.Expr))
        and not (isinstance(statement, ast.ImportFrom) and statement.module == "__future__")
    )
    line = min([first.lineno, *(item.lineno for item in getattr(first, "decorator_list", ()))])
    place = Span(file=file.path, line=line, column=1, end_line=line, end_column=1)
    return "ttl", [Edit(span=place, replacement="import ttl\n")]


def _body_of(definition: ast.FunctionDef, file: SourceFile) -> Span:
    first, last = file.extent(definition.body[0]), file.extent(definition.body[-1])
    return Span(
        file=file.path,
        line=first.line,
        column=first.column,
        end_line=last.end_line,
        end_column=last.end_column,
    )


class _Text:
    """Lines of one operation."""

    def __init__(
        self, definition: ast.FunctionDef, called: Sequence[CalledPart], file: SourceFile, language: str
    ) -> None:
        self._file = file
        self._lines = file.text.splitlines()
        self._own = {id(node) for node in all_nodes(definition)}
        self._called = {part.composed.name: part for part in called}
        for part in called:
            self._own |= {id(node) for node in all_nodes(part.composed.definition)}
        self._language = language
        self._indent = " " * definition.body[0].col_offset

    def of(self, operation: ast.FunctionDef) -> str:
        """The statements of the body, from where the first of them begins."""
        lines: list[str] = []
        for statement in operation.body:
            if id(statement) not in self._own or self._stands_apart(statement):
                lines.append("")
            lines += self._statement(statement, self._indent)
        while lines and not lines[0].strip():
            del lines[0]
        return "\n".join(line.rstrip() for line in lines).lstrip()

    def _stands_apart(self, statement: ast.stmt) -> bool:
        """Whether the program has an empty line above a statement and its comments."""
        line = statement.lineno - 1
        while line >= 1 and self._lines[line - 1].strip().startswith("#"):
            line -= 1
        return line >= 1 and not self._lines[line - 1].strip()

    def _before(self, statement: ast.stmt, indent: str) -> Iterator[str]:
        """The definition of an operation that a statement begins to call, and what that is to know."""
        match statement:
            case ast.Assign(value=ast.Call(func=ast.Name(id=name))) if name in self._called:
                part = self._called[name]
                for default, value in part.composed.objects.items():
                    yield f"{indent}{default} = {value!r}"
                yield f"{indent}def {name}({ast.unparse(part.definition.args)}):"
                for captured, value in _captured(part.composed, self._file):
                    yield f"{indent}{_STEP}{captured} = {value!r}"
                yield from self._block(part.definition.body, indent)
                yield ""

    def _statement(self, statement: ast.stmt, indent: str) -> Iterator[str]:
        yield from self._before(statement, indent)
        yield from self._comments(statement, indent)
        if id(statement) in self._own:
            yield from self._as_written(statement, indent)
            return
        match statement:
            case ast.FunctionDef(decorator_list=decorators, body=body):
                for decorator in decorators:
                    yield indent + "@" + self._spelled(ast.unparse(decorator))
                returned = "" if statement.returns is None else f" -> {ast.unparse(statement.returns)}"
                yield f"{indent}def {statement.name}({ast.unparse(statement.args)}){returned}:"
                yield from self._block(body, indent)
            case ast.If(test=test, body=body, orelse=orelse):
                yield f"{indent}if {ast.unparse(test)}:"
                yield from self._block(body, indent)
                yield from self._else(orelse, indent)
            case ast.While(test=test, body=body, orelse=orelse):
                yield f"{indent}while {ast.unparse(test)}:"
                yield from self._block(body, indent)
                yield from self._else(orelse, indent)
            case ast.For(target=target, iter=iterated, body=body, orelse=orelse):
                yield f"{indent}for {ast.unparse(target)} in {ast.unparse(iterated)}:"
                yield from self._block(body, indent)
                yield from self._else(orelse, indent)
            case ast.With(items=items, body=body):
                yield f"{indent}with {', '.join(map(ast.unparse, items))}:"
                yield from self._block(body, indent)
            case _:
                yield from (indent + line for line in ast.unparse(statement).split("\n"))

    def _block(self, body: list[ast.stmt], indent: str) -> Iterator[str]:
        for statement in body:
            yield from self._statement(statement, indent + _STEP)

    def _else(self, orelse: list[ast.stmt], indent: str) -> Iterator[str]:
        if orelse:
            yield f"{indent}else:"
            yield from self._block(orelse, indent)

    def _spelled(self, text: str) -> str:
        for marked, name in ((COMPUTE, "compute"), (DATAMOVEMENT, "datamovement")):
            text = text.replace(marked, f"{self._language}.{name}")
        return text

    def _as_written(self, statement: ast.stmt, indent: str) -> Iterator[str]:
        first, last = statement.lineno, statement.end_lineno or statement.lineno
        alone = not self._lines[first - 1][: characters(self._lines[first - 1], statement.col_offset)].strip()
        several = any(
            isinstance(node, ast.Constant | ast.JoinedStr) and node.lineno != node.end_lineno
            for node in ast.walk(statement)
            if isinstance(node, ast.expr)
        )
        if not alone or several:
            yield from (indent + line for line in ast.unparse(statement).split("\n"))
            return
        end = characters(self._lines[last - 1], statement.end_col_offset or 0)
        behind = self._lines[last - 1][end:].strip()
        lines = self._lines[first - 1 : last]
        if behind and not behind.startswith("#"):
            lines[-1] = lines[-1][:end]
        yield from (indent + line if line.strip() else "" for line in dedent("\n".join(lines)).split("\n"))

    def _comments(self, statement: ast.stmt, indent: str) -> Iterator[str]:
        """The lines of comments directly above what the program has."""
        if not hasattr(statement, "lineno") or (
            getattr(statement, "name", None) and id(statement) not in self._own
        ):
            return
        line = statement.lineno - 1
        while line >= 1 and self._lines[line - 1].strip().startswith("#"):
            line -= 1
        yield from (indent + text.strip() for text in self._lines[line : statement.lineno - 1])
