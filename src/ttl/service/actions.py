"""Code actions other than fixes of findings: to write out inferred calls, to declare a call with ``ttl.example``."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ttl.diag.model import Edit, Fix
from ttl.service.facts import InferredFact, TensorKind, ValueFact
from ttl.service.subject import Places
from ttl.source.spans import Span

if TYPE_CHECKING:
    from ttl.service.analysis import Analysis

ActionKind = Literal["refactor.rewrite"]
_LONGEST_LINE = 100
_NUMBER = re.compile(r"-?\d+(\.\d+)?$")


@dataclass(frozen=True, slots=True)
class Action:
    """A change of the text, with a title that describes it."""

    title: str
    kind: ActionKind
    edits: tuple[Edit, ...]


def actions(analysis: Analysis, first: int, last: int) -> list[Action]:
    """Return the actions for some lines; none for a stale analysis or a text with syntax errors.
    The current session must provide the text (``SOURCES``), as it does while the text is analysed.
    """
    places = Places(analysis)
    if places.syntax.broken or analysis.stale:
        return []
    return [*_explicit(places, first, last), *_examples(places, first, last)]


# --- inferred calls ------------------------------------------------------------------------------------------------


def _explicit(places: Places, first: int, last: int) -> Iterator[Action]:
    """Actions that write inferred pushes, pops and waits where they take effect: each one here, and all of the file."""
    everything: list[tuple[InferredFact, Fix]] = []
    here = False
    for fact in places.index.inferred(places.path):
        fix = _written(fact)
        if fix is None:
            continue
        everything.append((fact, fix))
        lines = {fact.of.line, fact.after.end_line}
        if any(first <= line <= last for line in lines):
            here = True
            yield Action(f"Add the {fact.how} that is inferred: {_shown(fix)}", "refactor.rewrite", fix.edits)
    if here and len(everything) > 1:
        edits = _together([edit for _, fix in everything for edit in fix.edits])
        yield Action(
            f"Add all {len(everything)} pushes, pops and waits that are inferred in this file",
            "refactor.rewrite",
            edits,
        )


def _written(fact: InferredFact) -> Fix | None:
    from ttl.check.implicit import explicit

    return explicit(fact.of, fact.how)


def _shown(fix: Fix) -> str:
    return fix.edits[0].replacement.strip().lstrip("\n") or fix.description


def _together(edits: list[Edit]) -> tuple[Edit, ...]:
    """Merge edits of one text: several edits of the same place become one, in the order of the list."""
    merged: dict[Span, str] = {}
    for edit in edits:
        merged[edit.span] = merged.get(edit.span, "") + edit.replacement
    return tuple(Edit(span=span, replacement=text) for span, text in merged.items())


# --- ttl.example from a call --------------------------------------------------------------------------------------


def _examples(places: Places, first: int, last: int) -> Iterator[Action]:
    """Actions that declare the calls of an operation that is defined or used on these lines: one per specialisation."""
    for node, kind in places.functions():
        if kind != "operation":
            continue
        span = places.syntax.file.span(node)
        begin = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
        if not any(
            first <= line <= last for line in (*range(begin, span.line + 1), *_called_in(places, node))
        ):
            continue
        declared = [
            ast.unparse(decorator) for decorator in node.decorator_list if "example" in ast.unparse(decorator)
        ]
        for operation in places.analysis.operations:
            if operation.span != span:
                continue
            for call in operation.specialisations:
                text = _example(places, node, call.arguments)
                if text is None or " ".join(text.split())[1:] in declared:
                    continue
                indent = " " * node.col_offset
                lines = "".join(f"{indent}{line}\n" for line in text.split("\n"))
                at = places.span(begin, 1, 1)
                yield Action(
                    f"Declare this call with ttl.example: {', '.join(call.arguments)}",
                    "refactor.rewrite",
                    (Edit(span=at, replacement=lines),),
                )


def _called_in(places: Places, node: ast.FunctionDef) -> Iterator[int]:
    """The lines on which an operation is used."""
    symbol = places.symbols.module.names.get(node.name)
    for occurrence in symbol.occurrences if symbol is not None else ():
        if occurrence.role == "used":
            yield occurrence.span.line


def _example(places: Places, node: ast.FunctionDef, arguments: tuple[str, ...]) -> str | None:
    """The ``ttl.example`` decorator that declares a call; None where an argument cannot be written as text."""
    aliases = {qualified: name for name, qualified in places.imports().items()}
    ttl = aliases.get("ttl")
    if ttl is None:
        return None
    names = [parameter.arg for parameter in (*node.args.posonlyargs, *node.args.args)]
    keywords = {parameter.arg for parameter in node.args.kwonlyargs}
    texts: list[str] = []
    for argument in arguments:
        name = re.split(r"[:=]", argument, maxsplit=1)[0].strip()
        text = _spec(places, node, name, argument, ttl)
        if text is None or (name not in names and name not in keywords):
            return None
        texts.append(f"{name}={text}" if name in keywords else text)
    short = f"@{ttl}.example({', '.join(texts)})"
    if len(short) + node.col_offset <= _LONGEST_LINE:
        return short
    inside = "".join(f"    {text},\n" for text in texts)
    return f"@{ttl}.example(\n{inside})"


def _spec(places: Places, node: ast.FunctionDef, name: str, argument: str, ttl: str) -> str | None:
    """The argument of ``ttl.example`` for an argument of a call: ``ttl.TensorSpec((64, 64))``, or the same literal."""
    if "=" in argument and ":" not in argument.partition("=")[0]:
        value = argument.partition("=")[2]
        is_literal = _NUMBER.match(value) or value in ("True", "False", "None") or value[:1] in "'\""
        return value if is_literal else None
    match = re.match(r"\w+: ([\dx]+) (\w+)$", argument)
    if match is None:
        return None
    shape = tuple(int(extent) for extent in match[1].split("x"))
    kind = _kind(places, node, name, shape, match[2])
    rest = _properties(places, kind, match[2])
    return None if rest is None else f"{ttl}.TensorSpec({shape}{rest})"


def _kind(
    places: Places, node: ast.FunctionDef, name: str, shape: tuple[int, ...], dtype: str
) -> TensorKind | None:
    """Return the tensor that a parameter stands for with this shape and element type, or None."""
    symbol = places.symbols.scope_of(node).names.get(name)
    values: tuple[ValueFact, ...] = () if symbol is None else places.values_of_symbol(symbol)
    kinds = [value.tensor for value in values if value.tensor is not None]
    return next((kind for kind in kinds if kind.shape == shape and kind.dtype == dtype), None)


def _properties(places: Places, kind: TensorKind | None, dtype: str) -> str | None:
    """The further arguments of a ``TensorSpec``; None where they cannot be written."""
    ttnn = next(
        (
            symbol.name
            for symbol in places.symbols.module.names.values()
            if symbol.definition is not None
            and isinstance(symbol.definition.node, ast.alias)
            and symbol.definition.node.name == "ttnn"
        ),
        None,
    )
    parts: list[str] = []
    if dtype != "bfloat16":
        parts.append(f"dtype={ttnn}.{dtype}")
    if kind is not None and kind.layout != "tiled":
        parts.append(f"layout={ttnn}.ROW_MAJOR_LAYOUT")
    if kind is not None and kind.memory == "L1, interleaved":
        parts.append(f"memory_config={ttnn}.L1_MEMORY_CONFIG")
    elif kind is not None and kind.memory != "DRAM, interleaved":
        return None  # the placement of shards has no short text
    if parts and ttnn is None:
        return None
    return "".join(f", {part}" for part in parts)
