"""The protocol as the library has it, but for what it keeps of texts and says of commands."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from lsprotocol import types
from pygls.protocol import LanguageServerProtocol, lsp_method

from ttl.lsp.commands import ProgressArgument


class TextProtocol(LanguageServerProtocol):
    """The protocol with texts kept by ``Document``: whatever the client sends, there is a text afterwards."""

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: types.InitializeParams) -> Generator[Any, Any, Any]:
        """Say that a client may send a token for the progress of a command."""
        result = yield from super().lsp_initialize(params)
        provider = result.capabilities.execute_command_provider
        if provider is not None:
            provider.work_done_progress = True
        return result

    @lsp_method(types.WORKSPACE_EXECUTE_COMMAND)
    def lsp_workspace__execute_command(self, params: types.ExecuteCommandParams) -> Generator[Any, Any, Any]:
        """A command; the token that the client has for its progress is one more argument."""
        if params.work_done_token is not None:
            params.arguments = [*(params.arguments or ()), ProgressArgument(params.work_done_token)]
        return (yield from super().lsp_workspace__execute_command(params))

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        """A file is shown."""
        item = params.text_document
        self._server.opened(item.uri, item.text, item.version)  # type: ignore[attr-defined]

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        """A file was edited."""
        item = params.text_document
        self._server.edited(item.uri, params.content_changes, item.version)  # type: ignore[attr-defined]

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        """A file is shown no more."""
        self._server.closed(params.text_document.uri)  # type: ignore[attr-defined]

    @lsp_method(types.EXIT)
    def lsp_exit(self, *args: Any) -> Generator[Any, Any, None]:
        """The client is done. Nothing of ours outlives it, not a thread that waits for input either."""
        self._server.leave(0 if self._shutdown else 1)  # type: ignore[attr-defined]
        yield from ()
