"""Completion: the texts that may be written at a position, the likeliest first; the text need not be valid Python."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from ttl.service import words
from ttl.service.arguments import Proposal, argument_values
from ttl.service.around import Surroundings, receiver_before, surroundings
from ttl.service.facts import Kind, ValueFact
from ttl.service.language import Member, members, members_of
from ttl.service.scopes import BoundName
from ttl.service.subject import Places
from ttl.service.syntax import is_code, open_calls
from ttl.source.spans import Span

if TYPE_CHECKING:
    from ttl.service.analysis import Analysis

ItemKind = Literal[
    "function", "method", "property", "class", "constant", "module", "variable", "keyword", "value", "snippet"
]
# The ranks of the objects that kernels work with; all other names come after them.
_RANKS: Mapping[Kind, int] = MappingProxyType(
    {
        "block": 0,
        "expression": 0,
        "dataflow buffer": 1,
        "transfer": 1,
        "pipe": 1,
        "pipe net": 2,
        "semaphore": 2,
        "tensor": 2,
        "tensor slice": 2,
        "transfer group": 2,
    }
)
_WORD = re.compile(r"[A-Za-z_]\w*$")
_PLAIN = 3


@dataclass(frozen=True, kw_only=True, slots=True)
class Item:
    """Something that may be written in place of ``span``. Items of a smaller ``rank`` come first."""

    label: str
    kind: ItemKind
    span: Span
    rank: int = _PLAIN
    detail: str = ""
    documentation: str = ""
    insert: str = ""
    """The text to insert, if it is not the label; with ``$1`` and so on where ``kind`` is snippet."""
    deprecated: bool = False


def completion(analysis: Analysis, line: int, column: int) -> list[Item]:
    """Return the completions at a position (from 1), in order."""
    text = analysis.text.lines[line - 1] if 0 < line <= len(analysis.text.lines) else ""
    if not is_code(analysis.text, line, column):
        return []
    places = Places(analysis)
    here = surroundings(places, line, column)
    before = text[: column - 1]
    dotted = receiver_before(before)
    if dotted is not None:
        items = _members(here, dotted[0].strip(), _span(here, dotted[1]))
    elif re.match(r"\s*(?:import|from)\b", before):
        items = list(_imported(here, before))
    elif (decorator := re.match(r"\s*@\s*(\w*)$", before)) is not None:
        items = list(_decorators(here, _span(here, decorator[1])))
    else:
        proposed = list(_arguments(here))
        fits = any(item.kind == "value" for item in proposed)
        items = [*proposed, *_names(here, before, fits)]
    return sorted(_once(items), key=lambda item: (item.deprecated, item.rank))


def plain(snippet: str) -> str:
    """A snippet as plain text, for a client without snippets: each placeholder is replaced by its default."""
    return re.sub(r"\$\{\d+:([^}]*)\}|\$\d+", r"\1", snippet)


def _span(here: Surroundings, written: str) -> Span:
    """Return the place that a completion replaces: the part of a name before the cursor."""
    return here.places.span(here.line, here.column - len(written), here.column)


def _once(items: Iterable[Item]) -> list[Item]:
    known: dict[str, Item] = {}
    for item in items:
        if item.label not in known or item.rank < known[item.label].rank:
            known[item.label] = item
    return list(known.values())


# --- behind a dot ------------------------------------------------------------------------------------------------


def _members(here: Surroundings, owner: str, span: Span) -> list[Item]:
    module = here.module(owner)
    if module is not None:
        decorating = here.places.syntax.line(here.line).lstrip().startswith("@")
        return [
            replace(
                _of_member(known, span),
                rank=1 if (known.kind == "decorator") == decorating else 4,
            )
            for known in members(module)
        ]
    values = here.values(owner)
    if not values:
        return []
    return [
        replace(_of_member(known, span), rank=_legal(here, values[0], known.name))
        for known in members_of(values[0].kind)
    ]


def _of_member(known: Member, span: Span) -> Item:
    kinds: dict[str, ItemKind] = {"decorator": "function"}
    return Item(
        label=known.name,
        kind=kinds.get(known.kind, known.kind),  # type: ignore[arg-type]
        span=span,
        detail=known.signature,
        documentation=f"Older spelling of `{known.instead}`." if known.instead else known.summary,
        deprecated=bool(known.instead),
    )


def _legal(here: Surroundings, value: ValueFact, name: str) -> int:
    """The rank of a member of an object: 1 or 2 where this kernel may use it, 5 where that is an error.

    It is ``_PLAIN`` for members that every kernel may use.
    """
    kind = here.kernel_kind
    match value.kind, name:
        case "dataflow buffer", "reserve" | "wait":
            return 1 if kind is not None and not _taken(here, value, name) else 5
        case "block", "store":
            return 1 if kind == "compute" else 5
        case "block", "push" | "pop":
            return 2 if (name == "push") == (value.acquired == "reserve") else 5
        case "semaphore", _:
            return 1 if kind == "data movement" or name.startswith("get_remote") else 5
        case "pipe net", "if_src" | "if_dst":
            return 1 if kind == "data movement" else 5
    return _PLAIN


def _taken(here: Surroundings, value: ValueFact, how: str) -> bool:
    """Whether another kernel already reserves, or waits for, blocks of the buffer: only one kernel may do each."""
    kernel = here.kernel
    if value.made is None or kernel is None:
        return False
    return any(
        fact.acquired == how and fact.kernel != kernel.name
        for fact in here.places.index.acquires_of(value.made)
    )


# --- names -------------------------------------------------------------------------------------------------------


def _names(here: Surroundings, before: str, fits: bool) -> Iterator[Item]:
    """The visible names. If ``fits`` (there are proposals), objects of the language are left out, others rank lower."""
    word = _WORD.search(before)
    span = _span(here, word[0] if word else "")
    imports = here.places.imports()
    for symbol, values in here.names():
        if symbol.how == "import":
            if symbol.name in imports:
                yield Item(
                    label=symbol.name, kind="module", span=span, rank=_PLAIN, detail=imports[symbol.name]
                )
            continue
        defined = symbol.definition
        if defined is None or (defined.span.line == here.line and defined.span.end_column == here.column):
            continue  # the name that is being written
        kind = here.places.kernel_kind(defined.node)
        if symbol.how == "function" or kind is not None:
            detail = {None: "function", "operation": "operation"}.get(kind, f"{kind} kernel")
            yield Item(label=symbol.name, kind="function", span=span, rank=_PLAIN + 1, detail=detail)
            continue
        if not values:
            yield Item(label=symbol.name, kind="variable", span=span, rank=_PLAIN + 1)
            continue
        if fits and values[0].kind in _RANKS:
            continue
        yield Item(
            label=symbol.name,
            kind="variable",
            span=span,
            rank=_rank(here, symbol, values[0]) + (_PLAIN + 1 if fits else 0),
            detail=f"{values[0].kind}: {words.several(values)}".rstrip(": "),
        )


def _rank(here: Surroundings, symbol: BoundName, value: ValueFact) -> int:
    if value.kind == "block" and here.kernel is not None and value.kernel != here.kernel.name:
        return _PLAIN + 1  # a block of another kernel
    outside = symbol.scope.kind == "module" and here.scope.kind != "module"
    return _RANKS.get(value.kind, _PLAIN) + (_PLAIN if outside else 0)


def _arguments(here: Surroundings) -> Iterator[Item]:
    """Yield completions for an argument of the call around the position."""
    text = here.places.analysis.text
    calls = open_calls(text, here.line, here.column)
    if not calls or not calls[0].callee:
        return
    known = here.callee(calls[0].callee)
    if known is None:
        return
    argument = calls[0].arguments[-1]
    value = argument.partition("=")[2] if calls[0].keyword else argument
    written = value.lstrip()
    if "\n" not in written:
        span = here.places.span(here.line, here.column - len(written), here.column)
        for proposal in argument_values(here, known, calls):
            if proposal.text.startswith(written) or not written:
                yield _proposed(proposal, span)
    if calls[0].keyword or not re.fullmatch(r"\s*\w*", argument):
        return
    given = {match[1] for item in calls[0].arguments if (match := re.match(r"\s*(\w+)\s*=", item))}
    span = _span(here, argument.strip())
    for parameter in known.parameters[len(calls[0].arguments) - 1 :]:
        if parameter.name not in given and not parameter.text.startswith("*"):
            yield Item(
                label=f"{parameter.name}=",
                kind="keyword",
                span=span,
                rank=2,
                detail=parameter.text,
                documentation=parameter.doc,
            )


def _proposed(proposal: Proposal, span: Span) -> Item:
    return Item(label=proposal.text, kind="value", span=span, rank=proposal.rank, detail=proposal.why)


# --- imports and decorators --------------------------------------------------------------------------------------


def _imported(here: Surroundings, before: str) -> Iterator[Item]:
    match = re.match(r"\s*from\s+(ttl(?:\.\w+)?)\s+import\s+(?:[\w\s,]*,\s*)?(\w*)$", before)
    if match is not None:
        for known in members(match[1]):
            yield _of_member(known, _span(here, match[2]))
        return
    match = re.match(r"\s*(?:import|from)\s+(\w*)$", before)
    if match is not None:
        for name, detail in (("ttl", "the language"), ("ttnn", "tensors and devices")):
            yield Item(label=name, kind="module", span=_span(here, match[1]), rank=1, detail=detail)


_DECORATORS = (
    ("operation", 'operation(grid=${1:"auto"})', False),
    ("example", "example(ttl.TensorSpec((${1:64, 64})))", False),
    ("tile_operation", "tile_operation()", False),
    ("compute", "compute()", True),
    ("datamovement", "datamovement()", True),
)


def _decorators(here: Surroundings, span: Span) -> Iterator[Item]:
    """Decorators: those of kernels rank first in the body of an operation, those of operations elsewhere."""
    alias = next((name for name, qualified in here.places.imports().items() if qualified == "ttl"), "ttl")
    in_operation = here.function("operation") is not None and here.kernel is None
    for name, snippet, of_kernel in _DECORATORS:
        yield Item(
            label=f"{alias}.{name}",
            kind="snippet",
            span=span,
            rank=1 if of_kernel == in_operation else 5,
            insert=f"{alias}.{snippet}",
            documentation=next((item.summary for item in members("ttl") if item.name == name), ""),
        )
