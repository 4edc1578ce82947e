"""The common part of all answers: the analysis of a text, and places and edits in the protocol's terms.

Queries are answered from the analysis of the present text, or from the last analysis, moved to the present places; the
program is never read again. An internal error in a query is logged, and the answer is empty."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TypeVar

from lsprotocol import types

from ttl.diag.model import Edit
from ttl.lsp.convert import place, range_of, text_edit, uri_of
from ttl.lsp.publishing import Publisher
from ttl.lsp.texts import TextServer
from ttl.service.analysis import Analysis
from ttl.source.spans import Span

Answer = TypeVar("Answer")


class Questions:
    """Queries the service. ``server`` has the texts and their analyses, ``publisher`` shows internal errors."""

    def __init__(self, server: TextServer, publisher: Publisher) -> None:
        self._server = server
        self._publisher = publisher

    async def ask(
        self, uri: str, query: Callable[[Analysis], Answer], *, newest: bool = False
    ) -> Answer | None:
        """Return the result of a query about a text; None where the text has no analysis, or the query fails.

        A query with ``newest`` is about a whole file, and its answer stays on the screen until the next edit, or edits
        the text: it waits for the analysis of the newest text. Other queries are answered at once, if necessary from an
        earlier analysis.
        """
        analysis = await (self._server.settled(uri) if newest else self._server.analysis(uri))
        if analysis is None:
            return None
        with self._server.ttl.reading():
            try:
                return query(analysis)
            except Exception as raised:
                self._publisher.defect(raised, f"a question about {os.path.basename(analysis.path)}")
                return None

    def _range(self, span: Span) -> types.Range:
        return range_of(self._server.lines(span.file), span, self._server.encoding)

    def _location(self, span: Span) -> types.Location:
        document = self._server.documents.get(span.file)
        uri = uri_of(span.file) if document is None else document.uri
        return types.Location(uri=uri, range=self._range(span))

    def _place(self, analysis: Analysis, where: types.Position) -> tuple[int, int]:
        return place(analysis.text.lines, where, self._server.encoding)

    def _edits(self, path: str, edits: Sequence[Edit]) -> list[types.TextEdit]:
        lines, document = self._server.lines(path), self._server.documents.get(path)
        newline = "\n" if document is None else document.newline
        return [text_edit(lines, edit, self._server.encoding, newline) for edit in edits]

    def _workspace_edit(self, edits: Sequence[Edit]) -> types.WorkspaceEdit:
        """An edit of the workspace from edits by file; those of an open file name the version that they are for."""
        by_file: dict[str, list[Edit]] = {}
        for edit in edits:
            by_file.setdefault(edit.span.file, []).append(edit)
        changes: dict[str, Sequence[types.TextEdit]] = {}
        versioned: list[types.TextDocumentEdit] = []
        for path, own in by_file.items():
            document = self._server.documents.get(path)
            uri, version = (uri_of(path), None) if document is None else (document.uri, document.version)
            changes[uri] = self._edits(path, own)
            identifier = types.OptionalVersionedTextDocumentIdentifier(uri=uri, version=version)
            versioned.append(types.TextDocumentEdit(text_document=identifier, edits=changes[uri]))
        if self._server.abilities.versioned_edits:
            return types.WorkspaceEdit(document_changes=versioned)
        return types.WorkspaceEdit(changes=changes)
