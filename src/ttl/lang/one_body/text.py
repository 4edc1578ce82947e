"""The kernels of one body as source: the program's lines, with their comments, in the kernels they belong to."""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Collection, Iterator, Sequence
from textwrap import dedent
from typing import Any

from ttl.diag import Diagnostic, Edit
from ttl.lang.one_body.composing import ComposedCall, names_in
from ttl.lang.one_body.names import MISSING, DefinedFunction
from ttl.lang.one_body.projected_kernels import COMPUTE, DATAMOVEMENT
from ttl.lang.one_body.separating import CalledPart, SeparatedKernels
from ttl.rules import composition as rules
from ttl.source.files import characters
from ttl.source.scopes import all_nodes, assigned, locals_of, reads
from ttl.source.spans import Span
from ttl.source.trees import SourceFile

_STEP = "    "


def edits(bodies: Sequence[tuple[ast.FunctionDef, SeparatedKernels]], file: SourceFile) -> list[Edit]:
    """Return the edits that make operations of a file define their kernels.

    ``bodies`` are definitions in the file, with their division.
    """
    imports = Imports(file)
    language = imports.name_of("ttl")
    changes = []
    for definition, divided in bodies:
        assert divided.operation is not None
        text = _Text(definition, divided.called, file, language, imports).of(divided.operation)
        changes.append(Edit(span=_body_of(definition, file), replacement=text))
    return [*imports.edits(bodies[0][0]), *changes]


def edits_of_joined(
    bodies: Sequence[tuple[ast.FunctionDef, ast.FunctionDef]], file: SourceFile
) -> list[Edit]:
    """Return the edits that turn each of some operations of a file into one body.

    ``bodies`` are definitions in the file, with their replacements.
    """
    return [
        Edit(
            span=_body_of(definition, file),
            replacement=_Text(definition, (), file, "ttl", Imports(file)).of(body),
        )
        for definition, body in bodies
    ]


def unwritable(divided: SeparatedKernels, file: SourceFile) -> list[Diagnostic]:
    """The errors for called operations that cannot be written in a file, because they capture objects."""
    findings: dict[int, Diagnostic] = {}
    for part in divided.called:
        composed = part.composed
        called = composed.called.defined
        objects = [name for name, value in composed.objects.items() if not _is_literal(value)]
        objects += [name for name, text in _captured(composed, Imports(file)) if text is None]
        if objects:
            names = [name.removeprefix(f"{composed.name}_").removesuffix("_default") for name in objects]
            finding = rules.not_written(composed.called.name, names)
            findings.setdefault(id(called.node), finding.at(called.file.span(called.node)))
    return list(findings.values())


def _captured(composed: ComposedCall, imports: Imports) -> list[tuple[str, str | None]]:
    """Return the names that a called operation takes from functions around it, or from its file if that is another one.

    Each comes with its text; None for objects that have no name of their own.
    """
    called = composed.called.defined
    local, of_module = locals_of(composed.definition), set(assigned(*called.file.tree.body))
    names = set[str]().union(*(reads(statement).keys() for statement in composed.definition.body)) - local
    result: list[tuple[str, str | None]] = []
    for name in sorted(names):
        if name in of_module and called.names.is_of_module(name):
            if not imports.has_same(name, called.file):
                result.append((name, imports.of_file(name, called, local | names)))
        elif (value := called.names.find(name)) is not getattr(builtins, name, MISSING):
            text = repr(value) if _is_literal(value) else _function(value, called, imports, local | names)
            if text != name:
                result.append((name, text))
    return result


def _function(value: Any, called: DefinedFunction, imports: Imports, taken: Collection[str]) -> str | None:
    """Return the text for a captured function, while ``taken`` names are in use; None if it has no name."""
    defined = called.names.function(value)
    name = str(getattr(value, "__name__", ""))
    if defined is None:
        for module in ("ttl", "ttl.math", "ttl.block"):
            if getattr(sys.modules.get(module), name, MISSING) is value:
                return f"{imports.name_of('ttl', taken)}{module[3:]}.{name}"
        return None
    free = reads(defined.node).keys() - locals_of(defined.node)
    if isinstance(defined.node, ast.Lambda):
        same = all(
            defined.names.find(item) is getattr(builtins, item, MISSING)
            or (defined.names.is_of_module(item) and imports.has_same(item, defined.file))
            for item in free
        )
        return ast.unparse(defined.node) if same and not free & set(taken) else None
    if defined.names.find(name) is not value or not defined.names.is_of_module(name):
        return None
    return name if imports.has_same(name, defined.file) else imports.of_file(name, defined, taken)


