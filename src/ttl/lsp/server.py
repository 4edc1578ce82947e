"""The server: the texts that the client has open, its requests, and its diagnostics.

It answers ``initialize`` before the checker is imported, which the thread of analyses does at once."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import sys
from collections.abc import Generator, Sequence
from dataclasses import replace
from typing import Any, NoReturn

from lsprotocol import types
from pygls.protocol import LanguageServerProtocol, lsp_method

from ttl.diag.internal import internal_error
from ttl.lsp.capabilities import abilities_of
from ttl.lsp.collecting import Collector, keep_imports
from ttl.lsp.commands import Commands, ProgressArgument
from ttl.lsp.commands import register as register_commands
from ttl.lsp.convert import encoding_of, path_of
from ttl.lsp.documents import Document
from ttl.lsp.features import register
from ttl.lsp.options import options_of
from ttl.lsp.publishing import Publisher
from ttl.lsp.scheduling import AnalysisThread
from ttl.lsp.texts import TextServer
from ttl.lsp.transport import watch_client
from ttl.service.analysis import Analysis
from ttl.service.workspace import Workspace
from ttl.session import FileText
from ttl.session.switches import Settings


class TextProtocol(LanguageServerProtocol):
    """The protocol, with texts kept as ``Document``: any edit of the client, also a wrong one, leaves a valid text."""

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: types.InitializeParams) -> Generator[Any, Any, Any]:
        """Declare that a client may send a token for the progress of a command."""
        result = yield from super().lsp_initialize(params)
        provider = result.capabilities.execute_command_provider
        if provider is not None:
            provider.work_done_progress = True
        return result

    @lsp_method(types.WORKSPACE_EXECUTE_COMMAND)
    def lsp_workspace__execute_command(self, params: types.ExecuteCommandParams) -> Generator[Any, Any, Any]:
        """Execute a command; the client's token for its progress is one more argument."""
        if params.work_done_token is not None:
            params.arguments = [*(params.arguments or ()), ProgressArgument(params.work_done_token)]
        return (yield from super().lsp_workspace__execute_command(params))

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        """Handle the opening of a file."""
        item = params.text_document
        self._server.opened(item.uri, item.text, item.version)  # type: ignore[attr-defined]

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        """Handle an edit of a file."""
        item = params.text_document
        self._server.edited(item.uri, params.content_changes, item.version)  # type: ignore[attr-defined]

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        """Handle the closing of a file."""
        self._server.closed(params.text_document.uri)  # type: ignore[attr-defined]

    @lsp_method(types.EXIT)
    def lsp_exit(self, *args: Any) -> Generator[Any, Any, None]:
        """End the process with the client; no thread outlives it, not even one that waits for input."""
        self._server.leave(0 if self._shutdown else 1)  # type: ignore[attr-defined]
        yield from ()


LOG = logging.getLogger(__name__)
# How long an analysis runs on after a message of the client has arrived, in seconds; Python's default is 5 times that.
_SWITCH = 0.001
# Files of settings, which are not programs.
_SETTINGS = ".toml"
# The files that are watched besides the open programs.
_WATCHED = ("**/*.py", "**/pyproject.toml", "**/ttl.tuned.toml")
# The most characters of a text that is analysed while it is typed: parsing a longer one takes seconds, and gigabytes.
_LONGEST = 1_000_000


