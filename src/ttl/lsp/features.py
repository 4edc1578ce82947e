"""What a client may ask about a place: the queries of the service in the protocol's words.

Each is answered from what is known about the text as it is now, or from what was known last, moved to where places are
now; never by another reading. A mistake of ours in a query is logged, and the answer is nothing.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from lsprotocol import types

from ttl.diag.model import Edit
from ttl.lsp.capabilities import flattened, markup
from ttl.lsp.convert import path_of, place, position, range_of, text_edit, uri_of
from ttl.lsp.diagnostics import converted
from ttl.service import completion as completions
from ttl.service import fixing, hints, hover, navigation, rename, signatures, tokens
from ttl.service.analysis import Analysis
from ttl.source.spans import Span

if TYPE_CHECKING:
    from ttl.lsp.server import Server
    from ttl.service.actions import Action

Answer = TypeVar("Answer")

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
_SYMBOLS = MappingProxyType(
    {
        "operation": types.SymbolKind.Class,
        "kernel": types.SymbolKind.Function,
        "dataflow buffer": types.SymbolKind.Array,
        "pipe net": types.SymbolKind.Interface,
        "semaphore": types.SymbolKind.Event,
    }
)
# What applies an edit, in the place of a code action, for a client without those.
APPLY = "ttl.applyEdit"
LEGEND = types.SemanticTokensLegend(token_types=list(tokens.TYPES), token_modifiers=list(tokens.MODIFIERS))


class Features:
    """The answers. ``server`` knows the texts and what was found in them."""

    def __init__(self, server: Server) -> None:
        self._server = server

    # --- what all of them need ------------------------------------------------------------------------------------

    async def ask(
        self, uri: str, query: Callable[[Analysis], Answer], *, newest: bool = False
    ) -> Answer | None:
        """What a query says about a text; None where nothing is known about it, or the query fails.

        The ``newest`` text is waited for by what is about a whole file, and stays on the screen until the next edit, or
        edits the text; the others are answered at once, from the last one where need be.
        """
        analysis = await (self._server.settled(uri) if newest else self._server.analysis(uri))
        if analysis is None:
            return None
        with self._server.ttl.reading():
            try:
                return query(analysis)
            except Exception as raised:
                self._server.publisher.defect(raised, f"a question about {os.path.basename(analysis.path)}")
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
        """Edits by file; for a file that is open, of the version that they are for."""
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

    # --- hover, hints, tokens -------------------------------------------------------------------------------------

    async def hover(self, params: types.HoverParams) -> types.Hover | None:
        """What is at a position."""

        def query(analysis: Analysis) -> types.Hover | None:
            about = hover.hover(analysis, *self._place(analysis, params.position))
            if about is None:
                return None
            content = markup(about.text, self._server.abilities.markdown)
            return types.Hover(contents=content, range=self._range(about.span))

        return await self.ask(params.text_document.uri, query)

    async def hints(self, params: types.InlayHintParams) -> list[types.InlayHint] | None:
        """Shapes, and what the language infers; a profile, where the client has no other place for it."""
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
        of_profile = self._server.commands.margins.hints(path_of(uri), *lines)
        return [*(await self.ask(uri, query, newest=True) or ()), *of_profile]

    async def all_tokens(self, params: types.SemanticTokensParams) -> types.SemanticTokens | None:
        """What names are in the language, in a whole text."""
        return await self._tokens(params.text_document.uri)

    async def some_tokens(self, params: types.SemanticTokensRangeParams) -> types.SemanticTokens | None:
        """What names are in the language, on some lines."""
        lines = params.range.start.line + 1, params.range.end.line + 1
        return await self._tokens(params.text_document.uri, *lines)

    async def _tokens(self, uri: str, first: int = 1, last: int | None = None) -> types.SemanticTokens | None:
        """Names as the protocol packs them: each relative to the one before."""

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
        """What may be written at a position."""

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
        """The call around a position."""

        def query(analysis: Analysis) -> types.SignatureHelp | None:
            about = signatures.signature(analysis, *self._place(analysis, params.position))
            if about is None:
                return None
            parameters = [
                types.ParameterInformation(label=parameter.text, documentation=parameter.doc or None)
                for parameter in about.parameters
            ]
            # Beyond the last one is none of them.
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

    # --- navigation -----------------------------------------------------------------------------------------------

    async def definition(self, params: types.DefinitionParams) -> list[types.Location] | None:
        """Where a name is bound."""
        return await self._locations(params, navigation.definition)

    async def type_definition(self, params: types.TypeDefinitionParams) -> list[types.Location] | None:
        """Where an object is made."""
        return await self._locations(params, navigation.type_definition)

    async def _locations(
        self, params: Any, find: Callable[[Analysis, int, int], list[Span]]
    ) -> list[types.Location] | None:
        def query(analysis: Analysis) -> list[types.Location]:
            return [self._location(span) for span in find(analysis, *self._place(analysis, params.position))]

        return await self.ask(params.text_document.uri, query)

    async def references(self, params: types.ReferenceParams) -> list[types.Location] | None:
        """Where a name is used."""

        def query(analysis: Analysis) -> list[types.Location]:
            return [
                self._location(reference.span)
                for reference in navigation.references(analysis, *self._place(analysis, params.position))
                if reference.role == "used" or params.context.include_declaration
            ]

        return await self.ask(params.text_document.uri, query)

    async def highlights(self, params: types.DocumentHighlightParams) -> list[types.DocumentHighlight] | None:
        """Where the name under the cursor is in this text."""

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
        """Operations, and what they consist of."""
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
            kind=_SYMBOLS[part.kind],
            range=self._range(part.span),
            selection_range=self._range(part.name_span),
            children=[self._symbol(child) for child in part.children],
        )

    # --- edits ----------------------------------------------------------------------------------------------------

    async def prepare_rename(
        self, params: types.PrepareRenameParams
    ) -> types.PrepareRenamePlaceholder | None:
        """What would be renamed; the reason, where that cannot be, is the error that the client shows."""
        about = await self.ask(
            params.text_document.uri,
            lambda analysis: rename.prepare(analysis, *self._place(analysis, params.position)),
            newest=True,
        )
        if isinstance(about, rename.Refused):
            raise _refused(about)
        if about is None:
            return None
        return types.PrepareRenamePlaceholder(range=self._range(about.span), placeholder=about.name)

    async def rename(self, params: types.RenameParams) -> types.WorkspaceEdit | None:
        """The edits that rename what is at a position."""
        edits = await self.ask(
            params.text_document.uri,
            lambda analysis: rename.rename(
                analysis, *self._place(analysis, params.position), params.new_name
            ),
            newest=True,
        )
        if isinstance(edits, rename.Refused):
            raise _refused(edits)
        return None if edits is None else self._workspace_edit(edits)

    async def actions(self, params: types.CodeActionParams) -> list[types.CodeAction | types.Command]:
        """What is offered at a place: the fixes of findings, and what else may be written.

        To a client that does not know actions as such they are commands, which let it apply the edit.
        """
        from ttl.service.actions import actions

        first, last = params.range.start.line + 1, params.range.end.line + 1
        only = params.context.only
        fixes = await self.ask(
            params.text_document.uri,
            lambda analysis: self._fixes(analysis, first, last, params.context),
            newest=True,
        )
        offered = await self.ask(params.text_document.uri, lambda analysis: actions(analysis, first, last))
        every = [
            *(fixes or ()),
            *self._rewrites(offered or ()),
        ]
        wanted = [action for action in every if only is None or _is_wanted(action.kind, only)]
        if self._server.abilities.action_literals:
            return [*wanted]
        converter = self._server.converter
        return [
            types.Command(title=action.title, command=APPLY, arguments=[converter.unstructure(action.edit)])
            for action in wanted
        ]

    def _fixes(
        self, analysis: Analysis, first: int, last: int, context: types.CodeActionContext
    ) -> list[types.CodeAction]:
        """The fixes of the findings on some lines, all of their codes, and all of the file."""
        kinds = types.CodeActionKind
        codes: list[str] = []
        actions = []
        for one in fixing.quick_fixes(analysis, first, last):
            codes.append(one.finding.code)
            diagnostic = converted(
                one.finding,
                analysis.path,
                self._server.lines,
                self._server.encoding,
                self._server.abilities,
            )
            alike = [
                given
                for given in context.diagnostics
                if given.code == diagnostic.code and given.range == diagnostic.range
            ]
            actions.append(
                types.CodeAction(
                    title=one.title,
                    kind=kinds.QuickFix,
                    diagnostics=alike or [diagnostic],
                    edit=self._workspace_edit(one.edits),
                    is_preferred=True,
                )
            )
        for code in fixing.fixable_codes(analysis, codes):
            edits = fixing.fix_all(analysis, code)
            if edits:
                title = f"Fix all {code} in this file"
                edit = self._workspace_edit(edits)
                actions.append(types.CodeAction(title=title, kind=kinds.QuickFix, edit=edit))
        only = context.only or ()
        if any(str(getattr(kind, "value", kind)).startswith("source") for kind in only):
            edits = fixing.fix_all(analysis)
            if edits:
                edit = self._workspace_edit(edits)
                actions.append(
                    types.CodeAction(title="Fix all that can be fixed", kind=kinds.SourceFixAll, edit=edit)
                )
        return actions

    async def fix_all(self, uri: str, code: str | None) -> dict[str, Any]:
        """The command ``ttl.fixAll``: lets the client apply all fixes of a code, or all there are, of the newest text."""
        edits = await self.ask(uri, lambda analysis: fixing.fix_all(analysis, code), newest=True)
        if edits is None:
            return _failed(f"{path_of(uri)} is not checked")
        if not edits:
            return {**_failed(""), "status": "ok", "output": f"nothing to fix{f' of {code}' if code else ''}"}
        return await self.apply(
            types.ApplyWorkspaceEditParams(edit=self._workspace_edit(edits), label="Fix all")
        )

    async def apply(self, params: types.ApplyWorkspaceEditParams) -> dict[str, Any]:
        """Let the client apply an edit; the result of the command that is about it."""
        if not self._server.abilities.applies_edits:
            return _failed("this editor applies no edits of a server's")
        applied = await self._server.workspace_apply_edit_async(params)
        if applied.applied:
            return {**_failed(""), "status": "ok"}
        return _failed(applied.failure_reason or "the editor has not applied the edit")

    def _rewrites(self, offered: Sequence[Action]) -> list[types.CodeAction]:
        return [
            types.CodeAction(
                title=action.title,
                kind=types.CodeActionKind(action.kind),
                edit=self._workspace_edit(action.edits),
            )
            for action in offered
        ]


def _failed(reason: str) -> dict[str, Any]:
    return {"status": "failed", "output": "", "reason": reason}


def _is_wanted(kind: types.CodeActionKind | str | None, only: Sequence[types.CodeActionKind | str]) -> bool:
    """Whether a kind is one of those that a client asks for, or below one."""
    own = str(getattr(kind, "value", kind))
    names = [str(getattr(name, "value", name)) for name in only]
    return any(not name or own == name or own.startswith(f"{name}.") for name in names)


def _refused(reason: rename.Refused) -> Exception:
    from pygls.exceptions import JsonRpcException

    return JsonRpcException(message=reason.reason, code=types.LSPErrorCodes.RequestFailed.value)


def register(server: Server) -> Features:
    """Let a server answer all of this."""
    features = Features(server)
    answers: dict[str, tuple[Callable[[Any], Awaitable[Any]], Any]] = {
        types.TEXT_DOCUMENT_HOVER: (features.hover, None),
        types.TEXT_DOCUMENT_INLAY_HINT: (features.hints, None),
        types.TEXT_DOCUMENT_COMPLETION: (
            features.complete,
            types.CompletionOptions(trigger_characters=[".", "(", "=", "@", ","]),
        ),
        types.TEXT_DOCUMENT_SIGNATURE_HELP: (
            features.signature,
            types.SignatureHelpOptions(trigger_characters=["(", ","], retrigger_characters=["="]),
        ),
        types.TEXT_DOCUMENT_DEFINITION: (features.definition, None),
        types.TEXT_DOCUMENT_TYPE_DEFINITION: (features.type_definition, None),
        types.TEXT_DOCUMENT_REFERENCES: (features.references, None),
        types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT: (features.highlights, None),
        types.TEXT_DOCUMENT_DOCUMENT_SYMBOL: (features.outline, None),
        types.TEXT_DOCUMENT_RENAME: (features.rename, types.RenameOptions(prepare_provider=True)),
        types.TEXT_DOCUMENT_PREPARE_RENAME: (features.prepare_rename, None),
        types.TEXT_DOCUMENT_CODE_ACTION: (
            features.actions,
            types.CodeActionOptions(
                code_action_kinds=[
                    types.CodeActionKind.QuickFix,
                    types.CodeActionKind.RefactorRewrite,
                    types.CodeActionKind.SourceFixAll,
                ]
            ),
        ),
        types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL: (features.all_tokens, LEGEND),
        types.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE: (features.some_tokens, LEGEND),
    }
    for name, (answer, options) in answers.items():
        server.feature(name, options)(_function(answer))

    @server.command("ttl.fixAll")
    async def fix_all(*arguments: Any) -> dict[str, Any]:
        given = arguments[0] if arguments else None
        uri, code = (_text_of(given, name) for name in ("uri", "code"))
        if uri is None:
            raise ValueError("the argument of ttl.fixAll is an object with a uri")
        return await features.fix_all(uri, code)

    @server.command(APPLY)
    async def apply(*arguments: Any) -> dict[str, Any]:
        edit = server.converter.structure(_plain(arguments[0]), types.WorkspaceEdit)
        return await features.apply(types.ApplyWorkspaceEditParams(edit=edit))

    return features


def _plain(given: Any) -> Any:
    """An argument of a command as mappings and lists, whatever the library makes of it."""
    if hasattr(given, "_asdict"):
        given = given._asdict()
    if isinstance(given, dict):
        return {name: _plain(value) for name, value in given.items()}
    return [_plain(value) for value in given] if isinstance(given, list | tuple) else given


def _text_of(given: Any, name: str) -> str | None:
    """A member of an argument of a command, which clients send as an object."""
    value = given.get(name) if isinstance(given, dict) else getattr(given, name, None)
    return value if isinstance(value, str) else None


def _function(answer: Callable[[Any], Awaitable[Any]]) -> Callable[[Any], Awaitable[Any]]:
    """A method as a function, which the library can put its marks on."""

    async def function(params: Any) -> Any:
        return await answer(params)

    return function
