"""The state of the client and of the open texts: all modules that answer, publish or run use it."""

from __future__ import annotations

import asyncio
import contextlib
import time
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, NoReturn

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, default_converter

from ttl.diag.internal import version
from ttl.lsp.capabilities import Abilities
from ttl.lsp.convert import Encoding, path_of
from ttl.lsp.documents import Document
from ttl.lsp.options import ClientOptions
from ttl.lsp.scheduling import AnalysisThread
from ttl.service.analysis import Analysis
from ttl.service.workspace import Workspace
from ttl.session.switches import Settings
from ttl.source.files import lines

# How long the first analysis of a file is waited for at a time, in seconds.
PATIENCE = 0.05
# How long a query about a whole text waits for its analysis, in seconds.
_SETTLED = 5.0


class TextServer(LanguageServer):
    """The part of the server that other modules use: the client's abilities and options, open texts, their analyses."""

    _thread: AnalysisThread
    """Analyses one text after the other."""

    def __init__(self, settings: Settings, protocol: type[LanguageServerProtocol]) -> None:
        self.converter: Any = default_converter()  # type: ignore[no-untyped-call]
        """Converts between objects of the protocol and plain data."""
        super().__init__(
            "ttl",
            version(),
            text_document_sync_kind=types.TextDocumentSyncKind.Incremental,
            protocol_cls=protocol,
            converter_factory=lambda: self.converter,
            max_workers=2,
        )
        self.options = ClientOptions(settings=settings)
        self.documents: dict[str, Document] = {}
        """The open texts, by path."""
        self.abilities = Abilities()
        """The client's abilities."""
        self.root: str | None = None
        """The folder of the workspace; None if there is no such folder."""
        self.encoding: Encoding = "utf-16"
        self.ttl: Workspace = Workspace(None, settings)
        self._waiting: dict[str, asyncio.Event] = {}
        """Set when a text is analysed that a question waits for, by path."""

    @abstractmethod
    def leave(self, code: int) -> NoReturn:
        """End the process."""

    def is_settled(self, path: str) -> bool:
        """Return whether the analysis of a file is that of its newest text."""
        return self._thread.is_settled(path)

    def lines(self, path: str) -> Sequence[str]:
        """Return the current lines of a file."""
        text = self.ttl.text(path)
        if text is not None:
            return text.lines
        with self.ttl.session.entered():
            return lines(path) or ()

    async def analysis(self, uri: str) -> Analysis | None:
        """Return the analysis of a text: its own, or that of an earlier text with places moved.

        The first analysis of a file is waited for briefly.
        """
        path = path_of(uri)
        is_first = self.ttl.known(path) is None
        if path in self.documents and is_first and not self._thread.is_settled(path):
            event = self._waiting.setdefault(path, asyncio.Event())
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(event.wait(), PATIENCE)
        return self.ttl.latest(path)

    async def settled(self, uri: str) -> Analysis | None:
        """Return the analysis of the newest text, after waiting for it; after 5 seconds, that of an earlier text.

        It is for answers that stay on the screen until the next edit. None if there is no analysis.
        """
        path = path_of(uri)
        until = time.monotonic() + _SETTLED
        while path in self.documents and not self._thread.is_settled(path) and time.monotonic() < until:
            event = self._waiting.setdefault(path, asyncio.Event())
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(event.wait(), PATIENCE)
        return self.ttl.latest(path)
