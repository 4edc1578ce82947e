"""The structure of a text: folds, links, the names of a workspace, and kernels that pass buffers to other kernels."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import MappingProxyType
from typing import TypeVar

from lsprotocol import types

from ttl.lsp.convert import path_of, uri_of
from ttl.lsp.navigating import SYMBOLS
from ttl.lsp.publishing import Publisher
from ttl.lsp.questions import Questions
from ttl.lsp.texts import TextServer
from ttl.service import passing, structure
from ttl.service.analysis import Analysis
from ttl.service.navigation import Outline
from ttl.service.passing import BufferPeer
from ttl.service.structure import NamedPart
from ttl.session import SOURCES, FileText, Session, Sources

Item = TypeVar("Item")

_FOLDS = MappingProxyType(
    {
        "imports": types.FoldingRangeKind.Imports,
        "comment": types.FoldingRangeKind.Comment,
    }
)
# The number of names that are listed at most: an editor asks again with more letters.
_MOST_NAMES = 500


class DocumentStructure(Questions):
    """The answers to requests about structure."""

    def __init__(self, server: TextServer, publisher: Publisher) -> None:
        super().__init__(server, publisher)
        # The analyses of files that are not open.
        self._files = Session()

    async def folds(self, params: types.FoldingRangeParams) -> list[types.FoldingRange] | None:
        """Return the folds: functions, blocks, imports, comments."""
        folds = self._of_text(params.text_document.uri, structure.folds)
        if folds is None:
            return None
        return [
            types.FoldingRange(
                start_line=fold.first - 1,
                end_line=fold.last - 1,
                kind=_FOLDS.get(fold.kind),
            )
            for fold in folds
        ]

    async def links(self, params: types.DocumentLinkParams) -> list[types.DocumentLink] | None:
        """Return the links to pages of error codes and of sections of the specification."""
        links = self._of_text(params.text_document.uri, lambda path, text: list(structure.links(path, text)))
        if links is None:
            return None
        return [
            types.DocumentLink(
                range=self._range(link.span),
                target=uri_of(str(link.page)) + (f"#{link.heading}" if link.heading else ""),
                tooltip=link.what,
            )
            for link in links
        ]

    def _of_text(self, uri: str, ask: Callable[[str, FileText], list[Item]]) -> list[Item] | None:
        path = path_of(uri)
        text = self._server.ttl.text(path)
        if text is None:
            return None
        with self._server.ttl.reading():
            return ask(path, text)

    async def names(self, params: types.WorkspaceSymbolParams) -> list[types.SymbolInformation]:
        """Return operations, kernels, buffers, nets and semaphores of the workspace, by the letters of their names."""

        texts = self._server.ttl.texts()

        def search() -> list[NamedPart]:
            with self._files.entered(), SOURCES.given(Sources(texts)):
                return structure.parts_below(self._server.root, texts, params.query)

        # The search may read files: other questions are answered meanwhile.
        parts = await asyncio.to_thread(search)
        return [
            types.SymbolInformation(
                name=part.name,
                kind=SYMBOLS[part.kind],
                location=self._location(part.span),
                container_name=part.container or None,
            )
            for part in parts[:_MOST_NAMES]
        ]

    # --- kernels and the buffers between them ---------------------------------------------------------------------

    async def prepare(self, params: types.CallHierarchyPrepareParams) -> list[types.CallHierarchyItem] | None:
        """Return the kernel at a position; for a buffer, the kernels that use it."""

        def query(analysis: Analysis) -> list[types.CallHierarchyItem]:
            kernels = passing.kernels_at(analysis, *self._place(analysis, params.position))
            return [self._item(kernel, kernel.detail) for kernel in kernels]

        return await self.ask(params.text_document.uri, query)

    async def incoming(
        self, params: types.CallHierarchyIncomingCallsParams
    ) -> list[types.CallHierarchyIncomingCall] | None:
        """Return the kernels that pass buffers to a kernel."""
        passings = await self._passed(params.item, passing.passed_from)
        return (
            None
            if passings is None
            else [
                types.CallHierarchyIncomingCall(
                    from_=self._of(one), from_ranges=[self._range(span) for span in one.places]
                )
                for one in passings
            ]
        )

    async def outgoing(
        self, params: types.CallHierarchyOutgoingCallsParams
    ) -> list[types.CallHierarchyOutgoingCall] | None:
        """Return the kernels that a kernel passes buffers to."""
        passings = await self._passed(params.item, passing.passed_to)
        return (
            None
            if passings is None
            else [
                types.CallHierarchyOutgoingCall(
                    to=self._of(one), from_ranges=[self._range(span) for span in one.places]
                )
                for one in passings
            ]
        )

    async def _passed(
        self, item: types.CallHierarchyItem, ask: Callable[[Analysis, int, int], list[BufferPeer]]
    ) -> list[BufferPeer] | None:
        start = item.selection_range.start
        return await self.ask(item.uri, lambda analysis: ask(analysis, *self._place(analysis, start)))

    def _of(self, one: BufferPeer) -> types.CallHierarchyItem:
        return self._item(one.kernel, ", ".join(one.buffers))

    def _item(self, kernel: Outline, detail: str) -> types.CallHierarchyItem:
        place = self._location(kernel.span)
        return types.CallHierarchyItem(
            name=kernel.name,
            kind=types.SymbolKind.Function,
            uri=place.uri,
            range=place.range,
            selection_range=self._range(kernel.name_span),
            detail=detail or None,
        )
