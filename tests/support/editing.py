"""What tests of the language server do: open and edit texts, and wait for what is published."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from lsprotocol import types
from pytest_lsp import LanguageClient

# In seconds. Nothing takes as long; a test that waits for what does not come ends with it.
_PATIENCE = 30.0


@contextmanager
def _publications(client: LanguageClient) -> Iterator[asyncio.Queue[types.PublishDiagnosticsParams]]:
    """What is published from here on, each of it: several may come at once."""
    arrived: asyncio.Queue[types.PublishDiagnosticsParams] = asyncio.Queue()
    listening = True

    def hear(params: types.PublishDiagnosticsParams) -> None:
        if listening:
            arrived.put_nowait(params)
            listen()

    def listen() -> None:
        client.protocol.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS, hear)

    listen()
    try:
        yield arrived
    finally:
        listening = False


async def shown(client: LanguageClient, uri: str, version: int | None) -> list[types.Diagnostic]:
    """What is published for a text, waited for."""
    with _publications(client) as arrived:
        async with asyncio.timeout(_PATIENCE):
            while True:
                params = await arrived.get()
                if params.uri == uri and params.version == version:
                    return list(params.diagnostics)


async def opened(client: LanguageClient, uri: str, text: str) -> list[types.Diagnostic]:
    """Open a text, and wait for what is published for it."""
    item = types.TextDocumentItem(uri=uri, language_id="python", version=1, text=text)
    client.text_document_did_open(types.DidOpenTextDocumentParams(text_document=item))
    return await shown(client, uri, 1)


async def edited(
    client: LanguageClient, uri: str, version: int, *changes: types.TextDocumentContentChangeEvent
) -> list[types.Diagnostic]:
    """Edit a text, and wait for what is published for it."""
    document = types.VersionedTextDocumentIdentifier(uri=uri, version=version)
    client.text_document_did_change(
        types.DidChangeTextDocumentParams(text_document=document, content_changes=list(changes))
    )
    return await shown(client, uri, version)


def replaced(line: int, start: int, end: int, text: str) -> types.TextDocumentContentChangePartial:
    """A change within one line; all counted from 0."""
    begin, last = types.Position(line=line, character=start), types.Position(line=line, character=end)
    return types.TextDocumentContentChangePartial(range=types.Range(start=begin, end=last), text=text)


async def until(
    client: LanguageClient, uri: str, wanted: Callable[[Sequence[types.Diagnostic]], bool]
) -> None:
    """Wait until what is shown for a text is as wanted."""
    with _publications(client) as arrived:
        async with asyncio.timeout(_PATIENCE):
            while not wanted(client.diagnostics.get(uri, ())):
                await arrived.get()


def plain(item: Any) -> Any:
    """An object of the client's library as dictionaries and lists."""
    if hasattr(item, "_asdict"):
        return {key: plain(value) for key, value in item._asdict().items()}
    if isinstance(item, list | tuple):
        return [plain(value) for value in item]
    return {key: plain(value) for key, value in item.items()} if isinstance(item, dict) else item


def edits_of(edit: types.WorkspaceEdit | None, uri: str) -> list[types.TextEdit]:
    """The edits of one file, whichever way they are said."""
    assert edit is not None
    if edit.document_changes is None:
        return list((edit.changes or {})[uri])
    assert edit.changes is None
    (own,) = [
        change
        for change in edit.document_changes
        if isinstance(change, types.TextDocumentEdit) and change.text_document.uri == uri
    ]
    return [item for item in own.edits if isinstance(item, types.TextEdit)]


def takes_registrations(client: LanguageClient, refreshed: list[str] | None = None) -> None:
    """Let a client do what it says it can: be told which files to look at, and to ask again for what it shows.

    What it is told to ask for again is added to ``refreshed``.
    """

    @client.feature(types.CLIENT_REGISTER_CAPABILITY)
    def register(params: types.RegistrationParams) -> None:
        """It looks at none: tests say themselves what has changed."""

    def refreshes(name: str) -> None:
        @client.feature(name)
        def refresh(params: None) -> None:
            if refreshed is not None:
                refreshed.append(name)

    refreshes(types.WORKSPACE_CODE_LENS_REFRESH)
    refreshes(types.WORKSPACE_INLAY_HINT_REFRESH)
    refreshes(types.WORKSPACE_SEMANTIC_TOKENS_REFRESH)
