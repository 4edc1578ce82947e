"""Answers that describe the text, and offers while the user types: hover, hints, tokens, completion, signatures."""

from __future__ import annotations

from types import MappingProxyType

from lsprotocol import types

from ttl.lsp.capabilities import markup
from ttl.lsp.convert import path_of, position
from ttl.lsp.margins import Margins
from ttl.lsp.publishing import Publisher
from ttl.lsp.questions import Questions
from ttl.lsp.texts import TextServer
from ttl.service import completion as completions
from ttl.service import hints, hover, signatures, tokens
from ttl.service.analysis import Analysis

_ITEMS = MappingProxyType(
    {
        "function": types.CompletionItemKind.Function,
        "method": types.CompletionItemKind.Method,
        "property": types.CompletionItemKind.Property,
        "class": types.CompletionItemKind.Class,
        "constant": types.CompletionItemKind.Constant,
        "module": types.CompletionItemKind.Module,
        "variable": types.CompletionItemKind.Variable,
        "keyword": types.CompletionItemKind.Keyword,
        "value": types.CompletionItemKind.Value,
        "snippet": types.CompletionItemKind.Snippet,
    }
)


class ReadingAnswers(Questions):
    """The answers; hints also show the profiles that ``margins`` has."""

    def __init__(self, server: TextServer, publisher: Publisher, margins: Margins) -> None:
        super().__init__(server, publisher)
        self._margins = margins

    # --- hover, hints, tokens -------------------------------------------------------------------------------------

    async def hover(self, params: types.HoverParams) -> types.Hover | None:
        """Return the hover text at a position."""

        def query(analysis: Analysis) -> types.Hover | None:
            about = hover.hover(analysis, *self._place(analysis, params.position))
            if about is None:
                return None
            content = markup(about.text, self._server.abilities.markdown)
            return types.Hover(contents=content, range=self._range(about.span))

        return await self.ask(params.text_document.uri, query)

    async def hints(self, params: types.InlayHintParams) -> list[types.InlayHint] | None:
        """Return shapes and inferred steps as hints, and a profile if the client does not show profiles itself."""
        options = self._server.options
        wanted = {"shape": options.inlay_shapes, "inferred": options.inlay_inferred}

        def query(analysis: Analysis) -> list[types.InlayHint]:
            lines = analysis.text.lines
            first, last = params.range.start.line + 1, params.range.end.line + 1
            return [
                types.InlayHint(
                    position=position(lines, hint.line, hint.column, self._server.encoding),
                    label=hint.label,
                    tooltip=hint.tooltip,
                    kind=types.InlayHintKind.Type if hint.kind == "shape" else None,
                    padding_left=hint.kind == "inferred",
                )
                for hint in hints.hints(analysis, first, last)
                if wanted[hint.kind]
            ]

        uri = params.text_document.uri
        lines = params.range.start.line + 1, params.range.end.line + 1
        of_profile = self._margins.hints(path_of(uri), *lines)
        return [*(await self.ask(uri, query, newest=True) or ()), *of_profile]

    async def all_tokens(self, params: types.SemanticTokensParams) -> types.SemanticTokens | None:
        """Return the semantic tokens of a whole text."""
        return await self._tokens(params.text_document.uri)

    async def some_tokens(self, params: types.SemanticTokensRangeParams) -> types.SemanticTokens | None:
        """Return the semantic tokens of some lines."""
        lines = params.range.start.line + 1, params.range.end.line + 1
        return await self._tokens(params.text_document.uri, *lines)

    async def _tokens(self, uri: str, first: int = 1, last: int | None = None) -> types.SemanticTokens | None:
        """Tokens as the protocol packs them: each place is relative to that of the token before."""

        def query(analysis: Analysis) -> types.SemanticTokens:
            data: list[int] = []
            line = column = 0
            for token in tokens.tokens(analysis, first, last):
                begin = position(analysis.text.lines, token.line, token.column, self._server.encoding)
                end = position(
                    analysis.text.lines, token.line, token.column + token.length, self._server.encoding
                )
                if begin.line != line:
                    column = 0
                modifiers = sum(1 << tokens.MODIFIERS.index(name) for name in token.modifiers)
                length = end.character - begin.character
                data += (begin.line - line, begin.character - column, length)
                data += (tokens.TYPES.index(token.type), modifiers)
                line, column = begin.line, begin.character
            return types.SemanticTokens(data=data)

        return await self.ask(uri, query, newest=True)

    # --- completion and signatures --------------------------------------------------------------------------------

    async def complete(self, params: types.CompletionParams) -> types.CompletionList | None:
        """Return the completions at a position."""

        def query(analysis: Analysis) -> types.CompletionList:
            items = completions.completion(analysis, *self._place(analysis, params.position))
            return types.CompletionList(
                is_incomplete=False, items=[self._item(item, number) for number, item in enumerate(items)]
            )

        return await self.ask(params.text_document.uri, query)

    def _item(self, item: completions.Item, number: int) -> types.CompletionItem:
        written = item.insert or item.label
        is_snippet = item.kind == "snippet"
        able = self._server.abilities
        supported = able.snippets
        return types.CompletionItem(
            label=item.label,
            kind=_ITEMS[item.kind],
            detail=item.detail or None,
            documentation=markup(item.documentation, able.markdown_items) if item.documentation else None,
            sort_text=f"{number:04}",
            deprecated=item.deprecated or None,
            tags=[types.CompletionItemTag.Deprecated] if item.deprecated else None,
            text_edit=types.TextEdit(
                range=self._range(item.span),
                new_text=written if supported or not is_snippet else completions.plain(written),
            ),
            insert_text_format=types.InsertTextFormat.Snippet if is_snippet and supported else None,
        )

    async def signature(self, params: types.SignatureHelpParams) -> types.SignatureHelp | None:
        """Return the signature of the call around a position."""

        def query(analysis: Analysis) -> types.SignatureHelp | None:
            about = signatures.signature(analysis, *self._place(analysis, params.position))
            if about is None:
                return None
            parameters = [
                types.ParameterInformation(label=parameter.text, documentation=parameter.doc or None)
                for parameter in about.parameters
            ]
            # A position behind the last one belongs to none of them.
            active = len(parameters) if about.active is None else about.active
            return types.SignatureHelp(
                signatures=[
                    types.SignatureInformation(
                        label=about.label,
                        documentation=markup(about.doc, self._server.abilities.markdown_signatures),
                        parameters=parameters,
                        active_parameter=active,
                    )
                ],
                active_signature=0,
                active_parameter=active,
            )

        return await self.ask(params.text_document.uri, query)
