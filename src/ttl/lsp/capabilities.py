"""The abilities of a client: read here, once, so that the server sends only messages and data that it knows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from lsprotocol import types


@dataclass(frozen=True, kw_only=True, slots=True)
class Abilities:
    """The abilities of a client; a client that declares nothing lacks all of these."""

    profile: bool = False
    """The client shows profiles itself: the notification ``ttl/profile``."""
    status: bool = False
    """The client wants the notification ``ttl/status``."""
    markdown: bool = False
    """The client shows Markdown in hovers; otherwise they are plain text."""
    markdown_items: bool = False
    """The client shows Markdown in completions."""
    markdown_signatures: bool = False
    snippets: bool = False
    action_literals: bool = False
    """The client takes code actions; otherwise it gets commands."""
    nested_symbols: bool = False
    """The client takes a tree of symbols; otherwise it gets a list."""
    versioned_edits: bool = False
    """The client takes edits that name the version of the text that they are for."""
    applies_edits: bool = False
    configuration: bool = False
    """Whether the client answers requests for the user's settings."""
    watches_files: bool = False
    """The client can report changes of files that are not open."""
    progress: bool = False
    refreshes_hints: bool = False
    refreshes_lenses: bool = False
    refreshes_tokens: bool = False
    related_places: bool = False
    tags: bool = False
    pages: bool = False
    """The client takes links from codes to pages."""
    data: bool = False
    """The client keeps the data of a diagnostic and sends it back."""


def abilities_of(capabilities: types.ClientCapabilities) -> Abilities:
    """Return the abilities that the capabilities of a client declare."""

    def can(path: str) -> bool:
        return bool(_at(capabilities, path))

    def reads_markdown(path: str) -> bool:
        return types.MarkupKind.Markdown in (_at(capabilities, path) or ())

    of_text = "text_document"
    return Abilities(
        profile=can("experimental.ttl.profile"),
        status=can("experimental.ttl.status"),
        markdown=reads_markdown(f"{of_text}.hover.content_format"),
        markdown_items=reads_markdown(f"{of_text}.completion.completion_item.documentation_format"),
        markdown_signatures=reads_markdown(
            f"{of_text}.signature_help.signature_information.documentation_format"
        ),
        snippets=can(f"{of_text}.completion.completion_item.snippet_support"),
        action_literals=can(f"{of_text}.code_action.code_action_literal_support"),
        nested_symbols=can(f"{of_text}.document_symbol.hierarchical_document_symbol_support"),
        versioned_edits=can("workspace.workspace_edit.document_changes"),
        applies_edits=can("workspace.apply_edit"),
        configuration=can("workspace.configuration"),
        watches_files=can("workspace.did_change_watched_files.dynamic_registration"),
        progress=can("window.work_done_progress"),
        refreshes_hints=can("workspace.inlay_hint.refresh_support"),
        refreshes_tokens=can("workspace.semantic_tokens.refresh_support"),
        refreshes_lenses=can("workspace.code_lens.refresh_support"),
        related_places=can(f"{of_text}.publish_diagnostics.related_information"),
        tags=can(f"{of_text}.publish_diagnostics.tag_support"),
        pages=can(f"{of_text}.publish_diagnostics.code_description_support"),
        data=can(f"{of_text}.publish_diagnostics.data_support"),
    )


def plain(text: str) -> str:
    """Return Markdown as plain text, without fences and marks of emphasis, for a client that shows it literally."""
    rows = (row for row in text.split("\n") if not row.startswith("```"))
    return "\n".join(rows).replace("**", "").replace("`", "")


def markup(text: str, is_markdown: bool) -> types.MarkupContent:
    """Return a Markdown text in a form that the client can show."""
    if is_markdown:
        return types.MarkupContent(kind=types.MarkupKind.Markdown, value=text)
    return types.MarkupContent(kind=types.MarkupKind.PlainText, value=plain(text))


def _at(given: object, path: str) -> Any:
    """Return a nested member by a dotted path: of objects of the library, or of mappings if it has no class."""
    for name in path.split("."):
        given = given.get(name) if isinstance(given, dict) else getattr(given, name, None)
    return given


def flattened(symbols: Iterable[types.DocumentSymbol], uri: str) -> list[types.SymbolInformation]:
    """A tree of symbols as a list; each symbol has the names of its parents, with dots between."""
    rows: list[types.SymbolInformation] = []

    def add(symbol: types.DocumentSymbol, container: str | None) -> None:
        place = types.Location(uri=uri, range=symbol.range)
        rows.append(
            types.SymbolInformation(
                location=place, name=symbol.name, kind=symbol.kind, container_name=container
            )
        )
        for child in symbol.children or ():
            add(child, symbol.name if container is None else f"{container}.{symbol.name}")

    for symbol in symbols:
        add(symbol, None)
    return rows
