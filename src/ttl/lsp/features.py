"""The requests of a client about a text, and the class that answers each."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from lsprotocol import types

from ttl.lsp.editing import APPLY, Editing
from ttl.lsp.margins import Margins
from ttl.lsp.navigating import NavigationAnswers
from ttl.lsp.publishing import Publisher
from ttl.lsp.reading import ReadingAnswers
from ttl.lsp.structure import DocumentStructure
from ttl.lsp.texts import TextServer
from ttl.service import tokens

LEGEND = types.SemanticTokensLegend(token_types=list(tokens.TYPES), token_modifiers=list(tokens.MODIFIERS))


def register(server: TextServer, publisher: Publisher, margins: Margins) -> None:
    """Register the answers to all requests with a server."""
    reading = ReadingAnswers(server, publisher, margins)
    navigating, editing = NavigationAnswers(server, publisher), Editing(server, publisher)
    structure = DocumentStructure(server, publisher)
    answers: dict[str, tuple[Callable[[Any], Awaitable[Any]], Any]] = {
        types.TEXT_DOCUMENT_HOVER: (reading.hover, None),
        types.TEXT_DOCUMENT_INLAY_HINT: (reading.hints, None),
        types.TEXT_DOCUMENT_COMPLETION: (
            reading.complete,
            types.CompletionOptions(trigger_characters=[".", "(", "=", "@", ","]),
        ),
        types.TEXT_DOCUMENT_SIGNATURE_HELP: (
            reading.signature,
            types.SignatureHelpOptions(trigger_characters=["(", ","], retrigger_characters=["="]),
        ),
        types.TEXT_DOCUMENT_DEFINITION: (navigating.definition, None),
        types.TEXT_DOCUMENT_TYPE_DEFINITION: (navigating.type_definition, None),
        types.TEXT_DOCUMENT_REFERENCES: (navigating.references, None),
        types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT: (navigating.highlights, None),
        types.TEXT_DOCUMENT_DOCUMENT_SYMBOL: (navigating.outline, None),
        types.TEXT_DOCUMENT_RENAME: (editing.rename, types.RenameOptions(prepare_provider=True)),
        types.TEXT_DOCUMENT_PREPARE_RENAME: (editing.prepare_rename, None),
        types.TEXT_DOCUMENT_CODE_ACTION: (
            editing.actions,
            types.CodeActionOptions(
                code_action_kinds=[
                    types.CodeActionKind.QuickFix,
                    types.CodeActionKind.RefactorRewrite,
                    types.CodeActionKind.SourceFixAll,
                ]
            ),
        ),
        types.TEXT_DOCUMENT_FOLDING_RANGE: (structure.folds, None),
        types.TEXT_DOCUMENT_DOCUMENT_LINK: (structure.links, None),
        types.WORKSPACE_SYMBOL: (structure.names, None),
        types.TEXT_DOCUMENT_PREPARE_CALL_HIERARCHY: (structure.prepare, None),
        types.CALL_HIERARCHY_INCOMING_CALLS: (structure.incoming, None),
        types.CALL_HIERARCHY_OUTGOING_CALLS: (structure.outgoing, None),
        types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL: (reading.all_tokens, LEGEND),
        types.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE: (reading.some_tokens, LEGEND),
    }
    for name, (answer, options) in answers.items():
        server.feature(name, options)(_function(answer))

    @server.command("ttl.fixAll")
    async def fix_all(*arguments: Any) -> dict[str, Any]:
        given = arguments[0] if arguments else None
        uri, code = (_text_of(given, name) for name in ("uri", "code"))
        if uri is None:
            raise ValueError("the argument of ttl.fixAll is an object with a uri")
        return await editing.fix_all(uri, code)

    @server.command(APPLY)
    async def apply(*arguments: Any) -> dict[str, Any]:
        edit = server.converter.structure(_plain(arguments[0]), types.WorkspaceEdit)
        return await editing.apply(types.ApplyWorkspaceEditParams(edit=edit))


def _plain(given: Any) -> Any:
    """Return an argument of a command as mappings and lists, whatever class the library gives it."""
    if hasattr(given, "_asdict"):
        given = given._asdict()
    if isinstance(given, dict):
        return {name: _plain(value) for name, value in given.items()}
    return [_plain(value) for value in given] if isinstance(given, list | tuple) else given


def _text_of(given: Any, name: str) -> str | None:
    """A text member of an argument of a command, which clients send as an object; None if it is not a text."""
    value = given.get(name) if isinstance(given, dict) else getattr(given, name, None)
    return value if isinstance(value, str) else None


def _function(answer: Callable[[Any], Awaitable[Any]]) -> Callable[[Any], Awaitable[Any]]:
    """Wrap a method in a function, because the library sets attributes on it."""

    async def function(params: Any) -> Any:
        return await answer(params)

    return function