class Server(TextServer):
    """The language server. ``settings`` are those of the process, from its environment."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings, TextProtocol)
        self._settings = settings
        self._unasked: set[str] = set()
        """Files that are analysed again although they were not edited, so that no request about them is waiting."""
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = self._new_thread()
        self.publisher = Publisher(self)
        self.commands = Commands(self, self.publisher)

    # --- the life of the server ------------------------------------------------------------------------------------

    def begin(self, params: types.InitializeParams) -> None:
        """Handle the client's request ``initialize``."""
        self._loop = asyncio.get_running_loop()
        self.encoding = encoding_of(self.workspace.position_encoding)
        self.abilities = abilities_of(params.capabilities)
        self.options = options_of(params.initialization_options, self._settings)
        folders = params.workspace_folders or []
        root = folders[0].uri if folders else params.root_uri
        folder = None if root is None else path_of(root)
        self.root = folder if folder is not None and os.path.isdir(folder) else None
        self.ttl = Workspace(self.root, self.options.settings)
        self._thread = self._new_thread()
        self._thread.start()
        if params.process_id is not None:
            watch_client(params.process_id)

    def leave(self, code: int) -> NoReturn:
        """End the process."""
        self._thread.stop()
        self.commands.leave()  # Python's exit handlers do not run
        for stream in (sys.stdout, sys.stderr):
            with_flush = getattr(stream, "flush", None)
            if with_flush is not None and not getattr(stream, "closed", False):
                with_flush()
        os._exit(code)

    def _new_thread(self) -> AnalysisThread:
        collector = Collector()
        return AnalysisThread(
            self.ttl,
            started=_import_checker,
            done=self._analysed,
            failed=self._failed,
            behind=collector.after_analysis,
            idle=collector.when_idle,
        )

    # --- texts -----------------------------------------------------------------------------------------------------

    def opened(self, uri: str, text: str, number: int | None) -> None:
        """Handle the opening of a file."""
        self._show(Document(uri, number, text, self.encoding), delay=0.0)

    def edited(
        self, uri: str, changes: Sequence[types.TextDocumentContentChangeEvent], number: int | None
    ) -> None:
        """Handle an edit of a file. Edits of a file that is not open are applied to an empty text."""
        known = self.documents.get(path_of(uri)) or Document(uri, None, "", self.encoding)
        self._show(known.changed(changes, number), delay=self.options.debounce_ms / 1000)

    def _show(self, document: Document, delay: float) -> None:
        is_new = document.path not in self.documents
        self.documents[document.path] = document
        if len(document.text) > _LONGEST:
            self.ttl.close(document.path)
            self._thread.forget(document.path)
            self.commands.edited(document.path)
            self.publisher.show_too_long(document, _LONGEST)
            return
        if is_new and not document.path.endswith(_SETTINGS):
            self.publisher.tell_status(document, "checking")
        if document.path.endswith(_SETTINGS):
            self.ttl.change(document.path, document.text, document.version)
            self.look_again()
            return
        self.ttl.change(document.path, document.text, document.version)
        for path in self.ttl.dependents([document.path]):
            self._unasked.add(path)
            self._thread.request(path, delay + self.options.debounce_ms / 1000)
        self._thread.request(document.path, delay)
        self.commands.edited(document.path)

    async def watch(self) -> None:
        """Ask the client to report changes of files that are not open."""
        if not self.abilities.watches_files:
            return
        watchers = [types.FileSystemWatcher(glob_pattern=pattern) for pattern in _WATCHED]
        registration = types.Registration(
            id="ttl files",
            method=types.WORKSPACE_DID_CHANGE_WATCHED_FILES,
            register_options=types.DidChangeWatchedFilesRegistrationOptions(watchers=watchers),
        )
        with contextlib.suppress(Exception):  # an error of the client: it does not report changes then
            await self.client_register_capability_async(
                types.RegistrationParams(registrations=[registration])
            )

    async def ask_for_options(self) -> bool:
        """Ask the client for the section ``ttl`` of its settings; return whether it has answered."""
        if not self.abilities.configuration:
            return False
        wanted = types.ConfigurationParams(items=[types.ConfigurationItem(section="ttl")])
        try:
            (section,) = await self.workspace_configuration_async(wanted)
        except Exception:  # an error of the client: the known settings are kept
            LOG.warning("the client does not say its settings")
            return False
        if section:  # otherwise the initial settings are kept
            self.choose(section)
        return True

    def choose(self, section: Any) -> None:
        """Set the user's options. Options with errors are reported, and have their defaults."""
        before = self.options
        self.options = replace(options_of(section, self._settings), trusted=before.trusted)
        for text in self.options.wrong:
            self.window_show_message(types.ShowMessageParams(type=types.MessageType.Warning, message=text))
        if before.settings != self.options.settings:
            self.look_again(all_anew=True)

    def look_again(self, *, all_anew: bool = False) -> None:
        """Analyse all open texts again: another file, or a setting, may have changed."""
        if all_anew:
            self.ttl.reload_settings(self.options.settings)
        for path in self.ttl.opened():
            if not path.endswith(_SETTINGS):
                self._unasked.add(path)
                self._thread.request(path, self.options.debounce_ms / 1000)

    def closed(self, uri: str) -> None:
        """Handle the closing of a file: its own findings are removed, those of open files about it stay."""
        path = path_of(uri)
        self.documents.pop(path, None)
        dependents = self.ttl.dependents([path])
        self.ttl.close(path)
        self._thread.forget(path)
        self.commands.closed(path)
        self.publisher.forget(path)
        for other in dependents:
            self._thread.request(other, self.options.debounce_ms / 1000)

    # --- results -----------------------------------------------------------------------------------------------------

    def _analysed(self, analysis: Analysis) -> None:
        """Receive a result, on the thread of analyses."""
        self._soon(self._show_result, analysis)

    def _failed(self, path: str, raised: Exception) -> None:
        """Receive an internal error, on the thread of analyses."""
        LOG.error("the analysis of %s failed", path, exc_info=raised)

        finding = internal_error(raised, doing="the analysis of this text").diagnostic
        finding = replace(finding, primary=None)  # it is about the whole text, not about the caller
        document, text = self.documents.get(path), self.ttl.text(path) or FileText("")
        number = None if document is None else document.version
        self._soon(self._show_result, Analysis(path=path, version=number, text=text, findings=(finding,)))

    def _soon(self, call: Any, *arguments: Any) -> None:
        """Call a function on the thread that talks to the client."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(call, *arguments)

    def _show_result(self, analysis: Analysis) -> None:
        """Publish the findings, unless the text has changed."""
        waiting = self._waiting.pop(analysis.path, None)
        if waiting is not None:
            waiting.set()
        document = self.documents.get(analysis.path)
        if document is None or self.ttl.text(analysis.path) is not analysis.text:
            return
        self.publisher.show(document, analysis)
        if analysis.path in self._unasked:
            self._unasked.discard(analysis.path)
            self.publisher.refresh()


def _import_checker() -> None:
    """Import the modules that an analysis needs, before the first one."""
    sys.setswitchinterval(_SWITCH)
    from ttl.ir.lean import import_lean

    import_lean()
    import ttl.check.fitting
    import ttl.frontend.file
    import ttl.service.checking  # noqa: F401

    keep_imports()


def make(settings: Settings) -> Server:
    """Return a server with all its abilities."""
    server = Server(settings)

    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        server.begin(params)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def saved(params: types.DidSaveTextDocumentParams) -> None:
        """Run the sanitizer if the user has asked for that. The text that was saved has been analysed when it was typed."""
        server.commands.saved(params.text_document.uri)

    @server.feature(types.INITIALIZED)
    async def initialized(params: types.InitializedParams) -> None:
        await server.watch()
        await server.ask_for_options()

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def watched(params: types.DidChangeWatchedFilesParams) -> None:
        """Handle a change of a file that is not open: a module, settings, tuned configurations."""
        if any(path_of(change.uri) not in server.documents for change in params.changes):
            server.look_again()

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def configured(params: types.DidChangeConfigurationParams) -> None:
        """Handle a change of the user's settings, which the client has sent or is asked for."""
        if not await server.ask_for_options():
            server.choose(params.settings)

    register(server, server.publisher, server.commands.margins)
    register_commands(server, server.commands)
    return server
