"""Navigation: definitions, uses, and the outline of a file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import MappingProxyType
from typing import Any

from lsprotocol import types

from ttl.lsp.capabilities import flattened
from ttl.lsp.questions import Questions
from ttl.service import navigation
from ttl.service.analysis import Analysis
from ttl.source.spans import Span

SYMBOLS = MappingProxyType(
    {
        "operation": types.SymbolKind.Class,
        "kernel": types.SymbolKind.Function,
        "dataflow buffer": types.SymbolKind.Array,
        "pipe net": types.SymbolKind.Interface,
        "semaphore": types.SymbolKind.Event,
    }
)


class NavigationAnswers(Questions):
    """The answers to requests of navigation."""

    async def definition(self, params: types.DefinitionParams) -> list[types.Location] | None:
        """Return where a name is bound."""
        return await self._locations(params, navigation.definition)

    async def type_definition(self, params: types.TypeDefinitionParams) -> list[types.Location] | None:
        """Return where an object is made."""
        return await self._locations(params, navigation.type_definition)

    async def _locations(
        self, params: Any, find: Callable[[Analysis, int, int], list[Span]]
    ) -> list[types.Location] | None:
        def query(analysis: Analysis) -> list[types.Location]:
            return [self._location(span) for span in find(analysis, *self._place(analysis, params.position))]

        return await self.ask(params.text_document.uri, query)

    async def references(self, params: types.ReferenceParams) -> list[types.Location] | None:
        """Return where a name is used."""

        def query(analysis: Analysis) -> list[types.Location]:
            return [
                self._location(reference.span)
                for reference in navigation.references(analysis, *self._place(analysis, params.position))
                if reference.role == "used" or params.context.include_declaration
            ]

        return await self.ask(params.text_document.uri, query)

    async def highlights(self, params: types.DocumentHighlightParams) -> list[types.DocumentHighlight] | None:
        """Return where the name under the cursor is in this text."""

        def query(analysis: Analysis) -> list[types.DocumentHighlight]:
            return [
                types.DocumentHighlight(
                    range=self._range(reference.span),
                    kind=types.DocumentHighlightKind.Write
                    if reference.role == "bound"
                    else types.DocumentHighlightKind.Read,
                )
                for reference in navigation.references(analysis, *self._place(analysis, params.position))
                if reference.span.file == analysis.path
            ]

        return await self.ask(params.text_document.uri, query)

    async def outline(
        self, params: types.DocumentSymbolParams
    ) -> Sequence[types.DocumentSymbol] | Sequence[types.SymbolInformation] | None:
        """Return operations, with their kernels and objects."""
        symbols = await self.ask(
            params.text_document.uri,
            lambda analysis: [self._symbol(part) for part in navigation.outline(analysis)],
            newest=True,
        )
        if symbols is None or self._server.abilities.nested_symbols:
            return symbols
        return flattened(symbols, params.text_document.uri)

    def _symbol(self, part: navigation.Outline) -> types.DocumentSymbol:
        return types.DocumentSymbol(
            name=part.name,
            detail=part.detail or None,
            kind=SYMBOLS[part.kind],
            range=self._range(part.span),
            selection_range=self._range(part.name_span),
            children=[self._symbol(child) for child in part.children],
        )