class Imports:
    """The modules that a file imports at its top, and those that the text written into it needs."""

    def __init__(self, file: SourceFile) -> None:
        self._file = file
        self._names = {module: name for name, module in _imported(file).items()}
        self._missing: list[str] = []

    def has_same(self, name: str, other: SourceFile) -> bool:
        """Whether a name at the top of another file, or of this one, has the same value here."""
        if other.path == self._file.path:
            return name in assigned(*other.tree.body)
        module = _imported(other).get(name)
        return module is not None and _imported(self._file).get(name) == module

    def of_file(self, name: str, defined: DefinedFunction, taken: Collection[str]) -> str:
        """Return the text for a name at the top of the file of another function."""
        known = self._names.get(_imported(defined.file).get(name, ""))
        if known is not None and known not in taken:
            return known
        return f"{self.name_of(defined.names.module, taken)}.{name}"

    def name_of(self, module: str, taken: Collection[str] = ()) -> str:
        """Return the file's name for a module, while ``taken`` names are in use; the module is imported from now on."""
        name = self._names.get(module, "")
        if name and name not in taken:
            return name
        name = plain = module.replace(".", "_")
        known = {*taken, *names_in(self._file.tree), *self._names.values()} - (
            {"ttl"} if module == "ttl" else set()
        )
        while name in known:
            name += "_module"
        self._names[module] = name
        self._missing.append(f"import {module}" + ("" if name == module == plain else f" as {name}"))
        return name

    def edits(self, operation: ast.FunctionDef) -> list[Edit]:
        """The edit that adds missing imports after the last import above an operation."""
        if not self._missing:
            return []
        body = self._file.tree.body
        above = [
            statement.end_lineno or 0
            for number, statement in enumerate(body)
            if statement.lineno < operation.lineno
            and (isinstance(statement, ast.Import | ast.ImportFrom) or _is_docstring(number, statement))
        ]
        line = 1 + max(above, default=0)
        place = Span(file=self._file.path, line=line, column=1, end_line=line, end_column=1)
        return [Edit(span=place, replacement="".join(f"{text}\n" for text in self._missing))]


def _is_docstring(number: int, statement: ast.stmt) -> bool:
    return number == 0 and isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _imported(file: SourceFile) -> dict[str, str]:
    """The names imported by statements at the top of a file, with the full names of the modules or objects."""
    names: dict[str, str] = {}
    for statement in file.tree.body:
        match statement:
            case ast.Import(names=aliases):
                names |= {alias.asname or alias.name: alias.name for alias in aliases}
            case ast.ImportFrom(module=str(module), names=aliases, level=0):
                names |= {alias.asname or alias.name: f"{module}.{alias.name}" for alias in aliases}
    return names


def _is_literal(value: Any) -> bool:
    if isinstance(value, tuple | list):
        return all(map(_is_literal, value))
    return value is None or isinstance(value, bool | int | float | str)


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
    """The lines of one operation."""

    def __init__(
        self,
        definition: ast.FunctionDef,
        called: Sequence[CalledPart],
        file: SourceFile,
        language: str,
        imports: Imports,
    ) -> None:
        # The lines of the file that contains the statements being written.
        self._lines = file.text.splitlines()
        self._own = {id(node) for node in all_nodes(definition)}
        self._called = {part.composed.name: part for part in called}
        for part in called:
            self._own |= {id(node) for node in all_nodes(part.composed.definition)}
        self._language = language
        self._imports = imports
        self._indent = " " * definition.body[0].col_offset

    def of(self, operation: ast.FunctionDef) -> str:
        """The text of the statements of the body, beginning with the first statement."""
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
        """Yield the lines that define a called operation, and the names that it needs, before the first call of it."""
        match statement:
            case ast.Assign(value=ast.Call(func=ast.Name(id=name))) if name in self._called:
                part = self._called[name]
                for default, value in part.composed.objects.items():
                    yield f"{indent}{default} = {value!r}"
                yield f"{indent}def {name}({ast.unparse(part.definition.args)}):"
                for captured, text in _captured(part.composed, self._imports):
                    yield f"{indent}{_STEP}{captured} = {text}"
                around, self._lines = self._lines, part.composed.called.defined.file.text.splitlines()
                yield from self._block(part.definition.body, indent)
                self._lines = around
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
        """Return the comment lines directly above a statement of the program."""
        if not hasattr(statement, "lineno") or (
            getattr(statement, "name", None) and id(statement) not in self._own
        ):
            return
        line = statement.lineno - 1
        while line >= 1 and self._lines[line - 1].strip().startswith("#"):
            line -= 1
        yield from (indent + text.strip() for text in self._lines[line : statement.lineno - 1])
