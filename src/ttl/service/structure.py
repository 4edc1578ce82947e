"""Queries that need no analysis: folds of a text, links to pages, and the operations in the files of a folder."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Literal

import ttl
from ttl.service.pages import page_file
from ttl.service.syntax import syntax_of
from ttl.session import SOURCES, FileText, cached
from ttl.source.spans import Span

FoldKind = Literal["code", "imports", "comment"]

_COMMENT = re.compile(r"\s*#")
_CODE = re.compile(r"\bTTL\d{4}\b")
_SPECIFICATION = re.compile(
    r'\b[Ss]pecification,? (?:section )?("[A-Z][A-Za-z -]+"(?:(?:,| and) "[A-Z][A-Za-z -]+")*)'
)
_QUOTED = re.compile(r'"([^"]+)"')
_PACKAGE = Path(ttl.__path__[0])
# The folder of the documentation: in a copy of the project, and in the installed package.
_DOCUMENTATION = (_PACKAGE.parent.parent / "docs", _PACKAGE / "mcp" / "pages" / "docs")
# Sections of the specification, and the pages of this project about the same subject.
_SECTIONS: Mapping[str, str] = MappingProxyType(
    {
        "Program example": "reference/rules.md#operations",
        "Operation function": "reference/rules.md#operations",
        "Kernel functions": "reference/rules.md#operations",
        "Grid": "reference/rules.md#operations",
        "Grid size function": "reference/rules.md#what-may-be-used-where",
        "Node function": "reference/rules.md#what-may-be-used-where",
        "Dataflow buffer": "reference/rules.md#dataflow-buffers",
        "Block": "reference/rules.md#expressions",
        "Block states": "reference/rules.md#block-states",
        "Data movement": "reference/rules.md#copies",
        "Tensor slice": "reference/rules.md#copies",
        "Copy": "reference/rules.md#copies",
        "Group transfer": "reference/rules.md#copies",
        "Pipe": "reference/rules.md#pipes",
        "Pipe net": "reference/rules.md#pipes",
        "Semaphore": "reference/rules.md#semaphores",
        "Debug printing": "guides/debugging.md",
        "Performance and debugging": "guides/debugging.md",
        "Profiling signpost": "guides/profiling.md",
    }
)
# The number of files of a folder that are read at most, and the size of the largest in bytes.
_MOST_FILES = 2_000
_LARGEST = 1 << 20
_NOT_SOURCES = frozenset({"__pycache__", "node_modules", "site-packages"})
_DECORATORS = MappingProxyType(
    {
        "operation": "operation",
        "tile_operation": "operation",
        "kernel": "operation",
        "compute": "kernel",
        "datamovement": "kernel",
    }
)
_MAKERS = MappingProxyType(
    {
        "make_dataflow_buffer_like": "dataflow buffer",
        "make_dfb": "dataflow buffer",
        "make_tensor_backed_dfb": "dataflow buffer",
        "PipeNet": "pipe net",
        "Semaphore": "semaphore",
    }
)


@dataclass(frozen=True, slots=True)
class TextFold:
    """Lines that can be folded; the first one stays visible."""

    first: int
    last: int
    kind: FoldKind


def folds(path: str, text: FileText) -> list[TextFold]:
    """Return the parts of a text that can be folded, in order; of a text with syntax errors, those of the valid lines."""
    syntax = syntax_of(path, text)
    unsorted: set[TextFold] = {*_of_statements(syntax.file.tree), *_comments(text.lines)}
    return sorted(
        (fold for fold in unsorted if fold.last > fold.first), key=lambda fold: (fold.first, -fold.last)
    )


def _of_statements(tree: ast.Module) -> Iterator[TextFold]:
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        for _, block in ast.iter_fields(node):
            if (
                not isinstance(block, list)
                or not block
                or not isinstance(block[0], ast.stmt | ast.ExceptHandler | ast.match_case)
            ):
                continue
            waiting += block
            yield from _imports(block)
        if isinstance(node, ast.stmt | ast.ExceptHandler):
            is_text = (
                isinstance(node, ast.Expr)
                and isinstance(node.value, ast.Constant)
                and isinstance(node.value.value, str)
            )
            yield TextFold(node.lineno, node.end_lineno or node.lineno, "comment" if is_text else "code")


def _imports(block: list[ast.stmt]) -> Iterator[TextFold]:
    first = last = 0
    for statement in block:
        if not isinstance(statement, ast.Import | ast.ImportFrom):
            yield TextFold(first, last, "imports")
            first = 0
            continue
        first, last = first or statement.lineno, statement.end_lineno or statement.lineno
    if first:
        yield TextFold(first, last, "imports")


def _comments(lines: Iterable[str]) -> Iterator[TextFold]:
    first = number = 0
    for number, line in enumerate(lines, start=1):
        if _COMMENT.match(line):
            first = first or number
        elif first:
            yield TextFold(first, number - 1, "comment")
            first = 0
    if first:
        yield TextFold(first, number, "comment")


@dataclass(frozen=True, slots=True)
class PageLink:
    """A place of a text that refers to a page."""

    span: Span
    page: Path
    heading: str
    """The heading on the page; empty for the top of the page."""
    what: str


def links(path: str, text: FileText) -> Iterator[PageLink]:
    """The links of a text: each error code and section of the specification that it names, also in comments."""
    documentation = next((folder for folder in _DOCUMENTATION if folder.is_dir()), None)
    for number, line in enumerate(text.lines, start=1):
        for match in _CODE.finditer(line):
            page = page_file(match[0])
            if page is not None:
                yield PageLink(_span(path, number, match.span()), page, "", f"ttl explain {match[0]}")
        for named in _SPECIFICATION.finditer(line) if documentation is not None else ():
            for match in _QUOTED.finditer(line, *named.span(1)):
                target = _SECTIONS.get(match[1])
                if target is not None and documentation is not None:
                    file, _, heading = target.partition("#")
                    what = f"what the specification says under {match[1]!r}, as a rule"
                    yield PageLink(_span(path, number, match.span(1)), documentation / file, heading, what)


def _span(path: str, line: int, extent: tuple[int, int]) -> Span:
    return Span(file=path, line=line, column=extent[0] + 1, end_line=line, end_column=extent[1] + 1)


@dataclass(frozen=True, slots=True)
class NamedPart:
    """An operation of a file, or a part of one."""

    name: str
    kind: str
    container: str
    span: Span


def parts_below(folder: str | None, opened: Iterable[str], query: str) -> list[NamedPart]:
    """The operations, kernels, buffers, nets and semaphores whose names contain the letters of ``query`` in this order.

    The files that are open and the programs below ``folder`` are searched.
    """
    letters = re.compile(".*".join(map(re.escape, query)), re.IGNORECASE | re.DOTALL)
    paths = dict.fromkeys((*opened, *(_programs(folder) if folder is not None else ())))
    return [part for path in paths for part in _parts(path) if letters.search(part.name)]


def _programs(folder: str) -> Iterator[str]:
    count = 0
    for where, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in _NOT_SOURCES)
        if "pyvenv.cfg" in files:
            folders.clear()
            continue
        for name in sorted(files):
            path = os.path.join(where, name)
            if not name.endswith(".py") or os.path.getsize(path) > _LARGEST:
                continue
            count += 1
            if count > _MOST_FILES:
                return
            yield path


def _parts(path: str) -> Iterable[NamedPart]:
    sources = SOURCES.get()
    if sources.is_unsaved(path):
        return _parts_of(path, sources.of(path))
    try:
        status = os.stat(path)
    except OSError:
        return ()
    return _parts_of_file(path, status.st_mtime_ns, status.st_size)


@cached(maxsize=_MOST_FILES)
def _parts_of_file(path: str, changed: int, size: int) -> tuple[NamedPart, ...]:
    """The parts of a file in the state given by time of change and size, which is read once."""
    return tuple(_parts_of(path, SOURCES.get().of(path)))


def _parts_of(path: str, text: FileText) -> Iterator[NamedPart]:
    if "ttl" not in text.text:
        return
    waiting: list[tuple[ast.AST, str]] = [(syntax_of(path, text).file.tree, "")]
    while waiting:
        node, container = waiting.pop(0)
        for child in ast.iter_child_nodes(node):
            name = container
            match child:
                case ast.FunctionDef():
                    kind = next(filter(None, map(_decorated, child.decorator_list)), None)
                    if kind is not None:
                        column = child.col_offset + len("def ")
                        yield NamedPart(
                            child.name,
                            kind,
                            container,
                            _span(path, child.lineno, (column, column + len(child.name))),
                        )
                        name = f"{container}.{child.name}".lstrip(".")
                case ast.Assign(targets=[ast.Name() as target], value=ast.Call() as call) if container:
                    kind = _MAKERS.get(_last_name(call.func))
                    if kind is not None:
                        extent = target.col_offset, target.col_offset + len(target.id)
                        yield NamedPart(target.id, kind, container, _span(path, target.lineno, extent))
            if isinstance(child, ast.stmt):
                waiting.append((child, name))


def _decorated(decorator: ast.expr) -> str | None:
    function = decorator.func if isinstance(decorator, ast.Call) else decorator
    is_ours = (
        isinstance(function, ast.Attribute)
        and isinstance(function.value, ast.Name)
        and function.value.id == "ttl"
    )
    return _DECORATORS.get(_last_name(function)) if is_ours else None


def _last_name(function: ast.expr) -> str:
    return (
        function.attr
        if isinstance(function, ast.Attribute)
        else function.id
        if isinstance(function, ast.Name)
        else ""
    )
